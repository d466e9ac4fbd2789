// SPDX-License-Identifier: Apache-2.0
// Suchoski's performance model: the cost of a solve by sets, from rows per set and entries per row alone.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

namespace sptrsv {

/// Performance model: the time per entry is 1 / (alpha N_r min(phi, P)), with N_r entries per row, phi rows per set, P
/// rows that the machine processes at a time, and 1 / alpha the time of a row. The time of a solve is therefore rows /
/// (alpha min(phi, P)).
/// Source: B. Suchoski, MSc thesis, Penn State 2012, equation 3.1.
struct ColorModel {
  double rows = 0, entries = 0, sets = 0;
  double capacity = 1;     ///< P, rows
  double row_seconds = 0;  ///< 1 / alpha

  double rows_per_set() const { return sets > 0 ? rows / sets : 0; }
  double entries_per_row() const { return rows > 0 ? entries / rows : 0; }
  double seconds() const { return rows > 0 ? row_seconds * rows / std::min(rows_per_set(), capacity) : 0; }
};

inline std::string to_string(ColorModel const& m) {
  char text[200];
  std::snprintf(text, sizeof text, "%.0f %s of %.1f rows, %.1f off-diagonal entries per row; predicted %.3g us", m.sets,
                m.sets == 1 ? "set" : "sets", m.rows_per_set(), m.entries_per_row(), 1e6 * m.seconds());
  return text;
}

}  // namespace sptrsv
