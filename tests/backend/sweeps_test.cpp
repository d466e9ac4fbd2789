// SPDX-License-Identifier: Apache-2.0
// Compares Sweeps with SOR by the definition, in long double: directions, omega, shift, guesses, orders, Eisenstat's
// form; bits of sweeps with a zero guess; wrong orders of calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <sptrsv/space.hpp>

#include "swept.hpp"
#include "tool_counters.hpp"

namespace sptrsv::test {
namespace {

/// Checks all kinds of sweeps of one algorithm.
template <class Space, class S>
void check_sweeps(Variant const& v, std::string const& spec) {
  using T = TypesOf<S, Space>;
  using wide = typename Matrix<S>::wide;
  Space const exec;
  for (bool const in_random_order : {false, true}) {
    auto const m = make_matrix<S>(spec, in_random_order);
    auto sweeps = make_sweeps<T>(v.algorithm, exec, m, v.options);
    int const n = m.num_rows();
    for (Relaxation const r : {Relaxation{1, 0}, Relaxation{1.3, 0}, Relaxation{0.8, 0.5}}) {
      ASSERT_EQ(sweeps.update(exec, to_device<T>(m.values), r), -1);
      for (int const columns : {1, 3})
        for (Sweep const kind : {Sweep::forward, Sweep::backward, Sweep::symmetric})
          for (bool const zero_guess : {true, false})
            for (int const times : {1, 2}) {
              SCOPED_TRACE(v.label + ", " + spec + (in_random_order ? ", in random order, " : ", ") + name_of(kind) +
                           ", omega " + std::to_string(r.omega) + ", columns " + std::to_string(columns) +
                           (zero_guess ? ", zero guess" : ", guess") + ", times " + std::to_string(times));
              auto const b = make_right_hand_sides<S>(n, columns), guess = make_right_hand_sides<S>(n, columns, 5);
              Block<T> const right(b), x(guess, 2, 3);
              sweeps.sweep(exec, kind, right.view(), x.view(), zero_guess, times);
              exec.fence();
              auto const got = x.get();
              EXPECT_EQ(x.count_spilled(), 0u);
              for (int c = 0; c < columns; ++c) {
                std::vector<wide> expected(n);
                if (!zero_guess)
                  for (int i = 0; i < n; ++i) expected[i] = wide(to_standard(guess[c][i]));
                for (int t = 0; t < times; ++t)
                  for (bool const forward : {true, false})
                    if (kind == Sweep::symmetric || forward == (kind == Sweep::forward))
                      sweep_once(m, forward, r, b[c], expected);
                expect_near(got[c], expected);
              }
            }
    }
  }
}

template <class Space>
class SweepsTest : public ::testing::Test {
 protected:
  using Double = Sweeps<double, int, int, Space>;
  using T = TypesOf<double, Space>;
  Space exec;
};
TYPED_TEST_SUITE(SweepsTest, Spaces, SpaceNames);

TYPED_TEST(SweepsTest, EveryAlgorithmSweepsAsDefined) {
  for (auto const& v : all_variants()) {
    if (!v.any_pattern) continue;
    check_sweeps<TypeParam, double>(v, "lap2d:9");
    check_sweeps<TypeParam, double>(v, "rmat:7,4");
  }
}
#if defined(SPTRSV_TEST_ALL_SCALARS)
TYPED_TEST(SweepsTest, SweepsWithComplexNumbers) {
  using S = Kokkos::complex<double>;
  if constexpr (has_instance<S, TypeParam>)
    for (std::string const name : {"sequential", "syncfree", "sptrsv"})
      check_sweeps<TypeParam, S>(variant(name), "lap2d:9");
}
TYPED_TEST(SweepsTest, SweepsWithFloats) {
  if constexpr (has_instance<float, TypeParam>)
    for (std::string const name : {"sequential", "blocked", "sptrsv"})
      check_sweeps<TypeParam, float>(variant(name), "lap2d:9");
}
#endif

/// Checks that a sweep with a zero guess in one direction has the bits of PETSc's loop: sums from b on by ascending
/// columns, then a product with the inverse.
TYPED_TEST(SweepsTest, OneDirectionHasTheBitsOfTheLoop) {
  using T = typename TestFixture::T;
  if constexpr (!is_host_space<TypeParam>) GTEST_SKIP() << "a device contracts products and sums";
  auto const m = make_matrix<double>("lap3d:7", false);
  int const n = m.num_rows();
  auto const b = make_right_hand_sides<double>(n, 1);
  for (auto const& v : all_variants()) {
    if (!v.any_pattern || !v.like_substitution) continue;
    for (bool const forward : {true, false})
      for (double const omega : {1.0, 1.3}) {
        SCOPED_TRACE(v.label + (forward ? ", forward" : ", backward"));
        auto sweeps = make_sweeps<T>(v.algorithm, this->exec, m, v.options);
        sweeps.update(this->exec, to_device<T>(m.values), {omega, 0.25});
        Block<T> const right(b), x(n, 1);
        sweeps.sweep(this->exec, forward ? Sweep::forward : Sweep::backward, right.view(), x.view(), true);
        this->exec.fence();
        auto const got = x.get()[0];
        std::vector<double> expected(n, 0);
        for (int s = 0; s < n; ++s) {
          int const i = forward ? s : n - 1 - s;
          double sum = b[0][i], d = 0;
          for (int k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k) {
            int const j = m.col_idx[k];
            if (j == i) d = m.values[k];
            else if ((j < i) == forward) sum -= m.values[k] * expected[j];
          }
          expected[i] = sum * (omega / (d + 0.25));
          ASSERT_EQ(got[i], expected[i]) << "in row " << i;
        }
      }
  }
}

/// Checks Eisenstat's form and the product with E + U against their definitions.
TYPED_TEST(SweepsTest, EisenstatAndUpperProduct) {
  using T = typename TestFixture::T;
  for (bool const in_random_order : {false, true})
    for (Relaxation const r : {Relaxation{1, 0}, Relaxation{1.2, 0}, Relaxation{0.9, 0.3}})
      for (int const columns : {1, 2}) {
        auto const m = make_matrix<double>("rmat:6,4", in_random_order);
        int const n = m.num_rows();
        auto const at = m.positions();
        auto sweeps = make_sweeps<T>("syncfree", this->exec, m);
        sweeps.update(this->exec, to_device<T>(m.values), r);
        auto const b = make_right_hand_sides<double>(n, columns);
        Block<T> const right(b), x(n, columns), y(n, columns);
        sweeps.eisenstat(this->exec, right.view(), x.view());
        sweeps.apply_upper(this->exec, right.view(), y.view());
        this->exec.fence();
        for (int c = 0; c < columns; ++c) {
          std::vector<long double> first(n), middle(n), last(n), product(n);
          sweep_once(m, false, r, b[c], first);  // from zero it solves with E + U
          for (int i = 0; i < n; ++i) middle[i] = b[c][i] - (2 / r.omega - 1) * m.diagonal(i) * first[i];
          sweep_once(m, true, r, middle, last);
          for (int i = 0; i < n; ++i) last[i] += first[i];
          expect_near(x.get()[c], last);
          for (int i = 0; i < n; ++i) {
            product[i] = (m.diagonal(i) + r.shift) / r.omega * b[c][i];
            for (int k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k)
              if (at[m.col_idx[k]] > at[i]) product[i] += m.values[k] * b[c][m.col_idx[k]];
          }
          expect_near(y.get()[c], product);
        }
      }
}

/// Sweeps over blocks of rows by definition: solves with the block's entries by Gaussian elimination.
void sweep_blocks_once(Matrix<double> const& m, std::vector<int> const& first, bool forward,
                       std::vector<long double> const& b, std::vector<long double>& x) {
  int const n = m.num_rows();
  std::vector<int> starts;
  for (int i = 0; i < n; ++i)
    if (first[i] == i) starts.push_back(i);
  if (!forward) std::reverse(starts.begin(), starts.end());
  for (int const f : starts) {
    int size = 0;
    while (f + size < n && first[f + size] == f) ++size;
    std::vector<std::vector<long double>> d(size, std::vector<long double>(size + 1, 0));
    for (int r = 0; r < size; ++r) {
      d[r][size] = b[f + r];
      for (int k = m.row_ptr[f + r]; k < m.row_ptr[f + r + 1]; ++k) {
        int const j = m.col_idx[k];
        if (first[j] == f) d[r][j - f] = m.values[k];
        else d[r][size] -= m.values[k] * x[j];
      }
    }
    for (int k = 0; k < size; ++k)
      for (int r = 0; r < size; ++r) {
        if (r == k) continue;
        long double const factor = d[r][k] / d[k][k];
        for (int c = k; c <= size; ++c) d[r][c] -= factor * d[k][c];
      }
    for (int r = 0; r < size; ++r) x[f + r] = d[r][size] / d[r][r];
  }
}

/// Checks sweeps over blocks of up to 3 and 5 rows: directions, guesses, Eisenstat's form, the product with D + U.
TYPED_TEST(SweepsTest, BlocksOfRows) {
  using T = typename TestFixture::T;
  using Wide = std::vector<long double>;
  for (std::string const matrix : {"fem3:3", "fem2d:4", "lap2d:5", "dense:11"})
    for (int const most : {3, 5})
      for (std::string const algorithm : {"sequential", "levelset", "syncfree", "blocked", "tiled", "sptrsv"}) {
        SCOPED_TRACE(matrix + ", " + algorithm + ", blocks of up to " + std::to_string(most));
        auto const m = make_matrix<double>(matrix, false);
        int const n = m.num_rows();
        auto const first = find_blocks(m, most);
        typename TestFixture::Double sweeps(algorithm, this->exec, to_pattern<T>(m.row_ptr, m.col_idx),
                                            {{}, to_device<T>(first)});
        EXPECT_THROW(sweeps.update(this->exec, to_device<T>(m.values), {1.1, 0}), Error);
        ASSERT_EQ(sweeps.update(this->exec, to_device<T>(m.values)), -1);
        int const columns = most == 3 ? 2 : 1;
        auto const b = make_right_hand_sides<double>(n, columns), guess = make_right_hand_sides<double>(n, columns, 5);
        Block<T> const right(b), x(n, columns);
        for (Sweep const kind : {Sweep::forward, Sweep::backward, Sweep::symmetric})
          for (bool const zero_guess : {true, false}) {
            Block<T> const to(guess);
            sweeps.sweep(this->exec, kind, right.view(), to.view(), zero_guess, 2);
            this->exec.fence();
            for (int c = 0; c < columns; ++c) {
              Wide expected(n, 0);
              if (!zero_guess) expected.assign(guess[c].begin(), guess[c].end());
              for (int times = 0; times < 2; ++times)
                for (bool const forward : {true, false})
                  if (kind == Sweep::symmetric || forward == (kind == Sweep::forward))
                    sweep_blocks_once(m, first, forward, Wide(b[c].begin(), b[c].end()), expected);
              expect_near(to.get()[c], expected);
            }
          }
        for (bool const product : {false, true}) {
          if (product) sweeps.apply_upper(this->exec, right.view(), x.view());
          else sweeps.eisenstat(this->exec, right.view(), x.view());
          this->exec.fence();
          for (int c = 0; c < columns; ++c) {
            Wide y(b[c].begin(), b[c].end()), all(n, 0), last(n, 0);
            if (!product) {
              y.assign(n, 0);
              sweep_blocks_once(m, first, false, Wide(b[c].begin(), b[c].end()), y);
            }
            for (int i = 0; i < n; ++i)
              for (int k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k)
                if (!product || m.col_idx[k] >= first[i]) all[i] += m.values[k] * y[m.col_idx[k]];
            if (product) last = all;
            else sweep_blocks_once(m, first, true, all, last);
            expect_near(x.get()[c], last);
          }
        }
      }
}

/// Checks that a singular block, and a pivot below the limit in a block of one row, are reported.
TYPED_TEST(SweepsTest, SingularBlocksAreReported) {
  using T = typename TestFixture::T;
  auto m = make_matrix<double>("fem3:2", false);
  auto const first = find_blocks(m, 3);
  typename TestFixture::Double sweeps("sequential", this->exec, to_pattern<T>(m.row_ptr, m.col_idx),
                                      {{}, to_device<T>(first)});
  int const f = first[10];
  ASSERT_LT(f, 10);
  for (int i = f; i <= 10; ++i)
    for (int k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k)
      if (first[m.col_idx[k]] == f) m.values[k] = 1;
  EXPECT_EQ(sweeps.update(this->exec, to_device<T>(m.values)), f);

  auto alone = make_matrix<double>("lap2d:4", false);
  std::vector<int> own(alone.num_rows());
  std::iota(own.begin(), own.end(), 0);
  typename TestFixture::Double single("sequential", this->exec, to_pattern<T>(alone.row_ptr, alone.col_idx),
                                      {{}, to_device<T>(own)});
  for (int k = alone.row_ptr[5]; k < alone.row_ptr[6]; ++k)
    if (alone.col_idx[k] == 5) alone.values[k] = 1e-15;
  auto const values = to_device<T>(alone.values);
  EXPECT_EQ(single.update(this->exec, values), -1);
  EXPECT_EQ(single.update(this->exec, values, {1, 0, 2e-14}), 5);
}

/// Checks that neither a sweep nor an update allocates after the first of its kind, and that no sweep copies or fences.
TYPED_TEST(SweepsTest, SecondCallsAreQuiet) {
  using Names = std::vector<std::string>;
  using T = typename TestFixture::T;
  auto const m = make_matrix<double>("lap2d:12", true);
  auto sweeps = make_sweeps<T>("levelset", this->exec, m);
  auto const values = to_device<T>(m.values);
  auto const b = make_right_hand_sides<double>(m.num_rows(), 3);
  Block<T> const right(b), x(b);
  auto const all = [&] {
    for (Sweep const kind : {Sweep::forward, Sweep::backward, Sweep::symmetric})
      sweeps.sweep(this->exec, kind, right.view(), x.view(), false, 2);
    sweeps.eisenstat(this->exec, right.view(), x.view());
    sweeps.apply_upper(this->exec, right.view(), x.view());
  };
  sweeps.reserve(this->exec, 3);
  sweeps.update(this->exec, values);
  all();
  this->exec.fence();
  {
    ToolCounters const counters;
    all();
    EXPECT_EQ(counters.allocations(), Names{});
    EXPECT_EQ(counters.copies(), Names{});
    EXPECT_EQ(counters.fences(), Names{});
  }
  ToolCounters const counters;
  sweeps.update(this->exec, values, {1.1, 0});
  EXPECT_EQ(counters.allocations(), Names{});
}

/// Checks that a host updates and sweeps over few entries without a kernel, and solves the rows of a block together.
TYPED_TEST(SweepsTest, SmallSweepsOnAHostAreNoKernels) {
  using T = typename TestFixture::T;
  if constexpr (!is_host_space<TypeParam>) GTEST_SKIP() << "a device launches a kernel for everything";
  auto const m = make_matrix<double>("fem3:3", false);
  auto const b = make_right_hand_sides<double>(m.num_rows(), 1);
  Block<T> const right(b), x(b);
  for (bool const by_blocks : {false, true}) {
    auto const first = by_blocks ? find_blocks(m, 5) : std::vector<int>{};
    typename TestFixture::Double sweeps("sptrsv", this->exec, to_pattern<T>(m.row_ptr, m.col_idx),
                                        {{}, to_device<T>(first)});
    auto const values = to_device<T>(m.values);
    ToolCounters const counters;
    sweeps.update(this->exec, values);
    for (bool const zero_guess : {true, false})
      for (Sweep const kind : {Sweep::forward, Sweep::backward, Sweep::symmetric})
        sweeps.sweep(this->exec, kind, right.view(), x.view(), zero_guess, 2);
    sweeps.eisenstat(this->exec, right.view(), x.view());
    sweeps.apply_upper(this->exec, right.view(), x.view());
    EXPECT_EQ(counters.kernels(), std::vector<std::string>{}) << by_blocks;
    for (Triangle const triangle : {Triangle::lower, Triangle::upper})
      EXPECT_TRUE(!by_blocks ||
                  sweeps.solver(triangle).parameters() == "one thread, rows with the same columns together");
  }
}

/// Checks that the row of a zero on the diagonal is reported, in an order of its own too, and that of a missing one.
TYPED_TEST(SweepsTest, ZeroAndMissingDiagonalsAreReported) {
  using T = typename TestFixture::T;
  for (bool const in_random_order : {false, true}) {
    auto m = make_matrix<double>("lap2d:6", in_random_order);
    auto sweeps = make_sweeps<T>("sequential", this->exec, m);
    for (int k = m.row_ptr[17]; k < m.row_ptr[18]; ++k)
      if (m.col_idx[k] == 17) m.values[k] = 0;
    EXPECT_EQ(sweeps.update(this->exec, to_device<T>(m.values)), 17);
    for (int k = m.row_ptr[17]; k < m.row_ptr[18]; ++k)
      if (m.col_idx[k] == 17) m.col_idx[k] = 35;
    try {
      make_sweeps<T>("sequential", this->exec, m);
      ADD_FAILURE() << "taken: a row without a diagonal entry";
    } catch (InvalidPattern const& error) {
      EXPECT_EQ(error.row(), 17);
    }
  }
}

TYPED_TEST(SweepsTest, WrongCallsAreRefused) {
  using T = typename TestFixture::T;
  auto const m = make_matrix<double>("lap2d:6", false);
  auto sweeps = make_sweeps<T>("sequential", this->exec, m);
  int const n = m.num_rows();
  auto const b = make_right_hand_sides<double>(n, 1);
  Block<T> const right(b), x(b), wide(n, 2), tall(n + 1, 1);
  auto const sweep = [&](auto const& from, auto const& to, bool zero_guess, int times = 1) {
    sweeps.sweep(this->exec, Sweep::forward, from.view(), to.view(), zero_guess, times);
  };
  EXPECT_THROW(sweep(right, x, true), NotReady);
  auto const values = to_device<T>(m.values);
  auto const few = Kokkos::subview(values, std::make_pair(std::size_t(0), m.values.size() - 1));
  EXPECT_THROW(sweeps.update(this->exec, few), PatternChanged);
  EXPECT_THROW(sweep(right, x, true), NotReady);
  sweeps.update(this->exec, values);
  EXPECT_THROW(sweep(right, wide, true), DimensionMismatch);
  EXPECT_THROW(sweep(right, tall, true), DimensionMismatch);
  EXPECT_THROW(sweep(x, x, false), Overlap);
  EXPECT_THROW(sweep(x, x, true, 2), Overlap);
  EXPECT_THROW(sweep(right, x, true, -1), Error);
  EXPECT_THROW(sweeps.eisenstat(this->exec, x.view(), x.view()), Overlap);
  EXPECT_THROW(sweeps.apply_upper(this->exec, x.view(), x.view()), Overlap);
  sweep(x, x, true);
  sweep(right, x, true, 0);
  this->exec.fence();
  EXPECT_EQ(x.get()[0], std::vector<double>(n, 0));
  std::vector<int> const short_order(n - 1, 0);
  EXPECT_THROW((typename TestFixture::Double("sequential", this->exec, to_pattern<T>(m.row_ptr, m.col_idx),
                                             {to_device<T>(short_order), {}})),
               DimensionMismatch);
  auto const blocks = [&](std::vector<int> const& first, std::vector<int> const& order = {}) {
    typename TestFixture::Double("sequential", this->exec, to_pattern<T>(m.row_ptr, m.col_idx),
                                 {to_device<T>(order), to_device<T>(first)});
  };
  std::vector<int> first(n);
  std::iota(first.begin(), first.end(), 0);
  blocks(first);
  EXPECT_THROW(blocks(short_order), DimensionMismatch);
  EXPECT_THROW(blocks(first, first), Unsupported);
  EXPECT_THROW(blocks(std::vector<int>(n, 0)), InvalidPattern);  // more than 32 rows
  first[8] = 7;
  EXPECT_THROW(blocks(first), InvalidPattern);  // with other columns than row 7
  first[8] = 9;
  EXPECT_THROW(blocks(first), InvalidPattern);
}

TYPED_TEST(SweepsTest, EmptyMatrix) {
  using T = typename TestFixture::T;
  Matrix<double> m;
  m.row_ptr = {0};
  auto sweeps = make_sweeps<T>("sptrsv", this->exec, m);
  EXPECT_EQ(sweeps.update(this->exec, to_device<T>(m.values)), -1);
  Block<T> const b(0, 1), x(0, 1);
  sweeps.sweep(this->exec, Sweep::symmetric, b.view(), x.view(), false, 2);
  sweeps.eisenstat(this->exec, b.view(), x.view());
  this->exec.fence();
}

}  // namespace
}  // namespace sptrsv::test
