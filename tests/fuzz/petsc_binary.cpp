// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the reader of PETSc binary files, which needs no PETSc.
#include <sptrsv_support/matrix_market.hpp>
#include <sptrsv_support/petsc_binary.hpp>

#include "input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static sptrsv::fuzz::InputFile file;
  const std::string& path = file.write(data, size);
  try {
    const auto a = sptrsv::support::read_petsc_binary(path);
    if (!sptrsv::support::is_petsc_binary(path)) sptrsv::fuzz::stop("read, but no PETSc binary file");
    if (a.row_ptr.size() != static_cast<std::size_t>(a.num_rows) + 1 || a.col_idx.size() != a.values.size())
      sptrsv::fuzz::stop("read in part");
  } catch (const sptrsv::support::ReadError& error) {
    sptrsv::fuzz::check_message(error.what(), path);
  }
  return 0;
}
