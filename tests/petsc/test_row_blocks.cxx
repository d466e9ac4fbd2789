// SPDX-License-Identifier: Apache-2.0
// Compares a factor with -mat_sptrsv_blocks with PETSc's bjacobi with the same number of local blocks.
#include <fstream>
#include <iterator>

#include "row_block_cases.hpp"

namespace petsc_test {
namespace {

PetscErrorCode ChangeMatrix(Case const& c, PetscInt side, Mat A)
{
  PetscFunctionBegin;
  PetscCall(SetGridValues({side, c.dof, c.symmetric(), true, 9, c.type}, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes a KSP by options.
/// @param options  pairs of a name without prefix and a value
PetscErrorCode MakeKsp(Mat A, char const* prefix, std::vector<std::pair<std::string, std::string>> const& options,
                       KSP* ksp)
{
  PetscFunctionBegin;
  for (auto const& [name, value] : options)
    PetscCall(PetscOptionsSetValue(NULL, ("-" + std::string(prefix) + name).c_str(), value.c_str()));
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, KSPGMRES));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeBJacobi(Mat A, Case const& c, PetscInt blocks, KSP* ksp)
{
  PetscFunctionBegin;
  PetscCall(MakeKsp(A, "petsc_",
                    {{"pc_type", PCBJACOBI},
                     {"pc_bjacobi_local_blocks", std::to_string(blocks)},
                     {"sub_pc_type", c.pc()},
                     {"sub_pc_factor_levels", std::to_string(c.levels)},
                     {"sub_pc_factor_mat_ordering_type", MATORDERINGNATURAL},
                     {"sub_pc_factor_shift_type", MatFactorShiftTypes[c.shift]},
                     {"sub_pc_factor_mat_solver_type", MATSOLVERPETSC}},
                    ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode MakePluginKsp(Mat A, Case const& c, PetscInt blocks, char const* type, char const* choice, KSP* ksp)
{
  PetscFunctionBegin;
  PetscCall(MakeKsp(A, "plugin_",
                    {{"pc_type", c.pc()},
                     {"pc_factor_levels", std::to_string(c.levels)},
                     {"pc_factor_mat_ordering_type", MATORDERINGNATURAL},
                     {"pc_factor_shift_type", MatFactorShiftTypes[c.shift]},
                     {"pc_factor_mat_solver_type", type},
                     {"mat_sptrsv_factor", choice},
                     {"mat_sptrsv_blocks", std::to_string(blocks)}},
                    ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectSameColumns(std::string const& what, PC const (&pc)[2], PetscInt n)
{
  Mat B, X[2];
  Vec v[2];
  PetscInt const columns = 5;

  PetscFunctionBegin;
  for (Mat* m : {&B, &X[0], &X[1]}) PetscCall(MakeDense(n, columns, n, m));
  for (PetscInt c = 0; c < columns; ++c) {
    PetscCall(MatDenseGetColumnVecWrite(B, c, &v[0]));
    PetscCall(FillPositive(v[0], 30 + (unsigned)c));
    PetscCall(MatDenseRestoreColumnVecWrite(B, c, &v[0]));
  }
  for (int k = 0; k < 2; ++k) PetscCall(PCMatApply(pc[k], B, X[k]));
  for (PetscInt c = 0; c < columns; ++c) {
    for (int k = 0; k < 2; ++k) PetscCall(MatDenseGetColumnVecRead(X[k], c, &v[k]));
    PetscCall(ExpectRows(what + ", column " + std::to_string(c), v[0], v[1], v[0], rounding));
    for (int k = 0; k < 2; ++k) PetscCall(MatDenseRestoreColumnVecRead(X[k], c, &v[k]));
  }
  for (Mat* m : {&B, &X[0], &X[1]}) PetscCall(MatDestroy(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Compares applications row by row, plain, transposed and with several columns, and the iterations of a solve.
PetscErrorCode ExpectSame(std::string const& what, KSP petsc, KSP plugin)
{
  Mat A;
  Vec b, x[2];
  PC pc[2];
  KSP const ksp[2] = {petsc, plugin};
  PetscInt steps[2], n;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(petsc, &A, NULL));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreateVecs(A, &x[0], &b));
  PetscCall(VecDuplicate(x[0], &x[1]));
  PetscCall(FillPositive(b, 3));
  for (int k = 0; k < 2; ++k) {
    PetscCall(KSPSolve(ksp[k], b, x[k]));
    PetscCall(KSPGetIterationNumber(ksp[k], &steps[k]));
    PetscCall(KSPGetPC(ksp[k], &pc[k]));
  }
  EXPECT_EQ(steps[1], steps[0]) << what;
  for (int k = 0; k < 2; ++k) PetscCall(PCApply(pc[k], b, x[k]));
  PetscCall(ExpectRows(what, x[0], x[1], x[0], rounding));
  for (int k = 0; k < 2; ++k) PetscCall(PCApplyTranspose(pc[k], b, x[k]));
  PetscCall(ExpectRows(what + ", transposed", x[0], x[1], x[0], rounding));
  PetscCall(ExpectSameColumns(what, pc, n));
  PetscCall(VecDestroy(&b));
  for (Vec& v : x) PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectView(KSP ksp, std::string const& wanted, std::string const& unwanted)
{
  PetscViewer viewer;
  std::string const name = std::string(testing::TempDir()) + "row_blocks_view.txt";

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, name.c_str(), &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  std::ifstream file(name);
  std::string const text(std::istreambuf_iterator<char>(file), {});
  std::remove(name.c_str());
  EXPECT_NE(text.find(wanted), std::string::npos) << text;
  if (!unwanted.empty()) {
    EXPECT_EQ(text.find(unwanted), std::string::npos) << text;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareWithBJacobi(Case const& c, PetscInt blocks, char const* choice)
{
  Mat A;
  KSP petsc, plugin;
  PetscInt const side = 7;
  std::string const what = c.name() + ", " + std::to_string(blocks) + " blocks, " + choice;
  std::string const between = " blocks of rows, entries between them left out";

  PetscFunctionBegin;
  PetscCall(BuildMatrix(c, side, &A));
  PetscCall(MakeBJacobi(A, c, blocks, &petsc));
  PetscCall(MakePluginKsp(A, c, blocks, blocks % 2 ? "sptrsv" : "levelset", choice, &plugin));
  PetscCall(ExpectSame(what, petsc, plugin));
  PetscCall(ChangeMatrix(c, side, A));
  PetscCall(ExpectSame(what + ", new values", petsc, plugin));
  PetscCall(ExpectView(plugin, blocks > 1 ? std::to_string(blocks) + between : "", blocks > 1 ? "" : between));
  PetscCall(ExpectView(plugin, choice == std::string("device") ? "factored by sptrsv" : "factored by PETSc", ""));
  PetscCall(KSPDestroy(&petsc));
  PetscCall(KSPDestroy(&plugin));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

class RowBlocks : public testing::TestWithParam<PetscInt> {};

TEST_P(RowBlocks, AreThoseOfPetscsBJacobi)
{
  for (Case const& c : AllCases())
    for (char const* choice : factor_choices) {
      if (c.has_leftovers() && choice == std::string("device")) continue;  // see WithoutLeftovers
      ASSERT_EQ(CompareWithBJacobi(c, GetParam(), choice), PETSC_SUCCESS) << c.name();
    }
}

// 49 rows, or block rows: of these numbers only 1 and 49 divide them
INSTANTIATE_TEST_SUITE_P(Blocks, RowBlocks, testing::Values(1, 2, 3, 5, 20, 48, 49));

/// Compares after a change of the pattern: new entries within a block and between two.
PetscErrorCode CompareNewPattern(char const* choice)
{
  Case const c{MATSEQAIJ, 1, MAT_FACTOR_ILU, 1};
  Mat A;
  KSP petsc, plugin;

  PetscFunctionBegin;
  PetscCall(BuildMatrix(c, 7, &A));
  PetscCall(MakeBJacobi(A, c, 3, &petsc));
  PetscCall(MakePluginKsp(A, c, 3, "levelset", choice, &plugin));
  PetscCall(ExpectSame("first pattern", petsc, plugin));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetValue(A, 2, 12, -0.05, INSERT_VALUES));
  PetscCall(MatSetValue(A, 3, 40, -0.05, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(ExpectSame(std::string("another pattern, ") + choice, petsc, plugin));
  PetscCall(KSPDestroy(&petsc));
  PetscCall(KSPDestroy(&plugin));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(RowBlocksOptions, OfAnotherPattern)
{
  for (char const* choice : factor_choices) EXPECT_EQ(CompareNewPattern(choice), PETSC_SUCCESS);
}

/// Tests that invalid numbers of blocks are refused with the option's name and its range.
TEST(RowBlocksOptions, OtherNumbersAreRefused)
{
  for (MatType type : {MATSEQAIJ, MATSEQBAIJ})
    for (PetscInt dof : {1, 3})
      for (PetscInt blocks : {-1, 0, 10}) {
        Case const c{type, dof};
        Mat A;
        KSP ksp;
        ASSERT_EQ((int)BuildMatrix(c, 3, &A), 0);
        ASSERT_EQ((int)MakePluginKsp(A, c, blocks, "levelset", "host", &ksp), 0);
        CaughtError const error = Catch([&] { return KSPSetUp(ksp); });
        EXPECT_EQ((int)error.code, (int)PETSC_ERR_ARG_OUTOFRANGE);
        std::string const wanted = "Option -plugin_mat_sptrsv_blocks is " + std::to_string(blocks) +
                                   ", and the matrix has 9 " + (dof > 1 ? "block rows" : "rows") + "; give 1 to 9";
        EXPECT_EQ(error.message, wanted);
        ASSERT_EQ((int)KSPDestroy(&ksp), 0);
        ASSERT_EQ((int)MatDestroy(&A), 0);
      }
}

/// Tests that the removed options end with an error that names -mat_sptrsv_blocks, whatever their prefix.
TEST(RowBlocksOptions, ReplaceBlocksTogether)
{
  for (char const* old : {"-pc_bjacobi_sptrsv_together", "-mg_levels_pc_asm_sptrsv_together"}) {
    Mat A;
    KSP ksp;
    ASSERT_EQ((int)BuildMatrix({}, 3, &A), 0);
    ASSERT_EQ((int)MakePluginKsp(A, {}, 1, "levelset", "host", &ksp), 0);
    ASSERT_EQ((int)PetscOptionsSetValue(NULL, old, "true"), 0);
    CaughtError const error = Catch([&] { return KSPSetUp(ksp); });
    ASSERT_EQ((int)PetscOptionsClearValue(NULL, old), 0);
    EXPECT_EQ((int)error.code, (int)PETSC_ERR_ARG_WRONG);
    EXPECT_NE(error.message.find("-mat_sptrsv_blocks"), std::string::npos) << error.message;
    ASSERT_EQ((int)PetscOptionsSetValue(NULL, "-note", old + 1), 0);  // a value with that text
    EXPECT_EQ((int)KSPSetUp(ksp), 0);
    ASSERT_EQ((int)PetscOptionsClearValue(NULL, "-note"), 0);
    ASSERT_EQ((int)KSPDestroy(&ksp), 0);
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

}  // namespace
}  // namespace petsc_test
