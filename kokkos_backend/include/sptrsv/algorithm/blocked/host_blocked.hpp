// SPDX-License-Identifier: Apache-2.0
// `blocked` on a host: a thread solves a block row by row, once the blocks that it needs are done.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "sptrsv/algorithm/blocked/block_estimate.hpp"
#include "sptrsv/algorithm/blocked/block_groups.hpp"
#include "sptrsv/algorithm/blocked/blocked_options.hpp"
#include "sptrsv/device/arrays.hpp"
#include "sptrsv/device/host_threads.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/row_end.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/triangle/analysis.hpp"
#include "sptrsv/triangle/ordered_rows.hpp"
#include "sptrsv/triangle/plural.hpp"

namespace sptrsv::detail {

/// Partition of the positions into blocks of rows for a host. A thread waits once for each block that its block needs,
/// not for each value, so that only flags are atomic.
template <class T>
struct HostBlocks {
  using index = typename T::index;
  template <class V>
  using view = Kokkos::View<V*, typename T::device>;
  static constexpr std::size_t flags_per_line = 16;  ///< one flag per cache line

  OrderedRows<T> rows;  // block by block, in solve order within a block; columns are positions
  index num_blocks = 0;
  index num_steps = 0;         // number of blocks on the longest path of dependencies
  view<index> order;           // blocks in the order that threads take: by step; those of a step are independent
  view<index> block_row;       // blocks+1: first positions
  view<index> block_need;      // blocks+1: offsets in `need`
  view<index> need;            // earlier blocks that each block needs, ascending
  view<typename T::scalar> x;  // n, by position, of one right-hand side
  view<unsigned> done;         // blocks x flags_per_line: number of solves that have finished the block

  std::size_t memory_bytes() const {
    std::size_t const indices = rows.row.span() + order.span() + block_row.span() + block_need.span() + need.span();
    return rows.memory_bytes() + indices * sizeof(index) + x.span() * sizeof(typename T::scalar) +
           done.span() * sizeof(unsigned);
  }
};

/// Orders blocks of rows by step, the length of the longest path of blocks that a block waits for. In the order of
/// their numbers a block would often wait for the block before it.
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
HostBlocks<T> cut_host_blocks(typename T::exec_space const& exec, Analysis<T> const& analysis,
                              RowGroups<T> const& groups, std::size_t most_rows) {
  using index = typename T::index;
  auto const n = static_cast<std::size_t>(analysis.num_rows());
  exec.fence("sptrsv::blocked: the host reads the groups");
  std::vector<index> first, block_of(n);
  for (std::size_t p = 0; p < n; ++p) {
    if (p == 0 || groups.key(p) != groups.key(p - 1) || p - static_cast<std::size_t>(first.back()) >= most_rows)
      first.push_back(static_cast<index>(p));
    block_of[p] = static_cast<index>(first.size() - 1);
  }
  first.push_back(static_cast<index>(n));

  HostBlocks<T> out;
  out.num_blocks = static_cast<index>(first.size() - 1);
  auto const blocks = static_cast<std::size_t>(out.num_blocks);
  auto const row = raw_view<index, T>(exec, "sptrsv::blocked::row", n);
  Kokkos::deep_copy(exec, row, groups.row);
  out.rows = order_rows<T>(exec, analysis, row);
  renumber_columns<T>(exec, analysis.workspace(), out.rows);
  out.block_row = raw_view<index, T>(exec, "sptrsv::blocked::block_row", first.size());
  std::copy(first.begin(), first.end(), out.block_row.data());
  out.x = raw_view<typename T::scalar, T>(exec, "sptrsv::blocked::x", n);
  out.done = decltype(out.done)(Kokkos::view_alloc(exec, std::string("sptrsv::blocked::done")),
                                blocks * HostBlocks<T>::flags_per_line);

  std::vector<std::vector<index>> needs(blocks);
  // no KOKKOS_LAMBDA, since it calls host functions
  Kokkos::parallel_for("sptrsv::blocked::needs", row_range<T>(exec, out.num_blocks), [&](index b) {
    auto& mine = needs[static_cast<std::size_t>(b)];
    auto const end = out.rows.row_ptr(out.block_row(b + 1));
    for (auto k = out.rows.row_ptr(out.block_row(b)); k < end; ++k) {
      index const other = block_of[static_cast<std::size_t>(out.rows.col_idx(k))];
      if (other != b && (mine.empty() || mine.back() != other)) mine.push_back(other);
    }
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  });
  exec.fence("sptrsv::blocked: the host joins the lists");
  out.block_need = raw_view<index, T>(exec, "sptrsv::blocked::block_need", blocks + 1);
  std::size_t count = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    out.block_need(b) = static_cast<index>(count);
    count += needs[b].size();
  }
  require_counted<index>("pairs of blocks", static_cast<unsigned long long>(count), "lists of blocks");
  out.block_need(blocks) = static_cast<index>(count);
  out.need = raw_view<index, T>(exec, "sptrsv::blocked::need", count);
  auto* to = out.need.data();
  for (auto const& mine : needs) to = std::copy(mine.begin(), mine.end(), to);
  out.order = raw_view<index, T>(exec, "sptrsv::blocked::order", blocks);
  order_host_blocks(out);
  return out;
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
        for (Backoff wait; load_acquire(flag) != solve; wait(blocks.rows.row(blocks.block_row(b)))) {
        }
      }
      if (blocks.rows.values.rounds()) solve_rows(b, blocks.rows.values.rounded.data());
      else solve_rows(b, blocks.rows.values.full.data());
      release_increment(&blocks.done(flag_of(b)));
    }
  }

 private:
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION void solve_rows(index b, V const* values) const {
    scalar* const x = blocks.x.data();
    for (index p = blocks.block_row(b); p < blocks.block_row(b + 1); ++p) {
      index const i = blocks.rows.row(p);
      scalar sum = io.load(i, 0);
      for (offset e = blocks.rows.row_ptr(p); e < blocks.rows.row_ptr(p + 1); ++e)
        sum -= static_cast<scalar>(values[e]) * x[blocks.rows.col_idx(e)];
      x[p] = diagonal == Diagonal::unit ? sum : finish_row(diagonal, sum, blocks.rows.diagonal(p));
      io.store(i, 0, x[p]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t flag_of(index b) {
    return static_cast<std::size_t>(b) * HostBlocks<T>::flags_per_line;
  }
};

/// `blocked` on a host.
template <class T>
class HostBlocked : public BlockedModel {
 public:
  using types = T;

  HostBlocked(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : diagonal_(analysis.shape().diagonal), tickets_(exec) {
    if (analysis.num_rows() == 0) return;
    require_counted<unsigned>("rows", static_cast<unsigned long long>(analysis.num_rows()), "numbers in blocks");
    analysis.rows(exec);  // before the levels, which are then found by a sweep over these rows
    long long const threads = concurrent_threads(exec);
    auto const rows =
        static_cast<std::size_t>(options.rows > 0 ? options.rows : host_block_rows(analysis.num_rows(), threads));
    typename Workspace<T>::Scope const of_groups(analysis.workspace());
    auto const groups = group_rows<T>(exec, analysis, options, static_cast<double>(rows));
    cut_ = groups.shape;
    blocks_ = cut_host_blocks<T>(exec, analysis, groups, rows);
    teams_ = static_cast<int>(std::min<long long>(threads, blocks_.num_blocks));
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    fill_values<T>(exec, analysis, values, blocks_.rows);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             PermuteScale<T> const& permute_scale) const {
    for (int c = 0; c < static_cast<int>(b.extent(1)); ++c)
      for_each_ticket<T>("sptrsv::blocked::solve", exec, tickets_, {teams_, 1, 1, 1}, blocks_.num_blocks,
                         SolveHostBlocks<T>{blocks_, {b, x, permute_scale, c}, diagonal_, ++solves_});
  }

  void restart(typename T::exec_space const& exec) const {
    tickets_.restart(exec);
    Kokkos::deep_copy(exec, blocks_.done, 0u);
    solves_ = 0;
  }

  /// Tells whether the planner considers `blocked`: with several threads.
  static bool worth_planning(typename T::exec_space const& exec, Analysis<T> const&) {
    return concurrent_threads(exec) > 1;
  }

  std::string parameters() const {
    return plural(blocks_.num_blocks, "block") + " (" + cut_ + ") in " + plural(blocks_.num_steps, "step") + ", " +
           plural(blocks_.need.extent(0), "wait") + " for a block" +
           (blocks_.rows.values.rounds() ? ", values in single precision" : "");
  }
  void reserve(typename T::exec_space const&, int) {}
  std::size_t memory_bytes() const { return blocks_.memory_bytes(); }

 private:
  Diagonal diagonal_;
  HostBlocks<T> blocks_;
  std::string cut_;
  int teams_ = 1;
  mutable Tickets<T> tickets_;
  mutable unsigned solves_ = 0;
};

}  // namespace sptrsv::detail
