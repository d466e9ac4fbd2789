// SPDX-License-Identifier: Apache-2.0
// Reads the algorithms' options as PETSc options -mat_sptrsv_<algorithm>_<option>.
#include "options/factor_options.hpp"

#include "kokkos/guarded.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv_petsc {
namespace {

PetscErrorCode CheckRange(PetscObject object, std::string const& name, sptrsv::OptionInfo const& info, PetscInt value)
{
  char const* prefix = object->prefix;

  PetscFunctionBegin;
  PetscCheck(info.accepts(value), PetscObjectComm(object), PETSC_ERR_ARG_OUTOFRANGE,
             "Option -%s%s is %" PetscInt_FMT "; give %s", prefix ? prefix : "", name.c_str() + 1, value,
             info.accepted().c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckChoice(PetscObject object, std::string const& name, sptrsv::OptionInfo const& info,
                           char const* value)
{
  char const* prefix = object->prefix;
  std::string known;

  PetscFunctionBegin;
  for (auto const& choice : info.choices)
    if (choice == value) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Caught(object, [&] {
    for (auto const& choice : info.choices) known += (known.empty() ? "" : ", ") + choice;
  }));
  SETERRQ(PetscObjectComm(object), PETSC_ERR_ARG_OUTOFRANGE, "Option -%s%s is '%s'; choose one of %s: %s",
          prefix ? prefix : "", name.c_str() + 1, value, known.c_str(), info.help.c_str());
}

std::string AlgorithmNames()
{
  std::string names;
  for (auto const& algorithm : sptrsv::algorithm_infos()) names += algorithm.name + ", ";
  return names + "sptrsv";
}

/// Option with the library's key, PETSc's name, and the text for -help.
struct NamedOption {
  NamedOption(std::string const& k, std::string const& n, sptrsv::OptionInfo const& i)
      : key(k), name("-mat_sptrsv_" + n), help(i.help), info(i)
  {
    if (info.choices.empty()) return;
    help += " (one of";
    for (auto const& choice : info.choices) help += " " + choice;
    help += ")";
  }

  std::string key, name, help;
  sptrsv::OptionInfo const& info;
};

/// Returns the options of a type: its own and the common ones; for `sptrsv` the planner's and those of all algorithms.
std::vector<NamedOption> OptionsOf(char const* solver_type)
{
  bool const planner = !std::strcmp(solver_type, "sptrsv");
  std::vector<NamedOption> out;

  for (auto const& info : planner ? sptrsv::planner_info().options : sptrsv::common_options())
    out.emplace_back("sptrsv_" + info.name, info.name, info);
  for (auto const& algorithm : sptrsv::algorithm_infos())
    if (planner || algorithm.name == solver_type)
      for (auto const& info : algorithm.options)
        out.emplace_back(algorithm.name + "_" + info.name, algorithm.name + "_" + info.name, info);
  return out;
}

/// Reads one option; `value` is left empty if the user has not set it.
/// @param PetscOptionsObject  the name that PETSc's macros use; its type depends on PETSc's version
template <class Items>
PetscErrorCode AskPetsc(Items PetscOptionsObject, PetscObject object, NamedOption const& option, char (&value)[64])
{
  sptrsv::OptionInfo const& info = option.info;
  PetscBool set;

  PetscFunctionBegin;
  value[0] = '\0';
  if (info.choices.empty()) {
    PetscInt number = (PetscInt)info.value;
    PetscCall(PetscOptionsInt(option.name.c_str(), option.help.c_str(), "MatSolverType", number, &number, &set));
    if (!set) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(CheckRange(object, option.name, info, number));
    PetscCall(PetscSNPrintf(value, sizeof value, "%" PetscInt_FMT, number));
  } else {
    char word[64];
    PetscCall(PetscOptionsString(option.name.c_str(), option.help.c_str(), "MatSolverType",
                                 info.choices[(std::size_t)info.value].c_str(), word, sizeof word, &set));
    if (!set) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(CheckChoice(object, option.name, info, word));
    PetscCall(PetscStrncpy(value, word, sizeof value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Refuses names and options of earlier versions, which PETSc would only report as unused.
PetscErrorCode RefuseRenamed(PetscObject object, char const* solver_type)
{
  bool const planner = !std::strcmp(solver_type, "sptrsv");

  PetscFunctionBegin;
  for (auto const& algorithm : sptrsv::algorithm_infos())
    for (auto const& option : algorithm.renamed) {
      char before[96], now[96];
      PetscBool set;
      if (!planner && algorithm.name != solver_type) continue;
      PetscCall(
          PetscSNPrintf(before, sizeof before, "-mat_sptrsv_%s_%s", algorithm.name.c_str(), option.before.c_str()));
      PetscCall(PetscSNPrintf(now, sizeof now, "mat_sptrsv_%s_%s", algorithm.name.c_str(), option.now.c_str()));
      PetscCall(PetscOptionsHasName(object->options, object->prefix, before, &set));
      char const* const prefix = object->prefix ? object->prefix : "";
      PetscCheck(!set || !option.now.empty(), PetscObjectComm(object), PETSC_ERR_ARG_WRONG,
                 "Option -%s%s was removed; leave it out", prefix, before + 1);
      PetscCheck(!set, PetscObjectComm(object), PETSC_ERR_ARG_WRONG,
                 "Option -%s%s is called -%s%s since 0.2; use that name", prefix, before + 1, prefix, now);
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode CheckAlgorithm(PetscObject object, char const* source, char const* name, char const* others)
{
  bool known = !std::strcmp(name, "sptrsv");
  std::string names;

  PetscFunctionBegin;
  PetscCall(Caught(object, [&] {
    known = known || sptrsv::find_algorithm(name);
    if (!known) names = AlgorithmNames();
  }));
  PetscCheck(known, PetscObjectComm(object), PETSC_ERR_ARG_UNKNOWN_TYPE, "%s is '%s'; choose one of %s%s", source, name,
             others, names.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadAlgorithm(PetscObject object, std::string& name)
{
  char const* option = "-mat_sptrsv_type";
  char value[64];
  PetscBool set;
  std::string help, source;

  PetscFunctionBegin;
  PetscCall(Caught(object, [&] {
    help = "Algorithm (one of " + AlgorithmNames() + ")";
    source = std::string("Option -") + (object->prefix ? object->prefix : "") + (option + 1);
  }));
  PetscOptionsBegin(PetscObjectComm(object), object->prefix, "Triangular solver", "SpTRSVPCShellSetTriangles");
  PetscCall(
      PetscOptionsString(option, help.c_str(), "SpTRSVPCShellSetTriangles", name.c_str(), value, sizeof value, &set));
  PetscOptionsEnd();
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckAlgorithm(object, source.c_str(), value));
  PetscCall(Caught(object, [&] { name = value; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadOptions(PetscObject object, char const* solver_type, sptrsv::OptionValues& values)
{
  std::vector<NamedOption> options;
  std::string title;

  PetscFunctionBegin;
  PetscCall(RefuseRenamed(object, solver_type));
  PetscCall(Caught(object, [&] {
    options = OptionsOf(solver_type);
    title = std::string("Triangular solver options, ") + solver_type;
  }));
  // not PetscObjectOptionsBegin(): PETSc prints the help of a title once, and that of "Matrix (Mat) options" has been
  // printed
  PetscOptionsBegin(PetscObjectComm(object), object->prefix, title.c_str(), "MatSolverType");
  for (NamedOption const& option : options) {
    char value[64];
    PetscCall(AskPetsc(PetscOptionsObject, object, option, value));
    if (value[0]) PetscCall(Caught(object, [&] { values[option.key] = value; }));
  }
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
