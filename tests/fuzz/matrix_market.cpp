// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the Matrix Market reader, plain and gzip: it returns a valid matrix, or an error with a remedy.
#include <sptrsv_support/matrix_market.hpp>

#include "input_file.hpp"

namespace {

using sptrsv::fuzz::stop;

void check_matrix(const sptrsv::support::CsrMatrix& a) {
  const auto n = static_cast<std::size_t>(a.num_rows);
  if (a.num_rows < 0 || a.num_cols < 0 || a.row_ptr.size() != n + 1 || a.row_ptr[0] != 0) stop("wrong sizes");
  if (a.col_idx.size() != a.values.size() || a.row_ptr[n] != static_cast<std::int64_t>(a.col_idx.size()))
    stop("arrays of different lengths");
  for (std::size_t i = 0; i < n; ++i) {
    if (a.row_ptr[i] > a.row_ptr[i + 1]) stop("row offsets decrease");
    for (std::int64_t k = a.row_ptr[i], previous = -1; k < a.row_ptr[i + 1]; ++k) {
      if (a.col_idx[k] <= previous || a.col_idx[k] >= a.num_cols) stop("columns out of range or order");
      previous = a.col_idx[k];
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static sptrsv::fuzz::InputFile file;
  const std::string& path = file.write(data, size);
  try {
    check_matrix(sptrsv::support::read_matrix_market(path));
  } catch (const sptrsv::support::ReadError& error) {
    sptrsv::fuzz::check_message(error.what(), path);
  }
  return 0;
}
