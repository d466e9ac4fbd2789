// SPDX-License-Identifier: Apache-2.0
// Copies the LU factor of a matrix from that of its transpose.
#pragma once

#include <Kokkos_Core.hpp>

#include "direct/suitesparse.hpp"

namespace sptrsv_petsc {

/// Calls body(k) for k < n on the threads of the host.
template <class Body>
void ForRows(char const* label, PetscInt n, Body const& body)
{
  using Host = Kokkos::DefaultHostExecutionSpace;
  Host const exec;
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<PetscInt>>(exec, 0, n),
      body);
  exec.fence("sptrsv::petsc: a library's factor is copied");
}

/// LU factor L' U' of the transpose of A with scaled rows, by a library whose matrices are stored by columns: A's rows
/// are the columns of A^T. With the diagonal matrix R, and matrices P and Q of permutations,
///     P R A^T Q = L' U'.
/// Thus Q^T A P^T = U'^T (L'^T S^-1) where S = P R P^T, and with D = diag(U') A's factors are
///     L = U'^T D^-1,  U = D L'^T S^-1.
struct TransposedLU {
  using Index = SuiteSparseIndex;
  /// @param num_lower, num_upper  numbers of entries of L' and U', with their diagonals
  TransposedLU(std::size_t rows, std::size_t num_lower, std::size_t num_upper)
      : n(static_cast<PetscInt>(rows)),
        lower_ptr(rows + 1),
        lower_row(num_lower),
        upper_ptr(rows + 1),
        upper_row(num_upper),
        p(rows),
        q(rows),
        lower(num_lower),
        upper(num_upper),
        scale(rows)
  {
  }
  PetscInt n;
  /// Columns of L', which begin with the unit diagonal, and of U', which end in their diagonal entries; rows ascend.
  HostArray<Index> lower_ptr, lower_row, upper_ptr, upper_row;
  HostArray<Index> p, q;  ///< row k of P A^T is row p[k] of A^T; column k of A^T Q is column q[k]
  HostArray<double> lower, upper;
  HostArray<double> scale;  ///< S^-1

  /// Copies the factors of A.
  void copy(LibraryFactorRows* to) const
  {
    auto const rows = static_cast<std::size_t>(n);
    for (FactorRows* part : {&to->lower, &to->upper}) part->row_ptr.allocate(rows + 1);
    for (auto* perm : {&to->row_perm, &to->col_perm}) perm->allocate(rows);
    auto const num_lower = static_cast<std::size_t>(upper_ptr[n]) - rows,
               num_upper = static_cast<std::size_t>(lower_ptr[n]);
    to->lower.col_idx.allocate(num_lower);
    to->lower.values.allocate(num_lower);
    to->upper.col_idx.allocate(num_upper);
    to->upper.values.allocate(num_upper);
    to->lower.row_ptr[rows] = static_cast<PetscInt>(num_lower);
    to->upper.row_ptr[rows] = static_cast<PetscInt>(num_upper);
    ForRows("sptrsv::petsc::copy_lu", n, [&](PetscInt k) { copy_row(k, *to); });
  }

 private:
  double diagonal(PetscInt k) const { return upper[upper_ptr[k + 1] - 1]; }

  void copy_row(PetscInt k, LibraryFactorRows const& to) const
  {
    auto const row = static_cast<std::size_t>(k);
    to.row_perm[row] = q[k];
    to.col_perm[row] = p[k];
    // L: column k of U' without its diagonal entry, each entry divided by the diagonal entry of its row
    auto at = static_cast<std::size_t>(upper_ptr[k]) - row;
    to.lower.row_ptr[row] = static_cast<PetscInt>(at);
    for (Index e = upper_ptr[k]; e < upper_ptr[k + 1] - 1; ++e, ++at) {
      to.lower.col_idx[at] = upper_row[e];
      to.lower.values[at] = upper[e] / diagonal(upper_row[e]);
    }
    // U: column k of L', its entries multiplied by the diagonal entry of row k, and 1/U_kk at the end
    at = static_cast<std::size_t>(lower_ptr[k]);
    to.upper.row_ptr[row] = static_cast<PetscInt>(at);
    for (Index e = lower_ptr[k] + 1; e < lower_ptr[k + 1]; ++e, ++at) {
      to.upper.col_idx[at] = lower_row[e];
      to.upper.values[at] = diagonal(k) * lower[e] * scale[lower_row[e]];
    }
    to.upper.col_idx[at] = k;
    to.upper.values[at] = 1 / (diagonal(k) * scale[k]);
  }
};

}  // namespace sptrsv_petsc
