// SPDX-License-Identifier: Apache-2.0
// Exceptions of the library: each says what is wrong, where, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace sptrsv {

/// Base of all exceptions of the library.
class Error : public std::runtime_error {
 public:
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
class InvalidPattern : public RowError {
 public:
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

class MissingDiagonal : public RowError {
 public:
  /// @param unit  the diagonal is unit, but other rows store an entry on it
  MissingDiagonal(long long row, std::string const& triangle, bool unit = false);
};

class ZeroPivot : public RowError {
 public:
  explicit ZeroPivot(long long row);
};

/// A value beyond the range of Storage::single: finite and too large, or nonzero and too small.
class SingleRange : public RowError {
 public:
  /// @param row  of op(T), which is a column of T if the solve is transposed
  SingleRange(long long row, bool transposed, std::string const& triangle);
};

/// update() received values that cannot belong to the analyzed pattern.
class PatternChanged : public Error {
 public:
  PatternChanged(std::size_t given, std::size_t needed);
};

class DimensionMismatch : public Error {
 public:
  using Error::Error;
};

/// Views for solve() that overlap although one is written and another read.
class Overlap : public Error {
 public:
  using Error::Error;
};

/// solve() before update(), or after an update() that threw; any call of a moved-from solver, or after Kokkos ended.
class NotReady : public Error {
 public:
  using Error::Error;
};

class Unsupported : public Error {
 public:
  Unsupported(std::string const& algorithm, std::string const& feature,
              std::string const& remedy = "choose another algorithm");
};

/// More rows or entries than the index or offset type can count, including the headroom that kernels need.
class TooLarge : public Error {
 public:
  /// @param what  rows, or entries
  TooLarge(std::string const& what, unsigned long long count, std::string const& type, int bits,
           unsigned long long most);
};

class UnknownAlgorithm : public Error {
 public:
  UnknownAlgorithm(std::string const& name, std::string const& known);
};

class InvalidOption : public Error {
 public:
  using Error::Error;
};

}  // namespace sptrsv
