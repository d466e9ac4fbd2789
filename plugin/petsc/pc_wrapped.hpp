// SPDX-License-Identifier: Apache-2.0
// PETSc's PC types with several blocks on a rank, registered anew: their own operations, but that blocks which are
// factored by types of this plugin can be solved by one factor (docs/clusters.md).
#pragma once

#include "guarded.hpp"
#include "pc_together.hpp"

namespace sptrsv_petsc {

PetscErrorCode RegisterBJacobi();
PetscErrorCode RegisterASM();

/// Registers `create` for a PC type. @param petscs  out: what was registered before
PetscErrorCode RegisterWrapped(PCType type, PetscErrorCode (*create)(PC), PetscErrorCode (**petscs)(PC));
/// Puts our operations around those of a PC that PETSc has just created; those of solves follow in its set-up.
PetscErrorCode WrapPC(PC pc, BlockType const& type);

PetscErrorCode PCSetUpOnBlocks_SPTRSV(PC pc);

/// Puts our operation where PETSc has put its own since `before`, which is kept. What others put there stays: they call
/// ours.
template <class Operation>
void Wrap(Operation before, Operation& now, Operation& kept, Operation ours)
{
  if (now == before || now == ours) return;
  kept = now;
  now = ours;
}

/// PETSc's operation of blocks whose factor has none.
inline PetscErrorCode ByPetsc(Together& t, PetscErrorCode (*operation)(PC, Vec, Vec), PC pc, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(t.merged.WriteKept());
  PetscCall(operation(pc, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One solve(F, b, x) with the merged factor, logged as MatSolve() logs itself.
template <class Solve>
PetscErrorCode LoggedApply(Together const& t, PetscLogEvent event, Solve const& solve)
{
  Mat const F = t.merged.factor();

  PetscFunctionBegin;
  PetscCall(Logged(event, (PetscObject)F, [&] { return solve(F); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
