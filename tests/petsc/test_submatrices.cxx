// SPDX-License-Identifier: Apache-2.0
// Compares submatrices with new values by the plugin, entry by entry, with those that PETSc cuts from a matrix on the
// host: overlaps, several and no submatrices on a rank, unsorted columns, two sets in turn, changes of the pattern; and
// the PC types asm, gasm and bjacobi.
#include <petsc/private/matimpl.h>
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
  PetscInt rows, cols, m, n, first, last;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(expected, &rows, &cols));
  PetscCall(MatGetLocalSize(actual, &m, &n));
  EXPECT_EQ(m, rows) << what;
  EXPECT_EQ(n, cols) << what;
  PetscCall(MatGetOwnershipRange(expected, &first, &last));
  for (PetscInt i = first; i < PetscMin(first + m, last); ++i) {
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
  for (int round = 1; round < 5; ++round) {  // the first one by PETSc
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
  for (int round = 1; round < 4; ++round) {
    PetscCall(p.Change(round));
    for (Cuts* c : {&first, &second}) PetscCall(c->Take(p, MAT_REUSE_MATRIX));
    for (Cuts* c : {&first, &second}) PetscCall(c->Compare(p, "two sets, round " + std::to_string(round)));
  }
  PetscCall(p.Change(3, true));
  for (Cuts* c : {&first, &second}) {
    PetscCall(MatDestroySubMatrices(c->size(), &c->submat));
    PetscCall(c->Take(p, MAT_INITIAL_MATRIX));
  }
  for (int round = 4; round < 6; ++round) {
    PetscCall(p.Change(round, true));
    for (Cuts* c : {&first, &second}) {
      PetscCall(c->Take(p, MAT_REUSE_MATRIX));
      PetscCall(c->Compare(p, "another pattern"));
    }
  }
  PetscCall(ExpectUpdates(p, 6));
  for (Cuts* c : {&first, &second}) PetscCall(c->Destroy());
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Submatrices, FollowChanges) { ASSERT_EQ(CompareChanges(), PETSC_SUCCESS); }

/// Takes new values into a matrix that MatCreateSubMatrix() has made, on all ranks.
/// @param shift  0: rows of this rank stay on it; otherwise each rank takes rows that lie partly on the next one
PetscErrorCode CompareOne(PetscInt step, PetscInt shift, bool all_columns)
{
  PetscInt const n = 60;
  Pair p;
  Mat ours, petscs;
  IS rows;
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(p.Create(n));
  PetscCall(MatGetOwnershipRange(p.ours, &first, &last));
  std::vector<PetscInt> chosen;
  for (PetscInt i = first; i < last; i += step) chosen.push_back((i + shift) % n);
  PetscCall(ISCreateGeneral(PETSC_COMM_WORLD, (PetscInt)chosen.size(), chosen.data(), PETSC_COPY_VALUES, &rows));
  IS const cols = all_columns ? NULL : rows;
  PetscCall(MatCreateSubMatrix(p.ours, rows, cols, MAT_INITIAL_MATRIX, &ours));
  for (int round = 1; round < 5; ++round) {
    PetscCall(p.Change(round));
    PetscObjectState before, after;
    PetscCall(PetscObjectStateGet((PetscObject)ours, &before));
    PetscCall(MatCreateSubMatrix(p.ours, rows, cols, MAT_REUSE_MATRIX, &ours));
    PetscCall(PetscObjectStateGet((PetscObject)ours, &after));
    EXPECT_GT(after, before);
    PetscCall(MatCreateSubMatrix(p.petscs, rows, cols, MAT_INITIAL_MATRIX, &petscs));
    PetscCall(ExpectEqual(
        "step " + std::to_string(step) + ", shift " + std::to_string(shift) + ", round " + std::to_string(round),
        petscs, ours));
    PetscCall(MatDestroy(&petscs));
  }
  PetscCall(ExpectUpdates(p, 3));
  PetscCall(MatDestroy(&ours));
  PetscCall(ISDestroy(&rows));
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Submatrices, OfMatCreateSubMatrix)
{
  ASSERT_EQ(CompareOne(2, 0, false), PETSC_SUCCESS);
  ASSERT_EQ(CompareOne(3, 0, true), PETSC_SUCCESS);
  if (!OneRank()) {  // PETSc needs ascending columns on one rank
    ASSERT_EQ(CompareOne(2, 7, false), PETSC_SUCCESS);
  }
}

/// Makes a set of four rows of one rank, each with one other of them as a neighbor.
/// @param adjacent  the neighbors follow each other in the set; otherwise they alternate
PetscErrorCode MakeGeneralSet(bool adjacent, IS* set)
{
  PetscInt const rows[2][4] = {{12, 14, 19, 21}, {12, 19, 40, 47}};

  PetscFunctionBegin;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 4, rows[adjacent], PETSC_COPY_VALUES, set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Index sets that change in place, two index sets in turn for one submatrix, and a submatrix that is not assembled.
PetscErrorCode CompareReusedObjects()
{
  Pair p;
  Cuts cuts;
  IS other;
  PetscInt const* rows;
  int round = 0;

  PetscFunctionBegin;
  PetscCall(p.Create(61));
  cuts.rows.resize(1);
  PetscCall(MakeGeneralSet(true, &cuts.rows[0]));
  PetscCall(MakeGeneralSet(false, &other));
  cuts.cols = cuts.rows;
  PetscCall(PetscObjectReference((PetscObject)cuts.cols[0]));
  PetscCall(cuts.Take(p, MAT_INITIAL_MATRIX));
  auto const take = [&](char const* what, int times) -> PetscErrorCode {
    PetscFunctionBegin;
    for (int k = 0; k < times; ++k) {
      PetscCall(p.Change(++round));
      PetscCall(cuts.Take(p, MAT_REUSE_MATRIX));
      PetscCall(cuts.Compare(p, what));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  PetscCall(take("a general index set", 3));
  std::vector<PetscInt> shifted;
  PetscCall(ISGetIndices(cuts.rows[0], &rows));
  for (int k = 0; k < 4; ++k) shifted.push_back(rows[k] + 1);
  PetscCall(ISRestoreIndices(cuts.rows[0], &rows));
  PetscCall(ISGeneralSetIndices(cuts.rows[0], 4, shifted.data(), PETSC_COPY_VALUES));
  PetscCall(take("an index set that has changed", 3));
  PetscCall(ExpectUpdates(p, 4));
  for (int k = 0; k < 2; ++k) {
    std::swap(cuts.rows[0], other);
    cuts.cols[0] = cuts.rows[0];
    PetscCall(take("two index sets in turn", k + 1));
  }
  PetscCall(MatSetValue(cuts.submat[0], 0, 0, 1, INSERT_VALUES));
  PetscCall(take("a submatrix that was not assembled", 2));
  cuts.cols[0] = nullptr;
  PetscCall(PetscObjectDereference((PetscObject)cuts.rows[0]));
  PetscCall(ISDestroy(&other));
  PetscCall(cuts.Destroy());
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(SubmatricesOnOneRank, OfReusedObjects)
{
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  ASSERT_EQ(CompareReusedObjects(), PETSC_SUCCESS);
}

int calls_of_programs = 0;
PetscErrorCode (*called_by_programs)(Mat, PetscInt, IS const[], IS const[], MatReuse, Mat*[]) = nullptr;

PetscErrorCode CutByProgram(Mat A, PetscInt n, IS const rows[], IS const cols[], MatReuse reuse, Mat* submat[])
{
  ++calls_of_programs;
  return called_by_programs(A, n, rows, cols, reuse, submat);
}

/// Checks that a function which a program has put in place of the matrix' own is called.
PetscErrorCode CheckOwnFunction()
{
  Pair p;
  Cuts cuts;

  PetscFunctionBegin;
  PetscCall(p.Create(61));
  called_by_programs = p.ours->ops->createsubmatrices;
  p.ours->ops->createsubmatrices = CutByProgram;  // MatSetOperation() has other types in each version of PETSc
  PetscCall(MakeSets(p.ours, 2, 1, false, &cuts.rows));
  PetscCall(MakeSets(p.ours, 2, 1, false, &cuts.cols));
  PetscCall(cuts.Take(p, MAT_INITIAL_MATRIX));
  for (int round = 1; round < 4; ++round) {
    PetscCall(p.Change(round));
    PetscCall(PCSetUp(p.pc));
    PetscCall(cuts.Take(p, MAT_REUSE_MATRIX));
    PetscCall(cuts.Compare(p, "by a program's function"));
  }
  EXPECT_EQ(calls_of_programs, 7);  // the PC's, too
  PetscCall(ExpectUpdates(p, 4));
  PetscCall(cuts.Destroy());
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Submatrices, LeaveFunctionsOfPrograms) { ASSERT_EQ(CheckOwnFunction(), PETSC_SUCCESS); }

/// Checks that 1,000 set-ups with new values do not need more memory than 100.
PetscErrorCode CheckMemory()
{
  Pair p;
  PetscLogDouble before = 0, after;

  PetscFunctionBegin;
  PetscCall(p.Create(4000));
  for (int round = 1; round <= 1000; ++round) {
    PetscCall(MatScale(p.ours, 1.001));
    PetscCall(PCSetUp(p.pc));
    if (round == 100) PetscCall(PetscMemoryGetCurrentUsage(&before));
  }
  PetscCall(PetscMemoryGetCurrentUsage(&after));
  EXPECT_LT(after - before, 1 << 20);
  PetscCall(ExpectUpdates(p, 999));
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Submatrices, KeepTheirMemory) { ASSERT_EQ(CheckMemory(), PETSC_SUCCESS); }

/// Checks that what is known of submatrices is freed after them, though the matrix lives on.
PetscErrorCode CheckMemoryOfDestroyed()
{
  Pair p;
  PetscLogDouble before = 0, after;

  PetscFunctionBegin;
  PetscCall(p.Create(20000));
  for (int reset = 0; reset < 30; ++reset) {
    PetscCall(PCReset(p.pc));
    PetscCall(PCSetOperators(p.pc, p.ours, p.ours));
    for (int round = 0; round < 3; ++round) {
      PetscCall(MatScale(p.ours, 1.001));
      PetscCall(PCSetUp(p.pc));
    }
    if (reset == 4) PetscCall(PetscMemoryGetCurrentUsage(&before));
  }
  PetscCall(PetscMemoryGetCurrentUsage(&after));
  EXPECT_LT(after - before, 12 << 20);  // 3 MB for each reset otherwise
  PetscCall(ExpectUpdates(p, 30));
  PetscCall(p.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Submatrices, FreeTheirMemory) { ASSERT_EQ(CheckMemoryOfDestroyed(), PETSC_SUCCESS); }

/// Changes a matrix' pattern in place, which PETSc's nonzero state does not show, and solves.
PetscErrorCode CompareInPlace(PCType type)
{
  PetscInt const n = 40;
  Mat A[2];
  PC pcs[2];
  Vec b, x[2], scale;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    std::string const prefix = k ? "ours_" : "petscs_";
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A[k]));
    PetscCall(MatSetSizes(A[k], PETSC_DECIDE, PETSC_DECIDE, n, n));
    PetscCall(MatSetType(A[k], MATAIJ));
    PetscCall(MatSeqAIJSetPreallocation(A[k], 2, NULL));
    PetscCall(MatSetOption(A[k], MAT_SORTED_FULL, PETSC_TRUE));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pcs[k]));
    PetscCall(PCSetOptionsPrefix(pcs[k], prefix.c_str()));
    PetscCall(PCSetType(pcs[k], type));
    PetscCall(PCSetOperators(pcs[k], A[k], A[k]));
    std::pair<char const*, char const*> const options[] = {{"pc_submatrices_sptrsv", k ? "1" : "0"},
                                                           {"sub_pc_type", "sor"},
                                                           {"pc_asm_blocks", "4"},
                                                           {"pc_asm_overlap", "0"},
                                                           {"pc_bjacobi_blocks", "4"},
                                                           {"pc_gasm_total_subdomains", "4"}};
    for (auto const& [name, value] : options)
      PetscCall(PetscOptionsSetValue(NULL, ("-" + prefix + name).c_str(), value));
    PetscCall(PCSetFromOptions(pcs[k]));
    PetscCall(MatCreateVecs(A[k], &x[k], k ? NULL : &b));
  }
  PetscCall(VecSet(b, 1));
  PetscCall(VecDuplicate(b, &scale));
  PetscCall(VecSet(scale, 1));
  for (int round = 0; round < 8; ++round) {
    for (int k = 0; k < 2; ++k) {
      if (round == 4) PetscCall(MatResetPreallocation(A[k]));
      for (PetscInt i = 0; i < n; ++i) {  // pairs of rows in blocks of ten
        PetscInt const block = i / 10 * 10, partner = block + (round < 4 ? (i - block) ^ 1 : 9 - (i - block));
        PetscInt const columns[] = {PetscMin(i, partner), PetscMax(i, partner)};
        PetscReal const d = 3 + (PetscReal)((i + round) % 7) / 8;
        PetscScalar const values[] = {i <= partner ? d : -1, i <= partner ? -1 : d};
        PetscCall(MatSetValues(A[k], 1, &i, 2, columns, values, INSERT_VALUES));
      }
      PetscCall(MatAssemblyBegin(A[k], MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(A[k], MAT_FINAL_ASSEMBLY));
      PetscCall(PCSetUp(pcs[k]));
      PetscCall(PCApply(pcs[k], b, x[k]));
    }
    PetscCall(ExpectRows(std::string(type) + ", round " + std::to_string(round), x[0], x[1], scale,
                         PetscDefined(USE_REAL_SINGLE) ? 1e-5 : 1e-13));
  }
  for (Vec* v : {&b, &x[0], &x[1], &scale}) PetscCall(VecDestroy(v));
  for (int k = 0; k < 2; ++k) {
    PetscCall(PCDestroy(&pcs[k]));
    PetscCall(MatDestroy(&A[k]));
    for (char const* name : {"pc_submatrices_sptrsv", "sub_pc_type", "pc_asm_blocks", "pc_asm_overlap",
                             "pc_bjacobi_blocks", "pc_gasm_total_subdomains"})
      PetscCall(PetscOptionsClearValue(NULL, (std::string(k ? "-ours_" : "-petscs_") + name).c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(SubmatricesOnOneRank, OfPatternsChangedInPlace)
{
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  for (PCType type : {PCASM, PCGASM, PCBJACOBI}) ASSERT_EQ(CompareInPlace(type), PETSC_SUCCESS) << type;
}

PetscErrorCode Double(PC, PetscInt n, IS const*, IS const*, Mat* submat, void* calls)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) PetscCall(MatScale(submat[k], 2));
  ++*static_cast<int*>(calls);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves with new values by a PC that the plugin serves, and by PETSc's own, and compares solutions.
/// @param times  how often the plugin takes values into submatrices in four set-ups with new values
PetscErrorCode ComparePcs(PCType type, char const* option, char const* value, bool modify, int times = 3)
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
  for (int round = 0; round < 5; ++round) {
    PetscCall(p.Change(round));
    for (int k = 0; k < 2; ++k) {
      PetscCall(PCSetUp(pcs[k]));
      PetscCall(PCApply(pcs[k], b[k], x[k]));
    }
    PetscCall(ExpectRows(what, x[0], x[1], scale, PetscDefined(USE_REAL_SINGLE) ? 1e-5 : 1e-13));
  }
  EXPECT_EQ(calls, modify ? 10 : 0);
  std::string text;
  PetscCall(ViewPc(pcs[1], &text));
  bool const served = std::string(option) != "pc_asm_sub_mat_type" && (type != std::string(PCGASM) || OneRank());
  std::string const line = "new values of submatrices by sptrsv: " + std::to_string(times) + " times";
  EXPECT_EQ(text.find(line) != std::string::npos, served) << what << text;
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
  // on several ranks gasm uses MatCreateSubMatricesMPI(), which is PETSc's; for aijkokkos it keeps the first values
  if (OneRank() || MatTypeOfRun() == MATAIJ) {
    ASSERT_EQ(ComparePcs(PCGASM, "pc_gasm_overlap", "1", false), PETSC_SUCCESS);
  }
  ASSERT_EQ(ComparePcs(PCBJACOBI, "pc_bjacobi_blocks", "12", false), PETSC_SUCCESS);
  // two diagonal blocks and one with the columns of the first
  ASSERT_EQ(ComparePcs(PCFIELDSPLIT, "pc_fieldsplit_block_size", "2", false, 9), PETSC_SUCCESS);
  // PETSc's own restores the array of another vector than that of which it got it, which vectors of Kokkos do not take
  if (MatTypeOfRun() != "aijkokkos") {
    ASSERT_EQ(ComparePcs(PCREDISTRIBUTE, "", "", false), PETSC_SUCCESS);
  }
}

}  // namespace
}  // namespace petsc_test
