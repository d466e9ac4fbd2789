// SPDX-License-Identifier: Apache-2.0
// Matrices and kinds of factors for the tests of -mat_sptrsv_blocks.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "factor_pair.hpp"

namespace petsc_test {

inline constexpr PetscReal rounding = PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-11;
inline constexpr char const* factor_choices[] = {"host", "device"};  // values of -mat_sptrsv_factor

struct Case {
  MatType type = MATSEQAIJ;
  PetscInt dof = 1;
  MatFactorType ftype = MAT_FACTOR_ILU;
  PetscInt levels = 0;
  MatFactorShiftType shift = MAT_SHIFT_NONE;

  bool symmetric() const { return ftype == MAT_FACTOR_ICC || ftype == MAT_FACTOR_CHOLESKY; }
  char const* pc() const
  {
    return ftype == MAT_FACTOR_ILU ? PCILU : ftype == MAT_FACTOR_ICC ? PCICC : symmetric() ? PCCHOLESKY : PCLU;
  }
  std::string name() const
  {
    return std::string(type) + " bs " + std::to_string(dof) + ", " + pc() + "(" + std::to_string(levels) + ")";
  }
  /// Tells whether PETSc's numeric phase adds leftovers of earlier rows to such a factor: docs/petsc_faults.md,
  /// icc_leftovers.
  bool has_leftovers() const
  {
    bool const sbaij = type == std::string(MATSEQSBAIJ);
    return ftype == MAT_FACTOR_ICC && levels > 0 && (type == std::string(MATSEQBAIJ) || (sbaij && dof > 1));
  }
};

/// Builds a comparison matrix. For a positive vector every solve has sums without cancellation, so that rows can be
/// compared by their own size.
inline PetscErrorCode BuildMatrix(Case const& c, PetscInt side, Mat* A)
{
  Grid grid;

  PetscFunctionBegin;
  grid.side = side;
  grid.dof = c.dof;
  grid.type = c.type;
  grid.symmetric = c.symmetric();
  grid.comparison = true;
  PetscCall(BuildGrid(grid, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode FillPositive(Vec v, unsigned seed)
{
  PetscFunctionBegin;
  PetscCall(FillVec(v, seed));
  PetscCall(VecAbs(v));
  PetscCall(VecShift(v, 0.01));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline std::vector<Case> AllCases()
{
  std::vector<Case> all;
  for (PetscInt levels : {0, 1, 2}) {
    for (MatFactorType ftype : {MAT_FACTOR_ILU, MAT_FACTOR_ICC}) {
      all.push_back({MATSEQAIJ, 1, ftype, levels});
      all.push_back({MATSEQAIJ, 3, ftype, levels});
      for (PetscInt dof : {1, 2, 3}) all.push_back({MATSEQBAIJ, dof, ftype, levels});
    }
    for (PetscInt dof : {1, 2, 3}) all.push_back({MATSEQSBAIJ, dof, MAT_FACTOR_ICC, levels});
  }
  for (MatType type : {MATSEQAIJ, MATSEQBAIJ}) all.push_back({type, 2, MAT_FACTOR_LU, 0});
  for (MatType type : {MATSEQAIJ, MATSEQSBAIJ}) all.push_back({type, 2, MAT_FACTOR_CHOLESKY, 0});
  return all;
}

}  // namespace petsc_test
