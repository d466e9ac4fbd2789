// SPDX-License-Identifier: Apache-2.0
// Self-describing options: an algorithm lists name, range and help once, for PETSc's -help, parameter lists and tests.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "sptrsv/error.hpp"

namespace sptrsv {

/// Description of an option. Without `choices`, an integer in [low, high], which may have to be 0 or a power of two.
struct OptionInfo {
  std::string name;
  std::string help;
  long long value = 0;  ///< default; for a choice its index in `choices`
  long long low = 0;
  long long high = 0;
  std::vector<std::string> choices;
  bool power_of_two = false;

  /// Tells whether an option without choices may have this value.
  bool accepts(long long number) const;
  /// Returns the accepted values as text for messages.
  std::string accepted() const;
};

/// Former name of an option, refused with a hint at the present name; `now` is empty if the option was removed.
struct RenamedOption {
  std::string before, now;
};

/// Values by option name, as text; options unknown to the algorithm are refused.
using OptionValues = std::map<std::string, std::string>;

namespace detail {

/// Visitor that collects the descriptions of an Options struct.
struct CollectOptions {
  std::vector<OptionInfo> infos;
  std::vector<RenamedOption> renames;

  void renamed(char const* before, char const* now);
  void removed(char const* name) { renamed(name, ""); }
  void integer(char const* name, int& value, int low, int high, char const* help);
  void power_of_two(char const* name, int& value, int high, char const* help);
  template <class Enum>
  void choice(char const* name, Enum& value, std::initializer_list<char const*> names, char const* help) {
    choice_at(name, static_cast<int>(value), names, help);
  }
  void choice_at(char const* name, int position, std::initializer_list<char const*> names, char const* help);
};

/// Visitor that sets an Options struct from text and counts the used names.
struct ApplyOptions {
  OptionValues const& given;
  std::string prefix;  // of names in messages
  std::size_t used = 0;

  void renamed(char const* before, char const* now) const;
  void removed(char const* name) const { renamed(name, ""); }
  void integer(char const* name, int& value, int low, int high, char const*);
  void power_of_two(char const* name, int& value, int high, char const*);
  void number(OptionInfo const& info, int& value);
  template <class Enum>
  void choice(char const* name, Enum& value, std::initializer_list<char const*> names, char const* help) {
    int position = 0;
    if (chosen(name, names, help, position)) value = static_cast<Enum>(position);
  }
  bool chosen(char const* name, std::initializer_list<char const*> names, char const* help, int& position);
};

/// @throws InvalidOption for the first name in `given` that is not in `known`.
void refuse_unknown(OptionValues const& given, std::string const& prefix, std::vector<OptionInfo> const& known);

}  // namespace detail

template <class Options>
std::vector<OptionInfo> describe_options() {
  detail::CollectOptions collect;
  Options options;
  options.visit(collect);
  return collect.infos;
}

template <class Options>
std::vector<RenamedOption> renamed_options() {
  detail::CollectOptions collect;
  Options options;
  options.visit(collect);
  return collect.renames;
}

/// Returns the Options that `given` describes.
/// @throws InvalidOption for a value out of range or a name that Options does not have.
template <class Options>
Options make_options(OptionValues const& given, std::string const& prefix = {}) {
  Options options;
  detail::ApplyOptions apply{given, prefix};
  options.visit(apply);
  if (apply.used < given.size()) detail::refuse_unknown(given, prefix, describe_options<Options>());
  return options;
}

}  // namespace sptrsv
