// SPDX-License-Identifier: Apache-2.0
// Makes the library that an option names.
#include "direct/direct_library.hpp"

#if defined(SPTRSV_HAVE_SUITESPARSE)
#include "direct/suitesparse.hpp"
#endif

namespace sptrsv_petsc {

PetscErrorCode MakeDirectLibrary(Mat F, [[maybe_unused]] FactorChoice choice,
                                 [[maybe_unused]] std::unique_ptr<DirectLibrary>* library)
{
  PetscFunctionBegin;
#if defined(SPTRSV_HAVE_SUITESPARSE)
  PetscCall(CheckSuiteSparse(F));
  PetscCall(Caught(F, [&] {
    *library = choice == FactorChoice::cholmod ? MakeCholmod()
               : choice == FactorChoice::klu   ? MakeKlu()
                                               : MakeUmfpack();
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
#elif defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
  SETERRQ(PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
          "Option -mat_sptrsv_factor: libraries are used with real numbers in double precision only, not with this "
          "PETSc; choose automatic, host or device");
#else
  SETERRQ(
      PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
      "Option -mat_sptrsv_factor: the plugin was built without SuiteSparse; install it (Debian: libsuitesparse-dev) "
      "and build the plugin again, or choose automatic, host or device");
#endif
}

}  // namespace sptrsv_petsc
