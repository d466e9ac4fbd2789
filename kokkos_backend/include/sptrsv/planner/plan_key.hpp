// SPDX-License-Identifier: Apache-2.0
// Key under which a measured plan is remembered.
#pragma once

#include <string>
#include <typeinfo>

#include "sptrsv/options.hpp"
#include "sptrsv/planner/plan_measure.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

/// Mixes the bits of a number (the finalizer of splitmix64).
KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t v) {
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ULL;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebULL;
  return v ^ (v >> 31);
}

/// Returns a hash of row lengths and column indices. It is a sum of terms, each mixed with its position, so that it is
/// the same for any number of threads. Cost: one pass over the pattern; fences.
template <class T>
std::uint64_t hash_of(typename T::exec_space const& exec, typename T::pattern const& pattern, long long first,
                      long long last) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const row_ptr = pattern.row_ptr;
  auto const col_idx = pattern.col_idx;
  auto const rows = sum_over_rows<T, std::uint64_t>(
      "sptrsv::planner::hash_rows", exec, pattern.num_rows(), KOKKOS_LAMBDA(index i) {
        return mixed(static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15ULL +
                     static_cast<std::uint64_t>(row_ptr(i + 1) - row_ptr(i)));
      });
  std::uint64_t entries = 0;
  Kokkos::parallel_reduce(
      "sptrsv::planner::hash_entries",
      Kokkos::RangePolicy<typename T::exec_space, offset>(exec, static_cast<offset>(first), static_cast<offset>(last)),
      KOKKOS_LAMBDA(offset k, std::uint64_t& sum) {
        sum += mixed(static_cast<std::uint64_t>(k - first) * 0x9e3779b97f4a7c15ULL +
                     static_cast<std::uint64_t>(col_idx(k)) + 1);
      },
      entries);
  return mixed(rows) ^ entries;
}

template <class T>
PlanKey plan_key(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options) {
  auto const& pattern = analysis.pattern();
  auto const last = static_cast<long long>(analysis.values_needed());
  auto const shape = analysis.shape();
  PlanKey key;
  key.rows = analysis.num_rows();
  key.entries = analysis.num_entries();
  key.pattern = hash_of<T>(exec, pattern, last - key.entries, last);
  for (int part : {static_cast<int>(shape.triangle), static_cast<int>(shape.diagonal), static_cast<int>(shape.op),
                   static_cast<int>(pattern.row_order), static_cast<int>(pattern.sum_backward),
                   static_cast<int>(exec.concurrency())})
    key.what += std::to_string(part) + " ";
  key.what += std::string(typeid(T).name()) + " " + device_name(exec);
  for (auto const& [name, value] : options.values()) key.what += " " + name + "=" + std::to_string(value);
  return key;
}

}  // namespace sptrsv::detail
