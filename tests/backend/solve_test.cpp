// SPDX-License-Identifier: Apache-2.0
// Tests every algorithm on every shape of triangle: the answer is judged row by row, and its bits are compared.
#include <gtest/gtest.h>

#include <sptrsv/device/tickets.hpp>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

/// Checks that two solves with one solver are right, and have the bits that the variant promises.
template <class S, class Space>
void check_on(Space const& exec, SolveCase const& c) {
  Variant const& v = variant(c.variant);
  auto const p = make_problem<S>(c.matrix, c.shape);
  if (!accepts(v, exec, p)) return;
  auto const b = make_right_hand_sides<S>(p.num_rows(), c.columns);
  auto const solver = make_solver<S>(v, exec, p);
  auto const x = solve<S>(solver, exec, b);
  expect_solves(p, x, b);
  auto const again = solve<S>(solver, exec, b);
  expect_solves(p, again, b);
  bool const exact = std::is_arithmetic_v<S> && v.like_substitution && c.shape.op == Op::none && is_host_space<Space>;
  for (int k = 0; k < c.columns; ++k) {
    if (v.reproducible) expect_same(x[k], again[k]);
    if constexpr (std::is_arithmetic_v<S>)
      if (exact) expect_same(x[k], p.oracle(b[k]));
  }
}

TEST(Judge, RefusesWhatIsWrongInOneRow) {
  auto const p = make_problem<double>("lap2d:10", {Triangle::lower, Diagonal::stored, Op::none});
  auto const b = make_right_hand_sides<double>(p.num_rows(), 1)[0];
  auto x = p.oracle(b);
  EXPECT_LE(row_error(p, x, b).ratio, 1.0);
  double const last = x[99];
  x[99] = last * (1 + 1e-13);
  EXPECT_GT(row_error(p, x, b).ratio, 1.0);
  EXPECT_EQ(row_error(p, x, b).row, 99);
  for (double const bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    x[99] = bad;
    EXPECT_GT(row_error(p, x, b).ratio, 1.0);
  }
}

template <class S>
class SolveTest : public ::testing::TestWithParam<SolveCase> {
 protected:
  static void check(SolveCase const& c) {
    with_space(c.space, [&](auto exec) {
      if constexpr (has_instance<S, decltype(exec)>) check_on<S>(exec, c);
    });
  }
};

using SolveDouble = SolveTest<double>;
TEST_P(SolveDouble, RowwiseBackwardErrorIsSmall) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, SolveDouble, ::testing::ValuesIn(all_cases()), case_name);

#if defined(SPTRSV_TEST_ALL_SCALARS)
using SolveFloat = SolveTest<float>;
TEST_P(SolveFloat, RowwiseBackwardErrorIsSmall) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Few, SolveFloat, ::testing::ValuesIn(few_cases()), case_name);

using SolveComplexDouble = SolveTest<Kokkos::complex<double>>;
TEST_P(SolveComplexDouble, RowwiseBackwardErrorIsSmall) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Few, SolveComplexDouble, ::testing::ValuesIn(few_cases()), case_name);

using SolveComplexFloat = SolveTest<Kokkos::complex<float>>;
TEST_P(SolveComplexFloat, RowwiseBackwardErrorIsSmall) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Few, SolveComplexFloat, ::testing::ValuesIn(few_cases()), case_name);
#endif

}  // namespace
}  // namespace sptrsv::test
