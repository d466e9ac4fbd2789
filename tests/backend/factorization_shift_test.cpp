// SPDX-License-Identifier: Apache-2.0
// Compares Factorization with the oracle for small pivots and for values that are no numbers: shifts, amounts, passes
// and pivot statuses; pivots at the threshold and one rounding away from it; loops that would not end; NaN, infinity
// and zeros.
#include "factorized.hpp"
#include "spaces.hpp"

namespace sptrsv::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

PivotRules rules_of(Shift shift, double zero_pivot = 2.2e-14, double amount = 0) {
  PivotRules rules;
  rules.shift = shift, rules.zero_pivot = zero_pivot, rules.amount = amount;
  return rules;
}

template <class Space>
class Shifts : public ::testing::Test {
 protected:
  Space exec;

  /// Compares factors with listed and with searched updates; returns the pivot status.
  template <class S = double>
  PivotStatus check(support::Csr<Standard<S>> const& a, PivotRules const& rules, bool symmetric, int level = 1) {
    PivotStatus pivot_status;
    for (double const list_bytes : {0.0, 4e9}) {
      SCOPED_TRACE(std::string(symmetric ? "symmetric, " : "") + "shift " +
                   std::to_string(static_cast<int>(rules.shift)) + ", zero pivot " + std::to_string(rules.zero_pivot) +
                   ", amount " + std::to_string(rules.amount));
      Way way;
      way.symmetric = symmetric, way.level = level, way.options.list_bytes = list_bytes;
      Subject<S, Space> subject(exec, a, way);
      subject.factorize(rules);
      subject.expect_same();
      pivot_status = subject.pivot_status;
    }
    return pivot_status;
  }
};
TYPED_TEST_SUITE(Shifts, Spaces, SpaceNames);

/// Tests amounts that are computed by hand, so that the oracle is not the only reference.
TYPED_TEST(Shifts, AmountsAreThoseOfPetsc) {
  auto const a = csr_of<double>({{0, 1}, {1, 4}});
  for (bool const symmetric : {false, true}) {
    auto const nonzero = this->check(a, rules_of(Shift::nonzero, 1e-10, 1e-12), symmetric);
    EXPECT_EQ(nonzero.shift_amount, 1.28e-10) << "1e-12 doubled until it is more than 1e-10";
    EXPECT_EQ(nonzero.num_shifts, 8);
    EXPECT_EQ(nonzero.passes, 9);
    EXPECT_EQ(nonzero.zero_row, -1);
    auto const blocks = this->check(a, rules_of(Shift::in_blocks, 1e-10, 0.5), symmetric);
    EXPECT_EQ(blocks.num_shifts, 1);
    EXPECT_EQ(blocks.passes, 1);
    EXPECT_EQ(blocks.shift_amount, 0);
    EXPECT_EQ(blocks.zero_row, -1);
    auto const none = this->check(csr_of<double>({{1e-11, missing, 1}, {missing, 0, 1}, {1, 1, 5}}),
                                  rules_of(Shift::none, 1e-10), symmetric);
    EXPECT_EQ(none.first_row, 0);
    EXPECT_EQ(none.zero_row, 1);
    EXPECT_EQ(none.first_value, 1e-11);
    EXPECT_EQ(none.zero_value, 0);
    EXPECT_EQ(none.passes, 1);
  }
  // 1.1 times 0.11 makes A diagonally dominant: 1/2 and 3/4 of that are too little, 7/8 suffice; LU then tries 13/16
  // and 27/32
  auto const indefinite = csr_of<double>({{-0.1, 0.01}, {0.01, 4}});
  auto const bisected = this->check(indefinite, rules_of(Shift::positive_definite), true);
  EXPECT_EQ(bisected.num_shifts, 3);
  EXPECT_NEAR(bisected.shift_amount, 0.121 * 7 / 8, 1e-15);
  auto const refined = this->check(indefinite, rules_of(Shift::positive_definite), false);
  EXPECT_EQ(refined.num_shifts, 5);
  EXPECT_NEAR(refined.shift_amount, 0.121 * 27 / 32, 1e-15);
}

/// Tests pivots at the threshold: zero_pivot, or zero_pivot times the sum of a row's magnitudes in their order.
TYPED_TEST(Shifts, ThresholdsAreExact) {
  std::vector<double> const entries{0.1, 0.7, 1e-9, 0.3, -1.0 / 3, 5e-17, 0.9};
  double sum = 0;
  for (double const v : entries) sum += std::abs(v);
  double const zero_pivot = 0.37;
  for (bool const symmetric : {false, true})
    for (bool const at_end : {false, true})  // the last row, all in L; or the first row, all in U
      for (Shift const shift : {Shift::none, Shift::nonzero, Shift::positive_definite, Shift::in_blocks}) {
        if (symmetric && at_end) continue;
        bool const relative = shift == Shift::nonzero || shift == Shift::positive_definite;
        double const least = relative ? zero_pivot * sum : zero_pivot;
        for (double const pivot : {std::nextafter(least, 0.0), least, std::nextafter(least, 10.0)}) {
          std::size_t const n = entries.size() + 1, row = at_end ? n - 1 : 0;
          std::vector<std::vector<double>> dense(n, std::vector<double>(n, missing));
          for (std::size_t k = 0; k + 1 < n; ++k) {
            std::size_t const other = at_end ? k : k + 1;
            dense[other][other] = 1e3;
            if (!at_end) dense[0][other] = entries[k], dense[other][0] = 0;
            if (at_end) dense[row][other] = entries[k], dense[other][other] = 1, dense[other][row] = 0;
          }
          dense[row][row] = pivot;
          auto const v = this->check(csr_of(dense), rules_of(shift, zero_pivot, 2), symmetric);
          EXPECT_EQ(shift == Shift::none ? v.zero_row >= 0 : v.num_shifts > 0, pivot <= least)
              << "shift " << static_cast<int>(shift) << ", pivot off by " << pivot - least;
        }
      }
}

/// Tests a threshold that is far from the row's greatest entry: the sum of many small entries.
TYPED_TEST(Shifts, SumsOfManyEntriesAreExact) {
  std::size_t const n = 400;
  double sum = 0;
  for (std::size_t k = 1; k < n; ++k) sum += 1 / static_cast<double>(k);
  for (bool const symmetric : {false, true})
    for (double const pivot : {std::nextafter(sum, 0.0), sum, std::nextafter(sum, 10.0)}) {
      std::vector<std::vector<double>> dense(n, std::vector<double>(n, missing));
      for (std::size_t k = 1; k < n; ++k) dense[0][k] = 1 / static_cast<double>(k), dense[k][k] = 1e3;
      dense[0][0] = pivot;
      auto const v = this->check(csr_of(dense), rules_of(Shift::nonzero, 1, 1), symmetric);
      EXPECT_EQ(v.num_shifts > 0, pivot <= sum);
    }
}

/// Tests shifts with which PETSc does not return.
TYPED_TEST(Shifts, EndlessLoopsAreTold) {
  auto const expect_endless = [](PivotStatus const& v, long long row, double value) {
    EXPECT_TRUE(v.endless);
    EXPECT_EQ(v.first_row, row);
    EXPECT_GE(v.zero_row, row);
    EXPECT_EQ(v.first_value, value) << "its magnitude";
    EXPECT_LT(v.passes, 3000);
  };
  for (bool const symmetric : {false, true}) {
    auto const a = csr_of<double>({{1, missing, 1}, {missing, 0, 1}, {1, 1, 5}});
    expect_endless(this->check(a, rules_of(Shift::nonzero, 1e-10, 0), symmetric), 1, 0);
    // a row whose off-diagonals and pivot are 0
    auto const empty = csr_of<double>({{1, 0.5}, {0, 0}});
    auto const filled = this->check(empty, rules_of(Shift::nonzero, 1e-10, 1e-3), symmetric);
    EXPECT_FALSE(filled.endless);
    // a threshold that grows with the row's sum: no shift exceeds it
    auto const large = csr_of<double>({{-3, 5, missing}, {5, 1, 1}, {missing, 1, 1}});
    auto const never = this->check(large, rules_of(Shift::positive_definite, 1e3), symmetric);
    double const top = 1.1 * 1e3;
    expect_endless(never, 0, -3 + top);
    EXPECT_EQ(never.shift_amount, top);
    // the pivot stays negative, and its magnitude is reported
    auto const negative = csr_of<double>({{-infinity, 1}, {1, 1}});
    auto const v = this->check(negative, rules_of(Shift::positive_definite, 1e-3), symmetric);
    expect_endless(v, 0, infinity);
    auto const in_u = csr_of<double>({{1, infinity}, {1, 1}});
    this->check(in_u, rules_of(Shift::nonzero, 1e-3, 1), symmetric);
    this->check(in_u, rules_of(Shift::positive_definite, 1e-3), symmetric);
  }
}

/// Tests that an object can be used after each pivot status, and that earlier rules have no effect.
TYPED_TEST(Shifts, PhasesDoNotDependOnThoseBefore) {
  for (bool const symmetric : {false, true}) {
    Way way;
    way.symmetric = symmetric;
    Subject<double, TypeParam> subject(this->exec, csr_of<double>({{1, missing, 1}, {missing, 0, 1}, {1, 1, 5}}), way);
    auto const values = subject.a().values;
    for (int times = 0; times < 3; ++times) {
      for (auto const& rules :
           {rules_of(Shift::nonzero, 1e-10, 0), rules_of(Shift::none), rules_of(Shift::nonzero, 1e-10, 1),
            rules_of(Shift::positive_definite), rules_of(Shift::in_blocks, 1e-10, 1)}) {
        subject.factorize(rules);
        ASSERT_NO_FATAL_FAILURE(subject.expect_same());
      }
      auto good = values;
      good[2] = 3;
      subject.set_values(good);
      subject.factorize(rules_of(Shift::positive_definite));
      ASSERT_NO_FATAL_FAILURE(subject.expect_same());
      EXPECT_EQ(subject.pivot_status.passes, 1);
      subject.set_values(values);
    }
  }
}

/// Tests NaN, infinity, extreme magnitudes and zeros of both signs in each entry, or in each third.
TYPED_TEST(Shifts, OddNumbersAreTheOracles) {
  for (std::string const spec : {"lap2d:4", "dense:6"})
    for (double const odd : {not_a_number, infinity, -infinity, 0.0, -0.0, 1e308, 5e-324})
      for (bool const symmetric : {false, true})
        for (Shift const shift : {Shift::none, Shift::nonzero, Shift::positive_definite, Shift::in_blocks}) {
          auto a = make_csr<double>(spec);
          for (std::size_t k = 0; k < a.values.size(); k += spec == "dense:6" ? 1 : 3) {
            SCOPED_TRACE(spec + ", " + std::to_string(odd) + " as entry " + std::to_string(k));
            double const kept = std::exchange(a.values[k], odd);
            this->check(a, rules_of(shift, 2.2e-14, 1e-3), symmetric);
            a.values[k] = kept;
            if (::testing::Test::HasFailure()) return;
          }
        }
}

/// Tests that a multiplier of zero subtracts nothing, not even 0 times infinity.
TYPED_TEST(Shifts, MultipliersOfZeroAreSkipped) {
  for (double const zero : {0.0, -0.0}) {
    auto const a = csr_of<double>({{2, infinity, not_a_number}, {zero, 3, 1}, {zero, 1, 4}});
    Subject<double, TypeParam> subject(this->exec, a, {});
    subject.factorize({});
    ASSERT_NO_FATAL_FAILURE(subject.expect_same());
    auto const f = subject.get();
    EXPECT_EQ(f.upper[3], 1) << "U(1, 2)";
    EXPECT_EQ(std::signbit(f.lower[0]), std::signbit(zero));
  }
}

/// Tests that signs of zeros are kept: A has -0.0 in its diagonal, and the inverse is infinite.
TYPED_TEST(Shifts, SignsOfZerosAreKept) {
  for (bool const symmetric : {false, true})
    this->check(csr_of<double>({{-0.0, -0.0, missing}, {-0.0, 1, -0.0}, {missing, -0.0, -0.0}}), {}, symmetric);
}

/// Tests that a pivot without an entry in A starts at zero.
TYPED_TEST(Shifts, MissingDiagonalsAreZeros) {
  for (bool const symmetric : {false, true}) {
    auto const a = csr_of<double>({{2, 1, missing}, {1, missing, 1}, {missing, 1, missing}});
    EXPECT_EQ(this->check(a, {}, symmetric).zero_row, -1);
    auto const b = csr_of<double>({{missing, 1}, {1, missing}});
    EXPECT_EQ(this->check(b, {}, symmetric).first_row, 0);
    EXPECT_EQ(this->check(b, rules_of(Shift::nonzero, 1e-10, 1), symmetric).num_shifts, 2)
        << "with 1 the second pivot is 1 - 1";
    EXPECT_EQ(this->check(csr_of<double>({{missing}}), {}, symmetric).zero_row, 0);
    EXPECT_EQ(this->check(csr_of<double>({{missing}}), rules_of(Shift::in_blocks, 0, 4), symmetric).num_shifts, 1);
  }
}

#if defined(SPTRSV_TEST_ALL_SCALARS)
/// Tests that a complex pivot with a NaN part does not count as zero, whatever the other part is.
TYPED_TEST(Shifts, ComplexPivotsWithNanAreNotZero) {
  using S = Kokkos::complex<double>;
  if constexpr (has_instance<S, TypeParam>)
    for (bool const symmetric : {false, true})
      for (Shift const shift : {Shift::none, Shift::nonzero, Shift::positive_definite, Shift::in_blocks}) {
        Way way;
        way.symmetric = symmetric;
        support::Csr<std::complex<double>> const a{1, {0, 1}, {0}, {{-1, not_a_number}}};
        Subject<S, TypeParam> subject(this->exec, a, way);
        subject.factorize(rules_of(shift, 1e-10, 1));
        subject.expect_same_verdict();
        EXPECT_EQ(subject.pivot_status.passes, 1);
      }
}
#endif

}  // namespace
}  // namespace sptrsv::test
