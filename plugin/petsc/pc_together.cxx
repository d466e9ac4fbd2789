// SPDX-License-Identifier: Apache-2.0
#include "pc_together.hpp"

#include <petsc/private/kspimpl.h>

#include <algorithm>
#include <cstdint>

#include "factor_state.hpp"
#include "guarded.hpp"
#include "pc_blocks.hpp"

namespace sptrsv_petsc {
namespace {

/// A name that another copy of the plugin in the process does not have.
std::string const& Key()
{
  static std::string const key = "SpTRSV_Together_" + std::to_string((std::uintptr_t)&Key);
  return key;
}

PetscErrorCode DestroyTogether(void* t)
{
  PetscFunctionBegin;
  delete static_cast<Together*>(t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The KSPs of this rank's blocks.
PetscErrorCode GetBlocks(PC pc, Together& t)
{
  PetscInt n;
  KSP* ksp;

  PetscFunctionBegin;
  PetscCall(t.get_blocks(pc, &n, NULL, &ksp));
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { t.blocks.assign(ksp, ksp + n); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc's set-up of the blocks, with the phases of factors waiting.
PetscErrorCode SetUpPostponed(PC pc, Together const& t)
{
  std::vector<Mat> matrices;
  Mat P;

  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { matrices.reserve(t.blocks.size()); }));
  for (KSP ksp : t.blocks) {
    PetscCall(KSPGetOperators(ksp, NULL, &P));
    matrices.push_back(P);
    PetscCall(PetscObjectReference((PetscObject)P));
    PetscCall(MarkPostponed(P, PETSC_TRUE));
  }
  PetscErrorCode const code = t.petsc.setuponblocks(pc);
  for (Mat& A : matrices) {
    PetscCall(MarkPostponed(A, PETSC_FALSE));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets up blocks once more, each with a factor of its own, which reports its pivots as PETSc does: those that this
/// set-up has asked for a factor, whether or not they are to reuse it later. Others keep the one that they have.
PetscErrorCode SetUpApart(PC pc, Together const& t, std::vector<char> const& anew)
{
  Mat A, P;
  PetscBool reuse;
  std::vector<char> reuses(t.blocks.size(), false);

  PetscFunctionBegin;
  for (std::size_t b = 0; b < t.blocks.size(); ++b) {
    KSP const ksp = t.blocks[b];
    PetscCall(PCGetReusePreconditioner(ksp->pc, &reuse));
    reuses[b] = (bool)reuse;
    if (!anew[b]) continue;
    PetscCall(KSPGetOperators(ksp, &A, &P));
    PetscCall(PetscObjectStateIncrease((PetscObject)P));
    PetscCall(KSPSetOperators(ksp, A, P));
    PetscCall(PCSetReusePreconditioner(ksp->pc, PETSC_FALSE));
  }
  PetscErrorCode const code = t.petsc.setuponblocks(pc);
  for (std::size_t b = 0; b < t.blocks.size(); ++b)
    PetscCall(PCSetReusePreconditioner(t.blocks[b]->pc, reuses[b] ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Which factors wait for the values that the blocks have now.
PetscErrorCode FindAnew(Together const& t, std::vector<char>* anew)
{
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { anew->assign(t.blocks.size(), false); }));
  for (std::size_t b = 0; b < t.blocks.size(); ++b) {
    Mat_SpTRSV const* f = GetIfOurs(t.factors[b]);
    if (!f || !f->postponed.numeric) continue;
    PetscCall(PetscObjectStateGet((PetscObject)f->postponed.matrix, &state));
    (*anew)[b] = state == f->postponed.state;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode InfoOf(PC pc, Together const& t)
{
  auto const n = (int)t.blocks.size();

  PetscFunctionBegin;
  if (t.together) PetscCall(PetscInfo(pc, "%d blocks are solved together by sptrsv\n", n));
  else PetscCall(PetscInfo(pc, "%d blocks are solved one after the other: %s\n", n, t.obstacle.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Decide(PC pc, Together& t)
{
  std::vector<char> anew;

  PetscFunctionBegin;
  t.together = false;
  t.obstacle.clear();
  PetscCall(GetBlocks(pc, t));
  PetscCall(AsksForOurs(t.blocks, &t.asked));
  t.asked = t.asked && t.wanted;
  if (!t.asked) {
    t.decided = true;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CheckSolves(t.blocks, &t.obstacle));
  if (t.obstacle.empty()) PetscCall(CheckOptions(t.blocks, &t.obstacle));
  if (t.obstacle.empty()) {
    PetscCall(SetUpPostponed(pc, t));
    PetscCall(GetFactors(t.blocks, &t.factors));
    PetscCall(FindAnew(t, &anew));
    PetscCall(t.merged.Factor(t.factors, &t.obstacle));
    t.together = t.obstacle.empty();
    if (!t.together) PetscCall(SetUpApart(pc, t, anew));
  }
  t.decided = true;
  PetscCall(InfoOf(pc, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A program may have changed the KSPs of blocks, or their matrices.
PetscErrorCode Check(PC pc, Together& t)
{
  PetscFunctionBegin;
  PetscCall(CheckSolves(t.blocks, &t.obstacle));
  if (t.obstacle.empty()) {
    PetscCall(SetUpForSolve(t.blocks));
    PetscCall(GetFactors(t.blocks, &t.factors));
    if (!t.merged.Holds(t.factors))
      PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { t.obstacle = "a block was set up anew by itself"; }));
  }
  t.together = t.obstacle.empty();
  if (!t.together) PetscCall(InfoOf(pc, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

/// This rank's part of the view.
struct Summary {
  PetscInt asked = 0, together = 0, fewest = PETSC_MAX_INT, most = 0;
  PetscMPIInt first_apart = 0;  // rank
};

PetscErrorCode Summarize(PC pc, Together const& t, Summary* all)
{
  MPI_Comm const comm = PetscObjectComm((PetscObject)pc);
  PetscMPIInt rank, size;
  bool const asked = t.decided && t.asked;
  auto const n = asked ? (PetscInt)t.blocks.size() : 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscInt const sums[2] = {asked, asked && t.together}, most[2] = {n, asked ? -n : -PETSC_MAX_INT};
  PetscInt all_sums[2], all_most[2];
  PetscMPIInt const apart = asked && !t.together ? rank : size;
  PetscCallMPI(MPI_Allreduce(sums, all_sums, 2, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(most, all_most, 2, MPIU_INT, MPI_MAX, comm));
  PetscCallMPI(MPI_Allreduce(&apart, &all->first_apart, 1, MPI_INT, MPI_MIN, comm));
  all->asked = all_sums[0];
  all->together = all_sums[1];
  all->most = all_most[0];
  all->fewest = -all_most[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Rank 0's factor, as PETSc shows rank 0's first block.
PetscErrorCode ViewMerged(PC pc, PetscViewer viewer, Together const& t)
{
  PetscViewer own;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)pc), &rank));
  PetscCall(PetscViewerGetSubViewer(viewer, PETSC_COMM_SELF, &own));
  if (rank == 0 && t.together) {
    PetscCall(PetscViewerASCIIPushTab(own));
    PetscCall(PetscViewerPushFormat(own, PETSC_VIEWER_ASCII_INFO));
    PetscCall(MatView(t.merged.factor(), own));
    PetscCall(PetscViewerPopFormat(own));
    PetscCall(PetscViewerASCIIPopTab(own));
  }
  PetscCall(PetscViewerFlush(own));
  PetscCall(PetscViewerRestoreSubViewer(viewer, PETSC_COMM_SELF, &own));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerASCIIPopSynchronized(viewer));  // one of the two that PetscViewerGetSubViewer() pushes
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode Overlap::Reset()
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecScatterDestroy(&all));
  PetscCall(VecScatterDestroy(&inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AddTogether(PC pc, BlockType const& type, Together** t)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { *t = new Together; }));
  (*t)->type = &type;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, *t));
  PetscCall(ContainerSetDestroy<DestroyTogether>(container));
  PetscCall(PetscObjectCompose((PetscObject)pc, Key().c_str(), (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetTogether(PC pc, Together** t)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)pc, Key().c_str(), (PetscObject*)&container));
  PetscCheck(container, PetscObjectComm((PetscObject)pc), PETSC_ERR_PLIB, "The PC has lost what sptrsv keeps with it");
  PetscCall(PetscContainerGetPointer(container, (void**)t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RemoveTogether(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose((PetscObject)pc, Key().c_str(), NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Prepare(PC pc, Together** t)
{
  PetscFunctionBegin;
  PetscCall(GetTogether(pc, t));
  if (!(*t)->decided) PetscCall(Decide(pc, **t));
  else if ((*t)->together) PetscCall(Check(pc, **t));
  if (!(*t)->together) PetscCall((*t)->merged.WriteKept());  // for PETSc's operations
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrepareApply(PC pc, Together** t)
{
  PetscFunctionBegin;
  PetscCall(Prepare(pc, t));
  if ((*t)->together) NoteSolve((*t)->blocks);
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

PetscErrorCode ShowBlocks(PC pc, PetscInt* num_local, PetscInt* first, KSP** blocks)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  PetscCall(t->merged.WriteKept());
  PetscCall(t->get_blocks(pc, num_local, first, blocks));
  t->shown = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewTogether(PC pc, PetscViewer viewer)
{
  Together* t;
  PetscBool ascii;
  Summary all;
  char obstacle[256] = "";
  MPI_Comm const comm = PetscObjectComm((PetscObject)pc);
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Summarize(pc, *t, &all));
  if (!all.asked) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (all.first_apart < size) {
    if (rank == all.first_apart) PetscCall(PetscStrncpy(obstacle, t->obstacle.c_str(), sizeof obstacle));
    PetscCallMPI(MPI_Bcast(obstacle, (int)sizeof obstacle, MPI_CHAR, all.first_apart, comm));
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  blocks are solved one after the other on %" PetscInt_FMT " of %" PetscInt_FMT
                                     " ranks with several, first on rank %d: %s\n",
                                     all.asked - all.together, all.asked, (int)all.first_apart, obstacle));
  }
  if (!all.together) PetscFunctionReturn(PETSC_SUCCESS);
  char fewest[32] = "";
  if (all.fewest < all.most) PetscCall(PetscSNPrintf(fewest, sizeof fewest, "%" PetscInt_FMT " to ", all.fewest));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  %s%" PetscInt_FMT " blocks of a rank are solved together by sptrsv; their factor on rank 0:\n", fewest,
      all.most));
  PetscCall(ViewMerged(pc, viewer, *t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
