// SPDX-License-Identifier: Apache-2.0
// Reader for Matrix Market coordinate files, plain or gzip.
#pragma once

#include <stdexcept>
#include <string>

#include "sptrsv_support/csr_matrix.hpp"

namespace sptrsv::support {

/// Error: a matrix file cannot be read; the message names the file, the line, the fault and the remedy.
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a Matrix Market file: coordinate; real, integer or pattern (all ones); general, symmetric or skew-symmetric.
/// Duplicates are summed; symmetric files are expanded; NaN and infinity are valid values; Windows line ends, blank
/// lines and comment lines are accepted.
/// @param path  a regular file, plain text or gzip, told apart by content.
/// @throws ReadError if the file is missing, damaged, cut short or not of these kinds. A size line that the file cannot
///         hold is refused before memory is taken for it.
/// Cost: about 24 bytes per entry of the file on top of the matrix.
CsrMatrix read_matrix_market(const std::string& path);

}  // namespace sptrsv::support
