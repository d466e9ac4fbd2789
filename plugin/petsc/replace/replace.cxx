// SPDX-License-Identifier: Apache-2.0
// PETSc asks the function that is registered for a solver type, a matrix type and a kind of factor to make a factor,
// whoever names the type: an option, the program, or nobody, which selects the first registered type.
#include "replace/replace.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "factor/factor_source.hpp"
#include "factor/matfactor.hpp"
#include "kokkos/guarded.hpp"
#include "options/factor_options.hpp"
#include "replace/in_place.hpp"

namespace sptrsv_petsc {
namespace {

/// Solver types whose factors the plugin makes as they do: in PETSc's orderings, with PETSc's shifts, and without
/// exchanging rows. Those of libraries are other factors. A PETSc has some of these types.
constexpr MatSolverType solver_types[] = {MATSOLVERPETSC, MATSOLVERCUSPARSE, MATSOLVERKOKKOS, MATSOLVERHIPSPARSE,
                                          MATSOLVERBAS};

/// Matrix types that have factors by the plugin. PETSc takes the registered types that are prefixes of a matrix' type,
/// so base types come first.
constexpr MatType matrix_types[] = {MATSEQAIJ,          MATSEQBAIJ,      MATSEQSBAIJ,      MATSEQAIJCUSPARSE,
                                    MATSEQAIJHIPSPARSE, MATSEQAIJKOKKOS, MATSEQAIJPERM,    MATSEQAIJMKL,
                                    MATSEQAIJCRL,       MATSEQAIJSELL,   MATSEQAIJVIENNACL};

constexpr MatFactorType kinds[] = {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC};

/// Solver types that are registered again, with the functions that were registered before. PETSc passes a function
/// neither its solver type nor other data, so each entry has a function of its own.
constexpr std::size_t max_replaced = 16;
std::array<ReplacedType, max_replaced> replaced_types;
std::size_t num_replaced = 0;

/// Splits a list at its commas.
std::vector<std::string> Words(std::string const& list)
{
  std::vector<std::string> words(1);
  for (char const c : list)
    if (c == ',') words.emplace_back();
    else words.back() += c;
  return words;
}

/// Checks that each word names a solver type that can be replaced, and finds whether one names `type`.
PetscErrorCode FindWord(PetscObject holder, std::string const& list, MatSolverType type, bool* found)
{
  PetscFunctionBegin;
  *found = false;
  if (list == "none") PetscFunctionReturn(PETSC_SUCCESS);
  for (std::string const& word : Words(list)) {
    std::string names;
    bool known = false;
    for (MatSolverType const name : solver_types) {
      known = known || word == name;
      names += std::string(name) + ", ";
    }
    PetscCheck(known, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "Option -%smat_sptrsv_replace is '%s', of which '%s' is no solver type that sptrsv replaces; give a "
               "list without spaces of %sor none. Libraries exchange rows or choose orderings: name "
               "-pc_factor_mat_solver_type sptrsv instead",
               holder->prefix ? holder->prefix : "", list.c_str(), word.c_str(), names.c_str());
    *found = *found || word == type;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Returns an object that has only a prefix, to read options. An object that PETSc creates would show in -log_view.
_p_PetscObject HolderOf(char const* prefix)
{
  _p_PetscObject holder = {};

  holder.comm = PETSC_COMM_SELF;
  holder.prefix = const_cast<char*>(prefix);
  return holder;
}

/// Finds whether -mat_sptrsv_replace names `type`, and if so the algorithm of -mat_sptrsv_type. Options with the prefix
/// come before those without one.
PetscErrorCode ReadReplacement(char const* prefix, MatSolverType type, bool* replaced, std::string& algorithm)
{
  std::vector<_p_PetscObject> holders(1, HolderOf(nullptr));

  PetscFunctionBegin;
  if (prefix) holders.push_back(HolderOf(prefix));
  for (_p_PetscObject& holder : holders) {
    ReplaceOptions options;
    PetscCall(ReadGiven(&holder, options));
    if (!options.replace.empty()) PetscCall(FindWord(&holder, options.replace, type, replaced));
  }
  for (_p_PetscObject& holder : holders)
    if (*replaced) PetscCall(ReadAlgorithm(&holder, algorithm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds whether the plugin has factors of A. PETSc has no symmetric factors of complex Hermitian matrices, and the
/// plugin has none either.
PetscErrorCode HasFactors(Mat A, MatFactorType kind, bool* has)
{
  PetscBool supported, known = PETSC_FALSE, hermitian = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(SupportsMatType(A, &supported));
  if (PetscDefined(USE_COMPLEX) && IsSymmetric(kind)) PetscCall(MatIsHermitianKnown(A, &known, &hermitian));
  *has = supported && A->rmap->N == A->cmap->N && !(known && hermitian);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds the algorithm by which the plugin makes a factor instead of type `type`; it is empty where PETSc makes the
/// factor.
PetscErrorCode ChooseAlgorithm(Mat A, MatFactorType kind, MatSolverType type, std::string& algorithm)
{
  bool replaced = false, in_place = false, supported = false;

  PetscFunctionBegin;
  if (IsProbe() || native_factors_wanted) PetscFunctionReturn(PETSC_SUCCESS);
  algorithm = "sptrsv";
  PetscCall(ReadReplacement(A->factorprefix, type, &replaced, algorithm));
  if (replaced) PetscCall(HasFactors(A, kind, &supported));
  if (supported && std::string(type) == MATSOLVERPETSC) PetscCall(FactorsInPlace(A, kind, &in_place));
  if (!supported || in_place) algorithm.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t I>
PetscErrorCode CreateInstead(Mat A, MatFactorType kind, Mat* F)
{
  ReplacedType const& type = replaced_types[I];
  std::string algorithm;

  PetscFunctionBegin;
  PetscErrorCode code = PETSC_SUCCESS;
  PetscCall(CaughtOn(PETSC_COMM_SELF, [&] { code = ChooseAlgorithm(A, kind, type.name, algorithm); }));
  PetscCall(code);
  if (algorithm.empty()) PetscCall(type.create(A, kind, F));
  else PetscCall(CreateFactor(A, kind, algorithm.c_str(), F, &type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t... I>
constexpr std::array<FactorCreator, sizeof...(I)> Creators(std::index_sequence<I...>)
{
  return {CreateInstead<I>...};
}
constexpr auto creators = Creators(std::make_index_sequence<max_replaced>{});

/// Tells whether a function is one of this file's.
bool IsOwn(FactorCreator create) { return std::find(creators.begin(), creators.end(), create) != creators.end(); }

/// Returns the function that makes factors instead of `create` of solver type `name`.
PetscErrorCode CreatorInstead(MatSolverType name, FactorCreator create, FactorCreator* instead)
{
  std::size_t i = 0;

  PetscFunctionBegin;
  while (i < num_replaced && (replaced_types[i].create != create || std::string(replaced_types[i].name) != name)) ++i;
  PetscCheck(i < max_replaced, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More solver types than max_replaced in replace.cxx");
  if (i == num_replaced) replaced_types[num_replaced++] = {name, create};
  *instead = creators[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode RegisterReplacements()
{
  FactorCreator create, instead;

  PetscFunctionBegin;
  num_replaced = 0;
  for (MatType const matrix : matrix_types)
    for (MatSolverType const name : solver_types)
      for (MatFactorType const kind : kinds) {
        PetscCall(MatSolverTypeGet(name, matrix, kind, NULL, NULL, &create));
        if (!create || IsOwn(create)) continue;
        PetscCall(CreatorInstead(name, create, &instead));
        PetscCall(MatSolverTypeRegister(name, matrix, kind, instead));
      }
  // a derived type may be registered with the same function as its base type, which the loop above found first; without
  // a solver type, PETSc takes it nevertheless
  for (MatType const matrix : matrix_types)
    for (MatFactorType const kind : kinds) {
      PetscCall(MatSolverTypeGet(NULL, matrix, kind, NULL, NULL, &create));
      for (std::size_t i = 0; i < num_replaced; ++i)
        if (replaced_types[i].create == create)
          PetscCall(MatSolverTypeRegister(replaced_types[i].name, matrix, kind, creators[i]));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
