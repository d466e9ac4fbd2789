// SPDX-License-Identifier: Apache-2.0
// Blocks of rows on a host: a thread solves one row by row, once the blocks that it needs are done.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "sptrsv/algorithm/blocked/block_groups.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/row_end.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/plural.hpp"
#include "sptrsv/triangle/stored_values.hpp"

namespace sptrsv::detail {

/// Partition of the positions into blocks of rows for a host. Rows of a block are in solve order, with their entries. A
/// thread waits once per block that it needs, not per value, so that atomics carry only flags between cores.
template <class T>
struct HostBlocks {
  using index = typename T::index;
  using offset = typename T::offset;
  using scalar = typename T::scalar;
  template <class V>
  using view = Kokkos::View<V*, typename T::device>;
  static constexpr std::size_t flags_per_line = 16;  ///< one flag per cache line

  index num_blocks = 0;
  index num_steps = 0;     // length of the longest path of blocks
  view<index> order;       // blocks in the order in which threads take them: blocks of a step are independent
  view<index> row;         // n; row(p) is at position p
  view<index> block_row;   // blocks+1: first positions
  view<index> block_need;  // blocks+1
  view<index> need;        // earlier blocks, ascending
  view<offset> row_entry;  // n+1
  view<index> col_idx;     // positions
  StoredValues<T> values;
  JointMemory<T> values_memory;
  view<scalar> pivot;
  view<scalar> x;       // n, by position, of one right-hand side
  view<unsigned> done;  // blocks x flags_per_line: number of solves in which the block has been done

  template <class F>
  void for_arrays(F const& f) const {
    f(order), f(row), f(block_row), f(block_need), f(need), f(row_entry), f(col_idx), f(pivot), f(x), f(done);
  }
  std::size_t memory_bytes() const {
    std::size_t bytes = values_memory.bytes();
    for_arrays([&](auto const& array) { bytes += array.span() * sizeof(*array.data()); });
    return bytes;
  }
};

/// Orders blocks of rows by steps: in numerical order a block often waits for the block before it.
template <class T>
void order_host_blocks(HostBlocks<T>& blocks) {
  using index = typename T::index;
  auto const count = static_cast<std::size_t>(blocks.num_blocks);
  std::vector<index> step(count, 0);
  for (index b = 0; b < blocks.num_blocks; ++b) {
    auto& mine = step[static_cast<std::size_t>(b)];
    for (index k = blocks.block_need(b); k < blocks.block_need(b + 1); ++k)
      mine = std::max(mine, static_cast<index>(step[static_cast<std::size_t>(blocks.need(k))] + 1));
    blocks.num_steps = std::max(blocks.num_steps, static_cast<index>(mine + 1));
  }
  index* const order = blocks.order.data();
  std::iota(order, order + count, index(0));
  std::stable_sort(order, order + count, [&](index a, index b) {
    return step[static_cast<std::size_t>(a)] < step[static_cast<std::size_t>(b)];
  });
}

/// Cuts groups into blocks of at most `most_rows` rows.
template <class T>
HostBlocks<T> cut_host_blocks(typename T::exec_space const& exec, OffDiagonals<T> const& rows, Diagonal diagonal,
                              Storage storage, RowGroups<T> const& groups, std::size_t most_rows) {
  using index = typename T::index;
  using offset = typename T::offset;
  using policy = Kokkos::RangePolicy<typename T::exec_space, index>;
  auto const n = static_cast<std::size_t>(rows.num_rows);
  auto const raw = [&](char const* name) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::blocked::") + name);
  };
  exec.fence("sptrsv::blocked: the host reads the groups");
  std::vector<index> first;
  for (std::size_t p = 0; p < n; ++p)
    if (p == 0 || groups.key(p) != groups.key(p - 1) || p - static_cast<std::size_t>(first.back()) >= most_rows)
      first.push_back(static_cast<index>(p));
  first.push_back(static_cast<index>(n));

  HostBlocks<T> out;
  out.num_blocks = static_cast<index>(first.size() - 1);
  out.row = decltype(out.row)(raw("row"), n);
  Kokkos::deep_copy(exec, out.row, groups.row);
  out.block_row = decltype(out.block_row)(raw("block_row"), first.size());
  std::copy(first.begin(), first.end(), out.block_row.data());
  std::vector<index> block_of(n), place(n);
  Kokkos::parallel_for("sptrsv::blocked::places", policy(exec, 0, out.num_blocks), [&](index b) {
    for (index p = out.block_row(b); p < out.block_row(b + 1); ++p) {
      block_of[static_cast<std::size_t>(p)] = b;
      place[static_cast<std::size_t>(out.row(p))] = p;
    }
  });
  out.row_entry = decltype(out.row_entry)(raw("row_entry"), n + 1);
  offset entries = 0;
  out.row_entry(0) = 0;
  Kokkos::parallel_scan(
      "sptrsv::blocked::row_entries", policy(exec, 0, static_cast<index>(n)),
      [&](index p, offset& sum, bool last) {
        sum += rows.count(out.row(p));
        if (last) out.row_entry(p + 1) = sum;
      },
      entries);
  out.col_idx = decltype(out.col_idx)(raw("col_idx"), static_cast<std::size_t>(entries));
  StoredLayout<T> const values(out.values_memory, storage, static_cast<std::size_t>(entries));
  out.values_memory.allocate("sptrsv::blocked::values");
  out.values = values.view(out.values_memory);
  out.pivot = decltype(out.pivot)(raw("pivot"), diagonal == Diagonal::unit ? 0 : n);
  out.x = decltype(out.x)(raw("x"), n);
  out.done = decltype(out.done)(Kokkos::view_alloc(exec, std::string("sptrsv::blocked::done")),
                                static_cast<std::size_t>(out.num_blocks) * HostBlocks<T>::flags_per_line);

  std::vector<std::vector<index>> needs(static_cast<std::size_t>(out.num_blocks));
  // no KOKKOS_LAMBDA, since it calls host functions
  Kokkos::parallel_for("sptrsv::blocked::needs", policy(exec, 0, out.num_blocks), [&](index b) {
    auto& mine = needs[static_cast<std::size_t>(b)];
    for (index p = out.block_row(b); p < out.block_row(b + 1); ++p) {
      index const i = out.row(p);
      offset k = rows.first(i);
      for (offset e = out.row_entry(p); e < out.row_entry(p + 1); ++e, k += rows.step()) {
        index const at = place[static_cast<std::size_t>(rows.col_idx(k))];
        out.col_idx(e) = at;
        index const other = block_of[static_cast<std::size_t>(at)];
        if (other != b && (mine.empty() || mine.back() != other)) mine.push_back(other);
      }
    }
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  });
  exec.fence("sptrsv::blocked: the host joins the lists");
  out.block_need = decltype(out.block_need)(raw("block_need"), needs.size() + 1);
  std::size_t count = 0;
  for (std::size_t b = 0; b < needs.size(); ++b) {
    out.block_need(b) = static_cast<index>(count);
    count += needs[b].size();
  }
  require_counted<index>("pairs of blocks", static_cast<unsigned long long>(count), "lists of blocks");
  out.block_need(needs.size()) = static_cast<index>(count);
  out.need = decltype(out.need)(raw("need"), count);
  auto* to = out.need.data();
  for (auto const& mine : needs) to = std::copy(mine.begin(), mine.end(), to);
  out.order = decltype(out.order)(raw("order"), needs.size());
  order_host_blocks(out);
  return out;
}

/// Copies new values. @throws SingleRange
template <class T>
void fill_host_blocks(typename T::exec_space const& exec, HostBlocks<T> const& blocks, OffDiagonals<T> const& rows,
                      TriangleValues<T> const& numbers, Shape const& shape) {
  using index = typename T::index;
  using offset = typename T::offset;
  blocks.values.begin(exec);
  Kokkos::parallel_for(
      "sptrsv::blocked::update",
      Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, static_cast<index>(blocks.row.extent(0))),
      KOKKOS_LAMBDA(index p) {
        index const i = blocks.row(p);
        if (blocks.pivot.extent(0) > 0) blocks.pivot(p) = numbers.pivot(i);
        offset k = rows.first(i);
        for (offset e = blocks.row_entry(p); e < blocks.row_entry(p + 1); ++e, k += rows.step())
          blocks.values.set(e, conjugate_if(numbers.all(rows.source_of(k)), numbers.conj));
      });
  require_stored<T>(exec, blocks.values, rows, numbers, shape);
}

/// Kernel that solves the blocks of a ticket, first to last.
template <class T>
struct SolveHostBlocks {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  HostBlocks<T> blocks;
  RowIO<T> io;
  Diagonal diagonal;
  unsigned solve;  ///< number of this solve, from 1 on

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const&, index first, index last) const {
    for (index t = first; t < last; ++t) {
      index const b = blocks.order(t);
      for (index k = blocks.block_need(b); k < blocks.block_need(b + 1); ++k) {
        unsigned const* const flag = &blocks.done(flag_of(blocks.need(k)));
        for (Backoff wait; load_acquire(flag) != solve; wait(blocks.row(blocks.block_row(b)))) {
        }
      }
      if (blocks.values.rounds()) solve_rows(b, blocks.values.rounded.data());
      else solve_rows(b, blocks.values.full.data());
      arrive(&blocks.done(flag_of(b)));
    }
  }

 private:
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION void solve_rows(index b, V const* values) const {
    scalar* const x = blocks.x.data();
    for (index p = blocks.block_row(b); p < blocks.block_row(b + 1); ++p) {
      index const i = blocks.row(p);
      scalar sum = io.load(i, 0);
      for (offset e = blocks.row_entry(p); e < blocks.row_entry(p + 1); ++e)
        sum -= static_cast<scalar>(values[e]) * x[blocks.col_idx(e)];
      x[p] = diagonal == Diagonal::unit ? sum : finish_row(diagonal, sum, blocks.pivot(p));
      io.store(i, 0, x[p]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t flag_of(index b) {
    return static_cast<std::size_t>(b) * HostBlocks<T>::flags_per_line;
  }
};

}  // namespace sptrsv::detail
