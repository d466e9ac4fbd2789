// SPDX-License-Identifier: Apache-2.0
// Tests `inverted`: the blocks of complete factors and of other triangles, the limit of memory, and blocks whose
// inverse would not be accurate.
#include <gtest/gtest.h>

#include <cmath>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

template <class Space>
class InvertedBlocks : public ::testing::Test {
 protected:
  Space exec;

  Variant way(std::string const& width, std::string const& memory = "4096") const {
    return {"inverted", "inverted", {{"inverted_width", width}, {"inverted_memory", memory}}};
  }
  /// Solves twice, checks rows and bits, and returns what the solver says of its blocks.
  std::string solved(Problem<double> const& p, Variant const& v) {
    auto const b = make_right_hand_sides<double>(p.num_rows(), 13);  // 8, 4 and 1 at a time
    auto const solver = make_solver<double>(v, exec, p);
    auto const x = solve<double>(solver, exec, b);
    expect_solves(p, x, b);
    auto const again = solve<double>(solver, exec, b);
    for (std::size_t c = 0; c < b.size(); ++c) expect_same(x[c], again[c]);
    return solver.parameters();
  }
};
TYPED_TEST_SUITE(InvertedBlocks, Spaces, SpaceNames);

TYPED_TEST(InvertedBlocks, OfCompleteFactorsFollowTheTree) {
  for (auto const& shape : all_shapes())
    for (auto const& [matrix, blocks] : std::vector<std::pair<std::string, std::string>>{
             {"lap2d:30,nd,lu", "46 blocks of a tree in 6 steps"},
             {"lap3d:9,nd,lu", "33 blocks of a tree in 5 steps"},
             {"lap2d:12,lu", "3 blocks of a tree in 3 steps"},           // banded: one path
             {"lap2d:30", "15 blocks of rows in 15 steps"},              // incomplete
             {"arrow_down:20000", "20000 blocks of a tree in 2 steps"},  // a long row: sums in parts
             {"diagonal:100", "100 blocks of a tree in 1 step"}}) {      // a task for all
      SCOPED_TRACE(matrix + " " + text(shape.triangle) + " " + text(shape.op));
      EXPECT_EQ(this->solved(make_problem<double>(matrix, shape), this->way("64")), blocks);
    }
}

TYPED_TEST(InvertedBlocks, AreNarrowerWhereMemoryIsShort) {
  auto const p = make_problem<double>("lap2d:120", {Triangle::lower, Diagonal::stored, Op::none});
  EXPECT_EQ(this->solved(p, this->way("256")), "57 blocks of rows in 57 steps");
  EXPECT_EQ(this->solved(p, this->way("256", "12")), "225 blocks of rows in 225 steps");
  auto const none = make_problem<double>("lap2d:300", p.shape);
  try {
    make_solver<double>(this->way("256", "1"), this->exec, none);
    ADD_FAILURE() << "fits in 1 MiB";
  } catch (Unsupported const& e) {
    EXPECT_NE(std::string(e.what()).find("its inverses need 18 MiB"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("-mat_sptrsv_inverted_memory"), std::string::npos) << e.what();
  }
}

/// Multiplies entries off the diagonal, so that inverses of blocks grow.
void magnify(Problem<double>& p, double by) {
  for (int i = 0; i < p.num_rows(); ++i)
    for (int k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k)
      if (p.col_idx[k] != i) p.values[k] *= by;
  p.make_op();
}

TYPED_TEST(InvertedBlocks, AreSubstitutedInWhereErrorsWouldGrow) {
  for (auto const& [matrix, factor] :
       std::vector<std::pair<std::string, double>>{{"lap2d:20,nd,lu", 1000}, {"band:400,8,40", 30}})
    for (auto const& shape : all_shapes()) {
      SCOPED_TRACE(matrix + " " + text(shape.triangle) + " " + text(shape.op));
      auto p = make_problem<double>(matrix, shape);
      EXPECT_EQ(this->solved(p, this->way("128")).find("substitution"), std::string::npos);
      magnify(p, factor);
      EXPECT_NE(this->solved(p, this->way("128")).find("by substitution"), std::string::npos);
    }
}

/// Scales rows by powers of two from 2^-600 to 2^600, which no bound of a block may mistake for a bad condition.
TYPED_TEST(InvertedBlocks, AreInvertedWhateverTheScaleOfRows) {
  auto p = make_problem<double>("lap2d:20,nd,lu", {Triangle::lower, Diagonal::stored, Op::none});
  for (int i = 0; i < p.num_rows(); ++i)
    for (int k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k) p.values[k] = std::ldexp(p.values[k], i * 37 % 1201 - 600);
  p.make_op();
  auto const v = this->way("128");
  auto const solver = make_solver<double>(v, this->exec, p);
  EXPECT_EQ(solver.parameters().find("substitution"), std::string::npos);
  Columns<double> b(1, std::vector<double>(p.num_rows()));
  for (int i = 0; i < p.num_rows(); ++i) b[0][i] = std::ldexp(1.0 + i % 7, i * 37 % 1201 - 600);
  expect_solves(p, solve<double>(solver, this->exec, b), b);
}

}  // namespace
}  // namespace sptrsv::test
