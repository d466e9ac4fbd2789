// SPDX-License-Identifier: Apache-2.0
// A matrix with the plugin's submatrices, and PETSc's own matrix on the host.
#pragma once

#include "factor_pair.hpp"

namespace petsc_test {

/// Sets values of a matrix with five diagonals, not symmetric.
PetscErrorCode SetValues(Mat A, int round, bool more);

/// Makes a matrix of n rows with the values of round 0.
PetscErrorCode MakeMatrix(PetscInt n, char const* type, Mat* A);

/// Makes a PC whose set-up lets the matrix cut submatrices by the plugin, or by PETSc.
PetscErrorCode MakePc(Mat A, char const* prefix, PCType type, PC* pc, bool by_plugin = true);

/// Expects this rank's rows of two matrices to be equal.
PetscErrorCode ExpectEqual(std::string const& what, Mat expected, Mat actual);

/// Index sets of this rank: `n` runs of its rows, widened by `overlap` rows on both sides.
/// @param reversed  in descending order
PetscErrorCode MakeSets(Mat A, PetscInt n, PetscInt overlap, bool reversed, std::vector<IS>* sets);

/// A matrix with the plugin's submatrices, and PETSc's own matrix on the host.
struct SubmatrixPair {
  Mat native = nullptr, ours = nullptr;
  PC pc = nullptr;

  PetscErrorCode Create(PetscInt n, bool by_plugin = true) {
    PetscCall(MakeMatrix(n, MATAIJ, &native));
    PetscCall(MakeMatrix(n, MatTypeOfRun().c_str(), &ours));
    return MakePc(ours, "whole_", PCASM, &pc, by_plugin);
  }
  PetscErrorCode Change(int round, bool more = false) {
    for (Mat m : {native, ours}) {
      PetscCall(SetValues(m, round, more));
      PetscCall(MatScale(m, 1.5));  // on a GPU the newest values are there
    }
    return PETSC_SUCCESS;
  }
  PetscErrorCode Destroy() { return DestroyAll(&pc, &native, &ours); }
};

/// Sets of index sets, and the plugin's submatrices for them.
struct SubmatrixSets {
  std::vector<IS> rows, cols;
  Mat* submat = nullptr;

  PetscInt size() const { return (PetscInt)rows.size(); }
  PetscErrorCode Take(SubmatrixPair& p, MatReuse reuse) {
    return MatCreateSubMatrices(p.ours, size(), rows.data(), cols.data(), reuse, &submat);
  }
  PetscErrorCode Compare(SubmatrixPair& p, std::string const& what) {
    Mat* expected = nullptr;
    PetscCall(MatCreateSubMatrices(p.native, size(), rows.data(), cols.data(), MAT_INITIAL_MATRIX, &expected));
    for (PetscInt k = 0; k < size(); ++k) PetscCall(ExpectEqual(what, expected[k], submat[k]));
    return MatDestroySubMatrices(size(), &expected);
  }
  PetscErrorCode Destroy() {
    PetscCall(MatDestroySubMatrices(size(), &submat));
    for (auto* sets : {&rows, &cols})
      for (IS& set : *sets) PetscCall(ISDestroy(&set));
    return PETSC_SUCCESS;
  }
};

/// Expects the PC's view to say that the plugin took values into submatrices `count` times, or not to name it if 0.
PetscErrorCode ExpectUpdates(SubmatrixPair& p, int count);

}  // namespace petsc_test
