// SPDX-License-Identifier: Apache-2.0
// Turns errors of PETSc into exceptions with PETSc's own message.
#pragma once

#include <petscsys.h>

#include <stdexcept>
#include <string>

#include "sptrsv_support/petsc_success.hpp"

namespace sptrsv::bench {

/// Error handler: during its lifetime PETSc prints no errors, and `must` turns them into exceptions.
class Errors {
 public:
  Errors() { (void)PetscPushErrorHandler(keep_message, &message_); }
  ~Errors() { (void)PetscPopErrorHandler(); }
  Errors(Errors const&) = delete;
  Errors& operator=(Errors const&) = delete;
  void must(PetscErrorCode code) const {
    if (code != PETSC_SUCCESS)
      throw std::runtime_error(message_.empty() ? "PETSc error " + std::to_string(static_cast<int>(code)) : message_);
  }

 private:
  /// Keeps the message of the first error instead of printing it.
  static PetscErrorCode keep_message(MPI_Comm, int, char const*, char const*, PetscErrorCode code, PetscErrorType kind,
                                     char const* message, void* context) {
    if (kind == PETSC_ERROR_INITIAL) *static_cast<std::string*>(context) = message ? message : "";
    return code;
  }

  std::string message_;
};

}  // namespace sptrsv::bench
