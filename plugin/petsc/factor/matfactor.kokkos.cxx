// SPDX-License-Identifier: Apache-2.0
// Creation and phases of factors of type sptrsv. The symbolic phase chooses the source of the values, and makes the
// solver.
#include "factor/matfactor.hpp"

#include <utility>

#include "factor/backend_factor.hpp"
#include "factor/factor_state.hpp"
#include "factor/hand_over.hpp"
#include "factor/library_factor.hpp"
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
  f->solver.reset();  // freed before the pattern, which belongs to the source
  f->source.reset();
  PetscCall(ISDestroy(&f->task.rows));
  PetscCall(ISDestroy(&f->task.cols));
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
  auto const& p = f->pattern;
  auto const n = (PetscLogDouble)p.n, bs = (PetscLogDouble)p.block_size;
  auto const rest = (PetscLogDouble)p.num_entries() - (p.has_pivots ? n : 0);
  f->flops = (p.symmetric() ? 4 : 2) * rest + (p.block_size ? (2 * bs - 1) * n : n);
}

/// Makes the source that -mat_sptrsv_factor asks for.
PetscErrorCode MakeSource(FactorTask const& task, MatFactorInfo const* info, std::unique_ptr<FactorSource>* source)
{
  FactorOptions options;
  char const* native = nullptr;  // why PETSc computes the values

  PetscFunctionBegin;
  PetscCall(ReadGiven((PetscObject)task.F, options));
  FactorChoice const asked = options.factor;
  if (IsLibrary(asked)) {
    std::unique_ptr<DirectLibrary> library;
    PetscCall(MakeDirectLibrary(task.F, asked, &library));
    PetscCall(Caught(task.F, [&] { *source = std::make_unique<LibraryFactor>(asked, std::move(library)); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (asked == FactorChoice::host) native = "asked for";
  else if (FactorsOnHost(info)) native = "-pc_factor_mat_factor_on_host";
  else if (asked == FactorChoice::automatic && !task.backend.device) native = "the solves run on the host";
  PetscCheck(!native || asked != FactorChoice::device, PetscObjectComm((PetscObject)task.F), PETSC_ERR_SUP,
             "Option -%smat_sptrsv_factor is 'device', but there is %s; choose automatic or host", task.prefix(),
             native);
  PetscCall(Caught(task.F, [&] {
    if (native) *source = std::make_unique<PetscFactor>(native);
    else *source = std::make_unique<BackendFactor>(asked);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes a solver for F's pattern.
PetscErrorCode MakeSolver(Mat F, std::unique_ptr<AnyFactorSolver>* solver)
{
  Mat_SpTRSV* f = Get(F);
  Backend const& backend = f->task.backend;
  Stream stream;

  PetscFunctionBegin;
  PetscCall(CurrentStream(backend.kokkos, &stream));
  PetscCall(
      Guarded(F, [&] { *solver = MakeFactorSolver(backend.device, stream, f->requested, f->pattern, f->options); }));
  CountFlops(f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds the pattern and makes the solver, if the pattern does not need values, with `source` or with the source that
/// it returns instead.
PetscErrorCode AnalyzeBy(Mat F, Mat A, MatFactorInfo const* info, std::unique_ptr<FactorSource> source)
{
  Mat_SpTRSV* f = Get(F);
  std::unique_ptr<FactorSource> instead;
  std::unique_ptr<AnyFactorSolver> solver;

  PetscFunctionBegin;
  for (;;) {
    LoggedEvent event(events.analysis, (PetscObject)F, &f->seconds_analysis);
    if (!source->analyzed()) {
      PetscCall(source->Analyze(f->task, A, info, event, &f->pattern, &instead));
      if (!instead && !source->computes_pattern()) PetscCall(MakeSolver(F, &solver));
    }
    if (!instead && solver) PetscCall(source->Prepare(f->task, A, *solver, &instead));
    if (!instead) break;
    if (!instead->analyzed()) solver.reset();
    source = std::exchange(instead, nullptr);
  }
  f->solver = std::move(solver);
  f->source = std::move(source);
  if (f->solver) ++f->num_analysis;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Begins a symbolic phase: checks its input, reads the options, and makes the source that they ask for. Keeps nothing
/// of an earlier phase.
PetscErrorCode Begin(Mat F, Mat A, PhaseInput const& input, std::unique_ptr<FactorSource>* source)
{
  Mat_SpTRSV* f = Get(F);
  FactorTask& task = f->task;

  PetscFunctionBegin;
  PetscCall(ResetFactor(f));
  f->options = {};
  f->symbolic_info = *input.info;
  PetscCall(MatFactorClearError(F));
  PetscCall(CheckSizes(F, A));
  task.F = F;
  task.kind = input.kind;
  task.matrix_type = BaseType(A);
  PetscCheck(
      task.matrix_type, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
      "A factor of type %s takes matrices of type %s, %s and %s, and those made from %s, and this one is of type "
      "%s; convert it by MatConvert()",
      f->requested.c_str(), MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ, MATSEQAIJ, ((PetscObject)A)->type_name);
  PetscCall(FitOrdering(A, task.kind, input.rows, &task.rows));
  PetscCall(FitOrdering(A, task.kind, input.cols, &task.cols));
  PetscCall(ReadOptions((PetscObject)F, f->requested.c_str(), f->options));
  PetscCall(ChooseBackend((PetscObject)F, A, task.backend));
  PetscCall(MakeSource(task, input.info, source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Does the symbolic phase, by the plugin or, if the plugin refuses A, by the type that F replaces.
PetscErrorCode Analyze(Mat F, Mat A, PhaseInput const& input)
{
  ReplacedType const instead = Get(F)->instead;
  std::unique_ptr<FactorSource> source;
  QuietError error;
  auto const analyze = [&] {
    PetscFunctionBegin;
    PetscCall(EnsureKokkos());
    PetscCall(AnalyzeBy(F, A, input.info, std::move(source)));
    PetscFunctionReturn(PETSC_SUCCESS);
  };

  PetscFunctionBegin;
  PetscCall(Begin(F, A, input, &source));
  if (!instead.name) {
    PetscCall(analyze());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CallQuietly(analyze, &error));
  if (error.code) PetscCall(HandOver(F, A, input, nullptr, instead, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Passes values to the solver.
PetscErrorCode TakeValues(Mat F, FactorValueArrays const& values)
{
  Mat_SpTRSV* f = Get(F);
  Backend const& backend = f->task.backend;
  Stream stream;

  PetscFunctionBegin;
  PetscCall(CurrentStream(backend.kokkos, &stream));
  PetscCall(Guarded(F, [&] {
    GpuTime const time(values.on_device);
    f->solver->follow(stream);
    try {
      f->solver->update(values);
    } catch (sptrsv::SingleRange const&) {
      if (!F->factorerrortype) throw;  // otherwise F already reports a bad pivot
    }
  }));
  if (backend.device && !values.on_device)
    PetscCall(PetscLogCpuToGpu((PetscLogDouble)(f->pattern.num_values() * sizeof(Scalar))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that a numeric phase may begin, with a matrix of the symbolic phase's size and type.
PetscErrorCode CheckNumeric(Mat F, Mat A)
{
  Mat_SpTRSV const* f = Get(F);

  PetscFunctionBegin;
  PetscCheck(f->source, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER,
             "The factor has no symbolic phase, or it failed; repeat it before the numeric phase");
  PetscCall(CheckSizes(F, A));
  PetscCheck(BaseType(A) == f->task.matrix_type, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONG,
             "The symbolic phase was of a matrix of type %s, this one is of type %s; repeat the symbolic phase",
             f->task.matrix_type, ((PetscObject)A)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Does the numeric phase of the plugin.
PetscErrorCode ComputeValues(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  LoggedEvent event(events.numeric, (PetscObject)F, &f->seconds_numeric);
  std::optional<FactorArrays> pattern;
  FactorValueArrays values;

  PetscFunctionBegin;
  PetscCall(f->source->Compute(f->task, A, info, event, &pattern, &values));
  if (pattern) {
    f->pattern = *pattern;
    f->solver.reset();
  }
  if (!f->solver && values.available) {
    LoggedEvent analysis(events.analysis, (PetscObject)F, &f->seconds_analysis);
    PetscCall(analysis.Begin());
    PetscCall(MakeSolver(F, &f->solver));
    ++f->num_analysis;
  }
  F->assembled = F->preallocated = PETSC_TRUE;
  ++f->num_numeric;
  if (!values.available) PetscFunctionReturn(PETSC_SUCCESS);  // F has an error, with which PETSc calls no solve
  PetscCall(TakeValues(F, values));
  f->numeric_done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Does the numeric phase, by the plugin or, if the plugin refuses A, by the type that F replaces.
PetscErrorCode FactorNumeric(Mat F, Mat A, MatFactorInfo const* info)
{
  Mat_SpTRSV* f = Get(F);
  FactorTask const& task = f->task;
  MatFactorInfo const symbolic_info = f->symbolic_info;
  QuietError error;

  PetscFunctionBegin;
  f->numeric_done = PETSC_FALSE;  // until the new values are there
  PetscCall(CheckNumeric(F, A));
  if (!f->instead.name) {
    PetscCall(ComputeValues(F, A, info));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CallQuietly([&] { return ComputeValues(F, A, info); }, &error));
  if (!error.code) PetscFunctionReturn(PETSC_SUCCESS);
  f->solver.reset();  // before the other factor takes memory
  f->source.reset();
  PetscCall(HandOver(F, A, {task.kind, task.rows, task.cols, &symbolic_info}, info, ReplacedType(f->instead), error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <MatFactorType ftype>
PetscErrorCode MatLUFactorSymbolic_SPTRSV(Mat F, Mat A, IS r, IS c, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  F->ops->lufactornumeric = FactorNumeric;
  PetscCall(Analyze(F, A, {ftype, r, c, info}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <MatFactorType ftype>
PetscErrorCode MatCholeskyFactorSymbolic_SPTRSV(Mat F, Mat A, IS perm, MatFactorInfo const* info)
{
  PetscFunctionBegin;
  F->ops->choleskyfactornumeric = FactorNumeric;
  PetscCall(Analyze(F, A, {ftype, perm, nullptr, info}));
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

/// Returns the ordering that PETSc's own factors prefer, or for an incomplete factor the ordering that its algorithm is
/// made for, if it has one. A complete factor has so much fill that the algorithm's ordering would not reduce the
/// number of sets. PETSc computes symmetric factors with blocks in the natural ordering only, and other orderings of a
/// seqaij matrix may separate the rows of its blocks.
/// A factor that replaces another prefers the orderings of PETSc's own factors.
/// @param by_blocks  whether A's type has dense blocks
MatOrderingType PreferredOrdering(char const* algorithm, MatFactorType ftype, bool by_blocks, bool replaces,
                                  FactorOptions const& options)
{
  bool const complete = ftype == MAT_FACTOR_LU || ftype == MAT_FACTOR_CHOLESKY;
  if (complete && !replaces && IsLibrary(options.factor)) return MATORDERINGEXTERNAL;
  if (by_blocks && IsSymmetric(ftype)) return MATORDERINGNATURAL;
  if (complete) return MATORDERINGND;
  auto const* info = sptrsv::find_algorithm(algorithm);
  return info && !replaces && !info->ordering.empty() ? info->ordering.c_str() : MATORDERINGNATURAL;
}

PetscErrorCode MatFactorGetSolverType_SPTRSV(Mat F, MatSolverType* type)
{
  PetscFunctionBegin;
  *type = Get(F)->instead.name ? Get(F)->instead.name : Get(F)->requested.c_str();
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode SupportsMatType(Mat A, PetscBool* supported)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, supported, MATSEQBAIJ, MATSEQSBAIJ, ""));
  if (!*supported) PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, supported));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateFactor(Mat A, MatFactorType ftype, char const* algorithm, Mat* F, ReplacedType const* instead)
{
  Mat B;
  PetscBool by_blocks;
  FactorOptions options;

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
    f->requested = algorithm;
    if (instead) f->instead = *instead;
    B->data = f.release();
  });
  if (made) PetscCall(MatDestroy(&B));
  PetscCall(made);

  B->factortype = ftype;
  PetscCall(PetscFree(B->solvertype));
  PetscCall(PetscStrallocpy(instead ? instead->name : algorithm, &B->solvertype));
  B->ops->destroy = MatDestroy_SPTRSV;
  if (A->factorprefix) PetscCall(MatSetOptionsPrefix(B, A->factorprefix));
  PetscErrorCode const read = ReadGiven((PetscObject)B, options);
  if (read) PetscCall(MatDestroy(&B));
  PetscCall(read);
  B->canuseordering = PETSC_TRUE;
  for (int t = 0; t < MAT_FACTOR_NUM_TYPES; ++t)
    PetscCall(PetscStrallocpy(PreferredOrdering(algorithm, (MatFactorType)t, by_blocks, instead != nullptr, options),
                              (char**)&B->preferredordering[t]));
  B->ops->lufactorsymbolic = IsSymmetric(ftype) ? nullptr : MatLUFactorSymbolic_SPTRSV<MAT_FACTOR_LU>;
  B->ops->ilufactorsymbolic = IsSymmetric(ftype) ? nullptr : MatLUFactorSymbolic_SPTRSV<MAT_FACTOR_ILU>;
  B->ops->choleskyfactorsymbolic = IsSymmetric(ftype) ? MatCholeskyFactorSymbolic_SPTRSV<MAT_FACTOR_CHOLESKY> : nullptr;
  B->ops->iccfactorsymbolic = IsSymmetric(ftype) ? MatCholeskyFactorSymbolic_SPTRSV<MAT_FACTOR_ICC> : nullptr;
  PetscCall(PetscObjectComposeFunction((PetscObject)B, "MatFactorGetSolverType_C", MatFactorGetSolverType_SPTRSV));
  PetscCall(SetViews(B));
  SetSolves(B, by_blocks);  // set now, so that a solve before the phases ends with a clear error
  *F = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
