# SPDX-License-Identifier: Apache-2.0
"""Tests that 1,000 set-ups and tear-downs of KSPs over all types in one process keep memory constant, and that a leak
would be detected. See the mode soak of lifecycle.cxx."""
import sys
import unittest

from petsc_runs import TYPES, program, run

FACTORS = ["pc_type ilu", "pc_type ilu -{}pc_factor_levels 1 -{}pc_factor_mat_ordering_type rcm",
           "pc_type icc -{}ksp_type cg",
           "pc_type lu -{}pc_factor_mat_ordering_type nd", "pc_type ilu -{}mat_type seqbaij",
           "pc_type icc -{}ksp_type cg -{}mat_type seqsbaij"]
VARIANTS = TYPES + ["syncfree -{}mat_sptrsv_syncfree_form csc", "threadlevel -{}mat_sptrsv_threadlevel_form two_phase",
                    "levelset -{}mat_sptrsv_levelset_wide_rows 1"]


def options():
    """Returns -kinds and, under the prefix of each kind, its factor and type."""
    kinds = [(factor, variant) for factor in FACTORS for variant in VARIANTS]
    words = [f"-kinds {len(kinds)}"]
    for number, (factor, variant) in enumerate(kinds):
        prefix = f"k{number}_"
        words.append(f"-{prefix}{factor} -{prefix}pc_factor_mat_solver_type {variant}".replace("{}", prefix))
    return " ".join(words)


class Soak(unittest.TestCase):
    def soak(self, more="", threads=1, check=True):
        return run(program("lifecycle"), f"soak {options()} {more}", threads=threads, timeout=280, check=check)

    def flat(self, threads):
        done = self.soak("-rounds 1000 -warm_up 200", threads)
        print(f"{threads} threads: {done.text}", file=sys.stderr)
        self.assertEqual(done.text.splitlines()[-1:], ["done"], str(done))

    def test_memory_is_flat(self):
        self.flat(threads=1)

    def test_memory_is_flat_with_two_threads(self):
        self.flat(threads=2)

    def test_leaks_are_seen(self):
        for leak in ["bytes", "factor"]:
            with self.subTest(leak=leak):
                done = self.soak(f"-rounds 110 -warm_up 70 -leak {leak}", check=False)
                self.assertNotEqual(done.status, 0, str(done))
                self.assertIn("Memory leaks: ", done.text)


if __name__ == "__main__":
    unittest.main()
