// SPDX-License-Identifier: Apache-2.0
#include "block_pair.hpp"

namespace petsc_test {
namespace {

PetscErrorCode SetBlocks(BlockMatrix const& m, Mat A) {
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
  return Assemble(A);
}

}  // namespace

PetscErrorCode Build(BlockMatrix const& m, Mat* A) {
  PetscInt const n = m.bs * m.rows;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, m.type));
  PetscCall(MatSetBlockSize(*A, m.bs));
  PetscCall(MatSeqBAIJSetPreallocation(*A, m.bs, 5, NULL));
  PetscCall(MatSeqSBAIJSetPreallocation(*A, m.bs, 3, NULL));
  PetscCall(SetBlocks(m, *A));
  if (std::string(m.type) == MATSEQSBAIJ) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  return PETSC_SUCCESS;
}

PetscScalar Dominant(PetscInt, PetscInt r, PetscInt c) { return r == c ? 4.0 : 0.2 + 0.1 * (PetscReal)r; }

}  // namespace petsc_test
