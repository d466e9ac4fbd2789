// SPDX-License-Identifier: Apache-2.0
// Sweeps: Gauss-Seidel, SOR and SSOR sweeps over the rows of a matrix, by triangular solves.
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <string>

#include "sptrsv/solver.hpp"

namespace sptrsv {

/// Order of the rows in one sweep. `symmetric` is a forward sweep and then a backward one.
enum class Sweep { forward, backward, symmetric };

/// Parameters of SOR: each sweep solves with the diagonal E = (D + shift I) / omega.
struct Relaxation {
  double omega = 1;  ///< 1 for Gauss-Seidel
  double shift = 0;  ///< added to A's diagonal, also in residuals
  /// Only for sweeps over blocks of rows: a block of one row is reported as singular if its entry has at most this
  /// magnitude. A larger block is reported if one of its pivots is 0.
  double zero_pivot = 0;
};

/// Order in which rows are swept, or blocks of rows that are swept together; not both.
template <class T>
struct SweptRows {
  /// n, the row at each position of the sweep, a permutation of 0..n-1 (not checked), which must stay valid and
  /// unchanged; empty: natural order.
  typename T::indices order;
  /// n, the first row of the block that each row is in; blocks have at most 32 successive rows, with equal columns in
  /// the same order. Empty: single rows.
  typename T::indices block_first;
};

/// SOR sweeps with A = L + D + U, with D its diagonal, L and U its strict triangles.
///
/// A forward sweep computes the x with (E + L) x = b - (U + D + shift I - E) x_old, a backward one the x with
/// (E + U) x = b - (L + D + shift I - E) x_old. Both are triangular solves with A's entries, after a product with the
/// other triangle if the guess is not zero. A symmetric sweep from zero is two solves,
/// x = (E + U)^-1 (2 - omega) E (E + L)^-1 b. From a guess it is one product and two solves; each further sweep is two
/// solves, since it computes the product from the previous right-hand side. If blocks of rows are swept together, D has
/// dense blocks, omega is 1 and the shift is 0, as in PETSc's sweeps by inodes.
///
/// With an approximate algorithm (Capabilities::exact), whose solve is P b instead of (E + L)^-1 b, a forward sweep is
/// x = x_old + P (b - (A + shift I) x_old). A backward sweep has the same form. The solution of (A + shift I) x = b is
/// then a fixed point: two-stage Gauss-Seidel. Source: L. Berger-Vergiat et al., arXiv:2104.01196 (2021). If P is E^-1,
/// as for `iterated` without sweeps, both directions are damped Jacobi sweeps.
///
/// Rows are swept in the order in which they are stored, or in a given order. The class copies A's values, so that the
/// caller's may change after update(). Like a TriangularSolver, the object serves one call at a time: submit all sweeps
/// to one execution space instance, or synchronize the instances between sweeps. After an exception from update(),
/// sweeps throw NotReady until an update() succeeds. A moved-from object can be destroyed and assigned to; everything
/// else throws NotReady.
///
/// For types that the library is not compiled for, include sptrsv/sweeps_impl.hpp.
template <class Scalar, class Index, class Offset, class ExecSpace>
class Sweeps {
 public:
  using Solver = TriangularSolver<Scalar, Index, Offset, ExecSpace>;
  using types = typename Solver::types;

  /// Splits A's pattern into two triangles, and analyzes them.
  /// @param algorithm  as for TriangularSolver
  /// @param exec       instance for all kernels; fenced before return
  /// @param matrix     square, each row with its diagonal entry and each column once, in any order; not used after
  /// the call
  /// @param rows       order or blocks of the rows; rows.order must stay valid and unchanged
  /// @throws InvalidPattern, MissingDiagonal for the first such row, and what TriangularSolver throws
  /// Cost: a few passes over the pattern, and two analyses.
  Sweeps(std::string const& algorithm, ExecSpace const& exec, typename types::pattern const& matrix,
         SweptRows<types> const& rows = {}, Options const& options = {});
  ~Sweeps();
  Sweeps(Sweeps&&) noexcept;
  Sweeps& operator=(Sweeps&&) noexcept;

  /// Takes the values of A, aligned with the pattern's col_idx.
  /// @return the first row i with a_ii = 0 or, for blocks of rows, the first row of the first singular block; -1 if
  /// there is none. If there is one and the shift is 0, sweeps compute with 1 / 0.
  /// @throws PatternChanged if there are too few values; Error if rows are swept by blocks and omega is not 1 or the
  /// shift is not 0
  /// Cost: one pass over the values and two TriangularSolver::update(); one fence.
  long long update(ExecSpace const& exec, typename types::values const& values, Relaxation const& relaxation = {});

  /// Performs `times` sweeps.
  /// @param b, x        n-by-k; no overlap, unless the guess is zero and there is one sweep
  /// @param zero_guess  starts from x = 0, and ignores the contents of x
  /// @throws NotReady, DimensionMismatch, Overlap
  /// Cost: one solve for a sweep, two if symmetric. One product with L or U for each sweep with a guess; of several
  /// symmetric sweeps, only for the first. No copy, no fence. Allocates in the first sweep of more columns than
  /// reserved.
  /// Cost with an approximate algorithm: for each direction of each sweep one solve and one product with A; no product
  /// for the first direction from a zero guess. Copies b if it is x. A damped Jacobi sweep is one kernel, which reads A
  /// once. The first two from zero share a kernel; from a guess, the first of an odd number takes two. For blocks of
  /// rows, another kernel multiplies b by D^-1.
  void sweep(ExecSpace const& exec, Sweep kind, typename types::rhs const& b, typename types::solution const& x,
             bool zero_guess, int times = 1);

  /// Computes x = (E + L)^-1 A (E + U)^-1 b by two solves, without a product with A. As in PETSc, the shift is part of
  /// E = (D + shift I) / omega here, but is not added to A.
  /// @throws what sweep() throws; Unsupported with an approximate algorithm
  /// Source: S. C. Eisenstat, SIAM J. Sci. Stat. Comput. 2 (1981) 1-4.
  void eisenstat(ExecSpace const& exec, typename types::rhs const& b, typename types::solution const& x);

  /// Computes y = (E + U) b.
  /// @param b, y  n-by-k, no overlap
  void apply_upper(ExecSpace const& exec, typename types::rhs const& b, typename types::solution const& y);

  /// Allocates for sweeps of `columns` columns, so that these sweeps allocate nothing.
  void reserve(ExecSpace const& exec, int columns);

  long long num_rows() const;
  Solver const& solver(Triangle triangle) const;  ///< solver of E + L or E + U, rows in the order of the sweep
  std::size_t memory_bytes() const;

 private:
  struct Impl;
  Impl& impl() const;  ///< throws NotReady if moved from
  std::unique_ptr<Impl> impl_;
};

}  // namespace sptrsv
