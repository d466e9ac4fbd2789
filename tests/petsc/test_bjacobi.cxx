// SPDX-License-Identifier: Apache-2.0
// Compares PETSc's bjacobi and asm with several blocks on a rank: blocks factored by the plugin with blocks of type
// petsc.
#include "factor_pair.hpp"

namespace petsc_test {
namespace {

constexpr PetscInt num_blocks = 3;
constexpr PetscReal rounding = PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-12;

struct Way {
  char const *pc, *sub, *ksp;
  PetscInt levels;
  bool symmetric() const { return sub == std::string(PCICC); }
};

/// Sets values of an M-matrix with five diagonals. For a positive vector every solve has sums without cancellation, so
/// that rows can be compared by their own size.
PetscErrorCode SetValues(Mat A, bool symmetric, int round)
{
  PetscInt n, first, last;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    for (PetscInt distance : {-6, -1, 0, 1, 6}) {
      PetscInt const j = i + distance;
      if (j < 0 || j >= n) continue;
      PetscReal const varied = (PetscReal)((i + j + round) % 7) / 20, wind = symmetric || distance < 0 ? 0 : 0.3;
      PetscCall(MatSetValue(A, i, j, distance == 0 ? 5 + varied : -0.5 - varied - wind, INSERT_VALUES));
    }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets runs of a rank's rows as the PC's subdomains, since a partitioner may choose different ones for each PC.
PetscErrorCode SetSubdomains(PC pc, Mat A)
{
  PetscInt first, last;
  IS is[num_blocks];

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt b = 0; b < num_blocks; ++b) {
    PetscInt const rows = (last - first) / num_blocks, begin = first + b * rows;
    PetscCall(ISCreateStride(PETSC_COMM_SELF, b + 1 < num_blocks ? rows : last - begin, begin, 1, &is[b]));
  }
  PetscCall(PCASMSetLocalSubdomains(pc, num_blocks, is, NULL));
  for (IS& i : is) PetscCall(ISDestroy(&i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeKsp(Mat A, Way const& way, std::string const& prefix, char const* type, KSP* ksp)
{
  PC pc;
  std::string const sub = "-" + prefix + "sub_pc_";

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, (sub + "type").c_str(), way.sub));
  PetscCall(PetscOptionsSetValue(NULL, (sub + "factor_levels").c_str(), std::to_string(way.levels).c_str()));
  PetscCall(PetscOptionsSetValue(NULL, (sub + "factor_mat_solver_type").c_str(), type));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix.c_str()));
  PetscCall(KSPSetType(*ksp, way.ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, way.pc));
  PetscCall(PCBJacobiSetLocalBlocks(pc, num_blocks, NULL));  // each of these two acts on its own type of PC only
  PetscCall(SetSubdomains(pc, A));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that every block is factored by a factor of type `type`.
PetscErrorCode ExpectType(KSP ksp, Way const& way, char const* type)
{
  PC pc, part;
  Mat factor;
  MatSolverType used;
  PetscInt n;
  KSP* blocks;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  if (way.pc == std::string(PCASM)) PetscCall(PCASMGetSubKSP(pc, &n, NULL, &blocks));
  else PetscCall(PCBJacobiGetSubKSP(pc, &n, NULL, &blocks));
  EXPECT_EQ(n, num_blocks);
  for (PetscInt b = 0; b < n; ++b) {
    PetscCall(KSPGetPC(blocks[b], &part));
    PetscCall(PCFactorGetMatrix(part, &factor));
    PetscCall(MatFactorGetSolverType(factor, &used));
    EXPECT_STREQ(used, type);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectSame(std::string const& what, KSP const (&ksp)[2])
{
  Mat A;
  Vec b, x[2];
  PC pc[2];
  PetscInt steps[2];

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp[0], &A, NULL));
  PetscCall(MatCreateVecs(A, &x[0], &b));
  PetscCall(VecDuplicate(x[0], &x[1]));
  PetscCall(FillVec(b, 5));
  PetscCall(VecAbs(b));
  for (int k = 0; k < 2; ++k) {
    PetscCall(KSPSolve(ksp[k], b, x[k]));
    PetscCall(KSPGetIterationNumber(ksp[k], &steps[k]));
    PetscCall(KSPGetPC(ksp[k], &pc[k]));
  }
  EXPECT_EQ(steps[1], steps[0]) << what;
  EXPECT_GT(steps[0], 1) << what;
  for (int k = 0; k < 2; ++k) PetscCall(PCApply(pc[k], b, x[k]));
  PetscCall(ExpectRows(what + ", PCApply", x[0], x[1], x[0], rounding));
  for (int k = 0; k < 2; ++k) PetscCall(PCApplyTranspose(pc[k], b, x[k]));
  PetscCall(ExpectRows(what + ", PCApplyTranspose", x[0], x[1], x[0], rounding));
  PetscCall(VecDestroy(&b));
  for (Vec& v : x) PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareWay(Way const& way, char const* type)
{
  Mat A;
  KSP ksp[2];

  PetscFunctionBegin;
  std::string const what = std::string(way.pc) + ", " + way.sub + std::to_string(way.levels) + ", " + type;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 61, 61, 5, NULL, 5, NULL, &A));
  PetscCall(SetValues(A, way.symmetric(), 0));
  PetscCall(MakeKsp(A, way, "petsc_", MATSOLVERPETSC, &ksp[0]));
  PetscCall(MakeKsp(A, way, "ours_", type, &ksp[1]));
  PetscCall(ExpectSame(what, ksp));
  PetscCall(ExpectType(ksp[1], way, type));
  PetscCall(SetValues(A, way.symmetric(), 3));
  PetscCall(ExpectSame(what + ", new values", ksp));
  for (KSP& k : ksp) PetscCall(KSPDestroy(&k));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(BlocksOfPetsc, AreSolvedAsByPetsc)
{
  for (Way const& way :
       {Way{PCBJACOBI, PCILU, KSPGMRES, 0}, Way{PCBJACOBI, PCILU, KSPGMRES, 1}, Way{PCBJACOBI, PCICC, KSPCG, 0},
        Way{PCASM, PCILU, KSPGMRES, 0}, Way{PCASM, PCICC, KSPGMRES, 1}})
    for (char const* type : {"sptrsv", "levelset"}) ASSERT_EQ(CompareWay(way, type), PETSC_SUCCESS);
}

}  // namespace
}  // namespace petsc_test
