// SPDX-License-Identifier: Apache-2.0
// One factorization by PETSc on the host and by the backend, -mat_sptrsv_factor host and device, compared bit by bit.
#pragma once

#include "factor_pair.hpp"
#include "sptrsv_support/csr_matrix.hpp"

namespace petsc_test {

/// What becomes of a generated matrix's diagonal.
enum class Diagonal { kept, negated, scaled, zeroed };

/// @param inodes  MAT_USE_INODES
PetscErrorCode BuildMatrix(sptrsv::support::CsrMatrix const& from, Diagonal diagonal, MatType type, bool inodes,
                           Mat* A);
/// n by n, dense rows of `row_ptr`, `col_idx`, as they are.
PetscErrorCode BuildCsr(std::vector<PetscInt> const& row_ptr, std::vector<PetscInt> const& col_idx,
                        std::vector<PetscScalar> const& values, Mat* A);
/// Other values in the same pattern.
PetscErrorCode ChangeValues(Mat A, unsigned seed);

struct PlacedSetup {
  Factoring factoring;
  PetscReal zero_pivot = 100 * PETSC_MACHINE_EPSILON;
  PetscReal part_of_level = 0, diagonal_fill = 0;  ///< beside factoring.levels, which are whole
};

/// Ordering, symbolic and numeric phase of a factor with options of a prefix.
class PlacedFactor {
 public:
  PlacedFactor() = default;
  PlacedFactor(PlacedFactor const&) = delete;
  PlacedFactor& operator=(PlacedFactor const&) = delete;
  ~PlacedFactor();
  PetscErrorCode Make(Mat A, char const* type, char const* prefix, MatFactorType ftype);
  PetscErrorCode Symbolic(Mat A, PlacedSetup const& setup);
  PetscErrorCode Numeric(Mat A);
  Mat mat() const { return F_; }
  MatFactorInfo info;

 private:
  Mat F_ = nullptr;
  IS rows_ = nullptr, cols_ = nullptr;
  Factoring setup_;
};

struct PlacedPair {
  PlacedFactor host, device;
  PetscErrorCode Symbolic(Mat A, PlacedSetup const& setup, char const* type = "levelset");
  PetscErrorCode Numeric(Mat A);
};

/// Whether the factor's verdict is a zero pivot, and which.
struct Verdict {
  MatFactorError error = MAT_FACTOR_NOERROR;
  PetscReal value = 0;
  PetscInt row = 0;
};
PetscErrorCode GetVerdict(Mat F, Verdict* verdict);

/// Every solve, the diagonal, the inertia and the verdict.
PetscErrorCode ExpectSame(Mat host, Mat device);
/// MatSolve() to rounding.
PetscErrorCode ExpectNear(Mat expected, Mat actual);

}  // namespace petsc_test
