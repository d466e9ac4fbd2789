// SPDX-License-Identifier: Apache-2.0
// Options of PETSc that last for the lifetime of an object.
#pragma once

#include <petscsys.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

#include "petsc_errors.hpp"

namespace sptrsv::bench {

/// Inserts options into PETSc's database, and finally removes them; options of the same names then get their values
/// back.
class ScopedOptions {
 public:
  ScopedOptions(std::string const& text, Errors const& errors) : options_(parse(text)) {
    char* all = nullptr;
    errors.must(PetscOptionsGetAll(nullptr, &all));
    for (auto const& option : parse(all ? all : ""))
      if (std::any_of(options_.begin(), options_.end(), [&](Option const& mine) { return mine.name == option.name; }))
        before_.push_back(option);
    errors.must(PetscFree(all));
    errors.must(PetscOptionsInsertString(nullptr, text.c_str()));
  }
  ~ScopedOptions() {
    for (auto const& option : options_) (void)PetscOptionsClearValue(nullptr, option.name.c_str());
    for (auto const& option : before_) (void)PetscOptionsSetValue(nullptr, option.name.c_str(), option.value.c_str());
  }
  ScopedOptions(ScopedOptions const&) = delete;
  ScopedOptions& operator=(ScopedOptions const&) = delete;

  /// Returns the names of the options that were set but never queried.
  std::vector<std::string> unused(Errors const& errors) const {
    std::vector<std::string> names;
    for (auto const& option : options_) {
      PetscBool used = PETSC_FALSE;
      errors.must(PetscOptionsUsed(nullptr, option.name.c_str() + 1, &used));
      if (!used) names.push_back(option.name);
    }
    return names;
  }

 private:
  struct Option {
    std::string name;  ///< begins with -
    std::string value;
  };

  static std::vector<Option> parse(std::string const& text) {
    std::vector<Option> options;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
      bool const is_name = word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0;
      if (is_name) options.push_back({word, ""});
      else if (!options.empty()) options.back().value += (options.back().value.empty() ? "" : " ") + word;
    }
    return options;
  }

  std::vector<Option> const options_;
  std::vector<Option> before_;  ///< options of the same names, with their values at construction
};

}  // namespace sptrsv::bench
