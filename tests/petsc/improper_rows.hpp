// SPDX-License-Identifier: Apache-2.0
// Makes matrices whose rows store their columns out of order, or a column twice, as programs pass them to PETSc in
// their own arrays.
#pragma once

#include <petscmat.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace petsc_test {

struct RowEntry {
  PetscInt col;
  PetscScalar value;
};
using Rows = std::vector<std::vector<RowEntry>>;

/// Matrix with the arrays that it reads, which must outlive it.
class ArrayMatrix {
 public:
  /// @param rows  for MATSEQSBAIJ only the upper triangle
  /// @param type  MATSEQAIJ, or MATSEQBAIJ or MATSEQSBAIJ with block size 1
  ArrayMatrix(Rows const& rows, MatType type = MATSEQAIJ) {
    auto const n = (PetscInt)rows.size();
    begin_.push_back(0);
    for (auto const& row : rows) {
      for (RowEntry const& e : row) {
        columns_.push_back(e.col);
        values_.push_back(e.value);
      }
      begin_.push_back((PetscInt)columns_.size());
    }
    PetscErrorCode code;
    PetscInt *const i = begin_.data(), *const j = columns_.data();
    if (std::string(type) == MATSEQAIJ)
      code = MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, i, j, values_.data(), &mat_);
    else if (std::string(type) == MATSEQBAIJ)
      code = MatCreateSeqBAIJWithArrays(PETSC_COMM_SELF, 1, n, n, i, j, values_.data(), &mat_);
    else code = MatCreateSeqSBAIJWithArrays(PETSC_COMM_SELF, 1, n, n, i, j, values_.data(), &mat_);
    if (code) mat_ = nullptr;
  }
  ArrayMatrix(ArrayMatrix const&) = delete;
  ArrayMatrix& operator=(ArrayMatrix const&) = delete;
  ~ArrayMatrix() { (void)MatDestroy(&mat_); }
  Mat mat() const { return mat_; }
  /// Stores column `to` as entry k of a row, without PETSc's knowledge.
  void set_column(PetscInt row, PetscInt k, PetscInt to) { columns_[(std::size_t)(begin_[(std::size_t)row] + k)] = to; }

 private:
  std::vector<PetscInt> begin_, columns_;
  std::vector<PetscScalar> values_;
  Mat mat_ = nullptr;
};

/// Makes a diagonally dominant symmetric matrix with neighbors at distances 1 and 4 on a ring; its rows are sorted.
inline Rows RingRows(PetscInt n) {
  Rows rows((std::size_t)n);
  for (PetscInt i = 0; i < n; ++i) {
    auto& row = rows[(std::size_t)i];
    for (PetscInt step : {1, 4})
      for (PetscInt j : {(i + step) % n, (i + n - step) % n})
        row.push_back({j, -(PetscReal)(1 + (i * j + i + j) % 7) / 8});
    row.push_back({i, 5 + (PetscReal)(i % 3)});
    std::sort(row.begin(), row.end(), [](RowEntry const& a, RowEntry const& b) { return a.col < b.col; });
  }
  return rows;
}

/// Returns the entries of the upper triangle.
inline Rows UpperRows(Rows rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const below = [i](RowEntry const& e) { return e.col < (PetscInt)i; };
    rows[i].erase(std::remove_if(rows[i].begin(), rows[i].end(), below), rows[i].end());
  }
  return rows;
}

/// Moves the diagonal to the front of each row.
inline Rows DiagonalFirst(Rows rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const diagonal =
        std::find_if(rows[i].begin(), rows[i].end(), [i](RowEntry const& e) { return e.col == (PetscInt)i; });
    if (diagonal != rows[i].end()) std::rotate(rows[i].begin(), diagonal, diagonal + 1);
  }
  return rows;
}

/// Stores entry `at` of a row twice, each with half of its value; the second one at the end of the row if `apart`.
inline Rows Repeated(Rows rows, PetscInt row, std::size_t at, bool apart = false) {
  auto& entries = rows[(std::size_t)row];
  entries[at].value /= 2;
  RowEntry const copy = entries[at];
  entries.insert(apart ? entries.end() : entries.begin() + (std::ptrdiff_t)at, copy);
  return rows;
}

}  // namespace petsc_test
