// SPDX-License-Identifier: Apache-2.0
// Library calls inside PETSc's: exceptions become PETSc errors.
#pragma once

#include <new>
#include <string>

#include "petsc_compat.hpp"
#include "sptrsv/error.hpp"

namespace sptrsv_petsc {

/// Runs library code; an exception becomes a PETSc error on the object's communicator.
template <class Object, class Call>
PetscErrorCode Guarded(Object object, Call const& call)
{
  std::string    message;
  PetscErrorCode code = PETSC_ERR_LIB;

  PetscFunctionBegin;
  try {
    call();
    PetscFunctionReturn(PETSC_SUCCESS);
  } catch (sptrsv::Unsupported const& e) {
    message = e.what();
    code    = PETSC_ERR_SUP;
  } catch (sptrsv::NotReady const& e) {
    message = e.what();
    code    = PETSC_ERR_ORDER;
  } catch (sptrsv::InvalidOption const& e) {
    message = e.what();
    code    = PETSC_ERR_ARG_OUTOFRANGE;
  } catch (std::bad_alloc const&) {
    message = "not enough memory for the triangular solver; use fewer levels of fill or more ranks";
    code    = PETSC_ERR_MEM;
  } catch (std::exception const& e) {
    message = e.what();
  }
  SETERRQ(PetscObjectComm((PetscObject)object), code, "sptrsv: %s", message.c_str());
}

}  // namespace sptrsv_petsc
