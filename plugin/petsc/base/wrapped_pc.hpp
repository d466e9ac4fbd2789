// SPDX-License-Identifier: Apache-2.0
// Wraps PC types of PETSc: functions of the plugin run before and after PETSc's own.
#pragma once

#include "base/axpy_state.hpp"
#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// PC type of PETSc's, and the functions that the plugin adds. The function by which PETSc creates a PC gets no other
/// data, so each WrappedPc is a static object and the template argument of CreateWrapped().
struct WrappedPc {
  PCType name;
  PetscErrorCode (*before)(PC);             ///< called before PETSc's set-up; null: none
  PetscErrorCode (*after)(PC);              ///< called after PETSc's set-up; null: none
  PetscErrorCode (*show)(PC, PetscViewer);  ///< called after PETSc's view; null: none
  PetscErrorCode (*select)(PC) = nullptr;   ///< called before PETSc's functions that apply the PC; null: none
  PetscErrorCode (*release)(PC) = nullptr;  ///< called before PETSc's reset and destroy; null: none

  PetscErrorCode (*create)(PC) = nullptr;  ///< PETSc's function that creates the PC
  _PCOps native = {};                      ///< PETSc's functions of the type; null: none
};

/// Name under which PETSc's view function is composed with a PC, if that function has changed since the PC was created.
inline constexpr char name_of_view[] = "SpTRSVNativeView";

/// Calls select() and then PETSc's function `op`, a member of _PCOps.
template <WrappedPc const& type, auto op, class... Arguments>
PetscErrorCode ApplyWrapped(PC pc, Arguments... arguments)
{
  PetscFunctionBegin;
  PetscCall(type.select(pc));
  PetscCall((type.native.*op)(pc, arguments...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls release() and then PETSc's function `op`, a member of _PCOps, if the type has it.
template <WrappedPc const& type, auto op>
PetscErrorCode ReleaseWrapped(PC pc)
{
  PetscFunctionBegin;
  PetscCall(type.release(pc));
  if (type.native.*op) PetscCall((type.native.*op)(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto op, WrappedPc const& type, class... Arguments>
void WrapApply(PetscErrorCode (*&function)(PC, Arguments...))
{
  if (function) function = ApplyWrapped<type, op, Arguments...>;
}

template <WrappedPc const& type>
PetscErrorCode ViewWrapped(PC pc, PetscViewer viewer)
{
  PetscErrorCode (*native)(PC, PetscViewer) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, name_of_view, &native));
  if (!native) native = type.native.view;
  if (native) PetscCall(native(pc, viewer));
  if (type.show) PetscCall(type.show(pc, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <WrappedPc const& type>
PetscErrorCode SetUpWrapped(PC pc)
{
  PetscErrorCode (*const view)(PC, PetscViewer) = ViewWrapped<type>;

  PetscFunctionBegin;
  if (pc->ops->view != view) {  // PCFieldSplitSetType() sets another view
    PetscCall(PetscObjectComposeFunction((PetscObject)pc, name_of_view, pc->ops->view));
    pc->ops->view = view;
  }
  if (pc->pmat) PetscCall(RaiseStateInAxpy(pc->pmat));
  if (type.before) PetscCall(type.before(pc));
  if (type.native.setup) PetscCall(type.native.setup(pc));
  if (type.after) PetscCall(type.after(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <WrappedPc& type>
PetscErrorCode CreateWrapped(PC pc)
{
  PetscFunctionBegin;
  PetscCall(type.create(pc));
  type.native = *pc->ops;
  pc->ops->setup = SetUpWrapped<type>;
  pc->ops->view = ViewWrapped<type>;
  if (type.select) {
    WrapApply<&_PCOps::apply, type>(pc->ops->apply);
    WrapApply<&_PCOps::applytranspose, type>(pc->ops->applytranspose);
    WrapApply<&_PCOps::applyrichardson, type>(pc->ops->applyrichardson);
    WrapApply<&_PCOps::presolve, type>(pc->ops->presolve);
    WrapApply<&_PCOps::postsolve, type>(pc->ops->postsolve);
  }
  if (type.release) {
    pc->ops->reset = ReleaseWrapped<type, &_PCOps::reset>;
    pc->ops->destroy = ReleaseWrapped<type, &_PCOps::destroy>;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Registers a PC type again, with functions that call PETSc's own. Call PCInitializePackage() first: before that,
/// PCList lacks PETSc's own types, and this function registers nothing.
template <WrappedPc& type>
PetscErrorCode RegisterWrapped()
{
  PetscErrorCode (*registered)(PC) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(PCList, type.name, &registered));
  if (!registered || registered == CreateWrapped<type>) PetscFunctionReturn(PETSC_SUCCESS);
  type.create = registered;
  PetscCall(PCRegister(type.name, CreateWrapped<type>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
