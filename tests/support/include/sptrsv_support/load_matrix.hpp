// SPDX-License-Identifier: Apache-2.0
// Loads a matrix by the name that a person gives: a file of either kind, or a family.
#pragma once

#include <string>

#include "sptrsv_support/csr_matrix.hpp"

namespace sptrsv::support {

/// Reads the file `name`, PETSc binary or Matrix Market according to its content; if there is no such file, `name` is a
/// description for generate().
/// @throws ReadError (matrix_market.hpp), also if `name` looks like a file's name and there is no such file; SpecError
/// (generators.hpp).
CsrMatrix load_matrix(const std::string& name);

}  // namespace sptrsv::support
