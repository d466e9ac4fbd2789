// SPDX-License-Identifier: Apache-2.0
// Writes the findings for programs.
#pragma once

#include <ostream>

#include "findings.hpp"

namespace sptrsv::tools {

/// Writes one JSON object; seconds, bytes, rows and entries have no prefixes; unknown values are null.
void write_json(std::ostream& out, Report const& report);

}  // namespace sptrsv::tools
