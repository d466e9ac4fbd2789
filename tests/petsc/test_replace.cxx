// SPDX-License-Identifier: Apache-2.0
// Tests -mat_sptrsv_replace: factors of PETSc's own type that the plugin makes instead. petsc.programs.* run PETSc's
// own programs with it.
#include "host_device_pair.hpp"
#include "improper_rows.hpp"

namespace petsc_test {
namespace {

constexpr char const* option = "-mat_sptrsv_replace";

/// Sets an option for the life of the object.
class Setting {
 public:
  Setting(std::string name, char const* value) : name_(std::move(name)) {
    EXPECT_EQ((int)PetscOptionsSetValue(NULL, name_.c_str(), value), 0);
  }
  ~Setting() { EXPECT_EQ((int)PetscOptionsClearValue(NULL, name_.c_str()), 0); }
  Setting(Setting const&) = delete;

 private:
  std::string name_;
};

struct Kind {
  MatType matrix;
  MatFactorType ftype;
  bool in_place = false;  ///< whether PETSc factors in place by MatGetFactor()
};
constexpr Kind kinds[] = {
    {MATSEQAIJ, MAT_FACTOR_LU, true},  {MATSEQAIJ, MAT_FACTOR_ILU},          {MATSEQAIJ, MAT_FACTOR_CHOLESKY},
    {MATSEQAIJ, MAT_FACTOR_ICC},       {MATSEQBAIJ, MAT_FACTOR_LU, true},    {MATSEQBAIJ, MAT_FACTOR_ILU},
    {MATSEQBAIJ, MAT_FACTOR_CHOLESKY}, {MATSEQBAIJ, MAT_FACTOR_ICC},         {MATSEQSBAIJ, MAT_FACTOR_CHOLESKY, true},
    {MATSEQSBAIJ, MAT_FACTOR_ICC},     {MATSEQAIJPERM, MAT_FACTOR_LU, true}, {MATSEQAIJPERM, MAT_FACTOR_ICC}};

std::string NameOf(Kind const& kind) { return std::string(MatFactorTypes[kind.ftype]) + " of " + kind.matrix; }

PetscErrorCode Build(Kind const& kind, Mat* A) {
  Grid grid;
  grid.symmetric = kind.ftype == MAT_FACTOR_CHOLESKY || kind.ftype == MAT_FACTOR_ICC;
  grid.type = kind.matrix;
  return BuildGrid(grid, A);
}

Factoring SetupOf(Kind const& kind) {
  Factoring setup;
  setup.ftype = kind.ftype;
  return setup;
}

/// Tells whether the plugin has made a factor.
bool IsOurs(Mat F) {
  MatType type;
  return !MatGetType(F, &type) && std::string(type) == "sptrsv";
}

std::string SolverTypeOf(Mat F) {
  MatSolverType type;
  return MatFactorGetSolverType(F, &type) ? "" : type;
}

TEST(Replace, EveryKindOfFactorIsMadeByThePlugin) {
  for (Kind const& kind : kinds)
    for (char const* asked : {MATSOLVERPETSC, (char const*)nullptr}) {
      SCOPED_TRACE(NameOf(kind) + (asked ? "" : ", no type"));
      Mat A;
      Factor own, ours;
      ASSERT_EQ((int)Build(kind, &A), 0);
      ASSERT_EQ((int)own.Symbolic(A, MATSOLVERPETSC, NULL, SetupOf(kind)), 0);
      ASSERT_EQ((int)own.Numeric(A), 0);
      EXPECT_FALSE(IsOurs(own.mat()));
      Setting const replace(option, "cusparse,petsc");
      Mat F;
      ASSERT_EQ((int)MatGetFactor(A, asked, kind.ftype, &F), 0);
      EXPECT_TRUE(IsOurs(F));
      EXPECT_EQ(SolverTypeOf(F), MATSOLVERPETSC);
      ASSERT_EQ((int)MatDestroy(&F), 0);
      ASSERT_EQ((int)ours.Symbolic(A, MATSOLVERPETSC, NULL, SetupOf(kind)), 0);
      ASSERT_EQ((int)ours.Numeric(A), 0);
      EXPECT_TRUE(IsOurs(ours.mat()));
      EXPECT_NE(ViewText(ours.mat()).find("instead of type petsc (-mat_sptrsv_replace)"), std::string::npos);
      EXPECT_EQ((int)ExpectNear(NameOf(kind), own.mat(), ours.mat()), 0);
      ASSERT_EQ((int)MatDestroy(&A), 0);
    }
}

TEST(Replace, TypeOfReplacedFactorsCanBeChosen) {
  Kind const kind{MATSEQAIJ, MAT_FACTOR_ILU};
  Setting const replace("-a_mat_sptrsv_replace", "petsc"), replace_b("-b_mat_sptrsv_replace", "petsc"),
      type("-mat_sptrsv_type", "tiled"), other("-b_mat_sptrsv_type", "fused");
  for (auto const& [prefix, name] : {std::pair("a_", "tiled"), std::pair("b_", "fused")}) {
    Mat A;
    Factor ours;
    ASSERT_EQ((int)Build(kind, &A), 0);
    ASSERT_EQ((int)MatSetOptionsPrefixFactor(A, prefix), 0);
    ASSERT_EQ((int)ours.Symbolic(A, MATSOLVERPETSC, NULL, SetupOf(kind)), 0);
    ASSERT_EQ((int)ours.Numeric(A), 0);
    std::string const text = ViewText(ours.mat());
    EXPECT_NE(text.find(std::string("type ") + name + ","), std::string::npos) << text;
    EXPECT_EQ(SolverTypeOf(ours.mat()), MATSOLVERPETSC);
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

/// Finds whether a factor of a PC with the prefix is the plugin's. The program names its type, before and after set-up.
PetscErrorCode IsOursInPC(Kind const& kind, char const* prefix, bool* ours) {
  Mat A, F;
  PC pc;
  PetscCall(Build(kind, &A));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetOptionsPrefix(pc, prefix));
  PetscCall(PCSetType(pc, PCILU));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCSetUp(pc));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));  // no change
  PetscCall(PCFactorGetMatrix(pc, &F));
  *ours = IsOurs(F);
  PetscCall(PCDestroy(&pc));
  return MatDestroy(&A);
}

TEST(Replace, PrefixesDecideForThemselves) {
  Kind const kind{MATSEQAIJ, MAT_FACTOR_ILU};
  auto const ours = [&](char const* prefix) {
    bool is = false;
    EXPECT_EQ((int)IsOursInPC(kind, prefix, &is), 0);
    return is;
  };
  EXPECT_FALSE(ours(NULL));
  {
    Setting const replace(option, "petsc"), none("-b_mat_sptrsv_replace", "none"),
        others("-c_mat_sptrsv_replace", "bas,cusparse");
    EXPECT_TRUE(ours(NULL));
    EXPECT_TRUE(ours("a_"));
    EXPECT_FALSE(ours("b_"));
    EXPECT_FALSE(ours("c_"));
  }
  Setting const only("-b_mat_sptrsv_replace", "petsc");
  EXPECT_FALSE(ours(NULL));
  EXPECT_TRUE(ours("b_"));
}

TEST(Replace, WrongNamesAreRefused) {
  struct Case {
    char const *value, *word;
  };
  for (Case const& c : {Case{"petsc,cusprase", "'cusprase'"}, Case{"petsc, kokkos", "' kokkos'"}, Case{"petsc,", "''"},
                        Case{"none,petsc", "'none'"}, Case{"sptrsv", "'sptrsv'"}, Case{"petsc,mumps", "'mumps'"}}) {
    Setting const replace("-b_mat_sptrsv_replace", c.value);
    bool ours;
    auto const error = Catch([&] { return IsOursInPC({MATSEQAIJ, MAT_FACTOR_ILU}, "b_", &ours); });
    EXPECT_EQ((int)error.code, (int)PETSC_ERR_ARG_UNKNOWN_TYPE) << c.value;
    EXPECT_NE(error.message.find("Option -b_mat_sptrsv_replace"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find(c.word), std::string::npos) << error.message;
  }
}

/// Factors A in place, and solves with a right-hand side of ones.
PetscErrorCode SolveInPlace(Kind const& kind, Vec* x) {
  Mat A;
  IS rows, cols;
  MatFactorInfo info;
  Vec b;
  PetscCall(Build(kind, &A));
  PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &rows, &cols));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 5;
  PetscCall(MatCreateVecs(A, x, &b));
  PetscCall(VecSet(b, 1));
  if (kind.ftype == MAT_FACTOR_LU) PetscCall(MatLUFactor(A, rows, cols, &info));
  else PetscCall(MatCholeskyFactor(A, rows, &info));
  PetscCall(MatSolve(A, b, *x));
  return DestroyAll(&rows, &cols, &A, &b);
}

TEST(Replace, FactorsInPlaceStayPetscs) {
  for (Kind const& kind : kinds) {
    if (!kind.in_place) continue;
    SCOPED_TRACE(NameOf(kind));
    Vec own, with_option;
    ASSERT_EQ((int)SolveInPlace(kind, &own), 0);
    Setting const replace(option, "petsc");
    PetscBool same;
    for (int repeat = 0; repeat < 2; ++repeat) {
      ASSERT_EQ((int)SolveInPlace(kind, &with_option), 0);
      ASSERT_EQ((int)VecEqual(own, with_option, &same), 0);
      EXPECT_TRUE(same);
      ASSERT_EQ((int)VecDestroy(&with_option), 0);
    }
    ASSERT_EQ((int)VecDestroy(&own), 0);
  }
}

TEST(Replace, RefusedRowsAreFactoredByPetsc) {
  constexpr PetscInt n = 11;
  ArrayMatrix const A(DiagonalFirst(RingRows(n)));
  Kind const kind{MATSEQAIJ, MAT_FACTOR_ILU};
  Factor own, with_option;
  ASSERT_EQ((int)own.Symbolic(A.mat(), MATSOLVERPETSC, NULL, SetupOf(kind)), 0);
  ASSERT_EQ((int)own.Numeric(A.mat()), 0);
  Setting const replace(option, "petsc");
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_EQ((int)with_option.Symbolic(A.mat(), MATSOLVERPETSC, "b_", SetupOf(kind)), 0);
    ASSERT_EQ((int)with_option.Numeric(A.mat()), 0);
    EXPECT_FALSE(IsOurs(with_option.mat()));
    char const* prefix;
    ASSERT_EQ((int)MatGetOptionsPrefix(with_option.mat(), &prefix), 0);
    EXPECT_STREQ(prefix, "b_");
    std::string const text = ViewText(with_option.mat());
    EXPECT_NE(text.find("after a refusal: sptrsv: row 1 stores column 0 behind column 1"), std::string::npos) << text;
    EXPECT_EQ((int)ExpectSame(own.mat(), with_option.mat()), 0);
  }
}

/// Values outside of the range of numbers are found by the numeric phase, which the plugin has done once before.
TEST(Replace, RefusedValuesAreFactoredByPetsc) {
  if (sizeof(PetscReal) < 8) GTEST_SKIP() << "the values are for double precision";
  constexpr PetscInt bs = 2;
  Mat A;
  Factor own, with_option;
  Factoring setup;
  setup.zero_pivot = 0;
  ASSERT_EQ((int)MatCreateSeqBAIJ(PETSC_COMM_SELF, bs, 2 * bs, 2 * bs, 2, NULL, &A), 0);
  auto const set = [&](PetscReal first, PetscReal coupling, PetscReal second) {
    for (PetscInt r = 0; r < bs; ++r) {
      PetscCall(MatSetValue(A, r, r, first, INSERT_VALUES));
      PetscCall(MatSetValue(A, r, bs + r, coupling, INSERT_VALUES));
      PetscCall(MatSetValue(A, bs + r, bs + r, second, INSERT_VALUES));
    }
    return Assemble(A);
  };
  ASSERT_EQ((int)set(1, 2, 3), 0);
  {
    Setting const replace(option, "petsc");
    ASSERT_EQ((int)with_option.Symbolic(A, MATSOLVERPETSC, NULL, setup), 0);
    ASSERT_EQ((int)with_option.Numeric(A), 0);
    EXPECT_TRUE(IsOurs(with_option.mat()));
    ASSERT_EQ((int)set(1e-200, 1e150, 1e200), 0);
    with_option.info.fill = 0;  // a symbolic phase would refuse that
    ASSERT_EQ((int)with_option.Numeric(A), 0);
  }
  EXPECT_FALSE(IsOurs(with_option.mat()));
  EXPECT_NE(ViewText(with_option.mat())
                .find("not by sptrsv (-mat_sptrsv_replace), after a refusal: Block row 0 of the factor"),
            std::string::npos);
  ASSERT_EQ((int)own.Symbolic(A, MATSOLVERPETSC, NULL, setup), 0);
  ASSERT_EQ((int)own.Numeric(A), 0);
  EXPECT_EQ((int)ExpectSame(own.mat(), with_option.mat()), 0);
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

/// Checks that what the program has set for a factor is kept when the factor is handed over.
TEST(Replace, HandedOverFactorsKeepTheirState) {
  constexpr PetscInt n = 11;
  ArrayMatrix const A(DiagonalFirst(RingRows(n)));
  Kind const kind{MATSEQAIJ, MAT_FACTOR_ILU};
  Factor with_option;
  Setting const replace(option, "petsc");
  ASSERT_EQ((int)with_option.Make(A.mat(), MATSOLVERPETSC, NULL, kind.ftype), 0);
  PetscObject const F = (PetscObject)with_option.mat();
  PetscContainer mine;
  ASSERT_EQ((int)PetscContainerCreate(PETSC_COMM_SELF, &mine), 0);
  ASSERT_EQ((int)PetscObjectCompose(F, "mine", (PetscObject)mine), 0);
  ASSERT_EQ((int)PetscContainerDestroy(&mine), 0);
  ASSERT_EQ((int)PetscObjectSetName(F, "G"), 0);
  PetscObjectId before, after;
  ASSERT_EQ((int)PetscObjectGetId(F, &before), 0);
  ASSERT_EQ((int)with_option.Symbolic(A.mat(), SetupOf(kind)), 0);
  EXPECT_FALSE(IsOurs(with_option.mat()));
  char const* name;
  ASSERT_EQ((int)PetscObjectGetId(F, &after), 0);
  ASSERT_EQ((int)PetscObjectGetName(F, &name), 0);
  ASSERT_EQ((int)PetscObjectQuery(F, "mine", (PetscObject*)&mine), 0);
  EXPECT_EQ(before, after);
  EXPECT_STREQ(name, "G");
  EXPECT_NE(mine, nullptr);
}

/// Checks errors that are no refusals of a matrix.
TEST(Replace, OtherErrorsStayErrors) {
  Kind const kind{MATSEQAIJ, MAT_FACTOR_ILU};
  Setting const replace(option, "petsc");
  Mat A;
  ASSERT_EQ((int)Build(kind, &A), 0);
  for (auto const& [name, value, words] :
       {std::tuple("-mat_sptrsv_plan", "guess", "Option -mat_sptrsv_plan is 'guess'"),
        std::tuple("-mat_sptrsv_levelset_chain_rows", "3", "Option -mat_sptrsv_levelset_chain_rows is called")}) {
    Setting const wrong(name, value), type("-mat_sptrsv_type", "levelset");
    Factor ours;
    if (std::string(name) == "-mat_sptrsv_plan") {
      ASSERT_EQ((int)PetscOptionsClearValue(NULL, "-mat_sptrsv_type"), 0);
    }
    auto error = Catch([&] { return ours.Symbolic(A, MATSOLVERPETSC, NULL, SetupOf(kind)); });
    EXPECT_NE(error.message.find(words), std::string::npos) << error.message;
    error = Catch([&] { return ours.Numeric(A); });
    EXPECT_EQ((int)error.code, (int)PETSC_ERR_ORDER);
  }
  ASSERT_EQ((int)MatDestroy(&A), 0);
}

TEST(Replace, MatricesWithoutFactorsOfThePluginAreLeftAlone) {
  Setting const replace(option, "petsc");
  Mat A, F;
  ASSERT_EQ((int)MatCreateSeqDense(PETSC_COMM_SELF, 3, 3, NULL, &A), 0);
  ASSERT_EQ((int)MatShift(A, 2), 0);
  ASSERT_EQ((int)MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_LU, &F), 0);
  EXPECT_FALSE(IsOurs(F));
  ASSERT_EQ((int)DestroyAll(&A, &F), 0);
  if (!PetscDefined(USE_COMPLEX)) return;
  // PETSc has no factor of a Hermitian matrix either: it raises an error, or returns null
  ASSERT_EQ((int)Build({MATSEQAIJ, MAT_FACTOR_CHOLESKY}, &A), 0);
  ASSERT_EQ((int)MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE), 0);
  ASSERT_EQ((int)MatSetOption(A, MAT_HERMITIAN, PETSC_TRUE), 0);
  F = nullptr;
  (void)Catch([&] { return MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_CHOLESKY, &F); });
  EXPECT_FALSE(F && IsOurs(F));
  ASSERT_EQ((int)DestroyAll(&A, &F), 0);
}

}  // namespace
}  // namespace petsc_test
