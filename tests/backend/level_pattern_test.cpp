// SPDX-License-Identifier: Apache-2.0
// Compares patterns of ILU(k) and IC(k) with those found row by row, by the sum rule for levels of fill.
#include "factorized.hpp"
#include "spaces.hpp"
#include "sptrsv/factorization/level_fill.hpp"

namespace sptrsv::test {
namespace {

using Csr = support::Csr<double>;

/// Makes a matrix with these columns in its rows; the values do not matter.
Csr csr_of_rows(std::vector<std::vector<int>> rows) {
  Csr a{static_cast<int>(rows.size()), {0}, {}, {}};
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    a.col_idx.insert(a.col_idx.end(), row.begin(), row.end());
    a.row_ptr.push_back(static_cast<int>(a.col_idx.size()));
  }
  a.values.assign(a.col_idx.size(), 1.0);
  return a;
}

/// Makes a random matrix with a full diagonal.
/// @param full_rows, full_columns  numbers of random rows and columns that are full
Csr random_csr(int n, int per_row, std::uint64_t seed, bool same_pattern = false, int full_rows = 0,
               int full_columns = 0) {
  std::mt19937_64 random(seed);
  auto const below = [&](int m) { return static_cast<int>(random() % static_cast<std::uint64_t>(m)); };
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    rows[i].push_back(i);
    for (int k = 0; k < per_row; ++k) {
      int const j = below(n);
      rows[i].push_back(j);
      if (same_pattern) rows[j].push_back(i);
    }
  }
  for (int f = 0; f < full_rows; ++f) {
    auto& row = rows[below(n)];
    for (int j = 0; j < n; ++j) row.push_back(j);
  }
  for (int f = 0; f < full_columns; ++f) {
    int const column = below(n);
    for (auto& row : rows) row.push_back(column);
  }
  return csr_of_rows(rows);
}

struct Ways {
  std::vector<int> row_perm, col_perm;
};

/// Returns the oracle's pattern. A symmetric factor is that of the permuted matrix' upper triangle; entries below do
/// not matter.
support::IncompleteFactors<double> wanted_pattern(Csr const& a, Ways const& ways, bool symmetric, int levels) {
  auto const moved = support::permuted(a, ways.row_perm, ways.col_perm);
  if (!symmetric) return support::factor_pattern(moved, levels, false);
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(a.n));
  for (int i = 0; i < a.n; ++i)
    for (int k = moved.row_ptr[i]; k < moved.row_ptr[i + 1]; ++k)
      if (int const j = moved.col_idx[k]; j >= i) rows[i].push_back(j), rows[j].push_back(i);
  return support::factor_pattern(csr_of_rows(rows), levels, true);
}

template <class Space>
class LevelPatterns : public ::testing::Test {
 protected:
  using Object = Factorization<double, int, int, Space>;
  using T = typename Object::types;
  using Pattern = typename Object::pattern_type;
  Space exec;

  static typename T::indices perm(std::vector<int> const& p) {
    return p.empty() ? typename T::indices() : typename T::indices(to_device<T>(p));
  }
  static std::vector<int> fetch(Kokkos::View<int const*, typename T::device> const& view) {
    auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    return std::vector<int>(here.data(), here.data() + here.extent(0));
  }
  Pattern make(Csr const& a, Ways const& ways, bool symmetric, int levels) {
    return Object::level_pattern(exec, to_pattern<T>(a.row_ptr, a.col_idx), perm(ways.row_perm), perm(ways.col_perm),
                                 symmetric, levels);
  }
  /// Makes the pattern by the kernels for a device, which also run on a host, with tables of `small` and `large` slots.
  Pattern make_by_device(Csr const& a, Ways const& ways, bool symmetric, int levels, int small, int large,
                         int counts[3] = nullptr) {
    int const bytes = static_cast<int>(detail::FillTable<int>::bytes(large));
    detail::DeviceFill<T> fill(exec, a.n, small, bytes);
    struct Use {
      detail::DeviceFill<T>& fill;
      void count(Space const& e, detail::FillRows<T> const& rows) { fill.count(e, rows); }
      void write(Space const& e, detail::FillRows<T> const& rows) { fill.write(e, rows); }
    };
    auto out = detail::make_fill_pattern<T>(exec, to_pattern<T>(a.row_ptr, a.col_idx), perm(ways.row_perm),
                                            perm(ways.col_perm), symmetric, levels, [&](int) { return Use{fill}; });
    for (int k = 0; counts && k < 3; ++k) counts[k] = fill.counts()[k];
    return out;
  }
  static void expect(Pattern const& found, support::IncompleteFactors<double> const& wanted, bool symmetric) {
    ASSERT_EQ(found.symmetric, symmetric);
    ASSERT_EQ(found.block_size, symmetric ? 1 : 0);
    ASSERT_TRUE(found.upper);
    EXPECT_EQ(found.upper->diagonal, symmetric ? Diagonal::unit : Diagonal::inverted);
    ASSERT_EQ(fetch(found.upper->rows.row_ptr), wanted.upper_ptr);
    ASSERT_EQ(fetch(found.upper->rows.col_idx), wanted.upper_col);
    ASSERT_EQ(found.lower.has_value(), !symmetric);
    if (symmetric) return;
    EXPECT_EQ(found.lower->diagonal, Diagonal::unit);
    ASSERT_EQ(fetch(found.lower->rows.row_ptr), wanted.lower_ptr);
    ASSERT_EQ(fetch(found.lower->rows.col_idx), wanted.lower_col);
  }
  void check(Csr const& a, Ways const& ways, bool symmetric, int levels) {
    SCOPED_TRACE((symmetric ? "IC(" : "ILU(") + std::to_string(levels) + ")");
    auto const wanted = wanted_pattern(a, ways, symmetric, levels);
    ASSERT_NO_FATAL_FAILURE(expect(make(a, ways, symmetric, levels), wanted, symmetric));
    if (levels == 0) return;
    // on a device the lanes of a warp need some slots behind the columns that count
    int const least = is_host_space<Space> ? 8 : 256;
    for (int const small : {least, 4 * least}) {
      SCOPED_TRACE(std::to_string(small) + " slots");
      ASSERT_NO_FATAL_FAILURE(expect(make_by_device(a, ways, symmetric, levels, small, 2 * small), wanted, symmetric));
    }
  }
  /// Checks ILU and IC in the natural order and others.
  void check_all(Csr const& a, std::vector<int> const& levels, bool apart = true) {
    auto const p = shuffled(a.n, 3), q = shuffled(a.n, 4);
    for (int const k : levels) {
      for (bool const symmetric : {false, true}) {
        ASSERT_NO_FATAL_FAILURE(check(a, {}, symmetric, k));
        ASSERT_NO_FATAL_FAILURE(check(a, {p, p}, symmetric, k));
      }
      if (!apart) continue;
      // different orders of rows and columns, for a matrix without a diagonal of its own
      auto const moved = support::permuted(a, p, q);
      std::vector<int> back(p.size()), back_col(q.size());
      for (std::size_t i = 0; i < p.size(); ++i) back[p[i]] = static_cast<int>(i), back_col[q[i]] = static_cast<int>(i);
      ASSERT_NO_FATAL_FAILURE(check(moved, {back, back_col}, false, k));
    }
  }
};
TYPED_TEST_SUITE(LevelPatterns, Spaces, SpaceNames);

TYPED_TEST(LevelPatterns, OfGridsAndMeshes) {
  for (char const* spec : {"lap2d:9", "lap3d:5", "stencil27:4", "fem3:3", "powerlaw:100", "road:9", "kkt2:90"}) {
    SCOPED_TRACE(spec);
    ASSERT_NO_FATAL_FAILURE(this->check_all(make_csr<double>(spec), {0, 1, 2, 3, 4}));
  }
}

TYPED_TEST(LevelPatterns, OfRandomMatrices) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    int const n = static_cast<int>(1 + seed * 7 % 90), per_row = static_cast<int>(1 + seed % 4);
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto const a = random_csr(n, per_row, seed, seed % 3 == 0, seed % 5 == 0, seed % 7 == 0);
    ASSERT_NO_FATAL_FAILURE(this->check_all(a, {1, 2, 3, static_cast<int>(seed % 9)}));
  }
}

TYPED_TEST(LevelPatterns, OfSoManyLevelsThatFactorsAreComplete) {
  for (std::uint64_t seed = 100; seed < 110; ++seed)
    for (int const levels : {40, 1000, std::numeric_limits<int>::max()})
      ASSERT_NO_FATAL_FAILURE(this->check_all(random_csr(60, 1, seed), {levels}));
  ASSERT_NO_FATAL_FAILURE(this->check_all(make_csr<double>("lap2d:8"), {64, 1 << 30}));
}

/// Tests that fill along a chain extends over the number of levels, if the order of its rows allows it.
TYPED_TEST(LevelPatterns, OfLongChains) {
  for (int const levels : {1, 5, 60}) ASSERT_NO_FATAL_FAILURE(this->check_all(make_csr<double>("chain:300"), {levels}));
  int const n = 200;  // a ring: its last row makes a chain of fill through all rows
  std::vector<std::vector<int>> rows;
  for (int i = 0; i < n; ++i) rows.push_back({i, (i + 1) % n, (i + n - 1) % n});
  for (int const levels : {3, 198, 199}) ASSERT_NO_FATAL_FAILURE(this->check_all(csr_of_rows(rows), {levels}));
}

TYPED_TEST(LevelPatterns, OfLongRows) {
  for (char const* spec : {"dense:150", "arrow_down:500", "arrow_up:300"}) {
    SCOPED_TRACE(spec);
    ASSERT_NO_FATAL_FAILURE(this->check_all(make_csr<double>(spec), {1, 2}));
  }
  auto const a = random_csr(1500, 1, 8, false, 2, 1);
  for (bool const symmetric : {false, true})
    for (int const levels : {1, 2}) {
      auto const wanted = wanted_pattern(a, {}, symmetric, levels);
      ASSERT_NO_FATAL_FAILURE(this->expect(this->make(a, {}, symmetric, levels), wanted, symmetric));
      int counts[3];
      ASSERT_NO_FATAL_FAILURE(
          this->expect(this->make_by_device(a, {}, symmetric, levels, 256, 1024, counts), wanted, symmetric));
      EXPECT_EQ(counts[0], 1500);
      EXPECT_GE(counts[1], counts[2]);
      EXPECT_GT(counts[2], 0) << "no row is long enough for an array";
    }
}

TYPED_TEST(LevelPatterns, OfLargeMatrices) {
  for (char const* spec : {"lap3d:20", "fem3:6", "lap2d:150"})
    for (bool const symmetric : {false, true}) {
      auto const a = make_csr<double>(spec);
      auto const p = shuffled(a.n, 5);
      auto const wanted = wanted_pattern(a, {p, p}, symmetric, 2);
      ASSERT_NO_FATAL_FAILURE(this->expect(this->make(a, {p, p}, symmetric, 2), wanted, symmetric));
      ASSERT_NO_FATAL_FAILURE(
          this->expect(this->make_by_device(a, {p, p}, symmetric, 2, 256, 2048), wanted, symmetric));
    }
}

TYPED_TEST(LevelPatterns, OfNoRowAndOneRow) {
  for (int const n : {0, 1})
    for (int const levels : {-3, 0, 1, 7})
      for (bool const symmetric : {false, true}) {
        auto const a = random_csr(n, 0, 1);
        this->expect(this->make(a, {}, symmetric, levels), wanted_pattern(a, {}, symmetric, 0), symmetric);
      }
}

/// Tests that the first row without a diagonal entry is named; for LU, fill counts as an entry.
TYPED_TEST(LevelPatterns, NeedADiagonal) {
  auto a = csr_of_rows({{0, 3}, {1, 2}, {1, 3}, {3}, {0}});
  for (int const levels : {0, 1, 3})
    for (bool const symmetric : {false, true}) {
      bool const filled = levels > 0 && !symmetric;  // fill in row 2 through row 1
      try {
        this->make(a, {}, symmetric, levels);
        ADD_FAILURE() << "taken";
      } catch (MissingDiagonal const& e) {
        EXPECT_EQ(e.row(), filled ? 4 : 2);
      }
    }
  a = csr_of_rows({{0, 3}, {1, 2}, {1, 3}, {3}, {0, 4}});
  auto const found = this->make(a, {}, false, 1);
  this->expect(found, wanted_pattern(a, {}, false, 1), false);
}

TYPED_TEST(LevelPatterns, RefuseColumnsStoredTwice) {
  for (std::vector<int> const& columns : {std::vector<int>{0, 1, 1, 2, 2}, {0, 1, 2, 1, 2}}) {
    Csr const a{3, {0, 1, 4, 5}, columns, {1, 1, 1, 1, 1}};
    for (int const levels : {0, 1}) {
      EXPECT_THROW(this->make(a, {}, false, levels), ImproperRow);
      EXPECT_THROW(this->make(a, {}, true, levels), ImproperRow);
    }
  }
}

TYPED_TEST(LevelPatterns, ColumnsMayLieInAnyOrder) {
  auto const sorted = random_csr(60, 4, 11, true);
  auto a = sorted;
  for (int i = 0; i < a.n; ++i) std::reverse(a.col_idx.begin() + a.row_ptr[i], a.col_idx.begin() + a.row_ptr[i + 1]);
  auto const p = shuffled(a.n, 3);
  for (Ways const& ways : {Ways{}, Ways{p, p}})
    for (bool const symmetric : {false, true})
      for (int const levels : {0, 1, 2})
        ASSERT_NO_FATAL_FAILURE(this->expect(this->make(a, ways, symmetric, levels),
                                             wanted_pattern(sorted, ways, symmetric, levels), symmetric));
}

/// Tests 2^31 entries, which exceed an int; nothing is allocated for them.
TYPED_TEST(LevelPatterns, RefuseMoreEntriesThanOffsetsCount) {
  using T = typename TestFixture::T;
  auto const counts = to_device<T>(std::vector<int>{1 << 30, 1 << 30, 5, 0});
  expect_thrown<Unsupported>("3 levels of fill, of which U has 2147483653 entries",
                             [&] { detail::fill_offsets<T>(this->exec, counts, 3, "U"); });
}

}  // namespace
}  // namespace sptrsv::test
