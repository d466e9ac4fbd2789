// SPDX-License-Identifier: Apache-2.0
// Reader for matrices in PETSc's binary format, without PETSc.
#pragma once

#include <string>

#include "sptrsv_support/csr_matrix.hpp"

namespace sptrsv::support {

/// Tells whether the file starts like a PETSc binary matrix, with indices of 32 or 64 bits.
bool is_petsc_binary(const std::string& path);

/// Reads the matrix at the start of a PETSc binary file, as MatView() of an aij matrix writes it: indices of 32 or 64
/// bits, distinguished by the header, and real numbers of 64 bits. Bytes after the matrix are ignored.
/// @throws ReadError (matrix_market.hpp) if the file is missing, damaged, cut short, dense or complex. Counts that the
///         file cannot hold are refused before memory is taken for them.
CsrMatrix read_petsc_binary(const std::string& path);

}  // namespace sptrsv::support
