// SPDX-License-Identifier: Apache-2.0
// Compares submatrices with new values by the plugin, entry by entry, with those that PETSc cuts from a matrix on the
// host: overlaps, several and no submatrices on a rank, unsorted columns, two sets in turn, changes of the pattern; and
// the PC types asm, gasm and bjacobi.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "factor_pair.hpp"

namespace petsc_test {
namespace {

/// Returns a type of matrix: that of the option -submatrices_mat_type, or aij.
std::string MatTypeOfRun()
{
  char type[64] = MATAIJ;
  (void)PetscOptionsGetString(NULL, NULL, "-submatrices_mat_type", type, sizeof type, NULL);
  return type;
}

/// Sets values of a matrix with five diagonals, not symmetric.
PetscErrorCode SetValues(Mat A, int round, bool more)
{
  PetscInt n, first, last;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    for (PetscInt distance : {-7, -1, 0, 1, 7, 11}) {
      PetscInt const j = i + distance;
      if (j < 0 || j >= n || (distance == 11 && !more)) continue;
      PetscCall(MatSetValue(A, i, j, (distance == 0 ? 9 : -1) + (PetscReal)((3 * i + 5 * j + round) % 13) / 32,
                            INSERT_VALUES));
    }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeMatrix(PetscInt n, char const* type, Mat* A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 6, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 6, NULL, 6, NULL));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(SetValues(*A, 0, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes a PC whose set-up lets the matrix cut submatrices by the plugin.
PetscErrorCode MakePc(Mat A, char const* prefix, PCType type, PC* pc)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, (std::string("-") + prefix + "pc_submatrices_sptrsv").c_str(), "1"));
  PetscCall(PCCreate(PETSC_COMM_WORLD, pc));
  PetscCall(PCSetOptionsPrefix(*pc, prefix));
  PetscCall(PCSetType(*pc, type));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  PetscCall(PCSetUp(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewPc(PC pc, std::string* text)
{
  char name[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscInt id = getpid();
  PetscCallMPI(MPI_Bcast(&id, 1, MPIU_INT, 0, PETSC_COMM_WORLD));
  PetscCall(PetscSNPrintf(name, sizeof name, "submatrices_view_%d.txt", (int)id));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, name, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  std::stringstream contents;
  contents << std::ifstream(name).rdbuf();
  *text = contents.str();
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (rank == 0) std::remove(name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectEqual(std::string const& what, Mat expected, Mat actual)
{
  PetscInt rows, cols, m, n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(expected, &rows, &cols));
  PetscCall(MatGetSize(actual, &m, &n));
  EXPECT_EQ(m, rows) << what;
  EXPECT_EQ(n, cols) << what;
  for (PetscInt i = 0; i < PetscMin(m, rows); ++i) {
    PetscInt count[2];
    PetscInt const* j[2];
    PetscScalar const* a[2];
    PetscCall(MatGetRow(expected, i, &count[0], &j[0], &a[0]));
    PetscCall(MatGetRow(actual, i, &count[1], &j[1], &a[1]));
    EXPECT_EQ(count[1], count[0]) << what << ", row " << i;
    for (PetscInt k = 0; k < PetscMin(count[0], count[1]); ++k) {
      EXPECT_EQ(j[1][k], j[0][k]) << what << ", row " << i;
      EXPECT_EQ(a[1][k], a[0][k]) << what << ", row " << i << ", column " << j[0][k];
    }
    PetscCall(MatRestoreRow(expected, i, &count[0], &j[0], &a[0]));
    PetscCall(MatRestoreRow(actual, i, &count[1], &j[1], &a[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Index sets of this rank: `n` runs of its rows, widened by `overlap` rows on both sides.
/// @param reversed  in descending order
PetscErrorCode MakeSets(Mat A, PetscInt n, PetscInt overlap, bool reversed, std::vector<IS>* sets)
{
  PetscInt size, first, last;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &size, NULL));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt k = 0; k < n; ++k) {
    PetscInt const begin = PetscMax(first + k * (last - first) / n - overlap, 0);
    PetscInt const end = PetscMin(first + (k + 1) * (last - first) / n + overlap, size);
    IS set;
    PetscCall(ISCreateStride(PETSC_COMM_SELF, end - begin, reversed ? end - 1 : begin, reversed ? -1 : 1, &set));
    sets->push_back(set);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A matrix with the plugin's submatrices, and PETSc's own matrix on the host.
struct Pair {
  Mat petscs = nullptr, ours = nullptr;
  PC pc = nullptr;

  PetscErrorCode Create(PetscInt n)
  {
    PetscFunctionBegin;
    PetscCall(MakeMatrix(n, MATAIJ, &petscs));
    PetscCall(MakeMatrix(n, MatTypeOfRun().c_str(), &ours));
    PetscCall(MakePc(ours, "whole_", PCASM, &pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Change(int round, bool more = false)
  {
    PetscFunctionBegin;
    for (Mat m : {petscs, ours}) {
      PetscCall(SetValues(m, round, more));
      PetscCall(MatScale(m, 1.5));  // on a GPU the newest values are there
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Destroy()
  {
    PetscFunctionBegin;
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&petscs));
    PetscCall(MatDestroy(&ours));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/// Sets of index sets, and the plugin's submatrices for them.
struct Cuts {
  std::vector<IS> rows, cols;
  Mat* submat = nullptr;

  PetscInt size() const { return (PetscInt)rows.size(); }
  PetscErrorCode Take(Pair& p, MatReuse reuse)
  {
    PetscFunctionBegin;
    PetscCall(MatCreateSubMatrices(p.ours, size(), rows.data(), cols.data(), reuse, &submat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Compare(Pair& p, std::string const& what)
  {
    Mat* expected = nullptr;
    PetscFunctionBegin;
    PetscCall(MatCreateSubMatrices(p.petscs, size(), rows.data(), cols.data(), MAT_INITIAL_MATRIX, &expected));
    for (PetscInt k = 0; k < size(); ++k) PetscCall(ExpectEqual(what, expected[k], submat[k]));
    PetscCall(MatDestroySubMatrices(size(), &expected));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Destroy()
  {
    PetscFunctionBegin;
    PetscCall(MatDestroySubMatrices(size(), &submat));
    for (auto* sets : {&rows, &cols})
      for (IS& set : *sets) PetscCall(ISDestroy(&set));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

PetscErrorCode ExpectUpdates(Pair& p, int count)
{
  std::string text, line = "new values of submatrices by sptrsv: " + std::to_string(count) + " times";
  PetscFunctionBegin;
  PetscCall(ViewPc(p.pc, &text));
  EXPECT_NE(text.find(line), std::string::npos) << text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareCuts(PetscInt n, PetscInt overlap, bool reversed_cols)
{
  Pair p;
  Cuts cuts;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(p.Create(61));
  PetscInt const mine = rank == 1 ? 0 : n;  // the second rank has none
  PetscCall(MakeSets(p.ours, mine, overlap, false, &cuts.rows));
  PetscCall(MakeSets(p.ours, mine, overlap + 2, reversed_cols, &cuts.cols));
  PetscCall(cuts.Take(p, MAT_INITIAL_MATRIX));
  for (int round = 1; round < 4; ++round) {
    PetscCall(p.Change(round));
    PetscCall(cuts.Take(p, MAT_REUSE_MATRIX));
    PetscCall(cuts.Compare(p, "overlap " + std::to_string(overlap) + ", round " + std::to_string(round)));
  }
  PetscCall(ExpectUpdates(p, 3));
  PetscCall(cuts.Destroy());
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Submatrices, TakeNewValues)
{
  for (PetscInt const overlap : {0, 1, 9}) ASSERT_EQ(CompareCuts(1, overlap, false), PETSC_SUCCESS);
  ASSERT_EQ(CompareCuts(3, 2, false), PETSC_SUCCESS);
  ASSERT_EQ(CompareCuts(2, 1, true), PETSC_SUCCESS);
}

/// Takes values into two sets in turn, into sets made again, and after the pattern has changed.
PetscErrorCode CompareChanges()
{
  Pair p;
  Cuts first, second;

  PetscFunctionBegin;
  PetscCall(p.Create(50));
  PetscCall(MakeSets(p.ours, 1, 1, false, &first.rows));
  PetscCall(MakeSets(p.ours, 1, 1, false, &first.cols));
  PetscCall(MakeSets(p.ours, 2, 3, false, &second.rows));
  PetscCall(MakeSets(p.ours, 2, 3, false, &second.cols));
  for (Cuts* c : {&first, &second}) PetscCall(c->Take(p, MAT_INITIAL_MATRIX));
  for (int round = 1; round < 3; ++round) {
    PetscCall(p.Change(round));
    for (Cuts* c : {&first, &second}) PetscCall(c->Take(p, MAT_REUSE_MATRIX));
    for (Cuts* c : {&first, &second}) PetscCall(c->Compare(p, "two sets, round " + std::to_string(round)));
  }
  PetscCall(p.Change(3, true));
  for (Cuts* c : {&first, &second}) {
    PetscCall(MatDestroySubMatrices(c->size(), &c->submat));
    PetscCall(c->Take(p, MAT_INITIAL_MATRIX));
  }
  PetscCall(p.Change(4, true));
  for (Cuts* c : {&first, &second}) {
    PetscCall(c->Take(p, MAT_REUSE_MATRIX));
    PetscCall(c->Compare(p, "another pattern"));
  }
  PetscCall(ExpectUpdates(p, 6));
  for (Cuts* c : {&first, &second}) PetscCall(c->Destroy());
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Submatrices, FollowChanges) { ASSERT_EQ(CompareChanges(), PETSC_SUCCESS); }

PetscErrorCode Double(PC, PetscInt n, IS const*, IS const*, Mat* submat, void* calls)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) PetscCall(MatScale(submat[k], 2));
  ++*static_cast<int*>(calls);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves with new values by a PC that the plugin serves, and by PETSc's own, and compares solutions.
PetscErrorCode ComparePcs(PCType type, char const* option, char const* value, bool modify)
{
  Pair p;
  PC pcs[2];
  Vec b[2], x[2], scale;
  int calls = 0;
  std::string const what = std::string(type) + ' ' + option + ' ' + value;

  PetscFunctionBegin;
  PetscCall(MakeMatrix(64, MATAIJ, &p.petscs));
  PetscCall(MakeMatrix(64, MatTypeOfRun().c_str(), &p.ours));
  for (int k = 0; k < 2; ++k) {
    std::string const prefix = k ? "ours_" : "petscs_";
    if (*option) PetscCall(PetscOptionsSetValue(NULL, ("-" + prefix + option).c_str(), value));
    PetscCall(PetscOptionsSetValue(NULL, ("-" + prefix + "pc_submatrices_sptrsv").c_str(), k ? "1" : "0"));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pcs[k]));
    PetscCall(PCSetOptionsPrefix(pcs[k], prefix.c_str()));
    PetscCall(PCSetType(pcs[k], type));
    PetscCall(PCSetOperators(pcs[k], k ? p.ours : p.petscs, k ? p.ours : p.petscs));
    if (modify) PetscCall(PCSetModifySubMatrices(pcs[k], Double, &calls));
    if (type == std::string(PCASM) && !*option) {  // a partitioner may choose others for each PC
      std::vector<IS> sets;
      PetscCall(MakeSets(p.petscs, 3, 0, false, &sets));
      PetscCall(PCASMSetLocalSubdomains(pcs[k], (PetscInt)sets.size(), sets.data(), NULL));
      for (IS& set : sets) PetscCall(ISDestroy(&set));
    }
    PetscCall(PCSetFromOptions(pcs[k]));
    PetscCall(MatCreateVecs(k ? p.ours : p.petscs, &x[k], &b[k]));
    PetscCall(VecSet(b[k], 1));
  }
  PetscCall(VecDuplicate(x[0], &scale));
  PetscCall(VecSet(scale, 1));
  for (int round = 0; round < 4; ++round) {
    PetscCall(p.Change(round));
    for (int k = 0; k < 2; ++k) {
      PetscCall(PCSetUp(pcs[k]));
      PetscCall(PCApply(pcs[k], b[k], x[k]));
    }
    PetscCall(ExpectRows(what, x[0], x[1], scale, PetscDefined(USE_REAL_SINGLE) ? 1e-5 : 1e-13));
  }
  EXPECT_EQ(calls, modify ? 8 : 0);
  std::string text;
  PetscMPIInt size;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(ViewPc(pcs[1], &text));
  bool const served = std::string(option) != "pc_asm_sub_mat_type" && (type != std::string(PCGASM) || size == 1);
  EXPECT_EQ(text.find("new values of submatrices by sptrsv: 3 times") != std::string::npos, served) << what << text;
  for (int k = 0; k < 2; ++k) {
    PetscCall(PCDestroy(&pcs[k]));
    PetscCall(VecDestroy(&b[k]));
    PetscCall(VecDestroy(&x[k]));
    if (*option) PetscCall(PetscOptionsClearValue(NULL, (std::string(k ? "-ours_" : "-petscs_") + option).c_str()));
  }
  PetscCall(VecDestroy(&scale));
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Submatrices, OfPcs)
{
  ASSERT_EQ(ComparePcs(PCASM, "", "", false), PETSC_SUCCESS);
  ASSERT_EQ(ComparePcs(PCASM, "pc_asm_overlap", "3", true), PETSC_SUCCESS);
  ASSERT_EQ(ComparePcs(PCASM, "pc_asm_overlap", "0", false), PETSC_SUCCESS);
  ASSERT_EQ(ComparePcs(PCASM, "pc_asm_sub_mat_type", "seqbaij", false), PETSC_SUCCESS);
  PetscMPIInt size;
  ASSERT_EQ(MPI_Comm_size(PETSC_COMM_WORLD, &size), MPI_SUCCESS);
  // on several ranks gasm uses MatCreateSubMatricesMPI(), which is PETSc's; for aijkokkos it keeps the first values
  if (size == 1 || MatTypeOfRun() == MATAIJ) {
    ASSERT_EQ(ComparePcs(PCGASM, "pc_gasm_overlap", "1", false), PETSC_SUCCESS);
  }
  ASSERT_EQ(ComparePcs(PCBJACOBI, "pc_bjacobi_blocks", "12", false), PETSC_SUCCESS);
}

}  // namespace
}  // namespace petsc_test
