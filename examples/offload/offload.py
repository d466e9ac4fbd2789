# SPDX-License-Identifier: Apache-2.0
"""Applies a preconditioner to a copy of the matrix in another type, as Firedrake's OffloadPC does.

    python3 offload.py -pc_type python -offload_pc_type ilu [-offload_mat_type aijkokkos] [-n 50]

The set-up of a Python PC converts the operator to -offload_mat_type (by default aij; aijcusparse or aijkokkos on a GPU)
and makes an inner PC with the prefix offload_. Each application copies the vectors to the converted matrix' type. CG
solves Poisson's equation on a grid of n by n points, with two matrices. The program prints the iterations, the
residuals, and the type of the inner factor, which is sptrsv with -mat_sptrsv_replace petsc.
"""
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402


class Offload:
    """A PC of type python: an inner PC of the converted operator."""

    def __init__(self):
        self.inner = None

    def setUp(self, pc):
        operator = pc.getOperators()[1]
        if self.inner:
            operator.convert(self.matrix.getType(), self.matrix)
        else:
            self.matrix = operator.convert(PETSc.Options().getString("offload_mat_type", "aij"), PETSc.Mat())
            self.x, self.y = self.matrix.createVecs()
            self.inner = PETSc.PC().create(pc.getComm())
            self.inner.setOptionsPrefix((pc.getOptionsPrefix() or "") + "offload_")
            self.inner.setOperators(self.matrix)
            self.inner.setFromOptions()
        self.inner.setUp()

    def apply(self, pc, x, y):
        x.copy(self.x)
        self.inner.apply(self.x, self.y)
        self.y.copy(y)

    def view(self, pc, viewer):
        self.inner.view(viewer)


def poisson(n):
    """Returns the matrix of the five-point stencil on n by n points."""
    matrix = PETSc.Mat().createAIJ([n * n, n * n], nnz=5)
    for row in range(*matrix.getOwnershipRange()):
        i, j = divmod(row, n)
        matrix[row, row] = 4.0
        for inside, column in ((i > 0, row - n), (i < n - 1, row + n), (j > 0, row - 1), (j < n - 1, row + 1)):
            if inside:
                matrix[row, column] = -1.0
    matrix.assemble()
    return matrix


matrix = poisson(PETSc.Options().getInt("n", 50))
x, b = matrix.createVecs()
b.set(1.0)
ksp, offload = PETSc.KSP().create(), Offload()
ksp.setOperators(matrix)
ksp.setType("cg")
ksp.setTolerances(rtol=1e-10)
ksp.getPC().setType("python")
ksp.getPC().setPythonContext(offload)
ksp.setFromOptions()
for _ in range(2):
    ksp.solve(b, x)
    residual = (b - matrix * x).norm() / b.norm()
    PETSc.Sys.Print(f"{ksp.getIterationNumber()} iterations, residual {residual:.1e}")
    matrix.scale(2.0)  # the next set-up converts new values
if offload.inner.getType() in ("ilu", "icc", "lu", "cholesky"):
    PETSc.Sys.Print("inner factor of type", offload.inner.getFactorMatrix().getType())
