// SPDX-License-Identifier: Apache-2.0
// Compares random factorizations with the oracle: patterns, levels of fill, permutations, layouts, values, shifts and
// scalars. The number of a factorization is its seed: SPTRSV_RANDOM_FIRST and SPTRSV_RANDOM_SYSTEMS (environment)
// choose which ones run.
#include <map>

#include "factorized.hpp"
#include "spaces.hpp"

namespace sptrsv::test {
namespace {

/// Draw the value of an entry: mostly of ordinary size, rarely tiny, huge, zero, infinite or NaN.
template <class S>
Standard<S> draw_value(Draw& draw, std::uint64_t seed, int k, bool odd) {
  if (odd && draw.below(40) == 0) {
    double const infinity = std::numeric_limits<double>::infinity();
    return to_standard(S(draw.of<double>({0, -0.0, infinity, -infinity, std::nan(""), 1e-300, 1e300})));
  }
  return to_standard(random_scalar<S>(seed, static_cast<std::uint64_t>(k)));
}

template <class S>
support::Csr<Standard<S>> draw_matrix(Draw& draw, std::uint64_t seed, bool& odd) {
  int const n = draw.of<int>({1, 2, 3, 7, 20, 33, 64, 90, 150}), per_row = draw.of<int>({1, 2, 3, 4, 8, 15});
  constexpr bool is_real = std::is_arithmetic_v<S>;
  bool const few_odd = is_real && draw.one_in(8), full_row = draw.one_in(8), same_pattern = draw.coin();
  double const drawn = draw.of<double>({2, 2, 2, 0.7, 0.2, 0.01, -0.4}), weight = is_real ? drawn : 2;
  odd = few_odd;
  std::vector<std::vector<char>> there(static_cast<std::size_t>(n), std::vector<char>(static_cast<std::size_t>(n)));
  int const full = draw.below(n);
  for (int i = 0; i < n; ++i) {
    there[i][i] = !draw.one_in(8) || weight == 2;
    for (int k = 0; k < (full_row && i == full ? n : per_row); ++k) {
      int const j = full_row && i == full ? k : draw.below(n);
      there[i][j] = 1;
      if (same_pattern) there[j][i] = 1;
    }
  }
  support::Csr<Standard<S>> a{n, {0}, {}, {}};
  for (int i = 0; i < n; ++i) {
    auto const entries = std::count(there[i].begin(), there[i].end(), 1);
    for (int j = 0; j < n; ++j) {
      if (!there[i][j]) continue;
      auto value = draw_value<S>(draw, seed, static_cast<int>(a.values.size()), few_odd);
      if (i == j)
        value = to_standard(S(weight * static_cast<double>(entries))) * (Standard<S>(1) + value / RealOf<S>(4));
      a.col_idx.push_back(j);
      a.values.push_back(value);
    }
    a.row_ptr.push_back(static_cast<int>(a.col_idx.size()));
  }
  return a;
}

Way draw_way(Draw& draw, int n) {
  Way way;
  way.level = draw.below(4);
  way.symmetric = draw.coin();
  way.ldu = !way.symmetric && draw.one_in(3);
  way.layout = draw.of(all_layouts);
  if (draw.coin()) way.row_perm = shuffled(n, static_cast<std::uint64_t>(draw.below(1000)));
  if (way.symmetric) way.col_perm = way.row_perm;
  else if (draw.coin()) way.col_perm = shuffled(n, static_cast<std::uint64_t>(draw.below(1000)));
  else if (draw.coin()) way.col_perm = way.row_perm;
  way.options.list_bytes = draw.coin() ? 4e9 : draw.of<double>({0, 100, 1000});
  way.options.lanes_per_row = draw.of<int>({0, 0, 1, 2, 4, 8, 16, 32, 64});
  way.options.products = draw.of<int>({-1, 0, 1});
  return way;
}

PivotRules draw_rules(Draw& draw) {
  PivotRules rules;
  rules.shift = static_cast<Shift>(draw.below(4));
  rules.zero_pivot = draw.of<double>({2.2e-14, 2.2e-14, 0, 1e-3, 0.1, 1, 50});
  rules.amount = draw.of<double>({1e-12, 1e-3, 1, 0});
  rules.contract = draw.one_in(8);
  return rules;
}

template <class Space, class S>
void check_random_factorizations(char const* filter, int otherwise) {
  Space const exec;
  std::uint64_t const first = from_environment("SPTRSV_RANDOM_FIRST", 5000),
                      count = from_environment("SPTRSV_RANDOM_SYSTEMS", static_cast<std::uint64_t>(otherwise));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Draw draw(seed);
    bool odd = false;
    auto a = draw_matrix<S>(draw, seed, odd);
    Way way = draw_way(draw, a.n);
    if (!std::is_arithmetic_v<S>) way.col_perm = way.row_perm;  // keeps the diagonal, so that no pivot is zero
    SCOPED_TRACE("to run this one alone: OMP_NUM_THREADS=" + std::to_string(exec.concurrency()) +
                 " SPTRSV_RANDOM_FIRST=" + std::to_string(seed) +
                 " SPTRSV_RANDOM_SYSTEMS=1 backend_factorization_test --gtest_filter=RandomFactorizations/" +
                 space_name<Space>() + "." + filter);
    Subject<S, Space> subject(exec, a, way);
    for (int phases = 0; phases < 3; ++phases) {
      PivotRules const rules = draw_rules(draw);
      subject.factorize(std::is_arithmetic_v<S> ? rules : PivotRules{});
      ASSERT_NO_FATAL_FAILURE(subject.expect_same());
      for (std::size_t k = 0; k < a.values.size(); ++k)
        if (draw.coin()) a.values[k] *= RealOf<S>(1 + 0.5 * draw.below(3));
      subject.set_values(a.values);
    }
  }
}

template <class Space>
class RandomFactorizations : public ::testing::Test {};
TYPED_TEST_SUITE(RandomFactorizations, Spaces, SpaceNames);

TYPED_TEST(RandomFactorizations, Double) { check_random_factorizations<TypeParam, double>("Double", 300); }
#if defined(SPTRSV_TEST_ALL_SCALARS)
TYPED_TEST(RandomFactorizations, Float) {
  if constexpr (has_instance<float, TypeParam>) check_random_factorizations<TypeParam, float>("Float", 200);
}
/// Tests without shifts and small pivots: whether a pivot is too small may depend on the rounding of a product.
TYPED_TEST(RandomFactorizations, Complex) {
  using S = Kokkos::complex<double>;
  if constexpr (has_instance<S, TypeParam>) check_random_factorizations<TypeParam, S>("Complex", 200);
}
#endif

/// Tests that few draws include each kind of outcome.
TEST(RandomFactorization, LeavesNothingOut) {
  Kokkos::DefaultHostExecutionSpace const exec;
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Draw draw(seed);
    bool odd = false;
    auto const a = draw_matrix<double>(draw, seed, odd);
    Way const way = draw_way(draw, a.n);
    PivotRules const rules = draw_rules(draw);
    Subject<double, Kokkos::DefaultHostExecutionSpace> subject(exec, a, way);
    subject.factorize(rules);
    std::string const shift = std::to_string(static_cast<int>(rules.shift));
    ++seen["shift " + shift];
    if (odd) ++seen["odd"];
    if (subject.wanted.shifts > 0) ++seen["shifted " + shift];
    if (subject.wanted.endless) ++seen["endless"];
    if (subject.wanted.last_row >= 0) ++seen["zero pivot"];
    if (subject.object->report().listed) ++seen["listed"];
    ++seen[way.symmetric ? "symmetric" : way.ldu ? "LDU" : "LU"];
    if (rules.contract) ++seen["contract"];
    ++seen["layout " + std::to_string(static_cast<int>(way.layout))];
  }
  for (char const* what : {"shift 0", "shifted 1", "shifted 2", "shifted 3", "odd", "endless", "zero pivot", "listed",
                           "symmetric", "LU", "LDU", "contract", "layout 0", "layout 1", "layout 2", "layout 3"})
    EXPECT_GE(seen[what], 3) << what;
}

}  // namespace
}  // namespace sptrsv::test
