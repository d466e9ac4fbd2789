# SPDX-License-Identifier: Apache-2.0
"""Tests the ways by which a program gets the plugin: ~/.petscrc, the name by which a PETSc configured with
--download-sptrsv loads it, and two copies."""
import os
import shutil
import tempfile
import unittest

from petsc_runs import plugin, program, run

SOLVE = "-m 20 -n 20 -pc_type ilu -pc_factor_mat_solver_type sptrsv -ksp_view"


class Loading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def solves(self, load, env=None):
        done = run(program("ex2"), SOLVE, load=load, env=env)
        self.assertIn("sptrsv", done.text, str(done))

    def test_without_it_there_is_no_such_type(self):
        done = run(program("ex2"), SOLVE, load=None, env={"HOME": self.folder}, check=False)
        self.assertNotEqual(done.status, 0, str(done))
        self.assertIn("Could not locate solver type sptrsv for factorization type ILU", done.text)

    def test_petscrc_of_the_user(self):
        with open(self.path(".petscrc"), "w") as file:
            file.write(f"# a comment\n-dll_append {plugin()}\n")
        self.solves(None, env={"HOME": self.folder})

    def test_name_by_which_petsc_loads_it(self):
        os.symlink(plugin(), self.path("libpetscsptrsv.so"))
        self.solves(lambda: self.path("libpetscsptrsv.so"))

    def test_link_and_file_are_one_plugin(self):
        os.symlink(plugin(), self.path("libpetscsptrsv.so"))
        self.solves(lambda: self.path("libpetscsptrsv.so") + "," + plugin())

    def test_a_second_copy_is_refused(self):
        copy = self.path("libsptrsv_petsc.so")
        shutil.copy(plugin(), copy)
        done = run(program("ex2"), SOLVE, load=lambda: f"{plugin()},{copy}", check=False)
        self.assertNotEqual(done.status, 0, str(done))
        self.assertIn(f"is loaded from two files, {plugin()} and now {copy};", " ".join(done.text.split()))


if __name__ == "__main__":
    unittest.main()
