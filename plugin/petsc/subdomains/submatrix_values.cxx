// SPDX-License-Identifier: Apache-2.0
// Implements MatCreateSubMatrices() and MatCreateSubMatrix() so that new values stay in their memory space. The state
// is composed with A.
#include "subdomains/submatrix_values.hpp"

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/composed_state.hpp"
#include "base/native_operations.hpp"
#include "kokkos/guarded.hpp"
#include "subdomains/submatrix_cache.hpp"

namespace sptrsv_petsc {
namespace {

/// PETSc's own functions of a matrix type. `one` is null if the type is sequential: MatCreateSubMatrix() then uses
/// `several`.
struct SubmatrixFunctions {
  PetscErrorCode (*several)(Mat, PetscInt, IS const[], IS const[], MatReuse, Mat*[]) = nullptr;
  PetscErrorCode (*one)(Mat, IS, IS, MatReuse, Mat*) = nullptr;
};

char const* const composed_name = "SpTRSVSubmatrices";

/// State that is composed with a matrix.
struct Submatrices {
  SubmatrixFunctions native;
  Selection where = Selection::on_device;
  SubmatrixCache cache;
  PetscInt num_updates = 0;
};

PetscErrorCode HasVectorsOnHost(Mat A, bool* on_host)
{
  VecType type;

  PetscFunctionBegin;
  PetscCall(MatGetVecType(A, &type));
  std::string const name = type;
  *on_host = name == VECSTANDARD || name == VECSEQ || name == VECMPI;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets this rank's parts of submatrices.
PetscErrorCode GetSubmatrices(PetscInt n, Mat const submat[], std::vector<Mat>* submatrices)
{
  Mat blocks[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(GetBlocks(submat[k], blocks));
    PetscCall(CaughtOn(PETSC_COMM_SELF,
                       [&] { submatrices->insert(submatrices->end(), blocks, blocks + (blocks[1] ? 2 : 1)); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reasons why PETSc's own function has to be used, by number. If there are several, the last one is reported.
char const* const fallback_reasons[] = {"the matrix is on a host",
                                        "it or a submatrix is bound to the host",
                                        "a submatrix has another type than the matrix",
                                        "a submatrix is not assembled",
                                        "the matrix is of a type with further arrays of values",
                                        "asked for"};

/// Finds the fallback reasons on this rank.
/// @param found  out: bit k is set for fallback_reasons[k]
PetscErrorCode FindFallbackReasons(Mat A, Selection where, std::vector<Mat> const& submatrices, unsigned* found)
{
  Mat blocks[2];
  bool on_host, plain;
  PetscBool bound;
  auto const note = [&](bool is, int number) {
    if (is) *found |= 1u << number;
  };

  PetscFunctionBegin;
  *found = 0;
  PetscCall(GetBlocks(A, blocks));
  PetscCall(HasVectorsOnHost(A, &on_host));
  PetscCall(HasPlainValues(A, &plain));
  PetscCall(MatBoundToCPU(A, &bound));
  for (Mat submatrix : submatrices) {
    PetscBool same, too;
    PetscCall(MatBoundToCPU(submatrix, &too));
    bound = (PetscBool)(bound || too);
    PetscCall(PetscObjectTypeCompare((PetscObject)submatrix, ((PetscObject)blocks[0])->type_name, &same));
    note(!same, 2);
    note(!submatrix->assembled || submatrix->factortype != MAT_FACTOR_NONE, 3);
  }
  note(on_host && where != Selection::everywhere, 0);
  note(bound && !on_host, 1);
  note(!plain, 4);
  note(where == Selection::nowhere, 5);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets PETSc's own functions of A's type.
PetscErrorCode FindNative(Mat A, SubmatrixFunctions* native)
{
  _MatOps operations{};

  PetscFunctionBegin;
  PetscCall(GetNativeOperations(A, &operations));
  native->several = operations.createsubmatrices;
  native->one = operations.createsubmatrix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets A's state. If A has none, gives A PETSc's functions back: MatAXPY(), MatCopy() and others may keep A's
/// functions, but drop composed objects.
PetscErrorCode FindOrRestore(Mat A, Submatrices** s, SubmatrixFunctions* native)
{
  PetscFunctionBegin;
  PetscCall(FindState((PetscObject)A, composed_name, s));
  if (*s) {
    *native = (*s)->native;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FindNative(A, native));
  A->ops->createsubmatrices = native->several;
  A->ops->createsubmatrix = native->one;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Brings the submatrices' values on the host up to date, and marks those on a device as old. If a rank has several
/// submatrices, PETSc writes into them on the host without marking the values on a device as old.
PetscErrorCode MarkHostAsNewest(std::vector<Mat> const& submatrices)
{
  PetscFunctionBegin;
  for (Mat submatrix : submatrices) {
    PetscBool known;
    PetscScalar* a;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)submatrix, MATSEQAIJ, &known));
    if (!known) continue;
    PetscCall(MatSeqAIJGetArray(submatrix, &a));
    PetscCall(MatSeqAIJRestoreArray(submatrix, &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds the sources of the submatrices' values: extracts the submatrices from a copy of A whose values are the numbers
/// of A's entries. Collective.
/// @param with_set  with_set(numbered, native, use) extracts n submatrices from `numbered`, calls use(n, submatrices)
template <class WithSet>
PetscErrorCode FindSources(Mat A, std::vector<Mat> const& submatrices, WithSet const& with_set, SubmatrixSet& set)
{
  EntryNumbers numbers;
  ValueSources sources;
  IndexValuedCopy numbered;
  SubmatrixFunctions native;
  bool same = false;

  PetscFunctionBegin;
  PetscCall(NumberEntries(A, &numbers));
  if (!numbers.exact()) {
    PetscCall(Guarded(A, [&] { set.fallback_reason = "numbers of entries are not exact in single precision"; }));
  } else {
    PetscCall(MakeIndexValuedCopy(A, numbers, &numbered));
    PetscCall(FindNative(numbered.matrix, &native));
    PetscErrorCode const code =
        with_set(numbered.matrix, native, [&](PetscInt n, Mat const submat[]) -> PetscErrorCode {
          std::vector<Mat> of_numbered;
          PetscFunctionBegin;
          PetscCall(GetSubmatrices(n, submat, &of_numbered));
          PetscCall(sources.Find(A, numbers, of_numbered, submatrices, &same));
          PetscFunctionReturn(PETSC_SUCCESS);
        });
    PetscCall(MatDestroy(&numbered.matrix));
    PetscCall(code);
    if (!same)
      PetscCall(Guarded(A, [&] { set.fallback_reason = "the submatrices have other patterns than those made now"; }));
    set.sources.swap(sources);
  }
  set.found = true;  // not set after an error: the next call tries again
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Takes new values into n submatrices, by PETSc's function if sptrsv cannot.
/// @param sets    index sets of rows and columns, in pairs
/// @param native  native() takes the values by PETSc's function
/// @param with_set  as for FindSources()
template <class Native, class WithSet>
PetscErrorCode TakeNewValues(Mat A, Submatrices& s, std::vector<IS> const& sets, PetscInt n, Mat const submat[],
                             Native const& native, WithSet const& with_set)
{
  std::vector<Mat> submatrices;
  std::unique_ptr<SubmatrixSet> wanted;
  SubmatrixSet* set = nullptr;
  char const* why = nullptr;
  unsigned found;
  bool remember = false;

  PetscFunctionBegin;
  PetscCall(GetSubmatrices(n, submat, &submatrices));
  PetscCall(Caught(A, [&] { wanted = std::make_unique<SubmatrixSet>(); }));
  PetscCall(FindFallbackReasons(A, s.where, submatrices, &found));
  if (!found && !s.cache.empty()) PetscCall(Describe(A, sets, submatrices, *wanted));
  PetscCall(s.cache.Find(A, *wanted, &found, &set));
  for (std::size_t k = 0; k < std::size(fallback_reasons); ++k)
    if (found & (1u << k)) why = fallback_reasons[k];
  if (!why) {
    if (set && !set->found) PetscCall(FindSources(A, submatrices, with_set, *set));
    if (set && !set->fallback_reason.empty()) why = set->fallback_reason.c_str();
    if (!set) why = "the first ones of these submatrices";
    remember = !set;
  }
  if (!why) {
    PetscCall(set->sources.TakeValues(A, submatrices));
    ++s.num_updates;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscInfo(A, "New values of submatrices by PETSc's own function: %s\n", why));
  PetscCall(s.cache.Forget(A, submatrices, set));
  PetscCall(MarkHostAsNewest(submatrices));
  PetscCall(native());
  if (remember) {
    PetscCall(Describe(A, sets, submatrices, *wanted));
    PetscCall(s.cache.Remember(A, std::move(wanted), submatrices.empty() ? nullptr : submatrices[0]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Implements MatCreateSubMatrices() by sptrsv.
PetscErrorCode CreateSubmatrices(Mat A, PetscInt n, IS const rows[], IS const cols[], MatReuse reuse, Mat* submat[])
{
  Submatrices* s = nullptr;
  SubmatrixFunctions native;
  std::vector<IS> sets;

  PetscFunctionBegin;
  PetscCall(FindOrRestore(A, &s, &native));
  if (!s || reuse != MAT_REUSE_MATRIX) {
    PetscCall(native.several(A, n, rows, cols, reuse, submat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Caught(A, [&] {
    for (PetscInt k = 0; k < n; ++k) sets.insert(sets.end(), {rows[k], cols[k]});
  }));
  PetscCall(TakeNewValues(
      A, *s, sets, n, n ? *submat : nullptr, [&] { return native.several(A, n, rows, cols, reuse, submat); },
      [&](Mat numbered, SubmatrixFunctions const& of_numbered, auto const& use) -> PetscErrorCode {
        Mat* parts = nullptr;
        PetscFunctionBegin;
        PetscCall(of_numbered.several(numbered, n, rows, cols, MAT_INITIAL_MATRIX, &parts));
        PetscErrorCode const code = use(n, parts);
        PetscCall(MatDestroySubMatrices(n, &parts));
        PetscCall(code);
        PetscFunctionReturn(PETSC_SUCCESS);
      }));
  A->submat_singleis = PETSC_FALSE;  // as PETSc does
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Implements MatCreateSubMatrix() of a parallel matrix by sptrsv.
PetscErrorCode CreateSubmatrix(Mat A, IS rows, IS cols, MatReuse reuse, Mat* submat)
{
  Submatrices* s = nullptr;
  SubmatrixFunctions native;
  std::vector<IS> sets;

  PetscFunctionBegin;
  PetscCall(FindOrRestore(A, &s, &native));
  if (!s || reuse != MAT_REUSE_MATRIX) {
    PetscCall(native.one(A, rows, cols, reuse, submat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Caught(A, [&] { sets = {rows, cols}; }));
  PetscCall(TakeNewValues(
      A, *s, sets, 1, submat, [&] { return native.one(A, rows, cols, reuse, submat); },
      [&](Mat numbered, SubmatrixFunctions const& of_numbered, auto const& use) -> PetscErrorCode {
        Mat parts = nullptr;
        PetscFunctionBegin;
        PetscCall(of_numbered.one(numbered, rows, cols, MAT_INITIAL_MATRIX, &parts));
        PetscErrorCode const code = use(1, &parts);
        PetscCall(MatDestroy(&parts));
        PetscCall(code);
        PetscFunctionReturn(PETSC_SUCCESS);
      }));
  PetscCall(PetscObjectStateIncrease((PetscObject)*submat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode UseSubmatrixValues(Mat A, Selection where)
{
  Submatrices* s = nullptr;
  std::unique_ptr<Submatrices> added;
  SubmatrixFunctions native;
  bool on_host;

  PetscFunctionBegin;
  PetscCall(FindState((PetscObject)A, composed_name, &s));
  PetscCall(HasVectorsOnHost(A, &on_host));
  if (!s && (where == Selection::nowhere || (on_host && where == Selection::on_device)))
    PetscFunctionReturn(PETSC_SUCCESS);
  bool const ours = A->ops->createsubmatrices == CreateSubmatrices;
  if (!s || !ours) PetscCall(FindNative(A, &native));
  else native = s->native;
  if (!ours && A->ops->createsubmatrices != native.several)
    PetscFunctionReturn(PETSC_SUCCESS);  // a program's own function, for instance that of PCHPDDM
  if (!s) {
    PetscCall(Guarded(A, [&] { added = std::make_unique<Submatrices>(); }));
    s = added.get();
    PetscCall(ComposeState((PetscObject)A, composed_name, std::move(added)));
  }
  s->where = where;
  s->native = native;
  A->ops->createsubmatrices = CreateSubmatrices;
  if (native.one && A->ops->createsubmatrix == native.one) A->ops->createsubmatrix = CreateSubmatrix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewSubmatrixValues(Mat A, PetscViewer viewer)
{
  Submatrices* s = nullptr;
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCall(FindState((PetscObject)A, composed_name, &s));
  if (ascii && s && s->num_updates)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  new values of submatrices by sptrsv: %" PetscInt_FMT " times\n",
                                     s->num_updates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
