// SPDX-License-Identifier: Apache-2.0
// -mat_sptrsv_factor: whether PETSc computes a factor's values, on the host, or the backend does, where the solves run.
#pragma once

#include <string>

#include "base/petsc_compat.hpp"
#include "sptrsv/factorization/factorization.hpp"

namespace sptrsv_petsc {

enum class FactorChoice { automatic, host, device };

struct FactorPlace {
  FactorChoice asked = FactorChoice::automatic;
  bool own = false;  // by the backend
  std::string reason = "not chosen yet";
};

/// Reads the option with the object's prefix. Error PETSC_ERR_ARG_OUTOFRANGE for another word.
PetscErrorCode ReadFactorChoice(PetscObject object, FactorChoice* choice);

/// Seconds of a numeric phase, estimated: PETSc's on one core with the copy of the factor, and the backend's on a GPU.
struct FactorEstimate {
  double host = 0, device = 0;
};
/// @param block_size  0: not by blocks
FactorEstimate EstimateFactor(sptrsv::FactorizationReport const& report, PetscInt block_size);

/// Whether this PETSc's compiler contracts products and sums in its factorization: PETSc factors a matrix of three rows
/// whose factor tells. Asked once a process for each kind.
/// @param inodes  LU: rows with the same columns follow each other, for which PETSc has other code.
PetscErrorCode PetscContracts(bool symmetric, bool inodes, bool* contracts);

}  // namespace sptrsv_petsc
