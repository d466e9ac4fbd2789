// SPDX-License-Identifier: Apache-2.0
// The findings for people.
#pragma once

#include <ostream>

#include "findings.hpp"

namespace sptrsv::tools {

/// Aligned text of at most 110 columns, but for the parameters of algorithms.
void print(std::ostream& out, Report const& report);

}  // namespace sptrsv::tools
