// SPDX-License-Identifier: Apache-2.0
// PETSc's matrix ordering `color`: rows color by color, for factors with as few sets of independent rows as there are
// colors.
#pragma once

#include "petsc_compat.hpp"

namespace sptrsv_petsc {

inline constexpr char const* color_ordering = "color";

/// For MatOrderingRegister(). Colors what the matrix shows as its compressed graph: inodes of seqaij, blocks of seqbaij
/// and seqsbaij, else rows; so inodes and blocks stay together, as PETSc's factorizations demand. Options, under the
/// prefix of the matrix: -mat_ordering_color_balance, _distance, _algorithm.
PetscErrorCode MatGetOrdering_Color(Mat A, MatOrderingType type, IS* rows, IS* cols);

}  // namespace sptrsv_petsc
