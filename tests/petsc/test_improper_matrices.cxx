// SPDX-License-Identifier: Apache-2.0
// Tests rows whose columns are out of order, or that store a column twice: the answer is PETSc's where PETSc is right,
// otherwise an error that names the row, the columns and the remedy.
#include "factor_pair.hpp"
#include "improper_rows.hpp"
#include "sptrsv_petsc.h"

namespace petsc_test {
namespace {

constexpr PetscInt n = 11;
constexpr PetscReal rounding = 1e-12;
char const* const sort_them =
    "; sort the columns of each row in ascending order, with their values; "
    "PetscSortIntWithScalarArray()";
char const* const add_them = " twice; store each column of a row once, with the sum of its values; MatSetValues()";

Factoring SetupOf(MatFactorType ftype) {
  Factoring setup;
  setup.ftype = ftype;
  return setup;
}

constexpr char const* prefixes[] = {"host_", "device_"};

PetscErrorCode Prepare(Mat A, MatFactorType ftype) {
  if (SetupOf(ftype).symmetric()) PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  return PETSC_SUCCESS;
}

/// Returns the error of the symbolic phase.
CaughtError SymbolicError(Mat A, char const* prefix, MatFactorType ftype, char const* type = "levelset") {
  Factor factor;
  return Catch([&] {
    PetscCall(Prepare(A, ftype));
    return factor.Symbolic(A, type, prefix, SetupOf(ftype));
  });
}

void ExpectError(CaughtError const& error, std::string const& words, std::string const& what) {
  EXPECT_EQ((int)error.code, (int)PETSC_ERR_ARG_WRONG) << what << ": " << error.message;
  EXPECT_NE(error.message.find(words), std::string::npos) << what << ": " << error.message;
}

/// Checks the words, by all types of solver and by both sources of values; PETSc's own factors are wrong, without an
/// error. fuzz_calls tries which rows, of which matrices and kinds of factor, are refused, and compares other answers.
TEST(ImproperMatrices, AllTypesSayTheSame) {
  ArrayMatrix const A(DiagonalFirst(RingRows(n)));
  for (Variant const& variant : all_variants())
    for (MatFactorType ftype : {MAT_FACTOR_ILU, MAT_FACTOR_ICC})
      for (char const* prefix : prefixes)
        ExpectError(SymbolicError(A.mat(), prefix, ftype, variant.type),
                    std::string("row 1 stores column 0 behind column 1") + sort_them, variant.label);
}

/// Checks the diagonal twice, a column right of it, one left of it, and the diagonal again at the row's end; PETSc
/// takes the last entry, or both as two.
TEST(ImproperMatrices, ColumnsStoredTwiceAreRefused) {
  for (MatType type : {MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ})
    for (char const* prefix : prefixes)
      for (int which : {0, 1, 2, 3}) {
        bool const upper = std::string(type) == MATSEQSBAIJ;
        if (upper && which == 2) continue;
        Rows const rows = upper ? UpperRows(RingRows(n)) : RingRows(n);
        PetscInt const row = 5;
        auto const& entries = rows[(std::size_t)row];
        auto const diagonal =
            std::find_if(entries.begin(), entries.end(), [](RowEntry const& e) { return e.col == row; });
        auto const at = which == 2 ? 0 : (std::size_t)(diagonal - entries.begin()) + (which == 1);
        ArrayMatrix const A(Repeated(rows, row, at, which == 3), type);
        MatFactorType const ftype = upper ? MAT_FACTOR_ICC : MAT_FACTOR_ILU;
        std::string const words = which == 3 ? std::string("row 5 stores column 5 behind column ")
                                             : "row 5 stores column " + std::to_string(entries[at].col) + add_them;
        ExpectError(SymbolicError(A.mat(), prefix, ftype), words, prefix + std::string(type) + std::to_string(which));
      }
}

/// Checks that the backend refuses to factor L and U whose columns do not ascend.
TEST(ImproperMatrices, FactorsOutOfOrderAreRefusedByTheBackend) {
  Rows rows = RingRows(n);
  std::swap(rows[3][rows[3].size() - 1], rows[3][rows[3].size() - 2]);
  ArrayMatrix const A(rows, MATSEQBAIJ);
  MatFactorType const ftype = MAT_FACTOR_ILU;
  ExpectError(SymbolicError(A.mat(), "device_", ftype),
              std::string("row 3 stores column 7 behind column 10") + sort_them, "seqbaij");
  EXPECT_EQ((int)SymbolicError(A.mat(), "host_", ftype).code, 0);
}

/// Checks that rows and columns of blocks are numbered as such. PETSc makes no such matrices itself, but shows their
/// arrays.
TEST(ImproperMatrices, BlocksOutOfOrderAreNamed) {
  for (MatType type : {MATSEQBAIJ, MATSEQSBAIJ}) {
    Grid grid;
    grid.dof = 2;
    grid.symmetric = true;
    grid.type = type;
    Mat A;
    PetscInt rows;
    PetscInt const *i, *j;
    PetscBool done;
    ASSERT_EQ((int)BuildGrid(grid, &A), 0);
    ASSERT_EQ((int)MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &rows, &i, &j, &done), 0);
    PetscInt* const columns = const_cast<PetscInt*>(j) + i[3];
    std::swap(columns[0], columns[1]);
    std::string const words =
        "row 3 stores column " + std::to_string(columns[1]) + " behind column " + std::to_string(columns[0]);
    ASSERT_EQ((int)MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &rows, &i, &j, &done), 0);
    CaughtError const error = SymbolicError(A, NULL, MAT_FACTOR_ICC);
    ExpectError(error, words, type);
    ExpectError(error, "counted in blocks of 2", type);
    ASSERT_EQ((int)MatDestroy(&A), 0);
  }
}

/// Checks that the numeric phase checks the rows of another matrix.
TEST(ImproperMatrices, ColumnsStoredTwiceAreRefusedByTheNumericPhaseToo) {
  for (char const* prefix : prefixes)
    for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC}) {
      ArrayMatrix const A(RingRows(n)), repeated(Repeated(RingRows(n), 5, 2));
      Factor factor;
      ASSERT_EQ((int)Prepare(A.mat(), ftype), 0);
      ASSERT_EQ((int)factor.Symbolic(A.mat(), "levelset", prefix, SetupOf(ftype)), 0);
      ASSERT_EQ((int)factor.Numeric(A.mat()), 0);
      CaughtError const error = Catch([&] { return factor.Numeric(repeated.mat()); });
      ExpectError(error, std::string("row 5 stores column 5") + add_them, prefix + std::string(MatFactorTypes[ftype]));
      EXPECT_EQ((int)factor.Numeric(A.mat()), 0);
    }
}

/// PC of a type, set up by hand, so that all its actions are in one class.
struct Preconditioner {
  PC pc = nullptr;

  PetscErrorCode Make(Mat A, PCType type, char const* solver) {
    PetscCall(PCCreate(PetscObjectComm((PetscObject)A), &pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, type));
    PetscCall(PCFactorSetMatSolverType(pc, solver));
    PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL));
    return PCFactorReorderForNonzeroDiagonal(pc, 1e-10);
  }
  ~Preconditioner() { (void)PCDestroy(&pc); }
};

/// Checks rows i with a zero on the diagonal, which comes first, and entries in columns i + 3 and i + 1.
TEST(ImproperMatrices, NonzerosAlongTheDiagonalOfRowsOutOfOrder) {
  constexpr PetscInt rows = 6;
  Rows entries;
  for (PetscInt i = 0; i < rows; ++i) entries.push_back({{i, 0}, {(i + 3) % rows, 0.5}, {(i + 1) % rows, 3}});
  ArrayMatrix const A(entries);
  Vec b, x[2];
  ASSERT_EQ((int)MatCreateVecs(A.mat(), &x[0], &b), 0);
  ASSERT_EQ((int)VecDuplicate(b, &x[1]), 0);
  ASSERT_EQ((int)VecSet(b, 7), 0);
  for (bool ours : {false, true}) {
    Preconditioner p;
    ASSERT_EQ((int)p.Make(A.mat(), PCILU, ours ? "levelset" : MATSOLVERPETSC), 0);
    ASSERT_EQ((int)PCFactorSetLevels(p.pc, 1), 0);
    ASSERT_EQ((int)PCFactorSetAllowDiagonalFill(p.pc, PETSC_TRUE), 0);
    CaughtError const error = Catch([&] { return PCSetUp(p.pc); });
    ASSERT_EQ((int)error.code, 0) << error.message;
    ASSERT_EQ((int)PCApply(p.pc, b, x[ours]), 0);
  }
  EXPECT_EQ((int)ExpectRows("nonzeros along the diagonal", x[0], x[1], x[0], rounding), 0);
  for (Vec v : {b, x[0], x[1]}) ASSERT_EQ((int)VecDestroy(&v), 0);
}

/// Checks an empty row 5 if the program requests nonzeros along the diagonal.
TEST(ImproperMatrices, EmptyRowsAreNamedBesideTheOptionThatMovesTheDiagonal) {
  for (MatFactorType ftype : {MAT_FACTOR_LU, MAT_FACTOR_ILU}) {
    Rows rows = RingRows(n);
    rows[5].clear();
    ArrayMatrix const A(rows);
    Preconditioner p;
    ASSERT_EQ((int)p.Make(A.mat(), ftype == MAT_FACTOR_LU ? PCLU : PCILU, "levelset"), 0);
    CaughtError const error = Catch([&] { return PCSetUp(p.pc); });
    EXPECT_NE((int)error.code, 0);
    if (ftype == MAT_FACTOR_ILU) continue;  // PETSc refuses a missing diagonal itself
    EXPECT_NE(error.message.find("-pc_factor_nonzeros_along_diagonal"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("at row 5, column 10 of the matrix"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("that row has no entries at all"), std::string::npos) << error.message;
  }
}

/// Checks that a numeric phase notices a pattern that the program has changed in its own arrays.
TEST(ImproperMatrices, ColumnsChangedInPlaceAreRefusedByTheNumericPhase) {
  ArrayMatrix A(RingRows(n));
  Factor factor;
  ASSERT_EQ((int)factor.Symbolic(A.mat(), "levelset", "host_", SetupOf(MAT_FACTOR_LU)), 0);
  ASSERT_EQ((int)factor.Numeric(A.mat()), 0);
  A.set_column(5, 0, 4);  // columns 1 4 5 6 9
  ExpectError(Catch([&] { return factor.Numeric(A.mat()); }), std::string("row 5 stores column 4") + add_them,
              "in place");
  A.set_column(5, 0, 1);
  EXPECT_EQ((int)factor.Numeric(A.mat()), 0);
}

/// Checks a program's own triangles: columns in any order, and off-diagonal columns stored twice, which count as their
/// sum.
TEST(ImproperMatrices, TrianglesOfAShell) {
  Rows lower = RingRows(n);
  for (std::size_t i = 0; i < lower.size(); ++i)
    while (lower[i].back().col > (PetscInt)i) lower[i].pop_back();
  ArrayMatrix const sorted(lower), doubled(Repeated(lower, 5, 0)), repeated(Repeated(lower, 5, lower[5].size() - 1));
  Vec b, x[2];
  ASSERT_EQ((int)MatCreateVecs(sorted.mat(), &x[0], &b), 0);
  ASSERT_EQ((int)VecDuplicate(b, &x[1]), 0);
  ASSERT_EQ((int)VecSet(b, 1), 0);
  auto const apply = [&](Mat L, Vec y, char const* type, bool transposed) {
    PC pc;
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCSetOperators(pc, L, L));
    PetscErrorCode code = SpTRSVPCShellSetTrianglesDynamic(pc, L, PETSC_FALSE, NULL, PETSC_FALSE, type);
    if (!code) code = PCSetUp(pc);
    if (!code) code = transposed ? PCApplyTranspose(pc, b, y) : PCApply(pc, b, y);
    PetscCall(PCDestroy(&pc));
    return code;
  };
  for (Variant const& variant : all_variants())
    for (bool transposed : {false, true}) {
      ASSERT_EQ((int)apply(sorted.mat(), x[0], variant.type, transposed), 0);
      ASSERT_EQ((int)apply(doubled.mat(), x[1], variant.type, transposed), 0);
      EXPECT_EQ((int)ExpectRows(std::string(variant.label) + ", a column twice", x[0], x[1], x[0], rounding), 0);
      CaughtError const error = Catch([&] { return apply(repeated.mat(), x[1], variant.type, transposed); });
      EXPECT_EQ((int)error.code, (int)PETSC_ERR_ARG_WRONG);
      EXPECT_NE(error.message.find("L: row 5 stores column 5 twice; store each column"), std::string::npos)
          << error.message;
    }
  for (Vec v : {b, x[0], x[1]}) ASSERT_EQ((int)VecDestroy(&v), 0);
}

/// Checks that each rank reports the error of its own block, and no rank waits for another.
/// @param only_last  the rows of all ranks except the last one are sorted
void ExpectErrorsOfRanks(bool only_last) {
  PetscMPIInt rank, size;
  ASSERT_EQ(MPI_Comm_rank(PETSC_COMM_WORLD, &rank), 0);
  ASSERT_EQ(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  bool const improper = !only_last || rank == size - 1;
  std::vector<PetscInt> begin{0, 2, 5, 7}, columns{0, 1, 1, 0, 2, 2, 1}, none_begin(4, 0), none_columns(1, 0);
  std::vector<PetscScalar> values{4, -1, 4, -1, -1, 4, -1}, none(1, 0);
  if (!improper) columns = {0, 1, 0, 1, 2, 1, 2}, values = {4, -1, -1, 4, -1, -1, 4};
  Mat A;
  PC pc;
  ASSERT_EQ((int)MatCreateMPIAIJWithSplitArrays(PETSC_COMM_WORLD, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE, begin.data(),
                                                columns.data(), values.data(), none_begin.data(), none_columns.data(),
                                                none.data(), &A),
            0);
  ASSERT_EQ((int)PCCreate(PETSC_COMM_WORLD, &pc), 0);
  ASSERT_EQ((int)PetscOptionsSetValue(NULL, "-apart_sub_pc_factor_mat_solver_type", "levelset"), 0);
  ASSERT_EQ((int)PCSetOptionsPrefix(pc, "apart_"), 0);
  ASSERT_EQ((int)PCSetType(pc, PCBJACOBI), 0);
  ASSERT_EQ((int)PCSetOperators(pc, A, A), 0);
  ASSERT_EQ((int)PCSetFromOptions(pc), 0);
  CaughtError const error = Catch([&] {
    PetscCall(PCSetUp(pc));
    return PCSetUpOnBlocks(pc);
  });
  if (improper) ExpectError(error, std::string("row 1 stores column 0 behind column 1") + sort_them, "a rank");
  else EXPECT_EQ((int)error.code, 0) << error.message;
  ASSERT_EQ((int)DestroyAll(&pc, &A), 0);
}

TEST(ImproperMatricesOnRanks, EachRankNamesItsRow) {
  for (bool only_last : {false, true}) ExpectErrorsOfRanks(only_last);
}

}  // namespace
}  // namespace petsc_test
