// SPDX-License-Identifier: Apache-2.0
// Whether a PC of type bjacobi solves the blocks of this rank together, and by what.
#pragma once

#include <string>
#include <vector>

#include "matfactor.hpp"
#include "merged_factor.hpp"

namespace sptrsv_petsc {

inline constexpr char together_option[] = "-pc_bjacobi_sptrsv_together";

struct Together {
  _PCOps petsc{};                  // PETSc's own operations
  PetscBool wanted = PETSC_FALSE;  // together_option
  bool decided = false;            // since the last set-up
  bool asked = false;              // the blocks are factored by types of this plugin
  bool together = false;           // by `merged`; else each block by its own KSP
  std::string obstacle;            // why not
  MergedFactor merged;
  std::vector<KSP> blocks;
  std::vector<Mat> factors;
};

PetscErrorCode AddTogether(PC pc, Together** t);
PetscErrorCode GetTogether(PC pc, Together** t);
PetscErrorCode RemoveTogether(PC pc);

/// Before each application, and in the set-up of blocks: decides, after a set-up; else sees whether the blocks are
/// still those that were merged.
PetscErrorCode PrepareApply(PC pc, Together** t);
/// What -ksp_view says beside PETSc's own. Collective.
PetscErrorCode ViewTogether(PC pc, PetscViewer viewer);

}  // namespace sptrsv_petsc
