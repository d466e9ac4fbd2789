// SPDX-License-Identifier: Apache-2.0
// The names that a caller gives: of an algorithm, and of options.
#pragma once

#include <string>

#include "sptrsv/options.hpp"

namespace sptrsv::detail {

/// The options named "<algorithm>_...", without that prefix.
OptionValues options_of(std::string const& algorithm, OptionValues const& all);

/// Refuses names and options that no algorithm has, whichever is used in the end.
/// @throws UnknownAlgorithm, InvalidOption.
void check_names(std::string const& name, OptionValues const& options);

}  // namespace sptrsv::detail
