// SPDX-License-Identifier: Apache-2.0
#include "pc_together.hpp"

#include <petsc/private/pcimpl.h>

namespace sptrsv_petsc {
namespace {

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
