// SPDX-License-Identifier: Apache-2.0
// Matrices of small dense blocks, with their factors by PETSc's own type and by the plugin.
#pragma once

#include <functional>
#include <string>

#include "factor_pair.hpp"

namespace petsc_test {

constexpr PetscInt block_sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15};
constexpr char const* some_types[] = {"sequential", "levelset", "tiled", "sptrsv"};

/// Block pentadiagonal matrix of 12 block rows, with dense blocks of side bs; diagonal(r, c) gives the diagonal blocks.
struct BlockMatrix {
  MatType type = MATSEQBAIJ;
  PetscInt bs = 2, rows = 12;
  std::function<PetscScalar(PetscInt block, PetscInt r, PetscInt c)> diagonal;
  PetscReal coupling = 0.3;
};

PetscErrorCode Build(BlockMatrix const& m, Mat* A);
/// Block for BlockMatrix::diagonal with a dominant diagonal.
PetscScalar Dominant(PetscInt block, PetscInt r, PetscInt c);

/// PETSc's own factor of a matrix, and the plugin's.
struct Pair {
  Factor own, ours;

  PetscErrorCode Symbolic(Mat A, Factoring const& setup, char const* type) {
    PetscCall(own.Symbolic(A, MATSOLVERPETSC, NULL, setup));
    return ours.Symbolic(A, type, NULL, setup);
  }
  PetscErrorCode Numeric(Mat A) {
    PetscCall(own.Numeric(A));
    return ours.Numeric(A);
  }
};

}  // namespace petsc_test
