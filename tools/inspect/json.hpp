// SPDX-License-Identifier: Apache-2.0
// Writes the findings for programs.
#pragma once

#include <ostream>

#include "findings.hpp"

namespace sptrsv::tools {

/// Writes one JSON object; seconds, bytes, rows and entries have no prefixes; unknown values are null.
/// @param with_density  adds the grid of the spy plot, up to a quarter of a million numbers.
void write_json(std::ostream& out, Report const& report, bool with_density);

}  // namespace sptrsv::tools
