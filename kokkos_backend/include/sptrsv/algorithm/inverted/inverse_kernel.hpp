// SPDX-License-Identifier: Apache-2.0
// The solve by inverted blocks: teams take tasks by ticket.
#pragma once

#include <Kokkos_Core.hpp>

#include "sptrsv/algorithm/inverted/inverse_tasks.hpp"
#include "sptrsv/algorithm/inverted/inverse_values.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/device/tickets.hpp"

namespace sptrsv::detail {

/// Kernel: solves K columns of x.
template <class T, int K>
struct InverseKernel {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  using slots_type = SolvedSlots<scalar, K>;
  using real = typename slots_type::real;
  static constexpr int lanes = tile_lanes, held = InvertedTuning::held, chunk = InvertedTuning::chunk,
                       columns = InvertedTuning::columns, task_rows = InvertedTuning::small_task;
  /// Ticket of a task, and the task.
  struct Fetched {
    unsigned long long ticket;
    InverseTask<index> task;
  };
  /// Bytes of a team's scratch memory: x of a segment, then t of the rows, by column, and two tasks.
  static constexpr std::size_t scratch_bytes =
      static_cast<std::size_t>(columns + task_rows) * K * sizeof(scalar) + 2 * sizeof(Fetched);

  InvertedRows<T> to;
  OuterEntries<T> outer;
  Kokkos::View<const InverseTask<index>*, typename T::device> tasks;
  RowIO<T> io;
  slots_type slots;
  Tickets<T> tickets;
  int which;  ///< counter of tickets

  /// A thread's number in its team, vector lanes counted, and the number of these threads.
  struct Thread {
    int rank, count;
  };
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Thread thread_of(Team const& team) {
#if defined(SPTRSV_GPU_CODE)
    return {team.team_rank() * lanes + gpu::lane(), team.team_size() * lanes};
#else
    return {team.team_rank(), team.team_size()};
#endif
  }
  KOKKOS_FORCEINLINE_FUNCTION static int sharing([[maybe_unused]] int wanted) {
#if defined(SPTRSV_GPU_CODE)
    return wanted;
#else
    return 1;
#endif
  }
  KOKKOS_FORCEINLINE_FUNCTION static void add_lanes([[maybe_unused]] ColumnSums<scalar, K>& sum,
                                                    [[maybe_unused]] int shared) {
#if defined(SPTRSV_GPU_CODE)
    for (int distance = shared / 2; distance > 0; distance /= 2)
      for (int c = 0; c < K; ++c) sum.value[c] += from_lane(sum.value[c], distance);
#endif
  }
  /// Returns a y, 0 where a is 0: most zeros are entries that the triangle lacks, where an infinite y must not matter.
  KOKKOS_FORCEINLINE_FUNCTION static scalar product(scalar const& a, scalar const& y) {
    return a == scalar(0) ? scalar(0) : a * y;
  }
  /// Copies slots to scratch memory, as they are published. `slot_of(q)` for q < count is the slot.
  template <class SlotOf>
  KOKKOS_FORCEINLINE_FUNCTION void gather(Thread const& me, index count, SlotOf const& slot_of, scalar* to_scratch,
                                          int stride) const {
    constexpr int batch = K == 1 ? 4 : 1;
    for (index first = me.rank; first < count; first += batch * me.count) {
      real const* at[batch];
      scalar x[batch][K];
      for (int u = 0; u < batch; ++u) {
        index const q = first + u * me.count;
        at[u] = slots.at(static_cast<std::size_t>(slot_of(q < count ? q : first)));
      }
      for (int u = 0; u < batch; ++u) slots_type::poll(at[u], x[u]);
      for (int u = 0; u < batch; ++u) {
        for (Backoff wait; !slots_type::all_solved(x[u]); slots_type::poll(at[u], x[u])) wait(first);
        index const q = first + u * me.count;
        if (q < count)
          for (int c = 0; c < K; ++c) to_scratch[c * stride + q] = x[u][c];
      }
    }
  }

  /// Computes t = (b or the t of the part before) - (entries of the task's segments) x, in scratch memory.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sum(Team const& team, Thread const& me, InverseTask<index> const& task, scalar* x,
                                       scalar* t) const {
    for (index r = me.rank; r < task.rows; r += me.count) {
      scalar value[K];
      if (task.from_t < 0) {
        index const i = to.row(task.first + r);
        for (int c = 0; c < K; ++c) value[c] = io.load(i, c);
      } else {
        slots.await(static_cast<std::size_t>(task.from_t + r), value, r);
      }
      for (int c = 0; c < K; ++c) t[c * task_rows + r] = value[c];
    }
    int const shared = sharing(task.sum_lanes);
    index const at_once = me.count / shared, padded = (task.rows + at_once - 1) / at_once * at_once;
    for (index g = task.segment; g < task.behind_last_segment; ++g) {
      Segment<index> const segment = outer.segments(g);
      gather(me, segment.columns, [&](index q) { return outer.columns(segment.first + q); }, x, columns);
      team.team_barrier();
      for (index r = me.rank / shared; r < padded; r += at_once) {
        bool const mine = r < task.rows;
        ColumnSums<scalar, K> sums;
        if (mine) add_entries(segment.rows_at + r, me.rank % shared, shared, x, sums);
        add_lanes(sums, shared);
        if (mine && me.rank % shared == 0)
          for (int c = 0; c < K; ++c) t[c * task_rows + r] -= sums.value[c];
      }
      team.team_barrier();
    }
    if (task.segment == task.behind_last_segment) team.team_barrier();
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_entries(index row, int part, int parts, scalar const* x,
                                               ColumnSums<scalar, K>& sums) const {
    constexpr int batch = 8;
    offset const end = outer.row_ptr(row + 1);
    for (offset k = outer.row_ptr(row) + part; k < end; k += batch * parts) {
      scalar a[batch];
      int q[batch];
      for (int u = 0; u < batch; ++u) {
        offset const at = k + u * parts;
        q[u] = at < end ? outer.column(at) : 0;
        a[u] = at < end ? outer.values(at) : scalar(0);
      }
      for (int u = 0; u < batch; ++u)
        if (k + u * parts < end)
          for (int c = 0; c < K; ++c) sums.value[c] += a[u] * x[c * columns + q[u]];
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void publish_x(index p, scalar const (&x)[K]) const {
    slots.publish(static_cast<std::size_t>(p), x);
    index const i = to.row(p);
    for (int c = 0; c < K; ++c) io.store(i, c, x[c]);
    slots.reset_next(static_cast<std::size_t>(p));
  }

  /// Returns t of the row at position p, divided by the diagonal, for a product with an inverse.
  KOKKOS_FORCEINLINE_FUNCTION scalar scaled(index p, scalar const& t) const {
    return finish_row(to.diagonal, t, to.pivot(p));
  }

  /// Publishes t of a slice's rows for the next part, or for the products.
  KOKKOS_FORCEINLINE_FUNCTION void publish_t(Thread const& me, InverseTask<index> const& task, scalar const* t) const {
    bool const scales = task.last && !to.substituted(task.block);
    for (index r = me.rank; r < task.rows; r += me.count) {
      scalar value[K];
      for (int c = 0; c < K; ++c) {
        value[c] = t[c * task_rows + r];
        if (scales) value[c] = scaled(task.first + r, value[c]);
      }
      auto const slot = static_cast<std::size_t>(task.to_t + r);
      slots.publish(slot, value);
      slots.reset_next(slot);
    }
  }

  /// Publishes x of small blocks: products with their inverses, or substitution by one thread a block.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void finish_small(Team const& team, Thread const& me, InverseTask<index> const& task,
                                                scalar* t) const {
    int const shared = sharing(task.product_lanes);
    index const at_once = me.count / shared, padded = (task.rows + at_once - 1) / at_once * at_once;
    bool any = false;
    for (index b = task.block; b < task.behind_last_block; ++b) any = any || to.substituted(b) != 0;
    for (index r = me.rank; r < task.rows; r += me.count)
      if (!(any && is_substituted(task, task.first + r)))
        for (int c = 0; c < K; ++c) t[c * task_rows + r] = scaled(task.first + r, t[c * task_rows + r]);
    team.team_barrier();
    for (index r = me.rank / shared; r < padded; r += at_once) {
      bool const mine = r < task.rows && !(any && is_substituted(task, task.first + r));
      ColumnSums<scalar, K> sums;
      if (mine) {
        InverseRow const row = to.inverse(task.first + r);
        scalar const* const a = to.dense.data() + row.at;
        scalar const* const y = t + (r + 1 - row.length);
        for (int j = me.rank % shared; j < row.length; j += shared)
          for (int c = 0; c < K; ++c) sums.value[c] += product(a[j], y[c * task_rows + j]);
      }
      add_lanes(sums, shared);
      if (mine && me.rank % shared == 0) publish_x(task.first + r, sums.value);
    }
    if (!any) return;
    team.team_barrier();
    for (index b = task.block + me.rank; b < task.behind_last_block; b += me.count)
      if (to.substituted(b)) {
        auto const block = to.blocks(b);
        for (index p = block.first; p < block.first + block.rows; ++p) {
          int const length = to.inverse(p).length;
          scalar const* const a = to.diagonal_at(p);
          scalar* const y = t + (p - task.first);
          scalar x[K];
          for (int c = 0; c < K; ++c) {
            scalar value = y[c * task_rows];
            for (int j = length - 1; j > 0; --j) value -= product(a[-j], y[c * task_rows - j]);
            x[c] = y[c * task_rows] = finish_row(to.diagonal, value, to.pivot(p));
          }
          publish_x(p, x);
        }
      }
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_substituted(InverseTask<index> const& task, index p) const {
    for (index b = task.block; b < task.behind_last_block; ++b)
      if (p < to.blocks(b).first + to.blocks(b).rows) return to.substituted(b) != 0;
    return false;
  }

  /// Adds `sign` times dense rows, one for each warp, times slots from `from` on. A warp loads its part of a row before
  /// the team waits.
  /// @param mine     whether the warp has a row
  /// @param length   of the row
  /// @param longest  of the rows of the team
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_products([[maybe_unused]] Team const& team, Thread const& me, scalar const* row,
                                                index length, index longest, index from, scalar* x, scalar sign,
                                                ColumnSums<scalar, K>& sums) const {
#if defined(SPTRSV_GPU_CODE)
    int const lane = gpu::lane();
    for (index start = 0; start < longest; start += chunk) {
      scalar a[held];
      for (int u = 0; u < held; ++u) {
        index const j = start + lane + u * lanes;
        a[u] = j < length ? row[j] : scalar(0);
      }
      index const count = longest - start < chunk ? longest - start : chunk;
      team.team_barrier();
      gather(me, count, [&](index q) { return from + start + q; }, x, chunk);
      team.team_barrier();
      for (int u = 0; u < held; ++u)
        if (start + lane + u * lanes < length)
          for (int c = 0; c < K; ++c) sums.value[c] += product(sign * a[u], x[c * chunk + lane + u * lanes]);
    }
#else
    for (index start = 0; start < length; start += chunk) {
      index const count = length - start < chunk ? length - start : chunk;
      gather(Thread{0, 1}, count, [&](index q) { return from + start + q; }, x, chunk);
      for (index q = 0; q < count; ++q)
        for (int c = 0; c < K; ++c) sums.value[c] += product(sign * row[start + q], x[c * chunk + q]);
    }
    (void)me, (void)longest;
#endif
  }

  /// Publishes x of a slice of a wide block: rows of the inverse times t, minus rows of W times x of the block before.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Team const& team, Thread const& me, InverseTask<index> const& task,
                                            scalar* x) const {
    auto const block = to.blocks(task.block);
    index const longest = task.first + task.rows - block.first;
    int const shared = sharing(lanes);
    for (index r = me.rank / shared; r < InvertedTuning::product_rows; r += me.count / shared) {
      bool const mine = r < task.rows;
      index const p = mine ? task.first + r : task.first;
      ColumnSums<scalar, K> sums;
      add_products(team, me, to.dense.data() + to.inverse(p).at, mine ? p - block.first + 1 : 0, longest, task.from_t,
                   x, scalar(1), sums);
      add_products(team, me, to.product_row(block, p), mine ? block.near_rows : 0, block.near_rows, block.near_first, x,
                   scalar(-1), sums);
      add_lanes(sums, shared);
      if (mine && me.rank % shared == 0) publish_x(p, sums.value);
    }
  }

  /// Publishes x of a wide block by substitution, by the first warp of a team, whose lanes share a row.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void substitute(Team const& team, Thread const& me, index number, index first_t) const {
    if (team.team_rank() > 0) return;
    auto const block = to.blocks(number);
    int const shared = sharing(lanes);
    for (index p = block.first; p < block.first + block.rows; ++p) {
      index const inner = p - block.first, all = block.near_rows + inner;
      scalar const* const near = to.product_row(block, p);
      scalar const* const row = to.dense.data() + to.inverse(p).at;
      ColumnSums<scalar, K> sums;
      for (index j = me.rank; j < all; j += shared) {
        scalar const a = j < block.near_rows ? near[j] : row[j - block.near_rows];
        index const from = j < block.near_rows ? block.near_first + j : block.first + j - block.near_rows;
        scalar x[K];
        slots.await(static_cast<std::size_t>(from), x, p);
        for (int c = 0; c < K; ++c) sums.value[c] += product(a, x[c]);
      }
      add_lanes(sums, shared);
      if (me.rank == 0) {
        scalar t[K], x[K];
        slots.await(static_cast<std::size_t>(first_t + inner), t, p);
        for (int c = 0; c < K; ++c) x[c] = finish_row(to.diagonal, t[c] - sums.value[c], to.pivot(p));
        publish_x(p, x);
      }
      rejoin_lanes();
      sync_warp();
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(Team const& team, Thread const& me, InverseTask<index> const& task,
                                       scalar* x) const {
    auto* const t = x + columns * K;
    if (task.kind != TaskKind::product) {
      sum(team, me, task, x, t);
      if (task.kind == TaskKind::sums) publish_t(me, task, t);
      else finish_small(team, me, task, t);
    } else if (!to.substituted(task.block)) {
      multiply(team, me, task, x);
    } else if (task.first == to.blocks(task.block).first) {
      substitute(team, me, task.block, task.from_t);
    }
  }

  /// Takes tasks by ticket. On a GPU the first thread of a team fetches the next ticket and its task before it works
  /// on the present one; the first unfinished ticket is always being worked on.
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto memory = team.team_shmem();
    auto* const x = static_cast<scalar*>(memory.get_shmem(static_cast<int>(scratch_bytes)));
    Thread const me = thread_of(team);
    auto const count = static_cast<unsigned long long>(tasks.extent(0));
#if defined(SPTRSV_GPU_CODE)
    auto* const fetched = reinterpret_cast<Fetched*>(x + (columns + task_rows) * K);
    auto const fetch = [&](Fetched& to_scratch) {
      if (me.rank > 0) return;
      to_scratch.ticket = tickets.take_alone(which);
      if (to_scratch.ticket < count) to_scratch.task = tasks(to_scratch.ticket);
    };
    fetch(fetched[0]);
    team.team_barrier();
    for (int now = 0; fetched[now].ticket < count; now = 1 - now) {
      fetch(fetched[1 - now]);
      run(team, me, fetched[now].task, x);
      team.team_barrier();  // scratch memory is free again
    }
#else
    tickets.for_each(Kokkos::PerTeam(team), which, 1, static_cast<index>(count),
                     [&](index ticket, index) { run(team, me, tasks(ticket), x); });
#endif
  }
};

}  // namespace sptrsv::detail
