// SPDX-License-Identifier: Apache-2.0
#include "pc_together.hpp"

#include <petsc/private/kspimpl.h>

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
  t.failed = true;  // until the end
  t.together = t.set_up_apart = false;
  t.obstacle.clear();
  PetscCall(GetBlocks(pc, t));
  PetscCall(AsksForOurs(t.blocks, &t.asked));
  t.asked = t.asked && t.wanted;
  if (!t.asked) {
    t.decided = true;
    t.failed = false;
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
    t.set_up_apart = !t.together;
    if (t.set_up_apart) PetscCall(SetUpApart(pc, t, anew));
  }
  t.decided = true;
  t.failed = false;
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

PetscErrorCode Prepare(PC pc, Together** t)
{
  PetscFunctionBegin;
  PetscCall(GetTogether(pc, t));
  if (!(*t)->decided) PetscCall(Decide(pc, **t));
  else if ((*t)->together) PetscCall(Check(pc, **t));
  if (!(*t)->together) PetscCall((*t)->merged.WriteKept());  // for PETSc's operations
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrepareApply(PC pc, Together** t, PetscInt columns)
{
  PetscFunctionBegin;
  PetscCall(Prepare(pc, t));
  if ((*t)->together) NoteSolves((*t)->blocks, columns);
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

}  // namespace sptrsv_petsc
