// SPDX-License-Identifier: Apache-2.0
// Solves with the outer factor, its diagonal and its inertia.
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

/// Runs one application, call(solver, b, x), within an event, and counts flops and solves.
template <class Call>
PetscErrorCode LoggedSolve(Mat F, Operands const& operands, Call const& call)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  PetscCall(Logged(events.solve, (PetscObject)F, [&] {
    PetscLogDouble const flops =
        f->flops * (PetscLogDouble)f->solver->num_passes() * (PetscLogDouble)operands.x.columns;
    return SolveAt((PetscObject)F, *f->solver, operands, flops, [&](auto b, auto x) { call(*f->solver, b, x); });
  }));
  ++f->num_solves;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Computes x = A^-1 b or x = A^-T b.
PetscErrorCode SolveVec(Mat F, Vec b, Vec x, sptrsv::Op op)
{
  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCall(WithVecs(Get(F)->backend.device, b, x, false, [&](Operands const& o) {
    return LoggedSolve(F, o, [op](auto& solver, auto from, auto to) { solver.solve(op, from, to); });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolve_SPTRSV(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(SolveVec(F, b, x, sptrsv::Op::none));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolveTranspose_SPTRSV(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(SolveVec(F, b, x, sptrsv::Op::transpose));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Computes x = y + A^-1 b or x = y + A^-T b, with the addition in the last store.
PetscErrorCode SolveAdd(Mat F, Vec b, Vec y, Vec x, bool transposed)
{
  PetscFunctionBegin;
  PetscCall(Require(F));
  if (x != y) PetscCall(VecCopy(y, x));
  PetscCall(WithVecs(Get(F)->backend.device, b, x, true, [&](Operands const& o) {
    return LoggedSolve(F, o, [&](auto& solver, auto from, auto to) {
      solver.reserve(1, true);
      solver.solve(transposed ? sptrsv::Op::transpose : sptrsv::Op::none, from, to, true);
    });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolveAdd_SPTRSV(Mat F, Vec b, Vec y, Vec x)
{
  PetscFunctionBegin;
  PetscCall(SolveAdd(F, b, y, x, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Implements MatSolveTransposeAdd(). Without it PETSc 3.18 uses solveadd wherever symmetry is unknown.
PetscErrorCode MatSolveTransposeAdd_SPTRSV(Mat F, Vec b, Vec y, Vec x)
{
  PetscFunctionBegin;
  PetscCall(SolveAdd(F, b, y, x, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveDense(Mat F, Mat B, Mat X, bool transposed)
{
  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCall(WithDense(Get(F)->backend.device, B, X, [&](Operands const& o) {
    return LoggedSolve(F, o, [&](auto& solver, auto from, auto to) {
      solver.reserve(to.columns, false);
      solver.solve(transposed ? sptrsv::Op::transpose : sptrsv::Op::none, from, to);
    });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMatSolve_SPTRSV(Mat F, Mat B, Mat X)
{
  PetscFunctionBegin;
  PetscCall(SolveDense(F, B, X, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMatSolveTranspose_SPTRSV(Mat F, Mat B, Mat X)
{
  PetscFunctionBegin;
  PetscCall(SolveDense(F, B, X, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Half>
PetscErrorCode HalfSolve(Mat F, Vec b, Vec x, Half const& half)
{
  bool rooted = true;

  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCall(WithVecs(Get(F)->backend.device, b, x, false, [&](Operands const& o) {
    return LoggedSolve(F, o, [&](auto& solver, auto from, auto to) { rooted = half(solver, from, to); });
  }));
  PetscCheck(rooted, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "The factor's diagonal has entries that are not real and nonnegative, so it has no square root; use "
             "MatSolve(), or a shift such as -pc_factor_shift_type positive_definite");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatForwardSolve_SPTRSV(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(HalfSolve(F, b, x, [](auto& solver, auto from, auto to) { return solver.solve_forward(from, to); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBackwardSolve_SPTRSV(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(HalfSolve(F, b, x, [](auto& solver, auto from, auto to) { return solver.solve_backward(from, to); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves with several right-hand sides in one vector, one after the other.
PetscErrorCode MatSolves_SPTRSV(Mat F, Vecs b, Vecs x)
{
  PetscInt n, of_b, of_x;

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
  PetscCall(WithVecs(Get(F)->backend.device, b->v, x->v, false, [&](Operands o) {
    o.b.columns = o.x.columns = static_cast<std::size_t>(b->n);
    o.b.rows = o.b.stride = o.x.rows = o.x.stride = static_cast<std::size_t>(n);
    return LoggedSolve(F, o, [&](auto& solver, auto from, auto to) {
      solver.reserve(to.columns, false);
      solver.solve(sptrsv::Op::none, from, to);
    });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls use(k, 1/d) for each row k of the factor, where d is its diagonal entry of U (LU) or D (Cholesky).
template <class Use>
PetscErrorCode ForDiagonal(Mat F, Use const& use)
{
  Mat_SpTRSV* f = Get(F);
  FactorArrays const& pattern = f->pattern.view;

  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCheck(pattern.block_size <= 1, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "The factor's diagonal has blocks of %" PetscInt_FMT " by %" PetscInt_FMT
             "; convert the matrix to %s for its diagonal entries",
             pattern.block_size, pattern.block_size, MATSEQAIJ);
  std::vector<Scalar> pivots;
  PetscCall(Guarded(F, [&] { pivots.resize(static_cast<std::size_t>(pattern.n)); }));
  PetscCall(f->source->CopyInvertedPivots(F, pivots.data()));
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

/// Counts the signs of 1/D, in complex builds those of its real parts, so that a zero in D counts as in PETSc's own
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
  F->ops->solve = MatSolve_SPTRSV;
  F->ops->solvetranspose = MatSolveTranspose_SPTRSV;
  F->ops->solveadd = MatSolveAdd_SPTRSV;
  F->ops->solvetransposeadd = MatSolveTransposeAdd_SPTRSV;
  F->ops->matsolve = MatMatSolve_SPTRSV;
  F->ops->matsolvetranspose = MatMatSolveTranspose_SPTRSV;
  F->ops->forwardsolve = cholesky || by_blocks ? MatForwardSolve_SPTRSV : nullptr;
  F->ops->backwardsolve = cholesky || by_blocks ? MatBackwardSolve_SPTRSV : nullptr;
  F->ops->solves = cholesky ? MatSolves_SPTRSV : nullptr;
  F->ops->getdiagonal = MatGetDiagonal_SPTRSV;
  F->ops->getinertia = cholesky ? MatGetInertia_SPTRSV : nullptr;
}

}  // namespace sptrsv_petsc
