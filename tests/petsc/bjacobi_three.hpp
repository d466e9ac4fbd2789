// SPDX-License-Identifier: Apache-2.0
// One program with block Jacobi of three kinds.
#pragma once

#include <functional>
#include <string>

#include "bjacobi_pair.hpp"

namespace petsc_test {

inline constexpr PetscReal rounding = PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-12;
inline constexpr char const* prefixes[] = {"petsc_", "together_", "own_"};

/// The same program with PETSc's factors and with blocks together.
struct Three {
  Mat A = nullptr;
  KSP ksp[3] = {};

  PetscErrorCode Make(BlockWay const& way, PetscInt blocks, PetscInt side = 12)
  {
    PetscFunctionBegin;
    PetscCall(BuildParallelGrid(side, way, &A));
    for (int k = 0; k < 3; ++k) PetscCall(MakeBlockKsp(A, way, prefixes[k], blocks, {}, &ksp[k]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Compare(std::string const& what, char const* view = nullptr)
  {
    PetscFunctionBegin;
    for (int k = 1; k < 3; ++k) {
      PetscCall(ExpectSameApplications(what + ", " + prefixes[k], ksp[0], ksp[k], rounding));
      if (view) PetscCall(ExpectView(ksp[k], view));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /// For the blocks of each.
  PetscErrorCode ForBlocks(std::function<PetscErrorCode(PetscInt, KSP*)> const& change)
  {
    PC pc;
    PetscInt n;
    KSP* blocks;

    PetscFunctionBegin;
    for (KSP k : ksp) {
      PetscCall(KSPSetUp(k));
      PetscCall(KSPGetPC(k, &pc));
      PetscCall(PCBJacobiGetSubKSP(pc, &n, NULL, &blocks));
      PetscCall(change(n, blocks));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Destroy()
  {
    PetscFunctionBegin;
    for (KSP& k : ksp) PetscCall(KSPDestroy(&k));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

}  // namespace petsc_test
