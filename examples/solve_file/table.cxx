// SPDX-License-Identifier: Apache-2.0
// Formatting of numbers that may be missing, and alignment of columns.
#include "table.hpp"

#include <algorithm>
#include <cstdio>

namespace {

using Line = std::vector<std::string>;

constexpr const char* legend =
    "levels, rows/level: lower/upper triangle; analysis, numeric: PETSc's log of the last set-up or the repeated\n"
    "numeric phases; matsolve: median; speedup: petsc's matsolve by this one; max diff: from petsc, by element\n";

std::string number(const char* format, double value, double factor = 1) {
  char text[64];
  if (value < 0) return "-";  // a NaN is shown
  std::snprintf(text, sizeof(text), format, value * factor);
  return text;
}

std::string pair(const char* format, double lower, double upper) {
  return lower < 0 ? "-" : number(format, lower) + "/" + number(format, upper);
}

/// A mean below 100 with a decimal.
std::string pair_of_means(double lower, double upper) {
  return pair(std::min(lower, upper) < 100 ? "%.1f" : "%.0f", lower, upper);
}

std::string short_reason(const std::string& reason) {
  const std::string prefix = "CONVERGED_";
  return reason.rfind(prefix, 0) == 0 ? reason.substr(prefix.size()) : reason;
}

Line format_row(const Row& row, const Row& reference) {
  const bool comparable = row.mat_solve > 0 && reference.mat_solve > 0;
  return {row.type,
          row.algorithm,
          number("%.0f", row.n),
          number("%.0f", row.nnz),
          pair("%.0f", row.levels_lower, row.levels_upper),
          pair_of_means(row.rows_lower, row.rows_upper),
          number("%.0f", row.iterations),
          short_reason(row.reason),
          number("%.1e", row.residual),
          number("%.2f", row.symbolic, 1e3),
          number("%.2f", row.numeric, 1e3),
          number("%.1f", row.mat_solve, 1e6),
          number("%.2f", row.ksp_solve, 1e3),
          comparable ? number("%.2f", reference.mat_solve / row.mat_solve) : "-",
          number("%.1e", row.difference),
          row.verdict};
}

std::string align(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  std::string text;
  for (const Line& line : lines) {
    std::string out;
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string padding(widths[c] - line[c].size(), ' ');
      const bool left = c < 2 || c + 1 == line.size();
      out += (c > 0 ? "  " : "") + (left ? line[c] + padding : padding + line[c]);
    }
    text += out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

std::string format_table(const std::vector<Row>& rows) {
  std::vector<Line> lines = {{"type", "algorithm", "n", "nnz", "levels", "rows/level", "its", "reason", "residual",
                              "analysis ms", "numeric ms", "matsolve us", "kspsolve ms", "speedup", "max diff",
                              "verdict"}};
  for (const Row& row : rows) lines.push_back(format_row(row, rows.front()));
  std::string text = align(lines);
  for (const Row& row : rows) {
    if (!row.note.empty()) text += row.type + ": " + row.note + "\n";
  }
  return text + legend;
}
