// SPDX-License-Identifier: Apache-2.0
#include "pc_together.hpp"

#include "backend_choice.hpp"
#include "guarded.hpp"
#include "pc_blocks.hpp"

namespace sptrsv_petsc {
namespace {

constexpr char key[] = "SpTRSV_Together";

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

/// The rank's rows and columns of the matrix that is factored, or null where they are not at hand.
PetscErrorCode LocalMatrix(PC pc, Mat* local)
{
  PetscBool parallel, aij;
  PetscMPIInt size;

  PetscFunctionBegin;
  *local = pc->pmat;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &size));
  PetscCall(MatHasOperation(pc->pmat, MATOP_GET_DIAGONAL_BLOCK, &parallel));
  if (parallel) PetscCall(MatGetDiagonalBlock(pc->pmat, local));
  else if (size > 1) *local = nullptr;
  if (!*local) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)*local, MATSEQAIJ, &aij));
  if (!aij) *local = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What PETSc's set-up does with blocks that have new values, but for the values.
PetscErrorCode RenewBlocks(PC pc, Together const& t)
{
  Mat A, P;

  PetscFunctionBegin;
  for (KSP ksp : t.blocks) {
    PetscCall(KSPGetOperators(ksp, &A, &P));
    PetscCall(PetscObjectStateIncrease((PetscObject)P));
    PetscCall(KSPSetOperators(ksp, A, P));
    if (pc->setfromoptionscalled) PetscCall(KSPSetFromOptions(ksp));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Copies to the blocks' matrices the values that they lack.
PetscErrorCode FetchValues(PC pc, Together& t)
{
  PetscObjectState pattern;

  PetscFunctionBegin;
  if (!t.stale) PetscFunctionReturn(PETSC_SUCCESS);
  t.stale = false;
  PetscCall(MatGetNonzeroState(pc->pmat, &pattern));
  MatStructure const flag = pc->flag;
  pc->flag = pattern == t.pattern_state ? SAME_NONZERO_PATTERN : DIFFERENT_NONZERO_PATTERN;
  PetscErrorCode const code = t.petsc.setup(pc);
  pc->flag = flag;
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// For the program: its KSPs are as after PETSc's set-up, and what has been merged stays so. Where the matrix has
/// changed since the set-up, they are those of the matrix as it is.
PetscErrorCode PCBJacobiGetSubKSP_BJacobi_SPTRSV(PC pc, PetscInt* n, PetscInt* first, KSP** ksp)
{
  Together* t;
  PetscObjectState values;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  PetscCall(t->get_blocks(pc, n, first, ksp));
  t->taken = true;
  if (!t->stale) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FetchValues(pc, *t));
  PetscCall(PetscObjectStateGet((PetscObject)pc->pmat, &values));
  if (values != t->values_state) t->decided = t->together = false;
  if (!t->together) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SetUpPostponed(pc, *t));
  PetscCall(GetFactors(t->blocks, &t->factors));
  PetscCall(t->merged.Keep(t->factors));
  MarkSolved(t->blocks);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// So that the next set-up of blocks factors each of them, and reports its pivots, as PETSc does.
PetscErrorCode RequireOwnFactors(Together const& t)
{
  Mat A, P;

  PetscFunctionBegin;
  for (KSP ksp : t.blocks) {
    PetscCall(KSPGetOperators(ksp, &A, &P));
    PetscCall(PetscObjectStateIncrease((PetscObject)P));
    PetscCall(KSPSetOperators(ksp, A, P));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// On a host blocks lose by it what they gain from caches one after the other (docs/clusters.md).
PetscErrorCode CheckWanted(Together& t)
{
  Backend backend;
  Mat P;

  PetscFunctionBegin;
  if (t.wanted_set) {
    if (!t.wanted)
      PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { t.obstacle = std::string(together_option) + " is false"; }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(KSPGetOperators(t.blocks.front(), NULL, &P));
  PetscCall(ChooseBackend((PetscObject)t.blocks.front(), P, backend));
  if (!backend.device)
    PetscCall(GuardedOn(PETSC_COMM_SELF, [&] {
      t.obstacle = "their solves run on the host (" + std::string(together_option) + " asks for it there)";
    }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Decide(PC pc, Together& t)
{
  Mat values = nullptr;

  PetscFunctionBegin;
  t.together = false;
  t.obstacle.clear();
  PetscCall(GetBlocks(pc, t));
  t.decided = true;
  PetscCall(AsksForOurs(t.blocks, &t.asked));
  if (!t.asked) {
    PetscCall(FetchValues(pc, t));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CheckWanted(t));
  if (t.obstacle.empty()) PetscCall(CheckSolves(t.blocks, &t.obstacle));
  if (t.obstacle.empty()) PetscCall(CheckOptions(t.blocks, &t.obstacle));
  bool const postponed = t.obstacle.empty();
  if (postponed) {
    PetscCall(SetUpPostponed(pc, t));
    PetscCall(GetFactors(t.blocks, &t.factors));
    if (t.stale) PetscCall(LocalMatrix(pc, &values));
    if (t.stale && !(values && t.merged.knows(t.factors))) {  // options have changed the symbolic phase
      values = nullptr;
      PetscCall(FetchValues(pc, t));
      PetscCall(SetUpPostponed(pc, t));
      PetscCall(GetFactors(t.blocks, &t.factors));
    }
    PetscCall(t.merged.Factor(t.factors, values, &t.obstacle));
    t.together = t.obstacle.empty();
  }
  if (!t.together) {
    PetscCall(FetchValues(pc, t));
    if (postponed) PetscCall(RequireOwnFactors(t));
  }
  if (t.together) PetscCall(PetscInfo(pc, "%d blocks are solved together by sptrsv\n", (int)t.blocks.size()));
  else
    PetscCall(
        PetscInfo(pc, "%d blocks are solved one after the other: %s\n", (int)t.blocks.size(), t.obstacle.c_str()));
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
  if (t.together) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FetchValues(pc, t));
  PetscCall(PetscInfo(pc, "%d blocks are solved one after the other: %s\n", (int)t.blocks.size(), t.obstacle.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
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

PetscErrorCode AddTogether(PC pc, Together** t)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { *t = new Together; }));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, *t));
  PetscCall(ContainerSetDestroy<DestroyTogether>(container));
  PetscCall(PetscObjectCompose((PetscObject)pc, key, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, "PCBJacobiGetSubKSP_C", &(*t)->get_blocks));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCBJacobiGetSubKSP_C", PCBJacobiGetSubKSP_BJacobi_SPTRSV));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetTogether(PC pc, Together** t)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)pc, key, (PetscObject*)&container));
  PetscCheck(container, PetscObjectComm((PetscObject)pc), PETSC_ERR_PLIB, "The PC has lost what sptrsv keeps with it");
  PetscCall(PetscContainerGetPointer(container, (void**)t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RemoveTogether(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose((PetscObject)pc, key, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetUpTogether(PC pc, Together& t)
{
  Mat local = nullptr;
  bool const values_alone = t.together && pc->setupcalled && pc->flag == SAME_NONZERO_PATTERN;

  PetscFunctionBegin;
  if (values_alone && t.merged.factors_by_itself() && !t.taken && !pc->modifysubmatrices)
    PetscCall(LocalMatrix(pc, &local));
  t.decided = t.together = false;
  t.stale = local != nullptr;
  PetscCall(PetscObjectStateGet((PetscObject)pc->pmat, &t.values_state));
  PetscCall(MatGetNonzeroState(pc->pmat, &t.pattern_state));
  PetscCall(local ? RenewBlocks(pc, t) : t.petsc.setup(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrepareApply(PC pc, Together** t)
{
  PetscFunctionBegin;
  PetscCall(GetTogether(pc, t));
  if (!(*t)->decided) PetscCall(Decide(pc, **t));
  else if ((*t)->together) PetscCall(Check(pc, **t));
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
