// SPDX-License-Identifier: Apache-2.0
// Messages of the exceptions: what is wrong, where, and what to do about it.
#include "sptrsv/error.hpp"

#include <string>

namespace sptrsv {
namespace {

std::string of_row(long long row) { return "row " + std::to_string(row); }

}  // namespace

InvalidPattern::InvalidPattern(long long row, std::string const& what) : RowError(of_row(row) + " " + what, row) {}

ImproperRow::ImproperRow(long long row, long long before, long long col, int block_size)
    : InvalidPattern(
          row, (before == col ? "stores column " + std::to_string(col) +
                                    " twice; store each column of a row once, with the sum of its values"
                              : "stores column " + std::to_string(col) + " behind column " + std::to_string(before) +
                                    "; sort the columns of each row in ascending order, with their values") +
                   (block_size > 1 ? ", where rows and columns are counted in blocks of " + std::to_string(block_size)
                                   : std::string())),
      col_(col),
      repeated_(before == col) {}

NotTriangular::NotTriangular(long long row, long long col, std::string const& triangle)
    : RowError(of_row(row) + " of the " + triangle + " factor has an entry in column " + std::to_string(col) +
                   ", on the wrong side of its diagonal; "
                   "pass the triangle alone, or the other Triangle",
               row),
      col_(col) {}

MissingDiagonal::MissingDiagonal(long long row, std::string const& triangle, bool unit)
    : RowError(of_row(row) + " of the " + triangle + " factor has no diagonal entry; " +
                   (unit ? "other rows have: store that of a unit diagonal in all rows or in none"
                         : "store it or use Diagonal::unit"),
               row) {}

ZeroPivot::ZeroPivot(long long row)
    : RowError(of_row(row) + " has a zero on its diagonal; shift the factorization or reorder the matrix", row) {}

SingleRange::SingleRange(long long row, bool transposed, std::string const& triangle)
    : RowError((transposed ? "column " + std::to_string(row) : of_row(row)) + " of the " + triangle +
                   " triangle has a value that single precision does not hold (more than 3.4e38, or less than 1.2e-38 "
                   "but not zero); store values in full, or scale the matrix",
               row) {}

PatternChanged::PatternChanged(std::size_t given, std::size_t needed)
    : Error("got " + std::to_string(given) + " values for a pattern of " + std::to_string(needed) +
            " entries; analyze again when the pattern changes") {}

Unsupported::Unsupported(std::string const& algorithm, std::string const& feature, std::string const& remedy)
    : Error("algorithm " + algorithm + " does not do " + feature + "; " + remedy) {}

TooLarge::TooLarge(std::string const& what, unsigned long long count, std::string const& type, int bits,
                   unsigned long long most)
    : Error("the triangle has " + std::to_string(count) + " " + what + "; " + type + " of " + std::to_string(bits) +
            " bits do for " + std::to_string(most) + ": use longer ones") {}

UnknownAlgorithm::UnknownAlgorithm(std::string const& name, std::string const& known)
    : Error("unknown algorithm '" + name + "'; known are " + known) {}

}  // namespace sptrsv
