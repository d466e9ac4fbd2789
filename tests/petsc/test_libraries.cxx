// SPDX-License-Identifier: Apache-2.0
// Complete factors by CHOLMOD, UMFPACK and KLU: answers compared with PETSc's own factor and PETSc's types of these
// libraries, orderings, new values, pivots that change, singular matrices, failures, refusals.
#include "factor_pair.hpp"

namespace petsc_test {
namespace {

struct Library {
  char const *name, *factor, *option, *value;  ///< option: a further one, or null
  MatFactorType ftype;
  char const* petsc_type;
};
constexpr Library libraries[] = {
    {"cholmod", "cholmod", nullptr, nullptr, MAT_FACTOR_CHOLESKY, MATSOLVERCHOLMOD},
    {"cholmod_simplicial", "cholmod", "mat_cholmod_factor", "SIMPLICIAL", MAT_FACTOR_CHOLESKY, MATSOLVERCHOLMOD},
    {"cholmod_supernodal", "cholmod", "mat_cholmod_factor", "SUPERNODAL", MAT_FACTOR_CHOLESKY, MATSOLVERCHOLMOD},
    {"umfpack", "umfpack", nullptr, nullptr, MAT_FACTOR_LU, MATSOLVERUMFPACK},
    {"umfpack_unscaled", "umfpack", "mat_umfpack_scale", "NONE", MAT_FACTOR_LU, MATSOLVERUMFPACK},
    {"klu", "klu", nullptr, nullptr, MAT_FACTOR_LU, MATSOLVERKLU},
    {"klu_scaled", "klu", "mat_klu_row_scale", "MAX", MAT_FACTOR_LU, MATSOLVERKLU}};

std::string Prefix(Library const& library) { return std::string(library.name) + "_"; }
/// Sets the options of a library under its prefix.
PetscErrorCode SetOptions(Library const& library) {
  auto const set = [&](char const* option, char const* value) {
    return PetscOptionsSetValue(NULL, ("-" + Prefix(library) + option).c_str(), value);
  };
  PetscCall(set("mat_sptrsv_factor", library.factor));
  if (library.option) PetscCall(set(library.option, library.value));
  return PETSC_SUCCESS;
}

Factoring SetupFor(Library const& library) {
  Factoring setup;
  setup.ftype = library.ftype;
  setup.ordering = MATORDERINGEXTERNAL;
  return setup;
}

PetscErrorCode BuildFor(Library const& library, unsigned seed, MatType type, Mat* A) {
  Grid grid;
  grid.side = 12;
  grid.symmetric = library.ftype == MAT_FACTOR_CHOLESKY;
  grid.seed = seed;
  grid.type = type;
  return BuildGrid(grid, A);
}

/// Checks that x and y differ by at most `tolerance` times the largest entry of x, in each row.
PetscErrorCode ExpectNearRows(std::string const& what, Vec x, Vec y, PetscReal tolerance) {
  Vec scale;
  PetscReal largest;
  PetscCall(VecDuplicate(x, &scale));
  PetscCall(VecNorm(x, NORM_INFINITY, &largest));
  EXPECT_GT(largest, 0);
  PetscCall(VecSet(scale, largest));
  PetscCall(ExpectRows(what, x, y, scale, tolerance));
  return VecDestroy(&scale);
}

/// Checks that two factors solve alike, in each row, with an error of `tolerance` times the largest solution.
PetscErrorCode ExpectAlike(std::string const& what, Mat expected, Mat actual, PetscReal tolerance) {
  Vec b, x, y;
  PetscCall(MatCreateVecs(expected, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(FillVec(b, 7));
  auto const compare = [&](char const* op, auto const& solve) -> PetscErrorCode {
    PetscCall(FillVec(x, 9));
    PetscCall(FillVec(y, 9));
    PetscCall(solve(expected, x));
    PetscCall(solve(actual, y));
    return ExpectNearRows(what + ", " + op, x, y, tolerance);
  };
  PetscCall(compare("MatSolve", [&](Mat F, Vec to) { return MatSolve(F, b, to); }));
  PetscCall(compare("MatSolveTranspose", [&](Mat F, Vec to) { return MatSolveTranspose(F, b, to); }));
  PetscCall(compare("MatSolveAdd", [&](Mat F, Vec to) { return MatSolveAdd(F, b, b, to); }));
  PetscCall(compare("MatMatSolve", [&](Mat F, Vec to) -> PetscErrorCode {
    Mat B, X;
    Vec column;
    PetscInt n;
    PetscCall(VecGetSize(b, &n));
    PetscCall(MakeDense(n, 3, n, &B));
    PetscCall(MakeDense(n, 3, n, &X));
    PetscCall(MatDenseGetColumnVecWrite(B, 1, &column));
    PetscCall(VecCopy(b, column));
    PetscCall(MatDenseRestoreColumnVecWrite(B, 1, &column));
    PetscCall(MatMatSolve(F, B, X));
    PetscCall(MatDenseGetColumnVecRead(X, 1, &column));
    PetscCall(VecCopy(column, to));
    PetscCall(MatDenseRestoreColumnVecRead(X, 1, &column));
    PetscCall(MatDestroy(&B));
    return MatDestroy(&X);
  }));
  return DestroyAll(&b, &x, &y);
}

class Libraries : public testing::TestWithParam<Library> {
 protected:
  void SetUp() override { ASSERT_EQ((int)SetOptions(GetParam()), 0); }
};
INSTANTIATE_TEST_SUITE_P(All, Libraries, testing::ValuesIn(libraries),
                         [](auto const& info) { return std::string(info.param.name); });

PetscErrorCode CompareOrderings(Library const& library, MatType type, std::vector<char const*> const& orderings) {
  for (char const* ordering : orderings) {
    SCOPED_TRACE(std::string(type) + ", ordering " + ordering);
    Mat A, changed;
    Factor ours, own;
    Factoring setup;
    PetscCall(BuildFor(library, 1, type, &A));
    PetscCall(BuildFor(library, 2, type, &changed));
    setup.ftype = library.ftype;
    setup.ordering = std::string(type) == MATSEQSBAIJ ? MATORDERINGNATURAL : MATORDERINGND;
    PetscCall(own.Symbolic(A, MATSOLVERPETSC, nullptr, setup));
    setup.ordering = ordering;
    PetscCall(ours.Symbolic(A, "sptrsv", Prefix(library).c_str(), setup));
    for (int numeric = 0; numeric < 3; ++numeric) {
      if (numeric == 1) PetscCall(MatCopy(changed, A, SAME_NONZERO_PATTERN));
      PetscCall(own.Numeric(A));
      PetscCall(ours.Numeric(A));
      PetscCall(ExpectAlike("numeric phase " + std::to_string(numeric), own.mat(), ours.mat(), 1e-11));
    }
    std::string const view = ViewText(ours.mat());
    EXPECT_EQ(view.find("ordering given") != std::string::npos, std::string(ordering) != MATORDERINGEXTERNAL) << view;
    PetscCall(DestroyAll(&A, &changed));
  }
  return PETSC_SUCCESS;
}

TEST_P(Libraries, SolveAsPetscsOwnFactorInEveryOrdering) {
  std::vector<char const*> const orderings{MATORDERINGEXTERNAL, MATORDERINGND, MATORDERINGRCM, MATORDERINGNATURAL};
  EXPECT_EQ((int)CompareOrderings(GetParam(), MATSEQAIJ, orderings), 0);
  if (GetParam().ftype != MAT_FACTOR_CHOLESKY) return;
  EXPECT_EQ((int)CompareOrderings(GetParam(), MATSEQSBAIJ, {MATORDERINGEXTERNAL, MATORDERINGNATURAL}), 0);
}

PetscErrorCode CompareWithPetscsType(Library const& library, bool* has) {
  Mat A;
  Factor ours, theirs;
  Factoring const setup = SetupFor(library);
  PetscBool available;
  PetscCall(BuildFor(library, 1, MATSEQAIJ, &A));
  PetscCall(MatGetFactorAvailable(A, library.petsc_type, library.ftype, &available));
  *has = available;
  if (available) {
    PetscCall(ours.Symbolic(A, "inverted", Prefix(library).c_str(), setup));
    PetscCall(theirs.Symbolic(A, library.petsc_type, Prefix(library).c_str(), setup));
    PetscCall(ours.Numeric(A));
    PetscCall(theirs.Numeric(A));
    Vec b, x, y;
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecDuplicate(x, &y));
    PetscCall(FillVec(b, 3));
    PetscCall(MatSolve(theirs.mat(), b, x));
    PetscCall(MatSolve(ours.mat(), b, y));
    PetscCall(ExpectNearRows("beside PETSc's type", x, y, 1e-13));
    PetscCall(DestroyAll(&b, &x, &y));
  }
  return MatDestroy(&A);
}

TEST_P(Libraries, SolveAsPetscsTypeOfTheLibrary) {
  bool has = false;
  EXPECT_EQ((int)CompareWithPetscsType(GetParam(), &has), 0);
  if (!has) GTEST_SKIP() << "this PETSc has no type " << GetParam().petsc_type;
}

/// Makes a copy of A with further entries in row and column 0.
PetscErrorCode Widen(Mat A, PetscInt first, PetscInt step, PetscScalar value, Mat* wider) {
  PetscInt n;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, wider));
  PetscCall(MatSetOption(*wider, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt j = first < 0 ? n + first : first; j < n; j += step) {
    PetscCall(MatSetValue(*wider, 0, j, value, INSERT_VALUES));
    PetscCall(MatSetValue(*wider, j, 0, value, INSERT_VALUES));
  }
  return Assemble(*wider);
}

/// Checks that a factor solves as PETSc's own of the same matrix.
PetscErrorCode ExpectAsOwn(std::string const& what, Mat A, Factoring setup, Mat actual, PetscReal tolerance) {
  Factor own;
  setup.ordering = MATORDERINGND;
  PetscCall(own.Symbolic(A, MATSOLVERPETSC, nullptr, setup));
  PetscCall(own.Numeric(A));
  return ExpectAlike(what, own.mat(), actual, tolerance);
}

/// Pattern of a matrix that changes: a further entry in row 0.
PetscErrorCode ChangePattern(Library const& library) {
  Mat A, wider;
  Factor ours;
  Factoring setup = SetupFor(library);
  PetscCall(BuildFor(library, 1, MATSEQAIJ, &A));
  PetscCall(ours.Symbolic(A, "sptrsv", Prefix(library).c_str(), setup));
  PetscCall(ours.Numeric(A));
  PetscCall(Widen(A, -1, 1, 0.5, &wider));
  PetscCall(ours.Numeric(wider));
  PetscCall(ExpectAsOwn("wider matrix", wider, setup, ours.mat(), 1e-11));
  EXPECT_NE(ViewText(ours.mat()).find("2 patterns"), std::string::npos) << ViewText(ours.mat());
  return DestroyAll(&A, &wider);
}
TEST_P(Libraries, FollowAChangedPattern) { EXPECT_EQ((int)ChangePattern(GetParam()), 0); }

/// Matrix of n rows, tridiagonal, with diagonal entries d.
PetscErrorCode BuildTridiagonal(PetscInt n, PetscScalar d, Mat* A) {
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, NULL, A));
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt j = PetscMax(0, i - 1); j <= PetscMin(n - 1, i + 1); ++j)
      PetscCall(MatSetValue(*A, i, j, i == j ? d : -1, INSERT_VALUES));
  return Assemble(*A);
}

PetscErrorCode FactorSmall(Library const& library, PetscInt n) {
  Mat A;
  Vec x, b;
  Factor ours;
  Factoring setup = SetupFor(library);
  PetscCall(BuildTridiagonal(n, 4, &A));
  PetscCall(ours.Symbolic(A, "sptrsv", Prefix(library).c_str(), setup));
  PetscCall(ours.Numeric(A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 8));
  PetscCall(MatSolve(ours.mat(), b, x));
  if (n == 1) {
    PetscScalar const* value;
    PetscCall(VecGetArrayRead(x, &value));
    EXPECT_EQ(PetscRealPart(value[0]), 2);
    PetscCall(VecRestoreArrayRead(x, &value));
  }
  return DestroyAll(&A, &x, &b);
}
TEST_P(Libraries, NoRowsAndOneRow) {
  for (PetscInt n : {0, 1}) EXPECT_EQ((int)FactorSmall(GetParam(), n), 0) << n;
}

/// A singular matrix sets the error state, or raises PETSc's error; new values that are not singular are solved with.
PetscErrorCode FactorSingular(Library const& library) {
  Mat A, good;
  Vec x, b;
  Factor ours;
  Factoring setup = SetupFor(library);
  PivotStatus status;
  PetscCall(BuildTridiagonal(30, 4, &good));
  PetscCall(MatDuplicate(good, MAT_COPY_VALUES, &A));
  for (PetscInt j : {13, 14, 15}) {
    PetscCall(MatSetValue(A, 14, j, 0, INSERT_VALUES));
    PetscCall(MatSetValue(A, j, 14, 0, INSERT_VALUES));
  }
  PetscCall(Assemble(A));
  PetscCall(ours.Symbolic(A, "sptrsv", Prefix(library).c_str(), setup));
  PetscCall(ours.Numeric(A));
  PetscCall(GetPivotStatus(ours.mat(), &status));
  EXPECT_EQ((int)status.error, (int)MAT_FACTOR_NUMERIC_ZEROPIVOT);
  EXPECT_EQ(status.row, 14);
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscReal norm;
  PetscCall(MatSolve(ours.mat(), b, x));  // PETSc returns infinities
  PetscCall(VecNorm(x, NORM_INFINITY, &norm));
  EXPECT_TRUE(PetscIsInfOrNanReal(norm));
  PetscCall(MatSetErrorIfFailure(A, PETSC_TRUE));
  CaughtError const caught = Catch([&] { return ours.Numeric(A); });
  EXPECT_EQ((int)caught.code, (int)(setup.symmetric() ? PETSC_ERR_MAT_CH_ZRPVT : PETSC_ERR_MAT_LU_ZRPVT));
  EXPECT_NE(caught.message.find("row 14"), std::string::npos) << caught.message;
  PetscCall(MatSetErrorIfFailure(A, PETSC_FALSE));
  for (Mat matrix : {good, A, good}) {
    PetscCall(MatFactorClearError(ours.mat()));
    PetscCall(ours.Numeric(matrix));
    PetscCall(GetPivotStatus(ours.mat(), &status));
    EXPECT_EQ((int)status.error, (int)(matrix == A ? MAT_FACTOR_NUMERIC_ZEROPIVOT : MAT_FACTOR_NOERROR));
    if (matrix == A) continue;
    PetscCall(VecSet(b, 1));
    PetscCall(MatSolve(ours.mat(), b, x));
    PetscCall(MatMult(good, x, b));
    PetscCall(VecShift(b, -1));
    PetscCall(VecNorm(b, NORM_INFINITY, &norm));
    EXPECT_LT(norm, 1e-14);
  }
  return DestroyAll(&A, &good, &x, &b);
}
TEST_P(Libraries, SingularMatricesAreReportedByRow) { EXPECT_EQ((int)FactorSingular(GetParam()), 0); }

/// A numeric phase that fails after the library has factored, or in the library's analysis of another pattern, must
/// leave nothing behind that the next one would use.
PetscErrorCode FailBetween(Library const& library) {
  Mat A, wider;
  Factor chain, ours;
  Factoring setup = SetupFor(library);
  PetscCall(BuildFor(library, 1, MATSEQAIJ, &A));
  PetscCall(chain.Symbolic(A, "chain", Prefix(library).c_str(), setup));  // refuses the triangles
  for (int numeric = 0; numeric < 2; ++numeric)
    EXPECT_EQ((int)Catch([&] { return chain.Numeric(A); }).code, (int)PETSC_ERR_SUP);

  PetscCall(Widen(A, 3, 5, 0.01, &wider));
  PetscCall(ours.Symbolic(A, "sptrsv", Prefix(library).c_str(), setup));
  PetscCall(ours.Numeric(A));
  bool const cholesky = library.ftype == MAT_FACTOR_CHOLESKY;
  std::string const bad = "-" + Prefix(library) + (cholesky ? "mat_cholmod_nmethods" : "mat_umfpack_strategy");
  std::string const klu = "-" + Prefix(library) + "mat_klu_ordering";
  for (auto const& option : {bad, klu}) PetscCall(PetscOptionsSetValue(NULL, option.c_str(), "99"));
  EXPECT_NE((int)Catch([&] { return ours.Numeric(wider); }).code, 0);
  for (auto const& option : {bad, klu}) PetscCall(PetscOptionsClearValue(NULL, option.c_str()));
  PetscCall(ours.Numeric(wider));
  PetscCall(ExpectAsOwn("after the failure", wider, setup, ours.mat(), 1e-11));
  return DestroyAll(&A, &wider);
}
TEST_P(Libraries, FailuresLeaveNothingBehind) { EXPECT_EQ((int)FailBetween(GetParam()), 0); }

/// Matrices without an entry, or with a diagonal alone.
PetscErrorCode FactorDiagonals(Library const& library) {
  Mat empty, zero, diagonal;
  Vec x, b;
  Factor of_empty, ours;
  Factoring setup = SetupFor(library);
  PivotStatus status;
  PetscReal norm;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 5, 5, 0, NULL, &empty));
  PetscCall(Assemble(empty));
  PetscCall(of_empty.Symbolic(empty, "sptrsv", Prefix(library).c_str(), setup));
  PetscCall(of_empty.Numeric(empty));
  PetscCall(GetPivotStatus(of_empty.mat(), &status));
  EXPECT_EQ((int)status.error, (int)MAT_FACTOR_NUMERIC_ZEROPIVOT);
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 5, 5, 1, NULL, &diagonal));
  for (PetscInt i = 0; i < 5; ++i) PetscCall(MatSetValue(diagonal, i, i, 4, INSERT_VALUES));
  PetscCall(Assemble(diagonal));
  PetscCall(MatDuplicate(diagonal, MAT_DO_NOT_COPY_VALUES, &zero));
  PetscCall(ours.Symbolic(zero, "sptrsv", Prefix(library).c_str(), setup));
  PetscCall(ours.Numeric(zero));
  PetscCall(ours.Numeric(diagonal));
  PetscCall(MatFactorClearError(ours.mat()));
  PetscCall(MatCreateVecs(diagonal, &x, &b));
  PetscCall(VecSet(b, 8));
  PetscCall(MatSolve(ours.mat(), b, x));
  PetscCall(VecShift(x, -2));
  PetscCall(VecNorm(x, NORM_INFINITY, &norm));
  EXPECT_EQ(norm, 0);
  return DestroyAll(&empty, &zero, &diagonal, &x, &b);
}
TEST_P(Libraries, EmptyAndDiagonalMatrices) { EXPECT_EQ((int)FactorDiagonals(GetParam()), 0); }

/// Values with which pivoting chooses other rows: the answers stay right.
PetscErrorCode ChangePivots(Library const& library) {
  Mat A, wide;
  Vec x, y, b;
  Factor ours;
  Factoring setup = SetupFor(library);
  PetscInt const n = 40;
  PetscReal norm;
  PetscCall(BuildTridiagonal(n, 4, &A));
  PetscCall(BuildTridiagonal(n, 1e-9, &wide));
  PetscCall(ours.Symbolic(A, "sptrsv", Prefix(library).c_str(), setup));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(FillVec(x, 5));
  for (Mat matrix : {A, wide, A}) {
    PetscCall(ours.Numeric(matrix));
    PetscCall(MatMult(matrix, x, b));
    PetscCall(MatSolve(ours.mat(), b, y));
    PetscCall(VecAXPY(y, -1, x));
    PetscCall(VecNorm(y, NORM_INFINITY, &norm));
    EXPECT_LT(norm, 1e-12);
  }
  EXPECT_NE(ViewText(ours.mat()).find("3 patterns"), std::string::npos) << ViewText(ours.mat());
  return DestroyAll(&A, &wide, &x, &y, &b);
}
TEST_P(Libraries, PivotsMayChangeWithValues) {
  if (GetParam().ftype != MAT_FACTOR_LU) return;
  EXPECT_EQ((int)ChangePivots(GetParam()), 0);
}

PetscErrorCode CompareInertia() {
  Mat A;
  Factor ours, own;
  Factoring setup;
  PetscInt expected[3], actual[3];
  setup.ftype = MAT_FACTOR_CHOLESKY;
  PetscCall(BuildFor(libraries[1], 1, MATSEQAIJ, &A));
  PetscCall(MatShift(A, -3));
  PetscCall(own.Symbolic(A, MATSOLVERPETSC, nullptr, setup));
  PetscCall(own.Numeric(A));
  PetscCall(MatGetInertia(own.mat(), &expected[0], &expected[1], &expected[2]));
  setup.ordering = MATORDERINGEXTERNAL;
  PetscCall(ours.Symbolic(A, "sptrsv", Prefix(libraries[1]).c_str(), setup));
  PetscCall(ours.Numeric(A));
  PetscCall(MatGetInertia(ours.mat(), &actual[0], &actual[1], &actual[2]));
  EXPECT_GT(expected[0], 0);
  EXPECT_GT(expected[2], 0);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(actual[k], expected[k]) << k;
  PetscCall(ExpectAlike("indefinite", own.mat(), ours.mat(), 1e-9));
  return MatDestroy(&A);
}
TEST(Library, InertiaOfAnIndefiniteMatrixIsThatOfPetscsFactor) {
  ASSERT_EQ((int)SetOptions(libraries[1]), 0);
  EXPECT_EQ((int)CompareInertia(), 0);
}

/// Returns the error of a symbolic phase.
CaughtError Refusal(Library const& library, MatFactorType ftype, MatType type, PetscInt dof, bool sorted = true) {
  Mat A = nullptr;
  Factor ours;
  Factoring setup;
  Grid grid;
  grid.type = type;
  grid.dof = dof;
  grid.symmetric = true;
  setup.ftype = ftype;
  EXPECT_EQ((int)SetOptions(library), 0);
  if (sorted) {
    EXPECT_EQ((int)BuildGrid(grid, &A), 0);
  } else {
    static PetscInt row_ptr[] = {0, 2, 4}, col_idx[] = {1, 0, 0, 1};
    static PetscScalar values[] = {1, 4, 1, 4};
    EXPECT_EQ((int)MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 2, 2, row_ptr, col_idx, values, &A), 0);
  }
  CaughtError const caught = Catch([&] { return ours.Symbolic(A, "sptrsv", Prefix(library).c_str(), setup); });
  EXPECT_EQ((int)MatDestroy(&A), 0);
  return caught;
}
TEST(Library, OtherFactorsAndBlocksAreRefusedWithARemedy) {
  struct {
    CaughtError error;
    char const* remedy;
  } const cases[] = {{Refusal(libraries[0], MAT_FACTOR_LU, MATSEQAIJ, 1), "-pc_type cholesky"},
                     {Refusal(libraries[0], MAT_FACTOR_ICC, MATSEQAIJ, 1), "choose automatic"},
                     {Refusal(libraries[3], MAT_FACTOR_CHOLESKY, MATSEQAIJ, 1), "-pc_type lu"},
                     {Refusal(libraries[5], MAT_FACTOR_ILU, MATSEQAIJ, 1), "choose automatic"},
                     {Refusal(libraries[5], MAT_FACTOR_LU, MATSEQBAIJ, 2), "MatConvert()"},
                     {Refusal(libraries[0], MAT_FACTOR_CHOLESKY, MATSEQSBAIJ, 2), "MatConvert()"}};
  for (auto const& c : cases) {
    EXPECT_EQ((int)c.error.code, (int)PETSC_ERR_SUP);
    EXPECT_NE(c.error.message.find(c.remedy), std::string::npos) << c.error.message;
  }
  CaughtError const unsorted = Refusal(libraries[0], MAT_FACTOR_CHOLESKY, MATSEQAIJ, 1, false);
  EXPECT_EQ((int)unsorted.code, (int)PETSC_ERR_ARG_WRONG);
  EXPECT_NE(unsorted.message.find("row 0"), std::string::npos) << unsorted.message;
}

#if defined(SPTRSV_HAVE_METIS)
/// PETSc's own factor in the ordering `metis`, solved by the plugin, and PETSc's in `nd`. With dof > 1 rows have
/// inodes.
PetscErrorCode OrderByMetis(PetscInt side, PetscInt dof) {
  Mat A;
  Factor ours;
  Factoring setup;
  Grid grid;
  grid.side = side;
  grid.dof = dof;
  PetscCall(BuildGrid(grid, &A));
  setup.ordering = "metis";
  PetscCall(ours.Symbolic(A, "sptrsv", "no_library_", setup));
  PetscCall(ours.Numeric(A));
  PetscCall(ExpectAsOwn("metis", A, setup, ours.mat(), 1e-11));
  return MatDestroy(&A);
}
TEST(Library, MetisOrdersMatricesOfPetscsOwnFactors) {
  for (PetscInt dof : {1, 2, 3}) EXPECT_EQ((int)OrderByMetis(13, dof), 0) << dof;
  EXPECT_EQ((int)OrderByMetis(1, 1), 0);
}
#endif

/// The library orders the matrix unless the user names an ordering of PETSC.
PetscErrorCode ViewOfKsp(char const* ordering, std::string* text) {
  Mat A;
  KSP ksp;
  PC pc;
  PetscCall(BuildFor(libraries[0], 1, MATSEQAIJ, &A));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "cholmod_"));
  PetscCall(PetscOptionsSetValue(NULL, "-cholmod_pc_type", "cholesky"));
  PetscCall(PetscOptionsSetValue(NULL, "-cholmod_pc_factor_mat_solver_type", "sptrsv"));
  if (ordering) PetscCall(PetscOptionsSetValue(NULL, "-cholmod_pc_factor_mat_ordering_type", ordering));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  *text = ViewText(pc);
  if (ordering) PetscCall(PetscOptionsClearValue(NULL, "-cholmod_pc_factor_mat_ordering_type"));
  PetscCall(KSPDestroy(&ksp));
  return MatDestroy(&A);
}
TEST(Library, OrdersTheMatrixUnlessTheUserDoes) {
  std::string own, given;
  ASSERT_EQ((int)SetOptions(libraries[0]), 0);
  ASSERT_EQ((int)ViewOfKsp(nullptr, &own), 0);
  ASSERT_EQ((int)ViewOfKsp(MATORDERINGRCM, &given), 0);
  EXPECT_EQ(own.find("ordering given"), std::string::npos) << own;
  EXPECT_NE(given.find("ordering given"), std::string::npos) << given;
}

}  // namespace
}  // namespace petsc_test
