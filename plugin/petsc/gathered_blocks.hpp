// SPDX-License-Identifier: Apache-2.0
// Matrices, orderings and triangles of several blocks as those of all their rows.
#pragma once

#include <vector>

#include "factor_state.hpp"

namespace sptrsv_petsc {

/// The blocks are given by their factors, which have noted down what they were asked for.
PetscInt NumRows(std::vector<Mat> const& blocks);
/// Of all triangles, where PETSc has factored.
std::size_t NumEntries(std::vector<Mat> const& blocks);

/// The orderings of the blocks as one of all rows. `which` picks one of a block's. The caller destroys it.
PetscErrorCode MergeOrderings(std::vector<Mat> const& blocks, IS PostponedPhases::* which, IS* merged);
/// The block diagonal matrix of the blocks' matrices, in host memory, its values 0. The caller destroys it.
PetscErrorCode MergeMatrices(std::vector<Mat> const& blocks, Mat* merged);
/// The values of the blocks' matrices to it.
PetscErrorCode CopyValues(std::vector<Mat> const& blocks, Mat merged);

/// Where the entries of `merged` lie among those of A, which has the same diagonal blocks.
/// @param matrices  the blocks', for their sizes
/// @param places    out: empty where the patterns differ
PetscErrorCode FindEntries(Mat A, std::vector<Mat> const& matrices, Mat merged, std::vector<PetscInt>* places);
/// Values in the order of a merged matrix to those of its blocks, whose states stay.
PetscErrorCode WriteValues(std::vector<PetscScalar> const& values, std::vector<Mat> const& matrices);

/// Where the triangles of one block's factor begin in the arrays of all.
struct Places {
  std::size_t lower = 0, upper = 0, num_lower = 0, num_upper = 0;
};

/// L's rows block after block, then U's: of LU, whose rows lie last first, those of the last block first.
std::vector<Places> PlacesOf(std::vector<Mat> const& blocks);
/// The pattern of all triangles, and room for their values.
void GatherTriangles(std::vector<Mat> const& blocks, InnerPattern& to);

}  // namespace sptrsv_petsc
