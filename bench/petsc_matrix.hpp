// SPDX-License-Identifier: Apache-2.0
// Parts shared by the PETSc benches: makes a seqaij matrix from a file or a generator's spec, and reads options as
// text.
#pragma once

#include <petscmat.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "sptrsv_support/load_matrix.hpp"
#include "sptrsv_support/petsc_success.hpp"

namespace sptrsv::bench {

inline Mat make_matrix(std::string const& name) {
  auto const a = support::load_matrix(name);
  if (a.num_rows != a.num_cols) throw std::runtime_error(name + " is not square");
  std::vector<PetscInt> const row_ptr(a.row_ptr.begin(), a.row_ptr.end()), col_idx(a.col_idx.begin(), a.col_idx.end());
  std::vector<PetscScalar> const values(a.values.begin(), a.values.end());
  auto const n = static_cast<PetscInt>(a.num_rows);
  Mat A = nullptr;
  PetscErrorCode code = MatCreate(PETSC_COMM_SELF, &A);
  if (code == PETSC_SUCCESS) code = MatSetSizes(A, n, n, n, n);
  if (code == PETSC_SUCCESS) code = MatSetType(A, MATSEQAIJ);
  if (code == PETSC_SUCCESS) code = MatSeqAIJSetPreallocationCSR(A, row_ptr.data(), col_idx.data(), values.data());
  if (code != PETSC_SUCCESS) throw std::runtime_error("PETSc cannot make the matrix");
  return A;
}

/// Returns the text of an option, or `otherwise` if it is not given.
inline std::string get_string(char const* name, std::string const& otherwise) {
  char text[PETSC_MAX_PATH_LEN] = "";
  PetscBool set = PETSC_FALSE;
  if (PetscOptionsGetString(nullptr, nullptr, name, text, sizeof text, &set) != PETSC_SUCCESS)
    throw std::runtime_error(std::string("PETSc cannot read option ") + name);
  return set ? text : otherwise;
}

}  // namespace sptrsv::bench
