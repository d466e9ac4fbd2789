// SPDX-License-Identifier: Apache-2.0
// New values of blocks that are solved together.
#include "pc_together.hpp"

#include <petsc/private/kspimpl.h>

#include <algorithm>

#include "factor_state.hpp"
#include "guarded.hpp"
#include "pc_blocks.hpp"

namespace sptrsv_petsc {
namespace {

/// The part of the matrix that the blocks of this rank are cut from, where PETSc cuts them from an aij matrix, or null.
PetscErrorCode GetRankMatrix(PC pc, Mat* A)
{
  PetscBool parallel, alone;

  PetscFunctionBegin;
  *A = nullptr;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)pc->pmat, MATMPIAIJ, &parallel));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)pc->pmat, MATSEQAIJ, &alone));
  if (parallel) PetscCall(MatGetDiagonalBlock(pc->pmat, A));
  else if (alone) *A = pc->pmat;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The flags that PETSc's set-up would give a block anew.
PetscErrorCode TakeSymmetry(Mat from, Mat to)
{
  PetscFunctionBegin;
  if (!to->symmetry_eternal) to->symmetric = to->hermitian = PETSC_BOOL3_UNKNOWN;
  if (!to->structural_symmetry_eternal) to->structurally_symmetric = PETSC_BOOL3_UNKNOWN;
  if (!to->spd_eternal) to->spd = PETSC_BOOL3_UNKNOWN;
  PetscCall(MatPropagateSymmetryOptions(from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What PETSc's set-up does with blocks that have new values.
PetscErrorCode AnnounceNewValues(PC pc, Together const& t, Mat rank_matrix, std::vector<Mat> const& matrices)
{
  PetscFunctionBegin;
  for (std::size_t b = 0; b < t.blocks.size(); ++b) {
    PetscCall(TakeSymmetry(rank_matrix, matrices[b]));
    PetscCall(PetscObjectStateIncrease((PetscObject)matrices[b]));
    PetscCall(KSPSetOperators(t.blocks[b], matrices[b], matrices[b]));
  }
  for (KSP ksp : t.blocks)
    if (pc->setfromoptionscalled) PetscCall(KSPSetFromOptions(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether a block's matrix can have its values later: nothing else is made of them when they come.
PetscErrorCode CanWait(KSP ksp, bool* can)
{
  Mat A, P;
  PetscBool alone, viewed;
  PetscObject const object = (PetscObject)ksp;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &A, &P));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)P, &alone, MATSEQAIJ, MATSEQAIJKOKKOS, MATSEQAIJCUSPARSE,
                                      "seqaijhipsparse", MATSEQAIJPERM, ""));
  PetscCall(PetscOptionsHasName(object->options, object->prefix, "-mat_view", &viewed));
  *can = A == P && alone && !viewed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether a block begins anew, and may look at values for that.
bool BeginsAnew(Together const& t)
{
  return std::any_of(t.blocks.begin(), t.blocks.end(), [](KSP ksp) { return !ksp->pc || !ksp->pc->setupcalled; });
}

}  // namespace

PetscErrorCode KeepNewValues(PC pc, Together& t, bool* done)
{
  Mat rank_matrix, P;
  std::vector<Mat> matrices;
  bool can = t.type->disjoint && t.together && !t.shown && pc->setupcalled && pc->flag == SAME_NONZERO_PATTERN &&
             !pc->useAmat && !pc->modifysubmatrices;

  PetscFunctionBegin;
  *done = false;
  if (!can) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetRankMatrix(pc, &rank_matrix));
  if (!rank_matrix) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { matrices.reserve(t.blocks.size()); }));
  for (KSP ksp : t.blocks) {
    PetscCall(CanWait(ksp, &can));
    if (!can) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(KSPGetOperators(ksp, NULL, &P));
    matrices.push_back(P);
  }
  PetscCall(t.merged.KeepValues(rank_matrix, matrices, done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscErrorCode const code = AnnounceNewValues(pc, t, rank_matrix, matrices);
  if (code || BeginsAnew(t)) PetscCall(t.merged.WriteKept());
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinishReused(PC pc, Together& t)
{
  PetscBool reuses;
  std::vector<char> anew;

  PetscFunctionBegin;
  if (!t.decided) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetFactors(t.blocks, &t.factors));
  PetscCall(FindAnew(t, &anew));
  for (std::size_t b = 0; b < t.blocks.size(); ++b) {
    PetscObject const object = (PetscObject)t.blocks[b];
    if (!anew[b]) continue;
    PetscCall(PCGetReusePreconditioner(t.blocks[b]->pc, &reuses));
    if (t.type->sets_options_again && pc->setfromoptionscalled)
      PetscCall(PetscOptionsGetBool(object->options, object->prefix, "-ksp_reuse_preconditioner", &reuses, NULL));
    if (!reuses) continue;
    PetscCall(t.merged.WriteKept());
    PetscCall(CatchUp(t.factors[b]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
