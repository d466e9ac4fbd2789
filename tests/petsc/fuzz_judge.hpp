// SPDX-License-Identifier: Apache-2.0
// Bounds the difference of two solves with the same triangles, row by row, using the explicit inverse of the factor.
#pragma once

#include <petscksp.h>

#include <vector>

namespace fuzz {

/// Dense matrix, stored by rows.
struct Dense {
  int n = 0;
  std::vector<PetscScalar> a;
  Dense() = default;
  explicit Dense(int rows) : n(rows), a(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows), 0) {}
  PetscScalar& operator()(int i, int j) { return a[static_cast<std::size_t>(i * n + j)]; }
  PetscScalar operator()(int i, int j) const { return a[static_cast<std::size_t>(i * n + j)]; }
};

/// Inverts by Gauss-Jordan elimination with row pivoting. @return false if a pivot is zero or not finite.
bool Invert(Dense const& m, Dense* inverse);

/// Bound for one class of solves, x = T2^-1 T1^-1 b with triangles T1, T2 given by their inverses.
///
/// Any substitution, in any order of summation, gives an x with |x - exact| <= g (|T2^-1||T2||x| +
/// |T2^-1||T1^-1||T1||y|), y = T1^-1 b and g = (n + 2) u, to first order (Higham, Accuracy and Stability of Numerical
/// Algorithms, theorem 8.5).
class Bound {
 public:
  Bound() = default;
  /// @param first, second  T1^-1 and T2^-1.
  /// @param bs  side of the diagonal blocks; both solves multiply by their explicit inverses, in different steps:
  /// docs/dev/design.md.
  /// @param other_factor  the results are from two factorizations, T1 T2 + E and T1 T2 with |E| <= g |T1||T2|, which
  /// adds g |T2^-1||T1^-1||T1||T2||x| (Higham, theorem 9.4).
  Bound(Dense const& first, Dense const& second, int bs = 1, bool other_factor = false);
  /// Bound for one triangle, or for any product with an inverse.
  explicit Bound(Dense const& only);
  /// Tells whether the first order is accurate enough.
  bool usable() const { return usable_; }
  PetscReal worst() const { return worst_; }
  /// Returns the allowed difference of two results, each with its own error, for this b and this x.
  std::vector<PetscReal> of(PetscScalar const* b, PetscScalar const* x) const;
  /// Returns the allowed relative difference of the pivots of two factorizations: du_kk / u_kk = (L^-1 E U^-1)_kk to
  /// first order.
  PetscReal of_pivots() const { return of_pivots_; }

 private:
  /// Returns the unit roundoff of two results, with a margin for complex arithmetic.
  PetscReal unit() const { return PETSC_MACHINE_EPSILON * 16 * (first_.n + 8) * (bs_ > 1 ? 4 * bs_ : 1); }

  bool usable_ = false;
  PetscReal worst_ = 0, of_pivots_ = 0;
  Dense first_;
  std::vector<PetscReal> of_x_, of_y_;
  bool two_ = false;
  int bs_ = 1;
};

/// Splits E = A^-1, from PETSc's factor in the factor's order, into U^-1 L^-1: L unit lower and U upper by blocks of
/// side bs. @return false if E is singular or not finite.
bool SplitInverse(Dense const& E, int bs, Dense* upper, Dense* lower);

Dense Transposed(Dense const& m);
bool IsFinite(PetscScalar v);

}  // namespace fuzz
