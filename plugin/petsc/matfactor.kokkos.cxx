// SPDX-License-Identifier: Apache-2.0
// The outer factor: PETSc's own factor inside does ordering, fill, shifts and pivots; its triangles are
// solved by the backend.
#include "matfactor.hpp"

#include <memory>
#include <string>

#include "aij_source.hpp"
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
  AijSource      source;           // what it is made of
  std::string    requested;
  Backend        backend;
  InnerPattern   pattern;
  PetscBool      numeric_done     = PETSC_FALSE;
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
  PetscCall(PetscLogEventBegin(events.solve, F, 0, 0, 0));
  PetscCall(SolveAt((PetscObject)F, *f->solver, operands, f->flops * (PetscLogDouble)operands.x.columns, [&](auto b, auto x) { call(*f->solver, b, x); }));
  PetscCall(PetscLogEventEnd(events.solve, F, 0, 0, 0));
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

void SetSolves(Mat F)
{
  bool const cholesky        = F->factortype == MAT_FACTOR_CHOLESKY || F->factortype == MAT_FACTOR_ICC;
  F->ops->solve              = MatSolve_SPTRSV;
  F->ops->solvetranspose     = MatSolveTranspose_SPTRSV;
  F->ops->solveadd           = MatSolveAdd_SPTRSV;
  F->ops->solvetransposeadd  = MatSolveTransposeAdd_SPTRSV;
  F->ops->matsolve           = MatMatSolve_SPTRSV;
  F->ops->matsolvetranspose  = MatMatSolveTranspose_SPTRSV;
  F->ops->forwardsolve       = cholesky ? MatForwardSolve_SPTRSV : nullptr;
  F->ops->backwardsolve      = cholesky ? MatBackwardSolve_SPTRSV : nullptr;
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
  PetscCall(PetscLogEventBegin(events.numeric, F, 0, 0, 0));
  PetscCall(CurrentStream(f->backend.kokkos, &stream));
  PetscCall(WithFactorValues(f->inner, f->pattern.view.cholesky, [&](Scalar const* values) {
    return Guarded(F, [&] {
      f->solver->follow(stream);
      f->solver->update(values);
    });
  }));
  if (f->backend.device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(f->pattern.view.num_entries * sizeof(Scalar))));
  PetscCall(PetscLogEventEnd(events.numeric, F, 0, 0, 0));
  PetscCall(PetscTime(&end));
  f->seconds_numeric = end - begin;
  ++f->num_numeric;
  f->numeric_done = PETSC_TRUE;
  F->assembled = F->preallocated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Before PETSc's numeric phase: what it factors is current, and its factor has no pivot error that the caller cleared.
PetscErrorCode PrepareNumeric(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  PetscCheck(f->inner && f->solver, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER, "The factor has no symbolic phase, or it failed; repeat it before the numeric phase");
  PetscCall(RefreshSource(A, f->source));
  if (lu_with_inodes_needs_diagonal && f->pattern.view.has_inodes && info->shifttype == (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE) PetscCall(FindDiagonal(f->source.of(A)));
  if (!F->factorerrortype) PetscCall(MatFactorClearError(f->inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatLUFactorNumeric_SPTRSV(Mat F, Mat A, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(PrepareNumeric(F, A, info));
  PetscCall(MatLUFactorNumeric(Get(F)->inner, Get(F)->source.of(A), info));
  PetscCall(TakeValues(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCholeskyFactorNumeric_SPTRSV(Mat F, Mat A, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(PrepareNumeric(F, A, info));
  PetscCall(MatCholeskyFactorNumeric(Get(F)->inner, Get(F)->source.of(A), info));
  PetscCall(TakeValues(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The symbolic phase: nothing of an earlier one is kept; PETSc's own for its factor, by
/// symbolic(inner, A as seqaij, rows, cols), then the analysis.
template <class Symbolic>
PetscErrorCode Analyze(Mat F, Mat A, IS rows, IS cols, MatFactorType ftype, Symbolic const& symbolic)
{
  Mat_SpTRSV*          f = Get(F);
  PetscLogDouble       begin, end;
  sptrsv::OptionValues options;
  Stream               stream;

  PetscFunctionBegin;
  f->numeric_done = PETSC_FALSE;
  f->solver.reset();
  PetscCall(ReleasePattern(f->pattern));
  PetscCall(MatDestroy(&f->inner));
  PetscCall(AccessSource(A, rows, cols, f->source));
  Mat const aij = f->source.of(A);
  PetscCall(MatGetFactor(aij, MATSOLVERPETSC, ftype, &f->inner));
  PetscCheck(f->inner, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP, "PETSc has no %s factorization of its own for this matrix of type %s%s", MatFactorTypes[ftype], ((PetscObject)aij)->type_name, PetscDefined(USE_COMPLEX) ? "; of Hermitian matrices it has none: leave MAT_HERMITIAN unset if the matrix is symmetric" : "");
  PetscCall(symbolic(f->inner, aij, f->source.rows, f->source.cols));

  PetscCall(ReadOptions(F, f->requested.c_str(), options));
  PetscCall(ChooseBackend((PetscObject)F, A, f->backend));
  PetscCall(EnsureKokkos());
  PetscCall(CurrentStream(f->backend.kokkos, &stream));
  PetscCall(PetscTime(&begin));
  PetscCall(PetscLogEventBegin(events.analysis, F, 0, 0, 0));
  PetscCall(AccessPattern(f->inner, aij, ftype, f->source.rows, f->source.cols, f->pattern));
  PetscCall(Guarded(F, [&] { f->solver = MakeFactorSolver(f->backend.device, stream, f->requested, f->pattern.view, options); }));
  PetscCall(PetscLogEventEnd(events.analysis, F, 0, 0, 0));
  PetscCall(PetscTime(&end));
  f->seconds_analysis = end - begin;
  ++f->num_analysis;
  // L and U: two flops an off-diagonal entry, one a pivot
  auto const entries = (PetscLogDouble)f->pattern.view.num_entries, n = (PetscLogDouble)f->pattern.view.n;
  f->flops = f->pattern.view.cholesky ? 4 * (entries - n) + n : 2 * (entries - n) + n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatLUFactorSymbolic_SPTRSV(Mat F, Mat A, IS r, IS c, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, r, c, MAT_FACTOR_LU, [&](Mat inner, Mat aij, IS rows, IS cols) { return MatLUFactorSymbolic(inner, aij, rows, cols, info); }));
  F->ops->lufactornumeric = MatLUFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatILUFactorSymbolic_SPTRSV(Mat F, Mat A, IS r, IS c, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, r, c, MAT_FACTOR_ILU, [&](Mat inner, Mat aij, IS rows, IS cols) { return MatILUFactorSymbolic(inner, aij, rows, cols, info); }));
  F->ops->lufactornumeric = MatLUFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCholeskyFactorSymbolic_SPTRSV(Mat F, Mat A, IS perm, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, perm, nullptr, MAT_FACTOR_CHOLESKY, [&](Mat inner, Mat aij, IS rows, IS) { return MatCholeskyFactorSymbolic(inner, aij, rows, info); }));
  F->ops->choleskyfactornumeric = MatCholeskyFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatICCFactorSymbolic_SPTRSV(Mat F, Mat A, IS perm, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, perm, nullptr, MAT_FACTOR_ICC, [&](Mat inner, Mat aij, IS rows, IS) { return MatICCFactorSymbolic(inner, aij, rows, info); }));
  F->ops->choleskyfactornumeric = MatCholeskyFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FillInfo(Mat_SpTRSV const& f, TriangleReport const& lower, TriangleReport const& upper, MatSpTRSVInfo* info)
{
  sptrsv::Structure const &L = lower.structure, &U = upper.structure;
  bool const               stored = f.pattern.view.cholesky;  // L is U's transpose, diagonal and all

  PetscFunctionBegin;
  info->requested                 = f.requested.c_str();
  info->backend                   = f.backend.name();
  info->algorithm_lower           = lower.algorithm.c_str();
  info->algorithm_upper           = upper.algorithm.c_str();
  info->reason                    = upper.reason.c_str();
  info->n                         = f.pattern.view.n;
  info->nnz_lower                 = (PetscInt)(L.entries + (stored ? 0 : L.rows));
  info->nnz_upper                 = (PetscInt)U.entries;
  info->levels_lower              = (PetscInt)L.levels;
  info->levels_upper              = (PetscInt)U.levels;
  info->mean_rows_per_level_lower = (PetscReal)L.mean_level;
  info->mean_rows_per_level_upper = (PetscReal)U.mean_level;
  info->max_rows_per_level_lower  = (PetscInt)L.widest_level;
  info->max_rows_per_level_upper  = (PetscInt)U.widest_level;
  info->memory_bytes              = (PetscLogDouble)(f.solver->memory_bytes() + MemoryBytes(f.source));
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
  PetscCall(PetscViewerASCIIPrintf(viewer, "%.2f MB beyond PETSc's own factor; %" PetscInt_FMT " analyses, %" PetscInt_FMT " numeric updates, %" PetscInt_FMT " solves\n", (double)(f->solver->memory_bytes() + MemoryBytes(f->source)) / 1e6, f->num_analysis, f->num_numeric, f->num_solves));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetInfo_SPTRSV(Mat F, MatInfoType type, MatInfo* info)
{
  PetscFunctionBegin;
  PetscCheck(Get(F)->inner, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER, "The factor has no symbolic phase yet");
  PetscCall(MatGetInfo(Get(F)->inner, type, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_SPTRSV(Mat F)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  f->solver.reset();
  PetscCall(ReleasePattern(f->pattern));
  PetscCall(ReleaseSource(f->source));
  PetscCall(MatDestroy(&f->inner));
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatFactorGetSolverType_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatSpTRSVGetInfo_C", NULL));
  delete f;
  F->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// As PETSc's own factors prefer, but for incomplete factors by an algorithm that is made for an ordering. (A complete one would
/// fill in that ordering, and have no fewer sets for it.)
MatOrderingType PreferredOrdering(char const* solver_type, MatFactorType ftype, bool sbaij)
{
  if (ftype == MAT_FACTOR_LU || ftype == MAT_FACTOR_CHOLESKY) return sbaij ? MATORDERINGNATURAL : MATORDERINGND;  // PETSc does not reorder sbaij
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
  PetscBool sbaij;

  PetscFunctionBegin;
  PetscCheck(A->rmap->N == A->cmap->N, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ, "A triangular solver needs a square matrix, this one is %" PetscInt_FMT " by %" PetscInt_FMT, A->rmap->N, A->cmap->N);
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &B));
  PetscCall(MatSetSizes(B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
  PetscCall(PetscStrallocpy("sptrsv", &((PetscObject)B)->type_name));
  PetscCall(MatSetUp(B));
  auto* f      = new Mat_SpTRSV;
  f->requested = solver_type;
  B->data      = f;

  B->factortype = ftype;
  PetscCall(PetscFree(B->solvertype));
  PetscCall(PetscStrallocpy(solver_type, &B->solvertype));
  B->canuseordering = PETSC_TRUE;
  for (int t = 0; t < MAT_FACTOR_NUM_TYPES; ++t) PetscCall(PetscStrallocpy(PreferredOrdering(solver_type, (MatFactorType)t, sbaij), (char**)&B->preferredordering[t]));
  B->ops->lufactorsymbolic       = MatLUFactorSymbolic_SPTRSV;
  B->ops->ilufactorsymbolic      = MatILUFactorSymbolic_SPTRSV;
  B->ops->choleskyfactorsymbolic = MatCholeskyFactorSymbolic_SPTRSV;
  B->ops->iccfactorsymbolic      = MatICCFactorSymbolic_SPTRSV;
  B->ops->view                   = MatView_SPTRSV;
  B->ops->destroy                = MatDestroy_SPTRSV;
  B->ops->getinfo                = MatGetInfo_SPTRSV;
  PetscCall(PetscObjectComposeFunction((PetscObject)B, "MatFactorGetSolverType_C", MatFactorGetSolverType_SPTRSV));
  PetscCall(PetscObjectComposeFunction((PetscObject)B, "MatSpTRSVGetInfo_C", MatSpTRSVGetInfo_SPTRSV));
  SetSolves(B);  // from the start, so that a solve too early is told so
  *F = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
