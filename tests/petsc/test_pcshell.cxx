// SPDX-License-Identifier: Apache-2.0
// Tests a PC of type shell with the program's own triangles: answers row by row, changes, views, events.
#include <cmath>

#include "shell_pair.hpp"
#include "sptrsv_petsc.h"

namespace petsc_test {
namespace {

// Tolerance relative to the scale. Both sides solve by substitution, in different orders, so they differ by rounding
// only. Higham, Accuracy and Stability, theorem 8.9: substitution with T errs by at most c u M(T)^-1 |b| in each row,
// with M(T) the comparison matrix; two substitutions err by c u M(U)^-1 M(L)^-1 |b|, which is the scale. For sparse
// triangles of at most 75 rows of at most 15 entries c < 2 * 2 * 75 * 17 = 5100. A missed entry is about 1e-2 of the
// scale.
constexpr PetscReal tolerance = 5100 * PETSC_MACHINE_EPSILON;

struct Case {
  Variant variant;
  Given lower, upper;
  PetscInt dof;
};

using Apply = PetscErrorCode (*)(PC, Vec, Vec);
struct Way {
  char const* name;
  Which which;
  Apply apply;
};
Way const ways[] = {{"PCApply", Which::both, PCApply},
                    {"PCApplyTranspose", Which::both_transposed, PCApplyTranspose},
                    {"PCApplySymmetricLeft", Which::left, PCApplySymmetricLeft},
                    {"PCApplySymmetricRight", Which::right, PCApplySymmetricRight}};

PetscErrorCode CheckVectors(Shell const& shell, std::string const& when)
{
  Vec b, x, expected, scale;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(shell.A, &x, &b));
  PetscCall(VecDuplicate(x, &expected));
  PetscCall(VecDuplicate(x, &scale));
  PetscCall(FillVec(b, 3));
  for (Way const& way : ways) {
    PetscCall(VecSet(x, NAN));  // x is output only
    PetscCall(Expected(shell, way.which, b, expected, scale));
    PetscCall(way.apply(shell.pc, b, x));
    PetscCall(ExpectRows(std::string(way.name) + " " + when, expected, x, scale, tolerance));
  }
  for (Vec* v : {&b, &x, &expected, &scale}) PetscCall(VecDestroy(v));
  PetscFunctionReturn((PetscErrorCode)0);
}

using MatApply = PetscErrorCode (*)(PC, Mat, Mat);

PetscErrorCode CheckColumns(Shell const& shell, PetscInt columns, PetscInt padding, MatApply apply = PCMatApply,
                            Which which = Which::both)
{
  std::string const what = "PCMatApply of " + std::to_string(columns) + " columns, padding " + std::to_string(padding);
  Mat B, X;
  Vec v, b, expected, scale;

  PetscFunctionBegin;
  PetscCall(MakeDense(shell.n, columns, shell.n + padding, &B));
  PetscCall(MakeDense(shell.n, columns, shell.n + 2 * padding, &X));
  PetscCall(MatCreateVecs(shell.A, &expected, &b));
  PetscCall(VecDuplicate(expected, &scale));
  for (PetscInt c = 0; c < columns; ++c) {
    PetscCall(MatDenseGetColumnVecWrite(B, c, &v));
    PetscCall(FillVec(v, 10 + (unsigned)c));
    PetscCall(MatDenseRestoreColumnVecWrite(B, c, &v));
  }
  PetscCall(apply(shell.pc, B, X));
  for (PetscInt c = 0; c < columns; ++c) {
    PetscCall(FillVec(b, 10 + (unsigned)c));
    PetscCall(Expected(shell, which, b, expected, scale));
    PetscCall(MatDenseGetColumnVecRead(X, c, &v));
    PetscCall(ExpectRows(what + ", column " + std::to_string(c), expected, v, scale, tolerance));
    PetscCall(MatDenseRestoreColumnVecRead(X, c, &v));
  }
  for (Vec* w : {&b, &expected, &scale}) PetscCall(VecDestroy(w));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn((PetscErrorCode)0);
}

/// Checks new numbers in the triangles, then another entry in each: both are detected without a call of PCSetUp().
PetscErrorCode CheckChanges(Shell& shell, Grid grid)
{
  PetscFunctionBegin;
  grid.seed = 2;
  if (shell.L) PetscCall(SetTriangleValues(grid, true, shell.given_L, shell.L));
  if (shell.U) PetscCall(SetTriangleValues(grid, false, shell.given_U, shell.U));
  PetscCall(CheckVectors(shell, "with new values"));
  EXPECT_EQ(Phases(shell.pc), "1 2 11");
  if (shell.L) PetscCall(MatSetValue(shell.L, shell.n - 1, 0, 0.3, INSERT_VALUES));
  if (shell.U) PetscCall(MatSetValue(shell.U, 1, shell.n - 1, 0.4, INSERT_VALUES));
  for (Mat T : {shell.L, shell.U}) {
    if (!T) continue;
    PetscCall(MatAssemblyBegin(T, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(T, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(CheckVectors(shell, "with a new pattern"));
  EXPECT_EQ(Phases(shell.pc), "2 3 15");
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode RunCase(Case const& c)
{
  char type[32] = MATSEQAIJ;  // type of the operator, which determines where the solves run
  Grid grid;
  Shell shell;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-operator_type", type, sizeof type, NULL));
  grid.type = type;
  grid.dof = c.dof;
  grid.side = c.dof > 1 ? 5 : 8;
  PetscCall(shell.Create(grid, c.lower, c.upper));
  PetscCall(shell.Attach(c.variant.type, c.variant.prefix));
  PetscCall(CheckVectors(shell, "at first"));
  PetscCall(CheckColumns(shell, 1, 0));
  PetscCall(CheckColumns(shell, 3, 5));
  PetscCall(CheckColumns(shell, 5, 0));
  EXPECT_EQ(Phases(shell.pc), "1 1 7");
  PetscCall(CheckChanges(shell, grid));
  PetscCall(shell.Destroy());
  PetscFunctionReturn((PetscErrorCode)0);
}

std::vector<Case> AllCases()
{
  std::vector<Case> all;
  for (Variant const& variant : all_variants())
    for (Given lower : {Given::stored, Given::unit_stored, Given::unit_absent, Given::no_matrix})
      for (Given upper : {Given::stored, Given::unit_stored, Given::unit_absent, Given::no_matrix})
        for (PetscInt dof : {1, 3})
          if (lower != Given::no_matrix || upper != Given::no_matrix) all.push_back({variant, lower, upper, dof});
  return all;
}

std::string CaseName(testing::TestParamInfo<Case> const& info)
{
  Case const& c = info.param;
  return std::string(c.variant.label) + "_L_" + given_names[(int)c.lower] + "_U_" + given_names[(int)c.upper] + "_dof" +
         std::to_string(c.dof);
}

class PCShellSolves : public testing::TestWithParam<Case> {};
TEST_P(PCShellSolves, AgreeWithSubstitutionRowByRow) { EXPECT_EQ((int)RunCase(GetParam()), 0); }
INSTANTIATE_TEST_SUITE_P(All, PCShellSolves, testing::ValuesIn(AllCases()), CaseName);

/// Computes ILU(0) of shell.A, row by row, into shell.L and shell.U.
PetscErrorCode FactorIncompletely(Shell& shell)
{
  std::size_t const n = (std::size_t)shell.n;
  std::vector<PetscScalar> dense(n * n, 0);
  auto const a = [&](PetscInt i, PetscInt j) -> PetscScalar& { return dense[(std::size_t)i * n + (std::size_t)j]; };

  PetscFunctionBegin;
  for (PetscInt i = 0; i < shell.n; ++i)
    for (PetscInt j = 0; j < shell.n; ++j) PetscCall(MatGetValue(shell.A, i, j, &a(i, j)));
  for (PetscInt i = 0; i < shell.n; ++i)
    for (PetscInt k = 0; k < i; ++k) {
      if (a(i, k) == PetscScalar(0)) continue;
      a(i, k) /= a(k, k);
      for (PetscInt j = k + 1; j < shell.n; ++j)
        if (a(i, j) != PetscScalar(0)) a(i, j) -= a(i, k) * a(k, j);
    }
  for (bool lower : {true, false}) {
    Mat& T = lower ? shell.L : shell.U;
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, shell.n, shell.n, 5, NULL, &T));
    for (PetscInt i = 0; i < shell.n; ++i)
      for (PetscInt j = lower ? 0 : i; j < (lower ? i : shell.n); ++j)
        if (a(i, j) != PetscScalar(0)) PetscCall(MatSetValue(T, i, j, a(i, j), INSERT_VALUES));
    PetscCall(MatAssemblyBegin(T, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(T, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode RunIlu()
{
  Shell shell;
  Factor own;
  Factoring setup;
  Vec b, x, expected, scale;

  PetscFunctionBegin;
  setup.ftype = MAT_FACTOR_ILU;
  PetscCall(shell.Create(Grid{}, Given::no_matrix, Given::no_matrix));
  PetscCall(FactorIncompletely(shell));
  shell.given_L = Given::unit_absent;
  shell.given_U = Given::stored;
  PetscCall(shell.Attach("levelset", NULL));
  PetscCall(own.Symbolic(shell.A, MATSOLVERPETSC, NULL, setup));
  PetscCall(own.Numeric(shell.A));
  PetscCall(MatCreateVecs(shell.A, &x, &b));
  PetscCall(VecDuplicate(x, &expected));
  PetscCall(VecDuplicate(x, &scale));
  PetscCall(FillVec(b, 8));
  for (bool transposed : {false, true}) {
    PetscCall(Expected(shell, transposed ? Which::both_transposed : Which::both, b, expected, scale));
    PetscCall((transposed ? MatSolveTranspose : MatSolve)(own.mat(), b, expected));
    PetscCall((transposed ? PCApplyTranspose : PCApply)(shell.pc, b, x));
    PetscCall(ExpectRows(transposed ? "MatSolveTranspose" : "MatSolve", expected, x, scale, tolerance));
  }
  for (Vec* v : {&b, &x, &expected, &scale}) PetscCall(VecDestroy(v));
  PetscCall(shell.Destroy());
  PetscFunctionReturn((PetscErrorCode)0);
}

TEST(PCShell, AgreesWithMatSolve) { EXPECT_EQ((int)RunIlu(), 0); }

#if PETSC_VERSION_GE(3, 24, 0)
TEST(PCShell, SeveralTransposedRightHandSidesAtOnce)
{
  Shell shell;
  ASSERT_EQ((int)shell.Create(Grid{}, Given::unit_absent, Given::stored), 0);
  ASSERT_EQ((int)shell.Attach("syncfree", NULL), 0);
  EXPECT_EQ((int)CheckColumns(shell, 5, 3, PCMatApplyTranspose, Which::both_transposed), 0);
  EXPECT_EQ(Phases(shell.pc), "1 1 1");
  EXPECT_EQ((int)shell.Destroy(), 0);
}
#endif

TEST(PCShell, NoRowsAndOneRow)
{
  for (PetscInt side : {0, 1})
    for (Variant const& variant : all_variants())
      for (Given given : {Given::stored, Given::unit_stored, Given::unit_absent}) {
        Grid grid;
        Shell shell;
        grid.side = side;
        ASSERT_EQ((int)shell.Create(grid, given, given), 0);
        ASSERT_EQ((int)shell.Attach(variant.type, variant.prefix), 0);
        EXPECT_EQ((int)CheckVectors(shell, variant.label), 0);
        EXPECT_EQ((int)shell.Destroy(), 0);
      }
}

TEST(PCShell, InsidesReplacedByPetscAreANewPattern)
{
  Grid grid;
  Shell shell;
  Mat other;
  ASSERT_EQ((int)shell.Create(grid, Given::stored, Given::unit_absent), 0);
  ASSERT_EQ((int)shell.Attach("levelset", NULL), 0);
  EXPECT_EQ((int)CheckVectors(shell, "at first"), 0);
  ASSERT_EQ((int)MatCreateSeqAIJ(PETSC_COMM_SELF, shell.n, shell.n, 1, NULL, &other), 0);
  ASSERT_EQ((int)MatSetValue(other, shell.n - 1, 1, 0.25, INSERT_VALUES), 0);
  ASSERT_EQ((int)MatAssemblyBegin(other, MAT_FINAL_ASSEMBLY), 0);
  ASSERT_EQ((int)MatAssemblyEnd(other, MAT_FINAL_ASSEMBLY), 0);
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ((int)MatAXPY(shell.L, 1, other, DIFFERENT_NONZERO_PATTERN), 0);
    EXPECT_EQ((int)CheckVectors(shell, "after MatAXPY"), 0);
  }
  EXPECT_EQ((int)MatDestroy(&other), 0);
  EXPECT_EQ((int)shell.Destroy(), 0);
}

/// Makes L from the program's own arrays; each row waits for row/2 or for the row before.
PetscErrorCode FromOwnArrays(PetscInt n, bool chain, std::vector<PetscInt>& row_ptr, std::vector<PetscInt>& col_idx,
                             std::vector<PetscScalar>& values, Mat* L)
{
  PetscFunctionBegin;
  row_ptr[0] = 0;
  for (PetscInt row = 0; row < n; ++row) {
    PetscInt at = row_ptr[row];
    if (row) col_idx[at] = chain ? row - 1 : row / 2, values[at++] = 1;
    col_idx[at] = row, values[at++] = 2;
    row_ptr[row + 1] = at;
  }
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, row_ptr.data(), col_idx.data(), values.data(), L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// successive matrices have the same memory and the same count of patterns
TEST(PCShell, PatternsAreComparedNotTheirAddresses)
{
  PetscInt const n = 200;
  std::vector<PetscInt> row_ptr(n + 1), col_idx(2 * n);
  std::vector<PetscScalar> values(2 * n);
  Grid grid;
  Shell shell;
  Mat next;
  grid.side = 1;
  ASSERT_EQ((int)shell.Create(grid, Given::no_matrix, Given::no_matrix), 0);
  ASSERT_EQ((int)MatDestroy(&shell.A), 0);
  shell.n = n;
  ASSERT_EQ((int)FromOwnArrays(n, false, row_ptr, col_idx, values, &shell.L), 0);
  ASSERT_EQ((int)MatDuplicate(shell.L, MAT_COPY_VALUES, &shell.A), 0);
  for (char const* type : {"sequential", "levelset", "syncfree", "tiled"}) {
    shell.given_L = Given::stored;
    ASSERT_EQ((int)shell.Attach(type, NULL), 0);
    EXPECT_EQ((int)CheckVectors(shell, type), 0);
    for (bool chain : {true, true, false}) {
      for (int twice = 0; twice < 2; ++twice) {
        ASSERT_EQ((int)FromOwnArrays(n, chain, row_ptr, col_idx, values, &next), 0);
        ASSERT_EQ((int)MatHeaderReplace(shell.L, &next), 0);
      }
      EXPECT_EQ((int)CheckVectors(shell, std::string(type) + (chain ? ", chain" : ", tree")), 0);
    }
    // the second chain has the pattern of the first: new values, no new analysis
    EXPECT_EQ(Phases(shell.pc).substr(0, 4), "3 4 ") << type;
  }
  EXPECT_EQ((int)shell.Destroy(), 0);
}

TEST(PCShell, ViewShowsAlgorithmLevelsAndMemory)
{
  Grid grid;
  Shell shell;
  grid.side = 8;
  grid.symmetric = true;  // pattern of the five-point grid: 15 levels, 64 rows, 112 off-diagonal entries
  ASSERT_EQ((int)shell.Create(grid, Given::unit_absent, Given::stored), 0);
  for (char const* type :
       {"sequential", "levelset", "syncfree", "threadlevel", "fused", "tiled", "colorset", "blocked", "sptrsv"}) {
    ASSERT_EQ((int)shell.Attach(type, NULL), 0);
    ASSERT_EQ((int)PCSetUp(shell.pc), 0);
    std::string const text = ViewText(shell.pc),
                      asked = std::string(type) == "sptrsv" ? "[a-z]+ \\([^\n]+" : type + std::string(" \\(asked for");
    EXPECT_TRUE(
        Contains(text, std::string("sptrsv [0-9.]+: type ") + type + ", Kokkos [0-9.]+ [A-Za-z]+ \\([0-9]+ thread"))
        << text;
    for (char const* letter : {"L", "U"}) {
      std::string const levels =
          "\n +15 levels, rows per level 4.3 mean, 1 least, 8 most; 1.8 off-diagonal entries per row\n";
      EXPECT_TRUE(Contains(text, letter + (": " + asked) + "\\)[^\n]*" + levels)) << text;
    }
    EXPECT_TRUE(Contains(text, "[0-9]+\\.[0-9][0-9] MB beyond the matrices; 1 analysis, 1 numeric update, 0 solves"))
        << text;
  }
  EXPECT_EQ((int)shell.Destroy(), 0);
}

TEST(PCShell, OptionsOfThePrefixHold)
{
  Grid grid;
  Shell shell;
  ASSERT_EQ((int)PetscOptionsSetValue(NULL, "-mine_mat_sptrsv_type", "syncfree"), 0);
  ASSERT_EQ((int)PetscOptionsSetValue(NULL, "-mine_mat_sptrsv_syncfree_form", "csc"), 0);
  ASSERT_EQ((int)shell.Create(grid, Given::stored, Given::stored), 0);
  ASSERT_EQ((int)shell.Attach("levelset", "mine_"), 0);
  ASSERT_EQ((int)PCSetUp(shell.pc), 0);
  std::string text = ViewText(shell.pc);
  EXPECT_NE(text.find("type syncfree"), std::string::npos) << text;
  EXPECT_NE(text.find("csc"), std::string::npos) << text;
  ASSERT_EQ((int)shell.Attach("syncfree", "yours_"), 0);
  ASSERT_EQ((int)PCSetUp(shell.pc), 0);
  text = ViewText(shell.pc);
  EXPECT_EQ(text.find("csc"), std::string::npos) << text;
  ASSERT_EQ((int)shell.Attach(NULL, NULL), 0);
  EXPECT_NE(ViewText(shell.pc).find("type sptrsv"), std::string::npos);
  EXPECT_EQ((int)shell.Destroy(), 0);
}

PetscErrorCode GetEvent(char const* name, PetscEventPerfInfo* info)
{
  PetscLogEvent event;

  PetscFunctionBegin;
  PetscCall(PetscLogEventGetId(name, &event));
  PetscCall(PetscLogEventGetPerfInfo(0, event, info));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode RunEvents()
{
  Grid grid;
  Shell shell;
  Vec b, x;
  PetscEventPerfInfo before[3], after[3];
  char const* const names[] = {"SpTRSVAnalysis", "SpTRSVNumeric", "SpTRSVSolve"};

  PetscFunctionBegin;
  PetscCall(PetscLogDefaultBegin());
  grid.side = 8;
  grid.symmetric = true;
  PetscCall(shell.Create(grid, Given::unit_stored, Given::stored));
  PetscCall(shell.Attach("levelset", NULL));
  PetscCall(MatCreateVecs(shell.A, &x, &b));
  for (int e = 0; e < 3; ++e) PetscCall(GetEvent(names[e], &before[e]));
  for (int i = 0; i < 5; ++i) PetscCall(PCApply(shell.pc, b, x));
  PetscCall(MatScale(shell.U, 2));
  PetscCall(PCApplyTranspose(shell.pc, b, x));
  for (int e = 0; e < 3; ++e) PetscCall(GetEvent(names[e], &after[e]));
  EXPECT_EQ(after[0].count - before[0].count, 1);
  EXPECT_EQ(after[1].count - before[1].count, 2);
  EXPECT_EQ(after[2].count - before[2].count, 6);
  // 112 entries off each diagonal, two flops each, and U's 64 divisions; PETSc counts a complex flop as four
  EXPECT_EQ(after[2].flops - before[2].flops, 6 * (2 * 2 * 112 + 64) * (PetscDefined(USE_COMPLEX) ? 4 : 1));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(shell.Destroy());
  PetscFunctionReturn((PetscErrorCode)0);
}

TEST(PCShell, EventsCountPhasesAndFlops) { EXPECT_EQ((int)RunEvents(), 0); }

PetscErrorCode RunSide(PCSide side)
{
  Grid grid;
  Shell shell;
  KSP ksp;
  PC pc;
  Vec b, x;
  PetscReal norm, norm_b;

  PetscFunctionBegin;
  grid.side = 8;
  PetscCall(shell.Create(grid, Given::unit_absent, Given::stored));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(KSPSetPCSide(ksp, side));
  PetscCall(KSPSetTolerances(ksp, PetscSqrtReal(PETSC_MACHINE_EPSILON), PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PetscCall(KSPSetOperators(ksp, shell.A, shell.A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(SpTRSVPCShellSetTrianglesDynamic(pc, shell.L, PETSC_TRUE, shell.U, PETSC_FALSE, "threadlevel"));
  PetscCall(MatCreateVecs(shell.A, &x, &b));
  PetscCall(FillVec(b, 3));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(b, NORM_2, &norm_b));
  PetscCall(VecScale(x, -1));
  PetscCall(MatMultAdd(shell.A, x, b, b));
  PetscCall(VecNorm(b, NORM_2, &norm));
  EXPECT_LE(norm, 100 * PetscSqrtReal(PETSC_MACHINE_EPSILON) * norm_b) << PCSides[side];
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(shell.Destroy());
  PetscFunctionReturn((PetscErrorCode)0);
}

TEST(PCShell, KSPSolvesOnEverySide)
{
  for (PCSide side : {PC_LEFT, PC_RIGHT, PC_SYMMETRIC}) EXPECT_EQ((int)RunSide(side), 0);
}

}  // namespace
}  // namespace petsc_test
