// SPDX-License-Identifier: Apache-2.0
// Parses cases in options: words between separators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace sptrsv::bench {

/// Splits the text into the words between separators; a separator at the end adds no word.
inline std::vector<std::string> split(std::string const& text, char separator) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) words.push_back(word);
  return words;
}

/// Removes the mark `?` of a case that may fail. @return whether it was there
inline bool take_may_fail(std::string& word) {
  bool const marked = !word.empty() && word.back() == '?';
  if (marked) word.pop_back();
  return marked;
}

/// Returns the width of the column of names: the length of the longest name(), at least 24.
template <class Case>
int name_width(std::vector<Case> const& cases) {
  std::size_t width = 24;
  for (auto const& c : cases) width = std::max(width, c.name().size());
  return static_cast<int>(width);
}

}  // namespace sptrsv::bench
