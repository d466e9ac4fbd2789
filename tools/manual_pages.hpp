// SPDX-License-Identifier: Apache-2.0
// Manual pages in PETSc's format for the solver types and orderings of the plugin.
#pragma once

#include <iosfwd>
#include <string>

#include "sptrsv/options.hpp"

/// Returns the values that a numeric option accepts, in words.
std::string accepted_numbers(sptrsv::OptionInfo const& info);

/// Prints the manual pages of all types and orderings.
/// @throws std::logic_error if a reference belongs to no algorithm in the list.
void print_manual_pages(std::ostream& out);
