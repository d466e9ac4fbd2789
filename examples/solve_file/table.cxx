// SPDX-License-Identifier: Apache-2.0
// Formats numbers that may be missing, and aligns columns.
#include "table.hpp"

#include <algorithm>
#include <cstdio>

#include "measure.hpp"

namespace {

using Line = std::vector<std::string>;

/// Column; columns with names rather than numbers are aligned on the left.
struct Column {
  const char* name;
  const char* unit;
  bool left;
  std::string (*cell)(const Row& row, const Row& petsc);
};

std::string number(const char* format, double value, double factor = 1) {
  char text[64];
  if (value < 0) return "-";  // a NaN is shown
  std::snprintf(text, sizeof(text), format, value * factor);
  return text;
}

std::string pair(const char* format, double lower, double upper) {
  return lower < 0 ? "-" : number(format, lower) + "/" + number(format, upper);
}

/// Formats two means, with one decimal if the smaller is below 100.
std::string pair_of_means(double lower, double upper) {
  return pair(std::min(lower, upper) < 100 ? "%.1f" : "%.0f", lower, upper);
}

/// Formats the median of some times.
std::string median(const char* format, const std::vector<double>& samples, double factor) {
  return number(format, median_of(samples), factor);
}

/// Formats the speed of a type relative to PETSc's own.
std::string ratio(const std::vector<double>& petsc, const std::vector<double>& samples) {
  const double numerator = median_of(petsc), denominator = median_of(samples);
  return numerator > 0 && denominator > 0 ? number("%.2f", numerator / denominator) : "-";
}

std::string short_reason(const std::string& reason) {
  const std::string prefix = "CONVERGED_";
  return reason.rfind(prefix, 0) == 0 ? reason.substr(prefix.size()) : reason;
}

/// Describes how the answer of a type compares with PETSc's, or its fault.
std::string judgment(const Row& row) {
  if (row.verdict == "not converged") return short_reason(row.reason);
  if (row.verdict == "differs") return "differs by " + number("%.0e", row.difference);
  if (row.verdict == "residual") return "residual " + number("%.0e", row.residual);
  return row.verdict;
}

std::string type_name(const Row& r, const Row&) { return r.type; }
std::string iterations(const Row& r, const Row&) { return number("%.0f", r.iterations); }
std::string analysis_ms(const Row& r, const Row&) { return median("%.2f", r.samples.symbolic, 1e3); }
std::string numeric_ms(const Row& r, const Row&) { return median("%.2f", r.samples.numeric, 1e3); }
std::string mat_solve_us(const Row& r, const Row&) { return median("%.1f", r.samples.mat_solve, 1e6); }
std::string in_krylov_us(const Row& r, const Row&) { return median("%.1f", r.samples.in_krylov, 1e6); }
std::string ksp_solve_ms(const Row& r, const Row&) { return median("%.2f", r.samples.ksp_solve, 1e3); }

const std::vector<Column> comparison = {
    {"type", "", true, type_name},
    {"runs", "", false,
     [](const Row& r, const Row&) { return number("%.0f", static_cast<double>(r.samples.ksp_solve.size())); }},
    {"its", "", false, iterations},
    {"analysis", "ms", false, analysis_ms},
    {"numeric", "ms", false, numeric_ms},
    {"MatSolve", "us", false, mat_solve_us},
    {"in KSPSolve", "us", false, in_krylov_us},
    {"KSPSolve", "ms", false, ksp_solve_ms},
    {"petsc/this", "", false,
     [](const Row& r, const Row& petsc) { return ratio(petsc.samples.ksp_solve, r.samples.ksp_solve); }},
    {"answer", "", true, [](const Row& r, const Row&) { return judgment(r); }},
};

constexpr const char* comparison_legend =
    "times: medians of that many runs, the types in turns\n"
    "its: iterations; analysis, numeric: phases of the factorization, in PETSc's log\n"
    "MatSolve: one alone, again and again; in KSPSolve: one there, where A and the vectors use the caches too\n"
    "petsc/this: petsc's KSPSolve by this one, above 1 is faster than petsc; answer: same as petsc's up to rounding\n";

const std::vector<Column> everything = {
    {"type", "", true, type_name},
    {"algorithm", "", true, [](const Row& r, const Row&) { return r.algorithm; }},
    {"n", "", false, [](const Row& r, const Row&) { return number("%.0f", r.n); }},
    {"nnz", "", false, [](const Row& r, const Row&) { return number("%.0f", r.nnz); }},
    {"levels", "", false, [](const Row& r, const Row&) { return pair("%.0f", r.levels_lower, r.levels_upper); }},
    {"rows/level", "", false, [](const Row& r, const Row&) { return pair_of_means(r.rows_lower, r.rows_upper); }},
    {"its", "", false, iterations},
    {"reason", "", false, [](const Row& r, const Row&) { return short_reason(r.reason); }},
    {"residual", "", false, [](const Row& r, const Row&) { return number("%.1e", r.residual); }},
    {"analysis ms", "", false, analysis_ms},
    {"numeric ms", "", false, numeric_ms},
    {"matsolve us", "", false, mat_solve_us},
    {"in kspsolve us", "", false, in_krylov_us},
    {"kspsolve ms", "", false, ksp_solve_ms},
    {"speedup", "", false,
     [](const Row& r, const Row& petsc) { return ratio(petsc.samples.mat_solve, r.samples.mat_solve); }},
    {"max diff", "", false, [](const Row& r, const Row&) { return number("%.1e", r.difference); }},
    {"verdict", "", true, [](const Row& r, const Row&) { return r.verdict; }},
};

constexpr const char* everything_legend =
    "levels, rows/level: lower/upper triangle; analysis, numeric: PETSc's log of the set-up or of the repeated "
    "numeric\n"
    "phases; matsolve: alone; in kspsolve: each MatSolve there; speedup: petsc's matsolve by this one; max diff: from\n"
    "petsc, by element\n";

std::vector<std::size_t> widths(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  return widths;
}

std::string align(const Line& line, const std::vector<Column>& columns, const std::vector<std::size_t>& widths) {
  std::string out;
  for (std::size_t c = 0; c < line.size(); ++c) {
    const std::string padding(widths[c] - line[c].size(), ' ');
    out += (c > 0 ? "  " : "") + (columns[c].left ? line[c] + padding : padding + line[c]);
  }
  return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
}

/// Lays out the columns and the notes of all rows.
std::string format(const std::vector<Column>& columns, const std::vector<Row>& rows) {
  std::vector<Line> lines(2);
  for (const Column& column : columns) {
    lines[0].push_back(column.name);
    lines[1].push_back(column.unit);
  }
  const auto is_empty = [](const std::string& unit) { return unit.empty(); };
  if (std::all_of(lines[1].begin(), lines[1].end(), is_empty)) lines.pop_back();
  for (const Row& row : rows) {
    lines.emplace_back();
    for (const Column& column : columns) lines.back().push_back(column.cell(row, rows.front()));
  }
  std::string text;
  for (const Line& line : lines) text += align(line, columns, widths(lines));
  for (const Row& row : rows) {
    for (const std::string& note : row.notes) text += row.type + ": " + note + "\n";
  }
  return text;
}

/// Describes the factor, which all types share, and its levels, from the first row that has them.
std::string describe_factor(const std::vector<Row>& rows) {
  std::string text;
  if (rows.front().n >= 0) {
    text = "factor: " + number("%.0f", rows.front().n) + " rows, " + number("%.0f", rows.front().nnz) + " entries";
  }
  for (const Row& row : rows) {
    if (row.levels_lower < 0) continue;
    return text + "; L/U have " + pair("%.0f", row.levels_lower, row.levels_upper) + " levels of " +
           pair_of_means(row.rows_lower, row.rows_upper) + " rows in the mean\n";
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string format_comparison(const std::vector<Row>& rows) {
  return describe_factor(rows) + format(comparison, rows) + comparison_legend;
}

std::string format_table(const std::vector<Row>& rows) { return format(everything, rows) + everything_legend; }
