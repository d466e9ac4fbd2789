// SPDX-License-Identifier: Apache-2.0
// Solves with new values by PCs whose submatrices take them by the plugin, and compares solutions with PETSc's own:
// asm, gasm, bjacobi, fieldsplit, redistribute.
#include "submatrix_pair.hpp"

namespace petsc_test {
namespace {

/// Changes a matrix' pattern in place, which PETSc's nonzero state does not show, and solves.
PetscErrorCode CompareInPlace(PCType type) {
  PetscInt const n = 40;
  Mat A[2];
  PC pcs[2];
  Vec b, x[2], scale;
  for (int k = 0; k < 2; ++k) {
    std::string const prefix = k ? "ours_" : "native_";
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
      PetscCall(Assemble(A[k]));
      PetscCall(PCSetUp(pcs[k]));
      PetscCall(PCApply(pcs[k], b, x[k]));
    }
    PetscCall(ExpectRows(std::string(type) + ", round " + std::to_string(round), x[0], x[1], scale,
                         PetscDefined(USE_REAL_SINGLE) ? 1e-5 : 1e-13));
  }
  for (Vec* v : {&b, &x[0], &x[1], &scale}) PetscCall(VecDestroy(v));
  for (int k = 0; k < 2; ++k) {
    PetscCall(DestroyAll(&pcs[k], &A[k]));
    for (char const* name : {"pc_submatrices_sptrsv", "sub_pc_type", "pc_asm_blocks", "pc_asm_overlap",
                             "pc_bjacobi_blocks", "pc_gasm_total_subdomains"})
      PetscCall(PetscOptionsClearValue(NULL, (std::string(k ? "-ours_" : "-native_") + name).c_str()));
  }
  return PETSC_SUCCESS;
}

TEST(SubmatricesOnOneRank, OfPatternsChangedInPlace) {
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  for (PCType type : {PCASM, PCGASM, PCBJACOBI}) ASSERT_EQ(CompareInPlace(type), PETSC_SUCCESS) << type;
}

/// Applies a PC after MatAXPY() of an equal pattern with mpiaij, and compares the result with that of a new PC.
PetscErrorCode CompareAfterAxpy(PCType type) {
  Mat A, B;
  PC pcs[2];
  Vec b, x[2];
  PetscCall(MakeMatrix(64, MATMPIAIJ, &A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(MatCreateVecs(A, &x[0], &b));
  PetscCall(VecDuplicate(x[0], &x[1]));
  PetscCall(VecSet(b, 1));
  for (int k = 0; k < 2; ++k) {
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pcs[k]));
    PetscCall(PCSetType(pcs[k], type));
    PetscCall(PCSetOperators(pcs[k], A, A));
    PetscCall(PCSetUp(pcs[k]));
    if (!k) PetscCall(MatAXPY(A, 2, B, SAME_NONZERO_PATTERN));
    PetscCall(PCSetUp(pcs[k]));
    PetscCall(PCApply(pcs[k], b, x[k]));
  }
  PetscCall(ExpectRows(type, x[1], x[0], x[1], 0));
  for (int k = 0; k < 2; ++k) PetscCall(DestroyAll(&pcs[k], &x[k]));
  return DestroyAll(&b, &A, &B);
}

TEST(Submatrices, AfterAxpyThatKeepsTheStateInPetsc) {
  for (PCType type : {PCASM, PCGASM}) ASSERT_EQ(CompareAfterAxpy(type), PETSC_SUCCESS) << type;
}

PetscErrorCode Double(PC, PetscInt n, IS const*, IS const*, Mat* submat, void* calls) {
  for (PetscInt k = 0; k < n; ++k) PetscCall(MatScale(submat[k], 2));
  ++*static_cast<int*>(calls);
  return PETSC_SUCCESS;
}

/// Solves with new values by a PC that the plugin serves, and by PETSc's own, and compares solutions.
/// @param times  how often the plugin takes values into submatrices in four set-ups with new values
PetscErrorCode ComparePcs(PCType type, char const* option, char const* value, bool modify, int times = 3) {
  SubmatrixPair p;
  PC pcs[2];
  Vec b[2], x[2], scale;
  int calls = 0;
  std::string const what = std::string(type) + ' ' + option + ' ' + value;
  PetscCall(MakeMatrix(64, MATAIJ, &p.native));
  PetscCall(MakeMatrix(64, MatTypeOfRun().c_str(), &p.ours));
  for (int k = 0; k < 2; ++k) {
    std::string const prefix = k ? "ours_" : "native_";
    if (*option) PetscCall(PetscOptionsSetValue(NULL, ("-" + prefix + option).c_str(), value));
    PetscCall(PetscOptionsSetValue(NULL, ("-" + prefix + "pc_submatrices_sptrsv").c_str(), k ? "1" : "0"));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pcs[k]));
    PetscCall(PCSetOptionsPrefix(pcs[k], prefix.c_str()));
    PetscCall(PCSetType(pcs[k], type));
    PetscCall(PCSetOperators(pcs[k], k ? p.ours : p.native, k ? p.ours : p.native));
    if (modify) PetscCall(PCSetModifySubMatrices(pcs[k], Double, &calls));
    if (type == std::string(PCASM) && !*option) {  // a partitioner may choose others for each PC
      std::vector<IS> sets;
      PetscCall(MakeSets(p.native, 3, 0, false, &sets));
      PetscCall(PCASMSetLocalSubdomains(pcs[k], (PetscInt)sets.size(), sets.data(), NULL));
      for (IS& set : sets) PetscCall(ISDestroy(&set));
    }
    if (type == std::string(PCFIELDSPLIT)) PetscCall(PCFieldSplitSetBlockSize(pcs[k], 2));
    PetscCall(PCSetFromOptions(pcs[k]));
    PetscCall(MatCreateVecs(k ? p.ours : p.native, &x[k], &b[k]));
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
  std::string const text = ViewText(pcs[1]);
  bool const served = std::string(option) != "pc_asm_sub_mat_type" && (type != std::string(PCGASM) || OneRank());
  std::string const line = "new values of submatrices by sptrsv: " + std::to_string(times) + " times";
  EXPECT_EQ(text.find(line) != std::string::npos, served) << what << text;
  for (int k = 0; k < 2; ++k) {
    PetscCall(DestroyAll(&pcs[k], &b[k], &x[k]));
    if (*option) PetscCall(PetscOptionsClearValue(NULL, (std::string(k ? "-ours_" : "-native_") + option).c_str()));
  }
  PetscCall(VecDestroy(&scale));
  return p.Destroy();
}

TEST(Submatrices, OfPcs) {
  ASSERT_EQ(ComparePcs(PCASM, "", "", false), PETSC_SUCCESS);
  ASSERT_EQ(ComparePcs(PCASM, "pc_asm_overlap", "3", true), PETSC_SUCCESS);
  ASSERT_EQ(ComparePcs(PCASM, "pc_asm_overlap", "0", false), PETSC_SUCCESS);
  ASSERT_EQ(ComparePcs(PCASM, "pc_asm_sub_mat_type", "seqbaij", false), PETSC_SUCCESS);
  // on several ranks gasm uses MatCreateSubMatricesMPI(), which is PETSc's; for aijkokkos it keeps the first values
  if (OneRank() || MatTypeOfRun() == MATAIJ) {
    ASSERT_EQ(ComparePcs(PCGASM, "pc_gasm_overlap", "1", false), PETSC_SUCCESS);
  }
  ASSERT_EQ(ComparePcs(PCBJACOBI, "pc_bjacobi_blocks", "12", false), PETSC_SUCCESS);
  // two diagonal blocks and one with the columns of the first; a type by option sets another view
  ASSERT_EQ(ComparePcs(PCFIELDSPLIT, "", "", false, 9), PETSC_SUCCESS);
  ASSERT_EQ(ComparePcs(PCFIELDSPLIT, "pc_fieldsplit_type", "multiplicative", false, 9), PETSC_SUCCESS);
  // PETSc's own restores the array of another vector than that of which it got it, which vectors of Kokkos do not take
  if (MatTypeOfRun() != "aijkokkos") {
    ASSERT_EQ(ComparePcs(PCREDISTRIBUTE, "", "", false), PETSC_SUCCESS);
  }
}

}  // namespace
}  // namespace petsc_test
