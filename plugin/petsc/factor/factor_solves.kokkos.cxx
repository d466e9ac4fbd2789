// SPDX-License-Identifier: Apache-2.0
// Operations of a factor of type sptrsv: solves, diagonal, inertia.
#include "access/vec_access.hpp"
#include "factor/factor_state.hpp"

namespace sptrsv_petsc {
namespace {

PetscErrorCode Require(Mat F)
{
  PetscFunctionBegin;
  PetscCheck(Get(F)->numeric_done, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER,
             "The factor has no values yet; call PCSetUp() or the numeric factorization before MatSolve()");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs one application, call(solver, b, x), and counts it.
template <class Call>
PetscErrorCode Apply(Mat F, VectorAccess const& v, Call const& call)
{
  Mat_SpTRSV* f = Get(F);
  PetscLogDouble flops = f->flops * (PetscLogDouble)v.x.columns;

  PetscFunctionBegin;
  PetscCall(LoggedSolve((PetscObject)F, *f->solver, v, flops, [&](auto b, auto x) {
    flops *= (PetscLogDouble)f->solver->num_passes();
    call(*f->solver, b, x);
  }));
  ++f->num_solves;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs one application with several columns.
PetscErrorCode ApplyColumns(Mat F, VectorAccess const& v, sptrsv::Op op)
{
  PetscFunctionBegin;
  PetscCall(Apply(F, v, [op](auto& solver, auto from, auto to) {
    solver.reserve(to.columns, false);
    solver.solve(op, from, to);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Implements MatSolve() and MatSolveTranspose().
template <sptrsv::Op op>
PetscErrorCode MatSolve_SPTRSV(Mat F, Vec b, Vec x)
{
  VectorAccess v;

  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCall(v.Get(Get(F)->task.backend.device, b, x, false));
  PetscCall(Apply(F, v, [](auto& solver, auto from, auto to) { solver.solve(op, from, to); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Implements MatSolveAdd() and MatSolveTransposeAdd(): the last store of the solve adds. Without the transposed
/// function, PETSc 3.18 would use solveadd for all matrices whose symmetry is unknown.
template <sptrsv::Op op>
PetscErrorCode MatSolveAdd_SPTRSV(Mat F, Vec b, Vec y, Vec x)
{
  VectorAccess v;

  PetscFunctionBegin;
  PetscCall(Require(F));
  if (x != y) PetscCall(VecCopy(y, x));
  PetscCall(v.Get(Get(F)->task.backend.device, b, x, true));
  PetscCall(Apply(F, v, [](auto& solver, auto from, auto to) {
    solver.reserve(1, true);
    solver.solve(op, from, to, true);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Implements MatMatSolve() and MatMatSolveTranspose().
template <sptrsv::Op op>
PetscErrorCode MatMatSolve_SPTRSV(Mat F, Mat B, Mat X)
{
  VectorAccess v;

  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCall(v.Get(Get(F)->task.backend.device, B, X));
  PetscCall(ApplyColumns(F, v, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Implements MatForwardSolve() and MatBackwardSolve().
/// @tparam half  solve_forward or solve_backward
template <bool (AnyFactorSolver::*half)(Columns<Scalar const>, Columns<Scalar>)>
PetscErrorCode MatHalfSolve_SPTRSV(Mat F, Vec b, Vec x)
{
  bool rooted = true;
  VectorAccess v;

  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCall(v.Get(Get(F)->task.backend.device, b, x, false));
  PetscCall(Apply(F, v, [&](auto& solver, auto from, auto to) { rooted = (solver.*half)(from, to); }));
  PetscCheck(rooted, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "The factor's diagonal has entries that are not real and nonnegative, so it has no square root; use "
             "MatSolve(), or a shift such as -pc_factor_shift_type positive_definite");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves with several right-hand sides that are stored one after the other in one vector.
PetscErrorCode MatSolves_SPTRSV(Mat F, Vecs b, Vecs x)
{
  PetscInt n, of_b, of_x;
  VectorAccess v;

  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCall(MatGetLocalSize(F, &n, NULL));
  PetscCall(VecGetLocalSize(b->v, &of_b));
  PetscCall(VecGetLocalSize(x->v, &of_x));
  PetscCheck(
      b->n == x->n && of_b == (PetscInt64)n * b->n && of_x == of_b, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ,
      "Right-hand sides are %" PetscInt_FMT " vectors with %" PetscInt_FMT " entries in all, solutions %" PetscInt_FMT
      " with %" PetscInt_FMT "; give as many of both, of %" PetscInt_FMT " entries each",
      b->n, of_b, x->n, of_x, n);
  PetscCall(v.Get(Get(F)->task.backend.device, b->v, x->v, false));
  v.b.columns = v.x.columns = static_cast<std::size_t>(b->n);
  v.b.rows = v.b.stride = v.x.rows = v.x.stride = static_cast<std::size_t>(n);
  PetscCall(ApplyColumns(F, v, sptrsv::Op::none));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls use(k, 1/d) for each row k of the factor, where d is the row's diagonal entry in U (LU) or D (Cholesky).
template <class Use>
PetscErrorCode ForDiagonal(Mat F, Use const& use)
{
  Mat_SpTRSV* f = Get(F);
  FactorArrays const& pattern = f->pattern;

  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCheck(pattern.block_size <= 1, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "The factor's diagonal has blocks of %" PetscInt_FMT " by %" PetscInt_FMT
             "; convert the matrix to %s for its diagonal entries",
             pattern.block_size, pattern.block_size, MATSEQAIJ);
  std::vector<Scalar> pivots;
  PetscCall(Guarded(F, [&] { pivots.resize(static_cast<std::size_t>(pattern.n)); }));
  PetscCall(f->source->CopyInvertedPivots(f->task, pivots.data()));
  for (PetscInt k = 0; k < pattern.n; ++k)
    use(k, reinterpret_cast<PetscScalar const&>(pivots[static_cast<std::size_t>(k)]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets the diagonal in the order of the factor's rows, as PETSc's own factors do.
PetscErrorCode MatGetDiagonal_SPTRSV(Mat F, Vec diagonal)
{
  PetscScalar* d;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(diagonal, &n));
  PetscCheck(n == F->rmap->n, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ,
             "The vector has %" PetscInt_FMT " entries, the factor %" PetscInt_FMT " rows", n, F->rmap->n);
  PetscCall(VecGetArrayWrite(diagonal, &d));
  PetscErrorCode const code = ForDiagonal(F, [&](PetscInt k, PetscScalar inverse) { d[k] = PetscScalar(1) / inverse; });
  PetscCall(VecRestoreArrayWrite(diagonal, &d));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Counts the signs of 1/D, in complex builds those of the real parts. A zero in D thus counts as in PETSc's own
/// factors.
PetscErrorCode MatGetInertia_SPTRSV(Mat F, PetscInt* negative, PetscInt* zero, PetscInt* positive)
{
  PetscInt below = 0, above = 0;

  PetscFunctionBegin;
  PetscCall(ForDiagonal(F, [&](PetscInt, PetscScalar inverse) {
    below += PetscRealPart(inverse) < 0;
    above += PetscRealPart(inverse) > 0;
  }));
  if (negative) *negative = below;
  if (positive) *positive = above;
  if (zero) *zero = F->rmap->n - below - above;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

void SetSolves(Mat F, bool by_blocks)
{
  bool const cholesky = IsSymmetric(F->factortype);
  F->ops->solve = MatSolve_SPTRSV<sptrsv::Op::none>;
  F->ops->solvetranspose = MatSolve_SPTRSV<sptrsv::Op::transpose>;
  F->ops->solveadd = MatSolveAdd_SPTRSV<sptrsv::Op::none>;
  F->ops->solvetransposeadd = MatSolveAdd_SPTRSV<sptrsv::Op::transpose>;
  F->ops->matsolve = MatMatSolve_SPTRSV<sptrsv::Op::none>;
  F->ops->matsolvetranspose = MatMatSolve_SPTRSV<sptrsv::Op::transpose>;
  if (cholesky || by_blocks) {
    F->ops->forwardsolve = MatHalfSolve_SPTRSV<&AnyFactorSolver::solve_forward>;
    F->ops->backwardsolve = MatHalfSolve_SPTRSV<&AnyFactorSolver::solve_backward>;
  }
  F->ops->solves = cholesky ? MatSolves_SPTRSV : nullptr;
  F->ops->getdiagonal = MatGetDiagonal_SPTRSV;
  F->ops->getinertia = cholesky ? MatGetInertia_SPTRSV : nullptr;
}

}  // namespace sptrsv_petsc
