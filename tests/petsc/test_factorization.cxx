// SPDX-License-Identifier: Apache-2.0
// Compares factors computed by the backend with PETSc's, to the bit: matrices, kinds, levels, orderings, shifts,
// inodes, types, random patterns.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <set>

#include "host_device_pair.hpp"
#include "sptrsv_support/generators.hpp"

namespace petsc_test {
namespace {

struct Case {
  char const* matrix;
  MatFactorType ftype;
  PetscInt levels;
};

struct Counts {
  int cases = 0, refused = 0, endless = 0, zero_pivots = 0;
};

/// Compares one factorization. If PETSc's numeric phase would not return, the device reports so before PETSc is called.
PetscErrorCode RunOne(Mat A, Factoring const& setup, bool plain, Counts* counts) {
  HostDevicePair pair;
  PivotStatus pivot_status;
  CaughtError const refused = Catch([&] { return pair.Symbolic(A, setup, counts->cases % 2 ? "sptrsv" : "levelset"); });
  ++counts->cases;
  if (refused.code) {  // PETSc refuses: a matrix with inodes has its own reordering
    ++counts->refused;
    EXPECT_TRUE(setup.nonzero_diagonal_order) << refused.message;
    return PETSC_SUCCESS;
  }
  PetscCall(pair.device.Numeric(A));
  PetscCall(GetPivotStatus(pair.device.mat(), &pivot_status));
  counts->zero_pivots += pivot_status.error != MAT_FACTOR_NOERROR;
  if (pivot_status.error && setup.shift != MAT_SHIFT_NONE) {
    ++counts->endless;
    return PETSC_SUCCESS;
  }
  PetscCall(pair.host.Numeric(A));
  PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
  if (plain) {
    Factor own;
    PetscCall(own.Make(A, MATSOLVERPETSC, nullptr, setup.ftype));
    PetscCall(own.Symbolic(A, setup));
    PetscCall(own.Numeric(A));
    PetscCall(ExpectNear("beside PETSc's", own.mat(), pair.device.mat()));
  }
  return PETSC_SUCCESS;
}

PetscErrorCode RunShifts(Mat A, Factoring setup, Diagonal diagonal, Counts* counts) {
  setup.zero_pivot = diagonal == Diagonal::scaled ? 1e-2 : 2.2e-14;
  for (MatFactorShiftType shift :
       {MAT_SHIFT_NONE, MAT_SHIFT_NONZERO, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_INBLOCKS}) {
    std::string const ordering = setup.ordering;
    if (shift != MAT_SHIFT_NONE && ordering != MATORDERINGNATURAL && ordering != MATORDERINGRCM) continue;
    SCOPED_TRACE(MatFactorShiftTypes[shift]);
    setup.shift = shift;
    setup.shift_amount = shift == MAT_SHIFT_NONE ? 0 : 1e-3;
    bool const plain = diagonal == Diagonal::kept && shift == MAT_SHIFT_NONE && ordering == MATORDERINGNATURAL;
    PetscCall(RunOne(A, setup, plain, counts));
  }
  return PETSC_SUCCESS;
}

PetscErrorCode RunMatrix(Case const& c, sptrsv::support::CsrMatrix const& from, Diagonal diagonal, MatType type,
                         bool inodes, Counts* counts) {
  Mat A;
  Vec d;
  Factoring setup;
  SCOPED_TRACE(std::string(type) + (inodes ? " with inodes" : "") + ", diagonal " + std::to_string((int)diagonal));
  setup.ftype = c.ftype;
  setup.levels = c.levels;
  PetscCall(BuildMatrix(from, diagonal, type, inodes, &A));
  PetscCall(MatCreateVecs(A, &d, NULL));  // PETSc's own crashes if the diagonal has not been requested before
  PetscCall(MatGetDiagonal(A, d));
  PetscCall(VecDestroy(&d));
  for (MatOrderingType ordering :
       {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND, MATORDERINGQMD, MATORDERING1WD, (MatOrderingType) "color"}) {
    SCOPED_TRACE(ordering);
    setup.ordering = ordering;
    PetscCall(RunShifts(A, setup, diagonal, counts));
  }
  if (!setup.symmetric()) {
    SCOPED_TRACE("nonzeros along the diagonal");
    setup.ordering = MATORDERINGRCM;
    setup.nonzero_diagonal_order = true;
    PetscCall(RunShifts(A, setup, diagonal, counts));
  }
  return MatDestroy(&A);
}

PetscErrorCode RunCase(Case const& c) {
  std::string spec = c.matrix;
  Counts counts;
  bool const symmetric = c.ftype == MAT_FACTOR_CHOLESKY || c.ftype == MAT_FACTOR_ICC;
  auto const comma = spec.find(",nonsym");
  if (symmetric && comma != std::string::npos) spec.resize(comma);
  auto const from = sptrsv::support::generate(spec);
  for (Diagonal diagonal : {Diagonal::kept, Diagonal::negated, Diagonal::scaled, Diagonal::zeroed})
    for (bool inodes : {true, false}) PetscCall(RunMatrix(c, from, diagonal, MATSEQAIJ, inodes, &counts));
#if defined(PETSC_HAVE_KOKKOS_KERNELS)
  for (Diagonal diagonal : {Diagonal::kept, Diagonal::negated})
    PetscCall(RunMatrix(c, from, diagonal, MATSEQAIJKOKKOS, false, &counts));
#endif
  std::printf("%s: %d cases, %d refused by PETSc, %d without an end in PETSc, %d zero pivots\n", spec.c_str(),
              counts.cases, counts.refused, counts.endless, counts.zero_pivots);
  return PETSC_SUCCESS;
}

std::vector<Case> AllCases() {
  std::vector<Case> all;
  for (char const* matrix :
       {"lap2d:20", "lap3d:7,nonsym", "stencil27:4", "fem3:3,nonsym", "powerlaw:300", "road:20", "kkt2:300"})
    for (PetscInt levels : {0, 1, 2}) {
      all.push_back({matrix, MAT_FACTOR_ILU, levels});
      all.push_back({matrix, MAT_FACTOR_ICC, levels});
    }
  for (char const* matrix :
       {"lap2d:12", "lap3d:5,nonsym", "stencil27:3", "fem3:2,nonsym", "powerlaw:150", "road:12", "kkt2:120"}) {
    all.push_back({matrix, MAT_FACTOR_LU, 0});
    all.push_back({matrix, MAT_FACTOR_CHOLESKY, 0});
  }
  return all;
}

std::string CaseName(testing::TestParamInfo<Case> const& info) {
  std::string name = info.param.matrix;
  for (char& c : name)
    if (c == ':' || c == ',') c = '_';
  return name + "_" + MatFactorTypes[info.param.ftype] + std::to_string(info.param.levels);
}

class FactorizationCases : public testing::TestWithParam<Case> {};
TEST_P(FactorizationCases, EqualNativeToTheBit) { EXPECT_EQ((int)RunCase(GetParam()), 0); }
INSTANTIATE_TEST_SUITE_P(All, FactorizationCases, testing::ValuesIn(AllCases()), CaseName);

/// Compares factors of a small matrix of any kind, its rows and columns permuted alike or independently, so that
/// diagonals are stored, made by fill, or missing.
PetscErrorCode CompareRandom(unsigned seed, int* refusals) {
  std::mt19937_64 random(seed);
  auto const below = [&](PetscInt m) { return (PetscInt)(random() % (unsigned long)m); };
  auto const shuffled = [&](PetscInt n) {
    std::vector<PetscInt> p((std::size_t)n);
    std::iota(p.begin(), p.end(), 0);
    std::shuffle(p.begin(), p.end(), random);
    return p;
  };
  PetscInt const n = 1 + below(30), per_row = 1 + below(4);
  std::vector<PetscInt> row_ptr{0}, col_idx;
  std::vector<PetscScalar> values;
  HostDevicePair pair;
  Factoring setup;
  MatInfo of_host, of_device;
  Mat A;
  for (PetscInt i = 0; i < n; ++i) {
    std::set<PetscInt> row{i};
    for (PetscInt k = 0; k < per_row; ++k) row.insert(below(n));
    for (PetscInt j : row) values.push_back(i == j ? 9 + (PetscReal)(i % 5) : (PetscReal)(1 + (3 * i + j) % 7) / 8);
    col_idx.insert(col_idx.end(), row.begin(), row.end());
    row_ptr.push_back((PetscInt)col_idx.size());
  }
  setup.ftype = seed % 4 == 1 ? MAT_FACTOR_ICC : MAT_FACTOR_ILU;
  setup.levels = below(seed % 3 ? 5 : 16);
  setup.row_perm = shuffled(n);
  setup.col_perm = seed % 2 ? setup.row_perm : shuffled(n);
  PetscCall(BuildCsr(row_ptr, col_idx, values, &A));
  PetscCall(pair.host.Make(A, "levelset", "host_", setup.ftype));
  PetscCall(pair.device.Make(A, "levelset", "device_", setup.ftype));
  CaughtError const host = Catch([&] { return pair.host.Symbolic(A, setup); });
  CaughtError const device = Catch([&] { return pair.device.Symbolic(A, setup); });
  EXPECT_EQ((int)host.code, (int)device.code) << host.message << " | " << device.message;
  *refusals += host.code != 0;
  if (!host.code && !device.code) {
    PetscCall(MatGetInfo(pair.host.mat(), MAT_LOCAL, &of_host));
    PetscCall(MatGetInfo(pair.device.mat(), MAT_LOCAL, &of_device));
    EXPECT_EQ(of_host.nz_used, of_device.nz_used);
    PetscCall(pair.Numeric(A));
    PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
  }
  return MatDestroy(&A);
}

TEST(Factorizations, OfRandomPatternsEqualNative) {
  int refusals = 0;
  for (unsigned seed = 0; seed < 400; ++seed)
    ASSERT_TRUE(!CompareRandom(seed, &refusals) && !HasFailure()) << "seed " << seed;
  EXPECT_GT(refusals, 20) << "the test no longer meets a missing diagonal";
}

}  // namespace
}  // namespace petsc_test
