// SPDX-License-Identifier: Apache-2.0
// Sync-free solve, a warp per component: by rows (reproducible), or as published, by columns with atomics.
#pragma once

#include "sptrsv/algorithm/sync_free/in_row_order.hpp"
#include "sptrsv/triangle/level_sets.hpp"

namespace sptrsv {

namespace detail {

template <class R>
KOKKOS_INLINE_FUNCTION void atomic_subtract(R* address, R value) {
  Kokkos::atomic_sub(address, value);
}
/// Subtracts real and imaginary part separately: a sum is read only after all of its terms have arrived.
template <class R>
KOKKOS_INLINE_FUNCTION void atomic_subtract(Kokkos::complex<R>* address, Kokkos::complex<R> value) {
  Kokkos::atomic_sub(&address->real(), value.real());
  Kokkos::atomic_sub(&address->imag(), value.imag());
}

/// Kernel of the published form: the warp of component j waits until in_degree(j) terms have arrived, and resets the
/// counter and the sum for the next solve. Then it subtracts x_j times column j from the sums of later rows.
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
  Kokkos::View<scalar*, typename T::device> left_sum;  // max_column_block per row
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
        release_increment(&arrived(i));
      });
      rejoin_lanes();
    });
  }
};

}  // namespace detail

/// Solver with a warp per component. In the default form csr a warp sums its row itself, so results are bitwise
/// reproducible. In form csc they are not, since atomics add in the order of arrival.
/// Source: W. Liu, A. Li, J. Hogg, I. Duff, B. Vinter, Euro-Par 2016, algorithm 2 (form csc). Differences: Warps take
/// components by ticket. The sums of a thread block are not kept in scratch memory.
template <class T>
class SyncFree : public detail::InRowOrder<T> {
  using Base = detail::InRowOrder<T>;

 public:
  static constexpr std::string_view name = "syncfree";
  static constexpr char const* summary = "a warp per component, busy waits, no barriers";
  static constexpr auto model = features_of({{"rows"}, {"warp_window"}, {"longest_row"}, {"late_longest"}});
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
      : Base(exec, analysis, options.form == Form::csc), by_columns_(options.form == Form::csc) {
    auto const n = static_cast<std::size_t>(analysis.num_rows());
    this->launch_ = this->warp_shape(exec, analysis.num_rows(), 1, options.rows_per_ticket);
    if (!by_columns_) return;
    in_degree_ = detail::count_in_degrees<T>(exec, this->values_.rows());
    arrived_ = decltype(arrived_)(Kokkos::view_alloc(exec, std::string("sptrsv::sync_free::arrived")), n);
    left_sum_ = decltype(left_sum_)(Kokkos::view_alloc(exec, std::string("sptrsv::sync_free::left_sum")),
                                    n * detail::max_column_block);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    auto const& rows = this->values_.rows();
    auto const launch = [&](char const* label, auto const& kernel) {
      detail::for_each_ticket<T>(label, exec, this->tickets_, this->launch_, rows.num_rows, kernel);
    };
    if (!by_columns_)
      return this->for_passes(exec, b, x, permute_scale, [&](auto, auto const& warp, auto const&) {
        launch("sptrsv::sync_free::solve_csr", warp);
      });
    detail::for_thread_columns(static_cast<int>(b.extent(1)), [&](auto width, detail::ColumnBlock const& columns) {
      detail::RowIO<T> const io(b, x, permute_scale, columns.first);
      launch("sptrsv::sync_free::solve_csc",
             detail::SyncFreeColumns<T, decltype(width)::value>{rows, this->values_.numbers(), io, in_degree_, arrived_,
                                                                left_sum_, this->ascending_});
    });
  }

  void restart(typename T::exec_space const& exec) const {
    Base::restart(exec);
    auto const arrived = arrived_;
    auto const left_sum = left_sum_;
    Kokkos::parallel_for(
        "sptrsv::sync_free::restart", detail::range_of<std::size_t>(exec, left_sum.extent(0)),
        KOKKOS_LAMBDA(std::size_t k) {
          left_sum(k) = typename T::scalar(0);
          if (k % detail::max_column_block == 0) arrived(k / detail::max_column_block) = 0;
        });
  }

  std::string parameters() const {
    return (by_columns_ ? "csc, atomics, " : "csr, reproducible, ") + this->launch_text("row");
  }
  std::size_t memory_bytes() const {
    return Base::memory_bytes() + left_sum_.span() * sizeof(typename T::scalar) +
           (arrived_.span() + in_degree_.span()) * sizeof(typename T::index);
  }

 private:
  bool by_columns_;
  Kokkos::View<typename T::index*, typename T::device> in_degree_, arrived_;
  Kokkos::View<typename T::scalar*, typename T::device> left_sum_;
};

}  // namespace sptrsv
