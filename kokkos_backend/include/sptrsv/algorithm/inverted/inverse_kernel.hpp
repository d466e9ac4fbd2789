// SPDX-License-Identifier: Apache-2.0
// The solve by inverted blocks: teams take tasks by ticket.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "sptrsv/algorithm/inverted/inverse_tasks.hpp"
#include "sptrsv/algorithm/inverted/inversion_steps.hpp"
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
  static constexpr int lanes = tile_lanes, columns = InvertedTuning::columns, task_rows = InvertedTuning::small_task;
  /// Entries of a dense row that a lane holds while it waits, and columns that a warp holds.
  static constexpr int held = std::min<int>(16, InvertedTuning::held_bytes / sizeof(scalar)), chunk = held * lanes;
  /// Task as the words that lanes copy, and its ticket.
  static constexpr int words = sizeof(InverseTask<index>) / sizeof(index);
  static_assert(sizeof(InverseTask<index>) == words * sizeof(index) && words <= cuda_warp_lanes);
  struct Fetched {
    unsigned long long ticket;
    InverseTask<index> task;
  };
  /// Bytes of a team's scratch memory: x of a segment and sums of its other parts, t of the rows by column, two tasks.
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
        at[u] = q < count ? slots.at(static_cast<std::size_t>(slot_of(q))) : nullptr;
      }
      for (int u = 0; u < batch; ++u)
        if (at[u]) slots_type::poll(at[u], x[u]);
      for (int u = 0; u < batch; ++u) {
        if (!at[u]) break;
        for (Backoff wait; !slots_type::all_solved(x[u]); slots_type::poll(at[u], x[u])) wait(first);
        for (int c = 0; c < K; ++c) to_scratch[c * stride + first + u * me.count] = x[u][c];
      }
    }
  }

  /// Entries of a row that a thread holds: every `step`-th one of its segment.
  struct Held {
    static constexpr int batch = 8;
    scalar a[batch];
    int q[batch];
    offset at, end;
    int step;

    KOKKOS_FORCEINLINE_FUNCTION void load(OuterEntries<T> const& outer) {
      for (int u = 0; u < batch; ++u) {
        offset const k = at + u * step;
        q[u] = k < end ? outer.column(k) : 0;
        a[u] = k < end ? outer.values(k) : scalar(0);
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION void add(scalar const* x, ColumnSums<scalar, K>& sums) const {
      for (int u = 0; u < batch; ++u)
        if (at + u * step < end)
          for (int c = 0; c < K; ++c) sums.value[c] += a[u] * x[c * columns + q[u]];
    }
  };
  /// Returns the first entries of row r of a segment for one of `step` threads.
  KOKKOS_FORCEINLINE_FUNCTION Held first_entries(Segment<index> const& segment, bool mine, index r, int part,
                                                 int step) const {
    Held held;
    held.at = mine ? outer.row_ptr(segment.rows_at + r) + part : 0;
    held.end = mine ? outer.row_ptr(segment.rows_at + r + 1) : 0;
    held.step = step;
    held.load(outer);
    return held;
  }
  /// Diagonal entry of a row, loaded before a wait.
  struct Divisor {
    scalar pivot;
    bool used;  ///< the row is not solved by substitution
  };
  KOKKOS_FORCEINLINE_FUNCTION Divisor divisor(index p) const { return {to.pivot(p), to.by_substitution(p) == 0}; }
  KOKKOS_FORCEINLINE_FUNCTION scalar divided(scalar const& t, Divisor const& by) const {
    return by.used ? finish_row(to.diagonal, t, by.pivot) : t;
  }
  /// Loads the memory from `begin` to `end` to the L2 cache.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static void prefetch([[maybe_unused]] Thread const& me, [[maybe_unused]] V const* begin,
                                                   [[maybe_unused]] V const* end) {
#if defined(SPTRSV_GPU_CODE)
    constexpr int line = 128;
    auto const* const behind = reinterpret_cast<char const*>(end);
    for (auto const* at = reinterpret_cast<char const*>(begin) + line * me.rank; at < behind; at += line * me.count)
      gpu::prefetch(at);
#endif
  }
  /// Loads the entries of a task's segments and its small inverses to the L2 cache.
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_values(Thread const& me, InverseTask<index> const& task) const {
    if (task.segment < task.behind_last_segment) {
      index const segments = task.behind_last_segment - task.segment;
      offset const begin = outer.row_ptr(task.rows_at), end = outer.row_ptr(task.rows_at + segments * task.rows);
      prefetch(me, outer.values.data() + begin, outer.values.data() + end);
      prefetch(me, outer.column.data() + begin, outer.column.data() + end);
    }
    if (task.what() == TaskKind::small_blocks)
      prefetch(me, to.dense.data() + to.inverse(task.first).at, to.diagonal_at(task.first + task.rows - 1) + 1);
  }

  /// Computes t in scratch memory, for the last part of a slice: (b - (all entries) x) / diagonal; for other parts
  /// -(entries of the part) x.
  /// @param loads_next  called once, after the first wait
  template <class Team, class LoadsNext>
  KOKKOS_FORCEINLINE_FUNCTION void sum(Team const& team, Thread const& me, InverseTask<index> const& task, scalar* x,
                                       scalar* t, LoadsNext const& loads_next) const {
    bool const last = task.last != 0, only_b = task.segment == task.behind_last_segment;
    for (index first = 0; first < task.rows; first += me.count) {
      index const r = first + me.rank;
      bool const mine = r < task.rows;
      scalar value[K];
      if (mine) {
        index const i = last ? to.row(task.first + r) : 0;
        for (int c = 0; c < K; ++c) value[c] = last ? io.load(i, c) : scalar(0);
      }
      if (first == 0) prefetch_values(me, task);
      if (mine && only_b) {
        Divisor const by = divisor(task.first + r);
        for (int c = 0; c < K; ++c) value[c] = divided(value[c], by);
      }
      if (mine)
        for (int c = 0; c < K; ++c) t[c * task_rows + r] = value[c];
    }
    index others = last ? task.parts : 0, from = task.from_t;
    index const at_most = InvertedTuning::sums_of_parts / task.rows;
    for (; others > at_most; others -= at_most) {
      gather(me, at_most * task.rows, [&](index q) { return from + q; }, x, columns);
      team.team_barrier();
      for (index r = me.rank; r < task.rows; r += me.count)
        for (int c = 0; c < K; ++c)
          for (index k = 0; k < at_most; ++k) t[c * task_rows + r] += x[c * columns + k * task.rows + r];
      team.team_barrier();
      from += at_most * task.rows;
    }
    int const shared = sharing(static_cast<int>(task.sum_lanes)), part = me.rank % shared;
    index const at_once = me.count / shared, padded = (task.rows + at_once - 1) / at_once * at_once;
    for (index g = task.segment; g < task.behind_last_segment; ++g) {
      Segment<index> segment{task.list, task.columns, 0, task.rows_at, 0, 0};
      if (g > task.segment) segment = outer.segments(g);
      bool const ends = last && g + 1 == task.behind_last_segment;
      index r = me.rank / shared;
      Held entries = first_entries(segment, r < task.rows, r, part, shared);
      Divisor by{scalar(1), false};
      if (ends && r < task.rows) by = divisor(task.first + r);
      gather(me, segment.columns, [&](index q) { return outer.columns(segment.first + q); }, x, columns);
      index const sums_at = segment.columns, parts = ends ? others : 0;
      gather(me, parts * task.rows, [&](index q) { return from + q; }, x + sums_at, columns);
      team.team_barrier();
      if (g == task.segment) loads_next();
      while (r < padded) {
        bool const mine = r < task.rows;
        ColumnSums<scalar, K> sums;
        for (;;) {
          entries.add(x, sums);
          entries.at += Held::batch * shared;
          if (entries.at >= entries.end) break;
          entries.load(outer);
        }
        if (mine)
          for (index k = part; k < parts; k += shared)
            for (int c = 0; c < K; ++c) sums.value[c] -= x[c * columns + sums_at + k * task.rows + r];
        add_lanes(sums, shared);
        if (mine && part == 0)
          for (int c = 0; c < K; ++c) t[c * task_rows + r] = divided(t[c * task_rows + r] - sums.value[c], by);
        r += at_once;
        if (r >= padded) break;
        entries = first_entries(segment, r < task.rows, r, part, shared);
        if (ends && r < task.rows) by = divisor(task.first + r);
      }
      team.team_barrier();
    }
    if (only_b) team.team_barrier();
  }
  /// Publishes and stores x of row i at position p.
  KOKKOS_FORCEINLINE_FUNCTION void publish_x(index p, index i, scalar const (&x)[K]) const {
    slots.publish(static_cast<std::size_t>(p), x);
    for (int c = 0; c < K; ++c) io.store(i, c, x[c]);
    slots.reset_next(static_cast<std::size_t>(p));
  }

  /// Publishes the sums of a slice's rows: of a part for the last part, or t for the products.
  KOKKOS_FORCEINLINE_FUNCTION void publish_t(Thread const& me, InverseTask<index> const& task, scalar const* t) const {
    for (index r = me.rank; r < task.rows; r += me.count) {
      scalar value[K];
      for (int c = 0; c < K; ++c) value[c] = t[c * task_rows + r];
      auto const slot = static_cast<std::size_t>(task.to_t + r);
      slots.publish(slot, value);
      slots.reset_next(slot);
    }
  }

  /// Publishes x of small blocks: products with their inverses, or substitution by one thread a block.
  KOKKOS_FORCEINLINE_FUNCTION void finish_small(Thread const& me, InverseTask<index> const& task, scalar* t) const {
    constexpr int batch = K == 1 && !is_host_space<typename T::exec_space> ? 4 : 1;
    int const shared = sharing(static_cast<int>(task.product_lanes)), part = me.rank % shared;
    index const at_once = me.count / shared, padded = (task.rows + at_once - 1) / at_once * at_once;
    for (index first = me.rank / shared; first < padded; first += batch * at_once) {
      InverseRow row[batch];
      index i[batch] = {};
      ColumnSums<scalar, K> sums[batch];
      int longest = 0;
      for (int u = 0; u < batch; ++u) {
        index const r = first + u * at_once;
        if (r < task.rows) i[u] = to.row(task.first + r);
        if (r < task.rows && !to.by_substitution(task.first + r)) row[u] = to.inverse(task.first + r);
        longest = row[u].length > longest ? row[u].length : longest;
      }
      for (int j = part; j < longest; j += shared) {
        scalar a[batch];
        for (int u = 0; u < batch; ++u)
          a[u] = j < row[u].length ? to.dense(row[u].at + static_cast<std::size_t>(j)) : scalar(0);
        for (int u = 0; u < batch; ++u)
          if (j < row[u].length)
            for (int c = 0; c < K; ++c)
              sums[u].value[c] += product(a[u], t[c * task_rows + first + u * at_once + 1 - row[u].length + j]);
      }
      for (int u = 0; u < batch; ++u) {
        add_lanes(sums[u], shared);
        if (row[u].length > 0 && part == 0) publish_x(task.first + first + u * at_once, i[u], sums[u].value);
      }
    }
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
          publish_x(p, to.row(p), x);
        }
      }
  }

  /// Dense row, of an inverse or of W.
  struct DenseRow {
    scalar const* at;
    index length;
  };
  /// Columns of a dense row that a lane holds.
  struct HeldRow {
    scalar a[held];
    /// Loads columns from `start` on.
    KOKKOS_FORCEINLINE_FUNCTION void load([[maybe_unused]] DenseRow const& row, [[maybe_unused]] index start) {
#if defined(SPTRSV_GPU_CODE)
      for (int u = 0; u < held; ++u) {
        index const j = start + gpu::lane() + u * lanes;
        a[u] = j < row.length ? row.at[j] : scalar(0);
      }
#endif
    }
  };
  /// Adds `sign` times dense rows, one for each warp, times slots from `from` on.
  /// @param held_row  the first columns of the row, loaded before
  /// @param longest   of the rows of the team
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_products([[maybe_unused]] Team const& team, Thread const& me,
                                                DenseRow const& row, [[maybe_unused]] HeldRow& held_row, index longest,
                                                index from, scalar* x, scalar sign, ColumnSums<scalar, K>& sums) const {
#if defined(SPTRSV_GPU_CODE)
    int const lane = gpu::lane();
    for (index start = 0; start < longest; start += chunk) {
      if (start > 0) held_row.load(row, start);
      index const count = longest - start < chunk ? longest - start : chunk;
      team.team_barrier();
      gather(me, count, [&](index q) { return from + start + q; }, x, chunk);
      team.team_barrier();
      for (int u = 0; u < held; ++u)
        if (start + lane + u * lanes < row.length)
          for (int c = 0; c < K; ++c) sums.value[c] += product(sign * held_row.a[u], x[c * chunk + lane + u * lanes]);
    }
#else
    for (index start = 0; start < row.length; start += chunk) {
      index const count = row.length - start < chunk ? row.length - start : chunk;
      gather(Thread{0, 1}, count, [&](index q) { return from + start + q; }, x, chunk);
      for (index q = 0; q < count; ++q)
        for (int c = 0; c < K; ++c) sums.value[c] += product(sign * row.at[start + q], x[c * chunk + q]);
    }
    (void)me, (void)longest;
#endif
  }

  /// Publishes x of a slice of a wide block: rows of the inverse times t, minus rows of W times x of the block before.
  template <class Team, class LoadsNext>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Team const& team, Thread const& me, InverseTask<index> const& task,
                                            scalar* x, LoadsNext const& loads_next) const {
    index const longest = task.first + task.rows - task.block_first;
    int const shared = sharing(lanes);
    for (index r = me.rank / shared; r < InvertedTuning::product_rows; r += me.count / shared) {
      bool const mine = r < task.rows;
      index const p = mine ? task.first + r : task.first;
      index const i = to.row(p);
      DenseRow const inverse{to.dense.data() + to.inverse(p).at, mine ? p - task.block_first + 1 : 0},
          near{to.near_row(p), mine ? task.near_rows : 0};
      HeldRow of_inverse, of_near;
      constexpr bool holds_both = K <= 4;  // for lack of registers
      of_inverse.load(inverse, 0);
      if constexpr (holds_both) of_near.load(near, 0);
      ColumnSums<scalar, K> sums;
      add_products(team, me, inverse, of_inverse, longest, task.from_t, x, scalar(1), sums);
      loads_next();
      if constexpr (!holds_both) of_near.load(near, 0);
      add_products(team, me, near, of_near, task.near_rows, task.near_first, x, scalar(-1), sums);
      add_lanes(sums, shared);
      if (mine && me.rank % shared == 0) publish_x(p, i, sums.value);
    }
  }

  /// Publishes x of a wide block by substitution, by the first thread of a team, whose lanes share a row. The other
  /// threads go along, since one may be in the same warp.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void substitute(Team const& team, Thread const& me, index number, index first_t) const {
    bool const works = team.team_rank() == 0;
    auto const block = to.blocks(number);
    int const shared = sharing(lanes);
    for (index p = block.first; p < block.first + block.rows; ++p) {
      index const inner = p - block.first, all = block.near_rows + inner;
      scalar const* const near = to.near_row(p);
      scalar const* const row = to.dense.data() + to.inverse(p).at;
      ColumnSums<scalar, K> sums;
      for (index j = me.rank; works && j < all; j += shared) {
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
        publish_x(p, to.row(p), x);
      }
      rejoin_lanes();
      sync_warp();
    }
  }

  template <class Team, class LoadsNext>
  KOKKOS_FORCEINLINE_FUNCTION void run(Team const& team, Thread const& me, InverseTask<index> const& task, scalar* x,
                                       LoadsNext const& loads_next) const {
    auto* const t = x + columns * K;
    if (task.what() != TaskKind::product) {
      sum(team, me, task, x, t, loads_next);
      if (task.what() == TaskKind::sums) publish_t(me, task, t);
      else finish_small(me, task, t);
    } else if (!to.by_substitution(task.first)) {
      multiply(team, me, task, x, loads_next);
    } else if (task.first == task.block_first) {
      substitute(team, me, task.block, task.from_t);
    }
  }

  /// Takes tasks by ticket. On a GPU the first warp of a team requests the next ticket before it works on the present
  /// task, and loads its task after the first wait; the first unfinished ticket is always being worked on.
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto memory = team.team_shmem();
    auto* const x = static_cast<scalar*>(memory.get_shmem(static_cast<int>(scratch_bytes)));
    Thread const me = thread_of(team);
    auto const count = static_cast<unsigned long long>(tasks.extent(0));
#if defined(SPTRSV_GPU_CODE)
    auto* const fetched = reinterpret_cast<Fetched*>(x + (columns + task_rows) * K);
    bool const fetches = me.rank < words;
    unsigned long long ticket = 0;
    index word = 0;
    bool is_loaded = false;
    auto const load = [&]() {
      is_loaded = true;
      ticket = tickets.received(ticket, which);  // 0 in other warps
      if (fetches && ticket < count) word = reinterpret_cast<index const*>(tasks.data() + ticket)[me.rank];
    };
    auto const request = [&]() {
      is_loaded = false;
      ticket = tickets.request(team, which, 1);
    };
    auto const store = [&](Fetched& to_scratch) {
      if (!is_loaded) load();
      if (me.rank == 0) to_scratch.ticket = ticket;
      if (fetches) reinterpret_cast<index*>(&to_scratch.task)[me.rank] = word;
    };
    request();
    store(fetched[0]);
    team.team_barrier();
    for (int now = 0; fetched[now].ticket < count; now = 1 - now) {
      request();
      run(team, me, fetched[now].task, x, load);
      store(fetched[1 - now]);
      team.team_barrier();  // scratch memory is free again
    }
#else
    tickets.for_each(Kokkos::PerTeam(team), which, 1, static_cast<index>(count),
                     [&](index ticket, index) { run(team, me, tasks(ticket), x, [] {}); });
#endif
  }
};

}  // namespace sptrsv::detail
