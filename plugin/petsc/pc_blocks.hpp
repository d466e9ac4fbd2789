// SPDX-License-Identifier: Apache-2.0
// What the KSPs of a rank's blocks have to be like for one factor to do their solves.
#pragma once

#include <string>
#include <vector>

#include "petsc_compat.hpp"

namespace sptrsv_petsc {

/// Whether block 0 is to be factored by a type of this plugin.
PetscErrorCode AsksForOurs(std::vector<KSP> const& blocks, bool* ours);
/// @param obstacle  out: what a block does beside one solve with an LU, ILU, Cholesky or ICC factor; else left alone
PetscErrorCode CheckSolves(std::vector<KSP> const& blocks, std::string* obstacle);
/// The same for what only a set-up can change.
PetscErrorCode CheckOptions(std::vector<KSP> const& blocks, std::string* obstacle);
/// What KSPSolve() does before the solve itself.
PetscErrorCode SetUpForSolve(std::vector<KSP> const& blocks);
/// And after it: what the KSPs say of so many.
void NoteSolves(std::vector<KSP> const& blocks, PetscInt count);
/// The blocks' factors; null where a block has none.
PetscErrorCode GetFactors(std::vector<KSP> const& blocks, std::vector<Mat>* factors);

}  // namespace sptrsv_petsc
