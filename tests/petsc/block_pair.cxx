// SPDX-License-Identifier: Apache-2.0
#include "block_pair.hpp"

#include <cmath>

namespace petsc_test {
namespace {

PetscErrorCode SetBlocks(BlockMatrix const& m, Mat A)
{
  PetscFunctionBegin;
  for (PetscInt I = 0; I < m.rows; ++I)
    for (PetscInt J : {I - 5, I - 1, I, I + 1, I + 5}) {
      if (J < 0 || J >= m.rows) continue;
      if (std::string(m.type) == MATSEQSBAIJ && J < I) continue;
      for (PetscInt r = 0; r < m.bs; ++r)
        for (PetscInt c = 0; c < m.bs; ++c) {
          PetscScalar v = I == J ? m.diagonal(I, r, c) : m.coupling * ((r + c) % 3 ? 0.5 : -1.0) / (PetscReal)m.bs;
          PetscCall(MatSetValue(A, I * m.bs + r, J * m.bs + c, v, INSERT_VALUES));
        }
    }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode Build(BlockMatrix const& m, Mat* A)
{
  PetscInt const n = m.bs * m.rows;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, m.type));
  PetscCall(MatSetBlockSize(*A, m.bs));
  PetscCall(MatSeqBAIJSetPreallocation(*A, m.bs, 5, NULL));
  PetscCall(MatSeqSBAIJSetPreallocation(*A, m.bs, 3, NULL));
  PetscCall(SetBlocks(m, *A));
  if (std::string(m.type) == MATSEQSBAIJ) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscScalar Dominant(PetscInt, PetscInt r, PetscInt c) { return r == c ? 4.0 : 0.2 + 0.1 * (PetscReal)r; }

PetscErrorCode ExpectSame(std::string const& what, Mat own, Mat ours)
{
  Vec b, x, expected, scale;
  PetscReal largest;
  PetscInt bs;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(own, &bs));
  PetscCall(MatCreateVecs(own, &b, NULL));
  for (Vec* v : {&x, &expected, &scale}) PetscCall(VecDuplicate(b, v));
  PetscCall(FillVec(b, 5));
  for (auto const solve : {MatSolve, MatSolveTranspose}) {
    if (solve == MatSolveTranspose && bs == 15) continue;  // docs/dev/petsc_faults.md, baij_transpose_15
    PetscCall(solve(own, b, expected));
    PetscCall(VecNorm(expected, NORM_INFINITY, &largest));
    PetscCall(VecSet(scale, 1 + largest));
    PetscCall(VecSet(x, std::nan("")));
    PetscCall(solve(ours, b, x));
    PetscCall(ExpectRows(what, expected, x, scale, block_tolerance));
  }
  for (Vec* v : {&b, &x, &expected, &scale}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace petsc_test
