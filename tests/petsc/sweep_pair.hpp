// SPDX-License-Identifier: Apache-2.0
// A matrix with sweeps of PETSc's own, and a copy with the plugin's.
#pragma once

#include "factor_pair.hpp"

namespace petsc_test {

inline constexpr PetscReal rounding = PetscDefined(USE_REAL_SINGLE) ? 2e-5 : 2e-13;

/// Makes a diagonally dominant matrix of a grid on all ranks, without inodes if the type of the run has none.
/// @param dof  unknowns of a node, coupled with each other: inodes if more than 1
inline PetscErrorCode MakeMatrix(PetscInt side, PetscInt dof, char const* type, int round, Mat* A) {
  PetscInt const n = side * side * dof;
  PetscInt first, last;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetBlockSize(*A, dof));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5 * dof + 1, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 5 * dof + 1, NULL, 5 * dof + 1, NULL));
  // before the assembly: afterwards PETSc's eisenstat multiplies by blocks that its sweeps have not made
  if (MatTypeOfRun() == "aijcusparse") PetscCall(MatSetOption(*A, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    PetscInt const node = i / dof, column = node % side;
    for (PetscInt distance : {-side, (PetscInt)-1, (PetscInt)0, (PetscInt)1, side}) {
      PetscInt const to = node + distance;
      bool const inside = (distance != -1 || column > 0) && (distance != 1 || column + 1 < side);
      if (to < 0 || to >= side * side || !inside) continue;
      for (PetscInt c = 0; c < dof; ++c) {
        PetscInt const j = to * dof + c;
        PetscReal const varied = (PetscReal)((3 * i + 5 * j + round) % 11) / 40;
        PetscCall(MatSetValue(*A, i, j, i == j ? 4 * dof + varied : -0.6 - varied, INSERT_VALUES));
      }
    }
  }
  return Assemble(*A);
}

/// One matrix with sweeps of PETSc's own, and a copy with the plugin's.
struct SweepPair {
  Mat native = nullptr, ours = nullptr;
  PC pc = nullptr;  // installs the plugin's
  Vec b = nullptr, x[2] = {nullptr, nullptr}, scale = nullptr;

  /// @param options  of the PC, "NAME VALUE" without a dash and the prefix, which is sweeps_
  PetscErrorCode Create(PetscInt side, PetscInt dof, char const* options = "pc_sor_sptrsv sptrsv") {
    for (char const* name : {"pc_sor_sptrsv", "pc_sor_ordering"})
      PetscCall(PetscOptionsClearValue(NULL, (std::string("-sweeps_") + name).c_str()));
    PetscCall(PetscOptionsInsertString(NULL, (std::string("-sweeps_") + options).c_str()));
    PetscCall(MakeMatrix(side, dof, MATAIJ, 0, &native));
    PetscCall(MakeMatrix(side, dof, MatTypeOfRun().c_str(), 0, &ours));
    PetscCall(MatCreateVecs(native, &x[0], &b));
    PetscCall(VecDuplicate(b, &scale));
    PetscCall(VecSet(scale, 1));
    PetscCall(MatCreateVecs(ours, &x[1], NULL));
    PetscCall(FillVec(b, 3));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetOptionsPrefix(pc, "sweeps_"));
    PetscCall(PCSetType(pc, PCSOR));
    PetscCall(PCSetOperators(pc, ours, ours));
    PetscCall(PCSetFromOptions(pc));
    return PCSetUp(pc);
  }
  PetscErrorCode Destroy() {
    PetscCall(DestroyAll(&pc, &native, &ours, &b, &x[0], &x[1], &scale));
    return PETSC_SUCCESS;
  }
  /// Runs MatSOR() with both matrices, and compares.
  /// @param exact  to the bit
  PetscErrorCode Compare(std::string const& what, int flag, PetscReal omega, PetscReal shift, PetscInt its,
                         PetscInt lits, bool exact = false) {
    Vec right;
    PetscCall(VecDuplicate(x[1], &right));
    PetscCall(CopyTo(b, right));
    for (Vec v : x) PetscCall(VecSet(v, 0.25));
    PetscCall(MatSOR(native, b, omega, (MatSORType)flag, shift, its, lits, x[0]));
    PetscCall(MatSOR(ours, right, omega, (MatSORType)flag, shift, its, lits, x[1]));
    PetscCall(ExpectRows(what, x[0], x[1], scale, exact ? 0 : rounding));
    return VecDestroy(&right);
  }
  /// Copies between vectors of different types.
  static PetscErrorCode CopyTo(Vec from, Vec to) {
    PetscScalar const* f;
    PetscScalar* t;
    PetscInt n;
    PetscCall(VecGetLocalSize(from, &n));
    PetscCall(VecGetArrayRead(from, &f));
    PetscCall(VecGetArrayWrite(to, &t));
    PetscCall(PetscArraycpy(t, f, n));
    PetscCall(VecRestoreArrayWrite(to, &t));
    return VecRestoreArrayRead(from, &f);
  }
  /// Sets new values in both matrices, or a new pattern.
  PetscErrorCode Change(PetscReal factor, bool pattern) {
    for (Mat m : {native, ours}) {
      if (pattern) {
        PetscInt first;
        PetscCall(MatSetOption(m, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        PetscCall(MatGetOwnershipRange(m, &first, NULL));
        PetscCall(MatSetValue(m, first, first + 5, -0.125, INSERT_VALUES));
        PetscCall(MatSetValue(m, first + 5, first, -0.25, INSERT_VALUES));
        PetscCall(Assemble(m));
      }
      PetscCall(MatScale(m, factor));
    }
    return PETSC_SUCCESS;
  }
};

}  // namespace petsc_test
