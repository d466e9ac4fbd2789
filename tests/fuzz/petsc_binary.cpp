// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the check of PETSc binary files: what it lets pass, PETSc must be able to load.
#include "petsc_binary.hpp"

#include <petscmat.h>

#include <sptrsv_support/matrix_market.hpp>

#include "input_file.hpp"

namespace {

PetscErrorCode load(const char* path) {
  Mat A;
  PetscViewer viewer;
  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, path, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetType(A, MATAIJ));
  PetscCall(MatLoad(A, viewer));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn((PetscErrorCode)0);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // crashes belong to the fuzzer or the sanitizer
  if (PetscOptionsSetValue(nullptr, "-no_signal_handler", "1") || PetscInitializeNoArguments()) {
    sptrsv::fuzz::stop("PETSc does not start");
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static sptrsv::fuzz::InputFile file;
  const std::string& path = file.write(data, size);
  try {
    check_petsc_binary(path);
  } catch (const sptrsv::support::ReadError& error) {
    sptrsv::fuzz::check_message(error.what(), path);
    return 0;
  }
  if (!is_petsc_binary(path)) sptrsv::fuzz::stop("checked, but no PETSc binary file");
  if (load(path.c_str())) sptrsv::fuzz::stop("PETSc cannot load what was checked");
  return 0;
}
