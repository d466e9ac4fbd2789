// SPDX-License-Identifier: Apache-2.0
// Kernels of `levelset` on a GPU. Rows in level order are cut into slices: a slice is part of one level, and a warp
// solves it in one step. A wide level has a kernel of its own. Other levels share kernels of many teams, or of one team
// if they are narrow. In a shared kernel a row polls for the x that it needs instead of waiting for the whole level
// before.
#pragma once

#include <algorithm>
#include <vector>

#include "sptrsv/algorithm/levelset/levelset_tuning.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/set_launches.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/triangle/ordered_rows.hpp"

namespace sptrsv::detail {

/// Solver of one row by a thread, whose lanes have one right-hand side each. T's columns are positions in level order.
/// @tparam Stored  type of the stored values, the scalar or its single precision
template <class T, class Stored>
struct LevelRow {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  using slots_type = SolvedSlots<scalar, 1>;
  static constexpr int batch = Terms<scalar, 1>::batch;

  OrderedRows<T> order;
  RowIO<T> io;
  slots_type slots;
  ColumnBlock columns;
  Diagonal diagonal;
  int lanes;  ///< per thread; columns.lanes() or a multiple of it

  /// Subtracts a lane's part of row p from `sum`: every `parts`th entry, `batch` of them in flight. Rows of a warp are
  /// of one level, so no lane waits for another lane of its warp.
  template <class Source>
  KOKKOS_FORCEINLINE_FUNCTION void sum_part(Source const& source, index p, int part, scalar (&sum)[1]) const {
    offset const end = order.row_ptr(p + 1);
    int const parts = lanes >> columns.bits;
    for (offset k = order.row_ptr(p) + part; k < end; k += batch * parts) {
      typename Source::terms_type terms;
      for (int u = 0; u < batch; ++u)
        if (k + u * parts < end) {
          terms.at[u] = source.find(order.col_idx(k + u * parts), terms.x[u]);
          terms.value[u] = order.values.template as<Stored>(k + u * parts);
        }
      if constexpr (Source::waits) {
        terms.await_and_subtract(sum, source, p);
      } else {
        terms.poll_all(source);
        terms.subtract(sum);
      }
    }
  }
  /// Access to b and x of a row in the caller's arrays.
  struct Direct {
    RowIO<T> const& io;
    index i;
    KOKKOS_FORCEINLINE_FUNCTION scalar load(int column) const { return io.load(i, column); }
    KOKKOS_FORCEINLINE_FUNCTION void store(int column, scalar const& x) const { io.store(i, column, x); }
  };
  template <class Team, class SourceOf>
  KOKKOS_FORCEINLINE_FUNCTION void solve(Team const& team, SourceOf const& source_of, index p, bool active) const {
    solve(team, source_of, Direct{io, active ? order.row(p) : index(0)}, p, active);
  }
  /// Solves row p.
  /// @param active  false: the thread has no row; it calls because the sums shuffle among all lanes of its warp
  /// @param source_of  returns the object that polls for and publishes x of a right-hand side
  /// @param vectors    b and x of the row
  template <class Team, class SourceOf, class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void solve(Team const& team, SourceOf const& source_of, Vectors const& vectors, index p,
                                         bool active) const {
    scalar const pivot = active && diagonal != Diagonal::unit ? order.diagonal(p) : scalar(1);
    auto const source = source_of(columns.column(lane_of(team)));
    auto const own = source.own(p);
    ColumnSums<scalar, 1> sum;
    sum_over_parts(team, lanes, columns, sum, [&](int lane, ColumnSums<scalar, 1>& mine) {
      int const column = columns.column(lane), part = columns.part(lane);
      if (!active || column >= columns.count) return;
      if (part == 0) mine.value[0] = vectors.load(column);
      sum_part(source, p, part, mine.value);
    });
    on_first_part(team, columns, [&](int column) {
      if (!active) return;
      scalar const x = finish_row(diagonal, sum.value[0], pivot);
      own.publish(x);
      vectors.store(column, x);
    });
  }
};

/// Access to x of one right-hand side in global memory.
/// @tparam Waits  true: readers poll. false: readers need only x of earlier launches; x is published if `read_later`
template <class T, bool Waits>
struct LevelSource {
  static constexpr bool waits = Waits;
  using scalar = typename T::scalar;
  using index = typename T::index;
  using slots_type = SolvedSlots<scalar, 1>;
  using real = typename slots_type::real;
  using terms_type = Terms<scalar, 1>;
  slots_type slots;
  bool read_later;  ///< whether a later launch reads x

  KOKKOS_FORCEINLINE_FUNCTION real const* find(index p, scalar (&)[1]) const { return slots.at(p); }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(real const* at, scalar (&x)[1]) const {
    waits ? slots_type::poll(at, x) : slots_type::load(at, x);
  }

  struct Own {
    slots_type slot;
    bool read_later;
    KOKKOS_FORCEINLINE_FUNCTION void publish(scalar const& x) const {
      if (waits || read_later) slot.publish(0, &x);
      if (waits) slot.reset_next(0);
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION Own own(index p) const { return {slots.from(p), read_later}; }
};

/// Kernel of one level, positions first..last. Earlier kernels have solved all x that its rows need.
template <class T, class Stored>
struct LevelKernel {
  using index = typename T::index;
  LevelRow<T, Stored> row;
  index first, last;
  int rows_per_team;
  bool read_later;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const p = first + static_cast<index>(team.league_rank()) * rows_per_team + team.team_rank();
    row.solve(
        team, [this](int column) { return LevelSource<T, false>{row.slots.column(column), read_later}; }, p, p < last);
  }
};

/// Kernel of one level with several right-hand sides. A team copies b of its rows to scratch memory, and x back, by
/// coalesced accesses. Between these copies the lanes of a warp work on all right-hand sides of a few rows.
template <class T, class Stored>
struct LevelKernelColumns {
  using index = typename T::index;
  using scalar = typename T::scalar;
  LevelRow<T, Stored> row;
  index first, last;
  int rows_per_team;  ///< a multiple of the team's threads
  bool read_later;

  /// Returns a distance between right-hand sides with which half a warp, 16 words of 8 bytes, accesses different banks.
  KOKKOS_FUNCTION static int stride(int rows, ColumnBlock const& columns) {
    return rows + (columns.bits < 4 ? 16 >> columns.bits : 1);
  }
  static std::size_t scratch_bytes(int rows, ColumnBlock const& columns) {
    return sizeof(scalar) * static_cast<std::size_t>(stride(rows, columns)) * static_cast<std::size_t>(columns.count);
  }

  /// Slot of a row in scratch memory: b, then x.
  struct Staged {
    scalar* at;
    int stride;
    KOKKOS_FORCEINLINE_FUNCTION scalar load(int column) const { return at[column * stride]; }
    KOKKOS_FORCEINLINE_FUNCTION void store(int column, scalar const& x) const { at[column * stride] = x; }
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    ColumnBlock const& columns = row.columns;
    int const across = stride(rows_per_team, columns);
    auto* const stage =
        static_cast<scalar*>(team.team_shmem().get_shmem(static_cast<int>(sizeof(scalar)) * across * columns.count));
    index const begin = first + static_cast<index>(team.league_rank()) * rows_per_team;
    int const rows = static_cast<int>(last - begin < rows_per_team ? last - begin : index(rows_per_team));
    auto const for_all = [&](auto const& f) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows_per_team * columns.count), [&](int k) {
        int const r = k % rows_per_team, column = k / rows_per_team;
        if (r < rows) f(row.order.row(begin + r), column, stage[column * across + r]);
      });
    };
    for_all([&](index i, int column, scalar& at) { at = row.io.load(i, column); });
    team.team_barrier();
    for (int r = team.team_rank(); r < rows_per_team; r += team.team_size())
      row.solve(
          team, [this](int column) { return LevelSource<T, false>{row.slots.column(column), read_later}; },
          Staged{stage + r, across}, begin + r, r < rows);
    team.team_barrier();
    for_all([&](index i, int column, scalar const& at) { row.io.store(i, column, at); });
  }
};

/// Kernel of several levels: teams of one warp take slices by ticket. With several right-hand sides a slice has
/// 2^step_bits tickets, each of fewer rows.
template <class T, class Stored>
struct SharedKernel {
  using index = typename T::index;
  LevelRow<T, Stored> row;
  Kokkos::View<const index*, typename T::device> slice_ptr;
  index first_slice;
  int step_bits;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index ticket, index) const {
    index const slice = first_slice + (ticket >> step_bits), step = ticket & ((index(1) << step_bits) - 1);
    auto const p = slice_ptr(slice) + step * static_cast<index>(team.team_size()) + team.team_rank();
    row.solve(
        team, [this](int column) { return LevelSource<T, true>{row.slots.column(column), true}; }, p,
        p < slice_ptr(slice + 1));
  }
};

/// Access to the ring buffer of OneTeamKernel.
struct RingMemory : GlobalMemory {
  template <class R, class Bits>
  KOKKOS_FORCEINLINE_FUNCTION static R load(Bits* at, int part) {
    return Kokkos::bit_cast<R>(load_from_scratch(at + part, Sentinel<R>::pattern()));
  }
  template <class R, class Bits>
  KOKKOS_FORCEINLINE_FUNCTION static void store(Bits* at, int part, R value) {
    store_to_scratch(at + part, Kokkos::bit_cast<Bits>(value));
  }
};

/// Kernel of one team: its warps take slices of narrow levels round robin. A piece is a range of slices. Scratch memory
/// is a ring buffer of two halves, with x of the current piece and of the piece before it. Rows poll for x there, and
/// read older x from global memory, where all x are published as well.
template <class T, class Stored>
struct OneTeamKernel {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using slots_type = SolvedSlots<scalar, 1>;
  using real = typename slots_type::real;
  using bits = typename Sentinel<real>::bits;
  static constexpr int parts = slots_type::width;
  LevelRow<T, Stored> row;
  Kokkos::View<const index*, typename T::device> slice_ptr, piece_ptr;
  index first_piece, last_piece;
  int rows_per_step, step_bits, half;  ///< 2^step_bits steps per slice, positions per half

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int half, int columns) {
    return 2 * sizeof(bits) * static_cast<std::size_t>(parts) * columns * static_cast<std::size_t>(half);
  }

  /// Access to x of one right-hand side in the ring buffer and, for older x, in global memory.
  struct Source {
    static constexpr bool waits = true;
    using terms_type = Terms<scalar, 1, int>;
    bits* ring;                 // scratch memory
    int here, before;           // starts of the ring's halves: of the current piece, of the piece before it
    index first, first_before;  // first positions of these two pieces
    int stride;
    slots_type slots;

    /// Returns the offset of x of position p in the ring. An older x is loaded from global memory without polling,
    /// since it was published before the last barrier.
    KOKKOS_FORCEINLINE_FUNCTION int find(index p, scalar (&x)[1]) const {
      if (p >= first) return here + static_cast<int>(p - first) * stride;
      if (p >= first_before) return before + static_cast<int>(p - first_before) * stride;
      slots_type::poll(slots.at(p), x);
      return terms_type::nowhere;
    }
    KOKKOS_FORCEINLINE_FUNCTION void operator()(int at, scalar (&x)[1]) const {
      Flagged<scalar, RingMemory>::poll(ring + at, x[0]);
    }

    struct Own {
      bits* ring;
      int at;
      slots_type slot;
      KOKKOS_FORCEINLINE_FUNCTION void publish(scalar const& x) const {
        Flagged<scalar, RingMemory>::publish(ring + at, x);
        slot.publish(0, &x);
        slot.reset_next(0);
      }
    };
    KOKKOS_FORCEINLINE_FUNCTION Own own(index p) const {
      return {ring, here + static_cast<int>(p - first) * stride, slots.from(p)};
    }
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    int const columns = row.columns.lanes(), stride = parts * columns, size = half * stride;
    auto* const ring = static_cast<bits*>(team.team_shmem().get_shmem(static_cast<int>(scratch_bytes(half, columns))));
    int const warp = team.team_rank() / rows_per_step, in_warp = team.team_rank() % rows_per_step;
    index const start = slice_ptr(piece_ptr(first_piece));
    int here = size, before = 0;
    index first = start, first_before = start;
    for (index piece = first_piece; piece < last_piece; ++piece) {
      here = before;
      before = size - here;
      first_before = first;
      first = slice_ptr(piece_ptr(piece));
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size),
                           [&](int w) { ring[here + w] = Sentinel<real>::pattern(); });
      team.team_barrier();
      auto const source_of = [&](int column) {
        return Source{ring,   here + parts * column,   before + parts * column, first, first_before,
                      stride, row.slots.column(column)};
      };
      index const first_slice = piece_ptr(piece);  // steps are counted from it, so that an int suffices
      int const steps = static_cast<int>(piece_ptr(piece + 1) - first_slice) << step_bits;
      for (int s = warp; s < steps; s += team.team_size() / rows_per_step) {
        index const slice = first_slice + (s >> step_bits), step = s & ((1 << step_bits) - 1);
        auto const p = slice_ptr(slice) + step * rows_per_step + in_warp;
        row.solve(team, source_of, p, p < slice_ptr(slice + 1));
      }
      team.team_barrier();
    }
  }
};

/// Launch for successive levels of one kind.
template <class Index>
struct LevelLaunch {
  enum Kind {
    one_level,    ///< a kernel per level: LevelKernel
    many_levels,  ///< several levels in one kernel of many teams: SharedKernel
    one_team,     ///< several narrow levels in one kernel of one team: OneTeamKernel
  };
  Kind kind;
  Index first, last;              ///< positions
  Index first_slice, last_slice;  ///< except for one_level
  Index first_piece, last_piece;  ///< one_team only
  Index levels;
};

template <class Index>
struct LevelPlan {
  std::vector<LevelLaunch<Index>> launches;
  std::vector<Index> slice_ptr;  ///< first positions of slices; a level with its own kernel is one slice
  std::vector<Index> piece_ptr;  ///< first slices of pieces; a piece fits half of the ring buffer
};

template <class Index>
void cut_into_pieces(LevelPlan<Index>& plan, Index piece_rows) {
  for (auto& launch : plan.launches) {
    if (launch.kind != LevelLaunch<Index>::one_team) continue;
    plan.piece_ptr.push_back(launch.first_slice);
    launch.first_piece = static_cast<Index>(plan.piece_ptr.size()) - 1;
    for (Index s = launch.first_slice, start = s; s < launch.last_slice; ++s)
      if (plan.slice_ptr[s + 1] - plan.slice_ptr[start] > piece_rows) plan.piece_ptr.push_back(start = s);
    launch.last_piece = static_cast<Index>(plan.piece_ptr.size());
    plan.piece_ptr.push_back(launch.last_slice);
  }
}

/// Decides which levels share a kernel: levels of at most `shared_rows` rows. Among them, successive levels of at most
/// `narrow_slices` slices get one team, if enough of them follow each other to be worth a launch.
template <class Index>
LevelPlan<Index> plan_levels(std::vector<Index> const& level_ptr, Index shared_rows, Index rows_per_slice,
                             Index narrow_slices) {
  using Launch = LevelLaunch<Index>;
  constexpr Index least_narrow = LevelSetTuning::least_narrow_levels;
  Index const levels = level_ptr.empty() ? 0 : static_cast<Index>(level_ptr.size()) - 1;
  auto const rows = [&](Index l) { return level_ptr[l + 1] - level_ptr[l]; };
  std::vector<typename Launch::Kind> kind(static_cast<std::size_t>(levels));
  for (Index l = 0; l < levels; ++l)
    kind[l] = rows(l) > shared_rows                       ? Launch::one_level
              : rows(l) <= narrow_slices * rows_per_slice ? Launch::one_team
                                                          : Launch::many_levels;
  auto const kind_of = [&](Index l) { return kind[l]; };
  // a few narrow levels next to a kernel of many levels join it
  for_each_launch(levels, Launch::one_level, kind_of, [&](Index l, Index end) {
    bool const joins =
        (l > 0 && kind[l - 1] == Launch::many_levels) || (end < levels && kind[end] == Launch::many_levels);
    if (kind[l] == Launch::one_team && end - l < least_narrow && joins)
      std::fill(kind.begin() + l, kind.begin() + end, Launch::many_levels);
  });
  LevelPlan<Index> plan;
  plan.slice_ptr.push_back(0);
  for_each_launch(levels, Launch::one_level, kind_of, [&](Index l, Index end) {
    if (plan.slice_ptr.back() != level_ptr[l])
      plan.slice_ptr.push_back(level_ptr[l]);  // the end of a level with its own kernel
    auto const first_slice = static_cast<Index>(plan.slice_ptr.size()) - 1;
    if (kind[l] != Launch::one_level)
      for (Index at = l; at < end; ++at)
        for (Index p = level_ptr[at]; p < level_ptr[at + 1]; p += rows_per_slice)
          plan.slice_ptr.push_back(std::min(p + rows_per_slice, level_ptr[at + 1]));
    plan.launches.push_back({kind[l], level_ptr[l], level_ptr[end], first_slice,
                             static_cast<Index>(plan.slice_ptr.size()) - 1, 0, 0, end - l});
  });
  return plan;
}

}  // namespace sptrsv::detail
