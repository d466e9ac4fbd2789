// SPDX-License-Identifier: Apache-2.0
// Compares the backend's patterns of ILU(k) and ICC(k) with those of PETSc's own symbolic phases, entry by entry.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "../backend/spaces.hpp"
#include "host_device_pair.hpp"
#include "sptrsv/factorization/level_fill.hpp"
#include "sptrsv_support/generators.hpp"

namespace petsc_test {
namespace {

using Indices = std::vector<PetscInt>;

class KokkosRuns : public testing::Environment {
 public:
  void SetUp() override
  {
    if (Kokkos::is_initialized()) return;  // PETSc has initialized it
    Kokkos::initialize();
    own_ = true;
  }
  void TearDown() override
  {
    if (own_) Kokkos::finalize();
  }

 private:
  bool own_ = false;
};
testing::Environment* const kokkos_runs = testing::AddGlobalTestEnvironment(new KokkosRuns);

/// Columns left of the diagonal and right of it, by row; the diagonal itself is in neither.
struct Rows {
  std::vector<Indices> lower, upper;
};

struct Square {
  Indices row_ptr{0}, col_idx;
  PetscInt n() const { return (PetscInt)row_ptr.size() - 1; }
};
Square SquareOf(std::vector<std::set<PetscInt>> const& rows)
{
  Square s;
  for (auto const& row : rows) {
    s.col_idx.insert(s.col_idx.end(), row.begin(), row.end());
    s.row_ptr.push_back((PetscInt)s.col_idx.size());
  }
  return s;
}
std::vector<std::set<PetscInt>> RowsOf(char const* spec)
{
  auto const a = sptrsv::support::generate(spec);
  std::vector<std::set<PetscInt>> rows((size_t)a.num_rows);
  for (size_t i = 0; i < rows.size(); ++i)
    for (auto k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) rows[i].insert((PetscInt)a.col_idx[(size_t)k]);
  return rows;
}

Indices Shuffled(PetscInt n, unsigned seed)
{
  Indices p((size_t)n);
  std::iota(p.begin(), p.end(), 0);
  std::mt19937_64 random(seed);
  std::shuffle(p.begin(), p.end(), random);
  return p;
}

PetscErrorCode PetscRows(Mat F, PetscInt n, bool symmetric, Rows* rows)
{
  PetscInt const *i, *j;

  PetscFunctionBegin;
  rows->lower.resize((size_t)n);
  rows->upper.resize((size_t)n);
  if (symmetric) {  // each row ends in its diagonal
    PetscInt size;
    PetscBool done;
    PetscCall(MatGetRowIJ(F, 0, PETSC_FALSE, PETSC_TRUE, &size, &i, &j, &done));
    EXPECT_TRUE(done);
    for (PetscInt r = 0; r < n; ++r) rows->upper[(size_t)r].assign(j + i[r], j + i[r + 1] - 1);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscScalar* a;
  PetscMemType where;
  PetscCall(MatSeqAIJGetCSRAndMemType(F, &i, &j, &a, &where));
  PetscInt k = n ? i[n] : 0;  // after L's rows come those of U, last row first, each with its diagonal last
  for (PetscInt r = n - 1; r >= 0; --r) {
    rows->lower[(size_t)r].assign(j + i[r], j + i[r + 1]);
    for (; j[k] != r; ++k) rows->upper[(size_t)r].push_back(j[k]);
    ++k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Space>
using TypesOn = sptrsv::Types<double, PetscInt, PetscInt, Space>;

template <class Space>
Kokkos::View<PetscInt const*, typename TypesOn<Space>::device> OnDevice(Indices const& from)
{
  using Host = Kokkos::View<PetscInt const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::View<PetscInt*, typename TypesOn<Space>::device> to("test::indices", from.size());
  Kokkos::deep_copy(to, Host(from.data(), from.size()));
  return to;
}
template <class Part>
std::vector<Indices> FetchRows(Part const& part, PetscInt n, bool pivots)
{
  auto const ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), part.rows.row_ptr);
  auto const col = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), part.rows.col_idx);
  std::vector<Indices> rows((size_t)n);
  for (PetscInt i = 0; i < n; ++i) {
    rows[(size_t)i].assign(col.data() + ptr((size_t)i), col.data() + ptr((size_t)i + 1));
    if (!pivots) continue;
    EXPECT_EQ(rows[(size_t)i].back(), i);
    rows[(size_t)i].pop_back();
  }
  return rows;
}

/// Matrix and permutations to be factored.
struct Setup {
  Square a;
  Indices row_perm, col_perm;
  PetscInt levels = 0;
  bool symmetric = false;
};

template <class Space>
bool OwnRows(Setup const& s, Rows* rows)
{
  using T = TypesOn<Space>;
  typename T::pattern const matrix{OnDevice<Space>(s.a.row_ptr), OnDevice<Space>(s.a.col_idx)};
  PetscInt const n = s.a.n();
  try {
    auto const row_perm = OnDevice<Space>(s.row_perm);
    auto const f = sptrsv::detail::make_level_pattern<T>(
        Space(), matrix, row_perm, s.symmetric ? row_perm : OnDevice<Space>(s.col_perm), s.symmetric, (int)s.levels);
    rows->lower.resize((size_t)n);
    if (!s.symmetric) rows->lower = FetchRows(*f.lower, n, false);
    rows->upper = FetchRows(*f.upper, n, !s.symmetric);
  } catch (sptrsv::MissingDiagonal const&) {
    return false;
  }
  return true;
}

struct Counts {
  int cases = 0, refused = 0;
};

template <class Space>
void ExpectRowsOf(Setup const& s, Rows const& petsc, bool taken)
{
  Rows own;
  SCOPED_TRACE(Space::name());
  ASSERT_EQ(OwnRows<Space>(s, &own), taken);
  if (!taken) return;
  for (size_t i = 0; i < petsc.upper.size(); ++i) {
    ASSERT_EQ(own.lower[i], petsc.lower[i]) << "row " << i << " of L";
    ASSERT_EQ(own.upper[i], petsc.upper[i]) << "row " << i << " of U";
  }
}
template <class... Spaces>
void ExpectRowsOfAll(Setup const& s, Rows const& petsc, bool taken, testing::Types<Spaces...>)
{
  (ExpectRowsOf<Spaces>(s, petsc, taken), ...);
}

PetscErrorCode Compare(Setup const& s, Counts* counts)
{
  Mat A, F;
  IS r, c;
  MatFactorInfo info;
  Rows petsc;
  std::vector<PetscScalar> const values(s.a.col_idx.size(), 1);
  PetscInt const n = s.a.n();

  PetscFunctionBegin;
  SCOPED_TRACE((s.symmetric ? "ICC " : "ILU ") + std::to_string(s.levels));
  PetscCall(BuildCsr(s.a.row_ptr, s.a.col_idx, values, &A));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, s.row_perm.data(), PETSC_COPY_VALUES, &r));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, s.col_perm.data(), PETSC_COPY_VALUES, &c));
  PetscCall(ISSetPermutation(r));
  PetscCall(ISSetPermutation(c));
  PetscCall(MatFactorInfoInitialize(&info));
  info.levels = (PetscReal)s.levels;
  info.fill = 3;
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, s.symmetric ? MAT_FACTOR_ICC : MAT_FACTOR_ILU, &F));
  CaughtError const refused = Catch(
      [&] { return s.symmetric ? MatICCFactorSymbolic(F, A, r, &info) : MatILUFactorSymbolic(F, A, r, c, &info); });
  ++counts->cases;
  counts->refused += refused.code != 0;
  if (!refused.code) PetscCall(PetscRows(F, n, s.symmetric, &petsc));
  ExpectRowsOfAll(s, petsc, !refused.code, sptrsv::test::Spaces());
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscCall(ISDestroy(&r));
  PetscCall(ISDestroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Ordering(Square const& a, MatOrderingType type, Indices* rows, Indices* cols)
{
  Mat A;
  IS is[2];
  std::vector<PetscScalar> const values(a.col_idx.size(), 1);

  PetscFunctionBegin;
  PetscCall(BuildCsr(a.row_ptr, a.col_idx, values, &A));
  PetscCall(MatGetOrdering(A, type, &is[0], &is[1]));
  Indices* const to[2] = {rows, cols};
  for (int k : {0, 1}) {
    PetscInt const* p;
    PetscCall(ISGetIndices(is[k], &p));
    to[k]->assign(p, p + a.n());
    PetscCall(ISRestoreIndices(is[k], &p));
    PetscCall(ISDestroy(&is[k]));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Returns the matrix with some entries on one side of the diagonal only, and all entries of a random diagonal: row i,
/// column diagonal[i].
Square NotSymmetric(std::vector<std::set<PetscInt>> rows, Indices const& diagonal)
{
  std::mt19937_64 random(5);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (auto at = rows[i].begin(); at != rows[i].end();)
      if (*at != (PetscInt)i && random() % 3 == 0) at = rows[i].erase(at);
      else ++at;
    rows[i].insert(diagonal[i]);
  }
  return SquareOf(rows);
}

PetscErrorCode CompareMatrix(char const* spec, Counts* counts)
{
  auto const rows = RowsOf(spec);
  auto const n = (PetscInt)rows.size();
  Square const symmetric = SquareOf(rows), other = NotSymmetric(rows, Shuffled(n, 1));

  PetscFunctionBegin;
  for (MatOrderingType type : {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND, MATORDERINGQMD, MATORDERING1WD})
    for (bool const nonsymmetric : {false, true}) {
      Setup s;
      SCOPED_TRACE(std::string(type) + (nonsymmetric ? ", not symmetric" : ""));
      s.a = nonsymmetric ? other : symmetric;
      PetscCall(Ordering(symmetric, type, &s.row_perm, &s.col_perm));
      for (s.levels = 0; s.levels <= 4; ++s.levels)
        for (bool const icc : {false, true}) {
          s.symmetric = icc;
          PetscCall(Compare(s, counts));
        }
    }
  // rows and columns permuted independently: with a diagonal, and with one that only fill can make
  Setup s;
  s.a = other;
  s.row_perm = Shuffled(n, 2);
  auto const diagonal = Shuffled(n, 1);
  for (PetscInt const row : s.row_perm) s.col_perm.push_back(diagonal[(size_t)row]);
  for (s.levels = 0; s.levels <= 4; ++s.levels) PetscCall(Compare(s, counts));
  s.col_perm = Shuffled(n, 3);
  for (s.levels = 0; s.levels <= 4; ++s.levels) PetscCall(Compare(s, counts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

char const* const matrices[] = {"chain:90",     "lap2d:11",   "lap3d:5",  "lap3d:10",      "stencil27:4",
                                "fem2d:9",      "fem3:3",     "rmat:7,4", "road:12",       "band:150,4,20",
                                "powerlaw:150", "kkt2:120",   "dense:40", "powerlaw:3000", "arrow_down:60",
                                "arrow_up:60",  "diagonal:30"};

class LevelPatterns : public testing::TestWithParam<char const*> {};
TEST_P(LevelPatterns, ArePetscs)
{
  Counts counts;
  EXPECT_EQ((int)CompareMatrix(GetParam(), &counts), 0);
  std::printf("%s: %d patterns, %d refused by both\n", GetParam(), counts.cases, counts.refused);
}
INSTANTIATE_TEST_SUITE_P(All, LevelPatterns, testing::ValuesIn(matrices), [](auto const& info) {
  std::string const spec = info.param;
  auto const colon = spec.find(':');
  return spec.substr(0, colon) + "_" + spec.substr(colon + 1, spec.find(',') - colon - 1);
});

/// Compares small matrices of any kind, with a diagonal that is stored, made by fill, or missing; and with many levels.
PetscErrorCode CompareRandom(Counts* counts)
{
  PetscFunctionBegin;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    auto const below = [&](PetscInt m) { return (PetscInt)(random() % (unsigned long)m); };
    PetscInt const n = 1 + below(30), per_row = 1 + below(4);
    std::vector<std::set<PetscInt>> rows((size_t)n);
    for (PetscInt i = 0; i < n; ++i) {
      rows[(size_t)i].insert(i);
      for (PetscInt k = 0; k < per_row; ++k) rows[(size_t)i].insert(below(n));
    }
    Setup s;
    SCOPED_TRACE("seed " + std::to_string(seed));
    s.a = SquareOf(rows);
    s.row_perm = Shuffled(n, seed);
    s.col_perm = seed % 2 ? s.row_perm : Shuffled(n, seed + 1);
    s.symmetric = seed % 4 == 1;
    s.levels = below(seed % 3 ? 5 : 40);
    PetscCall(Compare(s, counts));
    if (testing::Test::HasFailure()) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
TEST(LevelPatterns, OfRandomMatricesArePetscs)
{
  Counts counts;
  EXPECT_EQ((int)CompareRandom(&counts), 0);
  std::printf("%d patterns, %d refused by both\n", counts.cases, counts.refused);
}

}  // namespace
}  // namespace petsc_test
