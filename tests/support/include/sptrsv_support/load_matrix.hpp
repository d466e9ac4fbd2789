// SPDX-License-Identifier: Apache-2.0
// A matrix by the name that a person gives: a file of either kind, or a family.
#pragma once

#include <string>

#include "sptrsv_support/csr_matrix.hpp"

namespace sptrsv::support {

/// Reads the file `name`, PETSc binary or Matrix Market as its content says; where there is no such file, `name` is a
/// description for generate().
/// @throws ReadError (matrix_market.hpp), also for what looks like a file's name and is none; SpecError
/// (generators.hpp).
CsrMatrix load_matrix(const std::string& name);

}  // namespace sptrsv::support
