// SPDX-License-Identifier: Apache-2.0
// What Factorization refuses, and with which words; empty matrices; memory that is not its own.
#include "factorized.hpp"
#include "spaces.hpp"
#include "sptrsv/factorization/factor_rows.hpp"
#include "sptrsv/proper_rows.hpp"

namespace sptrsv::test {
namespace {

template <class Space>
class FactorizationErrors : public ::testing::Test {
 protected:
  using Double = Subject<double, Space>;
  using Object = typename Double::Object;
  using T = typename Double::T;
  Space exec;
};
TYPED_TEST_SUITE(FactorizationErrors, Spaces, SpaceNames);

/// Checks rows of columns. Returns "ascend" or "taken", or the row and the column that the error names.
std::string check(std::vector<std::vector<int>> const& rows, RowRules const& rules) {
  std::vector<int> row_ptr{0}, col_idx;
  for (auto const& row : rows) {
    col_idx.insert(col_idx.end(), row.begin(), row.end());
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  try {
    return check_rows(static_cast<int>(rows.size()), row_ptr.data(), col_idx.data(), rules) ? "ascend" : "taken";
  } catch (ImproperRow const& e) {
    return std::to_string(e.row()) + (e.repeated() ? " repeats " : " has ") + std::to_string(e.col());
  }
}

TEST(CheckRows, KnowsEachOrder) {
  struct Case {
    std::vector<int> middle;  // of the columns 0 to 4 of row 2
    std::string any, ascending, lower, upper;
  };
  for (Case const& c :
       {Case{{0, 1, 2, 3, 4}, "ascend", "ascend", "ascend", "ascend"}, Case{{}, "ascend", "ascend", "ascend", "ascend"},
        Case{{0, 1, 2, 4, 3}, "taken", "2 has 3", "taken", "2 has 3"},
        Case{{1, 0, 2, 3, 4}, "taken", "2 has 0", "2 has 0", "taken"},
        Case{{2, 0, 1, 3, 4}, "taken", "2 has 0", "2 has 0", "2 has 0"},
        Case{{0, 1, 3, 2, 4}, "taken", "2 has 2", "2 has 2", "2 has 2"},
        Case{{0, 3, 1, 2, 4}, "taken", "2 has 1", "2 has 1", "2 has 1"},
        Case{{0, 2, 2, 4}, "2 repeats 2", "2 repeats 2", "2 repeats 2", "2 repeats 2"},
        Case{{0, 2, 4, 3, 4}, "2 repeats 4", "2 has 3", "2 repeats 4", "2 has 3"},
        Case{{0, 1, 0, 2, 4}, "2 repeats 0", "2 has 0", "2 has 0", "2 repeats 0"}}) {
    std::vector<std::vector<int>> const rows{{0, 1}, {}, c.middle, {0, 3}, {0}};
    EXPECT_EQ(check(rows, {ColumnOrder::any}), c.any);
    EXPECT_EQ(check(rows, {ColumnOrder::ascending}), c.ascending);
    EXPECT_EQ(check(rows, {ColumnOrder::lower_ascending}), c.lower);
    EXPECT_EQ(check(rows, {ColumnOrder::upper_ascending}), c.upper);
  }
  for (std::vector<int> const& row : {std::vector<int>{0, 1, 0, 2, 4}, {0, 0, 2, 4}})
    EXPECT_EQ(check({{0, 1}, {}, row, {3}, {4}}, {ColumnOrder::upper_ascending, true}), "taken");
  EXPECT_EQ(check({}, {}), "ascend");
}

/// Rows are looked at in chunks, where one row's last column meets the next row's first one.
TEST(CheckRows, FindsARowAnywhere) {
  for (int const wrong : {0, 1, 254, 255, 256, 257, 511, 512, 599}) {
    std::vector<std::vector<int>> rows(600);
    for (int i = 0; i < 600; ++i)
      if (i % 7 != 3 || i == wrong) rows[static_cast<std::size_t>(i)] = {0, i / 2 + 1, 598};
    EXPECT_EQ(check(rows, {ColumnOrder::ascending}), "ascend");
    std::swap(rows[static_cast<std::size_t>(wrong)][0], rows[static_cast<std::size_t>(wrong)][1]);
    EXPECT_EQ(check(rows, {ColumnOrder::ascending}), std::to_string(wrong) + " has 0");
    EXPECT_EQ(check(rows, {}), "taken");
  }
}

TYPED_TEST(FactorizationErrors, ColumnsOfAAreStoredOnce) {
  using T = typename TestFixture::T;
  typename TestFixture::Double const subject(this->exec, csr_of<double>({{2, 1, 1}, {1, 2, 1}, {1, 1, 2}}), {});
  std::vector<int> const row_ptr{0, 3, 6, 9};
  for (std::vector<int> const& columns : {std::vector<int>{0, 1, 2, 0, 1, 1, 0, 1, 2}, {0, 1, 2, 1, 0, 1, 0, 1, 2}})
    expect_thrown<ImproperRow>(
        "row 1 stores column 1 twice; store each column of a row once, with the sum of its values",
        [&] { typename TestFixture::Object(this->exec, to_pattern<T>(row_ptr, columns), subject.factor()); });
}

TYPED_TEST(FactorizationErrors, ColumnsOfFactorsMustAscend) {
  using T = typename TestFixture::T;
  typename TestFixture::Double const subject(this->exec, csr_of<double>({{2, 1, 1}, {1, 2, 1}, {1, 1, 2}}), {});
  auto factor = subject.factor();
  factor.upper->rows = to_pattern<T>({0, 3, 5, 6}, {2, 1, 0, 2, 1, 2});
  expect_thrown<ImproperRow>("row 0 stores column 1 behind column 2",
                             [&] { typename TestFixture::Object(this->exec, subject.matrix(), factor); });
  factor = subject.factor();
  factor.lower->rows = to_pattern<T>({0, 0, 1, 3}, {0, 1, 0});
  expect_thrown<ImproperRow>("row 2 stores column 0 behind column 1",
                             [&] { typename TestFixture::Object(this->exec, subject.matrix(), factor); });
}

/// Rows in order are not looked at again on the host, where a device's pattern would have to be copied to.
TYPED_TEST(FactorizationErrors, RowsInOrderAreTold) {
  using T = typename TestFixture::T;
  auto const a = make_csr<double>("lap2d:6");
  auto columns = a.col_idx;
  EXPECT_EQ(detail::first_unsorted_row<T>(this->exec, to_pattern<T>(a.row_ptr, columns)), a.n);
  std::swap(columns[static_cast<std::size_t>(a.row_ptr[7])], columns[static_cast<std::size_t>(a.row_ptr[7]) + 1]);
  EXPECT_EQ(detail::first_unsorted_row<T>(this->exec, to_pattern<T>(a.row_ptr, columns)), 7);
}

TYPED_TEST(FactorizationErrors, ColumnsOfAMayLieInAnyOrder) {
  using T = typename TestFixture::T;
  for (bool const symmetric : {false, true})
    for (int const level : {0, 2})
      for (bool const permuted : {false, true}) {
        Way way;
        way.symmetric = symmetric;
        way.level = level;
        auto const a = make_csr<double>("lap2d:6");
        if (permuted) way.row_perm = way.col_perm = shuffled(a.n, 5);
        typename TestFixture::Double subject(this->exec, a, way);
        auto columns = a.col_idx;
        auto values = a.values;
        for (int i = 0; i < a.n; ++i) {
          std::reverse(columns.begin() + a.row_ptr[i], columns.begin() + a.row_ptr[i + 1]);
          std::reverse(values.begin() + a.row_ptr[i], values.begin() + a.row_ptr[i + 1]);
        }
        subject.factorize({});
        *subject.object = typename TestFixture::Object(this->exec, to_pattern<T>(a.row_ptr, columns), subject.factor());
        subject.pivot_status = subject.object->factor(this->exec, to_device<T>(values), {});
        ASSERT_NO_FATAL_FAILURE(subject.expect_same()) << symmetric << level << permuted;
      }
}

TYPED_TEST(FactorizationErrors, KindsOfFactorsAreChecked) {
  for (bool const symmetric : {false, true}) {
    Way way;
    way.symmetric = symmetric;
    typename TestFixture::Double const subject(this->exec, make_csr<double>("lap2d:4"), way);
    auto const good = subject.factor();
    auto const refuse = [&](auto const& change) {
      auto wrong = good;
      change(wrong);
      expect_thrown<Error>("a factorization needs",
                           [&] { typename TestFixture::Object(this->exec, subject.matrix(), wrong); });
    };
    using P = decltype(subject.factor());
    refuse([](P& p) { p.upper.reset(); });
    refuse([](P& p) { p.block_size = 3; });
    refuse([](P& p) { p.upper->diagonal = Diagonal::stored; });
    refuse([&](P& p) { p.upper->diagonal = symmetric ? Diagonal::inverted : Diagonal::unit; });
    if (symmetric) {
      refuse([](P& p) { p.block_size = 0; });
      refuse([](P& p) { p.row_perm = to_device<typename TestFixture::T>(shuffled(16, 1)); });
      continue;
    }
    refuse([](P& p) { p.block_size = 1; });
    refuse([](P& p) { p.lower.reset(); });
    refuse([](P& p) { p.lower->diagonal = Diagonal::inverted; });
    refuse([](P& p) { p.lower->diagonal = Diagonal::stored; });
    auto reversed = subject.matrix();
    reversed.row_order = RowOrder::reversed;
    expect_thrown<Error>("A's rows in natural order",
                         [&] { typename TestFixture::Object(this->exec, reversed, good); });
    auto swapped = good;
    std::swap(swapped.lower->rows, swapped.upper->rows);
    EXPECT_THROW(typename TestFixture::Object(this->exec, subject.matrix(), swapped), Error);
  }
}

TYPED_TEST(FactorizationErrors, SizesAreChecked) {
  using T = typename TestFixture::T;
  for (bool const symmetric : {false, true}) {
    Way way;
    way.symmetric = symmetric;
    typename TestFixture::Double const subject(this->exec, make_csr<double>("lap2d:4"), way),
        larger(this->exec, make_csr<double>("lap2d:5"), way);
    auto const refuse = [&](auto const& matrix, auto const& factor, char const* words) {
      expect_thrown<DimensionMismatch>(words, [&] { typename TestFixture::Object(this->exec, matrix, factor); });
    };
    refuse(larger.matrix(), subject.factor(), "A has 25 rows and its factors 16");
    refuse(subject.matrix(), larger.factor(), "A has 16 rows and its factors 25");
    auto wrong = subject.factor();
    wrong.row_perm = wrong.col_perm = to_device<T>(std::vector<int>{1, 0});
    refuse(subject.matrix(), wrong, "a permutation has 2 entries");
    wrong = subject.factor();
    wrong.row_perm = to_device<T>(shuffled(16, 1));
    wrong.col_perm = to_device<T>(shuffled(17, 1));
    refuse(subject.matrix(), wrong, "a permutation has 17 entries");
    if (symmetric) continue;
    wrong = subject.factor();
    wrong.lower = larger.factor().lower;
    refuse(subject.matrix(), wrong, "L has 25 rows and U 16");
    wrong = larger.factor();
    wrong.lower = subject.factor().lower;
    refuse(larger.matrix(), wrong, "L has 16 rows and U 25");
  }
}

TYPED_TEST(FactorizationErrors, TooFewValuesLeaveAnObjectToUseOn) {
  using T = typename TestFixture::T;
  typename TestFixture::Double subject(this->exec, make_csr<double>("lap2d:4"), {});
  auto const enough = subject.a().values.size();
  for (std::size_t const few : {std::size_t(0), enough - 1})
    EXPECT_THROW(subject.object->factor(this->exec, to_device<T>(std::vector<double>(few, 1.0)), {}), PatternChanged);
  subject.factorize({});
  subject.expect_same();
  EXPECT_THROW(subject.object->factor(this->exec, to_device<T>(std::vector<double>(3, 1.0)), {}), PatternChanged);
  subject.factorize({});
  subject.expect_same();
}

/// Values behind A's last entry are not read.
TYPED_TEST(FactorizationErrors, MoreValuesThanEntriesAreTaken) {
  using T = typename TestFixture::T;
  typename TestFixture::Double subject(this->exec, make_csr<double>("lap2d:4"), {});
  subject.factorize({});
  auto values = subject.a().values;
  values.insert(values.end(), 100, std::numeric_limits<double>::quiet_NaN());
  subject.object->factor(this->exec, to_device<T>(values), {});
  subject.expect_same_bits();
}

TYPED_TEST(FactorizationErrors, NoRowsAreNoTrouble) {
  using T = typename TestFixture::T;
  for (bool const symmetric : {false, true})
    for (bool const without_offsets : {false, true})
      for (Shift const shift : {Shift::none, Shift::nonzero, Shift::positive_definite, Shift::in_blocks}) {
        std::vector<int> const row_ptr(without_offsets ? 0 : 1, 0);
        typename TestFixture::Object::pattern_type p;
        p.symmetric = symmetric, p.block_size = symmetric;
        p.upper = {to_pattern<T>(row_ptr, {}), symmetric ? Diagonal::unit : Diagonal::inverted};
        if (!symmetric) p.lower = {to_pattern<T>(row_ptr, {}), Diagonal::unit};
        typename TestFixture::Object object(this->exec, to_pattern<T>(row_ptr, {}), p);
        PivotRules rules;
        rules.shift = shift;
        for (int times = 0; times < 2; ++times) {
          auto const pivot_status = object.factor(this->exec, {}, rules);
          EXPECT_EQ(pivot_status.zero_row, -1);
          EXPECT_EQ(pivot_status.passes, 1);
          EXPECT_FALSE(pivot_status.endless);
        }
        EXPECT_EQ(object.values().upper.extent(0), 0u);
        EXPECT_EQ(object.report().rows, 0);
      }
}

/// Offsets of A may begin behind 0 where its arrays are a part of others.
TYPED_TEST(FactorizationErrors, ArraysOfAMayHaveMoreInFront) {
  using T = typename TestFixture::T;
  typename TestFixture::Double subject(this->exec, make_csr<double>("lap2d:4"), {});
  subject.factorize({});
  auto const& a = subject.a();
  std::vector<int> row_ptr = a.row_ptr, columns(7, 3);
  std::vector<double> values(7, std::numeric_limits<double>::quiet_NaN());
  for (int& k : row_ptr) k += 7;
  columns.insert(columns.end(), a.col_idx.begin(), a.col_idx.end());
  values.insert(values.end(), a.values.begin(), a.values.end());
  subject.object =
      std::make_unique<typename TestFixture::Object>(this->exec, to_pattern<T>(row_ptr, columns), subject.factor());
  subject.object->factor(this->exec, to_device<T>(values), {});
  subject.expect_same_bits();
}

/// The views of the patterns are kept, so that their owners may let go of them.
TYPED_TEST(FactorizationErrors, PatternsAreKept) {
  PivotRules rules;
  rules.shift = Shift::positive_definite;
  for (bool const symmetric : {false, true}) {
    Way way;
    way.symmetric = symmetric;
    typename TestFixture::Double subject(this->exec, make_csr<double>("lap2d:6", 0.1), way);  // its views are gone
    subject.factorize(rules);
    subject.expect_same();
    EXPECT_GT(subject.pivot_status.num_shifts, 0);
  }
}

}  // namespace
}  // namespace sptrsv::test
