// SPDX-License-Identifier: Apache-2.0
// Tests values in single precision: the answers are those of the rounded triangle, to the bit; values that cannot be
// rounded are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sptrsv/triangle/stored_values.hpp>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

/// Rounds to float through memory, since g++ 12 optimizes away conversions of a pair of numbers to float and back.
double rounded(double value) {
  float volatile const stored = static_cast<float>(value);
  return stored;
}
template <class S>
S rounded(S const& value) {
  if constexpr (std::is_arithmetic_v<S>) return static_cast<S>(rounded(static_cast<double>(value)));
  else return ScalarTraits<S>::make(rounded(value.real()), rounded(value.imag()));
}
template <class S>
Problem<S> rounded(Problem<S> p) {
  for (int i = 0; i < p.num_rows(); ++i)
    for (int k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k)
      if (p.col_idx[k] != i) p.values[k] = rounded(p.values[k]);
  p.make_op();
  return p;
}
Variant in_single(Variant v) {
  v.options["sptrsv_storage"] = "single";
  return v;
}

std::vector<char const*> const variants{"levelset", "levelset_chain1", "blocked", "blocked_small", "sptrsv"};

template <class S, class Space>
void check(Space const& exec, std::string const& matrix, Shape const& shape, int columns) {
  SCOPED_TRACE(matrix + " " + text(shape.triangle) + " " + text(shape.op) + " " + text(shape.diagonal) + " columns " +
               std::to_string(columns));
  auto const p = make_problem<S>(matrix, shape);
  auto const q = rounded(p);
  auto const b = make_right_hand_sides<S>(p.num_rows(), columns);
  for (auto const* label : variants) {
    SCOPED_TRACE(label);
    Variant const& v = variant(label);
    auto const solver = make_solver<S>(in_single(v), exec, p);
    Variant const full{"", solver.algorithm(), v.options};  // the planner's choice by name
    auto const x = solve<S>(solver, exec, b), of_rounded = solve<S>(make_solver<S>(full, exec, q), exec, b);
    expect_solves(q, x, b);
    for (int c = 0; c < columns; ++c) expect_same(x[c], of_rounded[c]);
  }
}

template <class Case>
class StorageTest : public ::testing::Test {};
template <class S, class E>
struct StorageCase {
  using scalar = S;
  using space = E;
};
template <class S, class Tuple>
struct CasesOf;
template <class S, class... E>
struct CasesOf<S, std::tuple<E...>> {
  using type = std::tuple<StorageCase<S, E>...>;
};
using Cases = decltype(std::tuple_cat(
#if defined(SPTRSV_TEST_ALL_SCALARS)
    std::declval<CasesOf<float, FurtherSpaceTuple>::type>(),
    std::declval<CasesOf<Kokkos::complex<double>, FurtherSpaceTuple>::type>(),
    std::declval<CasesOf<Kokkos::complex<float>, FurtherSpaceTuple>::type>(),
#endif
    std::declval<CasesOf<double, SpaceTuple>::type>()));
struct CaseNames {
  template <class Case>
  static std::string GetName(int) {
    using S = typename Case::scalar;
    return std::string(std::is_arithmetic_v<S> ? "" : "complex_") +
           (sizeof(typename ScalarTraits<S>::real) == 4 ? "float_" : "double_") + space_name<typename Case::space>();
  }
};
TYPED_TEST_SUITE(StorageTest, AsTestTypes<Cases>::type, CaseNames);

TYPED_TEST(StorageTest, SolvesTheRoundedTriangle) {
  typename TypeParam::space const exec;
  using S = typename TypeParam::scalar;
  for (auto const& shape : all_shapes())
    for (auto const* matrix : {"diagonal:0", "diagonal:9", "chain:60", "dense:60", "lap2d:24", "lap3d:9", "rmat:8,6"})
      check<S>(exec, matrix, shape, 1);
  for (int const columns : {2, 5, 33}) {
    check<S>(exec, "lap2d:24", {Triangle::lower, Diagonal::inverted, Op::none}, columns);
    check<S>(exec, "rmat:8,6", {Triangle::upper, Diagonal::stored, Op::conj_transpose}, columns);
  }
}

/// Checks rows that a team copies on a GPU, with either storage.
TYPED_TEST(StorageTest, LongRows) {
  typename TypeParam::space const exec;
  using S = typename TypeParam::scalar;
  for (auto const& matrix : {"arrow_down:3000", "arrow_up:3000", "powerlaw:6000"})
    for (auto const op : {Op::none, Op::transpose}) {
      Shape const shape{Triangle::lower, Diagonal::stored, op};
      check<S>(exec, matrix, shape, 1);
      auto const p = make_problem<S>(matrix, shape);
      auto const b = make_right_hand_sides<S>(p.num_rows(), 1);
      for (auto const* label : {"levelset", "blocked"})
        expect_solves(p, solve<S>(make_solver<S>(variant(label), exec, p), exec, b), b);
    }
}

TYPED_TEST(StorageTest, RoundsAndTakesLessMemory) {
  typename TypeParam::space const exec;
  using S = typename TypeParam::scalar;
  auto const p = make_problem<S>("lap3d:12", {Triangle::lower, Diagonal::stored, Op::none});
  auto const b = make_right_hand_sides<S>(p.num_rows(), 1);
  for (auto const* label : {"levelset", "blocked"}) {
    auto const single = make_solver<S>(in_single(variant(label)), exec, p),
               full = make_solver<S>(variant(label), exec, p);
    bool const says = single.parameters().find(", values in single precision") != std::string::npos;
    EXPECT_EQ(full.parameters().find("single precision"), std::string::npos);
    auto const x = solve<S>(single, exec, b)[0], y = solve<S>(full, exec, b)[0];
    EXPECT_EQ(says, !detail::is_single<S>);
    EXPECT_EQ(x == y, detail::is_single<S>) << "rounded " << single.parameters();
    if (detail::is_single<S>) EXPECT_EQ(single.memory_bytes(), full.memory_bytes());
    else EXPECT_LT(single.memory_bytes() + p.values.size() / 2 * sizeof(S) / 2, full.memory_bytes());
  }
}

TYPED_TEST(StorageTest, RefusesWhatItCannotHold) {
  typename TypeParam::space const exec;
  using S = typename TypeParam::scalar;
  using T = TypesOf<S, typename TypeParam::space>;
  if (detail::is_single<S>) return;  // all of its values are single
  auto const good = make_problem<S>("lap2d:20", {Triangle::lower, Diagonal::stored, Op::none});
  auto const b = make_right_hand_sides<S>(good.num_rows(), 1);
  int const row = 217, entry = good.row_ptr[row];
  ASSERT_NE(good.col_idx[entry], row);
  for (auto const* label : {"levelset", "blocked", "sptrsv"}) {
    SCOPED_TRACE(label);
    auto solver = make_solver<S>(in_single(variant(label)), exec, good);
    auto const x = solve<S>(solver, exec, b)[0];
    auto p = good;
    auto const with = [&](double value) {
      p.values[entry] = ScalarTraits<S>::make(0.5, value);
      if constexpr (std::is_arithmetic_v<S>) p.values[entry] = value;
      p.make_op();
      solver.update(exec, to_device<T>(p.values));
    };
    double const most = std::numeric_limits<float>::max();
    double const least = std::numeric_limits<float>::min();
    for (double const value : {1e39, -1e300, most * (1 + 0x1p-24), least * (1 - 0x1p-24), -1e-60}) {
      try {
        with(value);
        FAIL() << "no error for " << value;
      } catch (SingleRange const& e) {
        EXPECT_EQ(e.row(), row);
        EXPECT_NE(std::string(e.what()).find("row 217 of the lower triangle"), std::string::npos) << e.what();
      }
      EXPECT_THROW(solve<S>(solver, exec, b), NotReady);
    }
    for (double const value : {most, -most, 1e-30, least, 0.0, -0.0}) {
      with(value);
      auto const y = solve<S>(solver, exec, b);
      expect_solves(rounded(p), y, b);
    }
    // an infinite value in the input is no overflow
    with(std::numeric_limits<double>::infinity());
    EXPECT_FALSE(std::isfinite(static_cast<double>(Kokkos::abs(solve<S>(solver, exec, b)[0][row]))));
    solver.update(exec, to_device<T>(good.values));
    expect_same(solve<S>(solver, exec, b)[0], x);
  }
  // columns of T are the rows of its transpose
  auto transposed = good;
  transposed.shape.op = Op::transpose;
  transposed.values[entry] = S(1e40);
  try {
    make_solver<S>(in_single(variant("levelset")), exec, transposed);
    FAIL();
  } catch (SingleRange const& e) {
    EXPECT_EQ(e.row(), good.col_idx[entry]);
    EXPECT_NE(std::string(e.what()).find("column " + std::to_string(good.col_idx[entry])), std::string::npos);
  }
  // diagonals are not rounded
  auto p = good;
  p.values[p.row_ptr[row + 1] - 1] = S(1e200);
  p.make_op();
  expect_solves(rounded(p), solve<S>(make_solver<S>(in_single(variant("levelset")), exec, p), exec, b), b);
}

TEST(Storage, IsRefusedByTypesThatReadTheCallersValues) {
  Kokkos::DefaultHostExecutionSpace const exec;
  auto const p = make_problem<double>("lap2d:5", {Triangle::lower, Diagonal::stored, Op::none});
  int refused = 0;
  for (auto const& info : algorithm_infos()) {
    Variant const v = in_single({info.name, info.name, {}});
    EXPECT_EQ(info.capabilities.single_storage, info.name == "levelset" || info.name == "blocked") << info.name;
    if (info.capabilities.single_storage) continue;
    ++refused;
    expect_thrown<Unsupported>("single precision; choose levelset, blocked or sptrsv",
                               [&] { make_solver<double>(v, exec, p); });
  }
  EXPECT_GE(refused, 5);
  expect_thrown<InvalidOption>("full, single",
                               [&] { make_solver<double>({"", "levelset", {{"sptrsv_storage", "half"}}}, exec, p); });
}

TEST(Storage, ChangesNothingWhereScalarsAreSingle) {
#if defined(SPTRSV_TEST_ALL_SCALARS)
  Kokkos::DefaultHostExecutionSpace const exec;
  auto const p = make_problem<float>("lap2d:9", {Triangle::lower, Diagonal::stored, Op::none});
  for (auto const& info : algorithm_infos()) {
    if (!info.capabilities.any_pattern) continue;
    auto const single = make_solver<float>(in_single({"", info.name, {}}), exec, p);
    EXPECT_EQ(single.memory_bytes(), make_solver<float>({"", info.name, {}}, exec, p).memory_bytes());
  }
  EXPECT_EQ(make_solver<float>(in_single({"", "sptrsv", {}}), exec, p).algorithm(),
            make_solver<float>({"", "sptrsv", {}}, exec, p).algorithm());
#else
  GTEST_SKIP() << "this build has no float";
#endif
}

TEST(Storage, PlannerMeasuresOnlyTypesThatRound) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const p = make_problem<double>("lap2d:30", {Triangle::lower, Diagonal::stored, Op::none});
  Variant v = in_single({"", "sptrsv", {{"sptrsv_plan", "measure"}}});
  auto const solver = make_solver<double>(v, exec, p);
  // `blocked` is no candidate on one host thread
  bool const one_thread = is_host_space<Kokkos::DefaultExecutionSpace> && exec.concurrency() == 1;
  ASSERT_EQ(solver.timings().size(), one_thread ? 1u : 2u);
  for (auto const& timing : solver.timings())
    EXPECT_TRUE(timing.algorithm == "levelset" || timing.algorithm == "blocked") << timing.algorithm;
}

}  // namespace
}  // namespace sptrsv::test
