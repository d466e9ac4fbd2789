// SPDX-License-Identifier: Apache-2.0
// Two PCs of one matrix in all pairs of types and options: set-ups, solves, new values, other omegas and destruction in
// random orders. Each must solve as a PC that has a copy of the matrix for itself.
#include <random>

#include "sweep_pair.hpp"

namespace petsc_test {
namespace {

/// PC type with options, each without a dash and a prefix.
struct Kind {
  char const* name;
  PCType type;
  std::vector<std::pair<std::string, std::string>> options;
  bool by_petsc = false;        ///< PETSc's own gives the same without the plugin's options
  bool without_inodes = false;  ///< refused for matrices with inodes
};

std::vector<Kind> const& Kinds() {
  static std::vector<Kind> const kinds = {
      {"sor of PETSc", PCSOR, {}, true},
      {"sor off", PCSOR, {{"pc_sor_sptrsv", "off"}}, true},
      {"sor", PCSOR, {{"pc_sor_sptrsv", "sptrsv"}}, true},
      {"sor by levels", PCSOR, {{"pc_sor_sptrsv", "levelset"}}, true},
      {"sor, forward", PCSOR, {{"pc_sor_sptrsv", "sptrsv"}, {"pc_sor_forward", ""}}, true},
      {"sor, omega 1.4", PCSOR, {{"pc_sor_sptrsv", "sptrsv"}, {"pc_sor_omega", "1.4"}}, true},
      {"sor by color", PCSOR, {{"pc_sor_ordering", "color"}}},
      {"two-stage", PCSOR, {{"pc_sor_sptrsv", "iterated"}, {"mat_sptrsv_iterated_sweeps", "2"}}},
      {"Jacobi", PCSOR, {{"pc_sor_sptrsv", "iterated"}, {"mat_sptrsv_iterated_sweeps", "0"}}},
      {"eisenstat of PETSc", PCEISENSTAT, {}, true},
      {"eisenstat", PCEISENSTAT, {{"pc_sor_sptrsv", "sptrsv"}}, true},
      {"eisenstat, omega 1.3", PCEISENSTAT, {{"pc_sor_sptrsv", "sptrsv"}, {"pc_eisenstat_omega", "1.3"}}, false, true},
      {"bjacobi of ilu",
       PCBJACOBI,
       {{"pc_bjacobi_local_blocks", "3"}, {"sub_pc_factor_levels", "1"}, {"sub_pc_factor_mat_solver_type", "sptrsv"}},
       true},
      {"asm of icc",
       PCASM,
       {{"pc_asm_blocks", "3"}, {"sub_pc_type", "icc"}, {"sub_pc_factor_mat_solver_type", "levelset"}},
       true},
      {"bjacobi of sor", PCBJACOBI, {{"sub_pc_type", "sor"}, {"sub_pc_sor_sptrsv", "sequential"}}, true},
      {"asm of ilu", PCASM, {{"sub_pc_factor_mat_solver_type", "sptrsv"}, {"pc_submatrices_sptrsv", "1"}}, true},
      {"ilu", PCILU, {{"pc_factor_mat_solver_type", "levelset"}}, true},
      {"icc", PCICC, {{"pc_factor_mat_solver_type", "sptrsv"}}, true},
      {"ilu, iterated", PCILU, {{"pc_factor_mat_solver_type", "iterated"}, {"mat_sptrsv_iterated_sweeps", "2"}}},
      {"gamg of sor", PCGAMG, {{"mg_levels_pc_type", "sor"}, {"mg_levels_pc_sor_sptrsv", "sptrsv"}}}};
  return kinds;
}

/// Makes a KSP with a PC of a kind.
/// @param by_petsc  leaves out the plugin's options
PetscErrorCode Make(Kind const& kind, std::string const& prefix, Mat A, bool by_petsc, KSP* ksp) {
  PC pc;
  for (Kind const& any : Kinds())
    for (auto const& option : any.options)
      PetscCall(PetscOptionsClearValue(NULL, ("-" + prefix + option.first).c_str()));
  for (auto const& [name, value] : kind.options)
    if (!by_petsc || (name.find("sptrsv") == std::string::npos && name.find("solver_type") == std::string::npos))
      PetscCall(PetscOptionsSetValue(NULL, ("-" + prefix + name).c_str(), value.c_str()));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix.c_str()));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, KSPGMRES));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_NONE));
  PetscCall(KSPSetConvergenceTest(*ksp, KSPConvergedSkip, NULL, NULL));
  PetscCall(KSPSetTolerances(*ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 3));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, kind.type));
  return KSPSetFromOptions(*ksp);
}

/// Two KSPs of one matrix, and each once more with a copy of the matrix for itself.
class Pairs {
 public:
  PetscErrorCode Create(Kind const& a, Kind const& b, PetscInt dof) {
    kinds_[0] = &a;
    kinds_[1] = &b;
    for (Mat& m : matrices_) PetscCall(MakeMatrix(5, dof, MatTypeOfRun().c_str(), 1, &m));
    PetscCall(MatCreateVecs(matrices_[0], &x_[0], &right_));
    PetscCall(VecDuplicate(right_, &x_[1]));
    PetscCall(VecDuplicate(right_, &scale_));
    PetscCall(VecSet(scale_, 1));
    for (int k : {0, 1}) PetscCall(Renew(k));
    return PETSC_SUCCESS;
  }
  PetscErrorCode Destroy() {
    for (auto& pair : ksps_)
      for (KSP& ksp : pair) PetscCall(KSPDestroy(&ksp));
    for (Mat& m : matrices_) PetscCall(MatDestroy(&m));
    for (Vec* v : {&x_[0], &x_[1], &right_, &scale_}) PetscCall(VecDestroy(v));
    return PETSC_SUCCESS;
  }
  /// Creates KSP k and its copy again.
  PetscErrorCode Renew(int k) {
    for (int alone : {0, 1}) {
      std::string const prefix = std::string(k ? "second_" : "first_") + (alone ? "alone_" : "");
      bool const by_petsc = alone && kinds_[k]->by_petsc && MatTypeOfRun() == MATAIJ;
      PetscCall(KSPDestroy(&ksps_[k][alone]));
      PetscCall(Make(*kinds_[k], prefix, matrices_[alone ? 1 + k : 0], by_petsc, &ksps_[k][alone]));
    }
    return PETSC_SUCCESS;
  }
  PetscErrorCode SetUp(int k) {
    for (KSP ksp : ksps_[k]) PetscCall(KSPSetUp(ksp));
    return PETSC_SUCCESS;
  }
  PetscErrorCode Scale(PetscScalar factor) {
    for (Mat m : matrices_) PetscCall(MatScale(m, factor));
    return PETSC_SUCCESS;
  }
  PetscErrorCode SetOmega(int k, PetscReal omega) {
    for (KSP ksp : ksps_[k]) {
      PC pc;
      PetscCall(KSPGetPC(ksp, &pc));
      PetscCall(PCSORSetOmega(pc, omega));  // does nothing for other types
    }
    return PETSC_SUCCESS;
  }
  PetscErrorCode Solve(int k, unsigned seed, std::string const& what) {
    for (int alone : {0, 1}) {
      PetscCall(FillVec(right_, seed));
      PetscCall(KSPSolve(ksps_[k][alone], right_, x_[alone]));
    }
    return ExpectRows(what + kinds_[k]->name, x_[1], x_[0], scale_, 1e3 * rounding);
  }

 private:
  Kind const* kinds_[2] = {};
  Mat matrices_[3] = {};
  KSP ksps_[2][2] = {};
  Vec x_[2] = {}, right_ = nullptr, scale_ = nullptr;
};

/// Runs a random sequence of calls with two KSPs.
PetscErrorCode RunPair(Kind const& a, Kind const& b, PetscInt dof, unsigned seed) {
  std::minstd_rand random(seed);
  Pairs pairs;
  std::string what = std::string(a.name) + " and " + b.name + ", " + std::to_string(dof) + " unknowns:";
  PetscCall(pairs.Create(a, b, dof));
  for (int step = 0; step < 12; ++step) {
    int const k = (int)(random() >> 8) % 2;
    std::string const name = k ? " second" : " first";
    switch (step < 2 ? step % 2 : (int)(random() >> 8) % 8) {
      case 0:
        what += name + " set up,";
        PetscCall(pairs.SetUp(k));
        break;
      case 1:
        what += name + " after" + name + " set up,";
        PetscCall(pairs.SetUp(k));
        PetscCall(pairs.SetUp(1 - k));
        break;
      case 2:
        what += " new values,";
        PetscCall(pairs.Scale(1.25));
        break;
      case 3:
        what += name + " renewed,";
        PetscCall(pairs.Renew(k));
        break;
      case 4:
        what += name + " has another omega,";
        PetscCall(pairs.SetOmega(k, step % 2 ? 1 : 1.2));
        break;
      default:
        PetscCall(pairs.Solve(k, seed + (unsigned)step, what + " solve of" + name + ", "));
        what += name + " solved,";
    }
  }
  for (int k : {0, 1}) PetscCall(pairs.Solve(k, seed, what + " at last "));
  return pairs.Destroy();
}

TEST(PcPairsOnOneRank, SolveAsAlone) {
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  auto const& kinds = Kinds();
  for (PetscInt const dof : {1, 3})
    for (std::size_t a = 0; a < kinds.size(); ++a)
      for (std::size_t b = a; b < kinds.size(); b += MatTypeOfRun() == MATAIJ ? 1 : 5) {  // on a GPU some pairs
        if (dof > 1 && (kinds[a].without_inodes || kinds[b].without_inodes)) continue;
        for (unsigned round = 0; round < (MatTypeOfRun() == MATAIJ ? 3 : 1); ++round)
          ASSERT_EQ(RunPair(kinds[a], kinds[b], dof, (unsigned)(1000 * a + 10 * b) + round), PETSC_SUCCESS)
              << kinds[a].name << " and " << kinds[b].name;
      }
}

PetscErrorCode ApplyAnother(KSP ksp, PetscInt, PetscReal, void* other) {
  Vec b, x;
  PetscCall(KSPGetRhs(ksp, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(PCApply((PC)other, b, x));
  return VecDestroy(&x);
}

/// Solves by eisenstat with a monitor that applies another PC of the same matrix, and without it.
PetscErrorCode CompareWatched(Kind const& kind, Kind const& other, PetscInt dof) {
  Mat A;
  Vec x[2], b, scale;
  KSP ksp[2], ksp_other;
  PC pc_other;
  PetscCall(MakeMatrix(6, dof, MatTypeOfRun().c_str(), 1, &A));
  PetscCall(MatCreateVecs(A, &x[0], &b));
  PetscCall(VecDuplicate(b, &x[1]));
  PetscCall(VecDuplicate(b, &scale));
  PetscCall(VecSet(scale, 1));
  PetscCall(Make(other, "other_", A, false, &ksp_other));
  PetscCall(KSPSetUp(ksp_other));
  PetscCall(KSPGetPC(ksp_other, &pc_other));
  for (int watched : {0, 1}) {
    PetscCall(FillVec(b, 4));
    PetscCall(Make(kind, "watched_", A, false, &ksp[watched]));
    if (watched) PetscCall(KSPMonitorSet(ksp[watched], ApplyAnother, pc_other, NULL));
    PetscCall(KSPSolve(ksp[watched], b, x[watched]));
    PetscCall(KSPDestroy(&ksp[watched]));
  }
  PetscCall(ExpectRows(std::string(kind.name) + ", watched by " + other.name, x[0], x[1], scale, 1e3 * rounding));
  return DestroyAll(&ksp_other, &x[0], &x[1], &b, &scale, &A);
}

TEST(PcPairsOnOneRank, EisenstatIsAloneInItsSolve) {
  if (!OneRank()) GTEST_SKIP() << "needs one rank";
  for (Kind const& kind : Kinds())
    for (Kind const& other : Kinds())
      for (PetscInt const dof : {1, 3})
        if (std::string(kind.type) == PCEISENSTAT && (dof == 1 || (!kind.without_inodes && !other.without_inodes)) &&
            std::string(other.type) != PCEISENSTAT) {
          ASSERT_EQ(CompareWatched(kind, other, dof), PETSC_SUCCESS) << kind.name << ", " << other.name;
        }
}

/// Solves by eisenstat with omega 1.3 and a matrix with inodes, where PETSc's own ends with a segmentation violation.
PetscErrorCode SolveByEisenstat(Mat A) {
  KSP ksp;
  Vec x, b;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVec(b, 3));
  PetscCall(Make({"eisenstat, omega 1.3", PCEISENSTAT, {{"pc_eisenstat_omega", "1.3"}}}, "omega_", A, false, &ksp));
  PetscErrorCode const code = KSPSolve(ksp, b, x);
  PetscCall(DestroyAll(&ksp, &x, &b));
  return code;
}

TEST(PcPairsOnOneRank, EisenstatWithInodesNeedsOmegaOne) {
  if (!OneRank() || MatTypeOfRun() == "aijcusparse") GTEST_SKIP() << "needs one rank and inodes";
  Mat A;
  ASSERT_EQ(MakeMatrix(5, 3, MatTypeOfRun().c_str(), 1, &A), PETSC_SUCCESS);
  auto const error = Catch([&] { return SolveByEisenstat(A); });
  EXPECT_EQ(error.code, PETSC_ERR_SUP);
  EXPECT_NE(error.message.find("with omega 1.3 and a matrix with inodes"), std::string::npos) << error.message;
  ASSERT_EQ(MatDestroy(&A), PETSC_SUCCESS);
}

}  // namespace
}  // namespace petsc_test
