// SPDX-License-Identifier: Apache-2.0
// Options that describe themselves: an algorithm lists name, range and help once, and PETSc's -help,
// a parameter list and the tests all read that list.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "sptrsv/error.hpp"

namespace sptrsv {

/// One option as shown to people. `choices` empty: an integer in [low, high].
struct OptionInfo {
  std::string name;
  std::string help;
  long long value = 0;  ///< default; for a choice its position in `choices`
  long long low = 0;
  long long high = 0;
  std::vector<std::string> choices;
};

/// Values by option name, as text; what an algorithm does not know is refused.
using OptionValues = std::map<std::string, std::string>;

namespace detail {

/// Visitor that collects the descriptions of an Options struct.
struct CollectOptions {
  std::vector<OptionInfo> infos;

  void integer(char const* name, int& value, int low, int high, char const* help) {
    infos.push_back({name, help, value, low, high, {}});
  }
  template <class Enum>
  void choice(char const* name, Enum& value, std::initializer_list<char const*> names, char const* help) {
    infos.push_back({name, help, static_cast<long long>(value), 0, static_cast<long long>(names.size()) - 1,
                     std::vector<std::string>(names.begin(), names.end())});
  }
};

/// Visitor that sets an Options struct from text and remembers which names were used.
struct ApplyOptions {
  OptionValues const& given;
  std::string prefix;  // of names in messages
  std::size_t used = 0;

  void integer(char const* name, int& value, int low, int high, char const*) {
    auto const it = given.find(name);
    if (it == given.end()) return;
    ++used;
    std::size_t end = 0;
    long long parsed = 0;
    try {
      parsed = std::stoll(it->second, &end);
    } catch (std::exception const&) {
      end = 0;
    }
    if (end == 0 || end != it->second.size() || parsed < low || parsed > high)
      throw InvalidOption("option " + prefix + it->first + " is '" + it->second + "'; give an integer from " +
                          std::to_string(low) + " to " + std::to_string(high));
    value = static_cast<int>(parsed);
  }
  template <class Enum>
  void choice(char const* name, Enum& value, std::initializer_list<char const*> names, char const*) {
    auto const it = given.find(name);
    if (it == given.end()) return;
    ++used;
    int position = 0;
    std::string known;
    for (char const* candidate : names) {
      if (it->second == candidate) {
        value = static_cast<Enum>(position);
        return;
      }
      known += (position++ ? ", " : "") + std::string(candidate);
    }
    throw InvalidOption("option " + prefix + it->first + " is '" + it->second + "'; choose one of " + known);
  }
};

}  // namespace detail

template <class Options>
std::vector<OptionInfo> describe_options() {
  detail::CollectOptions collect;
  Options options;
  options.visit(collect);
  return collect.infos;
}

/// @throws InvalidOption for a value out of range or a name that Options does not have.
template <class Options>
Options make_options(OptionValues const& given, std::string const& prefix = {}) {
  Options options;
  detail::ApplyOptions apply{given, prefix};
  options.visit(apply);
  if (apply.used == given.size()) return options;
  std::string known;
  for (auto const& info : describe_options<Options>()) known += (known.empty() ? "" : ", ") + prefix + info.name;
  for (auto const& [name, value] : given) {
    bool found = false;
    for (auto const& info : describe_options<Options>()) found = found || info.name == name;
    if (!found)
      throw InvalidOption("unknown option " + prefix + name + "; known are " + (known.empty() ? "none" : known));
  }
  return options;
}

}  // namespace sptrsv
