// SPDX-License-Identifier: Apache-2.0
// The algorithms' own lists of options as PETSc options -mat_sptrsv_<algorithm>_<option>.
#include "factor_options.hpp"

#include "sptrsv/solver.hpp"

namespace sptrsv_petsc {
namespace {

PetscErrorCode CheckRange(PetscObject object, std::string const& name, sptrsv::OptionInfo const& info, PetscInt value)
{
  char const* prefix = object->prefix;

  PetscFunctionBegin;
  PetscCheck(value >= info.low && value <= info.high, PetscObjectComm(object), PETSC_ERR_ARG_OUTOFRANGE, "Option -%s%s is %" PetscInt_FMT "; give an integer from %lld to %lld", prefix ? prefix : "", name.c_str() + 1, value, info.low, info.high);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckChoice(PetscObject object, std::string const& name, sptrsv::OptionInfo const& info, char const* value)
{
  char const* prefix = object->prefix;
  std::string known;

  PetscFunctionBegin;
  for (auto const& choice : info.choices) {
    if (choice == value) PetscFunctionReturn(PETSC_SUCCESS);
    known += (known.empty() ? "" : ", ") + choice;
  }
  SETERRQ(PetscObjectComm(object), PETSC_ERR_ARG_OUTOFRANGE, "Option -%s%s is '%s'; choose one of %s", prefix ? prefix : "", name.c_str() + 1, value, known.c_str());
}

std::string AlgorithmNames()
{
  std::string names;
  for (auto const& algorithm : sptrsv::algorithm_infos()) names += algorithm.name + ", ";
  return names + "sptrsv";
}

/// An option under the library's key and under PETSc's name.
struct NamedOption {
  std::string                key, name;
  sptrsv::OptionInfo const & info;
};

/// Those of one type, or for the planner its own and all others.
std::vector<NamedOption> OptionsOf(char const* solver_type)
{
  bool const               planner = !std::strcmp(solver_type, "sptrsv");
  std::vector<NamedOption> out;

  if (planner)
    for (auto const& info : sptrsv::planner_info().options) out.push_back({"sptrsv_" + info.name, "-mat_sptrsv_" + info.name, info});
  for (auto const& algorithm : sptrsv::algorithm_infos())
    if (planner || algorithm.name == solver_type)
      for (auto const& info : algorithm.options) out.push_back({algorithm.name + "_" + info.name, "-mat_sptrsv_" + algorithm.name + "_" + info.name, info});
  return out;
}

}  // namespace

PetscErrorCode CheckAlgorithm(PetscObject object, char const* source, char const* name)
{
  PetscFunctionBegin;
  if (!std::strcmp(name, "sptrsv")) PetscFunctionReturn(PETSC_SUCCESS);
  for (auto const& algorithm : sptrsv::algorithm_infos())
    if (algorithm.name == name) PetscFunctionReturn(PETSC_SUCCESS);
  SETERRQ(PetscObjectComm(object), PETSC_ERR_ARG_UNKNOWN_TYPE, "%s is '%s'; choose one of %s", source, name, AlgorithmNames().c_str());
}

PetscErrorCode ReadAlgorithm(PetscObject object, std::string& name)
{
  char const* option = "-mat_sptrsv_type";
  char        value[64];
  PetscBool   set;

  PetscFunctionBegin;
  PetscOptionsBegin(PetscObjectComm(object), object->prefix, "Triangular solver", "SpTRSVPCShellSetTriangles");
  PetscCall(PetscOptionsString(option, ("Algorithm (one of " + AlgorithmNames() + ")").c_str(), "SpTRSVPCShellSetTriangles", name.c_str(), value, sizeof value, &set));
  PetscOptionsEnd();
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  std::string const source = std::string("Option -") + (object->prefix ? object->prefix : "") + (option + 1);
  PetscCall(CheckAlgorithm(object, source.c_str(), value));
  PetscCallCXX(name = value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadOptions(PetscObject object, char const* solver_type, sptrsv::OptionValues& values)
{
  std::vector<NamedOption> options;

  PetscFunctionBegin;
  PetscCallCXX(options = OptionsOf(solver_type));
  // not PetscObjectOptionsBegin(): PETSc prints help once for a title, and "Matrix (Mat) options" has been printed
  PetscOptionsBegin(PetscObjectComm(object), object->prefix, ("Triangular solver options, " + std::string(solver_type)).c_str(), "MatSolverType");
  for (auto const& [key, name, info] : options) {
    PetscBool set;
    if (info.choices.empty()) {
      PetscInt value = (PetscInt)info.value;
      PetscCall(PetscOptionsInt(name.c_str(), info.help.c_str(), "MatSolverType", value, &value, &set));
      if (set) PetscCall(CheckRange(object, name, info, value));
      if (set) values[key] = std::to_string(value);
    } else {
      std::string help = info.help + " (one of";
      for (auto const& choice : info.choices) help += " " + choice;
      char value[64];
      PetscCall(PetscOptionsString(name.c_str(), (help + ")").c_str(), "MatSolverType", info.choices[(std::size_t)info.value].c_str(), value, sizeof value, &set));
      if (set) PetscCall(CheckChoice(object, name, info, value));
      if (set) values[key] = value;
    }
  }
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
