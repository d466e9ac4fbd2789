// SPDX-License-Identifier: Apache-2.0
// Incomplete factors by one thread, row by row, as PETSc computes them: the oracle of Factorization.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace sptrsv::support {

/// Square matrix by rows; columns ascend.
template <class S>
struct Csr {
  int n = 0;
  std::vector<int> row_ptr, col_idx;
  std::vector<S> values;
};

/// Incomplete factors. LU: L's rows without their unit diagonal, and U's rows, each ending in its inverted pivot.
/// Symmetric: no L; U's rows hold U/D, and `inverse` 1/D.
template <class S>
struct IncompleteFactors {
  bool symmetric = false;
  std::vector<int> lower_ptr, lower_col, upper_ptr, upper_col;  ///< columns ascend; LU's pivots are last
  std::vector<S> lower, upper, inverse;
};

/// Returns A(row_perm, col_perm), or its upper triangle; an empty permutation is the identity.
template <class S>
Csr<S> permuted(Csr<S> const& a, std::vector<int> const& row_perm, std::vector<int> const& col_perm) {
  Csr<S> out{a.n, {0}, {}, {}};
  std::vector<int> inverse(static_cast<std::size_t>(a.n));
  for (int j = 0; j < a.n; ++j) inverse[col_perm.empty() ? j : col_perm[j]] = j;
  for (int i = 0; i < a.n; ++i) {
    int const r = row_perm.empty() ? i : row_perm[i];
    std::vector<std::pair<int, int>> row;
    for (int k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) row.emplace_back(inverse[a.col_idx[k]], k);
    std::sort(row.begin(), row.end());
    for (auto const& [column, k] : row) {
      out.col_idx.push_back(column);
      out.values.push_back(a.values[k]);
    }
    out.row_ptr.push_back(static_cast<int>(out.col_idx.size()));
  }
  return out;
}

/// Returns the pattern of ILU(level) or, for the upper triangle, of ICC(level); `a` is already permuted. Fill has the
/// level level(i, k) + level(k, j) + 1.
template <class S>
IncompleteFactors<S> factor_pattern(Csr<S> const& a, int level, bool symmetric) {
  IncompleteFactors<S> f;
  f.symmetric = symmetric;
  f.lower_ptr = f.upper_ptr = {0};
  std::vector<std::vector<std::pair<int, int>>> upper(
      static_cast<std::size_t>(a.n));  // (column, level) right of the pivot
  std::vector<int> levels(static_cast<std::size_t>(a.n), -1);
  for (int i = 0; i < a.n; ++i) {
    std::vector<int> row{i};
    levels[i] = 0;
    for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      if (a.col_idx[k] != i) row.push_back(a.col_idx[k]), levels[a.col_idx[k]] = 0;
    std::vector<int> heap(row);
    std::make_heap(heap.begin(), heap.end(), std::greater<int>());
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), std::greater<int>());
      int const k = heap.back();
      heap.pop_back();
      if (k >= i) continue;
      for (auto const& [j, other] : upper[k]) {
        int const of_fill = levels[k] + other + 1;
        if (of_fill > level) continue;
        if (levels[j] < 0) {
          row.push_back(j);
          levels[j] = of_fill;
          heap.push_back(j);
          std::push_heap(heap.begin(), heap.end(), std::greater<int>());
        } else {
          levels[j] = std::min(levels[j], of_fill);
        }
      }
    }
    std::sort(row.begin(), row.end());
    for (int j : row) {
      if (j < i && !symmetric) f.lower_col.push_back(j);
      if (j > i) {
        f.upper_col.push_back(j);
        upper[i].emplace_back(j, levels[j]);
      }
      levels[j] = -1;
    }
    if (!symmetric) f.upper_col.push_back(i);
    f.lower_ptr.push_back(static_cast<int>(f.lower_col.size()));
    f.upper_ptr.push_back(static_cast<int>(f.upper_col.size()));
  }
  return f;
}

/// Returns x - l u, with one rounding if `contract`. This file must be compiled without contraction by the compiler.
template <class S>
S subtract_product(S x, S l, S u, bool contract) {
  if constexpr (std::is_arithmetic_v<S>) {
    if (contract) return std::fma(-l, u, x);
  }
  S const product = l * u;
  return x - product;
}

/// Computes LU of A + shift I on f's pattern, rows in order, pivots ascending, as PETSc's MatLUFactorNumeric_SeqAIJ()
/// does.
/// @param judge  called as judge(row, pivot, sum of the row's magnitudes); may change the pivot; true ends the pass
/// @return whether the pass was completed
template <class S, class R, class Judge>
bool lu_pass(Csr<S> const& a, R shift, Judge const& judge, bool contract, IncompleteFactors<S>& f) {
  f.lower.assign(f.lower_col.size(), S(0));
  f.upper.assign(f.upper_col.size(), S(0));
  std::vector<S> x(static_cast<std::size_t>(a.n), S(0));
  for (int i = 0; i < a.n; ++i) {
    for (int k = f.lower_ptr[i]; k < f.lower_ptr[i + 1]; ++k) x[f.lower_col[k]] = S(0);
    for (int k = f.upper_ptr[i]; k < f.upper_ptr[i + 1]; ++k) x[f.upper_col[k]] = S(0);
    for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) x[a.col_idx[k]] = a.values[k];
    x[i] += shift;
    R sum = 0;
    for (int k = f.lower_ptr[i]; k < f.lower_ptr[i + 1]; ++k) {
      int const p = f.lower_col[k];
      if (x[p] != S(0)) {
        x[p] = x[p] * f.upper[f.upper_ptr[p + 1] - 1];
        for (int u = f.upper_ptr[p]; u < f.upper_ptr[p + 1] - 1; ++u)
          x[f.upper_col[u]] = subtract_product(x[f.upper_col[u]], x[p], f.upper[u], contract);
      }
    }
    for (int k = f.lower_ptr[i]; k < f.lower_ptr[i + 1]; ++k) {
      f.lower[k] = x[f.lower_col[k]];
      sum += std::abs(f.lower[k]);
    }
    for (int k = f.upper_ptr[i]; k < f.upper_ptr[i + 1] - 1; ++k) {
      f.upper[k] = x[f.upper_col[k]];
      sum += std::abs(f.upper[k]);
    }
    if (judge(i, x[i], sum)) return false;
    f.upper[f.upper_ptr[i + 1] - 1] = S(1) / x[i];
  }
  return true;
}

/// Computes U^T D U of A + shift I on f's pattern by PETSc's lists of rows, as MatCholeskyFactorNumeric_SeqAIJ() does;
/// parameters as in lu_pass().
template <class S, class R, class Judge>
bool cholesky_pass(Csr<S> const& a, R shift, Judge const& judge, bool contract, IncompleteFactors<S>& f) {
  f.upper.assign(f.upper_col.size(), S(0));
  f.inverse.assign(static_cast<std::size_t>(a.n), S(0));
  std::vector<S> x(static_cast<std::size_t>(a.n), S(0));
  std::vector<int> head(static_cast<std::size_t>(a.n), a.n), at(static_cast<std::size_t>(a.n), 0);
  auto const put = [&](int row) {
    if (at[row] >= f.upper_ptr[row + 1]) return;
    int const column = f.upper_col[at[row]];
    head[row] = head[column];
    head[column] = row;
  };
  for (int k = 0; k < a.n; ++k) {
    for (int p = f.upper_ptr[k]; p < f.upper_ptr[k + 1]; ++p) x[f.upper_col[p]] = S(0);
    x[k] = S(0);
    for (int p = a.row_ptr[k]; p < a.row_ptr[k + 1]; ++p)
      if (a.col_idx[p] >= k) x[a.col_idx[p]] = a.values[p];
    S pivot = x[k] + shift;
    for (int i = head[k]; i < k;) {
      int const next = head[i], p = at[i];
      S const factor = f.upper[p] * f.inverse[i];
      pivot = subtract_product(pivot, factor, f.upper[p], contract);
      for (int q = p + 1; q < f.upper_ptr[i + 1]; ++q)
        x[f.upper_col[q]] = subtract_product(x[f.upper_col[q]], factor, f.upper[q], contract);
      f.upper[p] = factor;
      ++at[i];
      put(i);
      i = next;
    }
    R sum = 0;
    for (int p = f.upper_ptr[k]; p < f.upper_ptr[k + 1]; ++p) {
      f.upper[p] = x[f.upper_col[p]];
      sum += std::abs(f.upper[p]);
    }
    at[k] = f.upper_ptr[k];
    put(k);
    if (judge(k, pivot, sum)) return false;
    f.inverse[k] = S(1) / pivot;
  }
  return true;
}

}  // namespace sptrsv::support
