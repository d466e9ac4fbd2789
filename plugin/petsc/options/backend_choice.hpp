// SPDX-License-Identifier: Apache-2.0
// The option -mat_sptrsv_backend: whether solves run on the host or on the GPU.
#pragma once

#include <string>

#include "base/petsc_compat.hpp"
#include "options/option_table.hpp"

namespace sptrsv_petsc {

struct Backend {
  bool device = false;
  bool kokkos = false;  // the matrix' vectors are PETSc's Kokkos vectors
  std::string reason = "not chosen yet";

  char const* name() const { return device ? "device" : "host"; }
};

/// Reads -mat_sptrsv_backend with the object's prefix.
/// Errors: PETSC_ERR_ARG_OUTOFRANGE for an unknown word, PETSC_ERR_SUP for `device` in a build without a device; both
/// name the option and a remedy.
PetscErrorCode ReadBackendChoice(PetscObject object, BackendChoice* choice);

/// Chooses where solves with A run: where `choice` says, by default on the GPU if A's vectors are there.
PetscErrorCode ChooseBackend(Mat A, BackendChoice choice, Backend& backend);

/// Reads -mat_sptrsv_backend with the object's prefix, and chooses where solves with A run. Errors are those of
/// ReadBackendChoice().
PetscErrorCode ChooseBackend(PetscObject object, Mat A, Backend& backend);

}  // namespace sptrsv_petsc
