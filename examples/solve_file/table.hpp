// SPDX-License-Identifier: Apache-2.0
// Formats the rows of a run as aligned tables.
#pragma once

#include <string>
#include <vector>

#include "run_type.hpp"

/// Formats the times of each row relative to the first, which is PETSc's own, with choices and reasons; ends with the
/// meaning of the columns and a line end.
std::string format_comparison(const std::vector<Row>& rows);

/// Formats all data of each row, then the notes and the meaning of the columns; ends with a line end.
std::string format_table(const std::vector<Row>& rows);
