// SPDX-License-Identifier: Apache-2.0
// Tests PETSc's block factors where they differ from factors by entries: pivoting and shifts inside blocks, zero
// pivots, changed patterns. Each is compared with PETSc's own factor of the same matrix.
#include "block_pair.hpp"

namespace petsc_test {
namespace {

/// Returns an entry of a block with zeros on the diagonal that pivoting can invert: 4 on the antidiagonal.
PetscScalar ZeroDiagonal(PetscInt bs, PetscInt r, PetscInt c)
{
  if (bs % 2 && r == bs / 2 && c == bs / 2) return 4;
  return r + c == bs - 1 ? 4 : 0;
}

/// Returns an entry of a symmetric indefinite block, for which ICC shifts.
PetscScalar Indefinite(PetscInt block, PetscInt r, PetscInt c)
{
  if (r != c) return 0.3;
  return (block + r) % 3 == 1 ? -2 : 3;
}

PetscErrorCode Compare(BlockMatrix const& m, Factoring const& setup, char const* type)
{
  Mat A;
  MatFactorError own, ours;
  std::string const what = std::string(type) + ", " + m.type + " " + std::to_string(m.bs) + ", " +
                           MatFactorTypes[setup.ftype] + " " + std::to_string(setup.levels) + ", " + setup.ordering;

  PetscFunctionBegin;
  PetscCall(Build(m, &A));
  {
    Pair pair;
    PetscCall(pair.Symbolic(A, setup, type));
    PetscCall(pair.Numeric(A));
    PetscCall(MatFactorGetError(pair.own.mat(), &own));
    PetscCall(MatFactorGetError(pair.ours.mat(), &ours));
    EXPECT_EQ(own, ours) << what;
    if (!own) PetscCall(ExpectSame(what, pair.own.mat(), pair.ours.mat()));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BlockFactors, PivotInsideBlocksAsPetscDoes)
{
  BlockMatrix m;
  for (PetscInt bs : block_sizes) {
    m.bs = bs;
    m.diagonal = [&](PetscInt, PetscInt r, PetscInt c) { return ZeroDiagonal(bs, r, c); };
    for (char const* type : some_types)
      for (MatOrderingType ordering : {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND}) {
        Factoring setup;
        setup.ordering = ordering;
        ASSERT_EQ((int)Compare(m, setup, type), 0);
        setup.ftype = MAT_FACTOR_ILU;
        for (setup.levels = 0; setup.levels < 3; ++setup.levels) ASSERT_EQ((int)Compare(m, setup, type), 0);
      }
  }
}

TEST(BlockFactors, ShiftAndInvertIndefiniteBlocksAsPetscDoes)
{
  BlockMatrix m;
  m.diagonal = Indefinite;
  for (MatType matrix : {MATSEQBAIJ, MATSEQSBAIJ})
    for (PetscInt bs : block_sizes)
      for (char const* type : some_types)
        for (MatFactorShiftType shift : {MAT_SHIFT_NONE, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_NONZERO}) {
          // for seqbaij with block size 1 PETSc searches for a shift without end: docs/dev/petsc_faults.md
          if (shift == MAT_SHIFT_POSITIVE_DEFINITE && bs == 1 && std::string(matrix) == MATSEQBAIJ) continue;
          m.type = matrix;
          m.bs = bs;
          Factoring setup;
          setup.shift = shift;
          setup.shift_amount = 1e-3;
          setup.ftype = MAT_FACTOR_CHOLESKY;
          ASSERT_EQ((int)Compare(m, setup, type), 0);
          setup.ftype = MAT_FACTOR_ICC;
          for (setup.levels = 0; setup.levels < 3; ++setup.levels) ASSERT_EQ((int)Compare(m, setup, type), 0);
        }
}

TEST(BlockFactors, SingularBlocksAreReportedAsPetscDoes)
{
  BlockMatrix m;
  for (PetscInt bs : block_sizes) {
    m.bs = bs;
    m.coupling = 0;
    m.diagonal = [](PetscInt block, PetscInt r, PetscInt c) { return block == 7 ? 0.0 : r == c ? 2.0 : 0.1; };
    Factoring setup;
    setup.ftype = MAT_FACTOR_ILU;
    Mat A;
    ASSERT_EQ((int)Build(m, &A), 0);
    for (PetscBool fail : {PETSC_FALSE, PETSC_TRUE}) {
      ASSERT_EQ((int)MatSetErrorIfFailure(A, fail), 0);
      Pair pair;
      ASSERT_EQ((int)pair.Symbolic(A, setup, "levelset"), 0);
      CaughtError const own = Catch([&] { return pair.own.Numeric(A); });
      CaughtError const ours = Catch([&] { return pair.ours.Numeric(A); });
      EXPECT_EQ((int)own.code, (int)ours.code) << bs;
      EXPECT_EQ(own.message, ours.message);
      if (fail) {
        EXPECT_NE((int)ours.code, 0) << bs;
      }
      if (own.code) continue;
      MatFactorError own_error, our_error;
      ASSERT_EQ((int)MatFactorGetError(pair.own.mat(), &own_error), 0);
      ASSERT_EQ((int)MatFactorGetError(pair.ours.mat(), &our_error), 0);
      EXPECT_EQ(own_error, our_error);
      EXPECT_EQ(our_error, MAT_FACTOR_NUMERIC_ZEROPIVOT);
    }
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

/// Compares the factors after change(A, m) between the symbolic and the numeric phase.
void ExpectSameAfter(char const* what, std::function<PetscErrorCode(Mat, BlockMatrix const&)> const& change,
                     MatFactorType ftype)
{
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
      ASSERT_EQ((int)ExpectSame(std::string(what) + ", " + std::to_string(bs), pair.own.mat(), pair.ours.mat()), 0);
    }
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

TEST(BlockFactors, FollowChangesOfTheMatrixBetweenPhases)
{
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
          PetscFunctionBegin;
          PetscCall(Build(changed, &other));
          PetscCall(MatHeaderReplace(A, &other));
          PetscFunctionReturn(PETSC_SUCCESS);
        },
        ftype);
  }
}

// PETSc's own factor keeps the pattern of the first matrix: docs/dev/petsc_faults.md
TEST(BlockFactors, SymmetricOnesFollowChangedPatterns)
{
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
      Vec b, x[2];
      ASSERT_EQ((int)MatCreateVecs(A, &x[0], &b), 0);
      ASSERT_EQ((int)VecDuplicate(x[0], &x[1]), 0);
      ASSERT_EQ((int)FillVec(b, 3), 0);
      ASSERT_EQ((int)MatSolve(ours.mat(), b, x[0]), 0);
      ASSERT_EQ((int)MatSolve(own.mat(), b, x[1]), 0);
      ASSERT_EQ((int)VecSet(b, 1), 0);
      EXPECT_EQ((int)ExpectRows(std::string(MatFactorTypes[ftype]) + " " + std::to_string(bs), x[1], x[0], b,
                                block_tolerance),
                0);
      for (Vec* v : {&b, &x[0], &x[1]}) ASSERT_EQ((int)VecDestroy(v), 0);
      ASSERT_EQ((int)MatDestroy(&copy), 0);
      ASSERT_EQ((int)MatDestroy(&A), 0);
    }
}

TEST(BlockFactors, InformationIsThatOfPetscsFactor)
{
  BlockMatrix m;
  m.bs = 3;
  m.diagonal = Dominant;
  Mat A, F;
  MatInfo own_info, our_info;
  PetscInt bs;
  ASSERT_EQ((int)Build(m, &A), 0);
  ASSERT_EQ((int)MatGetFactor(A, "levelset", MAT_FACTOR_ILU, &F), 0);
  EXPECT_EQ((int)MatGetInfo(F, MAT_LOCAL, &our_info), 0) << "before the symbolic phase";
  ASSERT_EQ((int)MatGetBlockSize(F, &bs), 0);
  EXPECT_EQ(bs, 3);
  ASSERT_EQ((int)MatDestroy(&F), 0);
  Factoring setup;
  setup.ftype = MAT_FACTOR_ILU;
  setup.levels = 1;
  {
    Pair pair;
    ASSERT_EQ((int)pair.Symbolic(A, setup, "levelset"), 0);
    ASSERT_EQ((int)pair.Numeric(A), 0);
    ASSERT_EQ((int)MatGetInfo(pair.own.mat(), MAT_LOCAL, &own_info), 0);
    ASSERT_EQ((int)MatGetInfo(pair.ours.mat(), MAT_LOCAL, &our_info), 0);
    EXPECT_EQ(own_info.nz_used, our_info.nz_used);
    EXPECT_EQ(own_info.fill_ratio_needed, our_info.fill_ratio_needed);
    EXPECT_EQ(own_info.block_size, our_info.block_size);
  }
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

PetscErrorCode Iterations(Mat A, char const* type, MatFactorType ftype, MatOrderingType ordering, PetscInt levels,
                          PetscInt* iterations)
{
  KSP ksp;
  PC pc;
  Vec b, x;

  PetscFunctionBegin;
  bool const symmetric = ftype == MAT_FACTOR_ICC;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, symmetric ? KSPCG : KSPGMRES));
  PetscCall(KSPSetTolerances(ksp, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, symmetric ? PCICC : PCILU));
  PetscCall(PCFactorSetMatSolverType(pc, type));
  PetscCall(PCFactorSetMatOrderingType(pc, ordering));
  PetscCall(PCFactorSetLevels(pc, levels));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVec(b, 9));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, iterations));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BlockFactors, IterationsAreThoseOfPetscsOwn)
{
  for (PetscInt bs : block_sizes)
    for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ})
      for (MatFactorType ftype : {MAT_FACTOR_ILU, MAT_FACTOR_ICC})
        for (PetscInt levels : {0, 1, 2})
          for (MatOrderingType ordering : {MATORDERINGNATURAL, MATORDERINGRCM, "color"}) {
            if (ftype == MAT_FACTOR_ILU && std::string(type) == MATSEQSBAIJ) continue;
            if (ftype == MAT_FACTOR_ICC && std::string(ordering) != MATORDERINGNATURAL) continue;
            Grid grid;
            grid.dof = bs;
            grid.side = bs > 5 ? 6 : 9;
            grid.type = type;
            grid.symmetric = ftype == MAT_FACTOR_ICC;
            Mat A;
            PetscInt own, ours;
            ASSERT_EQ((int)BuildGrid(grid, &A), 0);
            // PETSc's ICC hangs if seqbaij with block size 1 needs a shift: docs/dev/petsc_faults.md
            ASSERT_EQ((int)MatShift(A, bs > 1 ? -0.3 : 0), 0);
            ASSERT_EQ((int)Iterations(A, MATSOLVERPETSC, ftype, ordering, levels, &own), 0);
            ASSERT_EQ((int)Iterations(A, "sptrsv", ftype, ordering, levels, &ours), 0);
            EXPECT_EQ(own, ours) << type << " " << bs << " " << MatFactorTypes[ftype] << levels << " " << ordering;
            ASSERT_EQ((int)MatDestroy(&A), 0);
          }
}

}  // namespace
}  // namespace petsc_test
