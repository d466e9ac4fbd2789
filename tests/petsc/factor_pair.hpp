// SPDX-License-Identifier: Apache-2.0
// A factor by the plugin beside PETSc's own of the same matrix, made with PETSc's interface alone: these
// programs know the plugin by its type names only.
#pragma once

#include <gtest/gtest.h>
#include <petscksp.h>

#include <string>
#include <utility>
#include <vector>

#include "sptrsv_support/petsc_success.hpp"

namespace petsc_test {

/// A MatSolverType and a prefix under which main.cxx sets the options that make a variant of it.
struct Variant {
  char const* label;
  char const* type;
  char const* prefix;
};
std::vector<Variant> const& all_variants();

struct Factoring {
  MatFactorType ftype = MAT_FACTOR_LU;
  PetscInt levels = 0;
  MatOrderingType ordering = MATORDERINGNATURAL;
  MatFactorShiftType shift = MAT_SHIFT_NONE;
  PetscReal shift_amount = 0;
  bool nonzero_diagonal_order = false;  ///< MatReorderForNonzeroDiagonal() after the ordering

  bool symmetric() const { return ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC; }
};

/// A 2D grid with `dof` unknowns a node (inodes for dof > 1), off-diagonal entries of both signs.
struct Grid {
  PetscInt side = 7;
  PetscInt dof = 1;
  bool symmetric = false;
  bool comparison = false;  ///< the comparison matrix: |diagonal|, -|off-diagonal|
  unsigned seed = 1;        ///< of the values; the pattern stays
  MatType type = MATSEQAIJ;
};
PetscErrorCode SetGridValues(Grid const& grid, Mat A);
PetscErrorCode BuildGrid(Grid const& grid, Mat* A);
/// n by n, tridiagonal and two more diagonals; diagonal(i) may be zero.
PetscErrorCode BuildBand(PetscInt n, PetscScalar (*diagonal)(PetscInt), bool symmetric, Mat* A);

/// Ordering, symbolic phase and numeric phase of one factor.
class Factor {
 public:
  Factor() = default;
  Factor(Factor const&) = delete;
  Factor& operator=(Factor const&) = delete;
  ~Factor();
  PetscErrorCode Symbolic(Mat A, char const* type, char const* prefix, Factoring const& setup);
  PetscErrorCode Numeric(Mat A);
  Mat mat() const { return F_; }

 private:
  Mat F_ = nullptr;
  IS rows_ = nullptr, cols_ = nullptr;
  bool own_ = false;
  Factoring setup_;
  MatFactorInfo info_;
};

/// Runs body with PETSc's error output kept back: returns the code and the first message.
struct CaughtError {
  PetscErrorCode code = 0;  ///< of the first error raised
  std::string message;
};
template <class Body>
CaughtError Catch(Body const& body);

/// |actual - expected| <= tolerance * scale in every row, NaN in the same rows.
PetscErrorCode ExpectRows(std::string const& what, Vec expected, Vec actual, Vec scale, PetscReal tolerance);
/// Entries in [-1, 1], the same for the same seed.
PetscErrorCode FillVec(Vec v, unsigned seed);
/// A dense n by columns matrix with leading dimension lda.
PetscErrorCode MakeDense(PetscInt n, PetscInt columns, PetscInt lda, Mat* B);

// ---- details

PetscErrorCode KeepError(MPI_Comm, int, char const*, char const*, PetscErrorCode, PetscErrorType, char const*, void*);

template <class Body>
CaughtError Catch(Body const& body)
{
  CaughtError caught;
  PetscPushErrorHandler(KeepError, &caught);
  PetscErrorCode const code = body();
  PetscPopErrorHandler();
  if (!caught.code) caught.code = code;
  return caught;
}

}  // namespace petsc_test
