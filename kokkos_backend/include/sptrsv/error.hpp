// SPDX-License-Identifier: Apache-2.0
// Exceptions of the library: each says what is wrong, where, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace sptrsv {

/// Base of all exceptions of the library.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Error in one row, counted from 0.
class RowError : public Error {
 public:
  RowError(std::string const& what, long long row) : Error(what), row_(row) {}
  long long row() const { return row_; }

 private:
  long long row_;
};

/// Row offsets or column indices that do not form a matrix.
struct InvalidPattern : RowError {
  InvalidPattern(long long row, std::string const& what);
};

/// A row with columns out of order, or with a column stored twice.
class ImproperRow : public InvalidPattern {
 public:
  /// @param col         a column that is stored after column `before`
  /// @param before      a greater column, or the same one if it is stored twice
  /// @param block_size  rows and columns are counted in dense blocks of this size
  ImproperRow(long long row, long long before, long long col, int block_size = 1);
  long long col() const { return col_; }
  bool repeated() const { return repeated_; }

 private:
  long long col_;
  bool repeated_;
};

class NotTriangular : public RowError {
 public:
  NotTriangular(long long row, long long col, std::string const& triangle);
  long long col() const { return col_; }

 private:
  long long col_;
};

struct MissingDiagonal : RowError {
  /// @param unit  the diagonal is unit, but other rows store an entry on it
  MissingDiagonal(long long row, std::string const& triangle, bool unit = false);
};

struct ZeroPivot : RowError {
  explicit ZeroPivot(long long row);
};

/// A value beyond the range of Storage::single: finite and too large, or nonzero and too small.
struct SingleRange : RowError {
  /// @param row  row of op(T), which is a column of T if the solve is transposed
  SingleRange(long long row, bool transposed, std::string const& triangle);
};

/// update() received values that cannot belong to the analyzed pattern.
struct PatternChanged : Error {
  PatternChanged(std::size_t given, std::size_t needed);
};

struct DimensionMismatch : Error {
  using Error::Error;
};

/// Views for solve() that overlap although one is written and another read.
struct Overlap : Error {
  using Error::Error;
};

/// solve() before update(), or after an update() that threw; any call of a moved-from solver, or after Kokkos ended.
struct NotReady : Error {
  using Error::Error;
};

struct Unsupported : Error {
  Unsupported(std::string const& algorithm, std::string const& feature,
              std::string const& remedy = "choose another algorithm");
};

/// More rows or entries than the index or offset type can count, including the headroom that kernels need.
struct TooLarge : Error {
  /// @param what  rows, or entries
  TooLarge(std::string const& what, unsigned long long count, std::string const& type, int bits,
           unsigned long long most);
};

struct UnknownAlgorithm : Error {
  UnknownAlgorithm(std::string const& name, std::string const& known);
};

struct InvalidOption : Error {
  using Error::Error;
};

}  // namespace sptrsv
