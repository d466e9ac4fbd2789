// SPDX-License-Identifier: Apache-2.0
// The rows of a run as an aligned table.
#pragma once

#include <string>
#include <vector>

#include "run_type.hpp"

/// The table, a line for each row, then the notes and what the columns mean; ends with a line end.
std::string format_table(const std::vector<Row>& rows);
