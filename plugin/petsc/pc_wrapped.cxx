// SPDX-License-Identifier: Apache-2.0
#include "pc_wrapped.hpp"

namespace sptrsv_petsc {
namespace {

PetscErrorCode PCSetUp_SPTRSV(PC);
PetscErrorCode PCReset_SPTRSV(PC);
PetscErrorCode PCDestroy_SPTRSV(PC);
PetscErrorCode PCView_SPTRSV(PC, PetscViewer);
PetscErrorCode PCSetFromOptions_SPTRSV(PC, OptionItems);

/// PETSc sets these operations when the PC is created, and some again in the first set-up.
void WrapAllButSolves(PC pc, Together& t, _PCOps const& before)
{
  _PCOps *const now = pc->ops, &kept = t.petsc;
  Wrap(before.setup, now->setup, kept.setup, PCSetUp_SPTRSV);
  Wrap(before.reset, now->reset, kept.reset, PCReset_SPTRSV);
  Wrap(before.destroy, now->destroy, kept.destroy, PCDestroy_SPTRSV);
  Wrap(before.view, now->view, kept.view, PCView_SPTRSV);
  Wrap(before.setfromoptions, now->setfromoptions, kept.setfromoptions, PCSetFromOptions_SPTRSV);
}

/// Solves become ours in the first set-up, also in that after PCReset(), if the option has asked for it by then and
/// there are several blocks.
PetscErrorCode PCSetUp_SPTRSV(PC pc)
{
  Together* t;
  PetscInt blocks;
  bool kept;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  PetscCall(PetscObjectStateGet((PetscObject)pc->pmat, &t->state));
  PetscCall(FinishReused(pc, *t));
  PetscErrorCode const code = KeepNewValues(pc, *t, &kept);
  t->decided = t->together = t->failed = false;
  PetscCall(code);
  if (kept) PetscFunctionReturn(PETSC_SUCCESS);
  t->merged.ForgetKept();
  if (!t->incomplete) t->before = *pc->ops;  // else PETSc has put its own already
  PetscErrorCode const made = t->petsc.setup(pc);
  t->incomplete = made != PETSC_SUCCESS;
  WrapAllButSolves(pc, *t, t->before);
  PetscCall(made);
  if (!t->wanted || pc->setupcalled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(t->type->num_blocks(pc, &blocks));
  if (blocks > 1) PetscCall(t->type->wrap_solves(pc, *t, t->before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCReset_SPTRSV(PC pc)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  t->decided = t->together = t->failed = false;
  t->merged.ForgetKept();
  PetscCall(t->merged.Reset());
  PetscCall(t->overlap.Reset());
  if (t->petsc.reset) PetscCall(t->petsc.reset(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCDestroy_SPTRSV(PC pc)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  auto const destroy = t->petsc.destroy;
  t->merged.ForgetKept();
  PetscCall(t->merged.Reset());
  PetscCall(t->overlap.Reset());
  PetscCall(RemoveTogether(pc));
  PetscCall(destroy(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_SPTRSV(PC pc, PetscViewer viewer)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  PetscCall(t->merged.WriteKept());  // a view may print the blocks' matrices
  PetscCall(t->petsc.view(pc, viewer));
  PetscCall(ViewTogether(pc, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_SPTRSV(PC pc, OptionItems PetscOptionsObject)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  PetscCall(t->petsc.setfromoptions(pc, PetscOptionsObject));
  PetscOptionsHeadBegin(PetscOptionsObject, "Blocks by sptrsv");
  PetscCall(PetscOptionsBool(t->type->option, "Solve a rank's blocks together, if sptrsv factors them", t->type->name,
                             t->wanted, &t->wanted, NULL));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode PCSetUpOnBlocks_SPTRSV(PC pc)
{
  Together* t;
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(GetTogether(pc, &t));
  if (t->failed && pc->pmat) {
    // PETSc 3.18 may set up the PC with new values after its blocks, in the application; those that failed are not
    // tried again
    PetscCall(PetscObjectStateGet((PetscObject)pc->pmat, &state));
    if (state != t->state) PetscFunctionReturn(PETSC_SUCCESS);
  }
  bool const decides = !t->decided;
  PetscCall(Prepare(pc, &t));
  // a second set-up would forget the blocks' reasons
  if (!t->together && !(decides && t->set_up_apart)) PetscCall(t->petsc.setuponblocks(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WrapPC(PC pc, BlockType const& type)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(AddTogether(pc, type, &t));
  t->petsc = *pc->ops;
  WrapAllButSolves(pc, *t, _PCOps{});
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, type.get_blocks, &t->get_blocks));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, type.get_blocks, ShowBlocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RegisterWrapped(PCType type, PetscErrorCode (*create)(PC), PetscErrorCode (**petscs)(PC))
{
  PetscErrorCode (*registered)(PC) = nullptr;

  PetscFunctionBegin;
  PetscCall(PCInitializePackage());
  PetscCall(PetscFunctionListFind(PCList, type, &registered));
  if (!registered || registered == create) PetscFunctionReturn(PETSC_SUCCESS);
  *petscs = registered;
  PetscCall(PCRegister(type, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
