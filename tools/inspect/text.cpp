// SPDX-License-Identifier: Apache-2.0
// Prints the findings, section by section.
#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace sptrsv::tools {
namespace {

template <class... Values>
std::string text(char const* format, Values... values) {
  char line[400];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

/// Returns a number with separators: 1585478 as 1,585,478.
std::string grouped(long long number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<long long>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string mebibytes(double bytes) { return text("%.3f", bytes / (1 << 20)); }

/// Prints a line: a name, a number, and further text.
void fact(std::ostream& out, char const* name, std::string const& value, std::string const& more = "") {
  out << text("  %-22s %14s", name, value.c_str()) << (more.empty() ? "" : "   ") << more << '\n';
}

/// Counts in classes whose widths double: 0, 1, 2-3, 4-7 and so on.
struct Doubling {
  struct Class {
    long long members = 0, weight = 0;
  };
  std::vector<Class> classes;

  void add(long long size, long long members, long long weight) {
    std::size_t k = 0;
    for (long long s = size; s > 0; s /= 2) ++k;
    if (classes.size() <= k) classes.resize(k + 1);
    classes[k].members += members;
    classes[k].weight += weight;
  }
};

/// Prints a table of the classes between the first and the last one in use.
void print_classes(std::ostream& out, Doubling const& d, char const* size, char const* members, char const* weight) {
  constexpr double width = 40;
  long long most = 0, all = 0;
  for (auto const& c : d.classes) most = std::max(most, c.members), all += c.weight;
  out << text("  %21s %14s %14s\n", size, members, weight);
  bool begun = false;
  for (std::size_t k = 0; k < d.classes.size(); ++k) {
    auto const& c = d.classes[k];
    begun = begun || c.members > 0;
    if (!begun) continue;
    long long const low = k == 0 ? 0 : 1LL << (k - 1), high = k == 0 ? 0 : (1LL << k) - 1;
    std::string const range = low == high ? grouped(low) : grouped(low) + " - " + grouped(high);
    int const bar = c.members == 0 ? 0
                                   : std::max(1, static_cast<int>(std::lround(width * static_cast<double>(c.members) /
                                                                              static_cast<double>(most))));
    double const share = all == 0 ? 0 : 100.0 * static_cast<double>(c.weight) / static_cast<double>(all);
    out << text("  %21s %14s %12.1f %%", range.c_str(), grouped(c.members).c_str(), share) << (bar ? "  " : "")
        << std::string(bar, '#') << '\n';
  }
}

void print_source(std::ostream& out, Report const& r) {
  auto const& s = r.source;
  out << s.name << ", " << s.shape << '\n';
  auto const warn = [&](long long count, char const* what, long long row) {
    if (count == 0) return;
    out << "  ! " << grouped(count) << (count == 1 ? " row" : " rows") << what;
    if (row >= 0) out << ", the first is row " << row << " of 0.." << r.structure.rows - 1;
    out << '\n';
  };
  warn(s.missing_diagonals, " without a diagonal entry: as it is, only a unit diagonal can be solved with",
       s.zero_diagonals > 0 ? -1 : s.bad_row);
  warn(s.zero_diagonals, " with a zero on the diagonal: as it is, only a unit diagonal can be solved with",
       s.missing_diagonals > 0 ? -1 : s.bad_row);
  if (s.not_finite > 0) out << "  ! " << grouped(s.not_finite) << " entries are infinite or not numbers\n";
  if (r.structure.rows > 0 && r.structure.entries == r.structure.rows && s.matrix_entries > r.structure.entries)
    out << "  ! no entry beside the diagonal in this triangle, but there are in the other\n";
}

void print_structure(std::ostream& out, Report const& r) {
  auto const& s = r.structure;
  double const per_row = s.rows == 0 ? 0 : static_cast<double>(s.entries) / static_cast<double>(s.rows);
  fact(out, "rows", grouped(s.rows));
  fact(out, "entries", grouped(s.entries),
       text("%.2f per row, with the diagonal; %s MiB as CSR", per_row, mebibytes(r.matrix_bytes).c_str()));
  fact(out, "longest row", grouped(s.longest_row), text("off-diagonal entries; mean %.2f", s.mean_row));
  fact(out, "bandwidth", grouped(r.bandwidth), "greatest distance of an entry from the diagonal");
  fact(out, "levels", grouped(s.levels),
       text("of %.1f rows on average, %s to %s", s.mean_level, grouped(s.narrowest_level).c_str(),
            grouped(s.widest_level).c_str()));
  fact(out, "parallel granularity", std::isfinite(r.granularity) ? text("%.2f", r.granularity) : "-",
       "high: wide levels of short rows; above 0.7 a warp per row wastes lanes");
}

void print_colors(std::ostream& out, Report const& r) {
  if (!r.colors) return;
  auto const& rows = r.colors->rows;
  std::string more = r.colors->method + " coloring of T + T^T";
  if (!rows.empty())
    more += ", " + grouped(*std::min_element(rows.begin(), rows.end())) + " to " +
            grouped(*std::max_element(rows.begin(), rows.end())) + " rows each";
  fact(out, "colors", grouped(static_cast<long long>(rows.size())), more);
}

void print_tiles(std::ostream& out, Report const& r) {
  if (!r.tiles) return;
  auto const& t = *r.tiles;
  double const mean = t.count == 0 ? 0 : static_cast<double>(r.structure.entries) / static_cast<double>(t.count);
  fact(out, "tiles with entries", grouped(t.count), text("of %d x %d, %.1f entries each", t.side, t.side, mean));
  if (t.count == 0) return;
  out << text("\nTiles by their format\n  %21s %14s %14s\n", "format", "tiles", "share of entries");
  for (auto const& f : t.formats)
    if (f.tiles > 0)
      out << text("  %21s %14s %12.1f %%\n", f.name.c_str(), grouped(f.tiles).c_str(),
                  100.0 * static_cast<double>(f.entries) / static_cast<double>(r.structure.entries));
}

void print_histograms(std::ostream& out, Report const& r) {
  Doubling levels, lengths;
  for (auto const rows : r.level_rows) levels.add(rows, 1, rows);
  for (std::size_t length = 0; length < r.length_rows.size(); ++length)
    if (r.length_rows[length] > 0)
      lengths.add(static_cast<long long>(length), r.length_rows[length],
                  static_cast<long long>(length) * r.length_rows[length]);
  out << "\nLevels by their rows\n";
  print_classes(out, levels, "rows in a level", "levels", "share of rows");
  out << "\nRows by their off-diagonal entries\n";
  print_classes(out, lengths, "entries in a row", "rows", "share of entries");
}

void print_algorithms(std::ostream& out, Report const& r) {
  auto const& p = r.place;
  out << "\nTypes on " << p.space << ", " << p.device << ", " << grouped(p.threads)
      << (p.threads == 1 ? " thread" : " threads");
  if (r.columns > 1) out << ", " << r.columns << " right-hand sides";
  out << (r.timed ? "; median times" : "") << "; memory beyond T itself\n";
  bool predicted = false;
  for (auto const& a : r.algorithms) predicted = predicted || std::isfinite(a.predicted);
  out << text("  %-14s %11s", "type", "memory MiB");
  if (r.timed) out << text(" %11s %11s %11s", "analyze ms", "update ms", "solve us");
  if (predicted) out << text(" %13s", "predicted us");
  if (r.timed) out << text(" %11s", "x fastest");
  out << '\n';
  auto const* const best = fastest(r);
  auto const row = [&](bench::Result const& a, std::string const& name, double model) {
    if (!a.refusal.empty() || !a.error.empty()) {
      out << text("  %-14s ", name.c_str()) << (a.refusal.empty() ? "FAILED: " + a.error : "not run: " + a.refusal)
          << '\n';
      return;
    }
    out << text("  %-14s %11s", name.c_str(), mebibytes(static_cast<double>(a.memory_bytes)).c_str());
    if (a.timed)
      out << text(" %11.4f %11.4f %11.1f", 1e3 * a.analyze.median, 1e3 * a.update.median, 1e6 * a.solve.median);
    if (predicted) out << (std::isfinite(model) ? text(" %13.1f", 1e6 * model) : text(" %13s", "-"));
    if (a.timed && best) out << text(" %11.2f", a.solve.median / best->result.solve.median);
    out << '\n';
  };
  for (auto const& a : r.algorithms) row(a.result, a.result.algorithm, a.predicted);
  row(r.planned, "sptrsv", std::nan(""));
  out << "Parameters\n";
  for (auto const& a : r.algorithms)
    if (!a.result.parameters.empty())
      out << text("  %-14s ", a.result.algorithm.c_str()) << a.result.parameters << '\n';
}

void print_choice(std::ostream& out, Report const& r) {
  if (!r.planned.error.empty()) return;
  out << "Choice of the planner, sptrsv\n  " << r.planned.used << ": " << r.planned.reason << '\n';
  auto const* const best = fastest(r);
  if (!best) return;
  out << "  the fastest measured is " << best->result.algorithm;
  for (auto const& a : r.algorithms)
    if (a.result.timed && a.result.algorithm == r.planned.used && &a != best)
      out << text("; the chosen one takes %.2f times as long", a.result.solve.median / best->result.solve.median);
  out << '\n';
}

}  // namespace

void print(std::ostream& out, Report const& report) {
  print_source(out, report);
  print_structure(out, report);
  print_colors(out, report);
  print_tiles(out, report);
  print_histograms(out, report);
  print_algorithms(out, report);
  print_choice(out, report);
}

}  // namespace sptrsv::tools
