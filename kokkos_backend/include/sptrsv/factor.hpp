// SPDX-License-Identifier: Apache-2.0
// Factor: the solves with L, D and U of one factorization, whichever library computed it.
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "sptrsv/solver.hpp"
#include "sptrsv/staging.hpp"

namespace sptrsv {

/// Where the factors of A(row_perm, col_perm) = L D U have their entries. L is lower, U upper triangular, D diagonal or
/// block diagonal. Views must stay valid and unchanged for the life of the Factor.
template <class Index, class Offset, class Device>
struct FactorPattern {
  struct Part {
    CsrPattern<Index, Offset, Device> rows;
    Diagonal diagonal = Diagonal::unit;
  };
  std::optional<Part> lower, upper;  ///< at least one; what is missing is the identity
  bool symmetric = false;  ///< L = U^T (no conjugates): `lower` is left out, and both permutations are the same one
  int block_size = 0;      ///< of D's blocks: 1 for a diagonal, 0 for D = I
  Kokkos::View<const Index*, Device> row_perm, col_perm;  ///< n each, permutations of 0..n-1 (not checked), or empty
};

/// The values that go with it, in memory that MemorySpace names.
template <class Scalar, class MemorySpace>
struct FactorValues {
  using view = Kokkos::View<const Scalar*, MemorySpace>;
  view lower, upper;  ///< aligned with the patterns' col_idx; the same view where both lie in one array
  view inverse;       ///< D^-1, dense blocks of block_size^2 by columns, one after the other; empty without D
};

/// Solves with the factors of one matrix, again and again: x = A^-1 b is U^-1 D^-1 L^-1 b, permuted on the way in and
/// out.
///
/// A solver for each triangle and op (see TriangularSolver) is made when the op is first asked for, that of Op::none by
/// the constructor. Permutations and a diagonal D are fused into the loads and stores of the solves. What holds for one
/// TriangularSolver holds here: one solve at a time, all on one instance or ordered by the caller; after an exception
/// from update() a solve throws NotReady until an update() has succeeded, and after one from another member the object
/// can be used on. One that was moved from can be destroyed and assigned to; its update, solve and reserve throw
/// NotReady.
///
/// Instances: as of TriangularSolver.
template <class Scalar, class Index, class Offset, class ExecSpace>
class Factor {
 public:
  using Solver = TriangularSolver<Scalar, Index, Offset, ExecSpace>;
  using types = typename Solver::types;
  using memory_space = typename types::memory_space;
  using pattern_type = FactorPattern<Index, Offset, typename types::device>;

  /// Analyzes. Arguments as of TriangularSolver, and its exceptions.
  /// @throws DimensionMismatch if triangles and permutations are of different sizes, or block_size does not divide n;
  ///         Error if the pattern contradicts itself (no triangle, a symmetric one with `lower`, D with one triangle
  ///         alone).
  Factor(std::string const& algorithm, ExecSpace const& exec, pattern_type const& pattern,
         OptionValues const& options = {});

  /// Takes the values: in place where kernels of ExecSpace can read them, so that they must stay valid and unchanged
  /// until the next update(); those of a host are copied to a device, and are the caller's again when the call returns.
  /// @throws PatternChanged if there are too few; DimensionMismatch likewise for D; ZeroPivot.
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

  /// Solves op(A) x = b; with `accumulate` adds the solution to x.
  /// @param b, x  n-by-k; the very same array only without permutations and without `accumulate`, else no overlap.
  /// Cost: two solves. The first solve of another op than Op::none analyzes; the first of more columns than reserve()
  /// was told allocates, but for Op::none without permutations, accumulation and blocks. No copy, no fence.
  /// @throws NotReady, DimensionMismatch, Overlap; Unsupported for conj_transpose of a symmetric complex factor.
  void solve(ExecSpace const& exec, Op op, typename types::rhs const& b, typename types::solution const& x,
             bool accumulate = false);

  /// The first of two halves, whose product is solve() of Op::none without the permutation in between. Symmetric with a
  /// diagonal D: x = D^(-1/2) U^-T P b; symmetric with blocks: D^-1 U^-T P b; else L^-1 P b.
  /// @return  false, and x unchanged, if D has an entry without a real square root. The first call for given values
  /// fences.
  bool solve_first_half(ExecSpace const& exec, typename types::rhs const& b, typename types::solution const& x);
  /// The second half. Symmetric with a diagonal D: x = Q U^-1 D^(-1/2) b; symmetric with blocks: Q U^-1 b; else Q U^-1
  /// D^-1 b.
  bool solve_second_half(ExecSpace const& exec, typename types::rhs const& b, typename types::solution const& x);

  /// Makes room for solves of so many columns at once, so that they allocate nothing.
  void reserve(ExecSpace const& exec, int columns, bool accumulate = false);

  long long num_rows() const { return num_rows_; }
  pattern_type const& pattern() const { return pattern_; }
  /// The solver of a triangle, or nullptr if there is none yet for that op. A symmetric factor's lower triangle is U
  /// with Op::transpose.
  Solver const* solver(Triangle triangle, Op op = Op::none) const;
  int num_analyses() const { return num_analyses_; }  ///< solvers made so far
  std::size_t memory_bytes() const;                   ///< beyond the caller's patterns and values

 private:
  using Values = Kokkos::View<Scalar*, typename types::device>;
  using Taken = FactorValues<Scalar, typename types::device>;
  /// Whether this object has not been moved from.
  class Present {
   public:
    Present() = default;
    Present(Present&& other) noexcept : value_(std::exchange(other.value_, false)) {}
    Present& operator=(Present&& other) noexcept {
      value_ = std::exchange(other.value_, false);
      return *this;
    }
    explicit operator bool() const { return value_; }

   private:
    bool value_ = true;
  };
  struct Step {
    Triangle triangle;
    Op op;
  };

  void check(pattern_type const& pattern);
  void take(ExecSpace const& exec, Taken const& values);
  Taken staged(ExecSpace const& exec, FactorValues<Scalar, Kokkos::HostSpace> const& values);
  Op effective(Op op) const;
  std::array<std::optional<Step>, 2> steps(Op op) const;
  std::optional<Solver>& slot(Step step);
  std::optional<Solver> make(ExecSpace const& exec, Step step) const;
  void require_present() const;
  void require_ready() const;
  void require_fit(typename types::rhs const& b, typename types::solution const& x) const;
  /// Makes what a solve of this op needs and is not there yet.
  void prepare(ExecSpace const& exec, Op op, std::size_t columns, bool accumulate);
  void make_work(ExecSpace const& exec, std::size_t columns, bool accumulate);
  typename types::solution work(std::size_t number, std::size_t columns) const;
  typename types::values inverse_for(ExecSpace const& exec, Op op);
  bool has_roots() const { return pattern_.symmetric && pattern_.block_size == 1; }
  bool find_roots(ExecSpace const& exec);
  void scale_blocks(ExecSpace const& exec, Op op, typename types::rhs const& from,
                    typename types::solution const& to) const;

  std::string algorithm_;
  OptionValues options_;
  pattern_type pattern_;
  std::size_t num_rows_ = 0;
  Present present_;
  bool ready_ = false;
  Taken values_;                                                 // what the solvers were updated with
  std::array<StagedValues<Scalar, ExecSpace>, 3> staging_;       // of lower, upper, inverse
  std::array<std::array<std::optional<Solver>, 3>, 2> solvers_;  // by Triangle and Op
  Values roots_;                                                 // D^(-1/2), when asked for
  Values conjugated_;                                            // D^-1's conjugates, when asked for
  bool roots_known_ = false, roots_found_ = false, conjugates_found_ = false;
  Values work_;  // vectors between L and U, in factor order, column by column
  int num_analyses_ = 0;
  int reserved_ = 1;  // columns
};

}  // namespace sptrsv
