// SPDX-License-Identifier: Apache-2.0
// Compares Relaxation with Ifpack2::Relaxation, row by row.
#include <Ifpack2_Relaxation.hpp>
#include <algorithm>
#include <sstream>

#include "belos_run.hpp"
#include "riluk_pair.hpp"
#include "sptrsv/ifpack2/create.hpp"
#include "sptrsv_support/generators.hpp"
#include "tool_counters.hpp"

namespace sptrsv::test {
namespace {

using Relaxation = ifpack2::Relaxation<Row<double>>;
using Ifpack2Relaxation = Ifpack2::Relaxation<Row<double>>;

/// Returns a list that must not be const: Ifpack2's setParameters() adds its defaults, which ours has to ignore.
Teuchos::ParameterList sweeps(std::string const& type, int number = 1, double damping = 1, bool zero_start = true,
                              bool backward = false) {
  Teuchos::ParameterList list;
  list.set("relaxation: type", type);
  list.set("relaxation: sweeps", number);
  list.set("relaxation: damping factor", damping);
  list.set("relaxation: zero starting solution", zero_start);
  list.set("relaxation: backward mode", backward);
  return list;
}

Teuchos::ParameterList with_algorithm(Teuchos::ParameterList list, std::string const& algorithm) {
  list.set("sptrsv: algorithm", algorithm);
  return list;
}

class RelaxationMatrix : public ::testing::TestWithParam<std::string> {};

TEST_P(RelaxationMatrix, SweepsAreIfpack2sAlsoWithNewValues) {
  for (std::string const type : {"Gauss-Seidel", "Symmetric Gauss-Seidel"})
    for (bool const backward : {false, true})
      for (bool const zero_start : {true, false})
        for (int const number : {1, 2, 3})
          for (double const damping : {1.0, 0.8, 1.3}) {
            auto list = sweeps(type, number, damping, zero_start, backward);
            std::ostringstream trace;
            list.print(trace);
            SCOPED_TRACE(trace.str());
            auto const A = distributed(support::generate(GetParam()));
            auto const theirs = computed<Ifpack2Relaxation>(A, list);
            auto const ours = computed<Relaxation>(A, list);
            auto const compare = [&] {
              for (int const columns : {1, 3})
                expect_alike(*ours, *theirs, Teuchos::NO_TRANS, A->getRowMap(), columns, !zero_start);
            };
            compare();
            scale_off_diagonals(*A, 0.75);
            ours->compute();
            theirs->compute();
            compare();
            EXPECT_EQ(ours->getNumAnalyses(), 2);
          }
}
// chain:3 leaves one of 4 ranks without rows
INSTANTIATE_TEST_SUITE_P(Families, RelaxationMatrix,
                         ::testing::Values("lap2d:20", "lap3d:8,nonsym", "rmat:7,5", "diagonal:20", "chain:3"),
                         [](auto const& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST(Relaxation, TypesOfSolversAndBelosIterations) {
  auto const A = distributed(support::generate("lap2d:20"));
  auto list = sweeps("Symmetric Gauss-Seidel", 2, 1.2);
  auto const theirs = computed<Ifpack2Relaxation>(A, list);
  auto const expected = solve_by_belos(A, theirs, true);
  ASSERT_TRUE(expected.converged) << expected;
  for (std::string const algorithm : {"sequential", "levelset", "syncfree", "sptrsv"}) {
    SCOPED_TRACE(algorithm);
    auto const ours = computed<Relaxation>(A, with_algorithm(list, algorithm));
    expect_alike(*ours, *theirs, Teuchos::NO_TRANS, A->getRowMap());
    EXPECT_EQ(solve_by_belos(A, ours, true), expected);
  }
}

TEST(Relaxation, ParametersChangeBetweenCalls) {
  auto const A = distributed(support::generate("lap2d:12"));
  auto const ours = computed<Relaxation>(A, sweeps("Gauss-Seidel"));
  auto more = sweeps("Symmetric Gauss-Seidel", 3, 1, false);
  ours->setParameters(more);
  EXPECT_TRUE(ours->isComputed());
  auto const map = A->getRowMap();
  expect_alike(*ours, *computed<Ifpack2Relaxation>(A, more), Teuchos::NO_TRANS, map, 2, true);
  auto damped = sweeps("Gauss-Seidel", 1, 0.7);
  ours->setParameters(damped);
  EXPECT_FALSE(ours->isComputed());
  ours->compute();
  expect_alike(*ours, *computed<Ifpack2Relaxation>(A, damped), Teuchos::NO_TRANS, map);
  ours->setParameters(sweeps("Gauss-Seidel", 0, 0.7));  // Ifpack2 would leave Y as it is
  auto const Y = not_a_number<double>(map, 2);
  ours->apply(*right_hand_side(*map, 2), *Y);
  EXPECT_EQ(columns_of(*Y)[1], std::vector<double>(map->getLocalNumElements(), 0.0));
}

TEST(Relaxation, AlphaBetaSharedAndScatteredVectors) {
  auto const A = distributed(support::generate("lap2d:12"));
  auto const map = A->getRowMap();
  std::vector<std::size_t> const scattered{3, 0, 2};
  for (bool const zero_start : {true, false}) {
    auto list = sweeps("Gauss-Seidel", 2, 1, zero_start);
    auto const ours = computed<Relaxation>(A, list);
    auto const theirs = computed<Ifpack2Relaxation>(A, list);
    auto const X = right_hand_side(*map, 3);
    auto const all = right_hand_side(*map, 4);
    for (auto const& Y : {all->subViewNonConst(Teuchos::Range1D(1, 3)),
                          all->subViewNonConst(Teuchos::ArrayView<std::size_t const>(scattered.data(), 3))}) {
      auto const same = rcp(new Vectors<double>(*Y, Teuchos::Copy));  // X and Y at once
      auto const rhs = rcp(new Vectors<double>(*Y, Teuchos::Copy));
      for (double const beta : {0.0, 0.5}) {
        Vectors<double> Z(*Y, Teuchos::Copy), expected(*Y, Teuchos::Copy);
        theirs->apply(*X, Z);
        expected.update(2.0, Z, beta);
        ours->apply(*X, *Y, Teuchos::NO_TRANS, 2.0, beta);
        for (int c = 0; c < 3; ++c)
          for (std::size_t i = 0; i < map->getLocalNumElements(); ++i)
            ASSERT_NEAR(columns_of(*Y)[c][i], columns_of(expected)[c][i], 1e-11) << "beta " << beta << ", row " << i;
      }
      Vectors<double> Z(*same, Teuchos::Copy);
      theirs->apply(*rhs, Z);
      ours->apply(*same, *same);
      for (std::size_t i = 0; i < map->getLocalNumElements(); ++i)
        ASSERT_NEAR(columns_of(*same)[2][i], columns_of(Z)[2][i], 1e-11) << "row " << i;
    }
  }
}

TEST(Relaxation, ASecondApplyAllocatesNothing) {
  auto const A = distributed(support::generate("lap2d:16"));
  auto const X = right_hand_side(*A->getRowMap(), 2), Y = right_hand_side(*A->getRowMap(), 2);
  auto const ours = computed<Relaxation>(A, sweeps("Symmetric Gauss-Seidel", 2, 1, false));
  ours->apply(*X, *Y);
  ToolCounters const counters;
  ours->apply(*X, *Y);
  for (auto const& label : counters.allocations()) EXPECT_EQ(label.find("sptrsv"), std::string::npos) << label;
}

TEST(Relaxation, IsMadeByName) {
  auto const A = distributed(support::generate("lap2d:6"));
  EXPECT_FALSE(Teuchos::rcp_dynamic_cast<Relaxation>(ifpack2::create("sptrsv_relaxation", A)).is_null());
  EXPECT_FALSE(Teuchos::rcp_dynamic_cast<Ifpack2Relaxation>(ifpack2::create("RELAXATION", A)).is_null());
}

}  // namespace
}  // namespace sptrsv::test
