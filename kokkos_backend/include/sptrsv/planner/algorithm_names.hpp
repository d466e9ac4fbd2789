// SPDX-License-Identifier: Apache-2.0
// Checks of names that a caller gives: of an algorithm, and of options.
#pragma once

#include <string>

#include "sptrsv/options.hpp"

namespace sptrsv::detail {

/// Returns the options named "<algorithm>_...", without that prefix.
OptionValues options_of(std::string const& algorithm, OptionValues const& all);

/// Checks that some algorithm has the name, and that some algorithm has each option, whichever is used in the end.
/// @throws UnknownAlgorithm, InvalidOption.
void check_names(std::string const& name, OptionValues const& options);

}  // namespace sptrsv::detail
