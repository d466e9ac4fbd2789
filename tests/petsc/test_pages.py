# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that README.md and docs/first_steps.md show, with a tutorial of PETSc as the program. Each line of
code on these pages is run here, or named in ELSEWHERE with what runs it. Usage: test_pages.py SOURCE BUILD"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from petsc_runs import plugin, program

PAGES = ["README.md", "docs/first_steps.md"]
ELSEWHERE = {  # expression for a line: what runs it
    r"scripts/check +#": "CI",
    r"scripts/demo +#": "by hand, before a release",
    r'eval "\$\(scripts/env\)"': "scripts/demo",
    r"export PETSC_DIR=\.\.\. ": "has no command",
    r"cmake -S \. -B build |cmake --build build|cmake --install build ": "package.install, package.add_subdirectory",
    r"cat PREFIX/share/sptrsv/petscrc >>": "package.petsc.run",
    r"tar -xzf sptrsv-|cp sptrsv-|patch -p1 <|\./configure |  --with-debugging|make all &&":
        "scripts/setup --petsc-package",
    r"\./your_app -options_file PREFIX": "test_recipes below",
    r"export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive": "petsc.cases.threads",
    r"\$ \./ex45 |    -use_gpu_aware_mpi|    -pc_factor_mat_solver_type sptrsv -ksp_view": "scripts/gpu-check",
}
APP = "-m 20 -n 20 -ksp_view -options_left"
SMALL = [("lap3d:60", "lap3d:8"), ("matrix.mtx.gz", "matrix.mtx")]


def code_lines(page):
    """Returns the indented lines of a page, without the printed output that follows a line that begins with $."""
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        blocks = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", file.read(), re.MULTILINE)
    lines = []
    for block in blocks:
        for part in block.split("\n\n"):
            part = [line[4:] for line in part.splitlines() if line.strip()]
            if not part[0].startswith("sptrsv "):  # what -ksp_view prints
                lines += part
    return lines


def bash(command, folder):
    """Runs a command in bash, and returns its exit status and output."""
    env = dict(os.environ, SPTRSV_PLUGIN=plugin(), OMPI_MCA_rmaps_base_oversubscribe="1")
    env.pop("PETSC_OPTIONS")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120)
    return done.returncode, done.stdout


class Pages(unittest.TestCase):
    def runs(self, command, shown="sptrsv", folder=None):
        status, text = bash(command, folder)
        text = "\n".join(line for line in text.splitlines() if "Configure options" not in line)
        self.assertEqual(status, 0, f"{command}\n{text}")
        self.assertIn(shown, text, command)
        self.assertNotIn("Option left: name:-mat_sptrsv_replace", text, command)

    def test_lines_of_code(self):
        done = 0
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "matrix.mtx"), "w", encoding="ascii") as file:
                file.write("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 1 1\n2 2 3\n")
            for page in PAGES:
                for line in code_lines(page):
                    if any(re.match(words, line) for words in ELSEWHERE):
                        continue
                    with self.subTest(page=page, line=line):
                        self.runs(*self.command(line, folder), folder)
                        done += 1
        self.assertGreaterEqual(done, 5)  # more with the timing programs and examples

    def command(self, line, folder):
        """Returns what to run for a line, and a word that its output has."""
        line = line.replace("/path/to/libsptrsv_petsc.so", plugin())
        if line.startswith("export PETSC_OPTIONS="):
            choice = "" if "_replace" in line else "-pc_factor_mat_solver_type sptrsv"
            return f"{line}; {program('ex2')} {APP} -pc_type icc {choice}", "type sptrsv,"
        if line.startswith("PETSC_OPTIONS="):
            return line.replace("./your_app", f"{program('ex2')} {APP}"), "type sptrsv,"
        for shown, small in SMALL:
            line = line.replace(shown, small)
        path, *arguments = line.split(" ", 1)
        path = path.replace("build/quick", BUILD)
        if not os.path.exists(path):
            self.skipTest(f"{path} is not built")
        write = ""
        if "matrix.dat" in line:
            write = f"{program('ex2')} -m 5 -n 5 -mat_view binary:matrix.dat && "
        return f"{write}PETSC_OPTIONS='-dll_append {plugin()}' {path} {' '.join(arguments)}", ""

    def test_options_of_the_table(self):
        """Runs the options in the table of first_steps.md."""
        names = "one rank|several ranks|multigrid smoother"
        with open(os.path.join(SOURCE, "docs/first_steps.md"), encoding="utf-8") as file:
            rows = re.findall(rf"^\| ({names}) \| `([^`]*)`", file.read(), re.MULTILINE)
        self.assertEqual(len(rows), 3)
        mpiexec = os.environ.get("SPTRSV_TEST_MPIEXEC", "mpiexec") + " -n 2 "
        more = {"several ranks": (mpiexec, ""), "multigrid smoother": ("", "-pc_type gamg -ksp_type fgmres ")}
        for where, options in rows:
            before, after = more.get(where, ("", ""))
            with self.subTest(where=where):
                self.runs(f"{before}{program('ex2')} {APP} -dll_append {plugin()} {after}"
                          f"{options.replace('TYPE', 'levelset')}", "type levelset,")

    def test_recipes(self):
        """Solves with each recipe; a program that names solver types itself needs `replace` only."""
        folder = os.path.join(SOURCE, "examples/recipes")
        names = sorted(os.listdir(folder))
        self.assertGreaterEqual(len(names), 4)
        for name in names:
            with self.subTest(name=name):
                command = f"{program('ex2')} {APP} -dll_append {plugin()} -options_file {os.path.join(folder, name)}"
                cg = " -ksp_type cg" if name.startswith("icc") else ""
                self.runs(f"{command}{cg} -ksp_rtol 1e-8 -ksp_converged_reason", "CONVERGED_RTOL")
                self.runs(f"{command}{cg}", "sptrsv ")


if __name__ == "__main__":
    BUILD, SOURCE = os.path.abspath(sys.argv.pop()), os.path.abspath(sys.argv.pop())
    unittest.main()
