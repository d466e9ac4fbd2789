// SPDX-License-Identifier: Apache-2.0
// Tests sizes near the limit of indices: 16 bits stand for 32, so that the limit is small.
#include <limits>
#include <sptrsv/algorithm/tiled/tiled.hpp>
#include <sptrsv/planner/held_algorithm.hpp>
#include <sptrsv/planner/plan_features.hpp>

#include "narrow.hpp"
#include "short_indices_analysis_here.hpp"

extern template struct sptrsv::detail::MakeAlgorithm<sptrsv::instances::short_indices,
                                                     sptrsv::Tiled<sptrsv::instances::short_indices>>;

namespace sptrsv::test {
namespace {

using ShortIndices = Narrow<std::int16_t, int>;

/// Checks `tiled` only, the only type that is instantiated for 16-bit indices.
void expect_tiled_solves(ShortIndices const& t) {
  using T = ShortIndices::T;
  Space const exec;
  for (char const* const variant : {"automatic", "syncfree", "levelset"})
    for (Op const op : {Op::none, Op::transpose}) {
      Analysis<T> const analysis(exec, t.pattern(), {Triangle::lower, Diagonal::stored, op});
      auto const tiles = detail::MakeAlgorithm<T, Tiled<T>>::make(exec, analysis, {{"tiled_variant", variant}});
      tiles->update(exec, analysis, t.all_values());
      EXPECT_EQ(t.wrong_rows(op,
                             [&](auto const& b, auto const& x) {
                               tiles->solve(exec, b, x, {});
                               exec.fence();
                             }),
                0)
          << tiles->parameters();
    }
}

/// Makes levels of 17 rows and of one row in turn, and rows that wait for the row before them.
ShortIndices grouped_rows(int n) {
  ShortIndices t;
  for (int i = 0; i < n; ++i) {
    if (i < 18 || i % 18 == 0) t.add_row({});
    else t.add_row(i % 18 == 17 ? std::vector<int>{i - 2, i - 1} : std::vector<int>{(i / 18) * 18 - 1});
  }
  return t;
}

TEST(Sizes, AsManyRowsAsIndicesDoFor) {
  for (int const n : {most, most / 2, most / 3}) expect_tiled_solves(grouped_rows(n));
}

TEST(Sizes, MoreRowsThanIndicesDoForAreRefused) {
  grouped_rows(most + 1).expect_too_large(
      "the triangle has 31745 rows; indices of 16 bits do for 31744: use longer ones");
  grouped_rows(std::numeric_limits<std::int16_t>::max()).expect_too_large("32767 rows");
  auto t = grouped_rows(10);
  t.row_ptr.resize(70000, t.row_ptr.back());  // more rows than an index can number
  t.expect_too_large("69999 rows");
}

TEST(Sizes, LongRowsOfShortIndices) {  // 16 of them have more entries than an index counts
  ShortIndices t;
  int const n = 4000;
  for (int i = 0; i < n; ++i) {
    std::vector<int> columns;
    for (int c = 0; i >= n - 16 && c < n - 32; ++c)
      columns.push_back(c % 2 ? n - 32 - c : c);  // from both ends in turn
    t.add_row(columns);
  }
  expect_tiled_solves(t);
  Analysis<ShortIndices::T> const analysis(Space(), t.pattern(), {});
  detail::Nodes<ShortIndices::T> const nodes{analysis.rows(Space()), {}, true, 16};
  auto const levels = detail::find_node_levels<ShortIndices::T>(Space(), nodes, 0, false);
  EXPECT_GT(detail::sum_of_most_runs<ShortIndices::T>(Space(), nodes, levels), 60000);
}

TEST(Sizes, ARowWithMoreEntriesThanAnIndexCountsIsRefused) {
  ShortIndices t;
  t.add_row({});
  t.add_row(std::vector<int>(33000, 0));
  t.expect_too_large("entries in a row");
}

}  // namespace
}  // namespace sptrsv::test
