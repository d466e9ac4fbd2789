// SPDX-License-Identifier: Apache-2.0
// Dense linear algebra for the bounds.
#include "fuzz_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fuzz {
namespace {

using Reals = std::vector<PetscReal>;

std::size_t At(int n, int i, int j) { return static_cast<std::size_t>(i * n + j); }

Reals AbsoluteProduct(Reals const& a, Reals const& b, int n) {
  Reals c(a.size(), 0);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      PetscReal const f = a[At(n, i, k)];
      if (f == 0) continue;
      for (int j = 0; j < n; ++j) c[At(n, i, j)] += f * b[At(n, k, j)];
    }
  return c;
}

Reals Absolute(Dense const& m) {
  Reals r;
  r.reserve(m.a.size());
  for (PetscScalar v : m.a) r.push_back(PetscAbsScalar(v));
  return r;
}

PetscReal LargestRowSum(Reals const& m, int n) {
  PetscReal largest = 0;
  for (int i = 0; i < n; ++i) {
    PetscReal sum = 0;
    for (int j = 0; j < n; ++j) sum += m[At(n, i, j)];
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}

constexpr PetscReal worst_allowed = 1e7;  ///< above it the inverse is too inexact to judge by

}  // namespace

bool IsFinite(PetscScalar v) { return std::isfinite(PetscRealPart(v)) && std::isfinite(PetscImaginaryPart(v)); }

bool Invert(Dense const& m, Dense* inverse) {
  int const n = m.n;
  Dense a = m;
  *inverse = Dense(n);
  for (int i = 0; i < n; ++i) (*inverse)(i, i) = 1;
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (PetscAbsScalar(a(i, k)) > PetscAbsScalar(a(p, k))) p = i;
    if (!IsFinite(a(p, k)) || PetscAbsScalar(a(p, k)) == 0) return false;
    if (p != k)
      for (int j = 0; j < n; ++j) std::swap(a(p, j), a(k, j)), std::swap((*inverse)(p, j), (*inverse)(k, j));
    PetscScalar const pivot = a(k, k);
    for (int j = 0; j < n; ++j) a(k, j) /= pivot, (*inverse)(k, j) /= pivot;
    for (int i = 0; i < n; ++i) {
      PetscScalar const f = a(i, k);
      if (i == k || f == PetscScalar(0)) continue;
      for (int j = k; j < n; ++j) a(i, j) -= f * a(k, j);
      for (int j = 0; j < n; ++j) (*inverse)(i, j) -= f * (*inverse)(k, j);
    }
  }
  return true;
}

Dense Transposed(Dense const& m) {
  Dense t(m.n);
  for (int i = 0; i < m.n; ++i)
    for (int j = 0; j < m.n; ++j) t(j, i) = m(i, j);
  return t;
}

Bound::Bound(Dense const& first, Dense const& second, int bs, bool other_factor) : first_(first), two_(true), bs_(bs) {
  int const n = first.n;
  Dense t1, t2;
  if (!Invert(first, &t1) || !Invert(second, &t2)) return;
  Reals const second_abs = Absolute(second);
  of_x_ = AbsoluteProduct(second_abs, Absolute(t2), n);
  of_y_ = AbsoluteProduct(second_abs, AbsoluteProduct(Absolute(first), Absolute(t1), n), n);
  worst_ = PetscMax(LargestRowSum(of_x_, n), LargestRowSum(AbsoluteProduct(Absolute(first), Absolute(t1), n), n));
  if (other_factor) {
    Reals const product = AbsoluteProduct(Absolute(t1), Absolute(t2), n);  // |T1||T2|
    Reals const relative = AbsoluteProduct(Absolute(first), AbsoluteProduct(product, second_abs, n), n);
    Reals const added = AbsoluteProduct(second_abs, AbsoluteProduct(Absolute(first), product, n), n);
    for (std::size_t i = 0; i < added.size(); ++i) of_x_[i] += added[i];
    for (int k = 0; k < n; ++k) of_pivots_ = PetscMax(of_pivots_, relative[At(n, k, k)]);
    of_pivots_ *= unit();
  }
  usable_ = std::isfinite(worst_) && worst_ < worst_allowed && std::isfinite(LargestRowSum(of_y_, n));
}

Bound::Bound(Dense const& only) : first_(only) {
  Dense inverse;
  if (!Invert(only, &inverse)) return;
  of_x_ = AbsoluteProduct(Absolute(only), Absolute(inverse), only.n);
  worst_ = LargestRowSum(of_x_, only.n);
  usable_ = std::isfinite(worst_) && worst_ < worst_allowed;
}

std::vector<PetscReal> Bound::of(PetscScalar const* b, PetscScalar const* x) const {
  int const n = first_.n;
  Reals result(static_cast<std::size_t>(n), 0), y(static_cast<std::size_t>(n), 0);
  if (two_)
    for (int i = 0; i < n; ++i) {
      PetscScalar sum = 0;
      for (int j = 0; j <= n - 1; ++j) sum += first_(i, j) * b[j];
      y[static_cast<std::size_t>(i)] = PetscAbsScalar(sum);
    }
  for (int i = 0; i < n; ++i) {
    PetscReal sum = 0;
    for (int j = 0; j < n; ++j) {
      sum += of_x_[At(n, i, j)] * PetscAbsScalar(x[j]);
      if (two_) sum += of_y_[At(n, i, j)] * y[static_cast<std::size_t>(j)];
    }
    result[static_cast<std::size_t>(i)] = unit() * sum + 100 * std::numeric_limits<PetscReal>::min();
  }
  return result;
}

bool SplitInverse(Dense const& E, int bs, Dense* upper, Dense* lower) {
  int const n = E.n;
  Dense m = E;
  *upper = Dense(n);
  *lower = Dense(n);
  for (PetscScalar v : E.a)
    if (!IsFinite(v)) return false;
  for (int k = n - bs; k >= 0; k -= bs) {  // k: first row of the block
    Dense pivot(bs), inverse;
    for (int i = 0; i < bs; ++i)
      for (int j = 0; j < bs; ++j) pivot(i, j) = m(k + i, k + j);
    if (!Invert(pivot, &inverse)) return false;
    for (int i = 0; i < k + bs; ++i)
      for (int j = 0; j < bs; ++j) (*upper)(i, k + j) = m(i, k + j);
    for (int i = 0; i < bs; ++i) {
      for (int j = 0; j < k; ++j)
        for (int l = 0; l < bs; ++l) (*lower)(k + i, j) += inverse(i, l) * m(k + l, j);
      (*lower)(k + i, k + i) = 1;
    }
    for (int i = 0; i < k; ++i)
      for (int l = 0; l < bs; ++l) {
        PetscScalar const f = m(i, k + l);
        if (f == PetscScalar(0)) continue;
        for (int j = 0; j < k; ++j) m(i, j) -= f * (*lower)(k + l, j);
      }
  }
  return true;
}

}  // namespace fuzz
