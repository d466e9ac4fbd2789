// SPDX-License-Identifier: Apache-2.0
// The PC types sor and eisenstat with the sweeps of sptrsv.
#include "relaxation/pc_relaxation.hpp"

#include "base/wrapped_pc.hpp"
#include "kokkos/guarded.hpp"
#include "options/factor_options.hpp"
#include "relaxation/pc_sweeps.hpp"
#include "relaxation/sweep_options.hpp"

namespace sptrsv_petsc {
namespace {

/// Finds this rank's diagonal block of the PC's matrix; null if sptrsv has no sweeps for the matrix' type.
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

/// Refuses options that ask for sweeps by sptrsv, which has none for the matrix' type.
PetscErrorCode RefuseSweeps(PC pc)
{
  auto const object = (PetscObject)pc;
  SweepOptions given;
  SweepChoice choice;
  char const* const prefix = object->prefix ? object->prefix : "";

  PetscFunctionBegin;
  PetscCall(ReadGiven(object, given));
  if (!pc->pmat || (given.sptrsv.empty() && given.ordering.empty())) PetscFunctionReturn(PETSC_SUCCESS);
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

/// PETSc's own product with the matrix that eisenstat gives to the KSP; null before its first use.
PetscErrorCode (*native_mult)(Mat, Vec, Vec) = nullptr;

/// Multiplies by the matrix that eisenstat gives to the KSP; the product calls MatSOR(). First selects the sweeps of
/// the matrix' PC, since the program may have applied another PC of the same matrix in the meantime.
PetscErrorCode MultiplyForKsp(Mat shell, Vec x, Vec y)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(shell, &pc));
  PetscCall(Select(pc));
  PetscCall(native_mult(shell, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the product with eisenstat's matrix select the PC's sweeps. Between PCPreSolve() and PCPostSolve(), that
/// matrix is the PC's operator, and its context is the PC.
PetscErrorCode WrapProduct(PC pc)
{
  PetscBool is_shell;
  void* context = nullptr;
  void (*mult)(void);

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc->mat, MATSHELL, &is_shell));
  if (is_shell) PetscCall(MatShellGetContext(pc->mat, &context));
  if (context != pc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatShellGetOperation(pc->mat, MATOP_MULT, &mult));
  if (mult == (void (*)(void))MultiplyForKsp) PetscFunctionReturn(PETSC_SUCCESS);
  native_mult = (PetscErrorCode (*)(Mat, Vec, Vec))mult;
  PetscCall(MatShellSetOperation(pc->mat, MATOP_MULT, (void (*)(void))MultiplyForKsp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Selects the PC's sweeps. Refuses eisenstat if the matrix has inodes and omega is not 1: PETSc would multiply by
/// diagonal blocks that its sweeps make only for omega 1, and crash (docs/dev/petsc_faults.md, eisenstat_omega).
PetscErrorCode SelectEisenstat(PC pc)
{
  Mat A;
  PetscReal omega;
  PetscInt num_inodes = 0;
  PetscBool multiplies;  // up to PETSc 3.26 the opposite of what the function's name says

  PetscFunctionBegin;
  PetscCall(PCEisenstatGetOmega(pc, &omega));
  if (omega != 1) {
    PetscCall(PCEisenstatGetNoDiagonalScaling(pc, &multiplies));
    PetscCall(FindLocalMatrix(pc, &A));
    if (A && multiplies) PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));
  }
  PetscCheck(num_inodes == 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "PETSc's eisenstat fails with omega %g and a matrix with inodes, rows with equal columns; use omega 1, or "
             "a matrix without them (-mat_no_inode)",
             (double)omega);
  PetscCall(Select(pc));
  PetscCall(WrapProduct(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

WrappedPc sor{PCSOR, nullptr, Prepare<PCSORGetOmega, SweptBy::sor>, Show, Select, ReleaseSweeps};
WrappedPc eisenstat{PCEISENSTAT, nullptr,         Prepare<PCEisenstatGetOmega, SweptBy::eisenstat>,
                    Show,        SelectEisenstat, ReleaseSweeps};

}  // namespace

PetscErrorCode RegisterRelaxations()
{
  PetscFunctionBegin;
  PetscCall(RegisterWrapped<sor>());
  PetscCall(RegisterWrapped<eisenstat>());
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
