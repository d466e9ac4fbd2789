// SPDX-License-Identifier: Apache-2.0
// PC type bjacobi: PETSc's own operations, and beside them those of several blocks together.
#include "pc_wrapped.hpp"

namespace sptrsv_petsc {
namespace {

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

PetscErrorCode PCApplySymmetricLeft_BJacobi_SPTRSV(PC pc, Vec b, Vec x)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(Prepare(pc, &t));
  if (t->together && t->merged.factor()->ops->forwardsolve)
    PetscCall(LoggedApply(*t, MAT_ForwardSolve, [&](Mat F) { return F->ops->forwardsolve(F, b, x); }));
  else PetscCall(ByPetsc(*t, t->petsc.applysymmetricleft, pc, b, x));  // of LU: an error of PETSc's
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApplySymmetricRight_BJacobi_SPTRSV(PC pc, Vec b, Vec x)
{
  Together* t;

  PetscFunctionBegin;
  PetscCall(Prepare(pc, &t));
  if (t->together && t->merged.factor()->ops->backwardsolve)
    PetscCall(LoggedApply(*t, MAT_BackwardSolve, [&](Mat F) { return F->ops->backwardsolve(F, b, x); }));
  else PetscCall(ByPetsc(*t, t->petsc.applysymmetricright, pc, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Where PETSc has no solve of several right-hand sides: column by column, of this rank's rows. (Columns of all ranks'
/// rows are made collectively, and a rank that solves its blocks together takes no part.)
PetscErrorCode ApplyToColumns(PC pc, Mat B, Mat X, PetscErrorCode (*apply)(PC, Vec, Vec))
{
  PetscInt columns;
  Mat local_B, local_X;
  Vec b, x;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &columns));
  PetscCall(MatDenseGetLocalMatrix(B, &local_B));
  PetscCall(MatDenseGetLocalMatrix(X, &local_X));
  for (PetscInt k = 0; k < columns; ++k) {
    PetscCall(MatDenseGetColumnVecRead(local_B, k, &b));
    PetscCall(MatDenseGetColumnVecWrite(local_X, k, &x));
    PetscCall(apply(pc, b, x));
    PetscCall(MatDenseRestoreColumnVecWrite(local_X, k, &x));
    PetscCall(MatDenseRestoreColumnVecRead(local_B, k, &b));
  }
  PetscCall(PetscObjectStateIncrease((PetscObject)X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCMatApply_BJacobi_SPTRSV(PC pc, Mat B, Mat X)
{
  Together* t;
  PetscInt columns;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &columns));
  PetscCall(PrepareApply(pc, &t, columns));
  if (t->together) PetscCall(LoggedApply(*t, MAT_MatSolve, [&](Mat F) { return F->ops->matsolve(F, B, X); }));
  else if (t->petsc.matapply) PetscCall(t->petsc.matapply(pc, B, X));
  else PetscCall(ApplyToColumns(pc, B, X, t->petsc.apply));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(SPTRSV_PETSC_MAT_APPLY_TRANSPOSE)
PetscErrorCode PCMatApplyTranspose_BJacobi_SPTRSV(PC pc, Mat B, Mat X)
{
  Together* t;
  PetscInt columns;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &columns));
  PetscCall(PrepareApply(pc, &t, columns));
  if (t->together) PetscCall(LoggedApply(*t, MAT_MatSolve, [&](Mat F) { return F->ops->matsolvetranspose(F, B, X); }));
  else if (t->petsc.matapplytranspose) PetscCall(t->petsc.matapplytranspose(pc, B, X));
  else PetscCall(ApplyToColumns(pc, B, X, t->petsc.applytranspose));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode NumBlocks(PC pc, PetscInt* n)
{
  PetscFunctionBegin;
  PetscCall(PCBJacobiGetLocalBlocks(pc, n, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc sets these operations in the first set-up.
PetscErrorCode WrapSolves(PC pc, Together& t, _PCOps const& before)
{
  _PCOps *const now = pc->ops, &kept = t.petsc;

  PetscFunctionBegin;
  Wrap(before.apply, now->apply, kept.apply, PCApply_BJacobi_SPTRSV);
  Wrap(before.applytranspose, now->applytranspose, kept.applytranspose, PCApplyTranspose_BJacobi_SPTRSV);
  Wrap(before.applysymmetricleft, now->applysymmetricleft, kept.applysymmetricleft,
       PCApplySymmetricLeft_BJacobi_SPTRSV);
  Wrap(before.applysymmetricright, now->applysymmetricright, kept.applysymmetricright,
       PCApplySymmetricRight_BJacobi_SPTRSV);
  Wrap(before.setuponblocks, now->setuponblocks, kept.setuponblocks, PCSetUpOnBlocks_SPTRSV);
  // PETSc may have none of these
  if (now->apply != PCApply_BJacobi_SPTRSV || now->matapply == PCMatApply_BJacobi_SPTRSV)
    PetscFunctionReturn(PETSC_SUCCESS);
  kept.matapply = now->matapply;
  now->matapply = PCMatApply_BJacobi_SPTRSV;
#if defined(SPTRSV_PETSC_MAT_APPLY_TRANSPOSE)
  kept.matapplytranspose = now->matapplytranspose;
  now->matapplytranspose = PCMatApplyTranspose_BJacobi_SPTRSV;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

BlockType const bjacobi{PCBJACOBI, "-pc_bjacobi_sptrsv_together", "PCBJacobiGetSubKSP_C", NumBlocks, WrapSolves, true,
                        true};

PetscErrorCode (*CreatePetscs)(PC) = nullptr;

PetscErrorCode PCCreate_BJacobi_SPTRSV(PC pc)
{
  PetscFunctionBegin;
  PetscCall(CreatePetscs(pc));
  PetscCall(WrapPC(pc, bjacobi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode RegisterBJacobi()
{
  PetscFunctionBegin;
  PetscCall(RegisterWrapped(PCBJACOBI, PCCreate_BJacobi_SPTRSV, &CreatePetscs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
