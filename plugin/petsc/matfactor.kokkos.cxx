// SPDX-License-Identifier: Apache-2.0
// The outer factor and its phases: PETSc's own factor inside does ordering, fill, shifts and pivots; its triangles
// are solved by the backend.
#include "matfactor.hpp"

#include "factor_options.hpp"
#include "factor_state.hpp"
#include "kokkos_session.hpp"

namespace sptrsv_petsc {
namespace {

/// Our part of the numeric phase: PETSc's values to the solvers. PETSc's verdict on pivots is passed on.
PetscErrorCode TakeValues(Mat F)
{
  Mat_SpTRSV* f = Get(F);
  PetscLogDouble begin, end;
  Stream stream;

  PetscFunctionBegin;
  F->factorerrortype = f->inner->factorerrortype;
  F->factorerror_zeropivot_value = f->inner->factorerror_zeropivot_value;
  F->factorerror_zeropivot_row = f->inner->factorerror_zeropivot_row;
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
  PetscBool is = PETSC_FALSE;

  for (MatType type : types)
    if (!PetscObjectBaseTypeCompare((PetscObject)A, type, &is) && is) return type;
  return nullptr;
}

/// F took its sizes from the matrix that it was made with.
PetscErrorCode CheckSizes(Mat F, Mat A)
{
  PetscBool aij;
  PetscInt bs_of_factor, bs;

  PetscFunctionBegin;
  PetscCheck(A->rmap->n == F->rmap->n && A->cmap->n == F->cmap->n, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ,
             "The factor was made for a matrix of %" PetscInt_FMT " rows, this one has %" PetscInt_FMT
             "; make another factor by MatGetFactor()",
             F->rmap->n, A->rmap->n);
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  PetscCall(MatGetBlockSize(F, &bs_of_factor));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCheck(aij || bs == bs_of_factor, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ,
             "The factor was made for a matrix with blocks of %" PetscInt_FMT ", this one has blocks of %" PetscInt_FMT
             "; make another factor by MatGetFactor()",
             bs_of_factor, bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Before PETSc's numeric phase: what it factors is current, and its factor has no pivot error that the caller cleared.
PetscErrorCode PrepareNumeric(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  PetscBool aij;
  PetscScalar const* a;

  PetscFunctionBegin;
  PetscCheck(f->inner && f->solver, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER,
             "The factor has no symbolic phase, or it failed; repeat it before the numeric phase");
  f->numeric_done = PETSC_FALSE;  // until the new values are there
  PetscCall(CheckSizes(F, A));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  PetscCheck(BaseType(A) == f->matrix_type, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONG,
             "The symbolic phase was of a matrix of type %s, this one is of type %s; repeat the symbolic phase",
             f->matrix_type, ((PetscObject)A)->type_name);
  if (aij) {  // a device matrix gets its host values
    PetscCall(MatSeqAIJGetArrayRead(A, &a));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  }
  if (lu_with_inodes_needs_diagonal && f->pattern.view.has_inodes &&
      info->shifttype == (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE)
    PetscCall(FindDiagonal(A));
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
  if (A->rmap->n)
    PetscCall(MatCholeskyFactorNumeric(Get(F)->inner, A, info));  // PETSc's crashes without rows: docs/petsc_faults.md
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

/// What PETSc's symbolic phase gets for A. A symmetric one of seqbaij leaves a copy in the matrix, and takes it for the
/// matrix ever after, whatever becomes of the pattern (docs/petsc_faults.md, icc_baij_stale); so it gets the pattern in
/// a matrix of its own. The caller destroys it.
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
  Mat_SpTRSV* f = Get(F);
  PetscLogDouble begin, end;
  sptrsv::OptionValues options;
  Stream stream;
  Mat matrix;

  PetscFunctionBegin;
  PetscCall(ResetFactor(f));
  PetscCall(MatFactorClearError(F));
  PetscCall(CheckSizes(F, A));
  f->matrix_type = BaseType(A);
  PetscCall(FitOrdering(A, ftype, rows, &f->rows));
  PetscCall(FitOrdering(A, ftype, cols, &f->cols));
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, ftype, &f->inner));
  PetscCheck(f->inner, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "PETSc has no %s factorization of its own for this matrix of type %s%s", MatFactorTypes[ftype],
             ((PetscObject)A)->type_name,
             PetscDefined(USE_COMPLEX)
                 ? "; of Hermitian matrices it has none: leave MAT_HERMITIAN unset if the matrix is symmetric"
                 : "");
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
    PetscCall(Guarded(
        F, [&] { f->solver = MakeFactorSolver(f->backend.device, stream, f->requested, f->pattern.view, options); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(PetscTime(&end));
  f->seconds_analysis = end - begin;
  ++f->num_analysis;
  // L and U: two flops an off-diagonal entry, one a pivot
  auto const& p = f->pattern.view;
  auto const n = (PetscLogDouble)p.n, bs = (PetscLogDouble)p.block_size;
  auto const rest = (PetscLogDouble)p.num_entries - (p.block_size ? 0 : n);
  f->flops = (p.symmetric() ? 4 : 2) * rest + (p.block_size ? (2 * bs - 1) * n : n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatLUFactorSymbolic_SPTRSV(Mat F, Mat A, IS r, IS c, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, r, c, MAT_FACTOR_LU, [&](Mat inner, Mat matrix, IS rows, IS cols) {
    return MatLUFactorSymbolic(inner, matrix, rows, cols, info);
  }));
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
  PetscCall(Analyze(F, A, perm, nullptr, MAT_FACTOR_CHOLESKY, [&](Mat inner, Mat matrix, IS rows, IS) {
    return MatCholeskyFactorSymbolic(inner, matrix, rows, info);
  }));
  F->ops->choleskyfactornumeric = MatCholeskyFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatICCFactorSymbolic_SPTRSV(Mat F, Mat A, IS perm, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, perm, nullptr, MAT_FACTOR_ICC, [&](Mat inner, Mat matrix, IS rows, IS) {
    return MatICCFactorSymbolic(inner, matrix, rows, info);
  }));
  F->ops->choleskyfactornumeric = MatCholeskyFactorNumeric_SPTRSV;
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

/// As PETSc's own factors prefer, but for incomplete factors by an algorithm that is made for an ordering. (A complete
/// one would fill in that ordering, and have no fewer sets for it.) PETSc has no orderings for symmetric factors by
/// blocks.
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
  Mat B;
  PetscBool by_blocks;

  PetscFunctionBegin;
  PetscCheck(A->rmap->N == A->cmap->N, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
             "A triangular solver needs a square matrix, this one is %" PetscInt_FMT " by %" PetscInt_FMT, A->rmap->N,
             A->cmap->N);
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &B));
  PetscCall(MatSetSizes(B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizesFromMats(B, A, A));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &by_blocks, MATSEQBAIJ, MATSEQSBAIJ, ""));
  PetscCall(PetscStrallocpy("sptrsv", &((PetscObject)B)->type_name));
  PetscCall(MatSetUp(B));
  PetscErrorCode const made = Guarded(B, [&] {
    auto f = std::make_unique<Mat_SpTRSV>();
    f->requested = solver_type;
    B->data = f.release();
  });
  if (made) PetscCall(MatDestroy(&B));
  PetscCall(made);

  B->factortype = ftype;
  PetscCall(PetscFree(B->solvertype));
  PetscCall(PetscStrallocpy(solver_type, &B->solvertype));
  B->canuseordering = PETSC_TRUE;
  for (int t = 0; t < MAT_FACTOR_NUM_TYPES; ++t)
    PetscCall(
        PetscStrallocpy(PreferredOrdering(solver_type, (MatFactorType)t, by_blocks), (char**)&B->preferredordering[t]));
  B->ops->lufactorsymbolic = IsSymmetric(ftype) ? nullptr : MatLUFactorSymbolic_SPTRSV;
  B->ops->ilufactorsymbolic = IsSymmetric(ftype) ? nullptr : MatILUFactorSymbolic_SPTRSV;
  B->ops->choleskyfactorsymbolic = IsSymmetric(ftype) ? MatCholeskyFactorSymbolic_SPTRSV : nullptr;
  B->ops->iccfactorsymbolic = IsSymmetric(ftype) ? MatICCFactorSymbolic_SPTRSV : nullptr;
  B->ops->destroy = MatDestroy_SPTRSV;
  PetscCall(PetscObjectComposeFunction((PetscObject)B, "MatFactorGetSolverType_C", MatFactorGetSolverType_SPTRSV));
  PetscCall(SetViews(B));
  SetSolves(B, by_blocks);  // from the start, so that a solve too early is told so
  *F = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
