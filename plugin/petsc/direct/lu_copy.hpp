// SPDX-License-Identifier: Apache-2.0
// Copies the LU factor of a matrix from that of its transpose.
#pragma once

#include "direct/direct_library.hpp"

namespace sptrsv_petsc {

/// LU factor L' U' of the transpose of A with scaled columns, by a library whose matrices are stored by columns:
/// A's rows are the columns of A^T. With the diagonal matrix R, and matrices P and Q of permutations,
///     P R A^T Q = L' U'.
/// Thus Q^T A P^T = U'^T (L'^T S^-1) where S = P R P^T, and with D = diag(U') A's factors are
///     L = U'^T D^-1,  U = D L'^T S^-1.
template <class Index>
struct TransposedLU {
  std::size_t n;
  /// Columns of L', which begin with the unit diagonal, and of U', which end in their diagonal entries; rows ascend.
  Index const *lower_ptr, *lower_row, *upper_ptr, *upper_row;
  double const *lower, *upper;
  Index const *p, *q;   ///< row k of P A^T is row p[k] of A^T; column k of A^T Q is column q[k]
  double const* scale;  ///< S^-1

  /// Copies the factors of A.
  void copy(LibraryFactorRows* to) const
  {
    auto const num_lower = static_cast<std::size_t>(upper_ptr[n]) - n, num_upper = static_cast<std::size_t>(lower_ptr[n]);
    to->lower.row_ptr.allocate(n + 1);
    to->upper.row_ptr.allocate(n + 1);
    to->lower.col_idx.allocate(num_lower);
    to->upper.col_idx.allocate(num_upper);
    to->lower.values.allocate(num_lower);
    to->upper.values.allocate(num_upper);
    to->row_perm.allocate(n);
    to->col_perm.allocate(n);
    to->lower.row_ptr[0] = to->upper.row_ptr[0] = 0;
    for (std::size_t k = 0; k < n; ++k) {
      to->row_perm[k] = q[k];
      to->col_perm[k] = p[k];
      copy_row_of_lower(k, to->lower);
      copy_row_of_upper(k, to->upper);
    }
  }

 private:
  double diagonal(std::size_t k) const { return upper[upper_ptr[k + 1] - 1]; }
  /// Row k of L: column k of U' without its diagonal entry, each entry divided by the diagonal entry of its column.
  void copy_row_of_lower(std::size_t k, FactorRows const& to) const
  {
    PetscInt at = to.row_ptr[k];
    for (Index e = upper_ptr[k]; e < upper_ptr[k + 1] - 1; ++e, ++at) {
      to.col_idx[static_cast<std::size_t>(at)] = upper_row[e];
      to.values[static_cast<std::size_t>(at)] = upper[e] / diagonal(static_cast<std::size_t>(upper_row[e]));
    }
    to.row_ptr[k + 1] = at;
  }
  /// Row k of U: column k of L', its entries multiplied by the diagonal entry of row k, and 1/U_kk at the end.
  void copy_row_of_upper(std::size_t k, FactorRows const& to) const
  {
    PetscInt at = to.row_ptr[k];
    for (Index e = lower_ptr[k] + 1; e < lower_ptr[k + 1]; ++e, ++at) {
      to.col_idx[static_cast<std::size_t>(at)] = lower_row[e];
      to.values[static_cast<std::size_t>(at)] = diagonal(k) * lower[e] * scale[lower_row[e]];
    }
    to.col_idx[static_cast<std::size_t>(at)] = static_cast<PetscInt>(k);
    to.values[static_cast<std::size_t>(at)] = 1 / (diagonal(k) * scale[k]);
    to.row_ptr[k + 1] = at + 1;
  }
};

}  // namespace sptrsv_petsc
