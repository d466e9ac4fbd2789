// SPDX-License-Identifier: Apache-2.0
// PC type bjacobi: PETSc's own operations, and beside them those of several blocks together.
#include "pc_bjacobi.hpp"

#include "guarded.hpp"
#include "merged_factor.hpp"
#include "pc_blocks.hpp"
#include "pc_together.hpp"

namespace sptrsv_petsc {
namespace {

PetscErrorCode (*CreatePetscs)(PC) = nullptr;

/// One solve(F, b, x) with the merged factor, logged as MatSolve() logs itself.
template <class Solve>
PetscErrorCode LoggedApply(Together const& t, PetscLogEvent event, Solve const& solve)
{
  Mat const F = t.merged.factor();

  PetscFunctionBegin;
  PetscCall(Logged(event, (PetscObject)F, [&] { return solve(F); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_BJacobi_SPTRSV(PC pc, Vec b, Vec x)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(PrepareApply(pc, &t));
  if (t->together) PetscCall(LoggedApply(*t, MAT_Solve, [&](Mat F) { return F->ops->solve(F, b, x); }));
  else PetscCall(t->petsc.apply(pc, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApplyTranspose_BJacobi_SPTRSV(PC pc, Vec b, Vec x)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(PrepareApply(pc, &t));
  if (t->together)
    PetscCall(LoggedApply(*t, MAT_SolveTranspose, [&](Mat F) { return F->ops->solvetranspose(F, b, x); }));
  else PetscCall(t->petsc.applytranspose(pc, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc's operation of blocks whose factor has none.
PetscErrorCode ByPetsc(Together& t, PetscErrorCode (*operation)(PC, Vec, Vec), PC pc, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(t.merged.WriteKept());
  PetscCall(operation(pc, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApplySymmetricLeft_BJacobi_SPTRSV(PC pc, Vec b, Vec x)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(PrepareApply(pc, &t));
  if (t->together && t->merged.factor()->ops->forwardsolve)
    PetscCall(LoggedApply(*t, MAT_ForwardSolve, [&](Mat F) { return F->ops->forwardsolve(F, b, x); }));
  else PetscCall(ByPetsc(*t, t->petsc.applysymmetricleft, pc, b, x));  // of LU: an error of PETSc's
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApplySymmetricRight_BJacobi_SPTRSV(PC pc, Vec b, Vec x)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(PrepareApply(pc, &t));
  if (t->together && t->merged.factor()->ops->backwardsolve)
    PetscCall(LoggedApply(*t, MAT_BackwardSolve, [&](Mat F) { return F->ops->backwardsolve(F, b, x); }));
  else PetscCall(ByPetsc(*t, t->petsc.applysymmetricright, pc, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Where PETSc has no solve of several right-hand sides: column by column, as its PCMatApply() does.
PetscErrorCode ApplyToColumns(PC pc, Mat B, Mat X, PetscErrorCode (*apply)(PC, Vec, Vec))
{
  PetscInt columns;
  Vec b, x;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &columns));
  for (PetscInt k = 0; k < columns; ++k) {
    PetscCall(MatDenseGetColumnVecRead(B, k, &b));
    PetscCall(MatDenseGetColumnVecWrite(X, k, &x));
    PetscCall(apply(pc, b, x));
    PetscCall(MatDenseRestoreColumnVecWrite(X, k, &x));
    PetscCall(MatDenseRestoreColumnVecRead(B, k, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCMatApply_BJacobi_SPTRSV(PC pc, Mat B, Mat X)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(PrepareApply(pc, &t));
  if (t->together) PetscCall(LoggedApply(*t, MAT_MatSolve, [&](Mat F) { return F->ops->matsolve(F, B, X); }));
  else if (t->petsc.matapply) PetscCall(t->petsc.matapply(pc, B, X));
  else PetscCall(ApplyToColumns(pc, B, X, t->petsc.apply));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(SPTRSV_PETSC_MAT_APPLY_TRANSPOSE)
PetscErrorCode PCMatApplyTranspose_BJacobi_SPTRSV(PC pc, Mat B, Mat X)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(PrepareApply(pc, &t));
  if (t->together) PetscCall(LoggedApply(*t, MAT_MatSolve, [&](Mat F) { return F->ops->matsolvetranspose(F, B, X); }));
  else if (t->petsc.matapplytranspose) PetscCall(t->petsc.matapplytranspose(pc, B, X));
  else PetscCall(ApplyToColumns(pc, B, X, t->petsc.applytranspose));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode PCSetUpOnBlocks_BJacobi_SPTRSV(PC pc)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(PrepareApply(pc, &t));
  if (!t->together) PetscCall(t->petsc.setuponblocks(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetUp_BJacobi_SPTRSV(PC);
PetscErrorCode PCReset_BJacobi_SPTRSV(PC);
PetscErrorCode PCDestroy_BJacobi_SPTRSV(PC);
PetscErrorCode PCView_BJacobi_SPTRSV(PC, PetscViewer);
PetscErrorCode PCSetFromOptions_BJacobi_SPTRSV(PC, OptionItems);

/// Puts our operation where PETSc has put its own since `before`, which is kept. What others put there stays: they call
/// ours.
template <class Operation>
void Wrap(Operation before, Operation& now, Operation& kept, Operation ours)
{
  if (now == before || now == ours) return;
  kept = now;
  now = ours;
}

/// PETSc sets its operations when the PC is created, and again in the first set-up.
/// @param before  the operations before that
/// @param all     those of solves, too
void WrapAll(PC pc, Together& t, _PCOps const& before, bool all)
{
  _PCOps *const now = pc->ops, &kept = t.petsc;
  Wrap(before.setup, now->setup, kept.setup, PCSetUp_BJacobi_SPTRSV);
  Wrap(before.reset, now->reset, kept.reset, PCReset_BJacobi_SPTRSV);
  Wrap(before.destroy, now->destroy, kept.destroy, PCDestroy_BJacobi_SPTRSV);
  Wrap(before.view, now->view, kept.view, PCView_BJacobi_SPTRSV);
  Wrap(before.setfromoptions, now->setfromoptions, kept.setfromoptions, PCSetFromOptions_BJacobi_SPTRSV);
  if (!all) return;
  Wrap(before.apply, now->apply, kept.apply, PCApply_BJacobi_SPTRSV);
  Wrap(before.applytranspose, now->applytranspose, kept.applytranspose, PCApplyTranspose_BJacobi_SPTRSV);
  Wrap(before.applysymmetricleft, now->applysymmetricleft, kept.applysymmetricleft,
       PCApplySymmetricLeft_BJacobi_SPTRSV);
  Wrap(before.applysymmetricright, now->applysymmetricright, kept.applysymmetricright,
       PCApplySymmetricRight_BJacobi_SPTRSV);
  Wrap(before.setuponblocks, now->setuponblocks, kept.setuponblocks, PCSetUpOnBlocks_BJacobi_SPTRSV);
  // PETSc may have none of these
  if (now->apply != PCApply_BJacobi_SPTRSV || now->matapply == PCMatApply_BJacobi_SPTRSV) return;
  kept.matapply = now->matapply;
  now->matapply = PCMatApply_BJacobi_SPTRSV;
#if defined(SPTRSV_PETSC_MAT_APPLY_TRANSPOSE)
  kept.matapplytranspose = now->matapplytranspose;
  now->matapplytranspose = PCMatApplyTranspose_BJacobi_SPTRSV;
#endif
}

/// Solves become ours where PETSc sets their operations, in the first set-up, if the option has asked for it by then.
PetscErrorCode PCSetUp_BJacobi_SPTRSV(PC pc)
{
  Together* t;
  PetscInt blocks;
  bool kept;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  PetscCall(KeepNewValues(pc, *t, &kept));
  t->decided = t->together = false;
  if (kept) PetscFunctionReturn(PETSC_SUCCESS);
  t->merged.ForgetKept();
  _PCOps const before = *pc->ops;
  PetscCall(t->petsc.setup(pc));
  PetscCall(PCBJacobiGetLocalBlocks(pc, &blocks, NULL));
  WrapAll(pc, *t, before, t->wanted && blocks > 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCReset_BJacobi_SPTRSV(PC pc)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  t->decided = t->together = false;
  t->merged.ForgetKept();
  PetscCall(t->merged.Reset());
  if (t->petsc.reset) PetscCall(t->petsc.reset(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCDestroy_BJacobi_SPTRSV(PC pc)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  auto const destroy = t->petsc.destroy;
  t->merged.ForgetKept();
  PetscCall(t->merged.Reset());
  PetscCall(RemoveTogether(pc));
  PetscCall(destroy(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_BJacobi_SPTRSV(PC pc, PetscViewer viewer)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  PetscCall(t->merged.WriteKept());  // a view may print the blocks' matrices
  PetscCall(t->petsc.view(pc, viewer));
  PetscCall(ViewTogether(pc, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_BJacobi_SPTRSV(PC pc, OptionItems PetscOptionsObject)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  PetscCall(t->petsc.setfromoptions(pc, PetscOptionsObject));
  PetscOptionsHeadBegin(PetscOptionsObject, "Block Jacobi by sptrsv");
  PetscCall(PetscOptionsBool(&together_option[0], "Solve a rank's blocks together, if sptrsv factors them", "PCBJACOBI",
                             t->wanted, &t->wanted, NULL));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCreate_BJacobi_SPTRSV(PC pc)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(CreatePetscs(pc));
  PetscCall(AddTogether(pc, &t));
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, "PCBJacobiGetSubKSP_C", &t->get_blocks));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCBJacobiGetSubKSP_C", ShowBlocks));
  WrapAll(pc, *t, _PCOps{}, false);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode RegisterBJacobi()
{
  PetscErrorCode (*create)(PC) = nullptr;

  PetscFunctionBegin;
  PetscCall(PCInitializePackage());
  PetscCall(PetscFunctionListFind(PCList, PCBJACOBI, &create));
  if (!create || create == PCCreate_BJacobi_SPTRSV) PetscFunctionReturn(PETSC_SUCCESS);
  CreatePetscs = create;
  PetscCall(PCRegister(PCBJACOBI, PCCreate_BJacobi_SPTRSV));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
