// SPDX-License-Identifier: Apache-2.0
// Tests the backend's factors: changes between phases, thresholds, zero pivots, NaN, and refusals.
#include <petscksp.h>

#include <cmath>
#include <limits>

#include "host_device_pair.hpp"
#include "sptrsv_support/generators.hpp"

namespace petsc_test {
namespace {

Factoring SetupOf(MatFactorType ftype, MatFactorShiftType shift = MAT_SHIFT_NONE, PetscReal amount = 0) {
  Factoring setup;
  setup.ftype = ftype;
  setup.shift = shift;
  setup.shift_amount = amount;
  setup.zero_pivot = 2.2e-14;
  return setup;
}

PetscErrorCode Generate(char const* spec, Mat* A) {
  return BuildMatrix(sptrsv::support::generate(spec), Diagonal::kept, MATSEQAIJ, false, A);
}

PetscErrorCode Diagonals(std::vector<PetscScalar> const& diagonal, Mat* A) {
  std::vector<PetscInt> row_ptr{0}, col_idx;
  for (PetscInt i = 0; i < (PetscInt)diagonal.size(); ++i) {
    col_idx.push_back(i);
    row_ptr.push_back(i + 1);
  }
  return BuildCsr(row_ptr, col_idx, diagonal, A);
}

/// Makes [2 1 0; 1 d 1; 0 1 2].
PetscErrorCode Three(PetscScalar d, Mat* A) {
  return BuildCsr({0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {2, 1, 1, d, 1, 1, 2}, A);
}

MatFactorType const kinds[] = {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC};

/// Factors on both sides; where PETSc would not return, the device must report so.
PetscErrorCode Both(Mat A, Factoring const& setup, bool endless = false) {
  HostDevicePair pair;
  PivotStatus pivot_status;
  PetscCall(pair.Symbolic(A, setup));
  PetscCall(pair.device.Numeric(A));
  PetscCall(GetPivotStatus(pair.device.mat(), &pivot_status));
  if (endless) {
    EXPECT_EQ((int)pivot_status.error, (int)MAT_FACTOR_NUMERIC_ZEROPIVOT);
  } else {
    PetscCall(pair.host.Numeric(A));
    PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
  }
  return PETSC_SUCCESS;
}

PetscErrorCode Thresholds() {
  PetscReal const zero = 1e-3, eps = PETSC_MACHINE_EPSILON;
  for (MatFactorType ftype : kinds)
    for (MatFactorShiftType shift :
         {MAT_SHIFT_NONE, MAT_SHIFT_NONZERO, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_INBLOCKS})
      for (PetscReal sign : {1., -1.})
        for (PetscReal scale : {1., 1.5})  // rs of the rows before and after
          for (PetscReal pivot : {zero * scale, zero * scale * (1 + eps), zero * scale * (1 - eps), (PetscReal)0}) {
            Mat A;
            Factoring setup = SetupOf(ftype, shift, 0.125);
            setup.zero_pivot = zero;
            SCOPED_TRACE(std::string(MatFactorTypes[ftype]) + " " + MatFactorShiftTypes[shift] + " " +
                         std::to_string(sign * pivot));
            PetscCall(Three((PetscReal)0.5 + sign * pivot, &A));
            PetscCall(Both(A, setup));
            PetscCall(MatDestroy(&A));
            PetscCall(Diagonals({1, sign * pivot, 2}, &A));
            PetscCall(Both(A, setup, false));
            PetscCall(MatDestroy(&A));
          }
  return PETSC_SUCCESS;
}
TEST(FactorizationEdges, PivotsAtTheThreshold) { EXPECT_EQ((int)Thresholds(), 0); }

PetscErrorCode Strange() {
  PetscReal const nan = std::numeric_limits<PetscReal>::quiet_NaN(), inf = std::numeric_limits<PetscReal>::infinity();
  for (MatFactorType ftype : kinds)
    for (MatFactorShiftType shift :
         {MAT_SHIFT_NONE, MAT_SHIFT_NONZERO, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_INBLOCKS})
      for (PetscReal value : {nan, inf, -inf, (PetscReal)-0., (PetscReal)5e-324, (PetscReal)1e308})
        for (PetscInt where : {0, 40, 41, 99}) {
          Mat A;
          HostDevicePair pair;
          PivotStatus pivot_status;
          SCOPED_TRACE(std::string(MatFactorTypes[ftype]) + " " + MatFactorShiftTypes[shift] + " " +
                       std::to_string(value) + " at " + std::to_string(where));
          PetscCall(Generate("lap2d:10", &A));
          PetscCall(MatSetValue(A, where, where, value, INSERT_VALUES));
          PetscCall(Assemble(A));
          PetscCall(pair.Symbolic(A, SetupOf(ftype, shift, 1e-3)));
          PetscCall(pair.device.Numeric(A));
          PetscCall(GetPivotStatus(pair.device.mat(), &pivot_status));
          if (!pivot_status.error || shift == MAT_SHIFT_NONE) {
            PetscCall(pair.host.Numeric(A));
            PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
          }
          PetscCall(MatDestroy(&A));
        }
  return PETSC_SUCCESS;
}
TEST(FactorizationEdges, NanAndInfinity) { EXPECT_EQ((int)Strange(), 0); }

PetscErrorCode Endless() {
  Mat A;
  for (MatFactorType ftype : kinds) {
    PetscCall(Diagonals({1, 0, 2}, &A));
    Factoring setup = SetupOf(ftype, MAT_SHIFT_NONZERO, 0);
    PetscCall(Both(A, setup, true));  // doubles an amount of 0
    setup.zero_pivot = 0;             // 1.1 times 0
    setup.shift = MAT_SHIFT_POSITIVE_DEFINITE;
    PetscCall(Both(A, setup, true));
    PetscCall(MatSetErrorIfFailure(A, PETSC_TRUE));
    Factor f;
    PetscCall(f.Make(A, "levelset", "device_", ftype));
    PetscCall(f.Symbolic(A, setup));
    CaughtError const caught = Catch([&] { return f.Numeric(A); });
    EXPECT_EQ((int)caught.code, (int)PETSC_ERR_MAT_LU_ZRPVT);
    EXPECT_NE(caught.message.find("row 1"), std::string::npos) << caught.message;
    PetscCall(MatDestroy(&A));
  }
  return PETSC_SUCCESS;
}
TEST(FactorizationEdges, WherePetscWouldNotReturn) { EXPECT_EQ((int)Endless(), 0); }

#if !defined(PETSC_USE_COMPLEX)  // complex products overflow differently
/// Checks [1 0 0; 0 1 0; huge huge last]: the sum of the last row's entries is infinite, so that any pivot is too
/// small.
PetscErrorCode Overflowing() {
  PetscReal const huge = std::numeric_limits<PetscReal>::max() / 2 * (PetscReal)1.1;
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU})
    for (PetscReal last : {(PetscReal)1, std::sqrt(huge), huge}) {
      Mat A;
      PetscCall(BuildCsr({0, 1, 2, 5}, {0, 1, 0, 1, 2}, {1, 1, huge, huge, last}, &A));
      PetscCall(Both(A, SetupOf(ftype, MAT_SHIFT_NONZERO, .1)));
      PetscCall(Both(A, SetupOf(ftype)));
      PetscCall(MatDestroy(&A));
    }
  return PETSC_SUCCESS;
}
TEST(FactorizationEdges, SumsOfARowOverflow) { EXPECT_EQ((int)Overflowing(), 0); }
#endif

PetscErrorCode FirstAndLastZero() {
  Mat A;
  for (MatFactorType ftype : kinds) {
    Factor f, strict;
    PivotStatus v;
    PetscCall(Diagonals({1, 0, 2, 3, 1e-15, 5}, &A));
    PetscCall(f.Make(A, "levelset", "device_", ftype));
    PetscCall(f.Symbolic(A, SetupOf(ftype)));
    PetscCall(f.Numeric(A));
    PetscCall(GetPivotStatus(f.mat(), &v));
    EXPECT_EQ((int)v.error, (int)MAT_FACTOR_NUMERIC_ZEROPIVOT);
    EXPECT_EQ(v.row, 4);
    EXPECT_EQ(v.value, (PetscReal)1e-15);
    PetscCall(MatSetErrorIfFailure(A, PETSC_TRUE));
    PetscCall(strict.Make(A, "levelset", "device_", ftype));
    PetscCall(strict.Symbolic(A, SetupOf(ftype)));
    CaughtError caught = Catch([&] { return strict.Numeric(A); });
    EXPECT_EQ((int)caught.code, (int)PETSC_ERR_MAT_LU_ZRPVT);
    EXPECT_NE(caught.message.find("row 1 "), std::string::npos) << caught.message;
    PetscCall(MatDestroy(&A));
    PetscCall(Diagonals({1, 1, 2, 3, 4, 5}, &A));  // the factor is used again
    PetscCall(strict.Symbolic(A, SetupOf(ftype)));
    PetscCall(strict.Numeric(A));
    PetscCall(GetPivotStatus(strict.mat(), &v));
    EXPECT_EQ((int)v.error, (int)MAT_FACTOR_NOERROR);
    PetscCall(MatDestroy(&A));
  }
  return PETSC_SUCCESS;
}
TEST(FactorizationEdges, ZeroPivotsAreNamed) { EXPECT_EQ((int)FirstAndLastZero(), 0); }

/// Checks entries that are added after the symbolic phase; PETSc's LU drops them.
PetscErrorCode PatternGrows(MatFactorType ftype) {
  Mat A, B;
  HostDevicePair pair;
  PetscCall(Generate("lap2d:9", &A));
  PetscCall(pair.Symbolic(A, SetupOf(ftype)));
  PetscCall(pair.Numeric(A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetValue(A, 3, 40, 0.5, INSERT_VALUES));
  PetscCall(MatSetValue(A, 40, 3, 0.25, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(pair.Numeric(A));
  PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
  PetscCall(Generate("lap2d:9", &B));  // another matrix with the first pattern
  PetscCall(ChangeValues(B, 5));
  PetscCall(MatDestroy(&A));
  PetscCall(pair.Numeric(B));
  PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
  PetscCall(MatDestroy(&B));
  PetscCall(Generate("lap2d:9,nonsym", &B));
  PetscCall(pair.Numeric(B));
  PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
  return MatDestroy(&B);
}
TEST(FactorizationEdges, PatternsAndMatricesChange) {
  EXPECT_EQ((int)PatternGrows(MAT_FACTOR_LU), 0);
  EXPECT_EQ((int)PatternGrows(MAT_FACTOR_ILU), 0);
}

PetscErrorCode SameInfo(Mat host, Mat device) {
  MatInfo h, d;
  PetscCall(MatGetInfo(host, MAT_LOCAL, &h));
  PetscCall(MatGetInfo(device, MAT_LOCAL, &d));
  EXPECT_EQ(h.nz_used, d.nz_used);
  EXPECT_EQ(h.nz_allocated, d.nz_allocated);
  EXPECT_EQ(h.mallocs, d.mallocs);
  EXPECT_EQ(h.assemblies, d.assemblies);
  EXPECT_EQ(h.memory, d.memory);
  EXPECT_EQ(h.fill_ratio_given, d.fill_ratio_given);
  EXPECT_EQ(h.fill_ratio_needed, d.fill_ratio_needed);
  return PETSC_SUCCESS;
}

PetscErrorCode Phases() {
  Mat A;
  PetscCall(Generate("lap2d:9", &A));
  for (MatFactorType ftype : kinds) {
    HostDevicePair pair;
    Factor early;
    PetscCall(early.Make(A, "levelset", "device_", ftype));
    EXPECT_NE((int)Catch([&] { return early.Numeric(A); }).code, 0);
    PetscCall(pair.Symbolic(A, SetupOf(ftype)));
    PetscCall(pair.device.Symbolic(A, SetupOf(ftype)));
    PetscCall(pair.device.Symbolic(A, SetupOf(ftype)));
    PetscCall(pair.Numeric(A));
    PetscCall(pair.Numeric(A));
    PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
    PetscCall(SameInfo(pair.host.mat(), pair.device.mat()));
    for (char const* prefix : {"host_", "device_", "host_"}) {  // another memory space for the same factor
      PetscCall(MatSetOptionsPrefix(pair.device.mat(), prefix));
      PetscCall(pair.device.Symbolic(A, SetupOf(ftype)));
      PetscCall(pair.device.Numeric(A));
      PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
    }
  }
  return MatDestroy(&A);
}
TEST(FactorizationEdges, PhasesInAnyOrder) { EXPECT_EQ((int)Phases(), 0); }

/// Checks levels: PETSc reads them as whole numbers, and the backend finds fill up to level 16.
PetscErrorCode Levels(char const* spec) {
  Mat A;
  PetscCall(Generate(spec, &A));
  for (MatFactorType ftype : {MAT_FACTOR_ILU, MAT_FACTOR_ICC})
    for (PetscReal levels : {0.5, 1., 1.5, 2.999, 5., 16., 16.9, 17., 40.})
      for (char const* ordering : {MATORDERINGNATURAL, MATORDERINGRCM}) {
        HostDevicePair pair;
        Factoring setup = SetupOf(ftype);
        SCOPED_TRACE(std::string(MatFactorTypes[ftype]) + " " + std::to_string(levels) + " " + ordering);
        setup.part_of_level = levels;
        setup.ordering = ordering;
        PetscCall(pair.Symbolic(A, setup));
        PetscCall(SameInfo(pair.host.mat(), pair.device.mat()));
        PetscCall(pair.Numeric(A));
        PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
        PetscCall(SameInfo(pair.host.mat(), pair.device.mat()));
        setup.levels = 1;  // the same factors again, with another pattern
        PetscCall(pair.device.Symbolic(A, setup));
        PetscCall(pair.host.Symbolic(A, setup));
        PetscCall(pair.Numeric(A));
        PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
        if (ftype == MAT_FACTOR_ICC) continue;
        setup.diagonal_fill = 1;  // PETSc's own symbolic phase
        PetscCall(pair.Symbolic(A, setup));
        PetscCall(pair.Numeric(A));
        PetscCall(ExpectSame(pair.host.mat(), pair.device.mat()));
      }
  return MatDestroy(&A);
}
TEST(FactorizationEdges, LevelsAreReadAsPetscReadsThem) {
  for (char const* spec : {"lap2d:9", "lap3d:4,nonsym", "diagonal:5"}) EXPECT_EQ((int)Levels(spec), 0);
}

/// Checks columns that are permuted for a nonzero diagonal in natural order: the pattern of PETSc's ILU(0) is then
/// wrong (docs/dev/petsc_faults.md), and the plugin's must be the same.
PetscErrorCode ExpectSameReordered(PetscInt levels) {
  Mat A;
  PC pc[2];
  Vec b, x[2];
  PetscBool same;
  SCOPED_TRACE(levels);
  PetscCall(Generate("lap2d:12", &A));
  for (PetscInt i = 1; i < 144; i += 5) PetscCall(MatSetValue(A, i, i, 0, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(MatCreateVecs(A, &b, &x[0]));
  PetscCall(VecDuplicate(b, &x[1]));
  PetscCall(FillVec(b, 3));
  for (int k : {0, 1}) {
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc[k]));
    PetscCall(PCSetOptionsPrefix(pc[k], k ? "device_" : "host_"));
    PetscCall(PCSetType(pc[k], PCILU));
    PetscCall(PCFactorSetMatSolverType(pc[k], "levelset"));
    PetscCall(PCFactorSetLevels(pc[k], levels));
    PetscCall(PCFactorReorderForNonzeroDiagonal(pc[k], 1e-10));
    PetscCall(PCSetOperators(pc[k], A, A));
    PetscCall(PCApply(pc[k], b, x[k]));
    PetscCall(PCDestroy(&pc[k]));
  }
  PetscCall(VecEqual(x[0], x[1], &same));
  EXPECT_TRUE(same);
  return DestroyAll(&b, &x[0], &x[1], &A);
}

TEST(FactorizationEdges, NonzerosAlongTheDiagonalInNaturalOrder) {
  for (PetscInt levels : {0, 1, 2}) EXPECT_EQ((int)ExpectSameReordered(levels), 0);
}

PetscErrorCode Small() {
  for (PetscInt n : {0, 1})
    for (MatFactorType ftype : kinds)
      for (MatFactorShiftType shift :
           {MAT_SHIFT_NONE, MAT_SHIFT_NONZERO, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_INBLOCKS}) {
        Mat A;
        SCOPED_TRACE(std::to_string(n) + MatFactorTypes[ftype] + MatFactorShiftTypes[shift]);
        PetscCall(Diagonals(std::vector<PetscScalar>((size_t)n, 3), &A));
        PetscCall(Both(A, SetupOf(ftype, shift, 1e-3)));
        PetscCall(MatDestroy(&A));
      }
  return PETSC_SUCCESS;
}
TEST(FactorizationEdges, NoRowAndOneRow) { EXPECT_EQ((int)Small(), 0); }

PetscErrorCode Refusals() {
  Mat A;
  PetscCall(BuildCsr({0, 2, 3, 5}, {0, 1, 0, 1, 2}, {2, 1, 1, 1, 4}, &A));  // row 1 has no diagonal entry
  for (char const* prefix : {"host_", "device_"}) {
    Factor f;
    PetscCall(f.Make(A, "levelset", prefix, MAT_FACTOR_ILU));
    CaughtError const caught = Catch([&] { return f.Symbolic(A, SetupOf(MAT_FACTOR_ILU)); });
    EXPECT_NE((int)caught.code, 0) << prefix;
    EXPECT_NE(caught.message.find("iagonal"), std::string::npos) << caught.message;
    Factoring filled = SetupOf(MAT_FACTOR_ILU);
    filled.levels = 1;
    CaughtError const again = Catch([&] { return f.Symbolic(A, filled); });
    EXPECT_EQ((int)again.code, (int)caught.code) << prefix << again.message;
  }
  return MatDestroy(&A);
}
TEST(FactorizationEdges, RefusalsSayWhatToDo) { EXPECT_EQ((int)Refusals(), 0); }

}  // namespace
}  // namespace petsc_test
