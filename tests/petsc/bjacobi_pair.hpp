// SPDX-License-Identifier: Apache-2.0
// Block Jacobi by PETSc, and by the plugin with its blocks together and apart, on the same matrix.
#pragma once

#include <gtest/gtest.h>
#include <petscksp.h>

#include <string>
#include <vector>

#include "sptrsv_support/petsc_success.hpp"

namespace petsc_test {

/// Of one case: what the blocks are factored by.
struct BlockWay {
  char const* pc = PCILU;
  PetscInt levels = 0;
  char const* ordering = MATORDERINGNATURAL;
  char const* ksp = KSPGMRES;
  PetscInt dof = 1;  // unknowns a node: inodes
  char const* type = PCBJACOBI;
  PetscInt overlap = 1;  // of asm

  bool symmetric() const { return pc == std::string(PCICC) || pc == std::string(PCCHOLESKY); }
};

/// Diffusion, with convection unless the way is symmetric, on a grid of side by side nodes that the ranks share by
/// rows; of the type that -mat_type says.
PetscErrorCode BuildParallelGrid(PetscInt side, BlockWay const& way, Mat* A);
/// Whether that is a matrix of a GPU's.
inline bool OnDevice()
{
  PetscBool set = PETSC_FALSE;
  return !PetscOptionsHasName(NULL, NULL, "-mat_type", &set) && set;
}
/// Other values, on the same pattern. @param round  tells them apart
PetscErrorCode ChangeValues(Mat A, int round);

/// Another pattern: an entry more in the first block of each rank.
PetscErrorCode AddEntry(Mat A);
/// One entry, which each rank has, or adds, in its rows; assembled.
PetscErrorCode SetEntry(Mat A, PetscInt row, PetscInt col, PetscReal value);
/// The first diagonal entry of a rank's second block of three.
PetscErrorCode SetPivot(Mat A, PetscReal value);
/// For a right-hand side of ones.
PetscErrorCode SolveOnce(KSP ksp);
/// How often an event of -log_view has been logged so far.
PetscErrorCode CountOf(char const* event, PetscInt* count);
/// Subdomains of asm: runs of a rank's rows, where a partitioner would choose others for each PC.
PetscErrorCode SetSubdomains(PC pc, Mat A, PetscInt blocks);

/// A KSP with bjacobi, or asm. Prefixes, for which test_main.cxx sets options: petsc_ (factors by PETSc), apart_ (by
/// the plugin, a block at a time), together_ (by the plugin), own_ (the same, and it computes their values).
PetscErrorCode MakeBlockKsp(Mat A, BlockWay const& way, std::string const& prefix, PetscInt blocks,
                            std::vector<PetscInt> const& lens, KSP* ksp);

/// Every kind of application, row by row, and a solve: as by `expected`.
/// @param tolerance  of rows, relative to the largest; 0: the same bits
PetscErrorCode ExpectSameApplications(std::string const& what, KSP expected, KSP actual, PetscReal tolerance);

/// What KSPView() prints on rank 0; elsewhere "".
PetscErrorCode ViewText(KSP ksp, std::string* text);
/// That the view of `ksp` has `text` in it.
PetscErrorCode ExpectView(KSP ksp, std::string const& text);
inline std::string const together_text = "are solved together by sptrsv";
inline std::string const apart_text = "blocks are solved one after the other";

}  // namespace petsc_test
