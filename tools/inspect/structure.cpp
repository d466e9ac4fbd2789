// SPDX-License-Identifier: Apache-2.0
// Runs the library's analysis on the host, and counts levels, row lengths and tiles.
#include "structure.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <sptrsv/algorithm/tiled/tile_formats.hpp>
#include <sptrsv/triangle/analysis.hpp>

#include "bench/system.hpp"

namespace sptrsv::tools {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using T = Types<double, int, int, Host>;

constexpr int tile_side = tile_size;

T::pattern pattern_of(bench::System const& s) {
  return {Kokkos::View<int const*, T::device>(s.row_ptr.data(), s.row_ptr.size()),
          Kokkos::View<int const*, T::device>(s.col_idx.data(), s.col_idx.size())};
}

}  // namespace

std::string describe_shape(Shape shape) {
  return std::string(shape.triangle == Triangle::lower ? "lower" : "upper") + " triangle" +
         (shape.transposed() ? ", transposed" : "");
}

Source describe_source(support::CsrMatrix const& a, std::string const& name, Shape shape) {
  Source out;
  out.name = name;
  out.shape = describe_shape(shape);
  out.matrix_entries = a.num_entries();
  for (std::int64_t i = 0; i < a.num_rows; ++i) {
    bool stored = false, zero = false;
    for (std::int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      std::int64_t const j = a.col_idx[k];
      if (shape.triangle == Triangle::lower ? j <= i : j >= i) out.not_finite += !std::isfinite(a.values[k]);
      if (j == i) stored = true, zero = a.values[k] == 0;
    }
    out.missing_diagonals += !stored;
    out.zero_diagonals += zero;
    if (out.bad_row < 0 && (!stored || zero)) out.bad_row = i;
  }
  return out;
}

double parallel_granularity(double rows_per_level, double entries_per_row) {
  return std::log10(std::log10(rows_per_level) / std::log10(entries_per_row + 0.01) + 0.01);
}

void add_structure(bench::System const& system, Report& report) {
  Host const exec;
  Analysis<T> const analysis(exec, pattern_of(system), system.shape);
  report.structure = analysis.structure(exec);
  auto const& levels = analysis.levels(exec);
  for (int l = 0; l < levels.num_levels(); ++l) report.level_rows.push_back(levels.rows_in_level(l));
  auto const& rows = analysis.rows(exec);
  for (int i = 0; i < rows.num_rows; ++i) {
    auto const length = rows.end(i) - rows.begin(i);
    if (report.length_rows.size() <= static_cast<std::size_t>(length)) report.length_rows.resize(length + 1, 0);
    ++report.length_rows[length];
    for (int k = rows.begin(i); k < rows.end(i); ++k)
      report.bandwidth = std::max<long long>(report.bandwidth, std::abs(rows.col_idx(k) - i));
  }
  auto const& s = report.structure;
  if (s.rows > 0)
    report.granularity =
        parallel_granularity(s.mean_level, static_cast<double>(s.entries) / static_cast<double>(s.rows));
  report.matrix_bytes = 12.0 * static_cast<double>(s.entries) + 4.0 * static_cast<double>(s.rows + 1);
}

Tiles count_tiles(bench::System const& system) {
  Host const exec;
  Analysis<T> const analysis(exec, pattern_of(system), system.shape);
  auto const& rows = analysis.rows(exec);
  int const n = rows.num_rows;
  // position in solve order
  auto const position = [&](int i) { return analysis.shape().ascending() ? i : n - 1 - i; };
  struct Tile {
    int entries = 0, longest_row = 0;
  };
  std::vector<Tile> strip((n + tile_side - 1) / tile_side);  // one tile row, by tile column
  std::vector<int> touched, in_row(strip.size(), 0), touched_by_row;
  Tiles out{tile_side, 0, {{"diagonal"}, {"dense"}, {"ELL"}, {"sparse"}}};
  for (int t = 0; t < static_cast<int>(strip.size()); ++t) {
    touched = {t};
    for (int p = t * tile_side; p < std::min(n, (t + 1) * tile_side); ++p) {
      int const i = position(p);
      ++strip[t].entries;  // the diagonal entry
      touched_by_row.clear();
      for (int k = rows.begin(i); k < rows.end(i); ++k) {
        int const column = position(rows.col_idx(k)) / tile_side;
        if (in_row[column]++ == 0) touched_by_row.push_back(column);
      }
      for (int const c : touched_by_row) {
        if (strip[c].entries == 0) touched.push_back(c);
        strip[c].entries += in_row[c];
        strip[c].longest_row = std::max(strip[c].longest_row, std::exchange(in_row[c], 0));
      }
    }
    for (int const c : touched) {
      int const width = tile_width(strip[c].entries, strip[c].longest_row);
      auto& format = out.formats[c == t ? 0 : width == tile_side ? 1 : width > 0 ? 2 : 3];
      ++format.tiles;
      format.entries += strip[c].entries;
      strip[c] = {};
    }
    out.count += static_cast<long long>(touched.size());
  }
  return out;
}

}  // namespace sptrsv::tools
