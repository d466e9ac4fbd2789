// SPDX-License-Identifier: Apache-2.0
// Tests parameters, descriptions, timers and errors as a user sees them.
#include <Teuchos_TimeMonitor.hpp>
#include <sstream>

#include "belos_run.hpp"
#include "sptrsv/ifpack2/local_triangular_solver.hpp"
#include "sptrsv/ifpack2/relaxation.hpp"
#include "sptrsv/ifpack2/riluk.hpp"
#include "sptrsv/solver.hpp"
#include "sptrsv_support/generators.hpp"

namespace sptrsv::test {
namespace {

using Triangular = ifpack2::LocalTriangularSolver<Row<double>>;
using Relaxation = ifpack2::Relaxation<Row<double>>;
using Riluk = ifpack2::Riluk<Row<double>>;

/// Returns the message of the E that f throws; otherwise says why there is none.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (E const& e) {
    return e.what();
  } catch (std::exception const& e) {
    ADD_FAILURE() << "another exception: " << e.what();
    return "";
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}
#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

/// Makes a local matrix from rows given as lists of (column, value).
RCP<Crs<double>> matrix_of(std::vector<std::vector<std::pair<int, double>>> const& rows) {
  Problem<double> p;
  for (auto const& row : rows) {
    for (auto const& [j, v] : row) {
      p.col_idx.push_back(j);
      p.values.push_back(v);
    }
    p.row_ptr.push_back(static_cast<int>(p.col_idx.size()));
  }
  return tpetra_matrix<double>(p, map_of(p.num_rows()));
}

TEST(Parameters, AllOptionsOfTheLibraryAreThereWithDocumentation) {
  auto const valid = Triangular(Teuchos::null).getValidParameters();
  EXPECT_EQ(valid->get<std::string>("sptrsv: algorithm"), "sptrsv");
  EXPECT_EQ(valid->get<std::string>("sptrsv: plan"), "automatic");
  EXPECT_EQ(valid->get<std::string>("sptrsv: factor"), "automatic");
  EXPECT_EQ(valid->get<std::string>("sptrsv: storage"), "full");
  std::size_t options = 2 + planner_info().options.size();  // 2: who solves, and who factors
  for (auto const& algorithm : algorithm_infos()) options += algorithm.options.size();
  EXPECT_EQ(static_cast<std::size_t>(valid->numParams()), options);
  for (auto it = valid->begin(); it != valid->end(); ++it) {
    EXPECT_FALSE(valid->entry(it).docString().empty()) << valid->name(it);
    EXPECT_FALSE(valid->entry(it).validator().is_null()) << valid->name(it);
  }
  Triangular solver(Teuchos::null);
  solver.setParameters(*valid);  // all defaults are valid
}

TEST(Parameters, WhatIsWrongIsNamed) {
  auto const set = [](auto name, auto value) {
    Teuchos::ParameterList list;
    list.set(name, value);
    Triangular(Teuchos::null).setParameters(list);
    Riluk(Teuchos::null).setParameters(list);
  };
  namespace bad = Teuchos::Exceptions;
  EXPECT_SAYS(message_of<bad::InvalidParameterName>([&] { set("sptrsv: tiled colour", 1); }), "sptrsv: tiled colour");
  EXPECT_SAYS(message_of<bad::InvalidParameterName>([&] { set("sptrsv:algorithm", "tiled"); }), "sptrsv:algorithm");
  EXPECT_SAYS(message_of<bad::InvalidParameterValue>([&] { set("sptrsv: algorithm", "levelsets"); }), "levelsets");
  EXPECT_SAYS(message_of<bad::InvalidParameterValue>([&] { set("sptrsv: factor", "petsc"); }), "sptrsv: factor");
  EXPECT_SAYS(message_of<bad::InvalidParameterValue>([&] { set("sptrsv: levelset lanes per row", 65); }),
              "sptrsv: levelset lanes per row");
  EXPECT_SAYS(message_of<bad::InvalidParameterValue>([&] { set("sptrsv: levelset lanes per row", 3); }),
              "is 3; give 0 or a power of two, from 0 to 64");
  EXPECT_SAYS(message_of<bad::InvalidParameterName>([&] { set("sptrsv: levelset chain rows", 7); }),
              "sptrsv: levelset wide rows");
  EXPECT_SAYS(message_of<bad::InvalidParameterType>([&] { set("sptrsv: levelset wide rows", "many"); }),
              "sptrsv: levelset wide rows");
  set("relaxation: type", "Jacobi");  // other parameters are ignored
  EXPECT_SAYS(message_of<std::invalid_argument>([&] { set("fact: kspiluk number-of-streams", 2); }),
              "number-of-streams");
}

TEST(Parameters, WhatRelaxationDoesNotHaveIsNamed) {
  auto const set = [](auto name, auto value) {
    Teuchos::ParameterList list;
    list.set(name, value);
    Relaxation(Teuchos::null).setParameters(list);
  };
  namespace bad = Teuchos::Exceptions;
  char const* const remedy = "use Ifpack2's own RELAXATION";
  auto text = message_of<bad::InvalidParameterValue>([&] { set("relaxation: type", "Jacobi"); });
  EXPECT_SAYS(text, "\"relaxation: type\" is \"Jacobi\"");
  EXPECT_SAYS(text, remedy);
  text = message_of<bad::InvalidParameterName>([&] { set("relaxation: use l1", true); });
  EXPECT_SAYS(text, "relaxation: use l1");
  EXPECT_SAYS(text, remedy);
  EXPECT_SAYS(message_of<bad::InvalidParameterName>([&] { set("sptrsv: sweeps", 1); }), "sptrsv: sweeps");
  EXPECT_SAYS(message_of<bad::InvalidParameterType>([&] { set("relaxation: sweeps", "two"); }), "relaxation: sweeps");
  EXPECT_SAYS(message_of<bad::InvalidParameterValue>([&] { set("relaxation: sweeps", -1); }), "is -1; give 0 or more");
  EXPECT_SAYS(message_of<bad::InvalidParameterValue>([&] { set("relaxation: damping factor", 0.0); }), "is 0; give");
  set("fact: iluk level-of-fill", 1);  // other parameters are ignored
  set("relaxation: damping factor", 0.5f);
  Relaxation M(Teuchos::null);
  auto const valid = M.getValidParameters();
  EXPECT_EQ(valid->numParams(), Triangular(Teuchos::null).getValidParameters()->numParams() + 5);
  EXPECT_EQ(valid->get<std::string>("relaxation: type"), "Gauss-Seidel");
  M.setParameters(*valid);  // all defaults are valid
}

TEST(Parameters, ReachTheAlgorithmAndAskForAnalysisAgain) {
  auto const A = distributed(support::generate("lap2d:8"));
  Riluk M{RCP<Row<double> const>(A)};
  Teuchos::ParameterList list;
  list.set("sptrsv: algorithm", "syncfree");
  list.set("sptrsv: syncfree form", "csc");
  M.setParameters(list);
  M.compute();
  EXPECT_EQ(M.getNumAnalyses(), 2);
  EXPECT_SAYS(M.description(), "Algorithm: syncfree");
  M.setParameters(list);  // the same parameters again
  EXPECT_TRUE(M.isComputed());
  M.setParameters(Teuchos::ParameterList());
  EXPECT_FALSE(M.isInitialized());
  EXPECT_SAYS(M.description(), "Algorithm: sptrsv");
}

TEST(Parameters, StorageInSinglePrecision) {
  auto const A = distributed(support::generate("lap2d:8"));
  auto const solved = [&](std::string const& algorithm, std::string const& storage, std::string* said) {
    Riluk M{RCP<Row<double> const>(A)};
    Teuchos::ParameterList list;
    list.set("sptrsv: algorithm", algorithm);
    list.set("sptrsv: storage", storage);
    M.setParameters(list);
    M.compute();
    auto const X = right_hand_side(*A->getRowMap(), 1), Y = not_a_number<double>(A->getRowMap(), 1);
    M.apply(*X, *Y);
    std::ostringstream text;
    auto const out = Teuchos::getFancyOStream(Teuchos::rcpFromRef(static_cast<std::ostream&>(text)));
    M.describe(*out, Teuchos::VERB_HIGH);
    *said = text.str();
    return columns_of(*Y)[0];
  };
  std::string full_said, single_said;
  auto const full = solved("levelset", "full", &full_said), single = solved("levelset", "single", &single_said);
  EXPECT_SAYS(single_said, "values in single precision");
  double largest = 0;
  for (std::size_t i = 0; i < full.size(); ++i) {
    EXPECT_NEAR(single[i], full[i], 1e-5 * (1 + std::abs(full[i]))) << i;
    largest = std::max(largest, std::abs(single[i] - full[i]));
  }
  EXPECT_GT(largest, 0);  // the factors of lap2d are not exact in float
  EXPECT_SAYS(message_of<std::exception>([&] { solved("syncfree", "single", &single_said); }),
              "choose levelset, blocked or sptrsv");
}

TEST(Reports, DescribeTellsWhatIsInUse) {
  auto const A = distributed(support::generate("lap2d:8"));
  Riluk M{RCP<Row<double> const>(A)};
  Teuchos::ParameterList list;
  list.set("sptrsv: algorithm", "levelset");
  list.set("sptrsv: levelset wide rows", 7);
  M.setParameters(list);
  M.compute();
  auto const told = [&](Teuchos::EVerbosityLevel level) {
    std::ostringstream text;
    auto const out = Teuchos::getFancyOStream(Teuchos::rcpFromRef(static_cast<std::ostream&>(text)));
    M.describe(*out, level);
    return text.str();
  };
  auto const high = told(Teuchos::VERB_HIGH), low = told(Teuchos::VERB_LOW);
  if (rank_here() == 0) {
    EXPECT_SAYS(low, "\"sptrsv::ifpack2::Riluk\":");
    EXPECT_SAYS(low, "Algorithm: levelset");
    EXPECT_SAYS(low, "levelset_wide_rows: 7");
    EXPECT_SAYS(low, "initialize: 1, compute: 1, apply: 0, analyses: 2");
  } else {
    EXPECT_EQ(low, "");
  }
  EXPECT_SAYS(high, "Rank " + std::to_string(rank_here()));
  EXPECT_SAYS(high, "L NO_TRANS: {triangle: lower, diagonal: unit, algorithm: levelset");
  EXPECT_SAYS(high, "U NO_TRANS: {triangle: upper, diagonal: unit, algorithm: levelset");
  EXPECT_SAYS(high, "levels: ");
  EXPECT_SAYS(high, "Level-of-fill: 0");
  EXPECT_EQ(told(Teuchos::VERB_NONE), "");
}

TEST(Reports, DescribeTellsHowRelaxationSweeps) {
  auto const A = distributed(support::generate("lap2d:8"));
  Relaxation M{RCP<Row<double> const>(A)};
  Teuchos::ParameterList list;
  list.set("sptrsv: algorithm", "levelset");
  list.set("relaxation: backward mode", true);
  M.setParameters(list);
  M.compute();
  std::ostringstream text;
  auto const out = Teuchos::getFancyOStream(Teuchos::rcpFromRef(static_cast<std::ostream&>(text)));
  M.describe(*out, Teuchos::VERB_HIGH);
  EXPECT_SAYS(text.str(), "sweeps: {kind: backward, number: 1, damping factor: 1, zero starting solution: true}");
  EXPECT_SAYS(text.str(), "E + L: {triangle: lower, diagonal: inverted, algorithm: levelset");
  EXPECT_SAYS(text.str(), "E + U: {triangle: upper, diagonal: inverted, algorithm: levelset");
}

TEST(Reports, TimersCountThePhases) {
  auto const A = distributed(support::generate("lap2d:8"));
  auto const calls = [](char const* phase) {
    auto const timer = Teuchos::TimeMonitor::lookupCounter(std::string("sptrsv::ifpack2::Riluk::") + phase);
    return timer.is_null() ? 0 : timer->numCalls();
  };
  int const before[] = {calls("initialize"), calls("compute"), calls("apply")};
  Riluk M{RCP<Row<double> const>(A)};
  M.compute();
  auto const X = right_hand_side(*A->getRowMap(), 1), Y = not_a_number<double>(A->getRowMap(), 1);
  M.apply(*X, *Y);
  M.apply(*X, *Y);
  EXPECT_EQ(calls("initialize") - before[0], 1);
  EXPECT_EQ(calls("compute") - before[1], 1);
  EXPECT_EQ(calls("apply") - before[2], 2);
  EXPECT_EQ(M.getNumApply(), 2);
  EXPECT_GT(M.getInitializeTime(), 0);
  EXPECT_GT(M.getComputeTime(), 0);
  EXPECT_GT(M.getApplyTime(), 0);
}

TEST(Errors, NameTheRowAndTheRemedy) {
  auto const initialize = [](RCP<Crs<double>> const& A) { return [A] { Triangular(A).initialize(); }; };
  auto text = message_of<std::runtime_error>(
      initialize(matrix_of({{{0, 1.}}, {{0, 1.}, {1, 1.}, {2, 1.}}, {{1, 1.}, {2, 1.}}})));
  EXPECT_SAYS(text, "row 1 (global ");
  EXPECT_SAYS(text, "not triangular. Give one triangle");
  EXPECT_SAYS(text, "sptrsv::ifpack2::LocalTriangularSolver::initialize");
  text = message_of<std::runtime_error>(initialize(matrix_of({{{0, 1.}}, {{0, 1.}, {1, 1.}}, {{1, 1.}}})));
  EXPECT_SAYS(text, "row 2 (global ");
  EXPECT_SAYS(text, "Store the diagonal in all rows, or in none");
  auto const zero = matrix_of({{{0, 1.}}, {{0, 1.}, {1, 0.}}});
  text = message_of<std::runtime_error>([&] { Triangular(zero).compute(); });
  EXPECT_SAYS(text, "row 1 has a zero on its diagonal");
  EXPECT_SAYS(text, "LocalTriangularSolver::compute");
  EXPECT_SAYS(text, " is " + std::to_string(zero->getRowMap()->getGlobalElement(1)) + " globally");
}

TEST(Errors, OfRelaxationNameTheRowAndTheRemedy) {
  auto const bare = matrix_of({{{0, 1.}}, {{0, 1.}}});
  auto text = message_of<std::runtime_error>([&] { Relaxation(bare).initialize(); });
  EXPECT_SAYS(text, "sptrsv::ifpack2::Relaxation::initialize");
  EXPECT_SAYS(text, "row 1 has no diagonal entry");
  EXPECT_SAYS(text, " is " + std::to_string(bare->getRowMap()->getGlobalElement(1)) + " globally");
  text = message_of<std::runtime_error>([&] { Relaxation(matrix_of({{{0, 1.}}, {{0, 1.}, {1, 0.}}})).compute(); });
  EXPECT_SAYS(text, "row 1 (global ");
  EXPECT_SAYS(text, "has a zero on its diagonal");
  auto const A = matrix_of({{{0, 2.}}, {{0, 1.}, {1, 2.}}});
  Relaxation M(A);
  M.compute();
  EXPECT_FALSE(M.hasTransposeApply());
  auto const X = right_hand_side(*A->getRowMap(), 1), Y = not_a_number<double>(A->getRowMap(), 1);
  EXPECT_SAYS(message_of<std::invalid_argument>([&] { M.apply(*X, *Y, Teuchos::TRANS); }), "transposed sweeps");
}

/// Makes a matrix to which Tpetra's fillComplete() gives its column map.
RCP<Crs<double>> filled(std::vector<std::pair<GO, GO>> const& entries) {
  auto const map = map_of(3);
  auto const A = rcp(new Crs<double>(map, 3));
  double const one = 1;
  GO const first = map->getMinGlobalIndex();
  for (auto const& [i, j] : entries) {
    GO const col = (first + j) % static_cast<GO>(map->getGlobalNumElements());
    A->insertGlobalValues(first + i, Teuchos::ArrayView<GO const>(&col, 1), Teuchos::ArrayView<double const>(&one, 1));
  }
  A->fillComplete();
  return A;
}

TEST(Errors, ColumnsThatAreNotTheRowsAreRefused) {
  // strictly upper: Tpetra leaves out column 0, and Ifpack2 would see a triangle with a diagonal
  auto text = message_of<std::runtime_error>([] { Triangular(filled({{0, 1}, {0, 2}, {1, 2}})).initialize(); });
  EXPECT_SAYS(text, "build the matrix with its row map as column map");
  text = message_of<std::runtime_error>([] { Relaxation(filled({{0, 1}, {0, 2}, {1, 2}})).initialize(); });
  EXPECT_SAYS(text, "the column map does not begin with the row map. Store all diagonal entries");
  // strictly lower: the local columns are in order
  auto const lower = filled({{1, 0}, {2, 0}, {2, 1}});
  Triangular solver(lower);
  solver.compute();
  Columns<double> const b{{1, 1, 1}};
  auto const Y = not_a_number<double>(lower->getRowMap(), 1);
  solver.apply(*tpetra_vectors<double>(lower->getRowMap(), b), *Y);
  expect_same(columns_of(*Y)[0], std::vector<double>{1, 0, 0});
  if (Tpetra::getDefaultComm()->getSize() == 1) return;
  text = message_of<std::runtime_error>([] { Triangular(filled({{0, 0}, {1, 1}, {2, 2}, {1, 3}})).initialize(); });
  EXPECT_SAYS(text, "row 1 (global ");
  EXPECT_SAYS(text, "belongs to no row of this rank");
}

TEST(Errors, CallsOutOfOrderAndWrongVectors) {
  auto const A = matrix_of({{{0, 2.}}, {{0, 1.}, {1, 2.}}});
  auto const X = not_a_number<double>(A->getRowMap(), 2), Y = not_a_number<double>(A->getRowMap(), 3);
  EXPECT_SAYS(message_of<std::runtime_error>([] { Triangular(Teuchos::null).initialize(); }), "call setMatrix()");
  EXPECT_SAYS(message_of<std::runtime_error>([] { Riluk(Teuchos::null).compute(); }), "call setMatrix()");
  EXPECT_SAYS(message_of<std::runtime_error>([] { Riluk(Teuchos::null).getDomainMap(); }), "call setMatrix()");
  Triangular solver(A);
  EXPECT_SAYS(message_of<std::runtime_error>([&] { solver.apply(*X, *X); }), "call compute() first");
  solver.compute();
  EXPECT_SAYS(message_of<std::invalid_argument>([&] { solver.apply(*X, *Y); }), "X has 2 columns and Y has 3");
  auto const longer = not_a_number<double>(map_of(5), 2);
  EXPECT_SAYS(message_of<std::invalid_argument>([&] { solver.apply(*longer, *X); }), "2 rows here, X 5 and Y 2");
  A->resumeFill();
  EXPECT_SAYS(message_of<std::runtime_error>([&] { solver.apply(*X, *X); }), "fillComplete(), then compute()");
  EXPECT_SAYS(message_of<std::runtime_error>([&] { solver.compute(); }), "not fill complete");
  A->fillComplete();
  solver.compute();
  solver.setMatrix(Teuchos::null);
  EXPECT_FALSE(solver.isInitialized());
  EXPECT_SAYS(message_of<std::runtime_error>([&] { solver.compute(); }), "call setMatrix()");
}

TEST(Errors, AFactorizationThatBreaksDownNamesTheRow) {
  auto const A = matrix_of({{{0, 1.}, {1, 1.}}, {{0, 1.}, {1, 1.}}});  // the second pivot is 0
  auto const text = message_of<std::runtime_error>([&] { Riluk(A).compute(); });
  EXPECT_SAYS(text, "row 1 (global ");
  EXPECT_SAYS(text, "fact: absolute threshold");
  Riluk helped(A);
  Teuchos::ParameterList list;
  list.set("fact: absolute threshold", 0.1);
  helped.setParameters(list);
  helped.compute();
}

}  // namespace
}  // namespace sptrsv::test
