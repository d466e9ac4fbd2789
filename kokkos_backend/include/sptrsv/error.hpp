// SPDX-License-Identifier: Apache-2.0
// Exceptions of the library: each says what is wrong, where, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace sptrsv {

/// Base of everything the library throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An error that belongs to one row, counted from 0.
class RowError : public Error {
 public:
  RowError(std::string const& what, long long row) : Error(what), row_(row) {}
  long long row() const { return row_; }

 private:
  long long row_;
};

/// Row offsets or column indices that are no matrix at all.
class InvalidPattern : public RowError {
 public:
  InvalidPattern(long long row, std::string const& what);
};

/// A row whose columns are not in the order that is needed, or that stores a column twice.
class ImproperRow : public InvalidPattern {
 public:
  /// @param col         a column of the row that is stored somewhere behind column `before`
  /// @param before      a greater column; or the same one, which is then stored twice
  /// @param block_size  rows and columns are counted in blocks of this size
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
  /// @param unit  whether the diagonal is a unit one, of which other rows store an entry
  MissingDiagonal(long long row, std::string const& triangle, bool unit = false);
};

class ZeroPivot : public RowError {
 public:
  explicit ZeroPivot(long long row);
};

/// A value beyond the range of Storage::single: finite, and too large, or not zero, and too small.
class SingleRange : public RowError {
 public:
  /// @param row  of op(T), which is a column of T if the solve is transposed
  SingleRange(long long row, bool transposed, std::string const& triangle);
};

/// update() was given values that cannot belong to the analyzed pattern.
class PatternChanged : public Error {
 public:
  PatternChanged(std::size_t given, std::size_t needed);
};

class DimensionMismatch : public Error {
 public:
  using Error::Error;
};

/// solve() was given views of which one is written where another is read.
class Overlap : public Error {
 public:
  using Error::Error;
};

/// solve() before update(), or after an update() that threw; any call of a solver moved from; Kokkos has ended.
class NotReady : public Error {
 public:
  using Error::Error;
};

class Unsupported : public Error {
 public:
  Unsupported(std::string const& algorithm, std::string const& feature,
              std::string const& remedy = "choose another algorithm");
};

/// More rows or entries than the types of indices and offsets count, with the little room that kernels need behind
/// them.
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
