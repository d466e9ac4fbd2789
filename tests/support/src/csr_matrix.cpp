// SPDX-License-Identifier: Apache-2.0
// Builds a CSR matrix from entries, and its triangles.
#include "sptrsv_support/csr_matrix.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace sptrsv::support {
namespace {

using ColumnValue = std::pair<std::int64_t, double>;

void check_triplets(std::int64_t num_rows, std::int64_t num_cols, const std::vector<Triplet>& triplets, Mirror mirror) {
  if (num_rows < 0 || num_cols < 0)
    throw std::invalid_argument("negative number of rows or columns; give sizes of 0 or more");
  if (mirror != Mirror::none && num_rows != num_cols)
    throw std::invalid_argument("a matrix that is not square has no mirrored entries; use Mirror::none");
  for (const Triplet& t : triplets) {
    if (t.row < 0 || t.row >= num_rows || t.col < 0 || t.col >= num_cols) {
      throw std::invalid_argument("entry (" + std::to_string(t.row) + ", " + std::to_string(t.col) +
                                  ") lies outside of the matrix; indices start at 0");
    }
  }
}

/// Sorts one row by column, keeping the order of duplicates, and sums duplicates; returns the new length in entries.
std::int64_t compress_row(std::int64_t* cols, double* values, std::int64_t length, std::vector<ColumnValue>& scratch) {
  const auto not_ascending = [](std::int64_t a, std::int64_t b) { return a >= b; };
  if (std::adjacent_find(cols, cols + length, not_ascending) == cols + length) return length;
  scratch.clear();
  for (std::int64_t k = 0; k < length; ++k) scratch.emplace_back(cols[k], values[k]);
  std::stable_sort(scratch.begin(), scratch.end(),
                   [](const ColumnValue& a, const ColumnValue& b) { return a.first < b.first; });
  std::int64_t kept = 0;
  for (const ColumnValue& entry : scratch) {
    if (kept > 0 && cols[kept - 1] == entry.first) {
      values[kept - 1] += entry.second;
    } else {
      cols[kept] = entry.first;
      values[kept++] = entry.second;
    }
  }
  return kept;
}

void compress(CsrMatrix& a) {
  std::vector<ColumnValue> scratch;
  std::int64_t out = 0;
  for (std::int64_t i = 0, begin = 0; i < a.num_rows; ++i) {
    const std::int64_t end = a.row_ptr[i + 1];
    const std::int64_t kept = compress_row(&a.col_idx[begin], &a.values[begin], end - begin, scratch);
    if (out != begin) {
      std::copy_n(a.col_idx.begin() + begin, kept, a.col_idx.begin() + out);
      std::copy_n(a.values.begin() + begin, kept, a.values.begin() + out);
    }
    out += kept;
    a.row_ptr[i + 1] = out;
    begin = end;
  }
  a.col_idx.resize(out);
  a.values.resize(out);
}

/// Copies the entries for which keep(row, col) holds.
template <class Keep>
CsrMatrix filter(const CsrMatrix& a, Keep keep) {
  CsrMatrix result;
  result.num_rows = a.num_rows;
  result.num_cols = a.num_cols;
  result.row_ptr.assign(a.num_rows + 1, 0);
  for (std::int64_t i = 0; i < a.num_rows; ++i) {
    for (std::int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) result.row_ptr[i + 1] += keep(i, a.col_idx[k]);
    result.row_ptr[i + 1] += result.row_ptr[i];
  }
  result.col_idx.reserve(result.num_entries());
  result.values.reserve(result.num_entries());
  for (std::int64_t i = 0; i < a.num_rows; ++i) {
    for (std::int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (!keep(i, a.col_idx[k])) continue;
      result.col_idx.push_back(a.col_idx[k]);
      result.values.push_back(a.values[k]);
    }
  }
  return result;
}

}  // namespace

CsrMatrix csr_from_triplets(std::int64_t num_rows, std::int64_t num_cols, const std::vector<Triplet>& triplets,
                            Mirror mirror) {
  check_triplets(num_rows, num_cols, triplets, mirror);
  CsrMatrix a;
  a.num_rows = num_rows;
  a.num_cols = num_cols;
  a.row_ptr.assign(num_rows + 1, 0);
  const auto mirrored = [mirror](const Triplet& t) { return mirror != Mirror::none && t.row != t.col; };
  for (const Triplet& t : triplets) {
    ++a.row_ptr[t.row + 1];
    if (mirrored(t)) ++a.row_ptr[t.col + 1];
  }
  for (std::int64_t i = 0; i < num_rows; ++i) a.row_ptr[i + 1] += a.row_ptr[i];
  a.col_idx.resize(a.num_entries());
  a.values.resize(a.num_entries());
  std::vector<std::int64_t> next(a.row_ptr.begin(), a.row_ptr.end() - 1);
  const auto put = [&](std::int64_t row, std::int64_t col, double value) {
    a.col_idx[next[row]] = col;
    a.values[next[row]++] = value;
  };
  for (const Triplet& t : triplets) {
    put(t.row, t.col, t.value);
    if (mirrored(t)) put(t.col, t.row, mirror == Mirror::same ? t.value : -t.value);
  }
  if (a.num_entries() > 0) compress(a);
  return a;
}

CsrMatrix lower_triangle(const CsrMatrix& a) {
  return filter(a, [](std::int64_t i, std::int64_t j) { return j <= i; });
}

CsrMatrix upper_triangle(const CsrMatrix& a) {
  return filter(a, [](std::int64_t i, std::int64_t j) { return j >= i; });
}

}  // namespace sptrsv::support
