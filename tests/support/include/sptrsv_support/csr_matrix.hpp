// SPDX-License-Identifier: Apache-2.0
// Host CSR matrix with 64-bit indices, and the few operations that tests, examples and benchmarks share.
#pragma once

#include <cstdint>
#include <vector>

namespace sptrsv::support {

/// Owning sparse matrix on the host; rows are sorted by column and have no duplicates.
struct CsrMatrix {
  std::int64_t num_rows = 0;
  std::int64_t num_cols = 0;
  std::vector<std::int64_t> row_ptr = {0};  ///< num_rows + 1 offsets, in entries
  std::vector<std::int64_t> col_idx;        ///< one column per entry, ascending in a row
  std::vector<double> values;               ///< one value per entry

  /// Returns the number of stored entries.
  std::int64_t num_entries() const { return row_ptr.back(); }
};

/// Stored entry of a matrix that is still being collected.
struct Triplet {
  std::int64_t row;
  std::int64_t col;
  double value;
};

/// Entry that csr_from_triplets() adds for each entry (i, j) off the diagonal.
enum class Mirror {
  none,      ///< nothing
  same,      ///< (j, i) with the same value
  negative,  ///< (j, i) with the value negated
};

/// Builds a CSR matrix from entries in any order; duplicates are summed in the order of their input.
/// @param triplets  entries, each with 0 <= row < num_rows and 0 <= col < num_cols.
/// @param mirror    whether the transposed entries are added; then the matrix must be square.
/// @throws std::invalid_argument if an entry lies outside of the matrix, or if mirror is used and the matrix is not
/// square.
CsrMatrix csr_from_triplets(std::int64_t num_rows, std::int64_t num_cols, const std::vector<Triplet>& triplets,
                            Mirror mirror = Mirror::none);

/// Returns the entries on and below the diagonal.
CsrMatrix lower_triangle(const CsrMatrix& a);

/// Returns the entries on and above the diagonal.
CsrMatrix upper_triangle(const CsrMatrix& a);

}  // namespace sptrsv::support
