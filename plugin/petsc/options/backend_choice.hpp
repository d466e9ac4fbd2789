// SPDX-License-Identifier: Apache-2.0
// -mat_sptrsv_backend: whether a matrix' solves run on the host or on the GPU.
#pragma once

#include <string>

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

struct Backend {
  bool device = false;
  bool kokkos = false;  // the matrix' vectors are PETSc's of Kokkos
  std::string reason = "not chosen yet";

  char const* name() const { return device ? "device" : "host"; }
};

/// As the option says, read with the object's prefix; else the GPU if A's vectors are there.
/// Errors: PETSC_ERR_ARG_OUTOFRANGE for another word, PETSC_ERR_SUP for a device where the build has none; both
/// name the option and a remedy.
PetscErrorCode ChooseBackend(PetscObject object, Mat A, Backend& backend);

}  // namespace sptrsv_petsc
