// SPDX-License-Identifier: Apache-2.0
// Options that describe themselves: a struct lists name, range, default and help of its members once, in visit(), for
// C++, PETSc's -help, Ifpack2's parameter lists, the printed pages and tests.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sptrsv/error.hpp"

namespace sptrsv {

/// Description of an option. Kind::word is text that its reader checks. All other kinds are integers in [low, high];
/// those of Kind::choice and Kind::flag are positions in `choices`.
struct OptionInfo {
  enum class Kind { integer, power_of_two, choice, flag, word };

  std::string name;
  std::string help;
  long long value = 0;  ///< default; for a choice its index in `choices`; -1: depends on the object
  long long low = 0;
  long long high = 0;
  std::vector<std::string> choices;  ///< accepted words; for Kind::word a description of them
  Kind kind = Kind::integer;

  bool is_number() const { return kind == Kind::integer || kind == Kind::power_of_two; }
  /// Tells whether an option that is a number may have this value.
  bool accepts(long long number) const;
  /// Returns the position of a word in `choices`, in upper or lower case, or -1.
  int position(char const* word) const;
  /// Returns a value as its user writes it; empty for -1.
  std::string text(long long number) const;
  /// Returns the advice in the error for a refused value.
  std::string remedy() const;
};

/// Former name of an option, refused with a hint at the present name; `now` is empty if the option was removed.
struct RenamedOption {
  std::string before, now;
};

/// Values of options as text; a key is "<algorithm>_<option>".
using OptionValues = std::map<std::string, std::string>;

/// Visitor of a struct's options. The struct calls a member function for each option, in the order of -help; each of
/// these calls number(), word() or renamed().
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  template <class Integer>
  void integer(char const* name, Integer& value, int low, int high, char const* help) {
    convert({name, help, static_cast<long long>(value), low, high, {}, OptionInfo::Kind::integer}, value);
  }
  /// Visits an option that is 0 or a power of two.
  void power_of_two(char const* name, int& value, int high, char const* help) {
    number({name, help, value, 0, high, {}, OptionInfo::Kind::power_of_two}, value);
  }
  /// Visits an enumeration whose value k is called names[k]; -1 has no name.
  template <class Enum>
  void choice(char const* name, Enum& value, std::initializer_list<char const*> names, char const* help) {
    convert({name, help, static_cast<long long>(value), 0, static_cast<long long>(names.size()) - 1,
             std::vector<std::string>(names.begin(), names.end()), OptionInfo::Kind::choice},
            value);
  }
  /// Visits a bool, or an int that may be -1, neither true nor false.
  template <class Flag>
  void flag(char const* name, Flag& value, char const* help) {
    convert({name, help, static_cast<long long>(value), 0, 1, {"false", "true"}, OptionInfo::Kind::flag}, value);
  }
  /// Visits text that its reader checks.
  /// @param accepted  description of the accepted words
  void text(char const* name, std::string& value, char const* accepted, char const* help) {
    word({name, help, -1, 0, 0, {accepted}, OptionInfo::Kind::word}, value);
  }
  virtual void renamed(char const*, char const*) {}
  void removed(char const* name) { renamed(name, ""); }

  virtual void number(OptionInfo const& info, int& value) = 0;
  virtual void word(OptionInfo const&, std::string&) {}

 private:
  template <class Value>
  void convert(OptionInfo const& info, Value& value) {
    int converted = static_cast<int>(info.value);
    number(info, converted);
    value = static_cast<Value>(converted);
  }
};

/// Options, and former names that are refused.
struct OptionTable {
  std::vector<OptionInfo> options;
  std::vector<RenamedOption> renamed;
};

/// Returns the options of a type, called "<algorithm>_<option>": the common ones and its own; for `sptrsv` those of the
/// planner and of all algorithms.
OptionTable option_table(std::string const& type);

/// Checked option values by key "<algorithm>_<option>". Text is parsed here, once; afterwards values are numbers.
class Options {
 public:
  Options() = default;
  /// Parses text.
  /// @throws InvalidOption for a value out of range, or a name that no algorithm has.
  Options(OptionValues const& text);
  Options(std::initializer_list<OptionValues::value_type> text) : Options(OptionValues(text)) {}

  /// Sets a number, or the position of a word, that the caller has checked by option_table().
  void set(std::string const& key, int value) { values_[key] = value; }
  std::map<std::string, int> const& values() const { return values_; }
  OptionValues text() const;
  bool operator==(Options const& other) const { return values_ == other.values_; }

  /// Returns the options of an algorithm as its struct; the name `sptrsv` means the planner.
  template <class Struct>
  Struct of(std::string const& algorithm) const;

 private:
  std::map<std::string, int> values_;
};

namespace detail {

/// Visitor that collects the descriptions of a struct's options.
struct CollectOptions final : OptionVisitor {
  OptionTable table;

  void renamed(char const* before, char const* now) override { table.renamed.push_back({before, now}); }
  void number(OptionInfo const& info, int&) override { table.options.push_back(info); }
  void word(OptionInfo const& info, std::string&) override { table.options.push_back(info); }
};

/// Visitor that sets the members of a struct.
struct AssignOptions final : OptionVisitor {
  std::map<std::string, int> const& values;
  std::string prefix;

  AssignOptions(std::map<std::string, int> const& v, std::string p) : values(v), prefix(std::move(p)) {}
  void number(OptionInfo const& info, int& value) override {
    auto const it = values.find(prefix + info.name);
    if (it != values.end()) value = it->second;
  }
};

}  // namespace detail

/// Returns the descriptions of a struct's options, under the names that the struct gives them, without a prefix.
template <class Struct>
OptionTable describe_options() {
  detail::CollectOptions collect;
  Struct options;
  options.visit(collect);
  return collect.table;
}

template <class Struct>
Struct Options::of(std::string const& algorithm) const {
  Struct options;
  detail::AssignOptions assign(values_, algorithm + "_");
  if (!values_.empty()) options.visit(assign);
  return options;
}

}  // namespace sptrsv
