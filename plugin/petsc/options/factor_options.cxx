// SPDX-License-Identifier: Apache-2.0
// Reads the plugin's options from PETSc's database; no other file does. (Files in direct/ read those of libraries.)
#include "options/factor_options.hpp"

#include <cstring>

#include "kokkos/guarded.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv_petsc {
namespace {

char const* PrefixOf(PetscObject object) { return object->prefix ? object->prefix : ""; }

/// Name of an option, and the texts for -help and errors.
struct AskedOption {
  AskedOption(OptionGroup const& group, sptrsv::OptionInfo const& i)
      : info(i), manual(group.manual), name("-" + (group.start + i.name)), help(i.help), remedy(i.remedy())
  {
    if (!info.choices.empty()) {
      help += info.kind == sptrsv::OptionInfo::Kind::word ? " (" : " (one of ";
      for (auto const& choice : info.choices) help += choice + (&choice == &info.choices.back() ? ")" : " ");
    } else {
      help += " (" + remedy.substr(std::strlen("give ")) + ")";
    }
  }

  sptrsv::OptionInfo const& info;
  char const* manual;
  std::string name, help, remedy;
};

/// Reads a number or the position of a word; `value` does not change if the user has not set the option.
/// @param PetscOptionsObject  the name that PETSc's macros use; its type depends on PETSc's version
template <class Items>
PetscErrorCode AskNumber(Items PetscOptionsObject, PetscObject object, AskedOption const& option, int* value)
{
  sptrsv::OptionInfo const& info = option.info;
  char const *const name = option.name.c_str(), *const help = option.help.c_str();
  PetscInt number = *value;
  PetscBool set;

  PetscFunctionBegin;
  if (info.kind == sptrsv::OptionInfo::Kind::flag) {
    PetscBool on = (PetscBool)(*value > 0);
    PetscCall(PetscOptionsBool(name, help, option.manual, on, &on, &set));
    if (set) number = on;
  } else if (info.is_number()) {
    PetscCall(PetscOptionsInt(name, help, option.manual, number, &number, &set));
    PetscCheck(!set || info.accepts(number), PetscObjectComm(object), PETSC_ERR_ARG_OUTOFRANGE,
               "Option -%s%s is %" PetscInt_FMT "; %s", PrefixOf(object), name + 1, number, option.remedy.c_str());
  } else {
    char word[64] = "";
    char const* const preset = *value < 0 ? "" : info.choices[(std::size_t)*value].c_str();
    PetscCall(PetscOptionsString(name, help, option.manual, preset, word, sizeof word, &set));
    if (set) number = info.position(word);
    PetscCheck(!set || number >= 0, PetscObjectComm(object), PETSC_ERR_ARG_OUTOFRANGE, "Option -%s%s is '%s'; %s",
               PrefixOf(object), name + 1, word, option.remedy.c_str());
  }
  *value = (int)number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads a word, which the caller checks; `value` does not change if the user has not set the option.
template <class Items>
PetscErrorCode AskWord(Items PetscOptionsObject, PetscObject object, AskedOption const& option, std::string* value)
{
  char word[512] = "";
  PetscBool set = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString(option.name.c_str(), option.help.c_str(), option.manual, value->c_str(), word,
                               sizeof word, &set));
  PetscCheck(!set || *word, PetscObjectComm(object), PETSC_ERR_ARG_WRONG, "Option -%s%s has no value; give %s",
             PrefixOf(object), option.name.c_str() + 1, option.info.choices[0].c_str());
  if (set) PetscCall(Caught(object, [&] { *value = word; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Visitor that reads options. After an error it reads no more.
template <class Items>
class PetscVisitor final : public sptrsv::OptionVisitor {
 public:
  PetscVisitor(Items items, PetscObject object, OptionGroup const& group)
      : items_(items), object_(object), group_(group)
  {
  }
  void number(sptrsv::OptionInfo const& info, int& value) override
  {
    AskedOption const option(group_, info);
    if (!code_) code_ = AskNumber(items_, object_, option, &value);
  }
  void word(sptrsv::OptionInfo const& info, std::string& value) override
  {
    AskedOption const option(group_, info);
    if (!code_) code_ = AskWord(items_, object_, option, &value);
  }
  PetscErrorCode code() const { return code_; }

 private:
  Items items_;
  PetscObject object_;
  OptionGroup const& group_;
  PetscErrorCode code_ = PETSC_SUCCESS;
};

template <class Items>
PetscErrorCode Visit(Items items, PetscObject object, OptionGroup const& group,
                     std::function<void(sptrsv::OptionVisitor&)> const& visit)
{
  PetscVisitor<Items> visitor(items, object, group);

  PetscFunctionBegin;
  PetscCall(Caught(object, [&] { visit(visitor); }));
  PetscCall(visitor.code());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Returns the part of an option's PETSc name that follows -mat_sptrsv_.
std::string PetscName(std::string const& key) { return key.compare(0, 7, "sptrsv_") == 0 ? key.substr(7) : key; }

/// Refuses names and options of earlier versions, which PETSc would only report as unused.
PetscErrorCode RefuseRenamed(PetscObject object, sptrsv::OptionTable const& table)
{
  char const *const prefix = PrefixOf(object), *const start = "mat_sptrsv_";

  PetscFunctionBegin;
  for (auto const& [before, now] : table.renamed) {
    char name[96];
    PetscBool set;
    PetscCall(PetscSNPrintf(name, sizeof name, "-%s%s", start, before.c_str()));
    PetscCall(PetscOptionsHasName(object->options, object->prefix, name, &set));
    PetscCheck(!set || !now.empty(), PetscObjectComm(object), PETSC_ERR_ARG_WRONG,
               "Option -%s%s was removed; leave it out", prefix, name + 1);
    PetscCheck(!set, PetscObjectComm(object), PETSC_ERR_ARG_WRONG,
               "Option -%s%s is called -%s%s%s since 0.2; use that name", prefix, name + 1, prefix, start, now.c_str());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode ReadGroup(PetscObject object, OptionGroup const& group,
                         std::function<void(sptrsv::OptionVisitor&)> const& visit)
{
  PetscFunctionBegin;
  // not PetscObjectOptionsBegin(): its title "Matrix (Mat) options" has been printed, and PETSc prints the help under
  // each title only once
  PetscOptionsBegin(PetscObjectComm(object), object->prefix, group.title, group.manual);
  PetscCall(Visit(PetscOptionsObject, object, group, visit));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckAlgorithm(PetscObject object, char const* source, char const* name, char const* others)
{
  bool known = !std::strcmp(name, "sptrsv");
  std::string names;

  PetscFunctionBegin;
  PetscCall(Caught(object, [&] {
    known = known || sptrsv::find_algorithm(name);
    for (auto const& algorithm : sptrsv::algorithm_infos()) names += algorithm.name + ", ";
  }));
  PetscCheck(known, PetscObjectComm(object), PETSC_ERR_ARG_UNKNOWN_TYPE, "%s is '%s'; choose one of %s%ssptrsv", source,
             name, others, names.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadAlgorithm(PetscObject object, std::string& name)
{
  ShellOptions options;
  std::string source;

  PetscFunctionBegin;
  PetscCall(ReadGiven(object, options));
  if (options.type.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Caught(object, [&] { source = std::string("Option -") + PrefixOf(object) + "mat_sptrsv_type"; }));
  PetscCall(CheckAlgorithm(object, source.c_str(), options.type.c_str()));
  name = std::move(options.type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadOptions(PetscObject object, char const* solver_type, sptrsv::Options& values)
{
  sptrsv::OptionTable table;
  std::string title;

  PetscFunctionBegin;
  PetscCall(Caught(object, [&] {
    table = sptrsv::option_table(solver_type);
    title = std::string("Triangular solver options, ") + solver_type;
  }));
  PetscCall(RefuseRenamed(object, table));
  PetscCall(
      ReadGroup(object, {"mat_sptrsv_", title.c_str(), "MatSolverType", "factor"}, [&](sptrsv::OptionVisitor& visitor) {
        for (sptrsv::OptionInfo info : table.options) {
          std::string const key = info.name;
          int value = (int)info.value;
          info.name = PetscName(key);
          visitor.number(info, value);
          if (value != info.value) values.set(key, value);
        }
      }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
