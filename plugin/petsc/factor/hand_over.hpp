// SPDX-License-Identifier: Apache-2.0
// Hands a factor that replaces one of another solver type over to that type, if a phase of the plugin refuses it.
#pragma once

#include <cstdio>

#include "factor/matfactor.hpp"

namespace sptrsv_petsc {

/// First error of a call, which PETSc has not printed.
struct QuietError {
  PetscErrorCode code = PETSC_SUCCESS;
  char message[1000] = "";
};

/// Calls a function with PETSc's error messages suppressed, and keeps its first error.
template <class Call>
PetscErrorCode CallQuietly(Call const& call, QuietError* error)
{
  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(
      [](MPI_Comm, int, char const*, char const*, PetscErrorCode code, PetscErrorType, char const* message,
         void* context) {
        auto* const first = static_cast<QuietError*>(context);
        if (!first->code) std::snprintf(first->message, sizeof first->message, "%s", message ? message : "");
        if (!first->code) first->code = code;
        return code;
      },
      error));
  PetscErrorCode const code = call();
  PetscCall(PetscPopErrorHandler());
  if (!error->code) error->code = code;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Input of a symbolic phase besides the matrix; `cols` is null for Cholesky and ICC.
struct PhaseInput {
  MatFactorType kind;
  IS rows, cols;
  MatFactorInfo const* info;
};

/// Makes F a factor of type `type`, by that type's symbolic phase and, if `numeric` is not null, by its numeric phase
/// with that information. -ksp_view then shows the plugin's error. Raises that error instead if it is no refusal of the
/// matrix.
PetscErrorCode HandOver(Mat F, Mat A, PhaseInput const& input, MatFactorInfo const* numeric, ReplacedType const& type,
                        QuietError const& error);

}  // namespace sptrsv_petsc
