// SPDX-License-Identifier: Apache-2.0
// Compares the factors of Riluk with those of Ifpack2::RILUK: who computes them for which parameters, their values
// entry by entry, ranks that differ, graphs that change, breakdowns.
#include <Ifpack2_LocalFilter.hpp>
#include <Ifpack2_SingletonFilter.hpp>
#include <algorithm>
#include <limits>

#include "belos_run.hpp"
#include "riluk_pair.hpp"
#include "sptrsv_support/generators.hpp"

namespace sptrsv::test {
namespace {

TEST(RilukFactors, KokkosKernelsFactorsHaveTheirDiagonalInU) {
  auto const A = distributed(support::generate("lap2d:12,nonsym"));
  auto list = parameters(1);
  list.set("fact: type", "KSPILUK");
  auto const ours = computed<Ours>(A, list);
  auto const theirs = computed<Theirs>(A, list);
  for (auto const mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) expect_alike(*ours, *theirs, mode, A->getRowMap());
  EXPECT_EQ(solve_by_belos(A, ours, false), solve_by_belos(A, theirs, false));
}

TEST(RilukFactors, OtherFactorsAskForAnalysisAgain) {
  auto const A = distributed(support::generate("lap2d:12,nonsym"));
  auto const X = right_hand_side(*A->getRowMap(), 1), Y = not_a_number<double>(A->getRowMap(), 1);
  auto kspiluk = parameters(1);
  kspiluk.set("fact: type", "KSPILUK");
  auto const ours = computed<Ours>(A, parameters(1));
  for (auto const& list : {kspiluk, parameters(1), parameters(2), parameters(0)}) {  // type, type, level, level
    ours->setParameters(list);
    EXPECT_FALSE(ours->isInitialized());
    EXPECT_FALSE(ours->isComputed());
    EXPECT_THROW(ours->apply(*X, *Y), std::runtime_error);
    ours->compute();
    expect_alike(*ours, *computed<Theirs>(A, list), Teuchos::NO_TRANS, A->getRowMap());
  }
  auto thresholds = parameters(0);
  thresholds.set("fact: absolute threshold", 0.1);
  ours->setParameters(thresholds);
  EXPECT_TRUE(ours->isInitialized());  // only values change
}

TEST(RilukFactors, AnyRowMatrixWillDo) {
  auto const A = distributed(support::generate("lap2d:12,nonsym"));
  RCP<Row<double> const> const local = rcp(new Ifpack2::LocalFilter<Row<double>>(RCP<Row<double> const>(A)));
  RCP<Row<double> const> const filtered = rcp(new Ifpack2::SingletonFilter<Row<double>>(local));  // has no graph
  for (auto const& matrix : {local, filtered}) {
    Ours ours(matrix);
    Theirs theirs(matrix);
    ours.setParameters(parameters(1));
    theirs.setParameters(parameters(1));
    ours.initialize();
    theirs.initialize();
    ours.compute();
    theirs.compute();
    expect_alike(ours, theirs, Teuchos::NO_TRANS, matrix->getRowMap());
  }
}

/// Returns the values of a triangle or a diagonal on this rank.
std::vector<double> values_of(Crs<double> const& matrix) {
  auto const view = matrix.getLocalValuesHost(Tpetra::Access::ReadOnly);
  return {view.data(), view.data() + view.extent(0)};
}
void expect_near(std::vector<double> const& ours, std::vector<double> const& theirs, char const* what) {
  ASSERT_EQ(ours.size(), theirs.size()) << what;
  for (std::size_t k = 0; k < ours.size(); ++k)
    ASSERT_NEAR(ours[k], theirs[k], 1e-13 * (1 + std::abs(theirs[k]))) << what << ", entry " << k;
}
/// Compares the factors entry by entry.
void expect_same_factors(Ours const& ours, Theirs const& theirs) {
  Theirs const& factors = *ours.getFactorization();
  expect_near(values_of(factors.getL()), values_of(theirs.getL()), "L");
  expect_near(values_of(factors.getU()), values_of(theirs.getU()), "U");
  expect_near(columns_of(factors.getD())[0], columns_of(theirs.getD())[0], "1/D");
}

std::string described(Ours const& ours) {
  std::ostringstream text;
  auto const out = Teuchos::getFancyOStream(Teuchos::rcpFromRef(static_cast<std::ostream&>(text)));
  ours.describe(*out, Teuchos::VERB_MEDIUM);
  return text.str();
}
char const* const by_us = "factors: {by: sptrsv, entries: ";
/// Checks the description. Collective, like describe().
void expect_described(Ours const& ours, std::string const& said) {
  std::string const text = described(ours);
  EXPECT_NE(text.find(said), std::string::npos) << said << " is not in " << text;
}

TEST(RilukFactors, ValuesAreIfpack2sEntryByEntry) {
  for (std::string const spec : {"lap2d:20", "lap3d:8,nonsym", "stencil27:6", "rmat:7,5", "band:300,6,40,nonsym"})
    for (int const k : {0, 1, 2})
      for (bool const thresholds : {false, true}) {
        SCOPED_TRACE(spec + ", fill " + std::to_string(k) + (thresholds ? ", thresholds" : ""));
        auto list = parameters(k);
        if (thresholds) list.set("fact: absolute threshold", 0.1), list.set("fact: relative threshold", 1.1);
        auto const A = distributed(support::generate(spec));
        auto const ours = computed<Ours>(A, list);
        ASSERT_NO_FATAL_FAILURE(expect_same_factors(*ours, *computed<Theirs>(A, list)));
        expect_described(*ours, by_us);
        EXPECT_FALSE(ours->getFactorization()->isComputed());
        scale_off_diagonals(*A, 0.75);
        ours->compute();
        ASSERT_NO_FATAL_FAILURE(expect_same_factors(*ours, *computed<Theirs>(A, list)));
      }
}

TEST(RilukFactors, DescriptionsSayWhoFactorsAndWhy) {
  auto const A = distributed(support::generate("lap2d:12,nonsym"));
  auto const with = [](char const* name, auto const& value) {
    auto list = parameters(1);
    list.set(name, value);
    return list;
  };
  struct Case {
    Teuchos::ParameterList list;
    char const* said;
  };
  for (auto const& c :
       {Case{parameters(1), by_us}, Case{with("sptrsv: factor", std::string("sptrsv")), by_us},
        Case{with("sptrsv: factor", std::string("ifpack2")), "by: Ifpack2, reason: '\"sptrsv: factor\""},
        Case{with("fact: relax value", 0.5), "by: Ifpack2, reason: '\"fact: relax value\""},
        Case{with("fact: type", std::string("KSPILUK")), "by: Ifpack2, reason: '\"fact: type\""}}) {
    auto const ours = computed<Ours>(A, c.list);
    expect_described(*ours, c.said);
    expect_alike(*ours, *computed<Theirs>(A, c.list), Teuchos::NO_TRANS, A->getRowMap());
  }
  RCP<Row<double> const> const local = rcp(new Ifpack2::LocalFilter<Row<double>>(RCP<Row<double> const>(A)));
  RCP<Row<double> const> const filtered = rcp(new Ifpack2::SingletonFilter<Row<double>>(local));
  for (auto const& matrix : {local, filtered}) {
    Ours ours(matrix);
    ours.compute();
    expect_described(ours, matrix == local ? by_us : "the matrix is not a Tpetra::CrsMatrix");
  }
  auto const dense = distributed(support::generate("dense:300"));
  for (bool const insist : {false, true}) {
    auto list = parameters(0);
    if (insist) list.set("sptrsv: factor", "sptrsv");
    auto const ours = computed<Ours>(dense, list);
    if (A->getComm()->getSize() == 1) {
      char const* const said =
          insist ? ", searched for" : "reason: 'there are too many updates to list them, up to 8955050";
      expect_described(*ours, said);
    }
    expect_alike(*ours, *computed<Theirs>(dense, parameters(0)), Teuchos::NO_TRANS, dense->getRowMap());
  }
  auto insisting = with("fact: relax value", 0.5);
  insisting.set("sptrsv: factor", "sptrsv");
  EXPECT_THROW(computed<Ours>(A, insisting), std::invalid_argument);
  EXPECT_THROW(computed<Ours>(A, with("sptrsv: factor", std::string("petsc"))), Teuchos::Exceptions::InvalidParameter);
}

/// Last rank of a matrix in blocks that no entry couples: RILUK then works on A's own communicator, and its compute()
/// is collective. The last rank differs from the others.
enum class LastRank { empty, dense, unsorted };
RCP<Crs<double>> uncoupled(LastRank kind) {
  auto const comm = Tpetra::getDefaultComm();
  bool const last = comm->getRank() == comm->getSize() - 1;
  auto const map = map_of(last && kind == LastRank::empty ? 0 : 300);
  if (kind == LastRank::unsorted) {  // unsorted, by expertStaticFillComplete()
    using Local = Crs<double>::local_matrix_device_type;
    Local::row_map_type::non_const_type const row_ptr("row_ptr", 301);
    Local::index_type::non_const_type const col_idx("col_idx", 600);
    Local::values_type::non_const_type const values("values", 600);
    for (int i = 0; i < 300; ++i) {
      int columns[] = {i, i == 0 ? 1 : i - 1};
      std::sort(columns, columns + 2);
      if (last) std::swap(columns[0], columns[1]);
      row_ptr(i + 1) = 2 * static_cast<std::size_t>(i + 1);
      for (int k = 0; k < 2; ++k) {
        col_idx(2 * i + k) = columns[k];
        values(2 * i + k) = columns[k] == i ? 3 : 1;
      }
    }
    auto const A = rcp(new Crs<double>(map, map, row_ptr, col_idx, values));
    A->expertStaticFillComplete(map, map);
    return A;
  }
  auto const A = rcp(new Crs<double>(map, 300));
  for (std::size_t l = 0; l < map->getLocalNumElements(); ++l) {
    GO const i = map->getGlobalElement(static_cast<LO>(l));
    for (GO j = map->getMinGlobalIndex(); j <= map->getMaxGlobalIndex(); ++j) {
      if (std::abs(j - i) > 1 && !(last && kind == LastRank::dense)) continue;
      double const value = j == i ? 301 : std::sin(7. * static_cast<double>(i + j));
      A->insertGlobalValues(i, Teuchos::tuple(j), Teuchos::tuple(value));
    }
  }
  A->fillComplete();
  return A;
}

TEST(RilukFactors, RanksOfOneCommunicatorDecideAlike) {
  bool const last = rank_here() == Tpetra::getDefaultComm()->getSize() - 1;
  for (LastRank const kind : {LastRank::empty, LastRank::dense, LastRank::unsorted}) {
    if (kind == LastRank::empty && Tpetra::getDefaultComm()->getSize() == 1) continue;  // RILUK crashes without entries
    SCOPED_TRACE(static_cast<int>(kind));
    auto const A = uncoupled(kind);
    ASSERT_TRUE(A->getRowMap()->isSameAs(*A->getColMap()));
    auto const ours = computed<Ours>(A, parameters(0));
    auto const theirs = computed<Theirs>(A, parameters(0));
    expect_alike(*ours, *theirs, Teuchos::NO_TRANS, A->getRowMap());
    char const* const said = kind == LastRank::empty      ? by_us
                             : !last                      ? "another rank"
                             : kind == LastRank::unsorted ? "row 0 stores column 0 behind column 1"
                                                          : "too many updates";
    expect_described(*ours, said);
    auto insisting = parameters(0);
    insisting.set("sptrsv: factor", "sptrsv");
    if (kind == LastRank::unsorted) EXPECT_THROW(computed<Ours>(A, insisting), std::invalid_argument);
    else expect_alike(*computed<Ours>(A, insisting), *theirs, Teuchos::NO_TRANS, A->getRowMap());
  }
}

/// Checks that another graph is noticed: RILUK factors it in the old patterns of L and U.
TEST(RilukFactors, AnotherGraphIsNoticed) {
  auto const map = map_of(60);
  auto const A = rcp(new Crs<double>(map, 8));
  for (LO i = 0; i < 60; ++i)
    for (LO const j : {i, (i + 1) % 60, (i + 59) % 60}) {
      GO const column = map->getGlobalElement(j);
      A->insertGlobalValues(map->getGlobalElement(i), Teuchos::tuple(column), Teuchos::tuple(j == i ? 4. : -1.));
    }
  auto const options = Teuchos::parameterList();
  options->set("Optimize Storage", false);
  A->fillComplete(options);
  Ours ours{RCP<Row<double> const>(A)};
  Theirs theirs{RCP<Row<double> const>(A)};
  ours.initialize();
  theirs.initialize();
  for (int times = 0; times < 2; ++times) {
    A->resumeFill();
    for (LO i = 0; i < 30; ++i) {
      LO const j = (17 * i + 31 + times) % 60;
      A->insertLocalValues(i, Teuchos::tuple(j), Teuchos::tuple(0.3));
    }
    A->fillComplete(options);
    ours.compute();
    theirs.compute();
    ASSERT_NO_FATAL_FAILURE(expect_same_factors(ours, theirs));
    expect_described(ours, by_us);
  }
}

TEST(RilukFactors, OldValuesOfRilukAreNotApplied) {
  auto const A = distributed(support::generate("lap2d:12,nonsym"));
  auto relaxed = parameters(1);
  relaxed.set("fact: relax value", 0.5);
  auto const ours = computed<Ours>(A, relaxed);
  auto const factors = ours->getFactorization();
  EXPECT_TRUE(factors->isComputed());
  ours->setParameters(parameters(1));
  ours->compute();
  EXPECT_FALSE(factors->isComputed());
  auto const X = right_hand_side(*A->getRowMap(), 1), Y = not_a_number<double>(A->getRowMap(), 1);
  EXPECT_THROW(factors->apply(*X, *Y), std::runtime_error);
}

TEST(RilukFactors, BrokenOnesCanBeLookedAt) {
  double const infinite = std::numeric_limits<double>::infinity();
  for (double const pivot : {0., infinite}) {
    auto const map = map_of(4);
    auto const A = rcp(new Crs<double>(map, 1));
    for (LO i = 0; i < 4; ++i) {
      GO const g = map->getGlobalElement(i);
      A->insertGlobalValues(g, Teuchos::tuple(g), Teuchos::tuple(i == 2 ? pivot : 2.));
    }
    A->fillComplete();
    Ours ours{RCP<Row<double> const>(A)};
    EXPECT_THROW(ours.compute(), std::runtime_error);
    auto const inverse = columns_of(ours.getFactorization()->getD())[0];
    EXPECT_EQ(inverse, (std::vector<double>{0.5, 0.5, 1 / pivot, 0.5}));
  }
}

TEST(RilukFactors, NothingIsKeptOfAnotherMatrix) {
  auto A = distributed(support::generate("lap2d:8"));
  auto const B = distributed(support::generate("lap2d:9"));
  auto const ours = computed<Ours>(A, parameters(1));
  ours->setMatrix(B);
  auto relaxed = parameters(1);
  relaxed.set("fact: relax value", 0.5);
  ours->setParameters(relaxed);
  ours->compute();
  EXPECT_EQ(A.strong_count(), 1);
}

/// Checks that a change of values alone changes who factors, and keeps patterns and solvers.
TEST(RilukFactors, RelaxationComesAndGoes) {
  auto const A = distributed(support::generate("lap2d:12,nonsym"));
  auto const ours = computed<Ours>(A, parameters(1));
  auto relaxed = parameters(1);
  relaxed.set("fact: relax value", 0.5);
  for (auto const& list : {relaxed, parameters(1), relaxed, parameters(1)}) {
    ours->setParameters(list);
    EXPECT_TRUE(ours->isInitialized());
    ours->compute();
    EXPECT_EQ(ours->getNumAnalyses(), 2);
    expect_alike(*ours, *computed<Theirs>(A, list), Teuchos::NO_TRANS, A->getRowMap());
    expect_same_factors(*ours, *computed<Theirs>(A, list));
  }
}

}  // namespace
}  // namespace sptrsv::test
