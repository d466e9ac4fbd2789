// SPDX-License-Identifier: Apache-2.0
// The findings for programs.
#pragma once

#include "bench/json.hpp"
#include "findings.hpp"

namespace sptrsv::tools {

/// Returns one JSON object; seconds, bytes, rows and entries have no prefixes; unknown values are null.
bench::Json json_of(Report const& report);

}  // namespace sptrsv::tools
