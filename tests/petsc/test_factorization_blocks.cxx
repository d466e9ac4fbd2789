// SPDX-License-Identifier: Apache-2.0
// Compares the backend's factors of seqbaij and seqsbaij with PETSc's: to the bit for blocks of 1, otherwise up to
// rounding, with the same verdicts on singular blocks.
#include "block_pair.hpp"
#include "host_device_pair.hpp"

namespace petsc_test {
namespace {

PetscInt const sizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 12, 15};

/// Returns an entry of a symmetric indefinite block.
PetscScalar Indefinite(PetscInt block, PetscInt r, PetscInt c)
{
  if (r != c) return 0.3;
  return (block + r) % 3 == 1 ? -2 : 3;
}

bool IsSbaij(BlockMatrix const& m) { return std::string(m.type) == MATSEQSBAIJ; }

/// Calls f(setup) for every setup that PETSc supports for matrices of this type.
template <class F>
void ForSetups(BlockMatrix const& m, F const& f)
{
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC})
    for (PetscInt levels = 0; levels < 3; ++levels)
      for (MatOrderingType ordering : {MATORDERINGNATURAL, MATORDERINGRCM}) {
        FactorSetup setup;
        setup.factoring.ftype = ftype;
        setup.factoring.levels = levels;
        setup.factoring.ordering = ordering;
        bool const incomplete = ftype == MAT_FACTOR_ILU || ftype == MAT_FACTOR_ICC;
        if (levels > 0 && !incomplete) continue;
        if (setup.factoring.symmetric() ? ordering != std::string(MATORDERINGNATURAL) : IsSbaij(m)) continue;
        SCOPED_TRACE(std::string(m.type) + " " + std::to_string(m.bs) + ", " + MatFactorTypes[ftype] + " " +
                     std::to_string(levels) + ", " + ordering);
        f(setup);
      }
}

/// Compares the solves of both factors up to rounding, and the halves if there are any.
PetscErrorCode ExpectNearSolves(Mat host, Mat device)
{
  Vec b, x, y, scale;
  PetscReal norm;
  MatFactorType ftype;

  PetscFunctionBegin;
  PetscCall(ExpectSame("beside PETSc's own", host, device));
  PetscCall(MatGetFactorType(host, &ftype));
  PetscCall(MatCreateVecs(host, &x, &b));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(VecDuplicate(b, &scale));
  PetscCall(FillVec(b, 4));
  for (auto const half : {MatForwardSolve, MatBackwardSolve}) {
    PetscCall(half(host, b, x));
    PetscCall(half(device, b, y));
    PetscCall(VecNorm(x, NORM_INFINITY, &norm));
    PetscCall(VecSet(scale, norm));
    PetscCall(ExpectRows("half of a solve", x, y, scale, block_tolerance));
  }
  for (Vec* v : {&b, &x, &y, &scale}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectSameVerdicts(Mat host, Mat device, bool* failed)
{
  Verdict h, d;

  PetscFunctionBegin;
  PetscCall(GetVerdict(host, &h));
  PetscCall(GetVerdict(device, &d));
  EXPECT_EQ((int)h.error, (int)d.error);
  EXPECT_EQ(h.row, d.row);
  EXPECT_EQ(h.value, d.value);
  *failed = h.error != MAT_FACTOR_NOERROR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Compare(BlockMatrix const& m, FactorSetup const& setup, bool* failed)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(Build(m, &A));
  {
    HostDevicePair pair;
    PetscCall(pair.Symbolic(A, setup));
    PetscCall(pair.Numeric(A));
    PetscCall(ExpectSameVerdicts(pair.host.mat(), pair.device.mat(), failed));
    if (!*failed) PetscCall(ExpectNearSolves(pair.host.mat(), pair.device.mat()));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(FactorizationOfBlocks, SolvesAreNearPetscs)
{
  BlockMatrix m;
  bool failed = false;
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
    for (PetscInt bs : sizes)
      for (auto const diagonal : {Dominant, Indefinite}) {
        m.type = type;
        m.bs = bs;
        m.diagonal = diagonal;
        ForSetups(m, [&](FactorSetup const& setup) {
          EXPECT_EQ((int)Compare(m, setup, &failed), 0);
          EXPECT_FALSE(failed);
        });
      }
}

/// Checks diagonals of zeros, which row interchanges within a block replace.
TEST(FactorizationOfBlocks, RowsOfBlocksAreInterchanged)
{
  BlockMatrix m;
  bool failed = false;
  for (PetscInt bs : sizes) {
    m.bs = bs;
    m.diagonal = [&](PetscInt, PetscInt r, PetscInt c) -> PetscScalar { return (r + 1) % m.bs == c ? 4 : 0; };
    ForSetups(m, [&](FactorSetup const& setup) {
      if (setup.factoring.symmetric()) return;
      EXPECT_EQ((int)Compare(m, setup, &failed), 0);
      EXPECT_FALSE(failed);
    });
  }
}

/// Checks blocks whose first row and column are zero: shifted, or reported, by block size and amount.
TEST(FactorizationOfBlocks, VerdictsOnSingularBlocksArePetscs)
{
  BlockMatrix m;
  m.coupling = 0;
  int shifted = 0, reported = 0;
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
    for (PetscInt bs : sizes)
      for (PetscReal amount : {0.0, 1e-3})
        for (PetscInt at : {(PetscInt)0, bs - 1}) {
          // with AVX2 PETSc has a special kernel for these blocks, which shifts
          if (bs == 9 && amount > 0) continue;
          m.type = type;
          m.bs = bs;
          m.diagonal = [&](PetscInt block, PetscInt r, PetscInt c) -> PetscScalar {
            if (r != c) return 0;
            return (block == 3 || block == 7) && r == at ? 0 : 2;
          };
          ForSetups(m, [&](FactorSetup setup) {
            setup.factoring.shift_amount = amount;
            // PETSc inverts symmetric blocks of 4 without interchanges, and does not check their pivots
            if (setup.factoring.symmetric() && bs == 4) return;
            bool failed = false;
            EXPECT_EQ((int)Compare(m, setup, &failed), 0) << type << " " << bs << ": " << amount << " at " << at;
            ++(failed ? reported : shifted);
          });
        }
  EXPECT_GT(shifted, 0);
  EXPECT_GT(reported, 0);
}

TEST(FactorizationOfBlocks, ErrorsAtSingularBlocksArePetscs)
{
  BlockMatrix m;
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
    for (PetscInt bs : {2, 3, 5, 8}) {
      m.type = type;
      m.bs = bs;
      m.coupling = 0;
      m.diagonal = [&](PetscInt block, PetscInt r, PetscInt c) -> PetscScalar {
        return r == c && !(block > 4 && r == bs - 1) ? 2 : 0;
      };
      ForSetups(m, [&](FactorSetup const& setup) {
        Mat A;
        ASSERT_EQ((int)Build(m, &A), 0);
        ASSERT_EQ((int)MatSetErrorIfFailure(A, PETSC_TRUE), 0);
        {
          HostDevicePair pair;
          ASSERT_EQ((int)pair.Symbolic(A, setup), 0);
          CaughtError const host = Catch([&] { return pair.host.Numeric(A); });
          CaughtError const device = Catch([&] { return pair.device.Numeric(A); });
          EXPECT_EQ((int)host.code, (int)device.code);
          EXPECT_EQ(host.message, device.message);
          EXPECT_NE((int)device.code, 0);
        }
        ASSERT_EQ((int)MatDestroy(&A), 0);
      });
    }
}

/// Checks that blocks of 1 are factored like entries.
TEST(FactorizationOfBlocks, BlocksOfOneArePetscsToTheBit)
{
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
        ForSetups(m, [&](FactorSetup setup) {
          setup.factoring.shift = shift;
          setup.factoring.shift_amount = 0.02;
          // for these PETSc searches for a shift without end: docs/dev/petsc_faults.md
          if (setup.factoring.symmetric() && !definite && !IsSbaij(m) && shift == MAT_SHIFT_POSITIVE_DEFINITE) return;
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
TEST(FactorizationOfBlocks, ShiftsOfBlocksOfOneEnd)
{
  BlockMatrix m;
  m.bs = 1;
  m.diagonal = [](PetscInt block, PetscInt, PetscInt) -> PetscScalar { return block == 6 ? -1 : 3; };
  Mat A;
  PrefixedFactor device;
  FactorSetup setup;
  Verdict verdict;
  setup.factoring.ftype = MAT_FACTOR_ICC;
  setup.factoring.shift = MAT_SHIFT_POSITIVE_DEFINITE;
  ASSERT_EQ((int)Build(m, &A), 0);
  ASSERT_EQ((int)device.Make(A, "levelset", "device_", MAT_FACTOR_ICC), 0);
  ASSERT_EQ((int)device.Symbolic(A, setup), 0);
  ASSERT_EQ((int)device.Numeric(A), 0);
  ASSERT_EQ((int)GetVerdict(device.mat(), &verdict), 0);
  EXPECT_EQ(verdict.error, MAT_FACTOR_NUMERIC_ZEROPIVOT);
  EXPECT_EQ(verdict.row, 6);
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

PetscErrorCode Repeat(BlockMatrix const& m, FactorSetup const& setup)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(Build(m, &A));
  {
    HostDevicePair pair;
    PetscCall(pair.Symbolic(A, setup));
    for (int round = 0; round < 100; ++round) {
      PetscCall(MatScale(A, round % 2 ? 0.5 : 2.5));
      PetscCall(MatShift(A, 0.1 * (round % 7)));
      PetscCall(pair.Numeric(A));
      PetscCall(ExpectSame("round " + std::to_string(round), pair.host.mat(), pair.device.mat()));
    }
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
TEST(FactorizationOfBlocks, NewValuesAHundredTimes)
{
  BlockMatrix m;
  m.diagonal = Dominant;
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
    for (PetscInt bs : {1, 3, 4}) {
      m.type = type;
      m.bs = bs;
      ForSetups(m, [&](FactorSetup const& setup) {
        if (setup.factoring.levels != 1) return;
        EXPECT_EQ((int)Repeat(m, setup), 0);
      });
    }
}

/// Checks that a factor object may be factored on the host and on the device in turn.
TEST(FactorizationOfBlocks, FactorChoiceMayChange)
{
  BlockMatrix m;
  m.bs = 3;
  m.diagonal = Dominant;
  Mat A;
  ASSERT_EQ((int)Build(m, &A), 0);
  for (MatFactorType ftype : {MAT_FACTOR_ILU, MAT_FACTOR_ICC}) {
    PrefixedFactor own, both;
    FactorSetup setup;
    setup.factoring.ftype = ftype;
    ASSERT_EQ((int)own.Make(A, MATSOLVERPETSC, NULL, ftype), 0);
    ASSERT_EQ((int)own.Symbolic(A, setup), 0);
    ASSERT_EQ((int)own.Numeric(A), 0);
    ASSERT_EQ((int)both.Make(A, "levelset", "device_", ftype), 0);
    for (char const* prefix : {"host_", "device_", "host_"}) {
      ASSERT_EQ((int)MatSetOptionsPrefix(both.mat(), prefix), 0);
      ASSERT_EQ((int)both.Symbolic(A, setup), 0);
      ASSERT_EQ((int)both.Numeric(A), 0);
      EXPECT_EQ((int)ExpectSame(prefix, own.mat(), both.mat()), 0);
    }
  }
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

}  // namespace
}  // namespace petsc_test
