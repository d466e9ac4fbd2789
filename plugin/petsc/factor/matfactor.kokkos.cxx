// SPDX-License-Identifier: Apache-2.0
// The outer factor and its symbolic phase: the backend finds fill by levels, or PETSc's own factor inside; its
// triangles are solved by the backend.
#include "factor/matfactor.hpp"

#include <cstring>

#include "access/matrix_checks.hpp"
#include "factor/factor_state.hpp"
#include "kokkos/kokkos_session.hpp"

namespace sptrsv_petsc {
namespace {

/// Forgets all that a symbolic phase made.
PetscErrorCode ResetFactor(Mat_SpTRSV* f)
{
  PetscFunctionBegin;
  f->numeric_done = f->own_values = PETSC_FALSE;
  f->solver.reset();
  f->place = FactorPlace{};
  PetscCall(ReleaseFiltered(f->filtered));
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

/// PETSc's symbolic phase of F's kind.
PetscErrorCode PetscSymbolic(MatFactorType ftype, Mat inner, Mat matrix, IS rows, IS cols, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  switch (ftype) {
    case MAT_FACTOR_LU:
      PetscCall(RefuseMissingDiagonal(matrix, rows, cols, MAT_FACTOR_LU));
      PetscCall(MatLUFactorSymbolic(inner, matrix, rows, cols, info));
      break;
    case MAT_FACTOR_ILU:
      if (info->diagonal_fill != 0) PetscCall(RefuseMissingDiagonal(matrix, rows, cols, MAT_FACTOR_ILU));
      PetscCall(MatILUFactorSymbolic(inner, matrix, rows, cols, info));
      break;
    case MAT_FACTOR_CHOLESKY: PetscCall(MatCholeskyFactorSymbolic(inner, matrix, rows, info)); break;
    default: PetscCall(MatICCFactorSymbolic(inner, matrix, rows, info));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Levels of fill up to which the solver finds the pattern. With more of them factors are nearly complete, and the
/// search for paths is not the way to find those.
constexpr int most_levels = 16;

/// Whether the factor is one of levels of fill that the solver finds the pattern of, and how many, as PETSc reads them.
bool HasLevels(MatFactorType ftype, MatFactorInfo const* info, int* levels)
{
  bool const has = (ftype == MAT_FACTOR_ILU || ftype == MAT_FACTOR_ICC) && info->diagonal_fill == 0 &&
                   info->levels < most_levels + 1;
  if (has) *levels = (int)info->levels;
  return has;
}

/// Whether PETSc's ILU(0) takes the orderings, which are not, for the identity: `reordered_identity` in
/// docs/petsc_faults.md. Then its pattern is another one than ours.
PetscErrorCode CountAsIdentity(Mat F, int levels, PetscBool* count)
{
  Mat_SpTRSV* f = Get(F);
  PetscBool rows = PETSC_FALSE, cols = PETSC_FALSE;

  PetscFunctionBegin;
  if (levels == 0 && (f->pattern.row_indices || f->pattern.col_indices)) {
    PetscCall(ISIdentity(f->rows, &rows));
    PetscCall(ISIdentity(f->cols, &cols));
  }
  *count = (PetscBool)(rows && cols);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The solver and its factorization, without PETSc's symbolic phase. @param made  out: false where the backend cannot,
/// or the host is faster: then PETSc's own is to be made, which reports what is wrong with A, if anything is.
PetscErrorCode MakeByLevels(Mat F, Mat A, MatFactorType ftype, int levels, Stream stream,
                            sptrsv::OptionValues const& options, MatFactorInfo const* info, bool* made)
{
  Mat_SpTRSV* f = Get(F);
  PetscInt num_inodes = 0;
  LevelFactor what;
  FactorArrays& view = f->pattern.view;

  PetscFunctionBegin;
  *made = false;
  what.levels = levels;
  what.symmetric = IsSymmetric(ftype);
  if (!what.symmetric) PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));
  what.has_inodes = num_inodes > 0;
  PetscCall(AccessOrderings(A->rmap->n, f->rows, what.symmetric ? f->rows : f->cols, f->pattern));
  if (!what.symmetric) {
    PetscBool count = PETSC_FALSE;
    PetscCall(CountAsIdentity(F, levels, &count));
    if (count) {
      PetscCall(ReleasePattern(f->pattern));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  what.row_perm = f->pattern.row_indices;
  what.col_perm = f->pattern.col_indices;
  PetscCall(FindRowRules(A, ftype, f->rows, f->cols, info, &what.rules));
  PetscCall(WithMatrixPattern(A, f->backend.device, [&](MatrixArrays const& arrays) {
    what.matrix = arrays;
    what.matrix.partition = f->partition;
    return Guarded(F, [&] {
      try {
        f->solver = MakeLevelSolver(f->backend.device, stream, f->requested, what, options);
        *made = true;
      } catch (sptrsv::ImproperRow const&) {
      } catch (sptrsv::MissingDiagonal const&) {
      } catch (sptrsv::Unsupported const&) {
      } catch (std::exception const&) {  // of memory, too
        if (f->place.asked == FactorChoice::device) throw;
      }
    });
  }));
  if (*made) {
    view.kind = what.symmetric ? FactorKind::cholesky : FactorKind::lu;
    view.n = A->rmap->n;
    view.num_entries = f->solver->num_entries();
    view.has_inodes = what.has_inodes;
    PetscCall(ChooseFactorPlace(F, A));
    *made = f->place.own;
  }
  if (*made) {
    f->fill_given = info->fill;
    auto const entries = (PetscReal)view.num_entries, of_matrix = (PetscReal)f->factorization.matrix_entries;
    f->fill_needed = what.symmetric ? 2 * entries / (of_matrix + view.n) : entries / of_matrix;
    if (of_matrix == 0) f->fill_needed = what.symmetric ? 0 : 1;
  } else {
    f->solver.reset();
    PetscCall(ReleasePattern(f->pattern));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Counts the flops of a solve with the factor.
void CountFlops(Mat_SpTRSV* f)
{
  // L and U: two flops an off-diagonal entry, one a pivot
  auto const& p = f->pattern.view;
  auto const n = (PetscLogDouble)p.n, bs = (PetscLogDouble)p.block_size;
  auto const rest = (PetscLogDouble)p.num_entries - (p.block_size ? 0 : n);
  f->flops = (p.symmetric() ? 4 : 2) * rest + (p.block_size ? (2 * bs - 1) * n : n);
}

/// Ends a symbolic phase that began at time `begin`: counts and times it.
PetscErrorCode EndAnalysis(Mat F, PetscLogDouble begin)
{
  Mat_SpTRSV* f = Get(F);
  PetscLogDouble end;

  PetscFunctionBegin;
  PetscCall(PetscTime(&end));
  f->seconds_analysis = end - begin;
  ++f->num_analysis;
  CountFlops(f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Begins a symbolic phase: reads options, chooses a backend, and starts Kokkos.
PetscErrorCode BeginAnalysis(Mat F, Mat A, MatFactorInfo const* info, sptrsv::OptionValues& options)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  PetscCall(ReadOptions(F, f->requested.c_str(), options));
  PetscCall(ReadRowBlocks(F, A));
  PetscCall(ChooseBackend((PetscObject)F, A, f->backend));
  PetscCall(EnsureKokkos());
  PetscCall(ReadFactorPlace(F, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes PETSc's own factor in f->inner, and does its symbolic phase.
/// @param A  what PETSc factors: see MatrixForPetsc()
PetscErrorCode MakeInner(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  MatFactorType const ftype = f->kind;
  Mat matrix;

  PetscFunctionBegin;
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, ftype, &f->inner));
  PetscCheck(f->inner, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "PETSc has no %s factorization of its own for this matrix of type %s%s", MatFactorTypes[ftype],
             ((PetscObject)A)->type_name,
             PetscDefined(USE_COMPLEX)
                 ? "; of Hermitian matrices it has none: leave MAT_HERMITIAN unset if the matrix is symmetric"
                 : "");
  PetscCall(MatrixForSymbolic(A, ftype, &matrix));
  PetscErrorCode const code = PetscSymbolic(ftype, f->inner, matrix, f->rows, f->cols, info);
  PetscCall(MatDestroy(&matrix));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the solver for f->pattern.
PetscErrorCode MakeSolver(Mat F, sptrsv::OptionValues const& options)
{
  Mat_SpTRSV* f = Get(F);
  Stream stream;

  PetscFunctionBegin;
  PetscCall(CurrentStream(f->backend.kokkos, &stream));
  PetscCall(Guarded(
      F, [&] { f->solver = MakeFactorSolver(f->backend.device, stream, f->requested, f->pattern.view, options); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The symbolic phase: nothing of an earlier one is kept; PETSc's own for its factor, then the analysis.
PetscErrorCode Analyze(Mat F, Mat A, IS rows, IS cols, MatFactorType ftype, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  PetscLogDouble begin;
  sptrsv::OptionValues options;
  Stream stream;
  bool made = false;
  int levels = 0;

  PetscFunctionBegin;
  f->kind = ftype;
  PetscCall(ResetFactor(f));
  PetscCall(MatFactorClearError(F));
  PetscCall(CheckSizes(F, A));
  f->matrix_type = BaseType(A);
  PetscCheck(
      f->matrix_type, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
      "A factor of type %s takes matrices of type %s, %s and %s, and those made from %s, and this one is of type "
      "%s; convert it by MatConvert()",
      f->requested.c_str(), MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ, MATSEQAIJ, ((PetscObject)A)->type_name);
  PetscCall(FitOrdering(A, ftype, rows, &f->rows));
  PetscCall(FitOrdering(A, ftype, cols, &f->cols));
  PetscCall(BeginAnalysis(F, A, info, options));
  PetscCall(CurrentStream(f->backend.kokkos, &stream));
  PetscCall(PetscTime(&begin));
  if (f->place.own && std::strcmp(f->matrix_type, MATSEQAIJ) == 0 && HasLevels(ftype, info, &levels))
    PetscCall(Logged(events.analysis, (PetscObject)F,
                     [&] { return MakeByLevels(F, A, ftype, levels, stream, options, info, &made); }));
  if (!made) {
    Mat factored;
    PetscCall(CheckRows(F, A, info));
    PetscCall(MatrixForPetsc(F, A, &factored));
    PetscCall(MakeInner(F, factored, info));
    PetscCall(PetscTime(&begin));
    PetscCall(Logged(events.analysis, (PetscObject)F, [&]() -> PetscErrorCode {
      PetscFunctionBegin;
      PetscCall(AccessPattern(f->inner, factored, ftype, f->rows, f->cols, f->pattern));
      PetscCall(MakeSolver(F, options));
      PetscCall(ChooseFactorPlace(F, A));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
    if (f->place.own) PetscCall(ReleaseFiltered(f->filtered));
  }
  PetscCall(EndAnalysis(F, begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatLUFactorSymbolic_SPTRSV(Mat F, Mat A, IS r, IS c, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, r, c, MAT_FACTOR_LU, info));
  F->ops->lufactornumeric = MatLUFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatILUFactorSymbolic_SPTRSV(Mat F, Mat A, IS r, IS c, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, r, c, MAT_FACTOR_ILU, info));
  F->ops->lufactornumeric = MatLUFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCholeskyFactorSymbolic_SPTRSV(Mat F, Mat A, IS perm, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, perm, nullptr, MAT_FACTOR_CHOLESKY, info));
  F->ops->choleskyfactornumeric = MatCholeskyFactorNumeric_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatICCFactorSymbolic_SPTRSV(Mat F, Mat A, IS perm, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, perm, nullptr, MAT_FACTOR_ICC, info));
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
