// SPDX-License-Identifier: Apache-2.0
// Compares Riluk with Ifpack2::RILUK: the same answers in all modes, the same Belos iterations inside AdditiveSchwarz.
#include <Ifpack2_AdditiveSchwarz.hpp>
#include <algorithm>
#include <set>

#include "belos_run.hpp"
#include "riluk_pair.hpp"
#include "sptrsv/ifpack2/create.hpp"
#include "sptrsv/solver.hpp"
#include "sptrsv_support/generators.hpp"
#include "tool_counters.hpp"

namespace sptrsv::test {
namespace {

using Schwarz = Ifpack2::AdditiveSchwarz<Row<double>>;

std::vector<std::string> algorithms() {
  std::vector<std::string> names{"sptrsv"};
  for (auto const& info : algorithm_infos())
    if (info.capabilities.any_pattern && info.capabilities.exact) names.push_back(info.name);
  return names;
}

class RilukMatrix : public ::testing::TestWithParam<std::string> {};

TEST_P(RilukMatrix, AnswersAreIfpack2sInAllModes) {
  auto const A = distributed(support::generate(GetParam()));
  for (int const k : {0, 1, 2}) {
    auto const theirs = computed<Theirs>(A, parameters(k));
    for (auto const& algorithm : algorithms()) {
      auto const ours = computed<Ours>(A, parameters(k, algorithm));
      for (auto const mode : {Teuchos::NO_TRANS, Teuchos::TRANS, Teuchos::CONJ_TRANS}) {
        SCOPED_TRACE(algorithm + ", fill " + std::to_string(k) + ", " + Teuchos::toString(mode));
        expect_alike(*ours, *theirs, mode, A->getRowMap());
      }
      EXPECT_EQ(ours->getNumAnalyses(), 4);  // L and U, plain and transposed; for real numbers both transposes are one
    }
  }
}

/// Returns an AdditiveSchwarz around `inner`.
RCP<Schwarz> schwarz_of(RCP<Crs<double>> const& A, RCP<Preconditioner> const& inner, int overlap) {
  auto const made = rcp(new Schwarz(RCP<Row<double> const>(A)));
  Teuchos::ParameterList list;
  list.set("schwarz: overlap level", overlap);
  made->setParameters(list);
  made->setInnerPreconditioner(inner);
  made->initialize();
  made->compute();
  return made;
}

template <class P>
RCP<P> inner_of(int k) {
  auto const made = rcp(new P(RCP<Row<double> const>()));
  made->setParameters(parameters(k));
  return made;
}

TEST_P(RilukMatrix, IterationsInsideAdditiveSchwarzAreIfpack2s) {
  auto const A = distributed(support::generate(GetParam()));
  for (int const overlap : {0, 1})
    for (int const k : {0, 1, 2}) {
      SCOPED_TRACE("overlap " + std::to_string(overlap) + ", fill " + std::to_string(k));
      auto const expected = solve_by_belos(A, schwarz_of(A, inner_of<Theirs>(k), overlap), false);
      EXPECT_TRUE(expected.converged) << expected;
      EXPECT_EQ(solve_by_belos(A, schwarz_of(A, inner_of<Ours>(k), overlap), false), expected);
    }
}
INSTANTIATE_TEST_SUITE_P(Families, RilukMatrix,
                         ::testing::Values("lap2d:20", "lap3d:8,nonsym", "stencil27:6", "rmat:7,5",
                                           "band:300,6,40,nonsym"),
                         [](auto const& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

/// Returns the labels of sptrsv among those that Kokkos saw.
std::set<std::string> ours_among(std::vector<std::string> const& labels) {
  std::set<std::string> out;
  for (auto const& label : labels)
    if (label.find("sptrsv") != std::string::npos) out.insert(label);
  return out;
}

TEST(RilukPhases, NewValuesNeedNoNewAnalysis) {
  auto const A = distributed(support::generate("lap2d:16"));
  for (auto const& algorithm : algorithms()) {
    SCOPED_TRACE(algorithm);
    auto const ours = rcp(new Ours(RCP<Row<double> const>(A)));
    ours->setParameters(parameters(1, algorithm));
    std::set<std::string> analysis;
    {
      ToolCounters const counters;
      ours->initialize();
      analysis = ours_among(counters.kernels());
    }
    EXPECT_TRUE(analysis.count("sptrsv::ifpack2::inspect_sides"));
    ours->compute();
    EXPECT_EQ(ours->getNumAnalyses(), 2);
    scale_off_diagonals(*A, 0.75);
    {
      ToolCounters const counters;
      ours->compute();
      for (auto const& label : ours_among(counters.kernels()))
        EXPECT_TRUE(label == "sptrsv::planner::hash_rows" || label == "sptrsv::planner::hash_entries" ||
                    !analysis.count(label))
            << label;
      EXPECT_TRUE(ours_among(counters.allocations()).empty()) << *ours_among(counters.allocations()).begin();
    }
    EXPECT_EQ(ours->getNumAnalyses(), 2);
    EXPECT_EQ(ours->getNumInitialize(), 1);
    EXPECT_EQ(ours->getNumCompute(), 2);
    expect_alike(*ours, *computed<Theirs>(A, parameters(1)), Teuchos::NO_TRANS, A->getRowMap());
    ours->initialize();  // announces the new pattern
    EXPECT_EQ(ours->getNumAnalyses(), 4);
  }
}

TEST(RilukPhases, NewValuesInsideAdditiveSchwarzNeedNoNewAnalysis) {
  for (int const overlap : {0, 1}) {
    auto const A = distributed(support::generate("lap2d:16"));
    auto const ours = inner_of<Ours>(1);
    auto const schwarz = schwarz_of(A, ours, overlap);
    EXPECT_EQ(ours->getNumAnalyses(), 2);
    scale_off_diagonals(*A, 0.75);
    schwarz->compute();
    EXPECT_EQ(ours->getNumAnalyses(), 2);
    EXPECT_EQ(ours->getNumCompute(), 2);
    expect_alike(*schwarz, *schwarz_of(A, inner_of<Theirs>(1), overlap), Teuchos::NO_TRANS, A->getRowMap());
  }
}

TEST(RilukPhases, ASecondApplyAllocatesAndFencesNothing) {
  auto const A = distributed(support::generate("lap2d:16"));
  auto const X = right_hand_side(*A->getRowMap(), 3), Y = not_a_number<double>(A->getRowMap(), 3);
  for (auto const& algorithm : algorithms())
    for (double const beta : {0.0, 0.5}) {
      auto const ours = computed<Ours>(A, parameters(0, algorithm));
      ours->apply(*X, *Y, Teuchos::NO_TRANS, 2.0, beta);
      ToolCounters const counters;
      ours->apply(*X, *Y, Teuchos::NO_TRANS, 2.0, beta);
      EXPECT_TRUE(counters.allocations().empty()) << algorithm << " allocates " << counters.allocations().front();
      EXPECT_TRUE(ours_among(counters.fences()).empty()) << algorithm;
      auto const X2 = X->subView(Teuchos::Range1D(0, 1));
      auto const Y2 = Y->subViewNonConst(Teuchos::Range1D(0, 1));
      ours->apply(*X2, *Y2, Teuchos::NO_TRANS, 2.0, beta);  // fewer columns
      EXPECT_TRUE(counters.allocations().empty())
          << algorithm << " allocates " << counters.allocations().front() << " for fewer columns";
      // Tpetra's scaling is counted; on a host sptrsv's rows are a loop without a kernel
      EXPECT_FALSE(counters.kernels().empty());
    }
}

TEST(Create, KnowsOurNamesAndIfpack2s) {
  auto const A = distributed(support::generate("lap2d:6"));
  auto const ours = ifpack2::create("SPTRSV_RILUK", A);
  EXPECT_FALSE(Teuchos::rcp_dynamic_cast<Ours>(ours).is_null());
  EXPECT_FALSE(Teuchos::rcp_dynamic_cast<Ours>(ifpack2::create<Row<double>>("sptrsv_riluk", A)).is_null());
  EXPECT_FALSE(Teuchos::rcp_dynamic_cast<Ours>(ifpack2::create("SPTRSV_RILUK", RCP<Crs<double> const>(A))).is_null());
  EXPECT_FALSE(
      Teuchos::rcp_dynamic_cast<ifpack2::LocalTriangularSolver<Row<double>>>(ifpack2::create("SPTRSV_TRIANGULAR", A))
          .is_null());
  EXPECT_FALSE(Teuchos::rcp_dynamic_cast<Theirs>(ifpack2::create("RILUK", A)).is_null());
  EXPECT_FALSE(ifpack2::create("RELAXATION", A).is_null());
  EXPECT_THROW(ifpack2::create("SPTRSV_ILUT", A), std::invalid_argument);
  EXPECT_THROW(ifpack2::create("no such thing", A), std::invalid_argument);
}

}  // namespace
}  // namespace sptrsv::test
