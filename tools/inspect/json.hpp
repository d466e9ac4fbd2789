// SPDX-License-Identifier: Apache-2.0
// Findings as JSON, for programs.
#pragma once

#include "bench/json.hpp"
#include "findings.hpp"

namespace sptrsv::tools {

/// Returns one JSON object, with values in seconds, bytes, rows and entries; unknown values are null.
bench::Json json_of(Report const& report);

}  // namespace sptrsv::tools
