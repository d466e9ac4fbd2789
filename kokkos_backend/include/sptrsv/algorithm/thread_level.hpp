// SPDX-License-Identifier: Apache-2.0
// Capellini: one thread per row on the plain CSR arrays, in row order, with next to no analysis.
#pragma once

#include <climits>
#include <string>
#include <string_view>

#include "sptrsv/capabilities.hpp"
#include "sptrsv/detail/row_values.hpp"

namespace sptrsv {

namespace detail {

/// Rows of one ticket, one per thread. A thread never spins on a row of its own ticket: it consumes
/// what is ready, publishes if it can, and looks again.
template <class T, int K>
struct ThreadPerRow {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;

  OffDiagonals<T> rows;
  Numbers<T> numbers;
  RowIO<T> io;
  Kokkos::View<int*, typename T::device> ready;
  int epoch;
  bool ascending, two_phase;

  KOKKOS_FUNCTION index row(index s) const { return ascending ? s : rows.num_rows - 1 - s; }

  KOKKOS_FUNCTION void consume(offset k, scalar (&sum)[K]) const {
    scalar const a = numbers.entry(k);
    index const j = rows.col_idx(k);
    for (int c = 0; c < K; ++c) sum[c] -= a * io.solved(j, c);
  }
  /// Phase 1 of the two-phase form: entries of earlier tickets, with a plain wait for each.
  KOKKOS_FUNCTION void wait_for_earlier(offset& k, offset& left, index first, index i, scalar (&sum)[K]) const {
    for (; left > 0; --left, k += rows.step()) {
      index const j = rows.col_idx(k);
      if ((ascending ? j : rows.num_rows - 1 - j) >= first) break;
      for (Backoff wait; observe(&ready(j)) != epoch;) wait(i);
      consume(k, sum);
    }
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](index s) {
      index const i = row(s);
      scalar sum[K];
      for (int c = 0; c < K; ++c) sum[c] = io.load(i, c);
      offset k = rows.first(i), left = rows.count(i);
      if (two_phase) wait_for_earlier(k, left, first, i, sum);
      Backoff wait;
      while (true) {
        for (; left > 0 && observe(&ready(rows.col_idx(k))) == epoch; --left, k += rows.step()) consume(k, sum);
        if (left == 0) {
          for (int c = 0; c < K; ++c) io.store(i, c, numbers.finish(sum[c], i));
          publish(&ready(i), epoch);
          break;
        }
        wait(i);
      }
    });
  }
};

}  // namespace detail

/// Source: F. Zhang, J. Su, W. Liu et al., TPDS 2021, algorithms 4 (two-phase) and 5 (writing
/// first). Differs in that rows are handed out by ticket, that the second phase loops until done
/// instead of warp-size times (which needs lock-step warps), and that flags carry the number of the
/// solve, so none are cleared. Bitwise reproducible: a row is summed in its stored order.
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
        values_(exec, analysis.rows(exec)),
        tickets_(exec),
        launch_(detail::thread_per_row_shape<T>(exec, analysis.num_rows(), options.rows_per_ticket)),
        ready_(Kokkos::view_alloc(exec, std::string("sptrsv::thread_level::ready")), analysis.num_rows()) {}

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const {
    detail::for_column_blocks(static_cast<int>(b.extent(1)), [&](auto width, int first) {
      if (epoch_ == INT_MAX) {
        Kokkos::deep_copy(exec, ready_, 0);
        epoch_ = 0;
      }
      detail::for_each_ticket<T>(
          "sptrsv::thread_level::solve", exec, tickets_, launch_, values_.rows().num_rows,
          detail::ThreadPerRow<T, decltype(width)::value>{values_.rows(), values_.numbers(), {b, x, fold, first},
                                                          ready_, ++epoch_, ascending_,
                                                          options_.form == Form::two_phase});
    });
  }

  std::string parameters() const {
    return std::string(options_.form == Form::two_phase ? "two-phase" : "writing-first") + ", " +
           std::to_string(launch_.rows_per_ticket) + " rows per ticket, " + std::to_string(launch_.teams) +
           " teams of " + std::to_string(launch_.threads);
  }
  std::size_t memory_bytes() const { return values_.memory_bytes() + ready_.span() * sizeof(int); }

 private:
  Options options_;
  bool ascending_;
  detail::RowValues<T> values_;
  mutable detail::Tickets<T> tickets_;
  detail::LaunchShape launch_;
  Kokkos::View<int*, typename T::device> ready_;
  mutable int epoch_ = 0;
};

}  // namespace sptrsv
