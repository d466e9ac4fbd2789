// SPDX-License-Identifier: Apache-2.0
// Implements SpTRSVPCShellSetTriangles(), and the operations of its PC of type shell.
#include <memory>
#include <utility>

#include "base/composed_state.hpp"
#include "kokkos/guarded.hpp"
#include "options/factor_options.hpp"
#include "shell/triangles.hpp"
#include "sptrsv_petsc.h"

namespace sptrsv_petsc {
namespace {

// Name under which the triangles are composed with the PC, which destroys them. The program can use the shell's
// context.
char const* const composed_name = "SpTRSVTriangles";

PetscErrorCode Get(PC pc, UserTriangles** all)
{
  PetscFunctionBegin;
  PetscCall(FindState((PetscObject)pc, composed_name, all));
  PetscCheck(*all, PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER,
             "PC has no triangles; call SpTRSVPCShellSetTriangles() first");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets the triangles after refreshing them: PCSetUp() alone checks the operator only.
PetscErrorCode GetCurrent(PC pc, UserTriangles** all)
{
  PetscFunctionBegin;
  PetscCall(Get(pc, all));
  PetscCall(RefreshTriangles(pc, **all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum class Part { both, both_transposed, left, right };

/// Returns the triangles for a part of M = L U, in the order of the solves: x = M^-1 b or M^-T b, or for symmetric
/// preconditioning x = L^-1 b (left) or U^-1 b (right).
TriangleOrder TrianglesFor(UserTriangles& all, Part part)
{
  switch (part) {
    case Part::both: break;
    case Part::both_transposed: return {&all.upper, &all.lower};
    case Part::left: return {&all.lower};
    case Part::right: return {&all.upper};
  }
  return {&all.lower, &all.upper};
}

/// Implements PCApply() and its variants, each of which solves with a part of M.
template <Part part>
PetscErrorCode PCApply_SpTRSV(PC pc, Vec b, Vec x)
{
  UserTriangles* all = nullptr;
  VectorAccess v;

  PetscFunctionBegin;
  PetscCall(GetCurrent(pc, &all));
  auto const order = TrianglesFor(*all, part);
  if (order.empty()) {
    PetscCall(VecCopy(b, x));
    ++all->num_solves;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(v.Get(all->backend.device, b, x, false));
  PetscCall(SolveTriangles(pc, *all, order, part == Part::both_transposed, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Implements PCMatApply() and PCMatApplyTranspose().
template <Part part>
PetscErrorCode PCMatApply_SpTRSV(PC pc, Mat B, Mat X)
{
  UserTriangles* all = nullptr;
  VectorAccess v;

  PetscFunctionBegin;
  PetscCall(GetCurrent(pc, &all));
  PetscCall(v.Get(all->backend.device, B, X));
  // at least one triangle exists
  PetscCall(SolveTriangles(pc, *all, TrianglesFor(*all, part), part == Part::both_transposed, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetUp_SpTRSV(PC pc)
{
  UserTriangles* all = nullptr;
  Mat A, P;
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(Get(pc, &all));
  PetscCall(PCGetOperators(pc, &A, &P));
  PetscCall(MatGetLocalSize(P, &rows, NULL));
  PetscCheck(rows == all->n, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_SIZ,
             "The triangles have %" PetscInt_FMT " rows, the operator has %" PetscInt_FMT
             "; give triangles of the operator's size",
             all->n, rows);
  PetscCall(RefreshTriangles(pc, *all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_SpTRSV(PC pc, PetscViewer viewer)
{
  UserTriangles* all = nullptr;

  PetscFunctionBegin;
  PetscCall(Get(pc, &all));
  PetscCall(ViewTriangles(pc, *all, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetCallbacks(PC pc)
{
  char const* name = nullptr;

  PetscFunctionBegin;
  PetscCall(PCShellSetSetUp(pc, PCSetUp_SpTRSV));
  PetscCall(PCShellSetApply(pc, PCApply_SpTRSV<Part::both>));
  PetscCall(PCShellSetApplyTranspose(pc, PCApply_SpTRSV<Part::both_transposed>));
  PetscCall(PCShellSetApplySymmetricLeft(pc, PCApply_SpTRSV<Part::left>));
  PetscCall(PCShellSetApplySymmetricRight(pc, PCApply_SpTRSV<Part::right>));
  PetscCall(PCShellSetMatApply(pc, PCMatApply_SpTRSV<Part::both>));
  PetscCall(ShellSetMatApplyTranspose(pc, PCMatApply_SpTRSV<Part::both_transposed>));
  PetscCall(PCShellSetView(pc, PCView_SpTRSV));
  PetscCall(PCShellGetName(pc, &name));
  if (!name) PetscCall(PCShellSetName(pc, "triangles of the program"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets the algorithm and the triangles of `all`.
PetscErrorCode Fill(PC pc, UserTriangles& all, Mat L, PetscBool unit_L, Mat U, PetscBool unit_U, char const* algorithm)
{
  PetscInt rows_L, rows_U;

  PetscFunctionBegin;
  PetscCall(Guarded(pc, [&] { all.asked = algorithm; }));
  PetscCall(SetTriangle(pc, all.lower, L, unit_L));
  PetscCall(SetTriangle(pc, all.upper, U, unit_U));
  PetscCall(MatGetSize(L ? L : U, &rows_L, NULL));
  PetscCall(MatGetSize(U ? U : L, &rows_U, NULL));
  PetscCheck(rows_L == rows_U, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_SIZ,
             "L has %" PetscInt_FMT " rows and U has %" PetscInt_FMT "; give triangles of one size", rows_L, rows_U);
  all.n = rows_L;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace
}  // namespace sptrsv_petsc

PetscErrorCode SpTRSVPCShellSetTriangles(PC pc, Mat L, PetscBool unit_L, Mat U, PetscBool unit_U,
                                         const char algorithm[])
{
  using namespace sptrsv_petsc;
  PetscBool shell;
  PetscMPIInt size;
  std::unique_ptr<UserTriangles> all;

  PetscFunctionBegin;
  PetscCall(SpTRSVRegister());  // registers the events, and checks that this is the PETSc of the build
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  if (L) PetscValidHeaderSpecific(L, MAT_CLASSID, 2);
  if (U) PetscValidHeaderSpecific(U, MAT_CLASSID, 4);
  MPI_Comm const comm = PetscObjectComm((PetscObject)pc);
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSHELL, &shell));
  PetscCheck(shell, comm, PETSC_ERR_ARG_WRONG, "PC is of type %s; call PCSetType(pc, PCSHELL) first",
             ((PetscObject)pc)->type_name ? ((PetscObject)pc)->type_name : "not set");
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCheck(size == 1, comm, PETSC_ERR_SUP,
             "PC works on %d processes, triangles on one; use PCBJACOBI or PCASM and give each block's PC its own",
             (int)size);
  PetscCheck(L || U, comm, PETSC_ERR_ARG_WRONG, "Both triangles are NULL; give L, U or both");
  if (!algorithm) algorithm = "sptrsv";
  PetscCall(CheckAlgorithm((PetscObject)pc, "The algorithm", algorithm));

  PetscCall(Guarded(pc, [&] { all = std::make_unique<UserTriangles>(); }));
  PetscCall(Fill(pc, *all, L, unit_L, U, unit_U, algorithm));
  PetscCall(ComposeState((PetscObject)pc, composed_name, std::move(all)));
  PetscCall(SetCallbacks(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
