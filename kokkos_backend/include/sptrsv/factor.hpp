// SPDX-License-Identifier: Apache-2.0
// Factor: solves with L, D and U of a factorization, whichever library computed it.
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "sptrsv/solver.hpp"
#include "sptrsv/staging.hpp"

namespace sptrsv {

/// Patterns of the factors of A(row_perm, col_perm) = L D U. L is lower, U upper triangular, D diagonal or block
/// diagonal. Views must stay valid and unchanged for the life of the Factor.
template <class Index, class Offset, class Device>
struct FactorPattern {
  struct Part {
    CsrPattern<Index, Offset, Device> rows;
    Diagonal diagonal = Diagonal::unit;
  };
  std::optional<Part> lower, upper;  ///< at least one; a missing one is the identity
  bool symmetric = false;            ///< L = U^T (no conjugates): `lower` is empty, and both permutations are equal
  int block_size = 0;                ///< size of D's dense blocks: 1 for a diagonal, 0 for D = I
  Kokkos::View<const Index*, Device> row_perm, col_perm;  ///< n each, permutations of 0..n-1 (not checked), or empty
};

/// Values of a FactorPattern, in memory of MemorySpace.
template <class Scalar, class MemorySpace>
struct FactorValues {
  using view = Kokkos::View<const Scalar*, MemorySpace>;
  view lower, upper;  ///< aligned with the patterns' col_idx; the same view if both are in one array
  view inverse;       ///< D^-1, consecutive dense blocks of block_size^2 by columns; empty without D
};

/// Solver with the factors of one matrix: x = A^-1 b is U^-1 D^-1 L^-1 b, with permutations before and after.
///
/// The constructor makes the TriangularSolvers for Op::none, the first solve with another op makes those for that op.
/// Permutations and a diagonal D are fused into the loads and stores of the solves. Like a TriangularSolver, a Factor
/// serves one solve at a time: submit all solves to one execution space instance, or synchronize the instances between
/// solves. After an exception from update(), solves throw NotReady until an update() succeeds; after one from another
/// member the object remains usable. A moved-from object can be destroyed and assigned to; its update, solve and
/// reserve throw NotReady.
///
/// For types that the library is not compiled for, include sptrsv/factor_impl.hpp.
template <class Scalar, class Index, class Offset, class ExecSpace>
class Factor {
 public:
  using Solver = TriangularSolver<Scalar, Index, Offset, ExecSpace>;
  using types = typename Solver::types;
  using memory_space = typename types::memory_space;
  using pattern_type = FactorPattern<Index, Offset, typename types::device>;

  /// Analyzes the triangles. Arguments and exceptions as for TriangularSolver.
  /// @throws DimensionMismatch if triangles and permutations have different sizes, or block_size does not divide n;
  /// Error if the pattern is inconsistent (no triangle, a symmetric one with `lower`, D with only one triangle).
  Factor(std::string const& algorithm, ExecSpace const& exec, pattern_type const& pattern, Options const& options = {});

  /// Takes the values. Where kernels of ExecSpace can read them, they are used in place and must stay valid and
  /// unchanged until the next update(). Otherwise host values are copied to the device and may change after the call.
  /// @throws PatternChanged if L or U has too few values; DimensionMismatch if D^-1 has too few; ZeroPivot.
  /// Cost: that of TriangularSolver::update() for each solver; the first update from a host to a device allocates.
  template <class MemorySpace>
  void update(ExecSpace const& exec, FactorValues<Scalar, MemorySpace> const& values) {
    require_present();
    ready_ = false;
    if constexpr (Kokkos::SpaceAccessibility<ExecSpace, MemorySpace>::accessible) {
      auto const here = [](auto const& v) { return typename types::values(v.data(), v.extent(0)); };
      take(exec, {here(values.lower), here(values.upper), here(values.inverse)});
    } else {
      static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible,
                    "values are in memory that neither the execution space nor the host can read");
      take(exec, staged(exec, {values.lower, values.upper, values.inverse}));
    }
  }

  /// Solves op(A) x = b, approximately if the algorithm is approximate; with `accumulate` adds the solution to x.
  /// @param b, x  n-by-k; the same array only without permutations and `accumulate`, otherwise no overlap
  /// @throws NotReady, DimensionMismatch, Overlap; Unsupported for conj_transpose of a symmetric complex factor.
  /// Cost: two solves. The first solve with an op other than Op::none analyzes. The first solve of more columns than
  /// reserved allocates, except for Op::none without permutations, accumulation and dense blocks. No copy, no fence.
  void solve(ExecSpace const& exec, Op op, typename types::rhs const& b, typename types::solution const& x,
             bool accumulate = false);

  /// Performs the first half of solve() with Op::none; the second half, applied to its result, completes the solve. The
  /// result is in the order of the factor's rows. Symmetric with a diagonal D: x = D^(-1/2) U^-T P b; symmetric with
  /// dense blocks: D^-1 U^-T P b; otherwise L^-1 P b.
  /// @return false, with x unchanged, if D has an entry without a real square root. The first call after an update
  /// fences.
  bool solve_first_half(ExecSpace const& exec, typename types::rhs const& b, typename types::solution const& x);
  /// Performs the second half of solve() with Op::none. Symmetric with a diagonal D: x = Q U^-1 D^(-1/2) b; symmetric
  /// with dense blocks: Q U^-1 b; otherwise Q U^-1 D^-1 b.
  bool solve_second_half(ExecSpace const& exec, typename types::rhs const& b, typename types::solution const& x);

  /// Allocates for solves of up to `columns` columns, so that these solves allocate nothing.
  void reserve(ExecSpace const& exec, int columns, bool accumulate = false);

  long long num_rows() const { return num_rows_; }
  pattern_type const& pattern() const { return pattern_; }
  /// Returns the solver of a triangle and op, or nullptr if there is none yet. The lower triangle of a symmetric factor
  /// is U with Op::transpose.
  Solver const* solver(Triangle triangle, Op op = Op::none) const;
  int num_analyses() const { return num_analyses_; }  ///< solvers made so far
  std::size_t memory_bytes() const;                   ///< beyond the caller's patterns and values

 private:
  using Values = Kokkos::View<Scalar*, typename types::device>;
  using Taken = FactorValues<Scalar, typename types::device>;
  struct Step {
    Triangle triangle;
    Op op;
  };

  void check(pattern_type const& pattern);
  void take(ExecSpace const& exec, Taken const& values);
  Taken staged(ExecSpace const& exec, FactorValues<Scalar, Kokkos::HostSpace> const& values);
  Op effective(Op op) const;
  std::array<std::optional<Step>, 2> steps(Op op) const;
  std::optional<Solver>& slot(Step step) {
    return solvers_[static_cast<std::size_t>(step.triangle)][static_cast<std::size_t>(step.op)];
  }
  std::optional<Solver> make(ExecSpace const& exec, Step step) const;
  void require_present() const {
    if (!options_) throw NotReady("a factor that was moved from; make another one, or assign one to it");
  }
  void require_ready() const;
  void require_fit(typename types::rhs const& b, typename types::solution const& x) const;
  /// Makes the solvers and memory that a solve with this op still lacks.
  void prepare(ExecSpace const& exec, Op op, std::size_t columns, bool accumulate);
  void make_work(ExecSpace const& exec, std::size_t columns, bool accumulate);
  /// Returns one of the vectors of make_work(), number 0 or 1.
  typename types::solution work(std::size_t number, std::size_t columns) const {
    return typename types::solution(work_.data() + number * num_rows_ * columns,
                                    Kokkos::LayoutStride(num_rows_, 1, columns, num_rows_));
  }
  typename types::values inverse_for(ExecSpace const& exec, Op op);
  bool has_roots() const { return pattern_.symmetric && pattern_.block_size == 1; }
  bool find_roots(ExecSpace const& exec);
  void scale_blocks(ExecSpace const& exec, Op op, typename types::rhs const& from,
                    typename types::solution const& to) const;

  std::string algorithm_;
  std::unique_ptr<Options const> options_;  // null in a moved-from object
  pattern_type pattern_;
  std::size_t num_rows_ = 0;
  bool ready_ = false;
  Taken values_;                                                 // values of the solvers' last update
  std::array<StagedValues<Scalar, ExecSpace>, 3> staging_;       // for lower, upper, inverse
  std::array<std::array<std::optional<Solver>, 3>, 2> solvers_;  // by Triangle and Op
  Values roots_;                                                 // D^(-1/2), on request
  Values conjugated_;                                            // conjugates of D^-1, on request
  bool roots_known_ = false, roots_found_ = false, conjugates_found_ = false;
  Values work_;  // vectors between L and U, in factor order, column by column
  int num_analyses_ = 0;
  int reserved_ = 1;  // columns
};

}  // namespace sptrsv
