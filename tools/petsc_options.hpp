// SPDX-License-Identifier: Apache-2.0
// Options that the PETSc plugin reads itself, in addition to those in the algorithms' lists.
#pragma once

#include <string>
#include <vector>

/// Description of an option, or of a choice among the values of an option of PETSc.
struct PetscOption {
  std::string name;                  ///< with its hyphen; may be followed by the value that is described
  std::vector<std::string> choices;  ///< accepted words
  std::string values;                ///< accepted values in words, for an option without choices; empty: a flag
  std::string preset;                ///< default; empty: depends on the matrix
  std::string help;
  std::string more;  ///< links and words that a page in Markdown adds to `help`
};

/// Returns the options of all factors; the first one chooses the type.
std::vector<PetscOption> factor_options();

/// Returns the options of the ordering `color`; the first one chooses the ordering.
std::vector<PetscOption> color_options();

/// Returns the options of the ordering `blockcolor`; the first one chooses the ordering.
std::vector<PetscOption> block_color_options();
