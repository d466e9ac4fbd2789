# SPDX-License-Identifier: Apache-2.0
"""Tests readme_run.py on the output of a run."""
import unittest

import readme_run

OUTPUT = """Linear solve converged due to CONVERGED_RTOL iterations 13
KSP Object: 1 MPI process
            package used to perform factorization: sptrsv
              sptrsv 0.2.0: type sptrsv, Kokkos 4.7.0 Cuda (device 0), shared with PETSc
                backend device (its vectors are there)
                L: blocked (chosen)
                   88 levels
                0.43 MB beyond the matrix; 1 analysis, 1 numeric update, 27 solves
  linear system matrix = precond matrix:
PCSetUp                2 1.0 1.5000e-02 1.0 4.88e+05 1.0 0.0e+00
MatSolve              27 1.0 1.8388e-02 1.0 9.19e+06
KSPSolve               1 1.0 3.5000e-02 1.0 2.58e+07 1.0 0.0e+00
"""


class ReadmeRun(unittest.TestCase):
    def test_reads_times_and_iterations(self):
        self.assertEqual(readme_run.read_run(OUTPUT), (13, 0.015, 0.035))

    def test_refuses_what_lacks_them(self):
        for lost in ["converged due", "PCSetUp", "KSPSolve"]:
            with self.assertRaises(ValueError):
                readme_run.read_run(OUTPUT.replace(lost, "lost"))
        with self.assertRaises(ValueError):
            readme_run.read_view(OUTPUT.replace("sptrsv 0.2.0", "lost"))

    def test_view_keeps_its_shape(self):
        view = readme_run.read_view(OUTPUT)
        self.assertEqual(view[0], "sptrsv 0.2.0: type sptrsv, Kokkos 4.7.0 Cuda (device 0), shared with PETSc")
        self.assertEqual(view[2], "  L: blocked (chosen)")
        self.assertEqual(len(view), 5)

    def test_table_compares_with_the_first_type(self):
        shown = readme_run.markdown(["ex45", "-ksp_type", "bcgs"],
                                    {"cusparse": (13, 0.02, 0.08), "sptrsv": (13, 0.01, 0.03)}, ["a view"])
        self.assertIn("    $ ./ex45 -ksp_type bcgs \\\n        -pc_factor_mat_solver_type sptrsv -ksp_view\n", shown)
        self.assertIn("| `cusparse` | 20.0 | 80.0 | 13 | 1 |", shown)
        self.assertIn("| `sptrsv` | 10.0 | 30.0 | 13 | 2.5 times as fast |", shown)


if __name__ == "__main__":
    unittest.main()
