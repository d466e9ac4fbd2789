// SPDX-License-Identifier: Apache-2.0
// Whether a PC of type bjacobi or asm solves the blocks of this rank together, and by what.
#pragma once

#include <string>
#include <vector>

#include "matfactor.hpp"
#include "merged_factor.hpp"

namespace sptrsv_petsc {

using GetSubKsp = PetscErrorCode (*)(PC, PetscInt*, PetscInt*, KSP**);
struct Together;

/// A PC type of PETSc's with several blocks on a rank.
struct BlockType {
  char const* name;                                                    // of the PC type
  char const* option;                                                  // that asks for blocks together
  char const* get_blocks;                                              // under which PETSc composes its GetSubKSP
  PetscErrorCode (*num_blocks)(PC, PetscInt*);                         // after a set-up
  PetscErrorCode (*wrap_solves)(PC, Together&, _PCOps const& before);  // where there are several
  bool disjoint;            // blocks are diagonal blocks of the rank's matrix, one after the other
  bool sets_options_again;  // of blocks, in every set-up
};

/// Where the rows of blocks that overlap lie (pc_asm.cxx).
struct Overlap {
  PCASMType type = PC_ASM_RESTRICT;
  Vec b = nullptr, x = nullptr;  // of all blocks, one after the other
  VecScatter all = nullptr;      // to b from the vector of all ranks
  VecScatter inner = nullptr;    // from x to the vector of all ranks, without the overlap

  PetscErrorCode Reset();
};

struct Together {
  BlockType const* type = nullptr;
  _PCOps petsc{};                  // PETSc's own operations
  _PCOps before{};                 // those of the PC before its last set-up
  bool incomplete = false;         // that set-up has failed in PETSc's part
  GetSubKsp get_blocks = nullptr;  // PETSc's own
  bool shown = false;              // the program has been given the blocks' KSPs
  PetscBool wanted = PETSC_FALSE;  // by the option
  bool decided = false;            // since the last set-up
  bool failed = false;             // to decide, since then
  PetscObjectState state = 0;      // of the PC's matrix in that set-up
  bool asked = false;              // the blocks are factored by types of this plugin
  bool set_up_apart = false;       // when it was decided, so that each block has its own factor
  bool together = false;           // by `merged`; else each block by its own KSP
  std::string obstacle;            // why not
  MergedFactor merged;
  Overlap overlap;
  std::vector<KSP> blocks;
  std::vector<Mat> factors;
};

PetscErrorCode AddTogether(PC pc, BlockType const& type, Together** t);
PetscErrorCode GetTogether(PC pc, Together** t);
PetscErrorCode RemoveTogether(PC pc);

/// In the set-up of blocks, and before each application: decides, after a set-up; else sees whether the blocks are
/// still those that were merged.
PetscErrorCode Prepare(PC pc, Together** t);
/// The latter: blocks that are solved together have solved for so many columns more.
PetscErrorCode PrepareApply(PC pc, Together** t, PetscInt columns = 1);
/// Instead of PETSc's set-up, where only values are new and nobody but PETSc has the blocks: they are copied from the
/// rank's matrix in one go, and PETSc's copies of the blocks follow when somebody looks (ShowBlocks()).
/// @param done  out: whether it has been done
PetscErrorCode KeepNewValues(PC pc, Together& t, bool* done);
/// Which blocks' factors wait for the values that the blocks have now.
PetscErrorCode FindAnew(Together const& t, std::vector<char>* anew);
/// Before new values: factors that blocks are to keep, and that only wait, are computed from the values of now.
PetscErrorCode FinishReused(PC pc, Together& t);
/// GetSubKSP: from now on the program may change the blocks.
PetscErrorCode ShowBlocks(PC pc, PetscInt* num_local, PetscInt* first, KSP** blocks);
/// What -ksp_view says beside PETSc's own. Collective.
PetscErrorCode ViewTogether(PC pc, PetscViewer viewer);

}  // namespace sptrsv_petsc
