// SPDX-License-Identifier: Apache-2.0
// The PC types sor and eisenstat with the sweeps of sptrsv.
#include "relaxation/pc_relaxation.hpp"

#include "base/wrapped_pc.hpp"
#include "kokkos/guarded.hpp"
#include "relaxation/local_sweeps.hpp"
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
  if (!pc->pmat) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReadSweepOptions(pc, choice));
  PetscCheck(
      !choice.asked, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
      "-%spc_sor_sptrsv, -%spc_sor_ordering: sptrsv has no sweeps over a matrix of type %s; use a matrix of type "
      "%s, or leave out these options",
      prefix, prefix, ((PetscObject)pc->pmat)->type_name, MATAIJ);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <PetscErrorCode (*get_omega)(PC, PetscReal*), bool by_inodes_too>
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
  PetscCall(UseSweeps(pc, A, omega, by_inodes_too));
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

WrappedPc sor{PCSOR, nullptr, Prepare<PCSORGetOmega, true>, Show, Select};
// PCApply() of eisenstat multiplies by diagonal blocks that only PETSc's sweeps over inodes make
WrappedPc eisenstat{PCEISENSTAT, nullptr, Prepare<PCEisenstatGetOmega, false>, Show, Select};

}  // namespace

PetscErrorCode RegisterRelaxations()
{
  PetscFunctionBegin;
  PetscCall(RegisterWrapped<sor>());
  PetscCall(RegisterWrapped<eisenstat>());
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
