// SPDX-License-Identifier: Apache-2.0
// Sequential substitution on the host: the reference of the tests, written for readability.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace sptrsv::reference {

inline float conjugate(float v) { return v; }
inline double conjugate(double v) { return v; }
template <class R>
std::complex<R> conjugate(std::complex<R> v) {
  return std::conj(v);
}

/// Sparse matrix as a list of rows, simple rather than fast.
template <class Scalar>
struct RowList {
  struct Entry {
    long long col;
    Scalar value;
  };
  std::vector<std::vector<Entry>> rows;
};

/// Returns the transpose, conjugated on request.
template <class Scalar>
RowList<Scalar> transpose(RowList<Scalar> const& t, bool conj) {
  RowList<Scalar> out;
  out.rows.resize(t.rows.size());
  for (std::size_t i = 0; i < t.rows.size(); ++i)
    for (auto const& e : t.rows[i])
      out.rows[e.col].push_back({static_cast<long long>(i), conj ? conjugate(e.value) : e.value});
  return out;
}

/// Solves T x = b with T lower (ascending) or upper. Diagonal entries divide, multiply (inverted) or do nothing (unit).
/// @param b  n right-hand side values
/// @return n solution values
template <class Scalar>
std::vector<Scalar> substitute(RowList<Scalar> const& t, bool lower, bool unit, bool inverted,
                               std::vector<Scalar> const& b) {
  std::size_t const n = t.rows.size();
  std::vector<Scalar> x(n);
  for (std::size_t s = 0; s < n; ++s) {
    std::size_t const i = lower ? s : n - 1 - s;
    Scalar sum = b[i];
    Scalar diagonal = Scalar(1);
    for (auto const& e : t.rows[i]) {
      if (static_cast<std::size_t>(e.col) == i) diagonal = e.value;
      else sum -= e.value * x[e.col];
    }
    x[i] = unit ? sum : inverted ? sum * diagonal : sum / diagonal;
  }
  return x;
}

}  // namespace sptrsv::reference
