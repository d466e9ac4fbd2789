# SPDX-License-Identifier: Apache-2.0
"""Builds and installs the Python package by pip, as docs/python.md says, into a virtual environment; solves with it,
and checks its type hints. The environment also has what test_notebook.py needs."""
import os
import re
import shutil
import subprocess
import sys
import unittest

from petsc_runs import find_python, run, skip

SOURCE, VENV = os.environ["SPTRSV_TEST_SOURCE"], os.environ["SPTRSV_TEST_VENV"]
BUILD = os.environ["SPTRSV_TEST_PIP_BUILD"]
# matplotlib-inline 0.2 does not work with matplotlib 3.6, Debian 12's
PACKAGES = ["scikit-build-core", "mypy", "nbclient", "ipykernel", "matplotlib-inline<0.2"]
SOLVE = r"""
import sptrsv
from petsc4py import PETSc
n = 900
A = PETSc.Mat().createAIJ([n, n], nnz=3, comm=PETSc.COMM_SELF)
for i in range(n):
    for j in range(max(i - 1, 0), min(i + 2, n)):
        A[i, j] = 2.5 if i == j else -1.0
A.assemble()
x, b = A.createVecs()
b.set(1.0)
ksp = PETSc.KSP().create(PETSc.COMM_SELF)
ksp.setOperators(A)
ksp.getPC().setType("ilu")
ksp.getPC().setFactorSolverType("sptrsv")
ksp.solve(b, x)
info = sptrsv.info(ksp.getPC())
print("solved", (A * x - b).norm() < 1e-3, info.requested, info.n, info.num_numeric)
print("plugin", sptrsv.plugin_path())
"""


def output_of(command, **more):
    """Returns the exit status and the output of a command."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, **more)
    return done.returncode, done.stdout


def make_environment():
    """Makes a virtual environment with the packages that the tests need, or skips them."""
    shutil.rmtree(VENV, ignore_errors=True)
    status, text = output_of([find_python(), "-m", "venv", "--system-site-packages", VENV])
    if status:
        skip(f"no virtual environment (Debian: python3-venv): {' '.join(text.split())[:200]}")
    status, text = output_of([f"{VENV}/bin/pip", "install", "--disable-pip-version-check", "--retries", "1",
                              "--timeout", "20", *PACKAGES])
    if status:
        shutil.rmtree(VENV)
        reason = [line for line in text.splitlines() if line.startswith("ERROR")] or text.splitlines()
        skip(f"pip cannot get {', '.join(PACKAGES)}: {reason[0] if reason else 'no reason given'}")


class PipInstall(unittest.TestCase):
    def install(self, *options):
        # pip of Debian 12 has no -C
        status, text = output_of([f"{VENV}/bin/pip", "install", "--disable-pip-version-check", "--no-build-isolation",
                                  "--no-deps", "--verbose", f"--config-settings=build-dir={BUILD}", *options,
                                  os.path.join(SOURCE, "plugin", "python")])
        self.assertEqual(status, 0, text[-6000:])

    def test_editable(self):
        self.install("-e")
        done = run([f"{VENV}/bin/python", "-c", SOLVE], "", load=None, env={"PYTHONPATH": ""})
        self.assertIn("solved True sptrsv 900 1", done.text)

    def test_install(self):
        self.install()
        with open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(sptrsv VERSION (\S+)", file.read())[1]
        status, text = output_of([f"{VENV}/bin/pip", "show", "--files", "sptrsv"])
        self.assertIn(f"Version: {version}\n", text)
        for name in ("__init__.py", "py.typed", "libsptrsv_petsc.so"):
            self.assertIn(f"  sptrsv/{name}\n", text)
        self.assertNotIn("sptrsv_petsc.h", text)

        done = run([f"{VENV}/bin/python", "-c", SOLVE], "", load=None, env={"PYTHONPATH": ""})
        self.assertIn("solved True sptrsv 900 1", done.text)
        self.assertRegex(done.text, rf"plugin {re.escape(os.path.realpath(VENV))}/lib\S*/libsptrsv_petsc\.so")

    def test_type_hints(self):
        status, text = output_of([f"{VENV}/bin/mypy", "--config-file", "pyproject.toml", "--cache-dir", os.devnull],
                                 cwd=os.path.join(SOURCE, "plugin", "python"))
        self.assertEqual(status, 0, text)
        self.assertIn("Success: no issues found", text)


if __name__ == "__main__":
    make_environment()
    if os.path.exists(os.path.join(BUILD, "CMakeCache.txt")):  # it has the paths of an earlier PETSc and Kokkos
        os.remove(os.path.join(BUILD, "CMakeCache.txt"))
    sys.exit(unittest.main())
