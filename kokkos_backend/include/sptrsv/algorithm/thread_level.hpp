// SPDX-License-Identifier: Apache-2.0
// Capellini: one thread per row on the plain CSR arrays, in row order, with next to no analysis.
#pragma once

#include <string>
#include <string_view>

#include "sptrsv/capabilities.hpp"
#include "sptrsv/detail/lanes.hpp"
#include "sptrsv/detail/row_values.hpp"
#include "sptrsv/detail/solved_values.hpp"

namespace sptrsv {

namespace detail {

/// Rows of one ticket, one per thread, whose lanes have a column each. A thread never spins on a row of its own ticket: it consumes
/// what is there, publishes if it can, and looks again. Entries are awaited a few at a time, their loads in flight
/// together.
template <class T, int K>
struct ThreadPerRow {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  static constexpr int at_once = K == 1 ? 4 : 1;

  OffDiagonals<T> rows;
  Numbers<T> numbers;
  RowIO<T> io;
  SolvedSlots<scalar, K> all_slots;
  ColumnBlock columns;
  bool ascending, two_phase;
  bool all_at_once;  ///< looks for all missed entries, not for the first alone: more loads, fewer looks

  /// The next entries of a row, at most `at_once`, and which of them are still missed.
  struct Entries {
    index col[at_once];
    scalar value[at_once];
    scalar x[at_once][K];
    unsigned missed;
  };

  KOKKOS_FUNCTION index row(index s) const { return ascending ? s : rows.num_rows - 1 - s; }

  KOKKOS_FORCEINLINE_FUNCTION void load(SolvedSlots<scalar, K> const& slots, Entries& e, offset& k, offset& left) const {
    e.missed = 0;
    for (int u = 0; u < at_once; ++u) {
      bool const have = u < left;
      e.col[u] = have ? rows.col_idx(k + u * rows.step()) : index(0);
      e.value[u] = have ? numbers.entry(k + u * rows.step()) : scalar(0);
      for (int c = 0; c < K; ++c) e.x[u][c] = scalar(0);
      if (have && !slots.take(e.col[u], e.x[u])) e.missed |= 1u << u;
    }
    offset const taken = left < at_once ? left : offset(at_once);
    k += taken * rows.step();
    left -= taken;
  }
  /// Looks for entries that are missed; true if none is.
  KOKKOS_FORCEINLINE_FUNCTION bool complete(SolvedSlots<scalar, K> const& slots, Entries& e) const {
    for (int u = 0; u < at_once; ++u)
      if (e.missed & (1u << u)) {
        if (slots.take(e.col[u], e.x[u])) e.missed &= ~(1u << u);
        if (!all_at_once) break;
      }
    return e.missed == 0;
  }
  /// Phase 1 of the two-phase form: entries of earlier tickets, with a plain wait for each.
  KOKKOS_FUNCTION void wait_for_earlier(SolvedSlots<scalar, K> const& slots, offset& k, offset& left, index first, index i, scalar (&sum)[K]) const {
    for (; left > 0; --left, k += rows.step()) {
      index const j = rows.col_idx(k);
      if ((ascending ? j : rows.num_rows - 1 - j) >= first) break;
      scalar x[K];
      for (Backoff wait; !slots.take(j, x);) wait(i);
      for (int c = 0; c < K; ++c) sum[c] -= numbers.entry(k) * x[c];
    }
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](index s) {
      index const i = row(s);
      int const column = lane_of(team);
      if (column >= columns.count) return;
      auto const slots = all_slots.column(column);
      scalar sum[K];
      for (int c = 0; c < K; ++c) sum[c] = io.load(i, column + c);
      offset k = rows.first(i), left = rows.count(i);
      scalar const pivot = numbers.pivot(i);
      slots.clear_next(i);
      if (two_phase) wait_for_earlier(slots, k, left, first, i, sum);
      Entries entries;
      load(slots, entries, k, left);
      Backoff wait;
      while (true) {
        if (complete(slots, entries)) {
          for (int u = 0; u < at_once; ++u)
            for (int c = 0; c < K; ++c) sum[c] -= entries.value[u] * entries.x[u][c];
          if (left == 0) {
            for (int c = 0; c < K; ++c) sum[c] = numbers.finish(sum[c], pivot);
            slots.put(i, sum);
            for (int c = 0; c < K; ++c) io.store(i, column + c, sum[c]);
            break;
          }
          load(slots, entries, k, left);
        } else {
          wait(i);
        }
      }
    });
  }
};

}  // namespace detail

/// Source: F. Zhang, J. Su, W. Liu et al., TPDS 2021, algorithms 4 (two-phase) and 5 (writing
/// first). Differs in that rows are handed out by ticket, that the second phase loops until done
/// instead of warp-size times (which needs lock-step warps), and that a marker in the place of a value is its flag. Bitwise reproducible: a row is summed in its stored order.
template <class T>
class ThreadLevel {
 public:
  using types = T;
  static constexpr std::string_view name = "threadlevel";
  static constexpr char const* summary = "a thread per row on plain CSR, no analysis";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true};
  enum class Form { writing_first, two_phase };
  struct Options {
    Form form = Form::writing_first;
    int rows_per_ticket = 0;
    template <class V>
    void visit(V& v) {
      v.choice("form", form, {"writing_first", "two_phase"}, "wait for nothing, or for earlier teams first");
      v.integer("rows_per_ticket", rows_per_ticket, 0, 1024, "rows a team takes at a time; 0: chosen");
    }
  };

  ThreadLevel(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : options_(options),
        ascending_(analysis.shape().ascending()),
        all_at_once_(analysis.mean_row() > 4),
        values_(exec, analysis.rows(exec)),
        tickets_(exec),
        launch_(detail::thread_per_row_shape<T>(exec, analysis.num_rows(), options.rows_per_ticket)),
        solved_(exec, analysis.num_rows()) {}

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const {
    detail::for_column_blocks<typename T::exec_space>(static_cast<int>(b.extent(1)), [&](auto width, detail::ColumnBlock const& columns) {
      constexpr int K = decltype(width)::value;
      detail::for_each_ticket<T>(
          "sptrsv::thread_level::solve", exec, tickets_, detail::with_column_lanes<T>(exec, launch_, values_.rows().num_rows, columns),
          values_.rows().num_rows,
          detail::ThreadPerRow<T, K>{values_.rows(), values_.numbers(), {b, x, fold, columns.first}, solved_.template begin<K>(exec, columns),
                                     columns, ascending_, options_.form == Form::two_phase, all_at_once_});
    });
  }

  std::string parameters() const {
    return std::string(options_.form == Form::two_phase ? "two-phase" : "writing-first") + ", " +
           std::to_string(launch_.rows_per_ticket) + " rows per ticket, " + std::to_string(launch_.teams) +
           " teams of " + std::to_string(launch_.threads);
  }
  std::size_t memory_bytes() const { return values_.memory_bytes() + solved_.memory_bytes(); }
  void reserve(typename T::exec_space const& exec, int columns) { solved_.reserve(exec, columns); }

 private:
  Options options_;
  bool ascending_, all_at_once_;
  detail::RowValues<T> values_;
  mutable detail::Tickets<T> tickets_;
  detail::LaunchShape launch_;
  mutable detail::SolvedValues<T> solved_;
};

}  // namespace sptrsv
