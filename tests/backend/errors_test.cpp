// SPDX-License-Identifier: Apache-2.0
// Tests bad input: every error by type, row and text; and NaN and infinity, which are valid data.
#include <gtest/gtest.h>

#include <cmath>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

/// Calls f, which must throw E, and returns the error.
template <class E, class F>
E thrown_by(F const& f) {
  try {
    f();
  } catch (E const& e) {
    return e;
  } catch (std::exception const& e) {
    ADD_FAILURE() << "another exception: " << e.what();
    throw;
  }
  ADD_FAILURE() << "nothing was thrown";
  throw std::logic_error("nothing was thrown");
}
template <class E>
void expect_text(E const& error, std::string const& part) {
  EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
}

constexpr Shape lower{Triangle::lower, Diagonal::stored, Op::none};
constexpr Shape upper{Triangle::upper, Diagonal::stored, Op::none};
constexpr Shape unit{Triangle::lower, Diagonal::unit, Op::none};

template <class Space>
class Errors : public ::testing::Test {
 protected:
  using T = TypesOf<double, Space>;
  Space exec;

  auto analyze(std::vector<int> const& row_ptr, std::vector<int> const& col_idx, Shape shape,
               RowOrder order = RowOrder::natural, std::string const& algorithm = "sequential",
               OptionValues const& options = {}) const {
    return Solver<double, Space>(algorithm, exec, to_pattern<T>(row_ptr, col_idx, order), shape, options);
  }
  template <class E>
  E refused(std::vector<int> const& row_ptr, std::vector<int> const& col_idx, Shape shape,
            RowOrder order = RowOrder::natural) const {
    return thrown_by<E>([&] { analyze(row_ptr, col_idx, shape, order); });
  }
  InvalidOption bad_option(std::string const& key, std::string const& value) const {
    return thrown_by<InvalidOption>(
        [&] { analyze({0, 1}, {0}, lower, RowOrder::natural, "levelset", {{key, value}}); });
  }
};
TYPED_TEST_SUITE(Errors, Spaces, SpaceNames);

TYPED_TEST(Errors, EntriesOnTheWrongSide) {
  auto const e = this->template refused<NotTriangular>({0, 1, 3, 4}, {0, 1, 2, 2}, lower);
  EXPECT_EQ(e.row(), 1);
  EXPECT_EQ(e.col(), 2);
  expect_text(e, "row 1 of the lower factor has an entry in column 2");
  auto const f = this->template refused<NotTriangular>({0, 1, 2, 4}, {0, 1, 0, 2}, upper);
  EXPECT_EQ(f.row(), 2);
  EXPECT_EQ(f.col(), 0);
  // no diagonal entry is stored, so no position of one reveals the wrong entry
  EXPECT_EQ((this->template refused<NotTriangular>({0, 0, 1, 2}, {2, 0}, unit)).row(), 1);
  // a lower triangle passed as upper: all diagonals are last
  EXPECT_EQ((this->template refused<NotTriangular>({0, 1, 3}, {0, 0, 1}, upper)).row(), 1);
  // reversed rows: memory holds row 2 first
  auto const g = this->template refused<NotTriangular>({0, 2, 3, 4}, {0, 2, 1, 0}, upper, RowOrder::reversed);
  EXPECT_EQ(g.row(), 2);
  EXPECT_EQ(g.col(), 0);
}

TYPED_TEST(Errors, DiagonalTwiceInARow) {
  auto const e = this->template refused<ImproperRow>({0, 1, 4}, {0, 0, 1, 1}, lower);
  EXPECT_EQ(e.row(), 1);
  EXPECT_EQ(e.col(), 1);
  EXPECT_TRUE(e.repeated());
  expect_text(e, "row 1 stores column 1 twice; store each column of a row once");
}

TYPED_TEST(Errors, MissingDiagonals) {
  auto const e = this->template refused<MissingDiagonal>({0, 1, 2, 4}, {0, 0, 1, 2}, lower);
  EXPECT_EQ(e.row(), 1);
  expect_text(e, "row 1 of the lower factor has no diagonal entry; store it or use Diagonal::unit");
  EXPECT_EQ((this->template refused<MissingDiagonal>({0, 0, 0}, {}, upper)).row(), 0);
  EXPECT_EQ((this->template refused<MissingDiagonal>({0, 1, 2, 2}, {2, 1}, upper, RowOrder::reversed)).row(), 0);
  EXPECT_NO_THROW(this->analyze({0, 0, 1, 2}, {0, 1}, unit));
  auto const partly = this->template refused<MissingDiagonal>({0, 1, 2}, {0, 0}, unit);
  EXPECT_EQ(partly.row(), 1);
  expect_text(partly,
              "row 1 of the lower factor has no diagonal entry; other rows have: store that of a unit diagonal in all "
              "rows or in none");
}

TYPED_TEST(Errors, PatternsThatAreNoMatrix) {
  EXPECT_EQ((this->template refused<InvalidPattern>({0, 2, 1, 3}, {0, 1, 2}, lower)).row(), 1);
  EXPECT_EQ((this->template refused<InvalidPattern>({0, 1, 2, 9}, {0, 1, 2}, lower)).row(), 2);
  EXPECT_EQ((this->template refused<InvalidPattern>({-1, 1, 2, 3}, {0, 1, 2}, lower)).row(), 0);
  auto const e = this->template refused<InvalidPattern>({0, 1, 2, 4}, {0, 1, 7, 2}, lower);
  EXPECT_EQ(e.row(), 2);
  expect_text(e, "column index outside 0..2");
  EXPECT_EQ((this->template refused<InvalidPattern>({0, 1, 3}, {0, -1, 1}, lower)).row(), 1);
  auto const middle = this->template refused<InvalidPattern>({0, 1, 2, 5}, {0, 1, 0, 2, 1}, lower);
  EXPECT_EQ(middle.row(), 2);
  expect_text(middle, "sort the row by column");
}

TYPED_TEST(Errors, ZeroPivotNamesTheFirstRowAndUpdateCanBeTriedAgain) {
  using T = typename TestFixture::T;
  for (auto const& v : all_variants()) {
    auto p = make_problem<double>("lap2d:10", lower);
    if (!accepts(v, this->exec, p)) continue;
    auto const good = p.values;
    auto solver = make_solver<double>(v, this->exec, p);
    p.values[p.row_ptr[78] - 1] = p.values[p.row_ptr[43] - 1] = 0;
    auto const e = thrown_by<ZeroPivot>([&] { solver.update(this->exec, to_device<T>(p.values)); });
    EXPECT_EQ(e.row(), 42);
    expect_text(e, "row 42 has a zero on its diagonal");
    Block<T> const x(100, 1);
    EXPECT_THROW(solver.solve(this->exec, x.view(), x.view()), NotReady);
    p.values = good;
    solver.update(this->exec, to_device<T>(p.values));
    auto const b = make_right_hand_sides<double>(100, 1);
    expect_solves(p, solve<double>(solver, this->exec, b), b);
  }
}

TYPED_TEST(Errors, PhasesOutOfOrderAndWrongSizes) {
  using T = typename TestFixture::T;
  for (auto const& v : all_variants()) {
    auto const p = make_problem<double>("lap2d:5", lower);
    if (!accepts(v, this->exec, p)) continue;
    Solver<double, TypeParam> solver(v.algorithm, this->exec, to_pattern<T>(p), p.shape, v.options);
    Block<T> const x(25, 2), short_b(24, 2), narrow_b(25, 1);
    expect_text(thrown_by<NotReady>([&] { solver.solve(this->exec, x.view(), x.view()); }), "call update()");
    auto few = p.values;
    few.pop_back();
    expect_text(thrown_by<PatternChanged>([&] { solver.update(this->exec, to_device<T>(few)); }),
                "got 64 values for a pattern of 65 entries");
    solver.update(this->exec, to_device<T>(p.values));
    expect_text(thrown_by<DimensionMismatch>([&] { solver.solve(this->exec, short_b.view(), x.view()); }),
                "T has 25 rows, b is 24 by 2 and x 25 by 2");
    EXPECT_THROW(solver.solve(this->exec, narrow_b.view(), x.view()), DimensionMismatch);
    EXPECT_THROW(solver.solve(this->exec, x.view(), short_b.view()), DimensionMismatch);
    Block<T> const none(25, 0);
    EXPECT_NO_THROW(solver.solve(this->exec, none.view(), none.view()));
  }
}

TYPED_TEST(Errors, UnknownNamesListTheKnownOnes) {
  auto const e =
      thrown_by<UnknownAlgorithm>([&] { this->analyze({0, 1}, {0}, lower, RowOrder::natural, "levelsets"); });
  expect_text(e, "'levelsets'");
  for (auto const& info : algorithm_infos()) expect_text(e, info.name);
  expect_text(e, "sptrsv");
}

TYPED_TEST(Errors, OptionsAreChecked) {
  expect_text(this->bad_option("levelset_chain", "1"),
              "known are levelset_analysis, levelset_wide_rows, levelset_wave_teams, levelset_lanes_per_row");
  expect_text(this->bad_option("chain_rows", "1"), "chain_rows");
  expect_text(this->bad_option("levelset_chain_rows", "1"), "levelset_chain_rows is called levelset_wide_rows");
  expect_text(this->bad_option("levelset_chain_teams", "1"), "levelset_wave_teams");
  expect_text(this->bad_option("colorset_chain_rows", "1"), "colorset_wide_rows");
  expect_text(this->bad_option("tiled_diagonal_tiles", "inverted"), "tiled_diagonal_tiles was removed");
  expect_text(this->bad_option("sequential_any", "1"), "known are none");
  expect_text(this->bad_option("tiled_variant", "scan"), "choose one of automatic, syncfree, levelset");
  expect_text(this->bad_option("tiled_variant", "scan"), "chain");
  expect_text(this->bad_option("levelset_wide_rows", "-1"), "give an integer from 0 to");
  expect_text(this->bad_option("levelset_wide_rows", "99999999999999999999"), "give an integer");
  expect_text(this->bad_option("levelset_wide_rows", "12x"), "'12x'");
  expect_text(this->bad_option("levelset_wide_rows", ""), "give an integer");
  // also options of a type that is not in use
  for (std::string const name : {"levelset_lanes_per_row", "colorset_lanes_per_row"}) {
    for (std::string const value : {"65", "3", "-2", "128"})
      expect_text(this->bad_option(name, value),
                  "option " + name + " is '" + value + "'; give 0 or a power of two, from 0 to 64");
    for (std::string const value : {"0", "1", "64"})
      EXPECT_NO_THROW(this->analyze({0, 1}, {0}, lower, RowOrder::natural, "levelset", {{name, value}}));
  }
  expect_text(this->bad_option("syncfree_form", "ccs"), "choose one of csr, csc");
  EXPECT_EQ(Options({{"syncfree_form", "CSC"}}).text().at("syncfree_form"), "csc");
  expect_text(this->bad_option("threadlevel_rows_per_ticket", "1025"), "from 0 to 1024");
  expect_text(this->bad_option("fused_kind", "warp"), "option fused_kind was removed; leave it out");
}

/// Checks that x is NaN, infinite (with its sign) or finite as the oracle is; with inverses, whether it is finite.
void expect_same_kind(std::vector<double> const& x, std::vector<double> const& oracle, bool by_inverses) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(std::isfinite(x[i]), std::isfinite(oracle[i])) << "row " << i;
    if (by_inverses) continue;
    ASSERT_EQ(std::isnan(x[i]), std::isnan(oracle[i])) << "row " << i;
    ASSERT_EQ(std::isinf(x[i]), std::isinf(oracle[i])) << "row " << i;
    if (std::isinf(x[i])) {
      ASSERT_EQ(x[i], oracle[i]) << "row " << i;
    }
  }
}

/// Makes a triangle whose 16-by-16 tile off the diagonal is dense except for row and column 6, which it lacks.
Problem<double> tile_with_gaps(Shape shape) {
  Problem<double> p;
  p.shape = shape;
  p.row_ptr = {0};
  for (int i = 0; i < 32; ++i) {
    bool const lower = shape.triangle == Triangle::lower, has_tile = lower == (i >= 16) && i % 16 != 6;
    if (!lower) p.col_idx.push_back(i);
    for (int k = 0; k < 16; ++k)
      if (has_tile && k != 6) p.col_idx.push_back(lower ? k : 16 + k);
    if (lower) p.col_idx.push_back(i);
    p.row_ptr.push_back(static_cast<int>(p.col_idx.size()));
  }
  set_values(p, 1);
  return p;
}

TYPED_TEST(Errors, NanAndInfinityAreData) {
  double const nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (auto const& shape : all_shapes())
    for (auto const& v : all_variants())
      for (double const bad : {nan, inf, -inf, 0.0})
        for (int const which : {0, 1, 2, 3}) {  // band: dense tiles, of which a row lacks some columns
          bool const in_matrix = which == 1, gaps = which == 3;
          std::string const matrix = gaps ? "a tile with gaps" : which == 2 ? "band:144,16,24" : "lap2d:12";
          SCOPED_TRACE(v.label + " " + std::to_string(bad) + (in_matrix ? " in T of " : " in b of ") + matrix);
          auto p = gaps ? tile_with_gaps(shape) : make_problem<double>(matrix, shape);
          auto b = make_right_hand_sides<double>(p.num_rows(), 2);
          if (in_matrix) p.values[p.row_ptr[50] + (shape.triangle == Triangle::upper)] = bad;
          else if (gaps) b[0][6] = b[0][22] = b[1][3] = bad;
          else b[0][70] = b[1][3] = bad;
          p.make_op();
          if (!accepts(v, this->exec, p)) continue;
          auto const solver = make_solver<double>(v, this->exec, p);
          auto const x = solve<double>(solver, this->exec, b);
          for (int c = 0; c < 2; ++c) expect_same_kind(x[c], p.oracle(b[c]), p.block_rows > 0);
          // the non-finite values leave no trace
          auto const clean = make_right_hand_sides<double>(p.num_rows(), 2, 5);
          if (!in_matrix) expect_solves(p, solve<double>(solver, this->exec, clean), clean);
        }
}

TYPED_TEST(Errors, AMatrixOfNansEnds) {
  for (auto const& v : all_variants()) {
    auto p = make_problem<double>(solvable(v, "lap2d:40"), lower);
    p.values.assign(p.values.size(), std::numeric_limits<double>::quiet_NaN());
    p.make_op();
    auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
    auto const x = solve<double>(make_solver<double>(v, this->exec, p), this->exec, b);
    for (double const xi : x[0]) ASSERT_TRUE(std::isnan(xi)) << v.label;
  }
}

}  // namespace
}  // namespace sptrsv::test
