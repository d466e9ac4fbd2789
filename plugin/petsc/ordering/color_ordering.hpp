// SPDX-License-Identifier: Apache-2.0
// PETSc's matrix orderings `color`: rows color by color, for factors with as few sets of independent rows as there are
// colors; and `blockcolor`: the same of blocks of rows.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

inline constexpr char const* color_ordering = "color";
inline constexpr char const* block_color_ordering = "blockcolor";

/// For MatOrderingRegister(). Colors what the matrix shows as its compressed graph: inodes of seqaij, blocks of seqbaij
/// and seqsbaij, else rows; so inodes and blocks stay together, as PETSc's factorizations demand. Options, under the
/// prefix of the matrix: -mat_ordering_color_balance, _distance, _algorithm.
PetscErrorCode MatGetOrdering_Color(Mat A, MatOrderingType type, IS* rows, IS* cols);
/// The same for blocks of vertices of that graph, on the host. Options: -mat_ordering_blockcolor_size, _colors,
/// _distance.
PetscErrorCode MatGetOrdering_BlockColor(Mat A, MatOrderingType type, IS* rows, IS* cols);

}  // namespace sptrsv_petsc
