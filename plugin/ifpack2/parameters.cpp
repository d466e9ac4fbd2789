// SPDX-License-Identifier: Apache-2.0
// Turns the algorithms' lists of options into Teuchos parameters "sptrsv: <algorithm> <option>".
#include "sptrsv/ifpack2/detail/parameters.hpp"

#include <Teuchos_StandardParameterEntryValidators.hpp>
#include <algorithm>
#include <vector>

#include "sptrsv/solver.hpp"

namespace sptrsv::ifpack2::detail {
namespace {

char const* const type_name = "relaxation: type";
char const* const sweeps_name = "relaxation: sweeps";
char const* const damping_name = "relaxation: damping factor";
char const* const zero_guess_name = "relaxation: zero starting solution";
char const* const backward_name = "relaxation: backward mode";
char const* const algorithm_name = "sptrsv: algorithm";
char const* const factor_name = "sptrsv: factor";
char const* const factor_choices[] = {"automatic", "sptrsv", "ifpack2"};  // in the order of FactorBy

bool begins_with(std::string const& text, char const* start) { return text.rfind(start, 0) == 0; }

/// Returns the name of the parameter for an option: "<algorithm>_<option>", or "sptrsv_<option>" for all algorithms.
std::string parameter_of(std::string const& key) {
  std::string name = begins_with(key, "sptrsv_") ? key.substr(7) : key;
  std::replace(name.begin(), name.end(), '_', ' ');
  return "sptrsv: " + name;
}

Teuchos::RCP<Teuchos::StringValidator const> one_of(std::vector<std::string> const& choices) {
  return Teuchos::rcp(new Teuchos::StringValidator(Teuchos::Array<std::string>(choices)));
}

}  // namespace

Teuchos::RCP<Teuchos::ParameterList const> valid_parameters() {
  auto list = Teuchos::rcp(new Teuchos::ParameterList("sptrsv"));
  std::vector<std::string> names{planner_info().name};
  std::string help = "How triangles are solved. sptrsv: " + planner_info().summary + ".";
  for (auto const& algorithm : algorithm_infos()) {
    names.push_back(algorithm.name);
    help += " " + algorithm.name + ": " + algorithm.summary + ".";
  }
  list->set(algorithm_name, names.front(), help, one_of(names));
  list->set(factor_name, std::string(factor_choices[0]),
            "SPTRSV_RILUK: who computes the factors. sptrsv: this library, where the matrix lies. ifpack2: "
            "Ifpack2::RILUK. automatic: this library unless \"fact: type\" or \"fact: relax value\" ask for what only "
            "Ifpack2 has, or the matrix is no Tpetra::CrsMatrix with sorted rows (describe() says why).",
            one_of({std::begin(factor_choices), std::end(factor_choices)}));
  for (auto const& info : option_table("sptrsv").options) {
    auto const name = parameter_of(info.name);
    if (info.is_number()) {
      auto const range = Teuchos::rcp(
          new Teuchos::EnhancedNumberValidator<int>(static_cast<int>(info.low), static_cast<int>(info.high)));
      list->set(name, static_cast<int>(info.value), info.help, range);
    } else {
      list->set(name, info.choices[static_cast<std::size_t>(info.value)], info.help, one_of(info.choices));
    }
  }
  return list;
}

Request read_parameters(Teuchos::ParameterList const& list) {
  Teuchos::ParameterList ours(list.name());
  for (auto it = list.begin(); it != list.end(); ++it)
    if (begins_with(list.name(it), "sptrsv")) ours.setEntry(list.name(it), list.entry(it));
  auto const table = option_table("sptrsv");
  for (auto const& info : table.options) {
    // Teuchos' validator would convert text to a number, and its error would not name text that is no number
    auto const name = parameter_of(info.name);
    TEUCHOS_TEST_FOR_EXCEPTION(info.is_number() && ours.isParameter(name) && !ours.isType<int>(name),
                               Teuchos::Exceptions::InvalidParameterType,
                               "sptrsv::ifpack2: parameter \""
                                   << name << "\" is a " << ours.getEntry(name).getAny().typeName()
                                   << "; give an int from " << info.low << " to " << info.high << ".");
  }
  for (auto const& [before, now] : table.renamed)  // removed options are unknown parameters, which Teuchos refuses
    TEUCHOS_TEST_FOR_EXCEPTION(!now.empty() && ours.isParameter(parameter_of(before)),
                               Teuchos::Exceptions::InvalidParameterName,
                               "sptrsv::ifpack2: parameter \"" << parameter_of(before) << "\" is called \""
                                                               << parameter_of(now) << "\" since 0.2; use that name.");
  ours.validateParameters(*valid_parameters());
  Request request;
  if (ours.isParameter(algorithm_name)) request.algorithm = ours.get<std::string>(algorithm_name);
  if (ours.isParameter(factor_name)) {
    auto const* const choice =
        std::find(std::begin(factor_choices), std::end(factor_choices), ours.get<std::string>(factor_name));
    request.factor_by = static_cast<FactorBy>(choice - std::begin(factor_choices));
  }
  for (auto const& info : table.options) {
    auto const name = parameter_of(info.name);
    if (!ours.isParameter(name)) continue;
    int const value =
        info.is_number() ? ours.get<int>(name) : info.position(ours.get<std::string>(name).c_str());  // validated
    TEUCHOS_TEST_FOR_EXCEPTION(
        info.is_number() && !info.accepts(value), Teuchos::Exceptions::InvalidParameterValue,
        "sptrsv::ifpack2: parameter \"" << name << "\" is " << value << "; " << info.remedy() << ".");
    request.options.set(info.name, value);
  }
  return request;
}

Teuchos::ParameterList valid_relaxation_parameters() {
  Teuchos::ParameterList list("relaxation");
  list.set(type_name, std::string("Gauss-Seidel"), "Gauss-Seidel or Symmetric Gauss-Seidel.");
  list.set(sweeps_name, 1, "Number of sweeps, a symmetric one counts once; 0 or more.");
  list.set(damping_name, 1.0, "Omega of SOR, other than 0.");
  list.set(zero_guess_name, true, "Whether sweeps begin with zero; otherwise with the contents of Y.");
  list.set(backward_name, false, "Whether sweeps of type Gauss-Seidel begin with the last row.");
  return list;
}

RelaxationParameters read_relaxation(Teuchos::ParameterList const& list) {
  namespace bad = Teuchos::Exceptions;
  auto const valid = valid_relaxation_parameters();
  Teuchos::ParameterList ours(list.name());
  for (auto it = list.begin(); it != list.end(); ++it) {
    std::string const& name = list.name(it);
    if (!begins_with(name, "relaxation")) continue;
    // Ifpack2's setParameters() adds all of its defaults to the caller's list
    if (!valid.isParameter(name) && list.entry(it).isDefault()) continue;
    TEUCHOS_TEST_FOR_EXCEPTION(!valid.isParameter(name), bad::InvalidParameterName,
                               "sptrsv::ifpack2: SPTRSV_RELAXATION has no parameter \""
                                   << name << "\"; leave it out, or use Ifpack2's own RELAXATION.");
    ours.setEntry(name, list.entry(it));
  }
  if (ours.isType<float>(damping_name)) ours.set(damping_name, static_cast<double>(ours.get<float>(damping_name)));
  ours.validateParametersAndSetDefaults(valid);
  auto const type = ours.get<std::string>(type_name);
  bool const symmetric = type == "Symmetric Gauss-Seidel";
  TEUCHOS_TEST_FOR_EXCEPTION(!symmetric && type != "Gauss-Seidel", bad::InvalidParameterValue,
                             "sptrsv::ifpack2: parameter \""
                                 << type_name << "\" is \"" << type
                                 << "\"; SPTRSV_RELAXATION has Gauss-Seidel and Symmetric Gauss-Seidel, use Ifpack2's "
                                    "own RELAXATION for others.");
  RelaxationParameters out;
  out.sweep = symmetric ? Sweep::symmetric : ours.get<bool>(backward_name) ? Sweep::backward : Sweep::forward;
  out.times = ours.get<int>(sweeps_name);
  out.damping = ours.get<double>(damping_name);
  out.zero_guess = ours.get<bool>(zero_guess_name);
  TEUCHOS_TEST_FOR_EXCEPTION(
      out.times < 0, bad::InvalidParameterValue,
      "sptrsv::ifpack2: parameter \"" << sweeps_name << "\" is " << out.times << "; give 0 or more.");
  TEUCHOS_TEST_FOR_EXCEPTION(
      out.damping == 0, bad::InvalidParameterValue,
      "sptrsv::ifpack2: parameter \"" << damping_name << "\" is 0; give another number, such as 1 for Gauss-Seidel.");
  return out;
}

Teuchos::ParameterList foreign_parameters(Teuchos::ParameterList const& list) {
  Teuchos::ParameterList others(list.name());
  for (auto it = list.begin(); it != list.end(); ++it)
    if (!begins_with(list.name(it), "sptrsv") && !begins_with(list.name(it), "trisolver:"))
      others.setEntry(list.name(it), list.entry(it));
  return others;
}

}  // namespace sptrsv::ifpack2::detail
