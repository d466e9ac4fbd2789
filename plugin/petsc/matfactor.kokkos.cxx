// SPDX-License-Identifier: Apache-2.0
// The outer factor: PETSc's own factor inside does ordering, fill, shifts and pivots; its triangles are
// solved by the backend.
#include "matfactor.hpp"

#include <memory>
#include <string>

#include "backend_choice.hpp"
#include "factor_options.hpp"
#include "guarded.hpp"
#include "kokkos_session.hpp"
#include "mat_access.hpp"
#include "sptrsv_petsc.h"
#include "vec_access.hpp"
#include "view_triangle.hpp"

namespace sptrsv_petsc {
namespace {

struct Mat_SpTRSV {
  Mat            inner = nullptr;  // PETSc's factor, always in host memory; there its arrays are the solver's
  IS             rows = nullptr, cols = nullptr;  // the orderings of the symbolic phase, as FitOrdering() has them
  std::string    requested;
  Backend        backend;
  InnerPattern   pattern;
  PetscBool      numeric_done     = PETSC_FALSE;
  MatType        matrix_type      = nullptr;  // of the symbolic phase's matrix: seqaij, seqbaij or seqsbaij
  PetscLogDouble seconds_analysis = 0, seconds_numeric = 0, flops = 0;
  PetscInt       num_analysis = 0, num_numeric = 0, num_solves = 0;

  std::unique_ptr<AnyFactorSolver> solver;
};

Mat_SpTRSV* Get(Mat F)
{
  return static_cast<Mat_SpTRSV*>(F->data);
}

PetscErrorCode Require(Mat F)
{
  PetscFunctionBegin;
  PetscCheck(Get(F)->numeric_done, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER, "The factor has no values yet; call PCSetUp() or the numeric factorization before MatSolve()");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One application: event, flops, count. Calls call(solver, b, x).
template <class Call>
PetscErrorCode LoggedSolve(Mat F, Operands const& operands, Call const& call)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  PetscCall(Logged(events.solve, (PetscObject)F, [&] {
    PetscLogDouble const flops = f->flops * (PetscLogDouble)operands.x.columns;
    return SolveAt((PetscObject)F, *f->solver, operands, flops, [&](auto b, auto x) { call(*f->solver, b, x); });
  }));
  ++f->num_solves;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolve_SPTRSV(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCall(WithVecs(Get(F)->backend.device, b, x, false, [&](Operands const& o) { return LoggedSolve(F, o, [](auto& solver, auto from, auto to) { solver.solve(from, to); }); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolveTranspose_SPTRSV(Mat F, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCall(WithVecs(Get(F)->backend.device, b, x, false, [&](Operands const& o) { return LoggedSolve(F, o, [](auto& solver, auto from, auto to) { solver.solve_transposed(from, to); }); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// x = y + A^-1 b or y + A^-T b, the addition in the last store.
PetscErrorCode SolveAdd(Mat F, Vec b, Vec y, Vec x, bool transposed)
{
  PetscFunctionBegin;
  PetscCall(Require(F));
  if (x != y) PetscCall(VecCopy(y, x));
  PetscCall(WithVecs(Get(F)->backend.device, b, x, true, [&](Operands const& o) {
    return LoggedSolve(F, o, [&](auto& solver, auto from, auto to) {
      solver.reserve(1, true);
      if (transposed) solver.solve_transposed(from, to, true);
      else solver.solve(from, to, true);
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

/// Without it PETSc 3.18 takes solveadd wherever symmetry is merely unknown.
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
      if (transposed) solver.solve_transposed(from, to);
      else solver.solve(from, to);
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
  PetscCall(WithVecs(Get(F)->backend.device, b, x, false, [&](Operands const& o) { return LoggedSolve(F, o, [&](auto& solver, auto from, auto to) { rooted = half(solver, from, to); }); }));
  PetscCheck(rooted, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP, "The factor's diagonal has entries that are not real and nonnegative, so it has no square root; use MatSolve(), or a shift such as -pc_factor_shift_type positive_definite");
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

/// Several right-hand sides in one vector, one after the other.
PetscErrorCode MatSolves_SPTRSV(Mat F, Vecs b, Vecs x)
{
  PetscInt n, of_b, of_x;

  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCall(MatGetLocalSize(F, &n, NULL));
  PetscCall(VecGetLocalSize(b->v, &of_b));
  PetscCall(VecGetLocalSize(x->v, &of_x));
  PetscCheck(b->n == x->n && of_b == (PetscInt64)n * b->n && of_x == of_b, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ, "Right-hand sides are %" PetscInt_FMT " vectors with %" PetscInt_FMT " entries in all, solutions %" PetscInt_FMT " with %" PetscInt_FMT "; give as many of both, of %" PetscInt_FMT " entries each", b->n, of_b, x->n, of_x, n);
  PetscCall(WithVecs(Get(F)->backend.device, b->v, x->v, false, [&](Operands o) {
    o.b.columns = o.x.columns = static_cast<std::size_t>(b->n);
    o.b.rows = o.b.stride = o.x.rows = o.x.stride = static_cast<std::size_t>(n);
    return LoggedSolve(F, o, [&](auto& solver, auto from, auto to) {
      solver.reserve(to.columns, false);
      solver.solve(from, to);
    });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls use(k, 1/d) for each row k of the factor, d its diagonal entry of U (LU) or D (Cholesky).
template <class Use>
PetscErrorCode ForDiagonal(Mat F, Use const& use)
{
  Mat_SpTRSV*                    f       = Get(F);
  FactorPattern<PetscInt> const& pattern = f->pattern.view;

  PetscFunctionBegin;
  PetscCall(Require(F));
  PetscCheck(pattern.block_size <= 1, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP, "The factor's diagonal has blocks of %" PetscInt_FMT " by %" PetscInt_FMT "; convert the matrix to %s for its diagonal entries", pattern.block_size, pattern.block_size, MATSEQAIJ);
  PetscCall(WithFactorValues(f->inner, f->pattern, [&](Scalar const* values) {
    for (PetscInt k = 0; k < pattern.n; ++k) {
      auto const last = [&](PetscInt row) { return static_cast<std::size_t>(pattern.row_ptr_upper[row + 1]) - 1; };
      std::size_t at  = pattern.num_entries + static_cast<std::size_t>(k);
      if (!pattern.block_size) at = last(pattern.cholesky ? k : pattern.n - 1 - k);
      use(k, *reinterpret_cast<PetscScalar const*>(values + at));
    }
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// In the order of the factor's rows, as PETSc's own.
PetscErrorCode MatGetDiagonal_SPTRSV(Mat F, Vec diagonal)
{
  PetscScalar* d;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(diagonal, &n));
  PetscCheck(n == F->rmap->n, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ, "The vector has %" PetscInt_FMT " entries, the factor %" PetscInt_FMT " rows", n, F->rmap->n);
  PetscCall(VecGetArrayWrite(diagonal, &d));
  PetscErrorCode const code = ForDiagonal(F, [&](PetscInt k, PetscScalar inverse) { d[k] = PetscScalar(1) / inverse; });
  PetscCall(VecRestoreArrayWrite(diagonal, &d));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// By the signs of 1/D, or in complex builds of its real parts; so a zero in D counts as PETSc's own counts it.
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

bool IsSymmetric(MatFactorType ftype)
{
  return ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC;
}

/// What PETSc's own factors of these kinds have. @param by_blocks  of a seqbaij or seqsbaij matrix.
void SetSolves(Mat F, bool by_blocks)
{
  bool const cholesky       = IsSymmetric(F->factortype);
  F->ops->solve             = MatSolve_SPTRSV;
  F->ops->solvetranspose    = MatSolveTranspose_SPTRSV;
  F->ops->solveadd          = MatSolveAdd_SPTRSV;
  F->ops->solvetransposeadd = MatSolveTransposeAdd_SPTRSV;
  F->ops->matsolve          = MatMatSolve_SPTRSV;
  F->ops->matsolvetranspose = MatMatSolveTranspose_SPTRSV;
  F->ops->forwardsolve      = cholesky || by_blocks ? MatForwardSolve_SPTRSV : nullptr;
  F->ops->backwardsolve     = cholesky || by_blocks ? MatBackwardSolve_SPTRSV : nullptr;
  F->ops->solves            = cholesky ? MatSolves_SPTRSV : nullptr;
  F->ops->getdiagonal       = MatGetDiagonal_SPTRSV;
  F->ops->getinertia        = cholesky ? MatGetInertia_SPTRSV : nullptr;
}

/// Our part of the numeric phase: PETSc's values to the solvers. PETSc's verdict on pivots is passed on.
PetscErrorCode TakeValues(Mat F)
{
  Mat_SpTRSV*    f = Get(F);
  PetscLogDouble begin, end;
  Stream         stream;

  PetscFunctionBegin;
  F->factorerrortype             = f->inner->factorerrortype;
  F->factorerror_zeropivot_value = f->inner->factorerror_zeropivot_value;
  F->factorerror_zeropivot_row   = f->inner->factorerror_zeropivot_row;
  PetscCall(PetscTime(&begin));
  PetscCall(CurrentStream(f->backend.kokkos, &stream));
  PetscCall(Logged(events.numeric, (PetscObject)F, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(WithFactorValues(f->inner, f->pattern, [&](Scalar const* values) {
      return Guarded(F, [&] {
        f->solver->follow(stream);
        f->solver->update(values);
      });
    }));
    if (f->backend.device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(f->pattern.view.num_values() * sizeof(Scalar))));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(PetscTime(&end));
  f->seconds_numeric = end - begin;
  ++f->num_numeric;
  f->numeric_done = PETSC_TRUE;
  F->assembled = F->preallocated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes PETSc look up where A's diagonal lies: from 3.25 on its LU with inodes and shift positive_definite reads it
/// without having looked, and crashes. MatGetDiagonal() would do, but not of a matrix on a GPU.
PetscErrorCode FindDiagonal(Mat A)
{
  IS zeros;

  PetscFunctionBegin;
  PetscCall(MatFindZeroDiagonals(A, &zeros));
  PetscCall(ISDestroy(&zeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The type by which PETSc factors A: one of three names, which can be compared by their addresses.
MatType BaseType(Mat A)
{
  static MatType const types[] = {MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ};
  PetscBool            is      = PETSC_FALSE;

  for (MatType type : types)
    if (!PetscObjectBaseTypeCompare((PetscObject)A, type, &is) && is) return type;
  return nullptr;
}

/// F took its sizes from the matrix that it was made with.
PetscErrorCode CheckSizes(Mat F, Mat A)
{
  PetscBool aij;
  PetscInt  bs_of_factor, bs;

  PetscFunctionBegin;
  PetscCheck(A->rmap->n == F->rmap->n && A->cmap->n == F->cmap->n, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ, "The factor was made for a matrix of %" PetscInt_FMT " rows, this one has %" PetscInt_FMT "; make another factor by MatGetFactor()", F->rmap->n, A->rmap->n);
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  PetscCall(MatGetBlockSize(F, &bs_of_factor));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCheck(aij || bs == bs_of_factor, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ, "The factor was made for a matrix with blocks of %" PetscInt_FMT ", this one has blocks of %" PetscInt_FMT "; make another factor by MatGetFactor()", bs_of_factor, bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Before PETSc's numeric phase: what it factors is current, and its factor has no pivot error that the caller cleared.
PetscErrorCode PrepareNumeric(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV*        f = Get(F);
  PetscBool          aij;
  PetscScalar const* a;

  PetscFunctionBegin;
  PetscCheck(f->inner && f->solver, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER, "The factor has no symbolic phase, or it failed; repeat it before the numeric phase");
  f->numeric_done = PETSC_FALSE;  // until the new values are there
  PetscCall(CheckSizes(F, A));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  PetscCheck(BaseType(A) == f->matrix_type, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONG, "The symbolic phase was of a matrix of type %s, this one is of type %s; repeat the symbolic phase", f->matrix_type, ((PetscObject)A)->type_name);
  if (aij) {  // a device matrix gets its host values
    PetscCall(MatSeqAIJGetArrayRead(A, &a));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  }
  if (lu_with_inodes_needs_diagonal && f->pattern.view.has_inodes && info->shifttype == (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE) PetscCall(FindDiagonal(A));
  if (!F->factorerrortype) PetscCall(MatFactorClearError(f->inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatLUFactorNumeric_SPTRSV(Mat F, Mat A, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(PrepareNumeric(F, A, info));
  PetscCall(MatLUFactorNumeric(Get(F)->inner, A, info));
  PetscCall(TakeValues(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCholeskyFactorNumeric_SPTRSV(Mat F, Mat A, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(PrepareNumeric(F, A, info));
  if (A->rmap->n) PetscCall(MatCholeskyFactorNumeric(Get(F)->inner, A, info));  // PETSc's crashes without rows: docs/petsc_faults.md
  PetscCall(TakeValues(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Forgets all that a symbolic phase made.
PetscErrorCode ResetFactor(Mat_SpTRSV* f)
{
  PetscFunctionBegin;
  f->numeric_done = PETSC_FALSE;
  f->solver.reset();
  PetscCall(ReleasePattern(f->pattern));
  PetscCall(MatDestroy(&f->inner));
  PetscCall(ISDestroy(&f->rows));
  PetscCall(ISDestroy(&f->cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What PETSc's symbolic phase gets for A. A symmetric one of seqbaij leaves a copy in the matrix, and takes it for the matrix ever after, whatever
/// becomes of the pattern (docs/petsc_faults.md, icc_baij_stale); so it gets the pattern in a matrix of its own. The caller destroys it.
PetscErrorCode MatrixForSymbolic(Mat A, MatFactorType ftype, Mat* matrix)
{
  PetscBool baij;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQBAIJ, &baij));
  if (baij && IsSymmetric(ftype)) {
    PetscBool known, symmetric;
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, matrix));
    PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
    if (known) PetscCall(MatSetOption(*matrix, MAT_SYMMETRIC, symmetric));  // which a copy forgets if it is false
  } else {
    PetscCall(PetscObjectReference((PetscObject)A));
    *matrix = A;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The symbolic phase: nothing of an earlier one is kept; PETSc's own for its factor, by
/// symbolic(inner, matrix, rows, cols), then the analysis.
template <class Symbolic>
PetscErrorCode Analyze(Mat F, Mat A, IS rows, IS cols, MatFactorType ftype, Symbolic const& symbolic)
{
  Mat_SpTRSV*          f = Get(F);
  PetscLogDouble       begin, end;
  sptrsv::OptionValues options;
  Stream               stream;
  Mat                  matrix;

  PetscFunctionBegin;
  PetscCall(ResetFactor(f));
  PetscCall(MatFactorClearError(F));
  PetscCall(CheckSizes(F, A));
  f->matrix_type = BaseType(A);
  PetscCall(FitOrdering(A, ftype, rows, &f->rows));
  PetscCall(FitOrdering(A, ftype, cols, &f->cols));
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, ftype, &f->inner));
  PetscCheck(f->inner, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP, "PETSc has no %s factorization of its own for this matrix of type %s%s", MatFactorTypes[ftype], ((PetscObject)A)->type_name, PetscDefined(USE_COMPLEX) ? "; of Hermitian matrices it has none: leave MAT_HERMITIAN unset if the matrix is symmetric" : "");
  PetscCall(MatrixForSymbolic(A, ftype, &matrix));
  PetscErrorCode const code = symbolic(f->inner, matrix, f->rows, f->cols);
  PetscCall(MatDestroy(&matrix));
  PetscCall(code);

  PetscCall(ReadOptions(F, f->requested.c_str(), options));
  PetscCall(ChooseBackend((PetscObject)F, A, f->backend));
  PetscCall(EnsureKokkos());
  PetscCall(CurrentStream(f->backend.kokkos, &stream));
  PetscCall(PetscTime(&begin));
  PetscCall(Logged(events.analysis, (PetscObject)F, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(AccessPattern(f->inner, A, ftype, f->rows, f->cols, f->pattern));
    PetscCall(Guarded(F, [&] { f->solver = MakeFactorSolver(f->backend.device, stream, f->requested, f->pattern.view, options); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(PetscTime(&end));
  f->seconds_analysis = end - begin;
  ++f->num_analysis;
  // L and U: two flops an off-diagonal entry, one a pivot
  auto const& p    = f->pattern.view;
  auto const  n    = (PetscLogDouble)p.n, bs = (PetscLogDouble)p.block_size;
  auto const  rest = (PetscLogDouble)p.num_entries - (p.block_size ? 0 : n);
  f->flops         = (p.cholesky ? 4 : 2) * rest + (p.block_size ? (2 * bs - 1) * n : n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatLUFactorSymbolic_SPTRSV(Mat F, Mat A, IS r, IS c, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, r, c, MAT_FACTOR_LU, [&](Mat inner, Mat matrix, IS rows, IS cols) { return MatLUFactorSymbolic(inner, matrix, rows, cols, info); }));
  F->ops->lufactornumeric = MatLUFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatILUFactorSymbolic_SPTRSV(Mat F, Mat A, IS r, IS c, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, r, c, MAT_FACTOR_ILU, [&](Mat inner, Mat matrix, IS rows, IS cols) {
    PetscFunctionBegin;
    if (info->diagonal_fill != 0) PetscCall(RefuseDiagonalFill(matrix, rows, cols));
    PetscCall(MatILUFactorSymbolic(inner, matrix, rows, cols, info));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  F->ops->lufactornumeric = MatLUFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCholeskyFactorSymbolic_SPTRSV(Mat F, Mat A, IS perm, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, perm, nullptr, MAT_FACTOR_CHOLESKY, [&](Mat inner, Mat matrix, IS rows, IS) { return MatCholeskyFactorSymbolic(inner, matrix, rows, info); }));
  F->ops->choleskyfactornumeric = MatCholeskyFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatICCFactorSymbolic_SPTRSV(Mat F, Mat A, IS perm, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, perm, nullptr, MAT_FACTOR_ICC, [&](Mat inner, Mat matrix, IS rows, IS) { return MatICCFactorSymbolic(inner, matrix, rows, info); }));
  F->ops->choleskyfactornumeric = MatCholeskyFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FillInfo(Mat_SpTRSV const& f, TriangleReport const& lower, TriangleReport const& upper, MatSpTRSVInfo* info)
{
  sptrsv::Structure const &L = lower.structure, &U = upper.structure;
  auto const&              p      = f.pattern.view;
  bool const               stored = p.cholesky && !p.block_size;  // L is U's transpose, diagonal and all

  PetscFunctionBegin;
  info->requested                 = f.requested.c_str();
  info->backend                   = f.backend.name();
  info->algorithm_lower           = lower.algorithm.c_str();
  info->algorithm_upper           = upper.algorithm.c_str();
  info->reason                    = upper.reason.c_str();
  info->n                         = f.pattern.view.n;
  info->nnz_lower                 = (PetscInt64)L.entries + (stored ? 0 : (PetscInt64)L.rows);
  info->nnz_upper                 = (PetscInt64)U.entries + (PetscInt64)p.n * p.block_size;
  info->levels_lower              = (PetscInt)L.levels;
  info->levels_upper              = (PetscInt)U.levels;
  info->mean_rows_per_level_lower = (PetscReal)L.mean_level;
  info->mean_rows_per_level_upper = (PetscReal)U.mean_level;
  info->max_rows_per_level_lower  = (PetscInt)L.widest_level;
  info->max_rows_per_level_upper  = (PetscInt)U.widest_level;
  info->memory_bytes              = (PetscLogDouble)(f.solver->memory_bytes() + MemoryBytes(f.pattern.blocks));
  info->seconds_analysis          = f.seconds_analysis;
  info->seconds_numeric           = f.seconds_numeric;
  info->num_analysis              = f.num_analysis;
  info->num_numeric               = f.num_numeric;
  info->num_solves                = f.num_solves;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpTRSVGetInfo_SPTRSV(Mat F, MatSpTRSVInfo* info)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  PetscCheck(f->solver, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER, "The factor has not been analyzed; call PCSetUp() first");
  PetscCall(Guarded(F, [&] { (void)FillInfo(*f, f->solver->lower(), f->solver->upper(), info); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatView_SPTRSV(Mat F, PetscViewer viewer)
{
  Mat_SpTRSV*       f = Get(F);
  PetscBool         ascii;
  PetscViewerFormat format;
  std::size_t       bytes = 0;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ViewHeading(viewer, f->requested.c_str(), f->backend));
  if (!f->solver) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(ViewTriangle(viewer, F, "L", [&] { return f->solver->lower(); }));
  PetscCall(ViewTriangle(viewer, F, "U", [&] { return f->solver->upper(); }));
  PetscCall(Guarded(F, [&] { bytes = f->solver->memory_bytes() + MemoryBytes(f->pattern.blocks); }));
  PetscCall(ViewCounts(viewer, bytes, "PETSc's own factor", f->num_analysis, f->num_numeric, f->num_solves));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetInfo_SPTRSV(Mat F, MatInfoType type, MatInfo* info)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(info, sizeof *info));
  if (Get(F)->inner) PetscCall(MatGetInfo(Get(F)->inner, type, info));
  else info->block_size = F->rmap->bs;  // nothing is stored before the symbolic phase
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_SPTRSV(Mat F)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  PetscCall(ResetFactor(f));
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatFactorGetSolverType_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatSpTRSVGetInfo_C", NULL));
  delete f;
  F->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// As PETSc's own factors prefer, but for incomplete factors by an algorithm that is made for an ordering. (A complete one would
/// fill in that ordering, and have no fewer sets for it.) PETSc has no orderings for symmetric factors by blocks.
MatOrderingType PreferredOrdering(char const* solver_type, MatFactorType ftype, bool by_blocks)
{
  if (by_blocks && IsSymmetric(ftype)) return MATORDERINGNATURAL;
  if (ftype == MAT_FACTOR_LU || ftype == MAT_FACTOR_CHOLESKY) return MATORDERINGND;
  for (auto const& info : sptrsv::algorithm_infos())
    if (info.name == solver_type && !info.ordering.empty()) return info.ordering.c_str();
  return MATORDERINGNATURAL;
}

PetscErrorCode MatFactorGetSolverType_SPTRSV(Mat F, MatSolverType* type)
{
  PetscFunctionBegin;
  *type = Get(F)->requested.c_str();
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode CreateFactor(Mat A, MatFactorType ftype, char const* solver_type, Mat* F)
{
  Mat       B;
  PetscBool by_blocks;

  PetscFunctionBegin;
  PetscCheck(A->rmap->N == A->cmap->N, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ, "A triangular solver needs a square matrix, this one is %" PetscInt_FMT " by %" PetscInt_FMT, A->rmap->N, A->cmap->N);
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &B));
  PetscCall(MatSetSizes(B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizesFromMats(B, A, A));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &by_blocks, MATSEQBAIJ, MATSEQSBAIJ, ""));
  PetscCall(PetscStrallocpy("sptrsv", &((PetscObject)B)->type_name));
  PetscCall(MatSetUp(B));
  PetscErrorCode const made = Guarded(B, [&] {
    auto f       = std::make_unique<Mat_SpTRSV>();
    f->requested = solver_type;
    B->data      = f.release();
  });
  if (made) PetscCall(MatDestroy(&B));
  PetscCall(made);

  B->factortype = ftype;
  PetscCall(PetscFree(B->solvertype));
  PetscCall(PetscStrallocpy(solver_type, &B->solvertype));
  B->canuseordering = PETSC_TRUE;
  for (int t = 0; t < MAT_FACTOR_NUM_TYPES; ++t) PetscCall(PetscStrallocpy(PreferredOrdering(solver_type, (MatFactorType)t, by_blocks), (char**)&B->preferredordering[t]));
  B->ops->lufactorsymbolic       = IsSymmetric(ftype) ? nullptr : MatLUFactorSymbolic_SPTRSV;
  B->ops->ilufactorsymbolic      = IsSymmetric(ftype) ? nullptr : MatILUFactorSymbolic_SPTRSV;
  B->ops->choleskyfactorsymbolic = IsSymmetric(ftype) ? MatCholeskyFactorSymbolic_SPTRSV : nullptr;
  B->ops->iccfactorsymbolic      = IsSymmetric(ftype) ? MatICCFactorSymbolic_SPTRSV : nullptr;
  B->ops->view                   = MatView_SPTRSV;
  B->ops->destroy                = MatDestroy_SPTRSV;
  B->ops->getinfo                = MatGetInfo_SPTRSV;
  PetscCall(PetscObjectComposeFunction((PetscObject)B, "MatFactorGetSolverType_C", MatFactorGetSolverType_SPTRSV));
  PetscCall(PetscObjectComposeFunction((PetscObject)B, "MatSpTRSVGetInfo_C", MatSpTRSVGetInfo_SPTRSV));
  SetSolves(B, by_blocks);  // from the start, so that a solve too early is told so
  *F = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
