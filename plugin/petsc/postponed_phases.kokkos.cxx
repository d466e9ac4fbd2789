// SPDX-License-Identifier: Apache-2.0
// Phases of a factor that wait: those of a block whose solves a factor of several blocks does.
#include "factor_state.hpp"
#include "merged_factor.hpp"

namespace sptrsv_petsc {
namespace {

constexpr char mark[] = "SpTRSV_Postponed";

/// The symbolic phase as PETSc called it.
PetscErrorCode RepeatSymbolic(Mat F, PostponedPhases const& p)
{
  MatFactorInfo const* const info = &p.symbolic_info;

  PetscFunctionBegin;
  switch (Get(F)->kind) {
    case MAT_FACTOR_LU: PetscCall(F->ops->lufactorsymbolic(F, p.matrix, p.rows, p.cols, info)); break;
    case MAT_FACTOR_ILU: PetscCall(F->ops->ilufactorsymbolic(F, p.matrix, p.rows, p.cols, info)); break;
    case MAT_FACTOR_CHOLESKY: PetscCall(F->ops->choleskyfactorsymbolic(F, p.matrix, p.rows, info)); break;
    default: PetscCall(F->ops->iccfactorsymbolic(F, p.matrix, p.rows, info));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What waits is computed from the values that the matrix has now.
PetscErrorCode RequireValues(Mat F, PostponedPhases const& p)
{
  PetscObjectState now;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)p.matrix, &now));
  PetscCheck(now == p.state, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER,
             "The block's matrix has changed since its factor was asked for, and blocks that are solved together have "
             "none of their own until they are used; call KSPSetUp() of the block with "
             "KSPSetReusePreconditioner(ksp, PETSC_FALSE), or leave the blocks apart");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RepeatNumeric(Mat F, PostponedPhases const& p)
{
  PetscFunctionBegin;
  PetscCall(RequireValues(F, p));
  PetscCall(IsSymmetric(Get(F)->kind) ? MatCholeskyFactorNumeric_SPTRSV(F, p.matrix, &p.numeric_info)
                                      : MatLUFactorNumeric_SPTRSV(F, p.matrix, &p.numeric_info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The solver for an inner factor, unless it has one of the same pattern, with its values if it has them.
PetscErrorCode AddSolver(Mat F, PostponedPhases const& p)
{
  Mat_SpTRSV* f = Get(F);
  sptrsv::OptionValues options;

  PetscFunctionBegin;
  if (!f->solver) {
    PetscCall(BeginAnalysis(F, p.matrix, &p.symbolic_info, options));
    PetscCall(Logged(events.analysis, (PetscObject)F, [&] { return MakeSolver(F, options); }));
    f->place.own = false;
    ++f->num_analysis;
    CountFlops(f);
  }
  if (f->numeric_done) PetscCall(TakeValues(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DoWaiting(Mat F, PostponedPhases& waiting)
{
  PetscFunctionBegin;
  if (waiting.symbolic) PetscCall(RepeatSymbolic(F, waiting));
  else if (waiting.solver) PetscCall(AddSolver(F, waiting));
  if (waiting.numeric) PetscCall(RepeatNumeric(F, waiting));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The same for the inner factor alone.
PetscErrorCode DoInside(Mat F, PostponedPhases& waiting)
{
  Mat_SpTRSV* f = Get(F);
  sptrsv::OptionValues options;

  PetscFunctionBegin;
  waiting.solver = true;
  if (waiting.symbolic || !f->inner) {
    f->solver.reset();
    PetscCall(BeginAnalysis(F, waiting.matrix, &waiting.symbolic_info, options));
    PetscCall(MakeInner(F, waiting.matrix, &waiting.symbolic_info));
    PetscCall(Logged(events.analysis, (PetscObject)F,
                     [&] { return AccessPattern(f->inner, waiting.matrix, f->kind, f->rows, f->cols, f->pattern); }));
    f->place.own = false;
    waiting.symbolic = false;
  }
  if (waiting.numeric) {
    PetscCall(RequireValues(F, waiting));
    PetscCall(FactorInner(F, waiting.matrix, &waiting.numeric_info));
    ++f->num_numeric;
    f->numeric_done = PETSC_TRUE;
    waiting.numeric = false;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode MarkPostponed(Mat A, PetscBool wait)
{
  PetscContainer container = nullptr;

  PetscFunctionBegin;
  if (wait) PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscObjectCompose((PetscObject)A, mark, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode IsMarkedPostponed(Mat A, bool* wait)
{
  PetscObject container;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)A, mark, &container));
  *wait = container != nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReleasePostponed(PostponedPhases& p)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&p.matrix));
  PetscCall(ISDestroy(&p.rows));
  PetscCall(ISDestroy(&p.cols));
  p = PostponedPhases{};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CatchUp(Mat F)
{
  Mat_SpTRSV* f = Get(F);
  PostponedPhases waiting = f->postponed;
  PetscInt64 const symbolic = f->num_symbolic_calls, numeric = f->num_numeric_calls;

  PetscFunctionBegin;
  if (!waiting.symbolic && !waiting.solver && !waiting.numeric) PetscFunctionReturn(PETSC_SUCCESS);
  f->postponed = PostponedPhases{};  // the phases would release them
  PetscErrorCode const code = DoWaiting(F, waiting);
  f->num_symbolic_calls = symbolic;  // those were counted when they were called
  f->num_numeric_calls = numeric;
  if (!code) waiting.symbolic = waiting.solver = waiting.numeric = false;
  if (f->postponed.matrix) PetscCall(ReleasePostponed(f->postponed));
  f->postponed = waiting;
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CatchUpInside(Mat F)
{
  PetscFunctionBegin;
  PetscCall(DoInside(F, Get(F)->postponed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
