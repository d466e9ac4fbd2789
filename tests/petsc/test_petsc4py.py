# SPDX-License-Identifier: Apache-2.0
"""Tests that a petsc4py script selects the solver by options. Needs a Python whose petsc4py uses this PETSc."""
import unittest

from petsc_runs import TYPES, find_python, run

SCRIPT = r"""
import sys
import petsc4py
petsc4py.init(sys.argv)
from petsc4py import PETSc
n = 30
A = PETSc.Mat().createAIJ([n * n, n * n], nnz=5, comm=PETSc.COMM_SELF)
for i in range(n * n):
    A[i, i] = 4.0
    for j, inside in ((i - n, i >= n), (i + n, i + n < n * n), (i - 1, i % n > 0), (i + 1, i % n < n - 1)):
        if inside:
            A[i, j] = -1.0
A.assemble()
x, b = A.createVecs()
b.set(1.0)
ksp = PETSc.KSP().create(PETSc.COMM_SELF)
ksp.setOperators(A)
ksp.setFromOptions()
ksp.solve(b, x)
factor = ksp.getPC().getFactorMatrix()
print("type", factor.getType(), "iterations", ksp.getIterationNumber(), "norm %.6e" % x.norm())
"""


class Petsc4py(unittest.TestCase):
    def test_types(self):
        python = find_python()

        def outcome(kind):
            done = run([python, "-c", SCRIPT], f"-pc_type ilu -pc_factor_mat_solver_type {kind}")
            return done, done.number(r"iterations (\d+)", int), done.number(r"norm (\S+)")
        _, iterations, norm = outcome("petsc")
        for kind in TYPES:
            with self.subTest(kind):
                done, got, got_norm = outcome(kind)
                self.assertIn("type sptrsv", done.text)
                self.assertEqual(got, iterations)
                self.assertAlmostEqual(got_norm / norm, 1, delta=1e-6)


if __name__ == "__main__":
    find_python()
    unittest.main()
