// SPDX-License-Identifier: Apache-2.0
// Tests a PC of type shell with the program's own triangles: phases, views, events, refusals, and what it keeps alive.
// fuzz_triangles.cxx compares its answers with substitution.
#include <regex.h>

#include "factor_pair.hpp"
#include "sptrsv_petsc.h"

namespace petsc_test {
namespace {

/// Tells whether a part of the text matches an extended regular expression.
bool Contains(std::string const& text, std::string const& pattern) {
  regex_t compiled;  // not std::regex, for whose internals GCC warns with sanitizers
  EXPECT_EQ(regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB), 0) << pattern;
  bool const found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return found;
}

/// Fixture with a shell for small triangles made by hand; destroys all objects at the end.
class PCShell : public testing::Test {
 protected:
  struct Entry {
    PetscInt row, col;
    PetscScalar value;
  };

  void SetUp() override {
    A_ = Make(4, 4, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}});
    ASSERT_EQ((int)PCCreate(PETSC_COMM_SELF, &pc_), 0);
    ASSERT_EQ((int)PCSetType(pc_, PCSHELL), 0);
    ASSERT_EQ((int)PCSetOperators(pc_, A_, A_), 0);
    ASSERT_EQ((int)MatCreateVecs(A_, &x_, &b_), 0);
    ASSERT_EQ((int)VecSet(b_, 1), 0);
  }
  void TearDown() override {
    EXPECT_EQ((int)DestroyAll(&pc_, &b_, &x_), 0);
    for (Mat& m : made_) EXPECT_EQ((int)MatDestroy(&m), 0);
  }
  Mat Keep(Mat m) {
    made_.push_back(m);
    return m;
  }
  Mat Make(PetscInt rows, PetscInt columns, std::vector<Entry> const& entries) {
    Mat m;
    EXPECT_EQ((int)MatCreateSeqAIJ(PETSC_COMM_SELF, rows, columns, 4, NULL, &m), 0);
    for (Entry const& e : entries) EXPECT_EQ((int)MatSetValue(m, e.row, e.col, e.value, INSERT_VALUES), 0);
    Assemble(m);
    return Keep(m);
  }
  static void Assemble(Mat m) {
    EXPECT_EQ((int)MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY), 0);
    EXPECT_EQ((int)MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY), 0);
  }
  Mat Lower() { return Make(4, 4, {{0, 0, 2}, {1, 0, 1}, {1, 1, 2}, {2, 2, 2}, {3, 1, 1}, {3, 3, 2}}); }
  Mat Upper() { return Make(4, 4, {{0, 0, 2}, {0, 3, 1}, {1, 1, 2}, {2, 2, 2}, {2, 3, 1}, {3, 3, 2}}); }

  PetscErrorCode Give(Mat L, bool unit_L, Mat U, bool unit_U, char const* algorithm = "levelset") {
    return SpTRSVPCShellSetTrianglesDynamic(pc_, L, (PetscBool)unit_L, U, (PetscBool)unit_U, algorithm);
  }
  /// Sets up triangles again, and returns the view.
  std::string SetUpAndView(char const* algorithm) {
    EXPECT_EQ((int)PCReset(pc_), 0);
    EXPECT_EQ((int)PCSetOperators(pc_, A_, A_), 0);
    EXPECT_EQ((int)Give(Lower(), false, Upper(), false, algorithm), 0);
    EXPECT_EQ((int)PCSetUp(pc_), 0);
    return ViewText(pc_);
  }
  /// Returns the error of setting the triangles or, if there is none, that of the setup.
  CaughtError Refusal(Mat L, bool unit_L, Mat U, bool unit_U, char const* algorithm = "levelset") {
    CaughtError const given = Catch([&] { return Give(L, unit_L, U, unit_U, algorithm); });
    return given.code ? given : Catch([&] { return PCSetUp(pc_); });
  }
  static void ExpectError(CaughtError const& caught, PetscErrorCode code, std::vector<std::string> const& words) {
    EXPECT_EQ((int)caught.code, (int)code) << caught.message;
    for (std::string const& word : words)
      EXPECT_NE(caught.message.find(word), std::string::npos) << caught.message << " lacks " << word;
  }
  void ExpectSolves() {
    PetscScalar const* x;
    EXPECT_EQ((int)Give(Lower(), false, NULL, false), 0);
    EXPECT_EQ((int)PCApply(pc_, b_, x_), 0);
    EXPECT_EQ((int)VecGetArrayRead(x_, &x), 0);
    for (PetscInt i = 0; i < 4; ++i) EXPECT_EQ(x[i], PetscScalar(i == 0 || i == 2 ? 0.5 : i == 1 ? 0.25 : 0.375)) << i;
    EXPECT_EQ((int)VecRestoreArrayRead(x_, &x), 0);
  }
  static PetscInt References(Mat m) {
    PetscInt count = 0;
    EXPECT_EQ((int)PetscObjectGetReference((PetscObject)m, &count), 0);
    return count;
  }

  Mat A_;
  PC pc_;
  Vec b_, x_;
  std::vector<Mat> made_;
};

TEST_F(PCShell, NoRowsAndOneRow) {
  for (PetscInt n : {0, 1})
    for (Variant const& variant : all_variants()) {
      Mat const T = Make(n, n, n ? std::vector<Entry>{{0, 0, 2}} : std::vector<Entry>{});
      Vec b, x;
      PetscReal largest;
      ASSERT_EQ((int)PCReset(pc_), 0);
      ASSERT_EQ((int)PCSetOperators(pc_, T, T), 0);
      ASSERT_EQ((int)MatCreateVecs(T, &x, &b), 0);
      ASSERT_EQ((int)VecSet(b, 8), 0);
      ASSERT_EQ((int)Give(T, false, T, false, variant.type), 0);
      ASSERT_EQ((int)PCApply(pc_, b, x), 0);
      ASSERT_EQ((int)PCApplyTranspose(pc_, x, b), 0);
      ASSERT_EQ((int)VecNorm(b, NORM_INFINITY, &largest), 0);
      EXPECT_EQ(largest, n ? 0.5 : 0) << variant.label;
      for (Vec* v : {&b, &x}) ASSERT_EQ((int)VecDestroy(v), 0);
    }
}

/// Checks that values and patterns that change without a call of PCSetUp() are noticed, and an equal pattern is not
/// analyzed again.
TEST_F(PCShell, PhasesFollowChanges) {
  Mat const L = Lower(), U = Upper();
  auto const expect = [&](std::string const& counts) {
    ASSERT_EQ((int)PCApply(pc_, b_, x_), 0);
    EXPECT_NE(ViewText(pc_).find("MB beyond the matrices; " + counts), std::string::npos) << ViewText(pc_);
  };
  ASSERT_EQ((int)Give(L, false, U, false), 0);
  expect("1 analysis, 1 numeric update, 1 solve");
  expect("1 analysis, 1 numeric update, 2 solves");
  ASSERT_EQ((int)MatScale(U, 2), 0);
  expect("1 analysis, 2 numeric updates, 3 solves");
  Mat same = Lower(), other = Make(4, 4, {{0, 0, 2}, {1, 0, 1}, {1, 1, 2}, {2, 2, 2}, {3, 2, 1}, {3, 3, 2}});
  made_.resize(made_.size() - 2);
  ASSERT_EQ((int)MatHeaderReplace(L, &same), 0);
  expect("1 analysis, 3 numeric updates, 4 solves");
  ASSERT_EQ((int)MatHeaderReplace(L, &other), 0);  // an entry in another column
  expect("2 analyses, 4 numeric updates, 5 solves");
  ASSERT_EQ((int)MatSetOption(U, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE), 0);
  ASSERT_EQ((int)MatSetValue(U, 0, 2, 1, INSERT_VALUES), 0);
  Assemble(U);
  expect("3 analyses, 5 numeric updates, 6 solves");
}

TEST_F(PCShell, TriangleOfAnotherSizeIsRefused) {
  for (PetscInt n : {2, 9}) {
    Mat const L = Lower();
    ASSERT_EQ((int)Give(L, false, NULL, false), 0);
    ASSERT_EQ((int)PCApply(pc_, b_, x_), 0);
    std::vector<Entry> diagonal;
    for (PetscInt i = 0; i < n; ++i) diagonal.push_back({i, i, 1});
    Mat other = Make(n, n, diagonal);
    made_.pop_back();
    ASSERT_EQ((int)MatHeaderReplace(L, &other), 0);
    for (int k = 0; k < 2; ++k)
      ExpectError(Catch([&] { return PCApply(pc_, b_, x_); }), PETSC_ERR_ARG_SIZ,
                  {"has " + std::to_string(n) + " rows, and had 4 when it was given"});
  }
}

TEST_F(PCShell, ViewShowsAlgorithmLevelsAndMemory) {
  char const* const levels[][2] = {{"L", "3 levels, rows per level 1.3 mean, 1 least, 2 most; 0.5 off-diagonal"},
                                   {"U", "2 levels, rows per level 2.0 mean, 2 least, 2 most; 0.5 off-diagonal"}};
  for (char const* type :
       {"sequential", "levelset", "syncfree", "threadlevel", "fused", "tiled", "colorset", "blocked", "sptrsv"}) {
    std::string const text = SetUpAndView(type);
    std::string const asked = std::string(type) == "sptrsv" ? "[a-z]+ \\([^\n]+" : type + std::string(" \\(asked for");
    EXPECT_TRUE(
        Contains(text, std::string("sptrsv [0-9.]+: type ") + type + ", Kokkos [0-9.]+ [A-Za-z]+ \\([0-9]+ thread"))
        << text;
    for (char const* const(&shown)[2] : levels)
      EXPECT_TRUE(Contains(text, shown[0] + (": " + asked) + "\\)[^\n]*\n +" + shown[1])) << text;
    EXPECT_TRUE(Contains(text, "[0-9]+\\.[0-9][0-9] MB beyond the matrices; 1 analysis, 1 numeric update, 0 solves"))
        << text;
  }
}

TEST_F(PCShell, OptionsOfThePrefixHold) {
  auto const view = [&](char const* prefix, char const* type) {
    EXPECT_EQ((int)PCSetOptionsPrefix(pc_, prefix), 0);
    return SetUpAndView(type);
  };
  ASSERT_EQ((int)PetscOptionsSetValue(NULL, "-mine_mat_sptrsv_type", "syncfree"), 0);
  ASSERT_EQ((int)PetscOptionsSetValue(NULL, "-mine_mat_sptrsv_syncfree_form", "csc"), 0);
  std::string const mine = view("mine_", "levelset");
  EXPECT_TRUE(Contains(mine, "type syncfree") && Contains(mine, "csc")) << mine;
  EXPECT_FALSE(Contains(view("yours_", "syncfree"), "csc"));
  EXPECT_TRUE(Contains(view("yours_", NULL), "type sptrsv"));
}

TEST_F(PCShell, EntriesOnTheWrongSide) {
  Mat const with_upper = Make(4, 4, {{0, 0, 2}, {1, 0, 1}, {1, 1, 2}, {1, 3, 5}, {2, 2, 2}, {3, 3, 2}});
  Mat const with_lower = Make(4, 4, {{0, 0, 2}, {1, 1, 2}, {2, 1, 5}, {2, 2, 2}, {3, 3, 2}});
  ExpectError(Refusal(with_upper, false, Upper(), false), PETSC_ERR_ARG_WRONG,
              {"Row 1 of L", "column 3, above", "lower triangle alone"});
  ExpectError(Refusal(Lower(), false, with_lower, false), PETSC_ERR_ARG_WRONG,
              {"Row 2 of U", "column 1, below", "upper triangle alone"});
  ExpectError(Refusal(Upper(), true, NULL, false), PETSC_ERR_ARG_WRONG, {"Row 0 of L", "column 3"});
  Mat const strict = Make(4, 4, {{1, 0, 1}, {2, 3, 1}});
  ExpectError(Refusal(strict, true, NULL, false), PETSC_ERR_ARG_WRONG, {"Row 2 of L", "column 3"});
  ExpectSolves();
}

TEST_F(PCShell, MissingDiagonals) {
  Mat const L = Make(4, 4, {{0, 0, 2}, {1, 1, 2}, {2, 1, 1}, {3, 3, 2}});
  Mat const U = Make(4, 4, {{0, 0, 2}, {1, 3, 2}, {2, 2, 2}, {3, 3, 2}});
  ExpectError(Refusal(L, false, NULL, false), PETSC_ERR_ARG_WRONGSTATE,
              {"Row 2 of L", "no diagonal entry", "store it in every row"});
  ExpectError(Refusal(NULL, false, U, false), PETSC_ERR_ARG_WRONGSTATE, {"Row 1 of U", "no diagonal entry"});
  ExpectError(Refusal(L, true, NULL, false), PETSC_ERR_ARG_WRONGSTATE,
              {"Row 2 of L", "other rows do", "in all rows or in none"});
  ExpectError(Refusal(NULL, true, U, true), PETSC_ERR_ARG_WRONGSTATE, {"Row 1 of U", "other rows do"});
  ExpectSolves();
}

TEST_F(PCShell, ZeroPivotsUntilTheyAreMended) {
  Mat const L = Make(4, 4, {{0, 0, 2}, {1, 1, 2}, {2, 2, 0}, {3, 3, 0}});
  ExpectError(Refusal(L, false, NULL, false), PETSC_ERR_MAT_LU_ZRPVT,
              {"Row 2 of L", "zero on its diagonal", "nonzero values"});
  ExpectError(Catch([&] { return PCApply(pc_, b_, x_); }), PETSC_ERR_MAT_LU_ZRPVT, {"Row 2 of L"});
  ExpectError(Refusal(NULL, true, L, false), PETSC_ERR_MAT_LU_ZRPVT, {"Row 2 of U"});
  EXPECT_EQ((int)Refusal(L, true, L, true).code, 0);
  ASSERT_EQ((int)Give(L, false, NULL, false), 0);
  for (PetscInt row : {2, 3}) ASSERT_EQ((int)MatSetValue(L, row, row, 2, INSERT_VALUES), 0);
  Assemble(L);
  EXPECT_EQ((int)PCApply(pc_, b_, x_), 0);
  ASSERT_EQ((int)MatSetValue(L, 1, 1, 0, INSERT_VALUES), 0);
  Assemble(L);
  ExpectError(Catch([&] { return PCApply(pc_, b_, x_); }), PETSC_ERR_MAT_LU_ZRPVT, {"Row 1 of L"});
}

TEST_F(PCShell, Algorithms) {
  ExpectError(Refusal(Lower(), false, NULL, false, "fastest"), PETSC_ERR_ARG_UNKNOWN_TYPE,
              {"'fastest'", "levelset", "syncfree", "sptrsv"});
  ASSERT_EQ((int)PCSetOptionsPrefix(pc_, "odd_"), 0);
  ASSERT_EQ((int)PetscOptionsSetValue(NULL, "-odd_mat_sptrsv_type", "slowest"), 0);
  ExpectError(Refusal(Lower(), false, NULL, false), PETSC_ERR_ARG_UNKNOWN_TYPE,
              {"-odd_mat_sptrsv_type", "'slowest'", "levelset"});
  ASSERT_EQ((int)PetscOptionsClearValue(NULL, "-odd_mat_sptrsv_type"), 0);
  ExpectSolves();
}

TEST_F(PCShell, MatricesOfOtherKinds) {
  Mat dense, mpi, factor, unassembled;
  ASSERT_EQ((int)MatCreateSeqDense(PETSC_COMM_SELF, 4, 4, NULL, &dense), 0);
  Keep(dense);
  ASSERT_EQ((int)MatCreate(PETSC_COMM_SELF, &mpi), 0);
  Keep(mpi);
  ASSERT_EQ((int)MatSetSizes(mpi, 4, 4, 4, 4), 0);
  ASSERT_EQ((int)MatSetType(mpi, MATMPIAIJ), 0);
  ASSERT_EQ((int)MatSetUp(mpi), 0);
  ExpectError(Refusal(dense, false, Upper(), false), PETSC_ERR_SUP, {"L is of type seqdense", "MatConvert", "seqaij"});
  ExpectError(Refusal(Lower(), false, mpi, false), PETSC_ERR_SUP, {"U is of type mpiaij", "seqaij"});
  ASSERT_EQ((int)MatGetFactor(A_, MATSOLVERPETSC, MAT_FACTOR_LU, &factor), 0);
  Keep(factor);
  ExpectError(Refusal(factor, true, NULL, false), PETSC_ERR_ARG_WRONG, {"L is a factor", "-pc_factor_mat_solver_type"});
  ASSERT_EQ((int)MatCreateSeqAIJ(PETSC_COMM_SELF, 4, 4, 1, NULL, &unassembled), 0);
  Keep(unassembled);
  ExpectError(Refusal(unassembled, true, NULL, false), PETSC_ERR_ARG_WRONGSTATE,
              {"L is not assembled", "MatAssemblyEnd"});
  ExpectError(Refusal(NULL, true, NULL, false), PETSC_ERR_ARG_WRONG, {"NULL", "give L, U or both"});
  ExpectSolves();
}

TEST_F(PCShell, Sizes) {
  Mat const wide = Make(4, 5, {{0, 0, 1}}), small = Make(3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}});
  ExpectError(Refusal(wide, false, NULL, false), PETSC_ERR_ARG_SIZ, {"L is 4 by 5", "square"});
  ExpectError(Refusal(Lower(), false, small, false), PETSC_ERR_ARG_SIZ, {"L has 4 rows and U has 3", "one size"});
  ExpectError(Refusal(small, false, small, false), PETSC_ERR_ARG_SIZ, {"triangles have 3 rows, the operator has 4"});
  ExpectSolves();
}

TEST_F(PCShell, PCsOfOtherTypes) {
  ASSERT_EQ((int)PCSetType(pc_, PCJACOBI), 0);
  ExpectError(Refusal(Lower(), false, NULL, false), PETSC_ERR_ARG_WRONG, {"type jacobi", "PCSetType(pc, PCSHELL)"});
  ASSERT_EQ((int)PCSetType(pc_, PCSHELL), 0);
  ExpectSolves();
}

TEST_F(PCShell, HoldsReferencesUntilReplacedOrDestroyed) {
  Mat const L = Lower(), U = Upper(), other = Lower();
  ASSERT_EQ((int)Give(L, false, U, false), 0);
  ASSERT_EQ((int)PCApply(pc_, b_, x_), 0);
  EXPECT_EQ(References(L), 2);
  EXPECT_EQ(References(U), 2);
  ASSERT_EQ((int)Give(other, false, U, true), 0);
  ASSERT_EQ((int)PCApply(pc_, b_, x_), 0);
  EXPECT_EQ(References(L), 1);
  EXPECT_EQ(References(U), 2);
  EXPECT_NE((int)Catch([&] { return Give(Make(4, 5, {}), false, L, false); }).code, 0);  // the old triangles remain
  EXPECT_EQ(References(L), 1);
  EXPECT_EQ(References(other), 2);
  ASSERT_EQ((int)PCApply(pc_, b_, x_), 0);
  ASSERT_EQ((int)PCDestroy(&pc_), 0);
  EXPECT_EQ(References(U), 1);
  EXPECT_EQ(References(other), 1);
}

TEST_F(PCShell, LeavesContextAndNameToTheProgram) {
  int mine = 0;
  void* context = nullptr;
  char const* name = nullptr;
  ASSERT_EQ((int)PCShellSetContext(pc_, &mine), 0);
  ASSERT_EQ((int)PCShellSetName(pc_, "my solver"), 0);
  ExpectSolves();
  ASSERT_EQ((int)PCShellGetContext(pc_, &context), 0);
  EXPECT_EQ(context, &mine);
  ASSERT_EQ((int)PCShellGetName(pc_, &name), 0);
  EXPECT_STREQ(name, "my solver");
}

/// Returns what PETSc has counted of an event. PETSc does not count events after one that was not ended.
PetscEventPerfInfo Timed(char const* name) {
  PetscLogEvent event;
  PetscEventPerfInfo info;
  EXPECT_EQ((int)PetscLogEventGetId(name, &event), 0);
  EXPECT_EQ((int)PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info), 0);
  return info;
}

TEST_F(PCShell, EventsCountPhasesAndFlopsAndEndWithErrorsToo) {
  char const* const names[] = {"SpTRSVAnalysis", "SpTRSVNumeric", "SpTRSVSolve"};
  PetscEventPerfInfo before[3];
  PetscScalar array[5] = {};
  Vec from, to;
  ASSERT_EQ((int)PetscLogDefaultBegin(), 0);
  ASSERT_EQ((int)VecCreateSeqWithArray(PETSC_COMM_SELF, 1, 4, array, &from), 0);
  ASSERT_EQ((int)VecCreateSeqWithArray(PETSC_COMM_SELF, 1, 4, array + 1, &to), 0);
  EXPECT_NE((int)Refusal(Upper(), false, nullptr, false).code, 0);  // refused in the analysis
  EXPECT_NE((int)Refusal(Make(4, 4, {{0, 0, 1}, {1, 1, 0}, {2, 2, 1}, {3, 3, 1}}), false, nullptr, false).code, 0);
  ASSERT_EQ((int)Give(Lower(), false, Upper(), false), 0);
  EXPECT_NE((int)Catch([&] { return PCApply(pc_, from, to); }).code, 0) << "vectors that overlap";
  for (int e = 0; e < 3; ++e) before[e] = Timed(names[e]);
  ASSERT_EQ((int)Give(Lower(), true, Upper(), false), 0);
  ASSERT_EQ((int)PCApply(pc_, b_, x_), 0);
  ASSERT_EQ((int)PCApplyTranspose(pc_, b_, x_), 0);
  for (int e = 0; e < 3; ++e) EXPECT_EQ(Timed(names[e]).count, before[e].count + (e == 2 ? 2 : 1)) << names[e];
  // two flops for each of two entries off each diagonal, and U's 4 divisions; PETSc counts a complex flop as four
  EXPECT_EQ(Timed(names[2]).flops - before[2].flops, 2 * (2 * 2 * 2 + 4) * (PetscDefined(USE_COMPLEX) ? 4 : 1));
  ASSERT_EQ((int)DestroyAll(&from, &to), 0);
}

}  // namespace
}  // namespace petsc_test
