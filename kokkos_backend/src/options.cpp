// SPDX-License-Identifier: Apache-2.0
// Description and parsing of options.
#include "sptrsv/options.hpp"

#include <cctype>
#include <exception>

#include "sptrsv/solver.hpp"

namespace sptrsv {
namespace {

/// Returns the number that a text means, or the position of a word.
/// @throws InvalidOption
int parse(OptionInfo const& info, std::string const& text) {
  std::size_t end = 0;
  long long parsed = 0;
  if (info.is_number()) {
    try {
      parsed = std::stoll(text, &end);
    } catch (std::exception const&) {
      end = 0;
    }
    if (end != 0 && end == text.size() && info.accepts(parsed)) return static_cast<int>(parsed);
  } else if (int const position = info.position(text.c_str()); position >= 0) {
    return position;
  }
  throw InvalidOption("option " + info.name + " is '" + text + "'; " + info.remedy());
}

/// Throws the error for a name that is not in the table.
[[noreturn]] void refuse_name(OptionTable const& table, std::string const& name) {
  for (auto const& option : table.renamed)
    if (option.before == name)
      throw InvalidOption("option " + name +
                          (option.now.empty() ? " was removed; leave it out"
                                              : " is called " + option.now + " since 0.2; use that name"));
  std::string owners, owner;
  for (auto const& algorithm : algorithm_infos()) owners += algorithm.name + ", ";
  owner = name.substr(0, name.find('_'));
  if (owner == name || (owner != "sptrsv" && !find_algorithm(owner)))
    throw InvalidOption("unknown option " + name + "; options start with an algorithm's name: " + owners + "sptrsv");
  std::string known;
  for (auto const& info : table.options)
    if (info.name.compare(0, owner.size() + 1, owner + "_") == 0) known += (known.empty() ? "" : ", ") + info.name;
  throw InvalidOption("unknown option " + name + "; known are " + (known.empty() ? "none" : known));
}

}  // namespace

bool OptionInfo::accepts(long long number) const {
  return number >= low && number <= high && !(kind == Kind::power_of_two && (number & (number - 1)) != 0);
}

int OptionInfo::position(char const* word) const {
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (std::size_t k = 0; k < choices.size(); ++k)
    if (choices[k] == lower) return static_cast<int>(k);
  return -1;
}

std::string OptionInfo::text(long long number) const {
  if (number < 0) return "";
  return is_number() ? std::to_string(number) : choices[static_cast<std::size_t>(number)];
}

std::string OptionInfo::remedy() const {
  std::string const range = std::to_string(low) + " to " + std::to_string(high);
  if (kind == Kind::integer) return "give an integer from " + range;
  if (kind == Kind::power_of_two) return "give 0 or a power of two, from " + range;
  std::string known;
  for (auto const& choice : choices) known += (known.empty() ? "" : ", ") + choice;
  return "choose one of " + known + ": " + help;
}

Options::Options(OptionValues const& text) {
  if (text.empty()) return;
  auto const table = option_table("sptrsv");
  for (auto const& [name, value] : text) {
    OptionInfo const* found = nullptr;
    for (auto const& info : table.options)
      if (info.name == name) found = &info;
    if (!found) refuse_name(table, name);
    values_[name] = parse(*found, value);
  }
}

OptionValues Options::text() const {
  OptionValues out;
  for (auto const& info : option_table("sptrsv").options)
    if (auto const it = values_.find(info.name); it != values_.end()) out[info.name] = info.text(it->second);
  return out;
}

OptionTable option_table(std::string const& type) {
  OptionTable out;
  bool const all = type == "sptrsv";
  auto const add = [&](std::string const& owner, std::vector<OptionInfo> const& options) {
    for (auto info : options) {
      info.name = owner + "_" + info.name;
      out.options.push_back(std::move(info));
    }
  };
  add("sptrsv", all ? planner_info().options : common_options());
  for (auto const& algorithm : algorithm_infos()) {
    if (!all && algorithm.name != type) continue;
    add(algorithm.name, algorithm.options);
    for (auto const& [before, now] : algorithm.renamed)
      out.renamed.push_back({algorithm.name + "_" + before, now.empty() ? now : algorithm.name + "_" + now});
  }
  return out;
}

}  // namespace sptrsv
