// SPDX-License-Identifier: Apache-2.0
// Tests Factorization of matrices with dense blocks by its residual.
#include "blocked.hpp"
#include "spaces.hpp"
#include "tool_counters.hpp"

namespace sptrsv::test {
namespace {

template <class S, class Space>
void check_blocks(Space const& exec, std::string const& spec, BlockWay const& way, std::uint64_t times = 2) {
  SCOPED_TRACE(spec + ", blocks of " + std::to_string(way.size) + ", level " + std::to_string(way.level) +
               (way.symmetric ? ", symmetric" : "") + (way.upper_only ? ", upper" : "") +
               (way.options.list_bytes == 0 ? ", searching" : "") + (way.row_perm.empty() ? "" : ", permuted"));
  BlockSubject<S, Space> subject(exec, spec, way);
  for (std::uint64_t seed = 1; seed <= times; ++seed) {
    subject.set_values(seed);
    subject.factorize();
    ASSERT_EQ(subject.pivot_status.zero_row, -1);
    ASSERT_EQ(subject.pivot_status.out_of_range_row, -1);
    ASSERT_EQ(subject.pivot_status.passes, 1);
    ASSERT_NO_FATAL_FAILURE(subject.expect_small_residual());
  }
}

template <class S, class Space>
void check_block_families(std::vector<int> const& sizes) {
  Space const exec;
  for (std::string const spec :
       {"lap2d:5", "stencil27:3", "powerlaw:40", "dense:12", "chain:20", "diagonal:4", "kkt2:30"})
    for (int const size : sizes)
      for (int const level : {0, 1})
        for (bool const symmetric : {false, true})
          for (double const list_bytes : {4e9, 0.0}) {
            BlockWay way;
            way.size = size, way.level = level, way.symmetric = symmetric, way.options.list_bytes = list_bytes;
            way.upper_only = symmetric && level == 0;
            way.one_array = !symmetric && size % 2 == 0;
            ASSERT_NO_FATAL_FAILURE((check_blocks<S>(exec, spec, way)));
            if (symmetric) continue;
            way.row_perm = way.col_perm = shuffled(static_cast<int>(support::generate(spec).num_rows), 5);
            ASSERT_NO_FATAL_FAILURE((check_blocks<S>(exec, spec, way)));
          }
}

template <class Space>
class BlockFactorizations : public ::testing::Test {
 protected:
  using Double = BlockSubject<double, Space>;
  Space exec;
};
TYPED_TEST_SUITE(BlockFactorizations, Spaces, SpaceNames);

TYPED_TEST(BlockFactorizations, ResidualsAreSmall) { check_block_families<double, TypeParam>({2, 3, 4, 7, 8}); }
#if defined(SPTRSV_TEST_ALL_SCALARS)
TYPED_TEST(BlockFactorizations, ResidualsOfFloatsAreSmall) {
  if constexpr (has_instance<float, TypeParam>) check_block_families<float, TypeParam>({2, 5});
}
TYPED_TEST(BlockFactorizations, ResidualsOfComplexNumbersAreSmall) {
  using S = Kokkos::complex<double>;
  if constexpr (has_instance<S, TypeParam>) check_block_families<S, TypeParam>({2, 3, 8});
}
#endif

/// Tests all sizes, since each has its own number of lanes.
TYPED_TEST(BlockFactorizations, ResidualsOfAllSizesAreSmall) {
  for (int size = 2; size < 18; ++size)
    for (bool const symmetric : {false, true}) {
      BlockWay way;
      way.size = size, way.symmetric = symmetric;
      ASSERT_NO_FATAL_FAILURE((check_blocks<double>(this->exec, "lap2d:3", way)));
    }
}

/// Tests rows that exceed scratch memory and narrow positions.
TYPED_TEST(BlockFactorizations, ResidualsOfLongRowsAreSmall) {
  for (bool const symmetric : {false, true})
    for (auto const& [spec, size] : {std::pair<std::string, int>{"arrow_down:300", 2},
                                     {"arrow_up:300", 2},
                                     {"dense:20", 11},
                                     {"arrow_down:9", 33},
                                     {"dense:3", 70}})
      for (double const list_bytes : {4e9, 0.0}) {
        BlockWay way;
        way.size = size, way.symmetric = symmetric, way.options.list_bytes = list_bytes;
        ASSERT_NO_FATAL_FAILURE((check_blocks<double>(this->exec, spec, way, 1)));
      }
}

/// Tests zeros on the diagonal of a diagonal block, whose rows are interchanged.
TYPED_TEST(BlockFactorizations, DiagonalsOfBlocksMayBeZero) {
  for (int const size : {2, 3, 8}) {
    BlockWay way;
    way.size = size;
    typename TestFixture::Double subject(this->exec, "lap2d:4", way);
    for (int i = 0; i < subject.num_rows(); ++i)
      for (int e = 0; e < size * size; ++e) {
        bool const other = e % size == (e / size + 1) % size;
        subject.diagonal(i, e) = other ? 20.0 * size : 0;
      }
    subject.factorize();
    EXPECT_EQ(subject.pivot_status.zero_row, -1);
    ASSERT_NO_FATAL_FAILURE(subject.expect_small_residual());
  }
}

TYPED_TEST(BlockFactorizations, SingularBlocksAreReported) {
  for (bool const symmetric : {false, true})
    for (int const size : {2, 3, 4, 9}) {
      BlockWay way;
      way.size = size, way.symmetric = symmetric;
      typename TestFixture::Double subject(this->exec, "diagonal:9", way);
      for (int const i : {4, 7})  // the last pivot is 0
        for (int e = 0; e < size * size; ++e) subject.diagonal(i, e) = e % size == e / size ? 2 : 0;
      for (int const i : {4, 7}) subject.diagonal(i, size * size - 1) = 0;
      subject.factorize();
      EXPECT_EQ(subject.pivot_status.first_row, 5 * size - 1);
      EXPECT_EQ(subject.pivot_status.zero_row, 8 * size - 1);
      EXPECT_EQ(subject.pivot_status.first_value, 0);
      subject.diagonal(7, 0) = 0;
      subject.factorize();
      EXPECT_EQ(subject.pivot_status.zero_row, 7 * size);
      PivotRules rules;  // each pivot except a block's last is shifted
      rules.block_shift = 1e-3;
      for (int const i : {4, 7}) subject.diagonal(i, size * size - 1) = 2;
      subject.factorize(rules);
      EXPECT_EQ(subject.pivot_status.zero_row, -1);
      auto const d = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), subject.object->values().inverse);
      EXPECT_DOUBLE_EQ(d(7 * size * size), 1 / (1e-3 * (1e-12 + 2.0 * (size - 1))));
      rules.block_shift_is_relative = false;
      subject.factorize(rules);
      auto const same = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), subject.object->values().inverse);
      EXPECT_DOUBLE_EQ(same(7 * size * size), 1e3);
      rules = {};
      rules.interchange_in_blocks = false;
      subject.factorize(rules);
      EXPECT_EQ(subject.pivot_status.zero_row, -1) << "nothing counts as zero";
    }
}

/// Tests that D^-1 U leaves the range of numbers although D^-1 and U do not.
TYPED_TEST(BlockFactorizations, ProductsOutOfRangeAreReported) {
  struct Case {
    double pivot, entry, next;  ///< diagonal of row 4, entry (4, 5), diagonal of row 5
    int reported;
  };
  BlockWay way;
  way.size = 2;
  for (bool const symmetric : {false, true})
    for (Case const& c :
         {Case{1e-250, 1e100, 1, 4}, {1e250, 1e-100, 1e-100, 4}, {1e250, 1e-100, 1, -1}, {2, 1, 1, -1}}) {
      if (symmetric && c.reported < 0) continue;  // L_54 D_4 L_54^T is out of range in other ways
      way.symmetric = symmetric;
      typename TestFixture::Double subject(this->exec, "lap2d:3", way);
      std::fill(subject.values.begin(), subject.values.end(), 0.0);
      for (int i = 0; i < 9; ++i)
        for (int const e : {0, 3}) subject.diagonal(i, e) = i == 4 ? c.pivot : i == 5 ? c.next : 1;
      for (int e = 0; e < 4; ++e) subject.entry(4, 5, e) = c.entry;
      subject.factorize();
      EXPECT_EQ(subject.pivot_status.zero_row, -1);
      EXPECT_EQ(subject.pivot_status.out_of_range_row, c.reported) << c.pivot << ", " << c.entry << ", " << c.next;
    }
}

TYPED_TEST(BlockFactorizations, ReportsCountScalars) {
  BlockWay way;
  way.size = 3;
  typename TestFixture::Double subject(this->exec, "lap3d:5", way);
  auto const report = subject.object->report();
  EXPECT_EQ(report.rows, 375);
  EXPECT_EQ(report.entries, 9 * (125 + 600));
  EXPECT_EQ(report.updates, 27 * (300 + 300 + 300 + 125)) << "updates, L, D^-1 U, and D^-1";
  EXPECT_EQ(report.longest_row, 21);
  EXPECT_TRUE(report.listed);
  EXPECT_GT(subject.object->memory_bytes(), static_cast<std::size_t>(report.entries) * sizeof(double));
}

TYPED_TEST(BlockFactorizations, PatternsMustHaveWholeBlocks) {
  using T = typename TestFixture::Double::T;
  using Object = typename TestFixture::Double::Object;
  typename Object::pattern_type factor;
  factor.block_size = 2;
  factor.symmetric = true;
  std::vector<int> const row_ptr{0, 2, 4, 4, 4}, wrong_ptr{0, 2, 3, 4, 4};
  auto const matrix = to_pattern<T>(std::vector<int>{0, 2, 3}, {0, 1, 1});
  auto const with = [&](std::vector<int> const& ptr, std::vector<int> const& col) {
    factor.upper = {to_pattern<T>(ptr, col), Diagonal::unit};
    return Object(this->exec, matrix, factor);
  };
  EXPECT_NO_THROW(with(row_ptr, {2, 3, 2, 3}));
  EXPECT_THROW(with(wrong_ptr, {2, 3, 2, 3}), InvalidPattern);
  EXPECT_THROW(with(row_ptr, {1, 2, 1, 2}), InvalidPattern);
  EXPECT_THROW(with(row_ptr, {2, 3, 0, 1}), InvalidPattern);
  factor.block_size = 3;
  EXPECT_THROW(with(row_ptr, {2, 3, 2, 3}), DimensionMismatch);
  factor.block_size = 2;
  factor.upper = {to_pattern<T>(row_ptr, {2, 3, 2, 3}), Diagonal::unit};
  EXPECT_THROW(Object(this->exec, to_pattern<T>(std::vector<int>{0, 1, 2, 3, 4}, {0, 1, 2, 3}), factor),
               DimensionMismatch)
      << "A's pattern is that of entries";
}

TYPED_TEST(BlockFactorizations, HundredChangesOfValuesAreQuiet) {
  for (bool const symmetric : {false, true}) {
    BlockWay way;
    way.size = 4, way.level = 1, way.symmetric = symmetric;
    typename TestFixture::Double subject(this->exec, "lap2d:6", way);
    for (int change = 0; change < 100; ++change) {
      subject.set_values(static_cast<std::uint64_t>(change));
      if (change < 3) subject.factorize();
      auto const values = subject.device_values();
      this->exec.fence();
      {
        ToolCounters const counters;
        subject.pivot_status = subject.object->factor(this->exec, values, {});
        ASSERT_EQ(counters.allocations(), std::vector<std::string>());
        ASSERT_EQ(counters.copies().size(), 0u);
        ASSERT_EQ(counters.kernels().size(), 2u);
        ASSERT_LE(counters.fences().size(), 1u);
      }
      ASSERT_NO_FATAL_FAILURE(subject.expect_small_residual());
    }
  }
}

/// Tests that the factorization ends when run with 64 threads, most of which have no core of their own.
TEST(CrowdedFactorizations, OfBlocksEnd) {
  Kokkos::DefaultHostExecutionSpace const exec;
  for (std::string const spec : {"lap2d:25", "chain:600"})
    for (bool const symmetric : {false, true}) {
      BlockWay way;
      way.size = 5, way.symmetric = symmetric;
      BlockSubject<double, Kokkos::DefaultHostExecutionSpace> subject(exec, spec, way);
      for (int times = 0; times < 10; ++times) {
        subject.factorize();
        if (times == 9) {
          ASSERT_NO_FATAL_FAILURE(subject.expect_small_residual());
        }
      }
    }
}

}  // namespace
}  // namespace sptrsv::test
