// SPDX-License-Identifier: Apache-2.0
// Destroys several objects of PETSc in one call.
#pragma once

#include <petscksp.h>

#include "petsc_success.hpp"

namespace sptrsv::support {

inline PetscErrorCode Destroy(Mat* object) { return MatDestroy(object); }
inline PetscErrorCode Destroy(Vec* object) { return VecDestroy(object); }
inline PetscErrorCode Destroy(IS* object) { return ISDestroy(object); }
inline PetscErrorCode Destroy(KSP* object) { return KSPDestroy(object); }
inline PetscErrorCode Destroy(PC* object) { return PCDestroy(object); }

/// Destroys objects up to the first error.
template <class... Objects>
PetscErrorCode DestroyAll(Objects*... objects) {
  PetscErrorCode code = PETSC_SUCCESS;
  ((code = code ? code : Destroy(objects)), ...);
  return code;
}

}  // namespace sptrsv::support
