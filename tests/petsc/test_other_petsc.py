# SPDX-License-Identifier: Apache-2.0
"""Tests the plugin loaded into another build of the same PETSc (complex scalars, 64-bit indices), if one is installed:
an
error that says so, and no crash. test_reports.py does the same with a simulated PETSc."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from petsc_runs import plugin, program, run, skip

WORDS = ("libsptrsv_petsc was built for a PETSc with", "PETSC_DIR")


def others():
    """Returns prefixes of other PETSc builds, from SPTRSV_TEST_OTHER_PETSC (separated by colons) or Debian's."""
    given = os.environ.get("SPTRSV_TEST_OTHER_PETSC")
    if given:
        return given.split(":")
    ours = os.path.realpath(os.environ["SPTRSV_TEST_PETSC_PREFIX"])
    near = glob.glob(os.path.dirname(ours) + "/*-linux-gnu*-real") + glob.glob(os.path.dirname(ours) + "/*-complex")
    wide = glob.glob(os.path.dirname(os.path.dirname(ours)) + "/petsc64-*/*-linux-gnu*")
    return [prefix for prefix in near + wide if os.path.realpath(prefix) != ours]


def flags(prefix):
    files = [os.path.basename(path)[:-3] for path in glob.glob(prefix + "/lib/pkgconfig/[Pp][Ee][Tt][Ss][Cc]*.pc")]
    env = dict(os.environ, PKG_CONFIG_PATH=prefix + "/lib/pkgconfig")
    for name in sorted(files):
        done = subprocess.run(["pkg-config", "--cflags", "--libs", name], env=env, stdout=subprocess.PIPE, text=True)
        if done.returncode == 0:
            return done.stdout.split()
    return None


class OtherPetsc(unittest.TestCase):
    built_with = {}  # prefix: compiler flags

    def test_clear_error(self):
        source = os.path.join(os.environ["SPTRSV_TEST_TUTORIALS"], "ex2.c")
        for prefix, options in self.built_with.items():
            with self.subTest(prefix), tempfile.TemporaryDirectory() as folder:
                built = os.path.join(folder, "ex2")
                subprocess.run(["mpicc", source, "-o", built] + options, check=True)
                run(built, "-m 9 -n 9", load=None)  # works without the plugin
                done = run(built, "-m 9 -n 9 -pc_type ilu -pc_factor_mat_solver_type levelset", load=plugin,
                           check=False)
                self.assertGreater(done.status, 0, str(done))
                for word in WORDS:
                    self.assertIn(word, done.text, str(done))


if __name__ == "__main__":
    program("ex2")
    if not others():
        skip("no other build of PETSc here (Debian: libpetsc-complex-dev, libpetsc64-real-dev); test_reports.py "
             "pretends to be one")
    if not shutil.which("mpicc") or not shutil.which("pkg-config"):
        skip("mpicc and pkg-config are needed to compile for another PETSc")
    compilable = {prefix: flags(prefix) for prefix in others()}
    bare = [prefix for prefix, options in compilable.items() if options is None]
    OtherPetsc.built_with = {prefix: options for prefix, options in compilable.items() if options is not None}
    if not OtherPetsc.built_with:
        skip(f"{', '.join(bare)} came without development files, such as a pkg-config file (Debian: "
             "libpetsc-complex-dev, libpetsc64-real-dev)")
    for prefix in bare:
        print(f"NOT TESTED: {prefix} came without development files", file=sys.stderr)
    sys.exit(unittest.main())
