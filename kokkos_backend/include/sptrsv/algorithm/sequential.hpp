// SPDX-License-Identifier: Apache-2.0
// Substitution by one thread: the floor of every comparison, and the host path for small systems.
#pragma once

#include <string>
#include <string_view>

#include "sptrsv/capabilities.hpp"
#include "sptrsv/detail/row_blocks.hpp"
#include "sptrsv/detail/row_values.hpp"

namespace sptrsv {

namespace detail {

/// How one column is reached. Unit: x lies in consecutive words. Plain: b too, and nothing is folded in.
enum class Access { plain, unit, any };

/// The whole solve, K columns at once. By rows: x(i) gathers what it needs; transposed, T's rows are
/// op(T)'s columns: x(i) is scattered to the rows that need it, so no transpose is stored.
/// Pointers and compile-time choices instead of views and flags, since short rows take one core as
/// long as the decisions made for them.
template <class T, int K, Access A>
struct Substitution {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;

  offset const* row_ptr;
  index const* col_idx;
  scalar const* values;
  RowIO<T> io;
  index n;
  offset front, back;  // diagonal entries at a row's begin and end
  bool ascending;      // rows are solved first to last
  bool along;          // and lie in memory in the order of the solve
  bool scatter, conj, backward;
  Diagonal diagonal;

  Substitution(OffDiagonals<T> const& rows, Numbers<T> const& numbers, RowIO<T> const& row_io, Shape shape)
      : row_ptr(rows.row_ptr.data()),
        col_idx(rows.col_idx.data()),
        values(numbers.all.data()),
        io(row_io),
        n(rows.num_rows),
        front(rows.front),
        back(rows.back),
        ascending(shape.ascending()),
        along(shape.ascending() != rows.reversed),
        scatter(shape.transposed()),
        conj(numbers.conj),
        backward(rows.backward),
        diagonal(shape.diagonal) {}

  KOKKOS_FUNCTION void operator()(int) const {
    if (diagonal == Diagonal::unit)
      run<Diagonal::unit>();
    else if (diagonal == Diagonal::inverted)
      run<Diagonal::inverted>();
    else
      run<Diagonal::stored>();
  }
  template <Diagonal D>
  KOKKOS_FUNCTION void run() const {
    if (scatter)
      by_columns<D>();
    else
      by_rows<D>();
  }

  KOKKOS_FORCEINLINE_FUNCTION scalar load(index i, int c) const { return A == Access::plain ? io.b[i] : io.load(i, c); }
  KOKKOS_FORCEINLINE_FUNCTION scalar& at(scalar* x, index i, int c) const { return A == Access::any ? io.solved(i, c) : x[i]; }
  KOKKOS_FORCEINLINE_FUNCTION void put(scalar* x, index i, int c, scalar value) const {
    at(x, i, c) = value;
    if (A != Access::plain && io.out) io.emit(i, c, value);
  }
  /// The row's end; row points to its two offsets.
  template <Diagonal D>
  KOKKOS_FORCEINLINE_FUNCTION scalar finish(scalar sum, offset const* row) const {
    if constexpr (D == Diagonal::unit) {
      return sum;
    } else {
      scalar const d = conjugate_if(values[front ? row[0] : row[1] - 1], conj);
      return D == Diagonal::inverted ? sum * d : sum / d;
    }
  }
  /// Calls solve_row(i, offsets of row i) in the order of the solve.
  template <class SolveRow>
  KOKKOS_FORCEINLINE_FUNCTION void in_order(SolveRow const& solve_row) const {
    index const step = ascending ? 1 : -1, row_step = along ? 1 : -1;
    index i = ascending ? 0 : n - 1;
    offset const* row = row_ptr + (along ? 0 : n - 1);
    for (index s = 0; s < n; ++s, i += step, row += row_step) solve_row(i, row);
  }
  template <Diagonal D>
  KOKKOS_FUNCTION void by_rows() const {
    scalar* const x = io.x;
    scalar const* const a = values;
    index const* const columns = col_idx;
    offset const skip_front = front, skip_back = back, step = backward ? -1 : 1;
    in_order([&](index i, offset const* row) {
      scalar sum[K];
      for (int c = 0; c < K; ++c) sum[c] = load(i, c);
      offset const begin = row[0] + skip_front, end = row[1] - skip_back;
      offset k = backward ? end - 1 : begin;
      for (offset left = end - begin; left > 0; --left, k += step) {
        scalar const value = conjugate_if(a[k], conj);
        for (int c = 0; c < K; ++c) sum[c] -= value * at(x, columns[k], c);
      }
      for (int c = 0; c < K; ++c) put(x, i, c, finish<D>(sum[c], row));
    });
  }
  template <Diagonal D>
  KOKKOS_FUNCTION void by_columns() const {
    scalar* const x = io.x;
    scalar const* const a = values;
    index const* const columns = col_idx;
    offset const skip_front = front, skip_back = back;
    for (index i = 0; i < n; ++i)
      for (int c = 0; c < K; ++c) at(x, i, c) = load(i, c);
    in_order([&](index i, offset const* row) {
      scalar xi[K];
      for (int c = 0; c < K; ++c) put(x, i, c, xi[c] = finish<D>(at(x, i, c), row));
      offset const end = row[1] - skip_back;
      for (offset k = row[0] + skip_front; k < end; ++k) {
        scalar const value = conjugate_if(a[k], conj);
        for (int c = 0; c < K; ++c) at(x, columns[k], c) -= value * xi[c];
      }
    });
  }
};

}  // namespace detail

/// Source: textbook substitution; rows with the same columns are solved together on a host, as PETSc's
/// inodes are. Bitwise reproducible.
template <class T>
class Sequential {
 public:
  using types = T;
  static constexpr std::string_view name = "sequential";
  static constexpr char const* summary = "substitution by one thread";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true};
  struct Options {
    template <class V>
    void visit(V&) {}
  };

  Sequential(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const&)
      : shape_(analysis.shape()), values_(exec, analysis.stored()) {
    if constexpr (blocked)
      if (!shape_.transposed() && shape_.ascending() != values_.rows().backward) blocks_ = detail::find_row_blocks<T>(values_.rows(), shape_.ascending());
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const {
    detail::for_column_blocks(static_cast<int>(b.extent(1)), [&](auto width, int first) {
      constexpr int K = decltype(width)::value;
      detail::RowIO<T> const io{b, x, fold, first};
      if constexpr (blocked && K == 1)
        if (blocks_.worth_it() && io.x_row == 1) return solve_blocks(io);
      if (K == 1 && io.is_plain())
        launch(exec, detail::Substitution<T, 1, detail::Access::plain>(values_.rows(), values_.numbers(), io, shape_));
      else if (K == 1 && io.x_row == 1)
        launch(exec, detail::Substitution<T, 1, detail::Access::unit>(values_.rows(), values_.numbers(), io, shape_));
      else
        launch(exec, detail::Substitution<T, K, detail::Access::any>(values_.rows(), values_.numbers(), io, shape_));
    });
  }

  std::string parameters() const {
    return blocks_.worth_it() ? "one thread, rows with the same columns together" : "one thread";
  }
  std::size_t memory_bytes() const { return values_.memory_bytes() + blocks_.length.size(); }

 private:
  /// On a host without a launch, which would cost as much as a small solve.
  template <class Solve>
  static void launch(typename T::exec_space const& exec, Solve const& solve_all) {
    if constexpr (detail::runs_inline<typename T::exec_space>)
      solve_all(0);
    else
      Kokkos::parallel_for("sptrsv::sequential::solve", Kokkos::RangePolicy<typename T::exec_space>(exec, 0, 1), solve_all);
  }

  /// A block after the other. Conjugation is left to the transposed path, which has no blocks.
  void solve_blocks(detail::RowIO<T> const& io) const {
    auto const& rows = values_.rows();
    auto const& numbers = values_.numbers();
    auto const load = [&](typename T::index i) { return io.load(i, 0); };
    auto const finish = [&](typename T::index i, typename T::scalar sum) { io.store(i, 0, numbers.finish(sum, i)); };
    auto const* values = numbers.off_diagonal.data();
    bool const ascending = shape_.ascending();
    for (typename T::index s = 0; s < rows.num_rows;) {
      int const size = blocks_.length[static_cast<std::size_t>(s)];
      switch (size) {
        case 1: detail::solve_block<1, T>(rows, values, io.x, s, ascending, load, finish); break;
        case 2: detail::solve_block<2, T>(rows, values, io.x, s, ascending, load, finish); break;
        case 3: detail::solve_block<3, T>(rows, values, io.x, s, ascending, load, finish); break;
        default: detail::solve_block<4, T>(rows, values, io.x, s, ascending, load, finish); break;
      }
      s += size;
    }
  }

  static constexpr bool blocked = detail::runs_inline<typename T::exec_space>;
  Shape shape_;
  detail::RowValues<T> values_;
  detail::RowBlocks<T> blocks_;
};

}  // namespace sptrsv
