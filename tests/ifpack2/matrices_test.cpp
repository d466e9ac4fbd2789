// SPDX-License-Identifier: Apache-2.0
// Compares Belos iterations with Riluk and with Ifpack2::RILUK on real matrices in the folder SPTRSV_TEST_MATRICES.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "belos_run.hpp"
#include "sptrsv/ifpack2/riluk.hpp"
#include "sptrsv_support/load_matrix.hpp"

namespace sptrsv::test {
namespace {

using Ours = ifpack2::Riluk<Row<double>>;
using Theirs = Ifpack2::RILUK<Row<double>>;
constexpr std::int64_t most_entries = 3000000;  // larger matrices take minutes to factor with fill
constexpr std::int64_t dense_row =
    5000;  // entries; such a row fills whole columns, so its matrix is factored without fill only

std::ostream& rank0() {
  static std::ostream nowhere(nullptr);
  return rank_here() == 0 ? std::cout : nowhere;
}

bool all_ranks(bool here) {
  int const mine = here;
  int all = 0;
  Teuchos::reduceAll(*Tpetra::getDefaultComm(), Teuchos::REDUCE_MIN, mine, Teuchos::outArg(all));
  return all != 0;
}

/// Computes the preconditioner; returns false on all ranks if the factorization breaks down on one.
template <class P>
bool compute(P& preconditioner) {
  bool good = true;
  try {
    preconditioner.compute();
  } catch (std::runtime_error const& e) {
    good = std::string(e.what()).find("pivot") == std::string::npos;
    if (good) throw;
  }
  return all_ranks(good);
}

bool is_finite(Theirs const& factorization) {
  auto const d = factorization.getD().getLocalViewHost(Tpetra::Access::ReadOnly);
  bool good = true;
  for (std::size_t i = 0; i < d.extent(0); ++i) good = good && std::isfinite(d(i, 0));
  return all_ranks(good);
}

/// Compares both preconditioners and counts the comparison.
void compare(std::string const& name, RCP<Crs<double>> const& A, int k, int& compared) {
  Teuchos::ParameterList list;
  list.set("fact: iluk level-of-fill", k);
  auto const ours = rcp(new Ours(RCP<Row<double> const>(A)));
  auto const theirs = rcp(new Theirs(RCP<Row<double> const>(A)));
  ours->setParameters(list);
  theirs->setParameters(list);
  theirs->compute();
  bool const good = compute(*ours);
  ASSERT_EQ(good, is_finite(*theirs)) << name;
  rank0() << name << " k=" << k << ": ";
  if (!good) {
    rank0() << "the factorization breaks down in both" << std::endl;
    return;
  }
  auto const expected = solve_by_belos(A, theirs, false), got = solve_by_belos(A, ours, false);
  rank0() << "Ifpack2 " << expected << "; ours " << got << std::endl;
  EXPECT_EQ(got, expected) << name << " k=" << k;
  ++compared;
}

TEST(RealMatrices, BelosIterationsAreIfpack2s) {
  char const* folder = std::getenv("SPTRSV_TEST_MATRICES");
  if (!folder || !std::filesystem::is_directory(folder))
    GTEST_SKIP() << "SPTRSV_TEST_MATRICES names no folder of Matrix Market files";
  std::set<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path());
  int compared = 0;
  for (auto const& file : files) {
    std::string const name = file.filename().string();
    if (name.find(".mtx") == std::string::npos) continue;
    support::CsrMatrix a;
    try {
      a = support::load_matrix(file.string());
    } catch (std::exception const& e) {
      rank0() << name << ": not read: " << e.what() << std::endl;
      continue;
    }
    if (a.num_rows != a.num_cols || a.num_entries() > most_entries) {
      rank0() << name << ": " << a.num_rows << " by " << a.num_cols << ", " << a.num_entries() << " entries: left out"
              << std::endl;
      continue;
    }
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < a.num_rows; ++i) longest = std::max(longest, a.row_ptr[i + 1] - a.row_ptr[i]);
    auto const A = distributed(a);
    if (longest >= dense_row) rank0() << name << ": a row of " << longest << " entries: k=0 only" << std::endl;
    for (int k = 0; k <= (longest >= dense_row ? 0 : 2); ++k) compare(name, A, k, compared);
  }
  if (compared == 0) GTEST_SKIP() << "no matrix in " << folder << " could be used; .xz files have to be unpacked";
}

}  // namespace
}  // namespace sptrsv::test
