// SPDX-License-Identifier: Apache-2.0
// Creation and phases of factors of type sptrsv. The symbolic phase chooses who computes the values, and makes the
// solver.
#include "factor/matfactor.hpp"

#include <cstring>

#include "factor/backend_factor.hpp"
#include "factor/factor_state.hpp"
#include "factor/petsc_factor.hpp"
#include "kokkos/kokkos_session.hpp"
#include "options/factor_options.hpp"

namespace sptrsv_petsc {
namespace {

/// Drops all results of a symbolic phase.
PetscErrorCode ResetFactor(Mat_SpTRSV* f)
{
  PetscFunctionBegin;
  f->numeric_done = PETSC_FALSE;
  f->solver.reset();
  PetscCall(ReleasePattern(f->pattern));
  f->source.reset();
  PetscCall(ISDestroy(&f->rows));
  PetscCall(ISDestroy(&f->cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that A has the sizes of the matrix that F was created for.
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

void CountFlops(Mat_SpTRSV* f)
{
  // L and U: two flops per off-diagonal entry, one per pivot
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

PetscErrorCode MakeSolver(Mat F, sptrsv::Options const& options)
{
  Mat_SpTRSV* f = Get(F);
  Stream stream;

  PetscFunctionBegin;
  PetscCall(CurrentStream(f->backend.kokkos, &stream));
  PetscCall(Guarded(
      F, [&] { f->solver = MakeFactorSolver(f->backend.device, stream, f->requested, f->pattern.view, options); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads -mat_sptrsv_factor, and finds an obstacle to the backend that does not depend on A.
/// @param obstacle  out: empty if there is none
PetscErrorCode ReadObstacle(Mat F, MatFactorInfo const* info, FactorChoice* asked, std::string* obstacle)
{
  Mat_SpTRSV* f = Get(F);
  FactorOptions options;
  char const* const prefix = ((PetscObject)F)->prefix;

  PetscFunctionBegin;
  PetscCall(ReadGiven((PetscObject)F, options));
  *asked = options.factor;
  PetscCall(Guarded(F, [&] {
    if (*asked == FactorChoice::host) *obstacle = "asked for";
    else if (FactorsOnHost(info)) *obstacle = "-pc_factor_mat_factor_on_host";
    else if (*asked == FactorChoice::automatic && !f->backend.device) *obstacle = "the solves run on the host";
  }));
  PetscCheck(obstacle->empty() || *asked != FactorChoice::device, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
             "Option -%smat_sptrsv_factor is 'device', but %s%s; choose automatic or host", prefix ? prefix : "",
             (*obstacle)[0] == '-' ? "there is " : "", obstacle->c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Does PETSc's symbolic phase, and makes the solver for its pattern.
/// @param backend   becomes the source if there is no obstacle, nor in A; otherwise PETSc's factor does
/// @param obstacle  why PETSc computes the values; in and out
/// @param begin     out: when the analysis began; PETSc's symbolic phase comes before
PetscErrorCode AnalyzeWithPetsc(Mat F, Mat A, MatFactorInfo const* info, sptrsv::Options const& options,
                                std::unique_ptr<BackendFactor> backend, std::string& obstacle, PetscLogDouble* begin)
{
  Mat_SpTRSV* f = Get(F);
  std::unique_ptr<PetscFactor> petsc;

  PetscFunctionBegin;
  PetscCall(Guarded(F, [&] { petsc = std::make_unique<PetscFactor>(); }));
  PetscCall(petsc->Analyze(F, A, info));
  PetscCall(PetscTime(begin));
  PetscCall(Logged(events.analysis, (PetscObject)F, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(petsc->ReadPattern(F, A));
    PetscCall(MakeSolver(F, options));
    if (obstacle.empty()) PetscCall(backend->AnalyzeMatrix(F, A, &obstacle));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(Guarded(F, [&] {
    if (obstacle.empty()) {
      backend->keep(std::move(petsc));
      f->source = std::move(backend);
    } else {
      petsc->set_reason(obstacle);
      f->source = std::move(petsc);
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes F's solver and the source of its values: the backend unless there is an obstacle, otherwise PETSc.
/// @param begin  out: when the analysis began
PetscErrorCode MakeSource(Mat F, Mat A, MatFactorInfo const* info, sptrsv::Options const& options,
                          PetscLogDouble* begin)
{
  Mat_SpTRSV* f = Get(F);
  std::unique_ptr<BackendFactor> backend;
  FactorChoice asked;
  std::string obstacle;
  bool done = false;

  PetscFunctionBegin;
  PetscCall(ReadObstacle(F, info, &asked, &obstacle));
  PetscCall(PetscTime(begin));
  if (obstacle.empty()) {
    PetscCall(Guarded(F, [&] { backend = std::make_unique<BackendFactor>(asked); }));
    PetscCall(backend->AnalyzeFill(F, A, info, options, &done, &obstacle));
  }
  if (done) f->source = std::move(backend);
  else PetscCall(AnalyzeWithPetsc(F, A, info, options, std::move(backend), obstacle, begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Does the symbolic phase. Keeps nothing of an earlier one.
PetscErrorCode Analyze(Mat F, Mat A, IS rows, IS cols, MatFactorType ftype, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  PetscLogDouble begin;
  sptrsv::Options options;

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
  PetscCall(ReadOptions((PetscObject)F, f->requested.c_str(), options));
  PetscCall(ChooseBackend((PetscObject)F, A, f->backend));
  PetscCall(EnsureKokkos());
  PetscCall(MakeSource(F, A, info, options, &begin));
  PetscCall(EndAnalysis(F, begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorNumeric(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  f->numeric_done = PETSC_FALSE;  // until the new values are there
  PetscCheck(f->source, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER,
             "The factor has no symbolic phase, or it failed; repeat it before the numeric phase");
  PetscCall(CheckSizes(F, A));
  PetscCheck(BaseType(A) == f->matrix_type, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONG,
             "The symbolic phase was of a matrix of type %s, this one is of type %s; repeat the symbolic phase",
             f->matrix_type, ((PetscObject)A)->type_name);
  PetscCall(f->source->Compute(F, A, info));
  ++f->num_numeric;
  f->numeric_done = PETSC_TRUE;
  F->assembled = F->preallocated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatLUFactorSymbolic_SPTRSV(Mat F, Mat A, IS r, IS c, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, r, c, MAT_FACTOR_LU, info));
  F->ops->lufactornumeric = FactorNumeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatILUFactorSymbolic_SPTRSV(Mat F, Mat A, IS r, IS c, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, r, c, MAT_FACTOR_ILU, info));
  F->ops->lufactornumeric = FactorNumeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCholeskyFactorSymbolic_SPTRSV(Mat F, Mat A, IS perm, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, perm, nullptr, MAT_FACTOR_CHOLESKY, info));
  F->ops->choleskyfactornumeric = FactorNumeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatICCFactorSymbolic_SPTRSV(Mat F, Mat A, IS perm, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  PetscCall(Analyze(F, A, perm, nullptr, MAT_FACTOR_ICC, info));
  F->ops->choleskyfactornumeric = FactorNumeric;
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

/// Returns the ordering that PETSc's own factors prefer, except for incomplete factors by an algorithm that is made for
/// an ordering. (A complete factor would fill in, and have no fewer sets in that ordering.) PETSc has no orderings for
/// symmetric factors with blocks.
MatOrderingType PreferredOrdering(char const* solver_type, MatFactorType ftype, bool by_blocks)
{
  if (by_blocks && IsSymmetric(ftype)) return MATORDERINGNATURAL;
  if (ftype == MAT_FACTOR_LU || ftype == MAT_FACTOR_CHOLESKY) return MATORDERINGND;
  auto const* info = sptrsv::find_algorithm(solver_type);
  return info && !info->ordering.empty() ? info->ordering.c_str() : MATORDERINGNATURAL;
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
  SetSolves(B, by_blocks);  // from the start, so that a solve before the phases ends with a clear error
  *F = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
