// SPDX-License-Identifier: Apache-2.0
// Compares Factorization with the oracle bit for bit: long rows, large matrices, changes of values, no allocations,
// more threads than cores. Patterns, levels of fill, orderings, layouts and options are drawn by
// factorization_random_test.
#include <map>
#include <optional>
#include <set>
#include <sptrsv/factorization/update_lists.hpp>
#include <sptrsv/space.hpp>
#include <sptrsv/triangle/analysis.hpp>

#include "factorized.hpp"
#include "spaces.hpp"
#include "tool_counters.hpp"

namespace sptrsv::test {
namespace {

template <class Space>
class Factorizations : public ::testing::Test {
 protected:
  using Double = Subject<double, Space>;
  Space exec;
};
TYPED_TEST_SUITE(Factorizations, Spaces, SpaceNames);

/// Tests Ifpack2's thresholds, with which the factors are those of a matrix with another diagonal. In row 3 A's
/// diagonal is 0.
TYPED_TEST(Factorizations, DiagonalsAreScaledAndMovedFirst) {
  PivotRules rules;
  rules.diagonal_scale = 1.25, rules.diagonal_offset = 0.5;
  for (bool const symmetric : {false, true}) {
    Way way;
    way.level = 1, way.symmetric = symmetric;
    auto a = make_csr<double>("lap2d:6"), moved = a;
    for (int i = 0; i < a.n; ++i)
      for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
        if (a.col_idx[k] != i) continue;
        if (i % 3 == 1) a.values[k] *= -1;
        if (i == 3) a.values[k] = 0;
        moved.values[k] = a.values[k] * 1.25 + (a.values[k] > 0 ? -0.5 : 0.5);
      }
    typename TestFixture::Double subject(this->exec, a, way), wanted(this->exec, moved, way);
    subject.factorize(rules);
    wanted.factorize({});
    subject.expected = wanted.expected;
    subject.expect_same_bits();
  }
}

/// Tests rows below and above the limits of positions (255, 256 and 257 entries, including the pivot) and of scratch
/// memory.
TYPED_TEST(Factorizations, LongRowsAreTheOracles) {
  for (bool const symmetric : {false, true})
    for (std::string const spec :
         {"dense:128", "dense:129", "dense:255", "dense:256", "dense:257", "dense:600", "arrow_down:255",
          "arrow_down:256", "arrow_down:257", "arrow_down:4095", "arrow_down:4097", "arrow_down:9000", "arrow_up:256",
          "arrow_up:257", "arrow_up:4097", "arrow_up:9000"})
      for (double const list_bytes : {4e9, 0.0}) {
        SCOPED_TRACE(spec + (symmetric ? ", symmetric" : "") + (list_bytes > 0 ? "" : ", searching"));
        Way way;
        way.symmetric = symmetric, way.options.list_bytes = list_bytes, way.options.products = 1;
        ASSERT_NO_FATAL_FAILURE(check_factors<double>(this->exec, make_csr<double>(spec), way));
      }
}

TYPED_TEST(Factorizations, ReportsSayWhatWasFound) {
  auto const a = make_csr<double>("lap3d:5");
  for (double const list_bytes : {4e9, 0.0}) {
    Way way;
    way.options.list_bytes = list_bytes;
    typename TestFixture::Double subject(this->exec, a, way);
    auto const report = subject.object->report();
    EXPECT_EQ(report.rows, 125);
    EXPECT_EQ(report.entries, static_cast<long long>(a.col_idx.size()));
    EXPECT_EQ(report.longest_row, 7);
    // an update of the pivot per entry of L, 3 * 4 * 25; otherwise a bound, the same times the rest of a pivot's row
    EXPECT_EQ(report.updates, list_bytes > 0 ? 300 : 780);
    EXPECT_EQ(report.listed, list_bytes > 0);
    EXPECT_GT(subject.object->memory_bytes(), a.col_idx.size() * sizeof(double));
  }
}

/// Tests that a factor with too many updates to list is declined before they are counted and before lists are made, and
/// that a factor which is not known to be complete is counted no further than the limit.
TYPED_TEST(Factorizations, TooManyUpdatesAreDeclinedEarly) {
  using Double = typename TestFixture::Double;
  for (bool const symmetric : {false, true})
    for (bool const complete : {false, true}) {
      SCOPED_TRACE(std::string(symmetric ? "symmetric" : "LU") + (complete ? ", complete" : ""));
      Way way;
      way.symmetric = symmetric, way.options.complete = complete;
      FactorizationReport seen;
      way.options.accept = [&](FactorizationReport const& report) {
        seen = report;
        return report.listed;
      };
      std::set<std::string> kernels;
      ToolCounters const counters;
      Double subject(this->exec, make_csr<double>("dense:300"), way);
      for (auto const& name : counters.kernels()) kernels.insert(name);
      EXPECT_EQ(seen.updates, symmetric ? 299 * 300 * 301 / 6 : 299 * 300 * 599 / 6);
      EXPECT_FALSE(seen.listed);
      EXPECT_EQ(subject.object->report().updates, seen.updates);
      EXPECT_EQ(kernels.count("sptrsv::factorization::bound_updates"), 1u);
      EXPECT_EQ(kernels.count("sptrsv::factorization::count_updates"), complete ? 0u : 1u);
      for (char const* name : {"source_map", "matrix_rows", "list_order", "scan_updates", "list_updates"})
        EXPECT_EQ(kernels.count(std::string("sptrsv::factorization::") + name), 0u) << name;
      EXPECT_THROW(subject.factorize({}), NotReady);
      auto const report = Double::Object::decide(this->exec, subject.matrix(), subject.factor(), way.options);
      EXPECT_FALSE(report.listed);
      EXPECT_EQ(report.updates, seen.updates);
      way.options.list_bytes = 4e9;
      ASSERT_NO_FATAL_FAILURE(check_factors<double>(this->exec, make_csr<double>("dense:300"), way));
      EXPECT_TRUE(seen.listed);
    }
}

/// Rows of a factor for tests of the parts of Factorization.
template <class T>
struct RowsOfFactor {
  std::optional<Analysis<T>> lower, upper;
  detail::FactorRows<T> rows;

  template <class Subject>
  RowsOfFactor(typename T::exec_space const& exec, Subject const& subject) {
    auto const pattern = subject.factor();
    rows.symmetric = pattern.symmetric;
    Op const op = pattern.symmetric ? Op::transpose : Op::none;
    upper.emplace(exec, pattern.upper->rows, Shape{Triangle::upper, pattern.upper->diagonal, op});
    if (!pattern.symmetric) lower.emplace(exec, pattern.lower->rows, Shape{Triangle::lower, Diagonal::unit, Op::none});
    rows.upper = upper->stored();
    if (lower) rows.lower = lower->stored();
  }
};

TYPED_TEST(Factorizations, CountsStopAtTheLimit) {
  using T = typename TestFixture::Double::T;
  for (bool const symmetric : {false, true})
    for (std::string const spec : {"dense:400", "stencil27:9"}) {
      Way way;
      way.symmetric = symmetric, way.level = 2;
      typename TestFixture::Double const subject(this->exec, make_csr<double>(spec), way);
      RowsOfFactor<T> const of(this->exec, subject);
      auto const all = detail::count_updates<T, std::uint32_t>(this->exec, of.rows, 1e18, false, false);
      EXPECT_TRUE(all.listable);
      EXPECT_EQ(all.all, all.counted);
      std::size_t const bound = detail::bound_updates<T>(this->exec, of.rows), most = all.all / 100;
      auto const some = detail::count_updates<T, std::uint32_t>(this->exec, of.rows, 8.0 * most, false, false);
      EXPECT_FALSE(some.listable);
      EXPECT_EQ(some.all, bound);
      EXPECT_EQ(bound == all.all, spec == "dense:400") << bound << " and " << all.all;
      EXPECT_GE(bound, all.all);
      // a thread stops within its row, of 80,000 updates at most; of a GPU's threads, many are in flight
      if constexpr (is_host_space<TypeParam>)
        EXPECT_LE(some.counted, most + static_cast<std::size_t>(80000 * this->exec.concurrency()));
      auto const exact = detail::count_updates<T, std::uint32_t>(this->exec, of.rows, 8.0 * all.all, false, false);
      EXPECT_TRUE(exact.listable);
      auto const less = detail::count_updates<T, std::uint32_t>(this->exec, of.rows, 8.0 * all.all - 8, false, false);
      EXPECT_FALSE(less.listable);
    }
}

/// Tests that a sort by threads and PETSc's lists give the same order of pivot rows.
TYPED_TEST(Factorizations, PivotsAreSortedAsInLists) {
  using T = typename TestFixture::Double::T;
  for (Layout const layout : all_layouts)
    for (std::string const spec : {"dense:130", "arrow_down:300", "powerlaw:200", "fem3:4", "diagonal:5", "chain:40"}) {
      SCOPED_TRACE(spec + ", layout " + std::to_string(static_cast<int>(layout)));
      Way way;
      way.symmetric = true, way.level = 1, way.layout = layout;
      typename TestFixture::Double const subject(this->exec, make_csr<double>(spec), way);
      RowsOfFactor<T> const of(this->exec, subject);
      auto const order = [&](bool sort) {
        auto const pivots =
            detail::pivots_in_list_order<T>(this->exec, of.rows.upper, of.upper->rows(this->exec), sort);
        auto const row = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pivots.row);
        auto const entry = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pivots.entry);
        std::vector<std::pair<int, int>> both;
        for (std::size_t k = 0; k < row.extent(0); ++k) both.emplace_back(row(k), entry(k));
        return both;
      };
      auto const sorted = order(true);
      EXPECT_EQ(order(false), sorted);
      if (spec != "diagonal:5") EXPECT_FALSE(sorted.empty());
    }
}

/// Tests for each layout which row an entry belongs to.
TEST(RowOfEntry, IsFoundInEachLayout) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  using T = Subject<double, Space>::T;
  Space const exec;
  for (bool const symmetric : {false, true})
    for (Layout const layout : all_layouts)
      for (std::string const spec : {"lap2d:6", "diagonal:5", "arrow_up:9"}) {
        Way way;
        way.symmetric = symmetric, way.layout = layout;
        Subject<double, Space> const subject(exec, make_csr<double>(spec), way);
        RowsOfFactor<T> const of(exec, subject);
        for (auto const* part : {&of.rows.lower, &of.rows.upper}) {
          std::vector<int> expected(part->col_idx.extent(0), -1), found;
          for (int i = 0; i < part->num_rows; ++i)
            for (int k = part->begin(i); k < part->end(i); ++k) expected[static_cast<std::size_t>(k)] = i;
          for (int k = 0; k < static_cast<int>(expected.size()); ++k) found.push_back(detail::row_of_entry(*part, k));
          EXPECT_EQ(found, expected) << spec << ", layout " << static_cast<int>(layout);
        }
      }
}

/// Tests that products of symmetric factors are kept in scratch memory if it holds those of every row.
TYPED_TEST(Factorizations, ProductsWaitWhereTheyFit) {
  for (auto const& [spec, fits] : std::map<std::string, bool>{{"lap3d:5", true}, {"dense:300", false}})
    for (int const products : {-1, 0, 1}) {
      Way way;
      way.symmetric = true, way.options.products = products;
      typename TestFixture::Double subject(this->exec, make_csr<double>(spec), way);
      bool const asked = products == 1 || (products < 0 && !is_host_space<TypeParam>);
      EXPECT_EQ(subject.object->report().products, fits && asked) << spec << ", " << products;
      way.options.list_bytes = 0;
      typename TestFixture::Double searching(this->exec, make_csr<double>(spec), way);
      EXPECT_FALSE(searching.object->report().products);
    }
  Way way;
  way.options.products = 1;
  typename TestFixture::Double lu(this->exec, make_csr<double>("lap3d:5"), way);
  EXPECT_FALSE(lu.object->report().products) << "LU's multipliers depend on each other";
}

TYPED_TEST(Factorizations, ThousandChangesOfValuesAreQuiet) {
  for (bool const symmetric : {false, true}) {
    Way way;
    way.level = 1, way.symmetric = symmetric, way.layout = Layout::one_array;
    typename TestFixture::Double subject(this->exec, make_csr<double>("lap2d:6"), way);
    std::vector<std::pair<decltype(subject.device_values()), support::IncompleteFactors<double>>> changes;
    for (int change = 0; change < 1000; ++change) {
      subject.set_values(make_csr<double>("lap2d:6", 2, static_cast<std::uint64_t>(change)).values);
      if (change < 3) subject.factorize({});
      auto const values = subject.device_values();
      PivotRules rules;
      rules.shift = static_cast<Shift>(change % 4);
      rules.amount = 1e-3;
      this->exec.fence();
      std::size_t allocations = 0, copies = 0;
      {
        ToolCounters const counters;
        subject.pivot_status = subject.object->factor(this->exec, values, rules);
        allocations = counters.allocations().size() + counters.deallocations().size();
        copies = counters.copies().size();
        bool const reduces = rules.shift == Shift::positive_definite;  // reduces over A to a host value
        ASSERT_LE(counters.kernels().size(), reduces ? 3u : 2u);
        ASSERT_LE(counters.fences().size(), reduces ? 3u : 1u) << ::testing::PrintToString(counters.fences());
        for (auto const& name : counters.kernels()) ASSERT_EQ(name.rfind("sptrsv::", 0), 0u) << name;
        for (auto const device : counters.devices())
          ASSERT_EQ(device, Kokkos::Tools::Experimental::device_id(this->exec));
      }
      ASSERT_EQ(allocations, 0u);
      ASSERT_EQ(copies, 0u);
      ASSERT_EQ(subject.pivot_status.passes, 1);
      auto const never = [](int, double const&, double) { return false; };
      if (symmetric) support::cholesky_pass(subject.a(), 0.0, never, false, subject.expected);
      else support::lu_pass(subject.a(), 0.0, never, false, subject.expected);
      ASSERT_NO_FATAL_FAILURE(subject.expect_same_bits());
    }
  }
}

TYPED_TEST(Factorizations, VerdictsAllocateNothing) {
  for (bool const symmetric : {false, true})
    for (Shift const shift : {Shift::none, Shift::nonzero, Shift::positive_definite, Shift::in_blocks}) {
      Way way;
      way.symmetric = symmetric;
      typename TestFixture::Double subject(this->exec, make_csr<double>("lap2d:6", -0.1), way);
      PivotRules rules;
      rules.shift = shift, rules.amount = 2, rules.zero_pivot = 0.4;
      auto const values = subject.device_values();
      subject.object->factor(this->exec, values, rules);
      this->exec.fence();
      ToolCounters const counters;
      auto const pivot_status = subject.object->factor(this->exec, values, rules);
      EXPECT_TRUE(pivot_status.num_shifts > 0 || pivot_status.zero_row >= 0);
      EXPECT_EQ(counters.allocations(), std::vector<std::string>());
      EXPECT_EQ(counters.deallocations(), std::vector<std::string>());
    }
}

TYPED_TEST(Factorizations, TwoObjectsAlternate) {
  Way ilu, icc;
  ilu.level = 1, icc.symmetric = true;
  typename TestFixture::Double first(this->exec, make_csr<double>("lap2d:20"), ilu),
      second(this->exec, make_csr<double>("fem3:4"), icc);
  for (int times = 0; times < 5; ++times) {
    first.factorize({});
    second.factorize({});
    ASSERT_NO_FATAL_FAILURE(first.expect_same());
    ASSERT_NO_FATAL_FAILURE(second.expect_same());
  }
}

TYPED_TEST(Factorizations, ObjectsCanBeMoved) {
  using Object = typename TestFixture::Double::Object;
  typename TestFixture::Double subject(this->exec, make_csr<double>("lap2d:9"), {});
  subject.factorize({});
  auto const before = subject.object->values().upper.data();
  Object moved(std::move(*subject.object));
  EXPECT_EQ(moved.values().upper.data(), before);
  Object other(this->exec, subject.matrix(), subject.factor());
  other = std::move(moved);
  subject.object = std::make_unique<Object>(std::move(other));
  subject.set_values(make_csr<double>("lap2d:9", 3, 7).values);
  subject.factorize({});
  subject.expect_same();
  EXPECT_EQ(subject.object->values().upper.data(), before);
}

/// Tests 2^20 rows, which are not all in flight at the same time.
TYPED_TEST(Factorizations, LargeMatricesEnd) {
  for (bool const symmetric : {false, true}) {
    Way way;
    way.symmetric = symmetric;
    typename TestFixture::Double subject(this->exec, make_csr<double>("lap2d:1024"), way);
    for (int times = 0; times < 2; ++times) subject.factorize({});
    ASSERT_NO_FATAL_FAILURE(subject.expect_same());
  }
  check_factors<double>(this->exec, make_csr<double>("chain:200000"), {});
}

/// Tests that the factorization ends when run with 64 threads, most of which have no core of their own.
TEST(CrowdedFactorizations, End) {
  Kokkos::DefaultHostExecutionSpace const exec;
  for (std::string const matrix : {"lap2d:60", "chain:10000"})
    for (bool const symmetric : {false, true}) {
      Way way;
      way.symmetric = symmetric;
      Subject<double, Kokkos::DefaultHostExecutionSpace> subject(exec, make_csr<double>(matrix), way);
      for (int times = 0; times < 20; ++times) {
        subject.factorize({});
        ASSERT_NO_FATAL_FAILURE(subject.expect_same());
      }
    }
  check_factors<double>(exec, make_csr<double>("lap2d:1024"), {});
}

}  // namespace
}  // namespace sptrsv::test
