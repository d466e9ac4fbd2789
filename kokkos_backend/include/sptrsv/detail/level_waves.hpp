// SPDX-License-Identifier: Apache-2.0
// Level sets on a GPU: rows in level order, cut into slices of one level each, which a warp solves at once. Many
// levels share a kernel; there a row waits for the rows it needs, not for the level before.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sptrsv/detail/lanes.hpp"
#include "sptrsv/detail/level_order.hpp"
#include "sptrsv/detail/row_io.hpp"
#include "sptrsv/detail/solved_values.hpp"
#include "sptrsv/detail/tickets.hpp"

namespace sptrsv::detail {

/// One row by the lanes of a thread. Columns are positions in level order.
template <class T, int K>
struct LevelRow {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  using real = typename SolvedSlots<scalar, K>::real;
  using terms_type = Terms<scalar, K>;

  LevelOrder<T> order;
  RowIO<T> io;
  SolvedSlots<scalar, K> slots;
  Diagonal diagonal;
  int lanes;

  /// Subtracts from `sum` what one lane has of row p: every `lanes`th entry, a few in flight together. Rows of a warp
  /// are of one level, so no lane waits for another of its own warp.
  template <class Source>
  KOKKOS_FORCEINLINE_FUNCTION void sum_part(Source const& source, index p, int lane, scalar (&sum)[K]) const {
    offset const end = order.row_ptr(p + 1);
    for (offset k = order.row_ptr(p) + lane; k < end; k += terms_type::at_once * lanes) {
      terms_type terms;
      for (int u = 0; u < terms_type::at_once; ++u)
        if (k + u * lanes < end) {
          terms.at[u] = source.at(slots, order.col_idx(k + u * lanes));
          terms.value[u] = order.values(k + u * lanes);
        }
      terms.subtract_from(sum, [](real const* at, scalar (&x)[K]) { return Source::take(at, x); }, p);
    }
  }
  /// Row p, or nothing if there is none for this thread, whose warp needs it all the same.
  template <class Team, class Source>
  KOKKOS_FORCEINLINE_FUNCTION void solve(Team const& team, Source const& source, index p, bool there_is) const {
    index const i = there_is ? order.row(p) : index(0);
    scalar const pivot = there_is && diagonal != Diagonal::unit ? order.diagonal(p) : scalar(1);
    ColumnSums<scalar, K> sums;
    sum_over_lanes(team, lanes, sums, [&](int lane, ColumnSums<scalar, K>& part) {
      if (!there_is) return;
      if (lane == 0)
        for (int c = 0; c < K; ++c) part.value[c] = io.load(i, c);
      sum_part(source, p, lane, part.value);
    });
    on_first_lane(team, [&]() {
      if (!there_is) return;
      for (int c = 0; c < K; ++c)
        if (diagonal != Diagonal::unit) sums.value[c] = diagonal == Diagonal::inverted ? sums.value[c] * pivot : sums.value[c] / pivot;
      source.put(slots, p, sums.value);
      for (int c = 0; c < K; ++c) io.store(i, c, sums.value[c]);
    });
  }
};

/// Positions first..last, all of one level: the kernels before have solved all that they need.
template <class T, int K>
struct WideLevel {
  using scalar = typename T::scalar;
  using index = typename T::index;
  LevelRow<T, K> row;
  index first, last;
  int rows_per_team;

  struct Source {
    using slots_type = SolvedSlots<scalar, K>;
    KOKKOS_FORCEINLINE_FUNCTION auto at(slots_type const& slots, index p) const { return slots.at(p); }
    KOKKOS_FORCEINLINE_FUNCTION static bool take(typename slots_type::real const* at, scalar (&x)[K]) { return slots_type::read(at, x); }
    KOKKOS_FORCEINLINE_FUNCTION void put(SolvedSlots<scalar, K> const& slots, index p, scalar const* x) const { slots.put(p, x); }
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const p = first + static_cast<index>(team.league_rank()) * rows_per_team + team.team_rank();
    row.solve(team, Source{}, p, p < last);
  }
};

/// Slices of many levels, for teams of one warp that take them by ticket.
template <class T, int K>
struct LevelWave {
  using scalar = typename T::scalar;
  using index = typename T::index;
  LevelRow<T, K> row;
  Kokkos::View<const index*, typename T::device> slice_ptr;
  index first_slice;

  struct Source {
    using slots_type = SolvedSlots<scalar, K>;
    KOKKOS_FORCEINLINE_FUNCTION auto at(slots_type const& slots, index p) const { return slots.at(p); }
    KOKKOS_FORCEINLINE_FUNCTION static bool take(typename slots_type::real const* at, scalar (&x)[K]) { return slots_type::take(at, x); }
    KOKKOS_FORCEINLINE_FUNCTION void put(SolvedSlots<scalar, K> const& slots, index p, scalar const* x) const {
      slots.put(p, x);
      slots.clear_next(p);
    }
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, index slice, index) const {
    auto const p = slice_ptr(first_slice + slice) + team.team_rank();
    row.solve(team, Source{}, p, p < slice_ptr(first_slice + slice + 1));
  }
};

/// Slices of narrow levels, for the warps of one team in turn. Solutions pass through scratch memory, a ring of two
/// halves: positions of the piece at hand and of the one before; older ones are read where all are kept.
template <class T, int K>
struct LevelChain {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using real = typename SolvedSlots<scalar, K>::real;
  LevelRow<T, K> row;
  Kokkos::View<const index*, typename T::device> slice_ptr, piece_ptr;
  index first_piece, last_piece;
  int rows_per_slice, half;  ///< positions per half

  KOKKOS_FUNCTION static std::size_t scratch_bytes(int half) { return 2 * sizeof(real) * SolvedSlots<scalar, K>::width * static_cast<std::size_t>(half); }

  struct Source {
    SolvedSlots<scalar, K> here, before;  // of the scratch memory
    index first, first_before;            // their positions

    KOKKOS_FORCEINLINE_FUNCTION real const* at(SolvedSlots<scalar, K> const& slots, index p) const {
      return p >= first ? here.at(p - first) : p >= first_before ? before.at(p - first_before) : slots.at(p);
    }
    KOKKOS_FORCEINLINE_FUNCTION static bool take(real const* at, scalar (&x)[K]) { return SolvedSlots<scalar, K>::take(at, x); }
    KOKKOS_FORCEINLINE_FUNCTION void put(SolvedSlots<scalar, K> const& slots, index p, scalar const* x) const {
      here.put(p - first, x);
      slots.put(p, x);
      slots.clear_next(p);
    }
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto* const ring = static_cast<real*>(team.team_shmem().get_shmem(static_cast<int>(scratch_bytes(half))));
    int const width = SolvedSlots<scalar, K>::width, warp = team.team_rank() / rows_per_slice, in_warp = team.team_rank() % rows_per_slice;
    index const start = slice_ptr(piece_ptr(first_piece));
    Source source{{ring, nullptr}, {ring + half * width, nullptr}, start, start};
    for (index piece = first_piece; piece < last_piece; ++piece) {
      source = {source.before, source.here, slice_ptr(piece_ptr(piece)), source.first};
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, half * width), [&](int w) { source.here.now[w] = Marker<real>::value(); });
      team.team_barrier();
      for (auto s = piece_ptr(piece) + warp; s < piece_ptr(piece + 1); s += team.team_size() / rows_per_slice) {
        auto const p = slice_ptr(s) + in_warp;
        row.solve(team, source, p, p < slice_ptr(s + 1));
      }
      team.team_barrier();
    }
  }
};

/// Renumbers the columns of a LevelOrder from rows to positions.
template <class T>
void columns_to_positions(typename T::exec_space const& exec, LevelOrder<T> const& order) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const n = order.row.extent(0);
  Kokkos::View<index*, typename T::device> position(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("sptrsv::level_set::position")), n);
  auto const row = order.row;
  auto const col_idx = order.col_idx;
  Kokkos::parallel_for(
      "sptrsv::level_set::position", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, static_cast<index>(n)),
      KOKKOS_LAMBDA(index p) { position(row(p)) = p; });
  Kokkos::parallel_for(
      "sptrsv::level_set::columns",
      Kokkos::RangePolicy<typename T::exec_space, offset>(exec, 0, static_cast<offset>(col_idx.extent(0))),
      KOKKOS_LAMBDA(offset k) { col_idx(k) = position(col_idx(k)); });
}

/// What a GPU launches for levels of one kind that follow each other.
template <class Index>
struct LevelLaunch {
  enum Kind {
    wide,   ///< one level, all of it at once
    wave,   ///< many teams of a warp
    chain,  ///< one team
  };
  Kind kind;
  Index first, last;              ///< positions
  Index first_slice, last_slice;  ///< of a wave
  Index first_piece, last_piece;  ///< of a chain
  Index levels;
};

template <class Index>
struct LevelPlan {
  std::vector<LevelLaunch<Index>> launches;
  std::vector<Index> slice_ptr;  ///< positions; slice s is slice_ptr[s] .. slice_ptr[s+1], and a wide level lies between slices
  std::vector<Index> piece_ptr;  ///< slices; of a chain, as many as fit half of the scratch memory; likewise
};

template <class Index>
void cut_into_pieces(LevelPlan<Index>& plan, Index piece_rows) {
  for (auto& launch : plan.launches) {
    if (launch.kind != LevelLaunch<Index>::chain) continue;
    plan.piece_ptr.push_back(launch.first_slice);
    launch.first_piece = static_cast<Index>(plan.piece_ptr.size()) - 1;
    for (Index s = launch.first_slice, start = s; s < launch.last_slice; ++s)
      if (plan.slice_ptr[s + 1] - plan.slice_ptr[start] > piece_rows) plan.piece_ptr.push_back(start = s);
    launch.last_piece = static_cast<Index>(plan.piece_ptr.size());
    plan.piece_ptr.push_back(launch.last_slice);
  }
}

/// Which levels share a kernel: those of at most `shared_rows` rows, and of these the stretches of levels of at most
/// `narrow_slices` slices one team, if they are long enough to be worth a launch.
template <class Index>
LevelPlan<Index> plan_levels(std::vector<Index> const& level_ptr, Index shared_rows, Index rows_per_slice, Index narrow_slices) {
  using Launch = LevelLaunch<Index>;
  constexpr Index least_chain = 32;
  Index const levels = level_ptr.empty() ? 0 : static_cast<Index>(level_ptr.size()) - 1;
  auto const rows = [&](Index l) { return level_ptr[l + 1] - level_ptr[l]; };
  std::vector<typename Launch::Kind> kind(static_cast<std::size_t>(levels));
  for (Index l = 0; l < levels; ++l)
    kind[l] = rows(l) > shared_rows ? Launch::wide : rows(l) <= narrow_slices * rows_per_slice ? Launch::chain : Launch::wave;
  for (Index l = 0, end = 0; l < levels; l = end) {  // short chains beside a wave join it
    for (end = l + 1; end < levels && kind[end] == kind[l]; ++end) {}
    bool const beside = (l > 0 && kind[l - 1] == Launch::wave) || (end < levels && kind[end] == Launch::wave);
    if (kind[l] == Launch::chain && end - l < least_chain && beside) std::fill(kind.begin() + l, kind.begin() + end, Launch::wave);
  }
  LevelPlan<Index> plan;
  plan.slice_ptr.push_back(0);
  for (Index l = 0, end = 0; l < levels; l = end) {
    for (end = l + 1; end < levels && kind[l] != Launch::wide && kind[end] == kind[l]; ++end) {}
    if (plan.slice_ptr.back() != level_ptr[l]) plan.slice_ptr.push_back(level_ptr[l]);  // behind a wide level
    auto const first_slice = static_cast<Index>(plan.slice_ptr.size()) - 1;
    if (kind[l] != Launch::wide)
      for (Index at = l; at < end; ++at)
        for (Index p = level_ptr[at]; p < level_ptr[at + 1]; p += rows_per_slice)
          plan.slice_ptr.push_back(std::min(p + rows_per_slice, level_ptr[at + 1]));
    plan.launches.push_back({kind[l], level_ptr[l], level_ptr[end], first_slice, static_cast<Index>(plan.slice_ptr.size()) - 1, 0, 0, end - l});
  }
  return plan;
}

}  // namespace sptrsv::detail
