# SPDX-License-Identifier: Apache-2.0
"""Runs examples/offload with and without -mat_sptrsv_replace, and compares iterations and the type of the factor."""
import os
import re
import subprocess
import unittest

from petsc_runs import find_python, plugin

PROGRAM = os.path.join(os.environ["SPTRSV_TEST_SOURCE"], "examples/offload/offload.py")


def offload(python, options):
    """Returns the numbers of iterations, and the type of the inner factor or None."""
    env = dict(os.environ, PETSC_OPTIONS=f"-dll_append {plugin()} {options}")
    done = subprocess.run([python, PROGRAM, "-pc_type", "python", "-n", "30"], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60)
    if done.returncode:
        raise AssertionError(f"failed: {options}\n{done.stdout}")
    for residual in re.findall(r"residual (\S+)", done.stdout):
        assert float(residual) < 1e-8, done.stdout
    factor = re.findall(r"inner factor of type (\S+)", done.stdout)
    return re.findall(r"(\d+) iterations", done.stdout), factor[0] if factor else None


class Offload(unittest.TestCase):
    def test_inner_factors(self):
        python = find_python()
        for inner in ["-offload_pc_type ilu", "-offload_pc_type lu -offload_mat_type aijperm",
                      "-offload_pc_type icc -offload_mat_type baij"]:
            with self.subTest(inner=inner):
                own, factor = offload(python, inner)
                self.assertNotEqual(factor, "sptrsv")
                self.assertEqual(len(own), 2)
                for choice, expected in [("-mat_sptrsv_replace petsc", "sptrsv"),
                                         ("-offload_mat_sptrsv_replace petsc", "sptrsv"),
                                         ("-mat_sptrsv_replace petsc -offload_mat_sptrsv_replace none", factor)]:
                    self.assertEqual(offload(python, f"{inner} {choice}"), (own, expected), choice)


if __name__ == "__main__":
    unittest.main()
