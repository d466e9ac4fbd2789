// SPDX-License-Identifier: Apache-2.0
// The same factorization by PETSc on the host and by the backend, -mat_sptrsv_factor host and device, compared bit by
// bit.
#pragma once

#include "factor_pair.hpp"
#include "sptrsv_support/csr_matrix.hpp"

namespace petsc_test {

/// Change of a generated matrix's diagonal.
enum class Diagonal { kept, negated, scaled, zeroed };

/// @param inodes  value of MAT_USE_INODES
PetscErrorCode BuildMatrix(sptrsv::support::CsrMatrix const& from, Diagonal diagonal, MatType type, bool inodes,
                           Mat* A);
/// Builds an n by n matrix from the rows of `row_ptr` and `col_idx`, unchanged.
PetscErrorCode BuildCsr(std::vector<PetscInt> const& row_ptr, std::vector<PetscInt> const& col_idx,
                        std::vector<PetscScalar> const& values, Mat* A);
/// Sets other values in the same pattern.
PetscErrorCode ChangeValues(Mat A, unsigned seed);

struct FactorSetup {
  Factoring factoring;
  PetscReal zero_pivot = 100 * PETSC_MACHINE_EPSILON;
  PetscReal part_of_level = 0, diagonal_fill = 0;  ///< part_of_level is added to factoring.levels, which is whole
  std::vector<PetscInt> row_perm, col_perm;        ///< instead of factoring.ordering, if not empty
};

/// Factor with options of a prefix: ordering, symbolic and numeric phase.
class PrefixedFactor {
 public:
  PrefixedFactor() = default;
  PrefixedFactor(PrefixedFactor const&) = delete;
  PrefixedFactor& operator=(PrefixedFactor const&) = delete;
  ~PrefixedFactor();
  PetscErrorCode Make(Mat A, char const* type, char const* prefix, MatFactorType ftype);
  PetscErrorCode Symbolic(Mat A, FactorSetup const& setup);
  PetscErrorCode Numeric(Mat A);
  Mat mat() const { return F_; }
  MatFactorInfo info;

 private:
  Mat F_ = nullptr;
  IS rows_ = nullptr, cols_ = nullptr;
  Factoring setup_;
};

struct HostDevicePair {
  PrefixedFactor host, device;
  PetscErrorCode Symbolic(Mat A, FactorSetup const& setup, char const* type = "levelset");
  PetscErrorCode Numeric(Mat A);
};

/// Verdict of a factor: whether there is a zero pivot, its value and its row.
struct Verdict {
  MatFactorError error = MAT_FACTOR_NOERROR;
  PetscReal value = 0;
  PetscInt row = 0;
};
PetscErrorCode GetVerdict(Mat F, Verdict* verdict);

/// Compares every solve, the diagonal, the inertia and the verdict.
PetscErrorCode ExpectSame(Mat host, Mat device);
/// Compares MatSolve() up to rounding.
PetscErrorCode ExpectNear(Mat expected, Mat actual);

}  // namespace petsc_test
