// SPDX-License-Identifier: Apache-2.0
// Distinguishes files from families, and the kinds of files.
#include "sptrsv_support/load_matrix.hpp"

#include <filesystem>

#include "sptrsv_support/generators.hpp"
#include "sptrsv_support/matrix_market.hpp"
#include "sptrsv_support/petsc_binary.hpp"

namespace sptrsv::support {

CsrMatrix load_matrix(const std::string& name) {
  std::error_code ignored;  // a name that is too long for a file is no file
  if (std::filesystem::exists(name, ignored)) {
    return std::filesystem::is_regular_file(name) && is_petsc_binary(name) ? read_petsc_binary(name)
                                                                           : read_matrix_market(name);
  }
  if (name.find_first_of("./") != std::string::npos)  // no description of a family has these characters
    throw ReadError(name + ": there is no such file; check the name, or give a family such as lap2d:300");
  return generate(name);
}

}  // namespace sptrsv::support
