// SPDX-License-Identifier: Apache-2.0
// MatCreateSubMatrices() and MatCreateSubMatrix() that take new values where they are. The state is composed with the
// matrix.
#include "subdomains/submatrix_values.hpp"

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/composed_state.hpp"
#include "base/petscs_operations.hpp"
#include "kokkos/guarded.hpp"
#include "subdomains/known_cuts.hpp"

namespace sptrsv_petsc {
namespace {

/// PETSc's own functions of a matrix type. One rank's matrices have no `one`: MatCreateSubMatrix() then uses `several`.
struct CutFunctions {
  PetscErrorCode (*several)(Mat, PetscInt, IS const[], IS const[], MatReuse, Mat*[]) = nullptr;
  PetscErrorCode (*one)(Mat, IS, IS, MatReuse, Mat*) = nullptr;
};

char const* const composed_name = "SpTRSVSubmatrices";

/// State that is composed with a matrix.
struct Submatrices {
  CutFunctions petscs;
  WhereToCut where = WhereToCut::on_device;
  KnownCuts cuts;
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
PetscErrorCode GetLeaves(PetscInt n, Mat const submat[], std::vector<Mat>* leaves)
{
  Mat blocks[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(GetBlocks(submat[k], blocks));
    PetscCall(CaughtOn(PETSC_COMM_SELF, [&] { leaves->insert(leaves->end(), blocks, blocks + (blocks[1] ? 2 : 1)); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reasons why PETSc's own function has to serve, by number; of several the last one counts.
char const* const obstacles[] = {"the matrix is on a host",
                                 "it or a submatrix is bound to the host",
                                 "a submatrix has another type than the matrix",
                                 "a submatrix is not assembled",
                                 "the matrix is of a type with further arrays of values",
                                 "asked for"};

/// Finds the obstacles on this rank.
/// @param found  on return bit k is set for obstacles[k]
PetscErrorCode FindObstacles(Mat A, WhereToCut where, std::vector<Mat> const& leaves, unsigned* found)
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
  for (Mat leaf : leaves) {
    PetscBool same, too;
    PetscCall(MatBoundToCPU(leaf, &too));
    bound = (PetscBool)(bound || too);
    PetscCall(PetscObjectTypeCompare((PetscObject)leaf, ((PetscObject)blocks[0])->type_name, &same));
    note(!same, 2);
    note(!leaf->assembled || leaf->factortype != MAT_FACTOR_NONE, 3);
  }
  note(on_host && where != WhereToCut::everywhere, 0);
  note(bound && !on_host, 1);
  note(!plain, 4);
  note(where == WhereToCut::nowhere, 5);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets PETSc's own functions of A's type.
PetscErrorCode FindPetscs(Mat A, CutFunctions* petscs)
{
  _MatOps operations{};

  PetscFunctionBegin;
  PetscCall(GetPetscsOperations(A, &operations));
  petscs->several = operations.createsubmatrices;
  petscs->one = operations.createsubmatrix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets A's state, or gives A PETSc's functions back: MatAXPY(), MatCopy() and others may keep A's functions, but not
/// what is composed with it.
PetscErrorCode FindOrRestore(Mat A, Submatrices** s, CutFunctions* petscs)
{
  PetscFunctionBegin;
  PetscCall(FindState((PetscObject)A, composed_name, s));
  if (*s) {
    *petscs = (*s)->petscs;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FindPetscs(A, petscs));
  A->ops->createsubmatrices = petscs->several;
  A->ops->createsubmatrix = petscs->one;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Brings the leaves' values on the host up to date, and lets those on a device count as old. PETSc writes into several
/// submatrices of a rank on the host, and does not note that the values on a device are old then.
PetscErrorCode MarkHostAsNewest(std::vector<Mat> const& leaves)
{
  PetscFunctionBegin;
  for (Mat leaf : leaves) {
    PetscBool known;
    PetscScalar* a;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)leaf, MATSEQAIJ, &known));
    if (!known) continue;
    PetscCall(MatSeqAIJGetArray(leaf, &a));
    PetscCall(MatSeqAIJRestoreArray(leaf, &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds where the values of submatrices come from: cuts them out of a matrix whose values are the numbers of A's
/// entries. Collective.
/// @param with_cut  with_cut(numbered, use) cuts them out of `numbered`, and calls use(their number, submatrices)
template <class WithCut>
PetscErrorCode FindSources(Mat A, std::vector<Mat> const& leaves, WithCut const& with_cut, Cut& cut)
{
  EntryNumbers numbers;
  ValueSources sources;
  NumberedMatrix numbered;
  CutFunctions petscs;
  bool same = false;

  PetscFunctionBegin;
  PetscCall(NumberEntries(A, &numbers));
  if (!numbers.exact()) {
    PetscCall(Guarded(A, [&] { cut.obstacle = "numbers of entries are not exact in single precision"; }));
  } else {
    PetscCall(MakeNumbered(A, numbers, &numbered));
    PetscCall(FindPetscs(numbered.matrix, &petscs));
    PetscErrorCode const code =
        with_cut(numbered.matrix, petscs, [&](PetscInt n, Mat const submat[]) -> PetscErrorCode {
          std::vector<Mat> of_numbered;
          PetscFunctionBegin;
          PetscCall(GetLeaves(n, submat, &of_numbered));
          PetscCall(sources.Find(A, numbers, of_numbered, leaves, &same));
          PetscFunctionReturn(PETSC_SUCCESS);
        });
    PetscCall(MatDestroy(&numbered.matrix));
    PetscCall(code);
    if (!same) PetscCall(Guarded(A, [&] { cut.obstacle = "the submatrices have other patterns than those cut now"; }));
    cut.sources.swap(sources);
  }
  cut.found = true;  // not after an error: the next call tries again
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Takes new values into n submatrices, by PETSc's function if sptrsv cannot.
/// @param sets    of rows and columns, in pairs
/// @param petscs  petscs() takes them by PETSc's function
/// @param with_cut  as for FindSources()
template <class Petscs, class WithCut>
PetscErrorCode TakeNewValues(Mat A, Submatrices& s, std::vector<IS> const& sets, PetscInt n, Mat const submat[],
                             Petscs const& petscs, WithCut const& with_cut)
{
  std::vector<Mat> leaves;
  std::unique_ptr<Cut> wanted;
  Cut* cut = nullptr;
  char const* why = nullptr;
  unsigned found;
  bool remember = false;

  PetscFunctionBegin;
  PetscCall(GetLeaves(n, submat, &leaves));
  PetscCall(Caught(A, [&] { wanted = std::make_unique<Cut>(); }));
  PetscCall(FindObstacles(A, s.where, leaves, &found));
  if (!found && !s.cuts.empty()) PetscCall(Describe(A, sets, leaves, *wanted));
  PetscCall(s.cuts.Find(A, *wanted, &found, &cut));
  for (std::size_t k = 0; k < std::size(obstacles); ++k)
    if (found & (1u << k)) why = obstacles[k];
  if (!why) {
    if (cut && !cut->found) PetscCall(FindSources(A, leaves, with_cut, *cut));
    if (cut && !cut->obstacle.empty()) why = cut->obstacle.c_str();
    if (!cut) why = "the first ones of these submatrices";
    remember = !cut;
  }
  if (!why) {
    PetscCall(cut->sources.TakeValues(A, leaves));
    ++s.num_updates;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscInfo(A, "New values of submatrices by PETSc's own function: %s\n", why));
  PetscCall(s.cuts.Forget(A, leaves, cut));
  PetscCall(MarkHostAsNewest(leaves));
  PetscCall(petscs());
  if (remember) {
    PetscCall(Describe(A, sets, leaves, *wanted));
    PetscCall(s.cuts.Remember(A, std::move(wanted), leaves.empty() ? nullptr : leaves[0]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatCreateSubMatrices() by sptrsv.
PetscErrorCode CutSeveral(Mat A, PetscInt n, IS const rows[], IS const cols[], MatReuse reuse, Mat* submat[])
{
  Submatrices* s = nullptr;
  CutFunctions petscs;
  std::vector<IS> sets;

  PetscFunctionBegin;
  PetscCall(FindOrRestore(A, &s, &petscs));
  if (!s || reuse != MAT_REUSE_MATRIX) {
    PetscCall(petscs.several(A, n, rows, cols, reuse, submat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Caught(A, [&] {
    for (PetscInt k = 0; k < n; ++k) sets.insert(sets.end(), {rows[k], cols[k]});
  }));
  PetscCall(TakeNewValues(
      A, *s, sets, n, n ? *submat : nullptr, [&] { return petscs.several(A, n, rows, cols, reuse, submat); },
      [&](Mat numbered, CutFunctions const& of_numbered, auto const& use) -> PetscErrorCode {
        Mat* cut = nullptr;
        PetscFunctionBegin;
        PetscCall(of_numbered.several(numbered, n, rows, cols, MAT_INITIAL_MATRIX, &cut));
        PetscErrorCode const code = use(n, cut);
        PetscCall(MatDestroySubMatrices(n, &cut));
        PetscCall(code);
        PetscFunctionReturn(PETSC_SUCCESS);
      }));
  A->submat_singleis = PETSC_FALSE;  // as PETSc does
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatCreateSubMatrix() of a matrix on several ranks by sptrsv.
PetscErrorCode CutOne(Mat A, IS rows, IS cols, MatReuse reuse, Mat* submat)
{
  Submatrices* s = nullptr;
  CutFunctions petscs;
  std::vector<IS> sets;

  PetscFunctionBegin;
  PetscCall(FindOrRestore(A, &s, &petscs));
  if (!s || reuse != MAT_REUSE_MATRIX) {
    PetscCall(petscs.one(A, rows, cols, reuse, submat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Caught(A, [&] { sets = {rows, cols}; }));
  PetscCall(TakeNewValues(
      A, *s, sets, 1, submat, [&] { return petscs.one(A, rows, cols, reuse, submat); },
      [&](Mat numbered, CutFunctions const& of_numbered, auto const& use) -> PetscErrorCode {
        Mat cut = nullptr;
        PetscFunctionBegin;
        PetscCall(of_numbered.one(numbered, rows, cols, MAT_INITIAL_MATRIX, &cut));
        PetscErrorCode const code = use(1, &cut);
        PetscCall(MatDestroy(&cut));
        PetscCall(code);
        PetscFunctionReturn(PETSC_SUCCESS);
      }));
  PetscCall(PetscObjectStateIncrease((PetscObject)*submat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode UseSubmatrixValues(Mat A, WhereToCut where)
{
  Submatrices* s = nullptr;
  std::unique_ptr<Submatrices> added;
  CutFunctions petscs;
  bool on_host;

  PetscFunctionBegin;
  PetscCall(FindState((PetscObject)A, composed_name, &s));
  PetscCall(HasVectorsOnHost(A, &on_host));
  if (!s && (where == WhereToCut::nowhere || (on_host && where == WhereToCut::on_device)))
    PetscFunctionReturn(PETSC_SUCCESS);
  bool const ours = A->ops->createsubmatrices == CutSeveral;
  if (!s || !ours) PetscCall(FindPetscs(A, &petscs));
  else petscs = s->petscs;
  if (!ours && A->ops->createsubmatrices != petscs.several)
    PetscFunctionReturn(PETSC_SUCCESS);  // a program's own function, for instance that of PCHPDDM
  if (!s) {
    PetscCall(Guarded(A, [&] { added = std::make_unique<Submatrices>(); }));
    s = added.get();
    PetscCall(ComposeState((PetscObject)A, composed_name, std::move(added)));
  }
  s->where = where;
  s->petscs = petscs;
  A->ops->createsubmatrices = CutSeveral;
  if (petscs.one && A->ops->createsubmatrix == petscs.one) A->ops->createsubmatrix = CutOne;
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
