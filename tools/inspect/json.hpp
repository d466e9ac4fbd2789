// SPDX-License-Identifier: Apache-2.0
// The findings for machines.
#pragma once

#include <ostream>

#include "findings.hpp"

namespace sptrsv::tools {

/// One JSON object; seconds, bytes, rows and entries without prefixes, null for what is not known.
/// @param with_density  the grid of the spy plot as well, up to a quarter of a million numbers.
void write_json(std::ostream& out, Report const& report, bool with_density);

}  // namespace sptrsv::tools
