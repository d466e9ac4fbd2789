// SPDX-License-Identifier: Apache-2.0
// Pattern of ILU(k) and IC(k) for every k.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <type_traits>
#include <vector>

#include "sptrsv/device/gpu_tuning.hpp"
#include "sptrsv/device/host_threads.hpp"
#include "sptrsv/factorization/fill_rows.hpp"

namespace sptrsv::detail {

/// Fill of all rows on a host. Each thread has an array over all columns, takes one part of the rows after another, and
/// keeps the entries that it finds until the output has been allocated.
template <class T>
class HostFill {
 public:
  using index = typename T::index;
  using offset = typename T::offset;
  using exec_space = typename T::exec_space;

  HostFill(exec_space const& exec, index n)
      : n_(n),
        threads_(std::max(1, concurrent_threads(exec))),
        parts_(static_cast<std::size_t>(
            std::min<long long>(n, static_cast<long long>(FillTuning::parts_per_thread) * threads_))) {}

  void count(exec_space const& exec, FillRows<T> const& rows) {
    constexpr std::size_t arrays = 5;
    auto const n = static_cast<std::size_t>(n_);
    // pages that are not written to are not committed
    auto const memory = factor_view<FillIndices<T>>(exec, "fill_arrays", arrays * n * threads_);
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(threads_));
    Kokkos::parallel_for("sptrsv::factorization::fill_rows", Kokkos::RangePolicy<exec_space, int>(exec, 0, threads_),
                         [&](int thread) {
                           try {
                             find_parts(rows, memory.data() + arrays * n * static_cast<std::size_t>(thread), next);
                           } catch (...) {  // out of memory
                             errors[static_cast<std::size_t>(thread)] = std::current_exception();
                           }
                         });
    exec.fence("sptrsv::factorization: the rows with fill are found");
    for (auto const& error : errors)
      if (error) std::rethrow_exception(error);
  }
  void write(exec_space const& exec, FillRows<T> const& rows) {
    Kokkos::parallel_for("sptrsv::factorization::fill_write",
                         Kokkos::RangePolicy<exec_space, int>(exec, 0, static_cast<int>(parts_.size())),
                         [&](int part) { write_part(rows, static_cast<std::size_t>(part)); });
    exec.fence("sptrsv::factorization: the rows with fill are written");
  }

 private:
  index first_row(std::size_t part) const {
    return static_cast<index>(static_cast<unsigned long long>(n_) * part / parts_.size());
  }
  void find_parts(FillRows<T> const& rows, index* memory, std::atomic<std::size_t>& next) {
    auto const n = static_cast<std::size_t>(n_);
    long long counters[num_fill_counters];
    FillArray<index, false> array{memory, memory + n, memory + 2 * n, memory + 3 * n, counters, memory + 4 * n};
    bool prepared = false;
    for (std::size_t part = next++; part < parts_.size(); part = next++) {
      if (!prepared) std::fill_n(array.best, n, no_column<index>());
      prepared = true;
      for (index i = first_row(part); i < first_row(part + 1); ++i) find_row(rows, array, parts_[part], i);
    }
  }
  /// Appends the row's entries to `found`, L's first, and clears the array.
  static void find_row(FillRows<T> const& rows, FillArray<index, false> array, std::vector<index>& found, index i) {
    array.clear(OneLane());
    follow_paths<T>(OneLane(), rows.graph, rows.rule, i, array);
    auto const begin = found.size();
    for (long long k = 0; k < array.num_left; ++k) {
      index const j = array.left[k];
      if (!rows.rule.symmetric && array.best[j] < j) found.push_back(j);
      array.best[j] = no_column<index>();
    }
    auto const middle = found.size();
    found.insert(found.end(), array.right, array.right + array.num_right);
    for (auto k = middle; k < found.size(); ++k) array.best[found[k]] = no_column<index>();
    auto const at = [&](std::size_t k) { return found.begin() + static_cast<std::ptrdiff_t>(k); };
    std::sort(at(begin), at(middle));
    std::sort(at(middle), found.end());
    rows.put_counts(i, static_cast<offset>(middle - begin), static_cast<offset>(array.num_right),
                    array.counters[diagonal_there] != 0);
  }
  void write_part(FillRows<T> const& rows, std::size_t part) {
    auto from = parts_[part].begin();
    for (index i = first_row(part); i < first_row(part + 1); ++i) {
      offset const lower = rows.num_lower(i), upper = rows.upper_ptr(i + 1) - rows.upper_ptr(i);
      if (lower > 0) from = copy(from, lower, rows.lower_col.data() + rows.lower_ptr(i));
      from = copy(from, upper - (rows.rule.symmetric ? 0 : 1), rows.upper_col.data() + rows.upper_ptr(i));
      rows.put_pivot(i);
    }
    std::vector<index>().swap(parts_[part]);
  }
  template <class From>
  static From copy(From from, offset count, index* to) {
    std::copy_n(from, count, to);
    return from + static_cast<std::ptrdiff_t>(count);
  }

  index n_;
  int threads_;
  std::vector<std::vector<index>> parts_;
};

/// Implements Factorization::level_pattern().
/// @param make_fill  make_fill(n) returns a HostFill or DeviceFill for n rows
template <class T, class MakeFill>
FactorPatternOf<T> make_fill_pattern(typename T::exec_space const& exec, typename T::pattern const& matrix,
                                     typename T::indices const& row_perm, typename T::indices const& col_perm,
                                     bool symmetric, int levels, MakeFill const& make_fill) {
  using index = typename T::index;
  index const n = matrix.num_rows();
  if (levels <= 0 || n == 0) return make_ilu_zero_pattern<T>(exec, matrix, row_perm, col_perm, symmetric);
  auto split = split_rows<T>(exec, matrix, row_perm, col_perm, symmetric);
  FillRows<T> rows;
  rows.graph = make_fill_graph<T>(exec, split, levels);
  double const mean = static_cast<double>(rows.graph.col_idx.extent(0)) / static_cast<double>(n);
  rows.rule = {static_cast<int>(std::min<long long>(levels, n)), symmetric,
               lanes_per_row(mean, warp_lanes<typename T::exec_space>, 1)};
  auto const size = static_cast<std::size_t>(n);
  if (!symmetric) rows.lower_ptr = factor_view<FillOffsets<T>>(exec, "lower_ptr", size + 1);
  rows.upper_ptr = factor_view<FillOffsets<T>>(exec, "upper_ptr", size + 1);
  rows.first_missing = factor_view<decltype(rows.first_missing)>(exec, "first_missing");
  Kokkos::deep_copy(exec, rows.first_missing, n);
  auto fill = make_fill(n);
  fill.count(exec, rows);
  index missing = n;
  Kokkos::deep_copy(exec, missing, rows.first_missing);
  exec.fence("sptrsv::factorization: a missing diagonal is reported");
  if (missing < n) throw MissingDiagonal(missing, "factored");
  auto const columns = [&](char const* name, FillOffsets<T> const& ptr, char const* part) {
    return factor_view<FillIndices<T>>(exec, name, static_cast<std::size_t>(fill_offsets<T>(exec, ptr, levels, part)));
  };
  if (!symmetric) rows.lower_col = columns("lower_col", rows.lower_ptr, "L");
  rows.upper_col = columns("upper_col", rows.upper_ptr, "U");
  fill.write(exec, rows);
  exec.fence("sptrsv::factorization: the pattern is made");
  split.lower_ptr = rows.lower_ptr;
  split.upper_ptr = rows.upper_ptr;
  split.lower_col = rows.lower_col;
  split.upper_col = rows.upper_col;
  return as_factor_pattern<T>(split, col_perm);
}

template <class T>
FactorPatternOf<T> make_level_pattern(typename T::exec_space const& exec, typename T::pattern const& matrix,
                                      typename T::indices const& row_perm, typename T::indices const& col_perm,
                                      bool symmetric, int levels) {
  using Fill = std::conditional_t<is_host_space<typename T::exec_space>, HostFill<T>, DeviceFill<T>>;
  return make_fill_pattern<T>(exec, matrix, row_perm, col_perm, symmetric, levels,
                              [&](typename T::index n) { return Fill(exec, n); });
}

}  // namespace sptrsv::detail
