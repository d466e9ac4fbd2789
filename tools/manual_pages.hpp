// SPDX-License-Identifier: Apache-2.0
// Manual pages in PETSc's format for the solver types and orderings of the plugin.
#pragma once

#include <iosfwd>
#include <string>

#include "sptrsv/options.hpp"

/// Returns the values that an option without choices accepts, in words.
std::string accepted_numbers(sptrsv::OptionInfo const& info);

/// Returns the default of an option as a user writes it.
std::string default_of(sptrsv::OptionInfo const& info);

/// Prints plugin/petsc/upstream/manual_pages.h.
/// @throws std::logic_error if a reference is that of no algorithm in the list.
void print_manual_pages(std::ostream& out);
