// SPDX-License-Identifier: Apache-2.0
// Named families of test matrices, the same on every platform.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "sptrsv_support/csr_matrix.hpp"

namespace sptrsv::support {

/// Error: generate() does not understand a description of a matrix; the message says why and lists the families.
class SpecError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Integer parameter of a family, with the range that is accepted.
struct Parameter {
  std::string name;
  std::int64_t lowest;
  std::int64_t highest;
};

struct LowerPattern;  // strictly lower pattern; only the library's sources need it

/// Named family of matrices.
struct Family {
  std::string name;
  std::vector<Parameter> parameters;  ///< all required, in this order
  std::string help;                   ///< one line
  double diagonal;                    ///< diagonal of the symmetric form; 0: from the row sums
  LowerPattern (*make)(const std::vector<std::int64_t>& arguments);
};

/// Returns all families, in the order in which they are listed to a person.
const std::vector<Family>& families();

/// Returns a text of several lines: each family with its parameters and help, then the keywords.
std::string families_help();

/// Generates a square, structurally symmetric matrix with a full diagonal, for which ILU(0) and ICC(0) exist. Without
/// keywords it is symmetric positive definite: off-diagonals are negative, and the diagonal is at least the sum of
/// their magnitudes in the row. The same spec gives the same bits on every platform: own generators, fixed seeds, IEEE
/// arithmetic only.
/// @param spec  `family:parameter,...`, for example `lap2d:1000`; keywords may stand anywhere among the parameters:
///              `nonsym` for unsymmetric values, still dominant by rows; and at most one ordering, `random` (a random
///              symmetric permutation), `rcm` (reverse Cuthill-McKee), `color` (greedy coloring, rows color by color;
///              red-black for lap2d and lap3d) or `nd` (nested dissection); and `lu` for the pattern of L + U of the
///              matrix' complete factors, with dominant values too, so not the values of L and U.
/// @throws SpecError if the family or a parameter is not known or out of range.
CsrMatrix generate(const std::string& spec);

}  // namespace sptrsv::support
