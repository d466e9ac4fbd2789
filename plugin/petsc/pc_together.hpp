// SPDX-License-Identifier: Apache-2.0
// Whether a PC of type bjacobi solves the blocks of this rank together, and by what.
#pragma once

#include <string>
#include <vector>

#include "matfactor.hpp"
#include "merged_factor.hpp"

namespace sptrsv_petsc {

inline constexpr char together_option[] = "-pc_bjacobi_sptrsv_together";

using GetSubKsp = PetscErrorCode (*)(PC, PetscInt*, PetscInt*, KSP**);

struct Together {
  _PCOps petsc{};                  // PETSc's own operations
  GetSubKsp get_blocks = nullptr;  // PETSc's own
  bool shown = false;              // the program has been given the blocks' KSPs
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
/// Instead of PETSc's set-up, where only values are new and nobody but PETSc has the blocks: they are copied from the
/// rank's matrix in one go, and PETSc's copies of the blocks follow when somebody looks (ShowBlocks()).
/// @param done  out: whether it has been done
PetscErrorCode KeepNewValues(PC pc, Together& t, bool* done);
/// PCBJacobiGetSubKSP(): from now on the program may change the blocks.
PetscErrorCode ShowBlocks(PC pc, PetscInt* num_local, PetscInt* first, KSP** blocks);
/// What -ksp_view says beside PETSc's own. Collective.
PetscErrorCode ViewTogether(PC pc, PetscViewer viewer);

}  // namespace sptrsv_petsc
