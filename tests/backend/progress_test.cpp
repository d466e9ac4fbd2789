// SPDX-License-Identifier: Apache-2.0
// Large systems: more rows than can be in flight, and a chain in which nothing is parallel. What
// this shows is that every algorithm ends, also with more threads than cores.
#include <gtest/gtest.h>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

constexpr Shape plain{Triangle::lower, Diagonal::stored, Op::none};
constexpr Shape flipped{Triangle::upper, Diagonal::inverted, Op::conj_transpose};
constexpr Shape upward{Triangle::lower, Diagonal::unit, Op::transpose};

std::vector<SolveCase> large_cases() {
  std::vector<std::pair<std::string, Shape>> const systems{{"lap2d:1024", plain},          {"lap2d:1024", upward},
                                                           {"band:1048576,6,5000", plain}, {"band:1048576,6,5000", flipped},
                                                           {"chain:200000", plain},        {"chain:200000", upward}};
  std::vector<SolveCase> cases;
  for (auto const& [matrix, shape] : systems)
    for (auto const& space : space_names())
      for (auto const& v : all_variants()) cases.push_back({v.label, matrix, shape, 1, space});
  return cases;
}

/// The problem of the last case, since cases of one problem follow each other.
Problem<double> const& problem_of(SolveCase const& c) {
  static std::string key;
  static Problem<double> problem;
  std::string const wanted = c.matrix + text(c.shape.triangle) + text(c.shape.op) + text(c.shape.diagonal);
  if (key != wanted) problem = make_problem<double>(c.matrix, c.shape);
  key = wanted;
  return problem;
}

class Progress : public ::testing::TestWithParam<SolveCase> {};

TEST_P(Progress, LargeSystemsEnd) {
  auto const& c = GetParam();
  auto const& p = problem_of(c);
  auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
  with_space(c.space, [&](auto exec) {
    auto const solver = make_solver<double>(variant(c.variant), exec, p);
    auto const x = solve<double>(solver, exec, b);
    expect_solves(p, x, b);
    auto const again = solve<double>(solver, exec, b);
    if (variant(c.variant).reproducible) expect_same(x[0], again[0]);
  });
}
INSTANTIATE_TEST_SUITE_P(Large, Progress, ::testing::ValuesIn(large_cases()), case_name);

}  // namespace
}  // namespace sptrsv::test
