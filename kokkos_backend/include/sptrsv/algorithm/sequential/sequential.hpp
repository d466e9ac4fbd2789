// SPDX-License-Identifier: Apache-2.0
// Substitution by one thread: the baseline of every comparison, and the host path for small systems.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sptrsv/algorithm/sequential/sequential_tuning.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/compiler.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv/triangle/row_blocks.hpp"
#include "sptrsv/triangle/row_loop.hpp"
#include "sptrsv/triangle/row_values.hpp"

namespace sptrsv {

namespace detail {

/// Cursor over stored rows in solve order. `values` and `col_idx` start at the first off-diagonal entry.
/// @tparam Up     whether rows come in ascending order
/// @tparam Along  whether rows come in their order in memory
template <class T, bool Up, bool Along>
struct StoredRows {
  using index = typename T::index;
  using offset = typename T::offset;

  index i;
  offset const* ends;       // start and end of row i
  offset stored_diagonals;  // number of diagonal entries stored in a row
  int diagonal_behind;      // 0 or 1: the diagonal entry is at ends[diagonal_behind] - 1

  KOKKOS_FORCEINLINE_FUNCTION index row() const { return i; }
  KOKKOS_FORCEINLINE_FUNCTION offset begin() const { return ends[0]; }
  KOKKOS_FORCEINLINE_FUNCTION offset end() const { return ends[1] - stored_diagonals; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::scalar diagonal(typename T::scalar const* values) const {
    return values[ends[diagonal_behind] - 1];
  }
  KOKKOS_FORCEINLINE_FUNCTION void next() {
    i += Up ? 1 : -1;
    ends += Along ? 1 : -1;
  }
  KOKKOS_FORCEINLINE_FUNCTION StoredRows after(index rows) const { return {0, ends + (Along ? rows : -rows), 0, 0}; }
  KOKKOS_FORCEINLINE_FUNCTION bool differs(StoredRows const& other) const { return ends != other.ends; }
};

/// Kernel of the whole solve, K columns at a time. If op is none, a row gathers its terms. For a transpose, T's rows
/// are op(T)'s columns, and x(i) is scattered to the rows that need it, so no transpose is stored. Uses pointers and
/// compile-time choices instead of views and flags, since a decision at run time would cost as much as a short row.
template <class T, int K, Access A>
struct Substitution {
  using index = typename T::index;

  typename T::offset const* row_ptr;
  index const* col_idx;
  typename T::scalar const* values;
  RowIO<T> io;
  index n;
  typename T::offset front, back;  // diagonal entries at the start and end of a row
  Diagonal diagonal;
  bool up, along, conj, scatter, backward;

  Substitution(OffDiagonals<T> const& rows, TriangleValues<T> const& numbers, RowIO<T> const& row_io, Shape shape)
      : row_ptr(rows.row_ptr.data()),
        col_idx(rows.col_idx.data() + rows.front),
        values(numbers.all.data() + rows.front),
        io(row_io),
        n(rows.num_rows),
        front(rows.front),
        back(rows.back),
        diagonal(shape.diagonal),
        up(shape.ascending()),
        along(shape.ascending() != rows.reversed),
        conj(numbers.conj),
        scatter(shape.transposed()),
        backward(rows.backward) {}

  KOKKOS_FUNCTION void operator()(int) const {
    if (diagonal == Diagonal::unit) run<Diagonal::unit>();
    else if (diagonal == Diagonal::inverted) run<Diagonal::inverted>();
    else run<Diagonal::stored>();
  }
  template <Diagonal D>
  KOKKOS_FUNCTION void run() const {
    if (up) along ? run<D, true, true>() : run<D, true, false>();
    else along ? run<D, false, true>() : run<D, false, false>();
  }
  template <Diagonal D, bool Up, bool Along>
  KOKKOS_FUNCTION void run() const {
    using rows = StoredRows<T, Up, Along>;
    auto const stored_diagonals = static_cast<typename T::offset>(front + back);
    rows const first{Up ? 0 : n - 1, row_ptr + (Along ? 0 : n - 1), stored_diagonals, front > 0 ? 0 : 1};
    RowLoop<T, K, A, D, rows> const loop{first, col_idx, values, io, conj};
    constexpr bool host = detail::runs_inline<typename T::exec_space>;
    if (scatter) loop.template scatter<Up || !host ? 1 : -1>(n);
    else if (backward) loop.template gather<-1>(n);
    else loop.template gather<1>(n);
  }
};

/// Solves the block at position s: M rows with the same columns outside the block. Adds first a row's terms outside the
/// block, then those inside. That is the order of a row's sum in a lower triangle (Step 1), and in an upper one that is
/// summed backward (Step -1); other triangles must not use blocks. Prefetches the values of the next block: a block
/// reads one stream per row, too many for a core's prefetcher.
/// @param x       contiguous
/// @param finish  finish(i, sum) performs the last step of row i
template <int M, int Step, class T, class Load, class Finish>
SPTRSV_APART void solve_block(OffDiagonals<T> const& rows, typename T::scalar const* values, typename T::scalar* x,
                              typename T::index s, Load const& load, Finish const& finish) {
  using scalar = typename T::scalar;
  using index = typename T::index;
  constexpr bool ascending = Step > 0;
  index i[M];
  scalar const* a[M];       // values of the common columns, in the order of the sum
  scalar const* inside[M];  // values of the columns inside the block
  scalar sum[M];
  std::ptrdiff_t const begin = rows.begin(s = ascending ? s : rows.num_rows - 1 - s), common = rows.count(s),
                       last = ascending ? 0 : common - 1;
  bool const nested = M > 1 && rows.count(s + (M > 1 ? Step : 0)) > common;  // each row needs those before it
  for (int r = 0; r < M; ++r) {
    i[r] = s + Step * r;
    a[r] = values + rows.begin(i[r]) + (ascending ? 0 : (nested ? r : 0) + last);
    inside[r] = a[r] + Step * common;
    sum[r] = load(i[r]);
  }
  index const* const columns = rows.col_idx.data() + begin + last;
  // position of the next block, if it has the same size
  bool const along = ascending != rows.reversed;
  std::ptrdiff_t const ahead = (along ? M : -M) * common;
  scalar const* const next_a = a[along == ascending ? 0 : M - 1] + ahead;
  index const* const next_columns = columns + ahead;
  for (std::ptrdiff_t k = 0; k < common; ++k) {
    prefetch(next_a + Step * M * k);
    scalar const xj = x[columns[Step * k]];
    for (int r = 0; r < M; ++r) sum[r] -= a[r][Step * k] * xj;
  }
  prefetch(next_columns);
  for (int r = 0; r < M; ++r) {
    for (int q = 0; nested && q < r; ++q) sum[r] -= inside[r][Step * q] * x[i[q]];
    finish(i[r], sum[r]);
  }
}

}  // namespace detail

/// Solver by substitution. A host solves rows with equal columns together, like PETSc's inodes. Bitwise reproducible.
template <class T>
class Sequential : public AlgorithmDefaults {
 public:
  using types = T;
  static constexpr std::string_view name = "sequential";
  static constexpr char const* summary = "substitution by one thread";
  static constexpr Capabilities capabilities{
      /*upper=*/true,       /*transpose=*/true, /*multi_rhs=*/true,  /*single_storage=*/false,
      /*any_pattern=*/true, /*exact=*/true,     /*one_thread=*/true,
  };
  static constexpr auto model = features_of({{"rows"}});
  struct Options {
    template <class V>
    void visit(V&) {}
  };

  Sequential(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const&)
      : shape_(analysis.shape()), values_(exec, analysis.stored()) {
    if constexpr (blocked)
      if (!shape_.transposed() && shape_.ascending() != values_.rows().backward)
        block_rows_ = detail::find_row_blocks<T>(values_.rows(), shape_.ascending());
  }

  /// Tells whether the planner considers `sequential`: on a GPU only for few entries.
  static bool worth_planning(typename T::exec_space const&, Analysis<T> const& analysis) {
    return is_host_space<typename T::exec_space> ||
           analysis.num_off_diagonals() <= detail::SequentialTuning::planned_entries;
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    detail::for_thread_columns(static_cast<int>(b.extent(1)), [&](auto width, detail::ColumnBlock const& columns) {
      constexpr int K = decltype(width)::value;
      detail::RowIO<T> const io{b, x, permute_scale, columns.first};
      if constexpr (blocked && K == 1)
        if (!block_rows_.empty() && io.x_row == 1)
          return shape_.ascending() ? solve_blocks<1>(io) : solve_blocks<-1>(io);
      detail::with_access<blocked, K>(io, [&](auto access) {
        launch(exec,
               detail::Substitution<T, K, decltype(access)::value>(values_.rows(), values_.numbers(), io, shape_));
      });
    });
  }

  std::string parameters() const {
    return block_rows_.empty() ? "one thread" : "one thread, rows with the same columns together";
  }
  void reserve(typename T::exec_space const&, int) {}
  std::size_t memory_bytes() const { return values_.memory_bytes() + block_rows_.size(); }

 private:
  /// Solves by one thread. On a host it launches no kernel, since a launch would cost as much as a small solve.
  template <class Solve>
  static void launch(typename T::exec_space const& exec, Solve const& solve_all) {
    if constexpr (detail::runs_inline<typename T::exec_space>) solve_all(0);
    else
      Kokkos::parallel_for("sptrsv::sequential::solve", Kokkos::RangePolicy<typename T::exec_space>(exec, 0, 1),
                           solve_all);
  }

  /// Solves block after block. Conjugation occurs only in the transposed path, which has no blocks.
  template <int Step>
  void solve_blocks(detail::RowIO<T> const& io) const {
    auto const& rows = values_.rows();
    auto const& numbers = values_.numbers();
    auto const load = [&](typename T::index i) { return io.load(i, 0); };
    auto const finish = [&](typename T::index i, typename T::scalar sum) {
      io.store(i, 0, numbers.finish(sum, numbers.pivot(i)));
    };
    auto const* values = numbers.off_diagonal.data();
    for (typename T::index s = 0; s < rows.num_rows;) {
      int const size = block_rows_[static_cast<std::size_t>(s)];
      switch (size) {
        case 1: detail::solve_block<1, Step, T>(rows, values, io.x, s, load, finish); break;
        case 2: detail::solve_block<2, Step, T>(rows, values, io.x, s, load, finish); break;
        case 3: detail::solve_block<3, Step, T>(rows, values, io.x, s, load, finish); break;
        case 4: detail::solve_block<4, Step, T>(rows, values, io.x, s, load, finish); break;
        case 5: detail::solve_block<5, Step, T>(rows, values, io.x, s, load, finish); break;
        default: detail::solve_block<6, Step, T>(rows, values, io.x, s, load, finish); break;
      }
      s += size;
    }
  }

  static constexpr bool blocked = detail::runs_inline<typename T::exec_space>;
  Shape shape_;
  detail::RowValues<T> values_;
  std::vector<std::uint8_t> block_rows_;  // empty: rows one by one
};

}  // namespace sptrsv
