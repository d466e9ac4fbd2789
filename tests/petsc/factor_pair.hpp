// SPDX-License-Identifier: Apache-2.0
// A factor by the plugin and PETSc's own of the same matrix, made with PETSc's interface only: these programs know the
// plugin only by its type names.
#pragma once

#include <gtest/gtest.h>
#include <petscksp.h>

#include <string>
#include <utility>
#include <vector>

#include "sptrsv_support/petsc_destroy.hpp"

namespace petsc_test {

using sptrsv::support::DestroyAll;

/// MatSolverType with an option, which test_main.cxx sets under the prefix.
struct Variant {
  char const *label, *type, *option = nullptr, *value = nullptr;  ///< option: without -mat_sptrsv_
  std::string prefix() const { return std::string(label) + "_"; }
};
std::vector<Variant> const& all_variants();

struct Factoring {
  MatFactorType ftype = MAT_FACTOR_LU;
  PetscInt levels = 0;
  MatOrderingType ordering = MATORDERINGNATURAL;
  MatFactorShiftType shift = MAT_SHIFT_NONE;
  PetscReal shift_amount = 0;
  bool nonzero_diagonal_order = false;  ///< call MatReorderForNonzeroDiagonal() after the ordering
  PetscReal zero_pivot = 100 * PETSC_MACHINE_EPSILON;
  PetscReal part_of_level = 0;  ///< added to levels
  PetscReal diagonal_fill = 0;
  std::vector<PetscInt> row_perm, col_perm;  ///< instead of the ordering, if not empty

  bool symmetric() const { return ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC; }
};

/// 2D grid with `dof` unknowns per node (inodes for dof > 1), with off-diagonal entries of both signs.
struct Grid {
  PetscInt side = 7;
  PetscInt dof = 1;
  bool symmetric = false;
  bool comparison = false;  ///< make the comparison matrix: |diagonal|, -|off-diagonal|
  unsigned seed = 1;        ///< seed of the values; does not change the pattern
  MatType type = MATSEQAIJ;
};
PetscErrorCode Assemble(Mat A);
PetscErrorCode SetGridValues(Grid const& grid, Mat A);
PetscErrorCode BuildGrid(Grid const& grid, Mat* A);
/// Builds an n by n matrix, tridiagonal with two more diagonals; diagonal(i) may be zero.
PetscErrorCode BuildBand(PetscInt n, PetscScalar (*diagonal)(PetscInt), bool symmetric, Mat* A);

/// One factor: ordering, symbolic phase and numeric phase.
class Factor {
 public:
  Factor() = default;
  Factor(Factor const&) = delete;
  Factor& operator=(Factor const&) = delete;
  ~Factor();
  /// Makes a factor with the options of a prefix, and does its symbolic phase.
  PetscErrorCode Symbolic(Mat A, char const* type, char const* prefix, Factoring const& setup);
  PetscErrorCode Make(Mat A, char const* type, char const* prefix, MatFactorType ftype);
  PetscErrorCode Symbolic(Mat A, Factoring const& setup);
  PetscErrorCode Numeric(Mat A);
  Mat mat() const { return F_; }
  MatFactorInfo info;

 private:
  Mat F_ = nullptr;
  IS rows_ = nullptr, cols_ = nullptr;
  bool own_ = false;
  Factoring setup_;
};

/// PivotStatus of a factor: whether there is a zero pivot, its value and its row.
struct PivotStatus {
  MatFactorError error = MAT_FACTOR_NOERROR;
  PetscReal value = 0;
  PetscInt row = 0;
};
PetscErrorCode GetPivotStatus(Mat F, PivotStatus* pivot_status);

/// Error of a call that was run with PETSc's error output suppressed.
struct CaughtError {
  PetscErrorCode code = 0;  ///< code of the first error raised
  std::string message;
};
template <class Body>
CaughtError Catch(Body const& body);

/// Tells whether PETSC_COMM_WORLD has one rank.
inline bool OneRank() {
  PetscMPIInt size = 1;
  (void)MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size == 1;
}

/// Returns a type of matrix: that of the option -run_mat_type, or aij.
std::string MatTypeOfRun();
/// Checks |actual - expected| <= tolerance * scale in every row, and NaN in the same rows.
PetscErrorCode ExpectRows(std::string const& what, Vec expected, Vec actual, Vec scale, PetscReal tolerance);
/// Returns the output of PCView(), or of MatView() with PETSC_VIEWER_ASCII_INFO. Collective.
std::string ViewText(PC pc);
std::string ViewText(Mat F);
/// Fills v with entries in [-1, 1] that depend only on the seed.
PetscErrorCode FillVec(Vec v, unsigned seed);
/// Makes a dense n by `columns` matrix with leading dimension lda.
PetscErrorCode MakeDense(PetscInt n, PetscInt columns, PetscInt lda, Mat* B);

// ---- details

PetscErrorCode KeepError(MPI_Comm, int, char const*, char const*, PetscErrorCode, PetscErrorType, char const*, void*);

template <class Body>
CaughtError Catch(Body const& body) {
  CaughtError caught;
  PetscPushErrorHandler(KeepError, &caught);
  PetscErrorCode const code = body();
  PetscPopErrorHandler();
  if (!caught.code) caught.code = code;
  return caught;
}

}  // namespace petsc_test
