// SPDX-License-Identifier: Apache-2.0
// Tests factors of aij matrices with dense blocks as pivots: each is compared with PETSc's own factor of the same
// matrix of type baij. CMake runs all tests again with factors by the backend.
#include "block_pair.hpp"
#include "host_device_pair.hpp"

namespace petsc_test {
namespace {

char const* const prefix = "blocks_";

/// Fixture in which factors with the prefix have dense blocks as pivots, and the other options of this run.
class BlockPivots : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ((int)PetscOptionsSetValue(NULL, "-blocks_mat_sptrsv_block_pivots", "true"), 0);
    ASSERT_EQ((int)PetscOptionsSetValue(NULL, "-blocks_mat_sptrsv_factor", of_run("factor", "host").c_str()), 0);
    if (!of_run("backend", "").empty()) {
      ASSERT_EQ((int)PetscOptionsSetValue(NULL, "-blocks_mat_sptrsv_backend", of_run("backend", "").c_str()), 0);
    }
    by_backend_ = of_run("factor", "host") == "device";
  }
  void TearDown() override {
    for (char const* option :
         {"-blocks_mat_sptrsv_block_pivots", "-blocks_mat_sptrsv_factor", "-blocks_mat_sptrsv_backend"})
      ASSERT_EQ((int)PetscOptionsClearValue(NULL, option), 0);
  }
  /// Returns the value of an option of this run without a prefix.
  static std::string of_run(std::string const& option, std::string const& otherwise) {
    char value[16];
    PetscBool given;
    EXPECT_EQ((int)PetscOptionsGetString(NULL, NULL, ("-mat_sptrsv_" + option).c_str(), value, sizeof value, &given),
              0);
    return given ? value : otherwise;
  }
  bool by_backend_ = false;  ///< whether the backend computes the factors
};

/// A matrix as aij and as baij, with PETSc's factor of the second and the plugin's of the first.
struct AijAndBaij {
  Mat aij = nullptr, baij = nullptr;
  Factor own, ours;

  ~AijAndBaij() {
    (void)MatDestroy(&aij);
    (void)MatDestroy(&baij);
  }
  PetscErrorCode Make(BlockMatrix m) {
    m.type = MATSEQAIJ;
    PetscCall(Build(m, &aij));
    m.type = MATSEQBAIJ;
    return Build(m, &baij);
  }
  PetscErrorCode Symbolic(Factoring setup, char const* type) {
    PetscCall(own.Symbolic(baij, MATSOLVERPETSC, NULL, setup));
    std::vector<PetscInt> const of_blocks = setup.row_perm;
    PetscInt bs;
    PetscCall(MatGetBlockSize(aij, &bs));
    setup.row_perm.clear();
    for (PetscInt block : of_blocks)
      for (PetscInt r = 0; r < bs; ++r) setup.row_perm.push_back(block * bs + r);
    setup.col_perm = setup.row_perm;
    return ours.Symbolic(aij, type, prefix, setup);
  }
  /// Computes the values of both factors, and compares the results.
  PetscErrorCode Numeric() {
    PetscCall(own.Numeric(baij));
    PetscCall(ours.Numeric(aij));
    return ExpectNear("with blocks as pivots", own.mat(), ours.mat());
  }
};

/// @param by_backend  whether the backend computes the factors; PETSc's own ICC(k) with k >= 1 then differs
PetscErrorCode CheckFactors(BlockMatrix const& m, bool by_backend) {
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC})
    for (PetscInt levels = 0; levels < 3; ++levels)
      for (bool const reversed : {false, true}) {
        Factoring setup;
        setup.ftype = ftype;
        setup.levels = levels;
        bool const incomplete = ftype == MAT_FACTOR_ILU || ftype == MAT_FACTOR_ICC;
        if (levels > 0 && by_backend && ftype == MAT_FACTOR_ICC) continue;
        if ((levels > 0 && !incomplete) || (reversed && setup.symmetric())) continue;
        for (PetscInt block = 0; reversed && block < m.rows; ++block) setup.row_perm.push_back(m.rows - 1 - block);
        setup.col_perm = setup.row_perm;
        SCOPED_TRACE(std::to_string(m.bs) + ", " + MatFactorTypes[ftype] + " " + std::to_string(levels) +
                     (reversed ? ", reversed" : ""));
        for (char const* type : {"levelset", "sptrsv"}) {
          AijAndBaij pair;
          PetscCall(pair.Make(m));
          PetscCall(pair.Symbolic(setup, type));
          PetscCall(pair.Numeric());
          for (Mat A : {pair.aij, pair.baij}) PetscCall(MatScale(A, 1.5));
          PetscCall(pair.Numeric());
          std::string const view = ViewText(pair.ours.mat());
          EXPECT_NE(view.find("pivots are blocks of " + std::to_string(m.bs)), std::string::npos) << view;
          EXPECT_EQ(view.find("factored by sptrsv") != std::string::npos, by_backend) << view;
        }
      }
  return PETSC_SUCCESS;
}

/// Returns an entry of a symmetric block with a dominant diagonal.
PetscScalar Symmetric(PetscInt, PetscInt r, PetscInt c) { return r == c ? 4.0 : 0.2 + 0.1 * (PetscReal)(r + c); }

TEST_F(BlockPivots, AreThoseOfBaij) {
  for (PetscInt bs : {2, 3, 5, 7}) {
    BlockMatrix m;
    m.bs = bs;
    m.diagonal = Symmetric;
    EXPECT_EQ((int)CheckFactors(m, by_backend_), 0);
  }
}
TEST_F(BlockPivots, TakeMissingEntriesOfBlocksAsZeros) {
  for (PetscInt bs : {2, 3}) {
    BlockMatrix m;
    m.bs = bs;
    m.diagonal = Symmetric;
    m.without = [](PetscInt I, PetscInt J, PetscInt r, PetscInt c) { return I != J && (r + c + I + J) % 3 == 0; };
    EXPECT_EQ((int)CheckFactors(m, by_backend_), 0);
  }
}
/// Checks blocks that only pivoting within the block could invert, for which PETSc reports the block's row.
TEST_F(BlockPivots, ReportZeroPivotsAsBaijDoes) {
  for (PetscInt bs : {2, 3, 4}) {
    BlockMatrix m;
    m.bs = bs;
    m.diagonal = [](PetscInt block, PetscInt r, PetscInt c) { return block == 5 ? 0 : Dominant(block, r, c); };
    m.coupling = 0;
    AijAndBaij pair;
    PivotStatus own, ours;
    ASSERT_EQ((int)pair.Make(m), 0);
    for (Mat A : {pair.aij, pair.baij}) ASSERT_EQ((int)MatSetErrorIfFailure(A, PETSC_FALSE), 0);
    Factoring setup;
    setup.ftype = MAT_FACTOR_ILU;
    ASSERT_EQ((int)pair.Symbolic(setup, "sptrsv"), 0);
    ASSERT_EQ((int)pair.own.Numeric(pair.baij), 0);
    ASSERT_EQ((int)pair.ours.Numeric(pair.aij), 0);
    ASSERT_EQ((int)GetPivotStatus(pair.own.mat(), &own), 0);
    ASSERT_EQ((int)GetPivotStatus(pair.ours.mat(), &ours), 0);
    EXPECT_NE((int)own.error, 0);
    EXPECT_EQ((int)own.error, (int)ours.error);
  }
}
TEST_F(BlockPivots, FollowChangesOfThePattern) {
  AijAndBaij pair;
  BlockMatrix m;
  m.diagonal = Symmetric;
  m.without = [](PetscInt I, PetscInt J, PetscInt r, PetscInt c) { return I == 3 && J == 4 && r == 0 && c == 1; };
  Factoring setup;
  setup.ftype = MAT_FACTOR_ILU;
  ASSERT_EQ((int)pair.Make(m), 0);
  ASSERT_EQ((int)pair.Symbolic(setup, "levelset"), 0);
  ASSERT_EQ((int)pair.Numeric(), 0);
  for (Mat A : {pair.aij, pair.baij}) {  // a new entry in a block that exists
    ASSERT_EQ((int)MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE), 0);
    ASSERT_EQ((int)MatSetValue(A, 6, 9, 0.7, INSERT_VALUES), 0);
    ASSERT_EQ((int)Assemble(A), 0);
  }
  EXPECT_EQ((int)pair.Numeric(), 0);
}

/// Checks the factor of a PC with its default ordering, for which a matrix with inodes would have ND.
TEST_F(BlockPivots, HaveTheNaturalOrderingByDefault) {
  for (PCType type : {PCLU, PCCHOLESKY, PCILU, PCICC}) {
    BlockMatrix m;
    m.type = MATSEQAIJ;
    m.bs = 3;
    m.diagonal = Symmetric;
    Mat A;
    PC pc;
    MatOrderingType ordering;
    ASSERT_EQ((int)Build(m, &A), 0);
    ASSERT_EQ((int)MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE), 0);
    ASSERT_EQ((int)PCCreate(PETSC_COMM_SELF, &pc), 0);
    ASSERT_EQ((int)PCSetOptionsPrefix(pc, prefix), 0);
    ASSERT_EQ((int)PCSetOperators(pc, A, A), 0);
    ASSERT_EQ((int)PCSetType(pc, type), 0);
    ASSERT_EQ((int)PCFactorSetMatSolverType(pc, "colorset"), 0);
    ASSERT_EQ((int)PCSetUp(pc), 0) << type;
    Mat F;
    ASSERT_EQ((int)PCFactorGetMatrix(pc, &F), 0);
    ASSERT_EQ((int)MatFactorGetPreferredOrdering(F, MAT_FACTOR_LU, &ordering), 0);
    EXPECT_STREQ(ordering, MATORDERINGNATURAL) << type;
    ASSERT_EQ((int)PCDestroy(&pc), 0);
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}
/// Checks that a numeric phase that fails leaves nothing behind.
TEST_F(BlockPivots, GoOnAfterAFailure) {
  AijAndBaij pair;
  BlockMatrix m;
  m.diagonal = Symmetric;
  Factoring setup;
  setup.ftype = MAT_FACTOR_ILU;
  ASSERT_EQ((int)pair.Make(m), 0);
  ASSERT_EQ((int)pair.Symbolic(setup, "levelset"), 0);
  ASSERT_EQ((int)pair.Numeric(), 0);
  PetscInt row_ptr[25], col_idx[25];
  PetscScalar values[25];
  for (PetscInt i = 0; i <= 24; ++i) {
    row_ptr[i] = i == 24 ? 25 : i;
    col_idx[i] = i == 24 ? 23 : i;
    values[i] = 1;
  }
  Mat twice;  // the last row has its diagonal entry twice
  ASSERT_EQ((int)MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 24, 24, row_ptr, col_idx, values, &twice), 0);
  CaughtError const caught = Catch([&] { return pair.ours.Numeric(twice); });
  EXPECT_NE(caught.message.find("Row 23"), std::string::npos) << caught.message;
  EXPECT_EQ((int)pair.Numeric(), 0);
  ASSERT_EQ((int)MatDestroy(&twice), 0);
}

TEST_F(BlockPivots, AreRefusedWithARemedy) {
  auto const refused = [](char const* type, PetscInt bs, std::vector<PetscInt> const& order, std::string const& part) {
    BlockMatrix m;
    m.type = type;
    m.bs = bs;
    m.diagonal = Dominant;
    Mat A;
    Factor factor;
    Factoring setup;
    setup.ftype = MAT_FACTOR_ILU;
    setup.row_perm = setup.col_perm = order;
    ASSERT_EQ((int)Build(m, &A), 0);
    CaughtError const caught = Catch([&] { return factor.Symbolic(A, "levelset", prefix, setup); });
    EXPECT_NE((int)caught.code, 0);
    EXPECT_NE(caught.message.find(part), std::string::npos) << caught.message;
    ASSERT_EQ((int)MatDestroy(&A), 0);
  };
  refused(MATSEQAIJ, 1, {}, "MatSetBlockSize()");
  refused(MATSEQBAIJ, 2, {}, "is for matrices of type seqaij");
  std::vector<PetscInt> order(24);
  for (PetscInt k = 0; k < 24; ++k) order[(std::size_t)k] = (k + 1) % 24;
  refused(MATSEQAIJ, 2, order, "separates the rows of block 0 of 2 rows");
}

/// Returns an ordering of the rows of a block matrix as aij.
/// @param inodes  whether PETSc looks for rows with equal columns
std::vector<PetscInt> OrderingOf(BlockMatrix m, char const* ordering, bool inodes) {
  Mat A;
  IS rows, cols;
  PetscInt n;
  PetscInt const* indices;
  m.type = MATSEQAIJ;
  m.diagonal = Dominant;
  EXPECT_EQ((int)PetscOptionsSetValue(NULL, "-mat_no_inode", inodes ? "false" : "true"), 0);
  EXPECT_EQ((int)Build(m, &A), 0);
  EXPECT_EQ((int)PetscOptionsClearValue(NULL, "-mat_no_inode"), 0);
  EXPECT_EQ((int)MatGetOrdering(A, ordering, &rows, &cols), 0);
  EXPECT_EQ((int)ISGetLocalSize(rows, &n), 0);
  EXPECT_EQ((int)ISGetIndices(rows, &indices), 0);
  std::vector<PetscInt> const order(indices, indices + n);
  EXPECT_EQ((int)ISRestoreIndices(rows, &indices), 0);
  for (IS* is : {&rows, &cols}) EXPECT_EQ((int)ISDestroy(is), 0);
  EXPECT_EQ((int)MatDestroy(&A), 0);
  return order;
}

TEST(NodeOrderings, AreTheSameWithAndWithoutInodes) {
  for (char const* ordering : {"color", "blockcolor"})
    for (PetscInt bs : {2, 3, 5}) {
      BlockMatrix m;
      m.bs = bs;
      auto const order = OrderingOf(m, ordering, false);
      EXPECT_EQ(order, OrderingOf(m, ordering, true)) << ordering << " " << bs;
      ASSERT_EQ(order.size(), (std::size_t)(m.rows * bs));
      for (std::size_t k = 0; k < order.size(); ++k)
        EXPECT_EQ(order[k], order[k - k % (std::size_t)bs] + (PetscInt)k % bs) << ordering << " " << bs;
      m.without = [](PetscInt I, PetscInt J, PetscInt r, PetscInt c) { return I == 4 && J == 5 && r == 1 && c == 0; };
      auto const of_rows = OrderingOf(m, ordering, false);  // no nodes: an ordering of the rows
      EXPECT_EQ(of_rows.size(), order.size());
    }
}

}  // namespace
}  // namespace petsc_test
