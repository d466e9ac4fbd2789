// SPDX-License-Identifier: Apache-2.0
// Substitution by one thread: the floor of every comparison, and the host path for small systems.
#pragma once

#include <string>
#include <string_view>

#include "sptrsv/capabilities.hpp"
#include "sptrsv/detail/row_values.hpp"

namespace sptrsv {

namespace detail {

/// The whole solve, K columns at once. By rows: x(i) gathers what it needs; transposed, T's rows are
/// op(T)'s columns: x(i) is scattered to the rows that need it, so no transpose is stored.
template <class T, int K>
struct Substitution {
  using scalar = typename T::scalar;
  using index = typename T::index;

  OffDiagonals<T> rows;
  Numbers<T> numbers;
  RowIO<T> io;
  bool ascending, scatter;

  KOKKOS_FUNCTION void operator()(int) const {
    if (scatter)
      by_columns();
    else
      by_rows();
  }
  KOKKOS_FUNCTION void by_rows() const {
    index const n = rows.num_rows;
    for (index s = 0; s < n; ++s) {
      index const i = ascending ? s : n - 1 - s;
      scalar sum[K];
      for (int c = 0; c < K; ++c) sum[c] = io.load(i, c);
      auto const end = rows.end(i);
      for (auto k = rows.begin(i); k < end; ++k) {
        scalar const a = numbers.entry(k);
        index const j = rows.col_idx(k);
        for (int c = 0; c < K; ++c) sum[c] -= a * io.solved(j, c);
      }
      for (int c = 0; c < K; ++c) io.store(i, c, numbers.finish(sum[c], i));
    }
  }
  KOKKOS_FUNCTION void by_columns() const {
    index const n = rows.num_rows;
    for (index i = 0; i < n; ++i)
      for (int c = 0; c < K; ++c) io.solved(i, c) = io.load(i, c);
    for (index s = 0; s < n; ++s) {
      index const i = ascending ? s : n - 1 - s;
      scalar xi[K];
      for (int c = 0; c < K; ++c) io.store(i, c, xi[c] = numbers.finish(io.solved(i, c), i));
      auto const end = rows.end(i);
      for (auto k = rows.begin(i); k < end; ++k) {
        scalar const a = numbers.entry(k);
        index const j = rows.col_idx(k);
        for (int c = 0; c < K; ++c) io.solved(j, c) -= a * xi[c];
      }
    }
  }
};

}  // namespace detail

/// Source: textbook substitution. Bitwise reproducible.
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
      : shape_(analysis.shape()), values_(exec, analysis.stored()) {}

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const {
    detail::for_column_blocks(static_cast<int>(b.extent(1)), [&](auto width, int first) {
      detail::Substitution<T, decltype(width)::value> const all{
          values_.rows(), values_.numbers(), {b, x, fold, first}, shape_.ascending(), shape_.transposed()};
      if constexpr (detail::runs_inline<typename T::exec_space>)
        all(0);  // no launch: on a host that would cost as much as a small solve
      else
        Kokkos::parallel_for("sptrsv::sequential::solve", Kokkos::RangePolicy<typename T::exec_space>(exec, 0, 1), all);
    });
  }

  std::string parameters() const { return "one thread"; }
  std::size_t memory_bytes() const { return values_.memory_bytes(); }

 private:
  Shape shape_;
  detail::RowValues<T> values_;
};

}  // namespace sptrsv
