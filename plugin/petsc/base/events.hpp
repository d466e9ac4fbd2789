// SPDX-License-Identifier: Apache-2.0
// Events for -log_view.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Events of the three phases of a solver.
struct Events {
  PetscLogEvent analysis, numeric, solve;
};
/// Events that are registered again after each PetscInitialize().
extern Events events;

/// Calls use() within an event. Ends the event on an error too, since PETSc never times or counts an event again that
/// has not ended.
template <class Use>
PetscErrorCode Logged(PetscLogEvent event, PetscObject object, Use const& use)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, object, 0, 0, 0));
  PetscErrorCode const code = use();
  PetscCall(PetscLogEventEnd(event, object, 0, 0, 0));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
