// SPDX-License-Identifier: Apache-2.0
// Tests PETSc's block factors where they differ from factors by entries: pivoting and shifts inside blocks, zero
// pivots, changed patterns. Each is compared with PETSc's own factor of the same matrix; CMake runs all tests again
// with factors by the backend.
#include "block_pair.hpp"
#include "host_device_pair.hpp"

namespace petsc_test {
namespace {

/// Returns an entry of a block with zeros on the diagonal that pivoting can invert: 4 on the antidiagonal.
PetscScalar ZeroDiagonal(PetscInt bs, PetscInt r, PetscInt c) {
  if (bs % 2 && r == bs / 2 && c == bs / 2) return 4;
  return r + c == bs - 1 ? 4 : 0;
}

/// Returns an entry of a symmetric indefinite block, for which ICC shifts.
PetscScalar Indefinite(PetscInt block, PetscInt r, PetscInt c) {
  if (r != c) return 0.3;
  return (block + r) % 3 == 1 ? -2 : 3;
}

/// Calls f(setup) for every setup that PETSc supports for matrices of this type.
template <class F>
void ForSetups(BlockMatrix const& m, F const& f) {
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC})
    for (PetscInt levels = 0; levels < 3; ++levels)
      for (MatOrderingType ordering : {MATORDERINGNATURAL, MATORDERINGRCM}) {
        Factoring setup;
        setup.ftype = ftype;
        setup.levels = levels;
        setup.ordering = ordering;
        bool const incomplete = ftype == MAT_FACTOR_ILU || ftype == MAT_FACTOR_ICC;
        bool const symmetric_type = std::string(m.type) == MATSEQSBAIJ;
        if (levels > 0 && !incomplete) continue;
        if (setup.symmetric() ? ordering != std::string(MATORDERINGNATURAL) : symmetric_type) continue;
        SCOPED_TRACE(std::string(m.type) + " " + std::to_string(m.bs) + ", " + MatFactorTypes[ftype] + " " +
                     std::to_string(levels) + ", " + ordering);
        f(setup);
      }
}

/// Checks that both numeric phases end with the same error or the same pivot status, and compares solves if there is
/// none.
/// @param strict  pivots that are zero are errors
/// @param failed  on return whether a pivot was zero
PetscErrorCode Compare(BlockMatrix const& m, Factoring const& setup, char const* type, bool strict, bool* failed) {
  Mat A;
  SCOPED_TRACE(type);
  PetscCall(Build(m, &A));
  PetscCall(MatSetErrorIfFailure(A, strict ? PETSC_TRUE : PETSC_FALSE));
  {
    Pair pair;
    PivotStatus own, ours;
    PetscCall(pair.Symbolic(A, setup, type));
    CaughtError const of_petsc = Catch([&] { return pair.own.Numeric(A); });
    CaughtError const of_plugin = Catch([&] { return pair.ours.Numeric(A); });
    EXPECT_EQ((int)of_petsc.code, (int)of_plugin.code);
    EXPECT_EQ(of_petsc.message, of_plugin.message);
    PetscCall(GetPivotStatus(pair.own.mat(), &own));
    PetscCall(GetPivotStatus(pair.ours.mat(), &ours));
    EXPECT_EQ((int)own.error, (int)ours.error);
    *failed = of_petsc.code || own.error;
    if (!*failed) PetscCall(ExpectNear(MatFactorTypes[setup.ftype], pair.own.mat(), pair.ours.mat()));
  }
  return MatDestroy(&A);
}

/// Checks that factors of this matrix with any setup equal PETSc's.
/// @param shifted  with a shift: PETSc has one for LU, another one for Cholesky
void ExpectNative(BlockMatrix const& m, bool shifted) {
  static unsigned turn = 0;
  ForSetups(m, [&](Factoring setup) {
    setup.shift = setup.symmetric() ? MAT_SHIFT_POSITIVE_DEFINITE : MAT_SHIFT_INBLOCKS;
    // for seqbaij with block size 1 PETSc searches for a shift without end: docs/dev/petsc_faults.md
    if (!shifted || (m.bs == 1 && setup.symmetric() && m.type == std::string(MATSEQBAIJ))) setup.shift = MAT_SHIFT_NONE;
    setup.shift_amount = 1e-3;
    char const* const type = some_types[turn++ % (sizeof some_types / sizeof *some_types)];
    bool failed;
    EXPECT_EQ((int)Compare(m, setup, type, false, &failed), 0);
  });
}

TEST(BlockFactors, PivotShiftAndInvertInsideBlocksAsPetscDoes) {
  BlockMatrix m;
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
    for (PetscInt bs : block_sizes)
      for (bool shifted : {false, true}) {
        m.type = type;
        m.bs = bs;
        m.diagonal = Indefinite;
        ExpectNative(m, shifted);
        if (std::string(type) == MATSEQSBAIJ) continue;
        m.diagonal = [&](PetscInt, PetscInt r, PetscInt c) { return ZeroDiagonal(bs, r, c); };
        ExpectNative(m, shifted);
      }
}

/// Checks blocks with a zero row and column: shifted, or reported, by block size and amount.
TEST(BlockFactors, VerdictsOnSingularBlocksAreNative) {
  BlockMatrix m;
  m.coupling = 0;
  int shifted = 0, reported = 0;
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
    for (PetscInt bs : block_sizes)
      for (PetscReal amount : {0.0, 1e-3})
        for (PetscInt at : {(PetscInt)0, bs - 1}) {
          if (bs == 1) continue;
          // with AVX2 PETSc has a special kernel for these blocks, which shifts
          if (bs == 9 && amount > 0) continue;
          // PETSc inverts symmetric blocks of 4 without interchanges, and does not check their pivots
          if (bs == 4 && std::string(type) == MATSEQSBAIJ) continue;
          m.type = type;
          m.bs = bs;
          m.diagonal = [&](PetscInt block, PetscInt r, PetscInt c) -> PetscScalar {
            if (r != c) return 0;
            return (block == 3 || block == 7) && r == at ? 0 : 2;
          };
          bool failed = false;
          for (bool strict : {false, true})
            ForSetups(m, [&](Factoring setup) {
              setup.shift_amount = amount;
              if (setup.symmetric() && bs == 4) return;
              EXPECT_EQ((int)Compare(m, setup, "levelset", strict, &failed), 0) << amount << " at " << at;
              ++(failed ? reported : shifted);
            });
        }
  EXPECT_GT(shifted, 0);
  EXPECT_GT(reported, 0);
}

/// Compares the factors after change(A, m) between the symbolic and the numeric phase.
void ExpectSameAfter(char const* what, std::function<PetscErrorCode(Mat, BlockMatrix const&)> const& change,
                     MatFactorType ftype) {
  BlockMatrix m;
  m.diagonal = Dominant;
  for (PetscInt bs : block_sizes) {
    m.bs = bs;
    Mat A;
    Factoring setup;
    setup.ftype = ftype;
    ASSERT_EQ((int)Build(m, &A), 0);
    {
      Pair pair;
      ASSERT_EQ((int)pair.Symbolic(A, setup, "levelset"), 0);
      ASSERT_EQ((int)pair.Numeric(A), 0);
      ASSERT_EQ((int)change(A, m), 0);
      ASSERT_EQ((int)pair.Numeric(A), 0);
      ASSERT_EQ((int)ExpectNear(std::string(what) + ", " + std::to_string(bs), pair.own.mat(), pair.ours.mat()), 0);
    }
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

TEST(BlockFactors, FollowChangesOfTheMatrixBetweenPhases) {
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU}) {
    ExpectSameAfter(
        "zeroed rows",
        [](Mat A, BlockMatrix const& m) {
          PetscInt const rows[] = {0, 3 * m.bs, 3 * m.bs + m.bs - 1};
          return MatZeroRows(A, m.bs > 1 ? 3 : 2, rows, 5, NULL, NULL);
        },
        ftype);
    ExpectSameAfter(
        "transposed in place", [](Mat A, BlockMatrix const&) { return MatTranspose(A, MAT_INPLACE_MATRIX, &A); },
        ftype);
    ExpectSameAfter(
        "insides replaced",
        [](Mat A, BlockMatrix const& m) {
          Mat other;
          BlockMatrix changed = m;
          changed.coupling = 0.7;
          PetscCall(Build(changed, &other));
          return MatHeaderReplace(A, &other);
        },
        ftype);
  }
}

// PETSc's own factor keeps the pattern of the first matrix: docs/dev/petsc_faults.md
TEST(BlockFactors, SymmetricOnesFollowChangedPatterns) {
  for (PetscInt bs : {1, 2, 3, 8})
    for (MatFactorType ftype : {MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC}) {
      BlockMatrix m;
      m.bs = bs;
      m.diagonal = Dominant;
      Mat A, copy;
      Factor before, ours, own;
      Factoring setup;
      setup.ftype = ftype;
      ASSERT_EQ((int)Build(m, &A), 0);
      ASSERT_EQ((int)before.Symbolic(A, "levelset", NULL, setup), 0);
      ASSERT_EQ((int)before.Numeric(A), 0);
      ASSERT_EQ((int)MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE), 0);
      PetscInt const last = m.rows * bs - 1;
      ASSERT_EQ((int)MatSetValue(A, 0, last, 0.5, INSERT_VALUES), 0);
      ASSERT_EQ((int)MatSetValue(A, last, 0, 0.5, INSERT_VALUES), 0);
      ASSERT_EQ((int)Assemble(A), 0);
      ASSERT_EQ((int)MatDuplicate(A, MAT_COPY_VALUES, &copy), 0);
      ASSERT_EQ((int)ours.Symbolic(A, "levelset", NULL, setup), 0);
      ASSERT_EQ((int)ours.Numeric(A), 0);
      ASSERT_EQ((int)own.Symbolic(copy, MATSOLVERPETSC, NULL, setup), 0);
      ASSERT_EQ((int)own.Numeric(copy), 0);
      EXPECT_EQ((int)ExpectNear(MatFactorTypes[ftype] + std::to_string(bs), own.mat(), ours.mat()), 0);
      ASSERT_EQ((int)DestroyAll(&copy, &A), 0);
    }
}

/// Checks that blocks of 1 are factored like entries.
TEST(BlockFactors, BlocksOfOneAreNativeToTheBit) {
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
    for (bool const definite : {true, false})
      for (MatFactorShiftType shift :
           {MAT_SHIFT_NONE, MAT_SHIFT_NONZERO, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_INBLOCKS}) {
        BlockMatrix m;
        m.type = type;
        m.bs = 1;
        m.rows = 40;
        m.diagonal = [&](PetscInt block, PetscInt, PetscInt) -> PetscScalar {
          return !definite && block % 5 == 2 ? -0.1 - 0.01 * (PetscReal)block : 2 + 0.013 * (PetscReal)block;
        };
        ForSetups(m, [&](Factoring setup) {
          setup.shift = shift;
          setup.shift_amount = 0.02;
          // for these PETSc searches for a shift without end: docs/dev/petsc_faults.md
          if (setup.symmetric() && !definite && std::string(m.type) != MATSEQSBAIJ &&
              shift == MAT_SHIFT_POSITIVE_DEFINITE)
            return;
          SCOPED_TRACE(MatFactorShiftTypes[shift]);
          Mat A;
          ASSERT_EQ((int)Build(m, &A), 0);
          {
            HostDevicePair pair;
            ASSERT_EQ((int)pair.Symbolic(A, setup), 0);
            ASSERT_EQ((int)pair.Numeric(A), 0);
            EXPECT_EQ((int)ExpectSame(pair.host.mat(), pair.device.mat()), 0);
          }
          ASSERT_EQ((int)MatDestroy(&A), 0);
        });
      }
}

/// Checks that the search for a shift ends where PETSc's own would not return.
TEST(BlockFactors, ShiftsOfBlocksOfOneEnd) {
  BlockMatrix m;
  m.bs = 1;
  m.diagonal = [](PetscInt block, PetscInt, PetscInt) -> PetscScalar { return block == 6 ? -1 : 3; };
  Mat A;
  Factor device;
  Factoring setup;
  PivotStatus pivot_status;
  setup.ftype = MAT_FACTOR_ICC;
  setup.shift = MAT_SHIFT_POSITIVE_DEFINITE;
  ASSERT_EQ((int)Build(m, &A), 0);
  ASSERT_EQ((int)device.Make(A, "levelset", "device_", MAT_FACTOR_ICC), 0);
  ASSERT_EQ((int)device.Symbolic(A, setup), 0);
  ASSERT_EQ((int)device.Numeric(A), 0);
  ASSERT_EQ((int)GetPivotStatus(device.mat(), &pivot_status), 0);
  EXPECT_EQ(pivot_status.error, MAT_FACTOR_NUMERIC_ZEROPIVOT);
  EXPECT_EQ(pivot_status.row, 6);
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

}  // namespace
}  // namespace petsc_test
