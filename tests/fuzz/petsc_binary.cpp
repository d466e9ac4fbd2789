// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the check of PETSc binary files: PETSc must be able to load every file that passes, and so must this
// project's reader.
#include "petsc_binary.hpp"

#include <petscmat.h>

#include <sptrsv_support/matrix_market.hpp>
#include <sptrsv_support/petsc_binary.hpp>

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

/// Tells whether this project's reader accepts the file, which may have the other width of indices; a refusal is
/// checked.
bool is_read(const std::string& path) {
  try {
    const auto a = sptrsv::support::read_petsc_binary(path);
    if (a.row_ptr.size() != static_cast<std::size_t>(a.num_rows) + 1 || a.col_idx.size() != a.values.size())
      sptrsv::fuzz::stop("read in part");
    return true;
  } catch (const sptrsv::support::ReadError& error) {
    sptrsv::fuzz::check_message(error.what(), path);
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // the fuzzer or the sanitizer handles crashes
  if (PetscOptionsSetValue(nullptr, "-no_signal_handler", "1") || PetscInitializeNoArguments()) {
    sptrsv::fuzz::stop("PETSc does not start");
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static sptrsv::fuzz::InputFile file;
  const std::string& path = file.write(data, size);
  const bool read = is_read(path);
  try {
    check_petsc_binary(path);
  } catch (const sptrsv::support::ReadError& error) {
    sptrsv::fuzz::check_message(error.what(), path);
    return 0;
  }
  if (!is_petsc_binary(path)) sptrsv::fuzz::stop("checked, but no PETSc binary file");
  if (load(path.c_str())) sptrsv::fuzz::stop("PETSc cannot load what was checked");
  if (sizeof(PetscScalar) == 8 && !read) sptrsv::fuzz::stop("our reader does not take what PETSc loads");
  return 0;
}
