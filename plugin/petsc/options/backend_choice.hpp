// SPDX-License-Identifier: Apache-2.0
// The option -mat_sptrsv_backend: whether solves run on the host or on the GPU.
#pragma once

#include <string>

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

struct Backend {
  bool device = false;
  bool kokkos = false;  // the matrix' vectors are PETSc's Kokkos vectors
  std::string reason = "not chosen yet";

  char const* name() const { return device ? "device" : "host"; }
};

/// Chooses where solves with A run: as -mat_sptrsv_backend says, read with the object's prefix, otherwise on the GPU if
/// A's vectors are there.
/// Errors: PETSC_ERR_ARG_OUTOFRANGE for an unknown word, PETSC_ERR_SUP for `device` in a build without one; both name
/// the option and a remedy.
PetscErrorCode ChooseBackend(PetscObject object, Mat A, Backend& backend);

}  // namespace sptrsv_petsc
