// SPDX-License-Identifier: Apache-2.0
// The rows of a run as aligned tables.
#pragma once

#include <string>
#include <vector>

#include "run_type.hpp"

/// Formats the times of each row beside those of the first, which is PETSc's own, and what was chosen and why; ends
/// with what the columns mean and a line end.
std::string format_comparison(const std::vector<Row>& rows);

/// Formats all that is known of each row, then the notes and what the columns mean; ends with a line end.
std::string format_table(const std::vector<Row>& rows);
