// SPDX-License-Identifier: Apache-2.0
// Several subdomains of a rank that overlap, together: as PETSc's additive Schwarz.
#include "bjacobi_three.hpp"
#include "factor_pair.hpp"

namespace petsc_test {
namespace {

PetscErrorCode ForPcs(Three& t, std::function<PetscErrorCode(PC)> const& f)
{
  PC pc;

  PetscFunctionBegin;
  for (KSP ksp : t.ksp) {
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(f(pc));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// @param other  subdomains on rank 1
PetscErrorCode CompareSchwarz(BlockWay const& way, PetscInt blocks, PCASMType type, PetscInt other = 0)
{
  Three t;
  PetscMPIInt rank;

  PetscFunctionBegin;
  SCOPED_TRACE(std::string(way.pc) + " " + way.ordering + ", type " + PCASMTypes[type] + ", overlap " +
               std::to_string(way.overlap));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(t.Make(way, rank == 1 && other ? other : blocks));
  PetscCall(ForPcs(t, [&](PC pc) { return PCASMSetType(pc, type); }));
  for (int round = 0; round < 3; ++round) {
    PetscCall(t.Compare("round " + std::to_string(round), together_text.c_str()));
    PetscCall(ChangeValues(t.A, round));
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

BlockWay Schwarz(BlockWay way, PetscInt overlap)
{
  way.type = PCASM;
  way.overlap = overlap;
  return way;
}

TEST(Schwarz, SolvesAsPetsc)
{
  for (PetscInt overlap : {0, 1, 3}) {
    for (PCASMType type : {PC_ASM_RESTRICT, PC_ASM_BASIC}) {
      ASSERT_EQ(CompareSchwarz(Schwarz({}, overlap), 3, type), PETSC_SUCCESS);
      ASSERT_EQ(CompareSchwarz(Schwarz({PCICC, 1, MATORDERINGRCM, KSPFGMRES}, overlap), 5, type), PETSC_SUCCESS);
      ASSERT_EQ(CompareSchwarz(Schwarz({PCLU, 0, MATORDERINGND, KSPGMRES, 2}, overlap), 2, type), PETSC_SUCCESS);
    }
  }
}

/// Ranks that solve together and those that do not exchange rows alike.
TEST(Schwarz, OtherNumbersOnOtherRanks)
{
  ASSERT_EQ(CompareSchwarz(Schwarz({}, 1), 3, PC_ASM_RESTRICT, 1), PETSC_SUCCESS);
  ASSERT_EQ(CompareSchwarz(Schwarz({}, 2), 2, PC_ASM_BASIC, 7), PETSC_SUCCESS);
}

/// @param view  what is said of it, or null
PetscErrorCode CompareChanged(std::function<PetscErrorCode(PetscInt, KSP*)> const& change, char const* view)
{
  Three t;
  PC pc;
  PetscInt n;
  KSP* blocks;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(t.Make(Schwarz({PCILU, 0, MATORDERINGNATURAL, KSPFGMRES}, 1), 3));
  PetscCall(t.Compare("before", together_text.c_str()));
  for (KSP ksp : t.ksp) {
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCASMGetSubKSP(pc, &n, NULL, &blocks));
    if (rank == 0) PetscCall(change(n, blocks));
  }
  PetscCall(t.Compare("changed on rank 0", view));
  PetscCall(ChangeValues(t.A, 1));
  PetscCall(t.Compare("changed, new values"));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Schwarz, SubdomainsChangedOnOneRank)
{
  auto const nothing = [](PetscInt, KSP*) -> PetscErrorCode { return PETSC_SUCCESS; };
  ASSERT_EQ(CompareChanged(nothing, together_text.c_str()), PETSC_SUCCESS);
  auto const gmres = [](PetscInt, KSP* blocks) -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(KSPSetType(blocks[1], KSPGMRES));
    PetscCall(KSPSetTolerances(blocks[1], 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 50));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  ASSERT_EQ(CompareChanged(gmres, apart_text.c_str()), PETSC_SUCCESS);
  auto const scale = [](PetscInt, KSP* blocks) -> PetscErrorCode {
    Mat A;
    PetscFunctionBegin;
    PetscCall(KSPGetOperators(blocks[2], &A, NULL));
    PetscCall(MatScale(A, 2));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  ASSERT_EQ(CompareChanged(scale, apart_text.c_str()), PETSC_SUCCESS);
}

/// What the PC is told between set-ups, and other matrices.
PetscErrorCode CompareOtherWays()
{
  Three t;
  Mat B;

  PetscFunctionBegin;
  PetscCall(t.Make(Schwarz({PCILU, 0, MATORDERINGNATURAL, KSPFGMRES}, 1), 3));
  PetscCall(t.Compare("restricted", together_text.c_str()));
  PetscCall(AddEntry(t.A));
  PetscCall(t.Compare("another pattern", together_text.c_str()));
  PetscCall(ForPcs(t, [](PC pc) { return PCReset(pc); }));
  PetscCall(ForPcs(t, [&](PC pc) { return SetSubdomains(pc, t.A, 3); }));
  PetscCall(ForPcs(t, [](PC pc) { return PCASMSetOverlap(pc, 2); }));
  for (KSP ksp : t.ksp) PetscCall(KSPSetOperators(ksp, t.A, t.A));
  PetscCall(t.Compare("emptied"));
  PetscCall(MatDuplicate(t.A, MAT_COPY_VALUES, &B));
  PetscCall(MatScale(B, 2));
  for (KSP ksp : t.ksp) PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(t.Compare("another matrix"));
  PetscCall(MatDestroy(&B));
  PetscCall(ForPcs(t, [](PC pc) { return PCASMSetType(pc, PC_ASM_BASIC); }));
  PetscCall(t.Compare("another type since the set-up"));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Schwarz, OtherWays) { ASSERT_EQ(CompareOtherWays(), PETSC_SUCCESS); }

/// PCReset(), and a set-up that asks for something else.
PetscErrorCode EmptyAndChange(std::function<PetscErrorCode(PC)> const& change)
{
  Three t;

  PetscFunctionBegin;
  PetscCall(t.Make(Schwarz({PCILU, 0, MATORDERINGNATURAL, KSPFGMRES}, 1), 3));
  PetscCall(t.Compare("before", together_text.c_str()));
  PetscCall(ForPcs(t, [](PC pc) { return PCReset(pc); }));
  PetscCall(ForPcs(t, [&](PC pc) { return SetSubdomains(pc, t.A, 3); }));
  PetscCall(ForPcs(t, change));
  for (KSP ksp : t.ksp) PetscCall(KSPSetOperators(ksp, t.A, t.A));
  PetscCall(t.Compare("after"));
  PetscCall(ChangeValues(t.A, 1));
  PetscCall(t.Compare("after, new values"));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Schwarz, EmptiedAndChanged)
{
  ASSERT_EQ(EmptyAndChange([](PC pc) { return PCASMSetType(pc, PC_ASM_BASIC); }), PETSC_SUCCESS);
  // without the option
  ASSERT_EQ(EmptyAndChange([](PC pc) -> PetscErrorCode {
              char const* prefix;
              PetscFunctionBegin;
              PetscCall(PCGetOptionsPrefix(pc, &prefix));
              std::string const option = "-" + std::string(prefix) + "pc_asm_sptrsv_together";
              PetscCall(PetscOptionsSetValue(NULL, option.c_str(), "false"));
              PetscCall(PCSetFromOptions(pc));
              if (prefix == std::string("petsc_")) PetscCall(PetscOptionsClearValue(NULL, option.c_str()));
              else PetscCall(PetscOptionsSetValue(NULL, option.c_str(), "true"));
              PetscFunctionReturn(PETSC_SUCCESS);
            }),
            PETSC_SUCCESS);
}

/// Parts that do not overlap, of the program's own, outside of the subdomains: type basic takes no notice of them.
PetscErrorCode InnerPartsElsewhere()
{
  Three t;
  PetscInt first, last;
  IS is[4];

  PetscFunctionBegin;
  PetscCall(t.Make(Schwarz({PCILU, 0, MATORDERINGNATURAL, KSPFGMRES}, 0), 2));
  PetscCall(MatGetOwnershipRange(t.A, &first, &last));
  PetscInt const half = (last - first) / 2;
  for (PetscInt k = 0; k < 4; ++k)  // the halves, and then in the other order
    PetscCall(ISCreateStride(PETSC_COMM_SELF, (k % 2 == k / 2 ? half : last - first - half),
                             first + (k % 2 == k / 2 ? 0 : half), 1, &is[k]));
  for (KSP ksp : t.ksp) {
    PC pc;
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCASMSetType(pc, PC_ASM_BASIC));
    PetscCall(PCASMSetLocalSubdomains(pc, 2, &is[0], &is[2]));
  }
  PetscCall(t.Compare("inner parts elsewhere", together_text.c_str()));
  for (IS& i : is) PetscCall(ISDestroy(&i));
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Schwarz, InnerPartsElsewhere) { ASSERT_EQ(InnerPartsElsewhere(), PETSC_SUCCESS); }

/// Composed one after the other, subdomains wait for each other: PETSc's own way.
PetscErrorCode CompareMultiplicative()
{
  Three t;
  std::string text;
  PetscMPIInt rank;
  PetscInt steps[3];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(t.Make(Schwarz({PCILU, 0, MATORDERINGNATURAL, KSPFGMRES}, 1), 3));
  PetscCall(ForPcs(t, [](PC pc) { return PCASMSetLocalType(pc, PC_COMPOSITE_MULTIPLICATIVE); }));
  for (int k = 0; k < 3; ++k) {
    PetscCall(SolveOnce(t.ksp[k]));
    PetscCall(KSPGetIterationNumber(t.ksp[k], &steps[k]));
    EXPECT_EQ(steps[k], steps[0]) << prefixes[k];
  }
  PetscCall(ViewText(t.ksp[1], &text));
  if (rank == 0) {
    EXPECT_EQ(text.find(together_text), std::string::npos) << text;
  }
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Schwarz, MultiplicativeIsPetscs) { ASSERT_EQ(CompareMultiplicative(), PETSC_SUCCESS); }

/// A subdomain that cannot be factored fails as with PETSc.
PetscErrorCode CompareZeroPivot()
{
  Three t;
  KSPConvergedReason reason[3];

  PetscFunctionBegin;
  PetscCall(t.Make(Schwarz({}, 0), 3));
  PetscCall(t.Compare("good pivots", together_text.c_str()));
  PetscCall(SetPivot(t.A, 0));
  for (int k = 0; k < 3; ++k) {
    PetscCall(SolveOnce(t.ksp[k]));
    PetscCall(KSPGetConvergedReason(t.ksp[k], &reason[k]));
    EXPECT_EQ(reason[k], reason[0]) << prefixes[k];
    if (k) PetscCall(ExpectView(t.ksp[k], "a block has a zero pivot"));
  }
  EXPECT_EQ(reason[0], KSP_DIVERGED_PC_FAILED);
  PetscCall(t.Destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Schwarz, AZeroPivotFailsAsInPetsc) { ASSERT_EQ(CompareZeroPivot(), PETSC_SUCCESS); }

}  // namespace
}  // namespace petsc_test
