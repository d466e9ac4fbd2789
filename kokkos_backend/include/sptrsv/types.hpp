// SPDX-License-Identifier: Apache-2.0
// Definition of a triangular solve: the shape of T, and the type pack of all algorithms.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/csr_view.hpp"

namespace sptrsv {

/// Side of the diagonal on which the entries of the stored T lie (before Op).
enum class Triangle { lower, upper };

/// Form of T's diagonal. `unit`: taken as 1; stored entries on it are ignored, as in BLAS. `inverted`: the stored entry
/// is 1/T(i,i), as in PETSc's factors.
enum class Diagonal { stored, unit, inverted };

/// Operation on T: solves T x = b, T^T x = b or T^H x = b.
enum class Op { none, transpose, conj_transpose };

/// Shape of a solve; part of the analysis, fixed for the life of a solver.
struct Shape {
  Triangle triangle = Triangle::lower;
  Diagonal diagonal = Diagonal::stored;
  Op op = Op::none;

  /// Tells whether op(T) is lower triangular, so that rows are solved in ascending order.
  constexpr bool ascending() const { return (triangle == Triangle::lower) == (op == Op::none); }
  constexpr bool transposed() const { return op != Op::none; }
};

/// Type pack that all algorithms take: scalar, column index, entry offset and execution space.
template <class Scalar, class Index, class Offset, class ExecSpace>
struct Types {
  using scalar = Scalar;
  using index = Index;    ///< rows and columns
  using offset = Offset;  ///< positions of entries
  using exec_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;
  using device = Kokkos::Device<ExecSpace, memory_space>;

  using pattern = CsrPattern<Index, Offset, device>;
  using values = Kokkos::View<const Scalar*, device>;                      ///< one per entry of the pattern
  using rhs = Kokkos::View<const Scalar**, Kokkos::LayoutStride, device>;  ///< n-by-k
  using solution = Kokkos::View<Scalar**, Kokkos::LayoutStride, device>;   ///< n-by-k
  using indices = Kokkos::View<const Index*, device>;
};

/// Operations that a solve fuses into the loads of b and the stores of x, so that permutations and a diagonal scaling
/// need no pass of their own. Empty views: no operation. Row i reads b(b_rows(i), c) * b_scale(i). x(i, c) gets the
/// unknown that other rows need; if `out` is set, the result also goes to out(out_rows(i), c), added to its contents if
/// `accumulate`. `out` must not overlap x. It may be b if b_rows and out_rows are the same view or both empty;
/// otherwise it must not overlap b.
template <class T>
struct PermuteScale {
  typename T::indices b_rows;    ///< n, a permutation of 0..n-1 (not checked)
  typename T::values b_scale;    ///< n
  typename T::indices out_rows;  ///< n, a permutation of 0..n-1 (not checked)
  typename T::solution out;      ///< n-by-k
  bool accumulate = false;

  bool has_out() const { return out.extent(0) > 0 || out.extent(1) > 0; }
};

}  // namespace sptrsv
