// SPDX-License-Identifier: Apache-2.0
// Tests many random small systems, each solved in a random way and judged row by row. The seed of a system is its
// number: SPTRSV_RANDOM_FIRST and SPTRSV_RANDOM_SYSTEMS (environment) select the systems.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sptrsv/space.hpp>

#include "random_system.hpp"

namespace sptrsv::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool sanitized = false;
#endif

/// Run of one system on one space: analysis, and two solves for each update.
template <class Space>
class RandomRun {
  using T = TypesOf<double, Space>;

 public:
  RandomRun(Space const& exec, RandomSystem& system)
      : exec_(exec),
        s_(system),
        n_(s_.problem.num_rows()),
        b_rows_(shuffled(n_, s_.seed + 11)),
        out_rows_(shuffled(n_, s_.seed + 12)),
        scale_(n_),
        col_idx_(to_device<T>(s_.stored(s_.problem.col_idx, -1))),
        given_(make_right_hand_sides<double>(n_, s_.columns, s_.seed)),
        before_(s_.out_is_b ? given_ : make_right_hand_sides<double>(n_, s_.columns, s_.seed + 1000)),
        b_(given_),
        solver_(s_.way.algorithm, exec, {to_device<T>(s_.stored_row_ptr()), col_idx_, s_.row_order, s_.sum_backward},
                s_.problem.shape, s_.way.options) {
    for (int i = 0; i < n_; ++i) scale_[i] = 0.5 + unit_random(s_.seed + 13, i);
    for (int c = 0; c < s_.columns; ++c)
      for (int i = 0; i < n_; ++i) b_[c][i] = given_[c][s_.permute_b ? b_rows_[i] : i] * (s_.scale_b ? scale_[i] : 1);
  }

  void check() {
    for (int round = 0; round < s_.updates; ++round) {
      s_.draw_values(round);
      auto const values = to_device<T>(s_.stored(s_.problem.values, std::numeric_limits<double>::quiet_NaN()));
      solver_.update(exec_, values);
      s_.problem.block_rows = block_rows<Space>(solver_.algorithm());
      auto const x = solve_once(), again = solve_once();
      expect_solves(s_.problem, x, b_);
      if (is_host_space<Space> && s_.way.like_substitution && !s_.scale_b) expect_bits_of_substitution(x);
      if (s_.way.reproducible)
        for (int c = 0; c < s_.columns; ++c) expect_same(x[c], again[c]);
      else expect_solves(s_.problem, again, b_);
    }
  }

 private:
  /// Checks that terms of a row are summed in the order of its columns, and in solve order if T is transposed.
  void expect_bits_of_substitution(Columns<double> const& x) const {
    Problem<double> ordered = s_.problem;
    bool const ascending = ordered.shape.ascending();
    for (auto& row : ordered.op.rows) {
      if (ordered.shape.transposed())
        std::sort(row.begin(), row.end(), [&](auto const& a, auto const& b) { return (a.col < b.col) == ascending; });
      else if (s_.sum_backward) std::reverse(row.begin(), row.end());
    }
    for (int c = 0; c < s_.columns; ++c) expect_same(x[c], ordered.oracle(b_[c]));
  }
  Columns<double> solve_once() {
    Block<T> const right(given_, s_.row_stride, s_.spare_rows);
    Block<T> const out = s_.out_is_b ? right : Block<T>(before_, 1, s_.spare_rows);
    Block<T> const other(n_, s_.columns, s_.x_row_stride, s_.x_spare_rows);
    auto const& x = s_.in_place ? right : other;
    PermuteScale<T> permute_scale;
    if (s_.permute_b) permute_scale.b_rows = to_device<T>(b_rows_);
    if (s_.scale_b) permute_scale.b_scale = to_device<T>(scale_);
    if (s_.permute_out) permute_scale.out_rows = to_device<T>(out_rows_);
    if (s_.out) permute_scale.out = out.view();
    permute_scale.accumulate = s_.accumulate;
    solver_.solve(exec_, right.view(), x.view(), permute_scale);
    exec_.fence();
    EXPECT_EQ(x.count_spilled(), 0u) << "something beside x was written";
    auto const solution = x.get();
    if (s_.out) check_second_output(solution, out.get());
    return solution;
  }

  void check_second_output(Columns<double> const& x, Columns<double> const& out) {
    for (int c = 0; c < s_.columns; ++c)
      for (int i = 0; i < n_; ++i) {
        int const to = s_.permute_out ? out_rows_[i] : i;
        ASSERT_EQ(out[c][to], s_.accumulate ? before_[c][to] + x[c][i] : x[c][i]) << "second output of row " << i;
      }
  }

  Space exec_;
  RandomSystem& s_;
  int n_;
  std::vector<int> b_rows_, out_rows_;
  std::vector<double> scale_;
  Kokkos::View<int*, typename T::device> col_idx_;
  Columns<double> given_, before_, b_;
  Solver<double, Space> solver_;
};

/// Returns the command that runs one system alone.
template <class Space>
std::string again(RandomSystem const& s, Space const& exec) {
  return s.text() + "\nto run this system alone: OMP_NUM_THREADS=" + std::to_string(exec.concurrency()) +
         " SPTRSV_RANDOM_FIRST=" + std::to_string(s.seed) + " SPTRSV_RANDOM_SYSTEMS=1 backend_random_test" +
         " --gtest_filter=RandomSystems/" + space_name<Space>() + ".*";
}

template <class Space>
class RandomSystems : public ::testing::Test {};
TYPED_TEST_SUITE(RandomSystems, Spaces, SpaceNames);

TYPED_TEST(RandomSystems, RowwiseBackwardErrorIsSmall) {
  TypeParam const exec;
  std::uint64_t const first = from_environment("SPTRSV_RANDOM_FIRST", 0),
                      asked = from_environment("SPTRSV_RANDOM_SYSTEMS", 2000);
  std::uint64_t const count = sanitized && asked > 1000 ? asked / 5 : asked;
  if (count < asked)
    std::printf("!!! ONLY %llu OF %llu SYSTEMS: this is a build with sanitizers\n",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(asked));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if ((seed - first) % 5000 == 0) {  // locates a crash or a hang
      std::printf("systems from %llu on\n", static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
    RandomSystem system(seed);
    try {
      RandomRun<TypeParam>(exec, system).check();
    } catch (std::exception const& e) {
      ADD_FAILURE() << e.what();
    }
    ASSERT_FALSE(this->HasFailure()) << again(system, exec);
  }
  std::printf("%llu random systems solved on %s with %d threads\n", static_cast<unsigned long long>(count),
              TypeParam::name(), static_cast<int>(exec.concurrency()));
}

/// Checks that a few systems contain each algorithm, each value of each option, each structure and each shape.
TEST(RandomSystem, LeavesNothingOut) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    RandomSystem const s(seed);
    ++seen[s.way.algorithm];
    ++seen[s.structure];
    for (auto const& [name, value] : s.way.options) ++seen[name + "=" + value];
    ++seen[std::string(text(s.problem.shape.triangle)) + text(s.problem.shape.op) + text(s.problem.shape.diagonal)];
    ++seen[s.problem.num_rows() == 0 ? "empty" : s.problem.num_rows() > 40 ? "large" : "small"];
    ++seen[s.row_order == RowOrder::reversed ? "reversed" : "natural"];
  }
  std::vector<std::string> wanted{"sptrsv", "empty", "large", "small", "reversed", "natural"};
  for (auto const& structure : random_structures) wanted.push_back(structure.name);
  for (auto const& shape : all_shapes())
    wanted.push_back(std::string(text(shape.triangle)) + text(shape.op) + text(shape.diagonal));
  for (auto const& info : algorithm_infos()) {
    wanted.push_back(info.name);
    for (auto const& option : info.options)
      for (auto const& choice : option.choices) wanted.push_back(info.name + "_" + option.name + "=" + choice);
  }
  for (auto const& what : wanted) EXPECT_GE(seen[what], 3) << what;
}

}  // namespace
}  // namespace sptrsv::test
