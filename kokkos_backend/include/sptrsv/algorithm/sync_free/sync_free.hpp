// SPDX-License-Identifier: Apache-2.0
// Sync-free solve: a warp per component; by rows (reproducible), or by columns with in-degrees and atomics (as
// published).
#pragma once

#include <string>
#include <string_view>

#include "sptrsv/algorithm/sync_free/sync_free_tuning.hpp"
#include "sptrsv/algorithm/sync_free/warp_per_row.hpp"
#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/triangle/plural.hpp"
#include "sptrsv/triangle/row_values.hpp"

namespace sptrsv {

namespace detail {

template <class R>
KOKKOS_INLINE_FUNCTION void atomic_subtract(R* address, R value) {
  Kokkos::atomic_sub(address, value);
}
/// Subtracts the real and the imaginary part separately: a sum is read only after all of its terms have arrived.
template <class R>
KOKKOS_INLINE_FUNCTION void atomic_subtract(Kokkos::complex<R>* address, Kokkos::complex<R> value) {
  Kokkos::atomic_sub(&address->real(), value.real());
  Kokkos::atomic_sub(&address->imag(), value.imag());
}

/// Kernel of the published form: component j waits until all terms counted by its in-degree have arrived, then
/// subtracts its column from the sums of later rows. The owner resets the counter and the sum for the next solve.
template <class T, int K>
struct SyncFreeColumns {
  using index = typename T::index;
  using offset = typename T::offset;
  using scalar = typename T::scalar;

  OffDiagonals<T> columns;
  TriangleValues<T> numbers;
  RowIO<T> io;
  Kokkos::View<const index*, typename T::device> in_degree;
  Kokkos::View<index*, typename T::device> arrived;
  Kokkos::View<scalar*, typename T::device> left_sum;  // K per row
  bool ascending;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index first, index last) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](index s) {
      index const j = ascending ? s : columns.num_rows - 1 - s;
      scalar const pivot = numbers.pivot(j);
      ColumnSums<scalar, K> xj;
      Kokkos::single(
          Kokkos::PerThread(team),
          [&](ColumnSums<scalar, K>& value) {
            for (Backoff wait; load_acquire(&arrived(j)) != in_degree(j);) wait(j);
            arrived(j) = 0;
            for (int c = 0; c < K; ++c) {
              scalar& sum = left_sum(static_cast<std::size_t>(j) * max_column_block + c);
              value.value[c] = numbers.finish(io.load(j, c) + sum, pivot);
              sum = scalar(0);
              io.store(j, c, value.value[c]);
            }
          },
          xj);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, columns.begin(j), columns.end(j)), [&](offset k) {
        index const i = columns.col_idx(k);
        auto const a = numbers.entry(k);
        for (int c = 0; c < K; ++c)
          atomic_subtract(&left_sum(static_cast<std::size_t>(i) * max_column_block + c), a * xj.value[c]);
        arrive(&arrived(i));
      });
      rejoin_lanes();
    });
  }
};

template <class T>
Kokkos::View<typename T::index*, typename T::device> count_in_degrees(typename T::exec_space const& exec,
                                                                      OffDiagonals<T> const& columns) {
  using index = typename T::index;
  Kokkos::View<index*, typename T::device> in_degree(
      Kokkos::view_alloc(exec, std::string("sptrsv::sync_free::in_degree")), columns.num_rows);
  Kokkos::parallel_for(
      "sptrsv::sync_free::in_degree", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, columns.num_rows),
      KOKKOS_LAMBDA(index j) {
        for (auto k = columns.begin(j); k < columns.end(j); ++k) Kokkos::atomic_inc(&in_degree(columns.col_idx(k)));
      });
  return in_degree;
}

}  // namespace detail

/// Solver with a warp per component. The default form csr is row-owned and bitwise reproducible; csc is not, since
/// atomics add in the order of arrival.
/// Source: W. Liu, A. Li, J. Hogg, I. Duff, B. Vinter, Euro-Par 2016, algorithm 2 (form csc). Differs in that
/// components are taken by ticket and that the sums of a thread block are not kept in scratch memory.
template <class T>
class SyncFree {
 public:
  using types = T;
  static constexpr std::string_view name = "syncfree";
  static constexpr char const* summary = "a warp per component, busy waits, no barriers";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true};
  enum class Form { csr, csc };
  struct Options {
    Form form = Form::csr;
    int rows_per_ticket = 0;
    template <class V>
    void visit(V& v) {
      v.choice("form", form, {"csr", "csc"}, "row-owned and reproducible, or published with atomics");
      v.integer("rows_per_ticket", rows_per_ticket, 0, 1024, "components a team takes at a time; 0: chosen");
    }
  };

  SyncFree(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : options_(options),
        ascending_(analysis.shape().ascending()),
        values_(exec, options.form == Form::csr ? analysis.rows(exec) : analysis.columns(exec)),
        tickets_(exec),
        launch_(choose_launch(exec, analysis.num_rows(), options)) {
    auto const n = static_cast<std::size_t>(analysis.num_rows());
    if (options.form == Form::csc) {
      in_degree_ = detail::count_in_degrees<T>(exec, values_.rows());
      left_sum_ = decltype(left_sum_)(Kokkos::view_alloc(exec, std::string("sptrsv::sync_free::left_sum")),
                                      n * detail::max_column_block);
    }
    if (options.form == Form::csr) solved_ = decltype(solved_)(exec, analysis.num_rows());
    arrived_ = decltype(arrived_)(Kokkos::view_alloc(exec, std::string("sptrsv::sync_free::arrived")),
                                  options.form == Form::csc ? n : 0);
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const {
    int const k = static_cast<int>(b.extent(1));
    if (options_.form == Form::csr)
      detail::for_column_blocks<typename T::exec_space>(k, [&](auto width, detail::ColumnBlock const& columns) {
        constexpr int K = decltype(width)::value;
        detail::for_each_ticket<T>("sptrsv::sync_free::solve_csr", exec, tickets_, launch_, values_.rows().num_rows,
                                   detail::WarpPerRow<T, K>{values_.rows(),
                                                            values_.numbers(),
                                                            {b, x, fold, columns.first},
                                                            solved_.template begin<K>(exec, columns),
                                                            columns,
                                                            launch_.lanes,
                                                            ascending_});
      });
    else
      detail::for_thread_columns(k, [&](auto width, detail::ColumnBlock const& columns) {
        constexpr int K = decltype(width)::value;
        detail::for_each_ticket<T>("sptrsv::sync_free::solve_csc", exec, tickets_, launch_, values_.rows().num_rows,
                                   detail::SyncFreeColumns<T, K>{values_.rows(),
                                                                 values_.numbers(),
                                                                 {b, x, fold, columns.first},
                                                                 in_degree_,
                                                                 arrived_,
                                                                 left_sum_,
                                                                 ascending_});
      });
  }

  void restart(typename T::exec_space const& exec) const {
    tickets_.restart(exec);
    if (options_.form == Form::csr) return solved_.restart();
    auto const arrived = arrived_;
    auto const left_sum = left_sum_;
    using policy = Kokkos::RangePolicy<typename T::exec_space, std::size_t>;
    Kokkos::parallel_for(
        "sptrsv::sync_free::restart", policy(exec, 0, left_sum.extent(0)), KOKKOS_LAMBDA(std::size_t k) {
          left_sum(k) = typename T::scalar(0);
          if (k % detail::max_column_block == 0) arrived(k / detail::max_column_block) = 0;
        });
  }

  std::string parameters() const {
    return std::string(options_.form == Form::csr ? "csr, reproducible" : "csc, atomics") + ", " +
           detail::plural(launch_.rows_per_ticket, "row") + " per ticket, " + detail::plural(launch_.teams, "team") +
           " of " + std::to_string(launch_.threads) + " x " + std::to_string(launch_.lanes);
  }
  void reserve(typename T::exec_space const& exec, int columns) {
    if (options_.form == Form::csr) solved_.reserve(exec, columns);
  }
  std::size_t memory_bytes() const {
    return values_.memory_bytes() + solved_.memory_bytes() + left_sum_.span() * sizeof(typename T::scalar) +
           (arrived_.span() + in_degree_.span()) * sizeof(typename T::index);
  }

 private:
  static detail::LaunchShape choose_launch(typename T::exec_space const& exec, long long n, Options const& options) {
    detail::LaunchShape shape;
    if constexpr (is_host_space<typename T::exec_space>) {
      shape.rows_per_ticket =
          options.rows_per_ticket > 0 ? options.rows_per_ticket : detail::host_rows_per_ticket<T>(exec, n);
    } else {
      shape.lanes = Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max();
      shape.rows_per_ticket =
          options.rows_per_ticket > 0 ? options.rows_per_ticket : detail::SyncFreeTuning::syncfree_rows_per_ticket;
    }
    shape.teams = detail::number_of_teams<T>(exec, n, shape);
    return shape;
  }

  Options options_;
  bool ascending_;
  detail::RowValues<T> values_;
  mutable detail::Tickets<T> tickets_;
  detail::LaunchShape launch_;
  mutable detail::SolvedValues<T> solved_;
  Kokkos::View<typename T::index*, typename T::device> in_degree_, arrived_;
  Kokkos::View<typename T::scalar*, typename T::device> left_sum_;
};

}  // namespace sptrsv
