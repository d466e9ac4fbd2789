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

struct HostDevicePair {
  Factor host, device;
  PetscErrorCode Symbolic(Mat A, Factoring const& setup, char const* type = "levelset");
  PetscErrorCode Numeric(Mat A);
};

/// Compares every solve, the diagonal, the inertia and the pivot status.
PetscErrorCode ExpectSame(Mat host, Mat device);
/// Compares solves and transposed solves of both factors of a well-conditioned matrix, row by row, up to rounding.
PetscErrorCode ExpectNear(std::string const& what, Mat own, Mat ours);

}  // namespace petsc_test
