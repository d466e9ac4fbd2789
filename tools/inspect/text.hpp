// SPDX-License-Identifier: Apache-2.0
// Prints the findings for people.
#pragma once

#include <ostream>

#include "findings.hpp"

namespace sptrsv::tools {

/// Prints aligned text of at most 110 columns, except for the parameters of algorithms.
void print(std::ostream& out, Report const& report);

}  // namespace sptrsv::tools
