# SPDX-License-Identifier: Apache-2.0
"""Tests that fault_reports.py writes a whole report for each program of docs/dev/petsc_faults, and refuses unknown
names."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "fault_reports.py")
PROGRAMS = os.path.join(os.path.dirname(HERE), "docs", "dev", "petsc_faults")


class Reports(unittest.TestCase):
    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, timeout=60)

    def test_each_program_has_a_whole_report(self):
        names = sorted(name[:-2] for name in os.listdir(PROGRAMS) if name.endswith(".c"))
        with open(os.path.join(PROGRAMS, "child.h")) as file:
            helpers = re.findall(r"^static inline \w+ (\w+)", file.read(), flags=re.M)
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_script(folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), [name + ".md" for name in names])
            for name in names:
                with open(os.path.join(folder, name + ".md")) as file:
                    text = file.read()
                for wanted in ("\nSeen: ", "\n## What happens\n", "\n## Program\n", "int main(", "static int Show("):
                    self.assertIn(wanted, text, name)
                for unwanted in ("child.h", ".md)", "\n- We:"):
                    self.assertNotIn(unwanted, text, name)
                for helper in helpers:
                    defined = text.count(f"static inline PetscErrorCode {helper}(")
                    used = len(re.findall(rf"\b{helper}\(", text)) - defined
                    self.assertEqual(defined, min(used, 1), f"{name}: {helper}")

    def test_an_unknown_name_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_script(folder, "no_such_fault")
            self.assertEqual(done.returncode, 1)
            self.assertIn("no_such_fault is not in", done.stderr)


if __name__ == "__main__":
    unittest.main()
