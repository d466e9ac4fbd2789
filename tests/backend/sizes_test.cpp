// SPDX-License-Identifier: Apache-2.0
// Sizes near what indices and offsets count: 16 bits stand for 32, so that the ends of the range are near.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <sptrsv/solver_impl.hpp>

#include "problem.hpp"

namespace sptrsv::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

/// Options that lead an algorithm through its parts.
struct Way {
  std::string algorithm;
  OptionValues options;
};
std::vector<Way> all_ways() {
  return {{"sequential", {}},
          {"levelset", {}},
          {"levelset", {{"levelset_analysis", "root_candidates"}}},
          {"syncfree", {}},
          {"syncfree", {{"syncfree_form", "csc"}}},
          {"threadlevel", {}},
          {"fused", {}},
          {"colorset", {}},
          {"colorset", {{"colorset_form", "cpls"}}},
          {"tiled", {{"tiled_variant", "syncfree"}}},
          {"tiled", {{"tiled_variant", "levelset"}}},
          {"tiled", {{"tiled_diagonal_tiles", "inverted"}}},
          {"tiled", {}},
          {"sptrsv", {}}};
}

/// A lower triangle with twos on its diagonal, and other entries of less than 1 over those of a row.
template <class Index, class Offset>
struct Narrow {
  using Solver = TriangularSolver<double, Index, Offset, Space>;
  using T = typename Solver::types;
  std::vector<Offset> row_ptr{0};
  std::vector<Index> col_idx;
  std::vector<double> values;

  void add_row(std::vector<int> const& columns) {
    for (int const c : columns) {
      col_idx.push_back(static_cast<Index>(c));
      values.push_back(1.0 / static_cast<double>(columns.size() + 1 + c % 3));
    }
    col_idx.push_back(static_cast<Index>(row_ptr.size() - 1));
    values.push_back(2.0);
    row_ptr.push_back(static_cast<Offset>(col_idx.size()));
  }
  typename T::pattern pattern() const {
    return {Kokkos::View<Offset const*, typename T::device>(row_ptr.data(), row_ptr.size()),
            Kokkos::View<Index const*, typename T::device>(col_idx.data(), col_idx.size())};
  }
  typename T::values all_values() const { return typename T::values(values.data(), values.size()); }

  using columns = Kokkos::View<double**, Kokkos::LayoutLeft, typename T::device>;
  /// Rows that x = solve(b) does not meet, with b of ones.
  template <class Solve>
  int wrong_rows(Op op, Solve const& solve) const {
    std::size_t const n = row_ptr.size() - 1;
    columns const b("test::b", n, 1), x("test::x", n, 1);
    Kokkos::deep_copy(b, 1.0);
    solve(b, x);
    std::vector<double> left(n, 1.0);
    for (std::size_t i = 0; i < n; ++i)
      for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
        auto const j = static_cast<std::size_t>(col_idx[k]);
        if (op == Op::none) left[i] -= values[k] * x(j, 0);
        else left[j] -= values[k] * x(i, 0);
      }
    int wrong = 0;
    for (double const r : left) wrong += !(std::abs(r) < 1e-12);
    return wrong;
  }
  int wrong_rows(Way const& way, Op op) const {
    Space const exec;
    Solver solver(way.algorithm, exec, pattern(), {Triangle::lower, Diagonal::stored, op}, way.options);
    solver.update(exec, all_values());
    return wrong_rows(op, [&](columns const& b, columns const& x) {
      solver.solve(exec, b, x);
      exec.fence();
    });
  }
  /// Solves by all ways; of those named, `may_refuse` may.
  void expect_solved(std::string const& may_refuse = "") const {
    for (auto const& way : all_ways())
      for (Op const op : {Op::none, Op::transpose}) {
        std::string what = way.algorithm + (op == Op::none ? "" : ", transposed");
        for (auto const& [name, value] : way.options) what += ", " + value;
        SCOPED_TRACE(what);
        try {
          EXPECT_EQ(wrong_rows(way, op), 0);
        } catch (Unsupported const& e) {
          EXPECT_EQ(way.algorithm, may_refuse);
          EXPECT_NE(std::string(e.what()).find("algorithm tiled does not do"), std::string::npos) << e.what();
          EXPECT_NE(std::string(e.what()).find("offsets of 16 bits; use longer offsets"), std::string::npos)
              << e.what();
        }
      }
  }
  /// The analysis, which all types begin with, refuses.
  void expect_too_large(std::string const& part) const try {
    Analysis<T> const analysis(Space(), pattern(), {});
    ADD_FAILURE() << "nothing was thrown";
  } catch (TooLarge const& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
};

constexpr int most = static_cast<int>(detail::most_counted<std::int16_t>());
using ShortOffsets = Narrow<int, std::int16_t>;
using ShortIndices = Narrow<std::int16_t, int>;

/// Rows of tiles with few entries in many slots: a chain, whose last row has all places before its diagonal, and a
/// list.
ShortOffsets sparse_tiles(int entries) {
  ShortOffsets t;
  for (int i = 0; static_cast<int>(t.col_idx.size()) < entries; ++i) {
    std::vector<int> columns;
    int const room = entries - static_cast<int>(t.col_idx.size()) - 1;
    if (i % 16 == 15 && room >= 16) {
      if (i > 16) columns.push_back(i - 31);
      for (int c = 15; c > 0; --c) columns.push_back(i - c);
    } else if (i % 16 > 0 && room > 0) {
      columns.push_back(i - 1);
    }
    t.add_row(columns);
  }
  return t;
}

TEST(Sizes, AsManyEntriesAsOffsetsDoFor) {
  auto const t = sparse_tiles(most);
  ASSERT_EQ(t.col_idx.size(), static_cast<std::size_t>(most));
  t.expect_solved("tiled");
  sparse_tiles(5000).expect_solved();
}

TEST(Sizes, LongRowsWithinWhatOffsetsDoFor) {  // whose slots are few
  ShortOffsets t;
  for (int i = 0; i < 200; ++i) {
    std::vector<int> columns;
    for (int c = 0; c < i; ++c) columns.push_back(c);
    t.add_row(columns);
  }
  t.expect_solved();
}

TEST(Sizes, MoreEntriesThanOffsetsDoForAreRefused) {
  sparse_tiles(most + 1).expect_too_large(
      "the triangle has 31745 entries, with those stored before it; offsets of 16 bits do for 31744: use longer ones");
  sparse_tiles(std::numeric_limits<std::int16_t>::max()).expect_too_large("32767 entries");
}

/// Tiles alone: other types are not for indices of 16 bits, nor more of a trial with them.
void expect_tiled_solves(ShortIndices const& t) {
  using Tiles = Tiled<ShortIndices::T>;
  Space const exec;
  for (auto const variant : {Tiles::Variant::automatic, Tiles::Variant::syncfree, Tiles::Variant::levelset})
    for (Op const op : {Op::none, Op::transpose}) {
      Analysis<ShortIndices::T> const analysis(exec, t.pattern(), {Triangle::lower, Diagonal::stored, op});
      Tiles::Options options;
      options.variant = variant;
      Tiles tiles(exec, analysis, options);
      tiles.update(exec, analysis, t.all_values());
      EXPECT_EQ(t.wrong_rows(op,
                             [&](auto const& b, auto const& x) {
                               tiles.solve(exec, b, x, {});
                               exec.fence();
                             }),
                0)
          << tiles.parameters();
    }
}

/// Levels of 17 rows and of one, in turn, and rows that wait for the one before.
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
  t.row_ptr.resize(70000, t.row_ptr.back());  // more than the index of a last row
  t.expect_too_large("69999 rows");
}

TEST(Sizes, LongRowsOfShortIndices) {  // 16 of them have more entries than an index counts
  ShortIndices t;
  int const n = 4000;
  for (int i = 0; i < n; ++i) {
    std::vector<int> columns;
    for (int c = 0; i >= n - 16 && c < n - 32; ++c)
      columns.push_back(c % 2 ? n - 32 - c : c);  // here and there in turn
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
