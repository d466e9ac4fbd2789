// SPDX-License-Identifier: Apache-2.0
// Strictly lower pattern that each family makes, and its symmetric renumberings.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sptrsv::support {

/// Strictly lower part of a symmetric pattern: rows sorted, no duplicates.
struct LowerPattern {
  std::int64_t num_rows = 0;
  std::vector<std::int64_t> row_ptr = {0};
  std::vector<std::int64_t> col_idx;

  /// Appends the entry (current row, col).
  void add(std::int64_t col) { col_idx.push_back(col); }
  /// Ends the current row.
  void end_row() {
    row_ptr.push_back(static_cast<std::int64_t>(col_idx.size()));
    ++num_rows;
  }
};

namespace detail {

using Edge = std::pair<std::int64_t, std::int64_t>;

/// Returns the pattern with an entry for each edge {i, j}, i != j; duplicates and loops are dropped.
LowerPattern pattern_from_edges(std::int64_t num_rows, const std::vector<Edge>& edges);

/// Returns the graph with row i renamed new_index[i].
LowerPattern renumber(const LowerPattern& pattern, const std::vector<std::int64_t>& new_index);

/// Adjacency of the graph: neighbors of each row, ascending, without the row itself.
struct Adjacency {
  std::vector<std::int64_t> ptr;
  std::vector<std::int64_t> neighbors;
};
Adjacency adjacency(const LowerPattern& pattern);

/// Returns the new index of each row in nested dissection: separators after the parts that they separate.
std::vector<std::int64_t> nested_dissection(const LowerPattern& pattern);

/// Returns the pattern of the complete factor L of a matrix with this pattern, in this order: with all fill.
/// @throws std::invalid_argument if it has more than 2^28 entries
LowerPattern complete_factor(const LowerPattern& pattern);

/// Returns the new index of each row for an ordering by keyword: `random`, `rcm`, `color` or `nd`.
std::vector<std::int64_t> ordering(const LowerPattern& pattern, const std::string& keyword);

}  // namespace detail
}  // namespace sptrsv::support
