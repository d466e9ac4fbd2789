// SPDX-License-Identifier: Apache-2.0
// Cases as options name them: words between separators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace sptrsv::bench {

/// The words between separators; none behind the last one if it ends the text.
inline std::vector<std::string> split(std::string const& text, char separator) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) words.push_back(word);
  return words;
}

/// Takes away the mark `?` of a case that may fail. @return whether it was there
inline bool take_may_fail(std::string& word) {
  bool const marked = !word.empty() && word.back() == '?';
  if (marked) word.pop_back();
  return marked;
}

/// Characters of the column of names: 24, or the longest name().
template <class Case>
int name_width(std::vector<Case> const& cases) {
  std::size_t width = 24;
  for (auto const& c : cases) width = std::max(width, c.name().size());
  return static_cast<int>(width);
}

}  // namespace sptrsv::bench
