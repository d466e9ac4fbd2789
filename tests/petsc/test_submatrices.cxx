// SPDX-License-Identifier: Apache-2.0
// Compares submatrices with new values by the plugin, entry by entry, with those that PETSc cuts from a matrix on the
// host: overlaps, several and no submatrices on a rank, unsorted columns, two sets in turn, changes of the pattern and
// of index sets; functions of programs in place of the matrix' own; memory.
#include <petsc/private/matimpl.h>

#include "allocated_bytes.hpp"
#include "submatrix_pair.hpp"

#include <algorithm>

namespace petsc_test {
namespace {

PetscErrorCode CompareCuts(PetscInt n, PetscInt overlap, bool reversed_cols) {
  SubmatrixPair p;
  SubmatrixSets cuts;
  PetscMPIInt rank;
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
  return p.Destroy();
}

TEST(Submatrices, TakeNewValues) {
  for (PetscInt const overlap : {0, 1, 9}) ASSERT_EQ(CompareCuts(1, overlap, false), PETSC_SUCCESS);
  ASSERT_EQ(CompareCuts(3, 2, false), PETSC_SUCCESS);
  ASSERT_EQ(CompareCuts(2, 1, true), PETSC_SUCCESS);
}

/// Takes values into two sets in turn, into sets made again, and after the pattern has changed.
PetscErrorCode CompareChanges() {
  SubmatrixPair p;
  SubmatrixSets first, second;
  PetscCall(p.Create(50));
  PetscCall(MakeSets(p.ours, 1, 1, false, &first.rows));
  PetscCall(MakeSets(p.ours, 1, 1, false, &first.cols));
  PetscCall(MakeSets(p.ours, 2, 3, false, &second.rows));
  PetscCall(MakeSets(p.ours, 2, 3, false, &second.cols));
  for (SubmatrixSets* c : {&first, &second}) PetscCall(c->Take(p, MAT_INITIAL_MATRIX));
  for (int round = 1; round < 4; ++round) {
    PetscCall(p.Change(round));
    for (SubmatrixSets* c : {&first, &second}) PetscCall(c->Take(p, MAT_REUSE_MATRIX));
    for (SubmatrixSets* c : {&first, &second}) PetscCall(c->Compare(p, "two sets, round " + std::to_string(round)));
  }
  PetscCall(p.Change(3, true));
  for (SubmatrixSets* c : {&first, &second}) {
    PetscCall(MatDestroySubMatrices(c->size(), &c->submat));
    PetscCall(c->Take(p, MAT_INITIAL_MATRIX));
  }
  for (int round = 4; round < 6; ++round) {
    PetscCall(p.Change(round, true));
    for (SubmatrixSets* c : {&first, &second}) {
      PetscCall(c->Take(p, MAT_REUSE_MATRIX));
      PetscCall(c->Compare(p, "another pattern"));
    }
  }
  PetscCall(ExpectUpdates(p, 6));
  for (SubmatrixSets* c : {&first, &second}) PetscCall(c->Destroy());
  return p.Destroy();
}

TEST(Submatrices, FollowChanges) { ASSERT_EQ(CompareChanges(), PETSC_SUCCESS); }

/// Takes new values into a matrix that MatCreateSubMatrix() has made, on all ranks.
/// @param shift  0: rows of this rank stay on it; otherwise each rank takes rows that lie partly on the next one
PetscErrorCode CompareOne(PetscInt step, PetscInt shift, bool all_columns) {
  PetscInt const n = 60;
  SubmatrixPair p;
  Mat ours, native;
  IS rows;
  PetscInt first, last;
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
    PetscCall(MatCreateSubMatrix(p.native, rows, cols, MAT_INITIAL_MATRIX, &native));
    PetscCall(ExpectEqual(
        "step " + std::to_string(step) + ", shift " + std::to_string(shift) + ", round " + std::to_string(round),
        native, ours));
    PetscCall(MatDestroy(&native));
  }
  PetscCall(ExpectUpdates(p, 3));
  PetscCall(DestroyAll(&ours, &rows));
  return p.Destroy();
}

TEST(Submatrices, OfMatCreateSubMatrix) {
  ASSERT_EQ(CompareOne(2, 0, false), PETSC_SUCCESS);
  ASSERT_EQ(CompareOne(3, 0, true), PETSC_SUCCESS);
  if (!OneRank()) {  // PETSc needs ascending columns on one rank
    ASSERT_EQ(CompareOne(2, 7, false), PETSC_SUCCESS);
  }
}

/// Calls whose index sets are the same four objects, in other pairs, for the same submatrices of a dense matrix.
PetscErrorCode CompareSetsInOtherPairs() {
  SubmatrixPair p;
  SubmatrixSets cuts, others;
  IS sets[3];
  for (Mat* m : {&p.native, &p.ours}) {
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 6, 6, 6, NULL, m));
    for (PetscInt k = 0; k < 36; ++k) PetscCall(MatSetValue(*m, k / 6, k % 6, k, INSERT_VALUES));
    PetscCall(Assemble(*m));
  }
  PetscCall(MatConvert(p.ours, MatTypeOfRun().c_str(), MAT_INPLACE_MATRIX, &p.ours));
  PetscCall(MakePc(p.ours, "whole_", PCASM, &p.pc));
  for (PetscInt k = 0; k < 3; ++k) PetscCall(ISCreateStride(PETSC_COMM_SELF, 2, 2 * k, 1, &sets[k]));
  cuts.rows = {sets[0], sets[1]};
  cuts.cols = {sets[0], sets[2]};
  others.rows = {sets[0], sets[2]};
  others.cols = {sets[1], sets[2]};
  PetscCall(cuts.Take(p, MAT_INITIAL_MATRIX));
  for (int round = 0; round < 3; ++round) PetscCall(cuts.Take(p, MAT_REUSE_MATRIX));
  others.submat = cuts.submat;
  PetscCall(others.Take(p, MAT_REUSE_MATRIX));
  PetscCall(others.Compare(p, "index sets in other pairs"));
  PetscCall(MatDestroySubMatrices(2, &others.submat));
  for (IS& set : sets) PetscCall(ISDestroy(&set));
  return p.Destroy();
}

TEST(Submatrices, TellPairsOfIndexSetsApart) { ASSERT_EQ(CompareSetsInOtherPairs(), PETSC_SUCCESS); }

/// A matrix that becomes one of a type with a copy of its values for products, after its submatrices are known.
PetscErrorCode CompareAfterConversion() {
  SubmatrixPair p;
  SubmatrixSets cuts;
  Vec x, y;
  PetscScalar sum, expected;
  PetscCall(p.Create(24));
  PetscCall(MatConvert(p.ours, MATAIJCRL, MAT_INPLACE_MATRIX, &p.ours));
  PetscCall(MakeSets(p.ours, 1, 0, false, &cuts.rows));
  PetscCall(MakeSets(p.ours, 1, 0, false, &cuts.cols));
  PetscCall(cuts.Take(p, MAT_INITIAL_MATRIX));
  PetscCall(MatCreateVecs(cuts.submat[0], &x, &y));
  PetscCall(VecSet(x, 1));
  for (int round = 1; round < 5; ++round) {
    Mat* native = nullptr;
    for (Mat m : {p.native, p.ours}) PetscCall(SetValues(m, round, false));
    PetscCall(cuts.Take(p, MAT_REUSE_MATRIX));
    PetscCall(MatMult(cuts.submat[0], x, y));
    PetscCall(VecSum(y, &sum));
    PetscCall(MatCreateSubMatrices(p.native, 1, cuts.rows.data(), cuts.cols.data(), MAT_INITIAL_MATRIX, &native));
    PetscCall(MatMult(native[0], x, y));
    PetscCall(VecSum(y, &expected));
    EXPECT_EQ(sum, expected) << "round " << round;
    PetscCall(MatDestroySubMatrices(1, &native));
  }
  PetscCall(DestroyAll(&x, &y));
  PetscCall(cuts.Destroy());
  return p.Destroy();
}

TEST(Submatrices, OfAConvertedMatrixAreNative) {
  if (OneRank() && MatTypeOfRun() == MATAIJ) {  // others are converted by copies
    ASSERT_EQ(CompareAfterConversion(), PETSC_SUCCESS);
  }
}

/// Makes a set of four rows of one rank, each with one other of them as a neighbor.
/// @param adjacent  the neighbors follow each other in the set; otherwise they alternate
PetscErrorCode MakeGeneralSet(bool adjacent, IS* set) {
  PetscInt const rows[2][4] = {{12, 14, 19, 21}, {12, 19, 40, 47}};
  return ISCreateGeneral(PETSC_COMM_SELF, 4, rows[adjacent], PETSC_COPY_VALUES, set);
}

/// Index sets that change in place, two index sets in turn for one submatrix, and a submatrix that is not assembled.
PetscErrorCode CompareReusedObjects() {
  SubmatrixPair p;
  SubmatrixSets cuts;
  IS other;
  PetscInt const* rows;
  int round = 0;
  PetscCall(p.Create(61));
  cuts.rows.resize(1);
  PetscCall(MakeGeneralSet(true, &cuts.rows[0]));
  PetscCall(MakeGeneralSet(false, &other));
  cuts.cols = cuts.rows;
  PetscCall(PetscObjectReference((PetscObject)cuts.cols[0]));
  PetscCall(cuts.Take(p, MAT_INITIAL_MATRIX));
  auto const take = [&](char const* what, int times) -> PetscErrorCode {
    for (int k = 0; k < times; ++k) {
      PetscCall(p.Change(++round));
      PetscCall(cuts.Take(p, MAT_REUSE_MATRIX));
      PetscCall(cuts.Compare(p, what));
    }
    return PETSC_SUCCESS;
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
  return p.Destroy();
}

TEST(SubmatricesOnOneRank, OfReusedObjects) {
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  ASSERT_EQ(CompareReusedObjects(), PETSC_SUCCESS);
}

int calls_of_programs = 0;
PetscErrorCode (*called_by_programs)(Mat, PetscInt, IS const[], IS const[], MatReuse, Mat*[]) = nullptr;

PetscErrorCode CutByProgram(Mat A, PetscInt n, IS const rows[], IS const cols[], MatReuse reuse, Mat* submat[]) {
  ++calls_of_programs;
  return called_by_programs(A, n, rows, cols, reuse, submat);
}

/// Checks that a function which a program has put in place of the matrix' own is called.
PetscErrorCode CheckOwnFunction() {
  SubmatrixPair p;
  SubmatrixSets cuts;
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
  return p.Destroy();
}

TEST(Submatrices, LeaveFunctionsOfPrograms) { ASSERT_EQ(CheckOwnFunction(), PETSC_SUCCESS); }

/// Set-ups with new values of a PC, whose need of memory is tested.
struct SetUps {
  PetscInt n;       // rows
  int rounds;       // number of set-ups
  int reset_every;  // number of set-ups after which the PC is reset, so that its submatrices are destroyed; 0: never
  int with_plugin;  // number of set-ups in which the plugin takes values into submatrices

  /// Computes how much the bytes in use grow from the tenth part of the set-ups to the last one.
  PetscErrorCode Grow(bool by_plugin, double* growth) const {
    SubmatrixPair p;
    double before = 0;
    PetscCall(p.Create(n, by_plugin));
    for (int round = 1; round <= rounds; ++round) {
      if (reset_every > 0 && round % reset_every == 1) {
        PetscCall(PCReset(p.pc));
        PetscCall(PCSetOperators(p.pc, p.ours, p.ours));
      }
      PetscCall(MatScale(p.ours, 1.001));
      PetscCall(PCSetUp(p.pc));
      if (round == rounds / 10) before = AllocatedBytes();
    }
    EXPECT_GT(before, 0) << "the bytes in use are not known";
    *growth = AllocatedBytes() - before;
    PetscCall(ExpectUpdates(p, by_plugin ? with_plugin : 0));
    return p.Destroy();
  }

  /// Checks that the host's heap grows by less than 100 bytes a set-up, and by less than 1,000 with resets, in which
  /// MPI may keep some 7 KB in all. On a GPU the growth is compared with that of PETSc's own resets, up to 40 KB in 27.
  PetscErrorCode Check() const {
    bool const resets_on_device = MatTypeOfRun() != MATAIJ && reset_every > 0;
    double native = 0, ours = 0;
    if (resets_on_device) PetscCall(Grow(false, &native));
    PetscCall(Grow(true, &ours));
    EXPECT_LT(ours - std::max(0.0, native), (reset_every > 0 ? 1000 : 100) * (rounds - rounds / 10))
        << ours << " bytes, by PETSc " << native;
    return PETSC_SUCCESS;
  }
};

TEST(Submatrices, KeepTheirMemory) { ASSERT_EQ((SetUps{4000, 300, 0, 299}.Check()), PETSC_SUCCESS); }

// a set of submatrices that were not freed would take 3 MB for each of 18 resets
TEST(Submatrices, FreeTheirMemory) { ASSERT_EQ((SetUps{20000, 60, 3, 20}.Check()), PETSC_SUCCESS); }

}  // namespace
}  // namespace petsc_test
