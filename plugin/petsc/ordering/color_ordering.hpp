// SPDX-License-Identifier: Apache-2.0
// Matrix orderings for PETSc. `color` orders rows by color, so that factors have one set of independent rows per color.
// `blockcolor` orders blocks of rows by color.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

inline constexpr char const* color_ordering = "color";
inline constexpr char const* block_color_ordering = "blockcolor";

/// Orders rows by color; for MatOrderingRegister(). Colors the matrix' compressed graph, whose vertices are inodes of
/// seqaij, blocks of seqbaij and seqsbaij, otherwise rows. Inodes and blocks stay together, as PETSc's factorizations
/// require. Options, with the prefix of the matrix: -mat_ordering_color_balance, _distance, _algorithm.
PetscErrorCode MatGetOrdering_Color(Mat A, MatOrderingType type, IS* rows, IS* cols);
/// Groups the vertices of the matrix' compressed graph into blocks, and orders these by color, on the host; for
/// MatOrderingRegister(). Options, with the prefix of the matrix: -mat_ordering_blockcolor_size, _colors, _distance.
PetscErrorCode MatGetOrdering_BlockColor(Mat A, MatOrderingType type, IS* rows, IS* cols);

}  // namespace sptrsv_petsc
