// SPDX-License-Identifier: Apache-2.0
// Part of a row's sum, for kernels that need not wait for the unknowns of other rows.
#pragma once

#include "sptrsv/triangle/rows.hpp"

namespace sptrsv::detail {

/// Subtracts from sum[c] the terms of row i at positions part, part + parts, ... of the row's sum. Loads several terms
/// before it subtracts them.
/// @param known  returns the unknown of a row in column c
template <class T, int K, class Known>
KOKKOS_FORCEINLINE_FUNCTION void subtract_row_part(OffDiagonals<T> const& rows, TriangleValues<T> const& numbers,
                                                   typename T::index i, int part, int parts, Known const& known,
                                                   typename T::scalar (&sum)[K]) {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  constexpr int batch = K == 1 ? 4 : 1;
  offset const step = parts * rows.step();
  offset k = rows.first(i) + part * rows.step();
  for (offset left = rows.count(i) - part; left > 0; left -= batch * parts, k += batch * step) {
    scalar a[batch], x[batch][K];
    for (int u = 0; u < batch; ++u) {
      bool const have = u * parts < left;
      index const j = have ? rows.col_idx(k + u * step) : i;
      a[u] = have ? numbers.entry(k + u * step) : scalar(0);
      for (int c = 0; c < K; ++c) x[u][c] = have ? known(j, c) : scalar(0);
    }
    for (int u = 0; u < batch; ++u)
      if (u * parts < left)
        for (int c = 0; c < K; ++c) sum[c] -= a[u] * x[u][c];
  }
}

}  // namespace sptrsv::detail
