// SPDX-License-Identifier: Apache-2.0
// State of the plugin that is composed with a PETSc object, and destroyed with it.
#pragma once

#include <memory>

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

template <class State>
PetscErrorCode DestroyState(void* state)
{
  PetscFunctionBegin;
  delete static_cast<State*>(state);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Composes a state with an object under a name. Replaces an earlier state of that name.
template <class State>
PetscErrorCode ComposeState(PetscObject object, char const* name, std::unique_ptr<State> state)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, state.get()));
  PetscCall(ContainerSetDestroy<DestroyState<State>>(container));
  (void)state.release();  // the container owns it
  PetscErrorCode const code = PetscObjectCompose(object, name, (PetscObject)container);
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets the state that is composed with an object under a name, or null.
template <class State>
PetscErrorCode FindState(PetscObject object, char const* name, State** state)
{
  PetscContainer container = nullptr;
  void* pointer = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(object, name, (PetscObject*)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, &pointer));
  *state = static_cast<State*>(pointer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
