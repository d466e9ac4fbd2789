// SPDX-License-Identifier: Apache-2.0
// Description, parsing and refusal of options.
#include "sptrsv/options.hpp"

#include <algorithm>
#include <exception>

namespace sptrsv {

bool OptionInfo::accepts(long long number) const {
  return number >= low && number <= high && !(power_of_two && (number & (number - 1)) != 0);
}

std::string OptionInfo::accepted() const {
  std::string const range = std::to_string(low) + " to " + std::to_string(high);
  return power_of_two ? "0 or a power of two, from " + range : "an integer from " + range;
}

namespace detail {

void CollectOptions::renamed(char const* before, char const* now) { renames.push_back({before, now}); }

void CollectOptions::integer(char const* name, int& value, int low, int high, char const* help) {
  infos.push_back({name, help, value, low, high, {}, false});
}

void CollectOptions::power_of_two(char const* name, int& value, int high, char const* help) {
  infos.push_back({name, help, value, 0, high, {}, true});
}

void CollectOptions::choice_at(char const* name, int position, std::initializer_list<char const*> names,
                               char const* help) {
  infos.push_back({name, help, position, 0, static_cast<long long>(names.size()) - 1,
                   std::vector<std::string>(names.begin(), names.end()), false});
}

void ApplyOptions::renamed(char const* before, char const* now) const {
  if (given.count(before) == 0) return;
  if (!*now) throw InvalidOption("option " + prefix + before + " was removed; leave it out");
  throw InvalidOption("option " + prefix + before + " is called " + prefix + now + " since 0.2; use that name");
}

void ApplyOptions::integer(char const* name, int& value, int low, int high, char const*) {
  number({name, {}, 0, low, high, {}, false}, value);
}

void ApplyOptions::power_of_two(char const* name, int& value, int high, char const*) {
  number({name, {}, 0, 0, high, {}, true}, value);
}

void ApplyOptions::number(OptionInfo const& info, int& value) {
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

bool ApplyOptions::chosen(char const* name, std::initializer_list<char const*> names, char const* help, int& position) {
  auto const it = given.find(name);
  if (it == given.end()) return false;
  ++used;
  position = 0;
  std::string known;
  for (char const* candidate : names) {
    if (it->second == candidate) return true;
    known += (position++ ? ", " : "") + std::string(candidate);
  }
  throw InvalidOption("option " + prefix + it->first + " is '" + it->second + "'; choose one of " + known + ": " +
                      help);
}

void refuse_unknown(OptionValues const& given, std::string const& prefix, std::vector<OptionInfo> const& known) {
  std::string names;
  for (auto const& info : known) names += (names.empty() ? "" : ", ") + prefix + info.name;
  for (auto const& [name, value] : given)
    if (std::none_of(known.begin(), known.end(), [&](OptionInfo const& info) { return info.name == name; }))
      throw InvalidOption("unknown option " + prefix + name + "; known are " + (names.empty() ? "none" : names));
}

}  // namespace detail
}  // namespace sptrsv
