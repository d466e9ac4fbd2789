// SPDX-License-Identifier: Apache-2.0
// The PC types sor and eisenstat with the sweeps of sptrsv.
#include "relaxation/pc_relaxation.hpp"

#include "base/wrapped_pc.hpp"
#include "kokkos/guarded.hpp"
#include "relaxation/pc_sweeps.hpp"
#include "relaxation/sweep_options.hpp"

namespace sptrsv_petsc {
namespace {

/// Finds this rank's block of the matrix that the PC sweeps with; null if sptrsv has no sweeps for its type.
PetscErrorCode FindLocalMatrix(PC pc, Mat* A)
{
  PetscBool known;

  PetscFunctionBegin;
  *A = nullptr;
  if (!pc->pmat) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)pc->pmat, &known, MATSEQAIJ, MATMPIAIJ, ""));
  if (known) PetscCall(MatGetDiagonalBlock(pc->pmat, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Refuses options that ask for sweeps over a matrix of a type for which sptrsv has none.
PetscErrorCode RefuseSweeps(PC pc)
{
  SweepChoice choice;
  char const* const prefix = ((PetscObject)pc)->prefix ? ((PetscObject)pc)->prefix : "";

  PetscFunctionBegin;
  if (!pc->pmat || pc->flag != DIFFERENT_NONZERO_PATTERN) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReadSweepOptions(pc, choice));
  PetscCheck(
      !choice.asked, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
      "-%spc_sor_sptrsv, -%spc_sor_ordering: sptrsv has no sweeps over a matrix of type %s; use a matrix of type "
      "%s, or leave out these options",
      prefix, prefix, ((PetscObject)pc->pmat)->type_name, MATAIJ);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <PetscErrorCode (*get_omega)(PC, PetscReal*), SweptBy by>
PetscErrorCode Prepare(PC pc)
{
  Mat A;
  PetscReal omega;

  PetscFunctionBegin;
  PetscCall(FindLocalMatrix(pc, &A));
  if (!A) {
    PetscCall(RefuseSweeps(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(get_omega(pc, &omega));
  PetscCall(UseSweeps(pc, A, omega, by));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Select(PC pc)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(FindLocalMatrix(pc, &A));
  if (A) PetscCall(SelectSweeps(pc, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Show(PC pc, PetscViewer viewer)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(FindLocalMatrix(pc, &A));
  if (A) PetscCall(ViewSweeps(pc, A, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Refuses eisenstat of a matrix with inodes and another omega than 1: PETSc multiplies by diagonal blocks that its
/// sweeps make only for omega 1, and crashes (docs/petsc_faults.md, eisenstat_omega).
PetscErrorCode SelectEisenstat(PC pc)
{
  Mat A;
  PetscReal omega;
  PetscInt num_inodes = 0;
  PetscBool multiplies;  // up to PETSc 3.26 the opposite of what the function's name says

  PetscFunctionBegin;
  PetscCall(PCEisenstatGetOmega(pc, &omega));
  PetscCall(PCEisenstatGetNoDiagonalScaling(pc, &multiplies));
  PetscCall(FindLocalMatrix(pc, &A));
  if (A && omega != 1 && multiplies) PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));
  PetscCheck(num_inodes == 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "PETSc's eisenstat fails with omega %g and a matrix with inodes, rows with equal columns; use omega 1, or "
             "a matrix without them (-mat_no_inode)",
             (double)omega);
  if (A) PetscCall(SelectSweeps(pc, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

WrappedPc sor{PCSOR, nullptr, Prepare<PCSORGetOmega, SweptBy::sor>, Show, Select};
WrappedPc eisenstat{PCEISENSTAT, nullptr, Prepare<PCEisenstatGetOmega, SweptBy::eisenstat>, Show, SelectEisenstat};

}  // namespace

PetscErrorCode RegisterRelaxations()
{
  PetscFunctionBegin;
  PetscCall(RegisterWrapped<sor>());
  PetscCall(RegisterWrapped<eisenstat>());
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
