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

/// One option as shown to people. `choices` empty: an integer in [low, high], and perhaps a power of two or 0 alone.
struct OptionInfo {
  std::string name;
  std::string help;
  long long value = 0;  ///< default; for a choice its position in `choices`
  long long low = 0;
  long long high = 0;
  std::vector<std::string> choices;
  bool power_of_two = false;

  /// Whether an option without choices may have this value.
  bool accepts(long long number) const {
    return number >= low && number <= high && !(power_of_two && (number & (number - 1)) != 0);
  }
  /// For messages: what it may have.
  std::string accepted() const {
    std::string const range = std::to_string(low) + " to " + std::to_string(high);
    return power_of_two ? "0 or a power of two, from " + range : "an integer from " + range;
  }
};

/// An option's name in an earlier version, which is refused with the one that it has now.
struct RenamedOption {
  std::string before, now;
};

/// Values by option name, as text; what an algorithm does not know is refused.
using OptionValues = std::map<std::string, std::string>;

namespace detail {

/// Visitor that collects the descriptions of an Options struct.
struct CollectOptions {
  std::vector<OptionInfo> infos;
  std::vector<RenamedOption> renames;

  void renamed(char const* before, char const* now) { renames.push_back({before, now}); }
  void integer(char const* name, int& value, int low, int high, char const* help) {
    infos.push_back({name, help, value, low, high, {}, false});
  }
  void power_of_two(char const* name, int& value, int high, char const* help) {
    infos.push_back({name, help, value, 0, high, {}, true});
  }
  template <class Enum>
  void choice(char const* name, Enum& value, std::initializer_list<char const*> names, char const* help) {
    infos.push_back({name, help, static_cast<long long>(value), 0, static_cast<long long>(names.size()) - 1,
                     std::vector<std::string>(names.begin(), names.end()), false});
  }
};

/// Visitor that sets an Options struct from text and remembers which names were used.
struct ApplyOptions {
  OptionValues const& given;
  std::string prefix;  // of names in messages
  std::size_t used = 0;

  void integer(char const* name, int& value, int low, int high, char const*) {
    number({name, {}, 0, low, high, {}, false}, value);
  }
  void power_of_two(char const* name, int& value, int high, char const*) {
    number({name, {}, 0, 0, high, {}, true}, value);
  }
  void renamed(char const* before, char const* now) const {
    if (given.count(before))
      throw InvalidOption("option " + prefix + before + " is called " + prefix + now + " since 0.2; use that name");
  }
  void number(OptionInfo const& info, int& value) {
    auto const it = given.find(info.name);
    if (it == given.end()) return;
    ++used;
    std::size_t end = 0;
    long long parsed = 0;
    try {
      parsed = std::stoll(it->second, &end);
    } catch (std::exception const&) {
      end = 0;
    }
    if (end == 0 || end != it->second.size() || !info.accepts(parsed))
      throw InvalidOption("option " + prefix + it->first + " is '" + it->second + "'; give " + info.accepted());
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

template <class Options>
std::vector<RenamedOption> renamed_options() {
  detail::CollectOptions collect;
  Options options;
  options.visit(collect);
  return collect.renames;
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
