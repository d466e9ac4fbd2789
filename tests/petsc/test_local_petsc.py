# SPDX-License-Identifier: Apache-2.0
"""Tests the plugin in a program that has loaded another PETSc with local symbols, as petsc4py does: the plugin then
gets a
PETSc of its own, which has not been started. The other PETSc is a copy of the present one with another name."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from petsc_runs import plugin, program, run, skip

SCRIPT = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)  # MPI, as mpi4py loads it
petsc = ctypes.CDLL(sys.argv[2], ctypes.RTLD_LOCAL)
print("started, error", petsc.PetscInitializeNoArguments())
"""


def libraries(path):
    """Returns {name: file} of the libraries that a program is linked with."""
    done = subprocess.run(["ldd", path], stdout=subprocess.PIPE, text=True, check=True)
    return dict(re.findall(r"(\S+) => (/\S+)", done.stdout))


def copy_renamed(name, path, folder):
    """Makes a copy that the loader takes for another library."""
    other = name.replace("libpetsc", "libother")  # names of equal length
    with open(path, "rb") as file:
        content = file.read()
    if name.encode() + b"\0" not in content or name == other:
        skip(f"{path} does not hold its name {name}")
    copy = os.path.join(folder, other)
    with open(copy, "wb") as file:
        file.write(content.replace(name.encode() + b"\0", other.encode() + b"\0"))
    return copy


class LocalPetsc(unittest.TestCase):
    def start(self, folder, load):
        linked = libraries(program("lifecycle"))
        name = next((name for name in linked if name.startswith("libpetsc")), None)
        mpi = next((path for lib, path in linked.items() if re.match(r"libmpi\.so|libmpich\.so", lib)), None)
        if not name or not mpi:
            skip("programs are not linked with shared libraries of PETSc and MPI")
        copy = copy_renamed(name, linked[name], folder)
        near = {"LD_LIBRARY_PATH": ":".join([os.path.dirname(os.path.realpath(linked[name])),
                                             os.environ.get("LD_LIBRARY_PATH", "")])}
        return run([sys.executable, "-c", SCRIPT, mpi, copy], "", load=load, env=near, check=False), copy

    def test_error_names_both(self):
        with tempfile.TemporaryDirectory() as folder:
            done, _ = self.start(folder, None)
            self.assertIn("started, error 0", done.text, str(done))
            done, copy = self.start(folder, plugin)
            self.assertNotIn("started, error 0", done.text, str(done))
            self.assertNotIn("Logging has not been enabled", done.text, str(done))
            found = re.search(r"libsptrsv_petsc was built for the PETSc in (\S+), which has not started, and was "
                              r"called from "
                              r"(\S+); if that is another PETSc, rebuild .*PETSC_DIR", done.text)
            self.assertIsNotNone(found, str(done))
            self.assertIn("libpetsc", os.path.basename(found[1]))
            self.assertEqual(os.path.realpath(found[2]), os.path.realpath(copy))


if __name__ == "__main__":
    program("lifecycle")
    if os.environ.get("SPTRSV_TEST_SANITIZED"):
        skip("a plugin built with sanitizers needs them in the program, and Python has none")
    if not shutil.which("ldd"):
        skip("ldd is needed to find PETSc's library")
    unittest.main()
