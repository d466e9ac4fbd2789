// SPDX-License-Identifier: Apache-2.0
// Chains, triangles in which each row needs at most one row and is needed by at most one: the order along them, and the
// kernels of `chain`. Each row is an affine map of the unknown before it; composing maps is associative.
#pragma once

#include <Kokkos_Core.hpp>
#include <utility>

#include "sptrsv/algorithm/chain/chain_tuning.hpp"
#include "sptrsv/device/publish.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/scan.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

/// Rows chain after chain, each chain in dependency order. Device-copyable.
template <class T>
struct ChainOrder {
  using index = typename T::index;

  bool found = false;  ///< whether op(T) consists of chains only
  bool ascending = true;
  index num_rows = 0, num_chains = 0;
  Kokkos::View<index*, typename T::device> rows;  ///< by position; empty: solve order

  KOKKOS_FORCEINLINE_FUNCTION index row(index p) const {
    if (rows.data()) return rows(p);
    return ascending ? p : num_rows - 1 - p;
  }
};

/// Returns the row that row i needs, or i if there is none.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION typename T::index needed_row(OffDiagonals<T> const& rows, typename T::index i) {
  return rows.count(i) > 0 ? rows.col_idx(rows.begin(i)) : i;
}

/// Tells whether some row is needed by several others. Fences.
template <class T>
bool has_branches(typename T::exec_space const& exec, Workspace<T>& work, OffDiagonals<T> const& rows) {
  using index = typename T::index;
  typename Workspace<T>::Scope const scope(work);
  auto const needed = work.template take<int>(static_cast<std::size_t>(rows.num_rows));
  Kokkos::deep_copy(exec, needed, 0);
  Kokkos::parallel_for(
      "sptrsv::chains::needed", row_range<T>(exec, rows.num_rows), KOKKOS_LAMBDA(index i) {
        if (index const j = needed_row(rows, i); j != i) Kokkos::atomic_inc(&needed(j));
      });
  auto const most = max_over_rows<T>(
      "sptrsv::chains::branches", exec, rows.num_rows, 0, KOKKOS_LAMBDA(index i) { return needed(i); });
  return most > 1;
}

/// Computes the order along chains, for any numbering of the rows, by pointer jumping: each row points to an earlier
/// row of its chain at a known distance. In each round it adds the distance of the row that it points to, and copies
/// the pointer of that row.
template <class T>
void order_along_chains(typename T::exec_space const& exec, Workspace<T>& work, OffDiagonals<T> const& rows,
                        ChainOrder<T>& order) {
  using index = typename T::index;
  index const n = rows.num_rows;
  typename Workspace<T>::Scope const scope(work);
  auto const take = [&](std::size_t count) { return work.template take<index>(count); };
  auto const size = static_cast<std::size_t>(n);
  auto first = take(size), before = take(size), next_first = take(size), next_before = take(size);
  auto const needed_by = take(size), length = take(size), begin = take(size + 1);
  Kokkos::parallel_for(
      "sptrsv::chains::begin", row_range<T>(exec, n), KOKKOS_LAMBDA(index i) {
        first(i) = needed_row(rows, i);
        before(i) = first(i) != i;
        needed_by(i) = length(i) = 0;
      });
  Kokkos::parallel_for(
      "sptrsv::chains::needed_by", row_range<T>(exec, n), KOKKOS_LAMBDA(index i) {
        if (first(i) != i) needed_by(first(i)) = 1;
      });
  for (index unfinished = 1; unfinished > 0;) {
    Kokkos::parallel_reduce(
        "sptrsv::chains::jump", row_range<T>(exec, n),
        KOKKOS_LAMBDA(index i, index & sum) {
          index const to = first(i), beyond = first(to);
          next_first(i) = beyond;
          next_before(i) = before(i) + (to == i ? index(0) : before(to));
          sum += beyond != to;
        },
        unfinished);
    std::swap(first, next_first);
    std::swap(before, next_before);
  }
  Kokkos::parallel_for(
      "sptrsv::chains::lengths", row_range<T>(exec, n), KOKKOS_LAMBDA(index i) {
        if (needed_by(i) == 0) length(first(i)) = before(i) + 1;  // the last row of its chain
      });
  scan_before<T, index>(
      "sptrsv::chains::positions", exec, work, n, begin, KOKKOS_LAMBDA(index i) { return length(i); });
  order.rows = raw_view<index, T>(exec, "sptrsv::chains::rows", size);
  auto const by_position = order.rows;
  Kokkos::parallel_for(
      "sptrsv::chains::order", row_range<T>(exec, n),
      KOKKOS_LAMBDA(index i) { by_position(begin(first(i)) + before(i)) = i; });
  exec.fence("sptrsv::chains: the workspace is given back");
}

/// Looks for chains; computes the order along them only if it differs from the solve order. Cost: one pass over the
/// pattern if rows have at most one entry, otherwise none; fences.
template <class T>
ChainOrder<T> find_chains(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  using index = typename T::index;
  ChainOrder<T> order;
  order.ascending = analysis.shape().ascending();
  order.num_rows = analysis.num_rows();
  order.num_chains = static_cast<index>(analysis.num_rows() - analysis.num_off_diagonals());
  if (analysis.longest_stored_row() > 1) return order;  // no chain: op(T) has a row or column of several entries
  auto const rows = analysis.rows(exec);
  index const step = order.ascending ? 1 : -1;
  auto const apart = first_row_with<T>(
      "sptrsv::chains::apart", exec, order.num_rows, KOKKOS_LAMBDA(index i) {
        for (auto k = rows.begin(i); k < rows.end(i); ++k)
          if (rows.col_idx(k) != i - step) return true;
        return false;
      });
  if (apart < order.num_rows) {
    if (analysis.longest_row(exec) > 1 || has_branches<T>(exec, analysis.workspace(), rows)) return order;
    order_along_chains<T>(exec, analysis.workspace(), rows, order);
  }
  order.found = true;
  return order;
}

/// Returns the result of find_chains(), which the planner and `chain` share until Analysis::drop_kept().
template <class T>
ChainOrder<T> const& chains_of(typename T::exec_space const& exec, Analysis<T> const& analysis) {
  return analysis.template keep<ChainOrder<T>>("chains", [&] { return find_chains<T>(exec, analysis); });
}

/// Map x -> factor x + term; at the start of a chain just `term`.
template <class S>
struct AffineMap {
  S factor = S(1), term = S(0);
  bool begins = false;

  /// Returns the composition: this map after `earlier`.
  KOKKOS_FORCEINLINE_FUNCTION AffineMap after(AffineMap const& earlier) const {
    if (begins) return *this;
    return {factor * earlier.factor, term + factor * earlier.term, earlier.begins};
  }
};

/// Arrays that all kernels of a solve by scans read. Device-copyable.
template <class T>
struct ChainSystem {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using real = typename Parts<scalar>::real;

  ChainOrder<T> order;
  OffDiagonals<T> rows;
  TriangleValues<T> numbers;
  RowIO<T> io;
  scalar* y;                    ///< by position, column after column: the solution so far
  AffineMap<scalar>* of_chunk;  ///< composed map of each chunk, column by column
  scalar* before_chunk;         ///< by chunk, column after column: the unknown before the chunk's first position, then
                                ///< its correction
  scalar* last_of_chunk;        ///< by chunk, column after column: y of the last position, before it is corrected
  int* repeated;                ///< by column: 1 if scans are not accurate enough
  index chunks;

  /// Coefficients of a row: x_i = finish(b_i - entry x), where x is the unknown of the row before.
  struct Row {
    index i;
    bool begins;
    scalar entry, pivot;
  };
  KOKKOS_FORCEINLINE_FUNCTION Row row(index p) const {
    Row out;
    out.i = order.row(p);
    auto const at = rows.begin(out.i);
    out.begins = rows.count(out.i) == 0;
    out.entry = out.begins ? scalar(0) : numbers.entry(at);
    out.pivot = numbers.pivot(out.i);
    return out;
  }
  /// Returns x of a row from x of the row before, as in substitution.
  KOKKOS_FORCEINLINE_FUNCTION scalar solved(Row const& r, int column, scalar const& earlier) const {
    scalar const b = io.load(r.i, column);
    return numbers.finish(r.begins ? b : b - r.entry * earlier, r.pivot);
  }
  KOKKOS_FORCEINLINE_FUNCTION scalar factor(Row const& r) const {
    return r.begins ? scalar(0) : numbers.finish(-r.entry, r.pivot);
  }
  KOKKOS_FORCEINLINE_FUNCTION scalar& y_at(index p, int column) const {
    return y[static_cast<std::size_t>(column) * static_cast<std::size_t>(order.num_rows) + static_cast<std::size_t>(p)];
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t at(index chunk, int column) const {
    return static_cast<std::size_t>(column) * static_cast<std::size_t>(chunks) + static_cast<std::size_t>(chunk);
  }
};

/// Composes the maps of a team's threads.
/// @param maps  one map per thread, in scratch memory; on return maps[t] is the composition of threads 0 to t
/// @return the composition of the threads before the calling thread
template <class Team, class S>
KOKKOS_FUNCTION AffineMap<S> compose_over_threads(Team const& team, AffineMap<S> mine, AffineMap<S>* maps) {
  int const t = team.team_rank(), threads = team.team_size();
  maps[t] = mine;
  team.team_barrier();
  for (int distance = 1; distance < threads; distance *= 2) {
    if (t >= distance) mine = mine.after(maps[t - distance]);
    team.team_barrier();
    maps[t] = mine;
    team.team_barrier();
  }
  return t > 0 ? maps[t - 1] : AffineMap<S>{};
}

/// Passes over the chunks. A correction is the same scan with the residual of y instead of b.
enum class ChainPass { compose, solve, compose_correction, correct };

/// Kernel with a team per chunk and column.
template <class T, ChainPass Pass>
struct ChainKernel {
  using scalar = typename T::scalar;
  using index = typename T::index;
  static constexpr bool corrects = Pass == ChainPass::compose_correction || Pass == ChainPass::correct;
  static constexpr bool composes = Pass == ChainPass::compose || Pass == ChainPass::compose_correction;

  ChainSystem<T> system;

  /// Returns the term of a row's map: b, or the residual of y, divided by the pivot.
  KOKKOS_FORCEINLINE_FUNCTION scalar term(typename ChainSystem<T>::Row const& r, index p, int column,
                                          scalar const& y_before) const {
    if constexpr (corrects) return system.solved(r, column, y_before) - system.y_at(p, column);
    else return system.numbers.finish(system.io.load(r.i, column), r.pivot);
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const chunk = static_cast<index>(static_cast<index>(team.league_rank()) % system.chunks);
    auto const column = static_cast<int>(static_cast<index>(team.league_rank()) / system.chunks);
    int const each = ChainTuning::chunk / team.team_size();
    index const chunk_first = position(chunk, 0), chunk_last = position(chunk, ChainTuning::chunk);
    index const first = position(chunk, team.team_rank() * each), last = position(chunk, (team.team_rank() + 1) * each);
    auto* const maps = static_cast<AffineMap<scalar>*>(team.team_shmem().get_shmem_aligned(
        sizeof(AffineMap<scalar>) * static_cast<std::size_t>(team.team_size()), 16));
    auto const own = system.at(chunk, column);

    scalar y_before = scalar(0);  // of the position before `p`
    if constexpr (corrects)
      if (first < last && first > 0)
        y_before = first == chunk_first ? system.last_of_chunk[own - 1] : system.y_at(first - 1, column);
    AffineMap<scalar> mine;
    scalar y = y_before;
    for (index p = first; p < last; ++p) {
      auto const r = system.row(p);
      mine = AffineMap<scalar>{system.factor(r), term(r, p, column, y), r.begins}.after(mine);
      if constexpr (corrects) y = system.y_at(p, column);
    }
    auto const before = compose_over_threads(team, mine, maps);
    if constexpr (composes) {
      if (team.team_rank() == team.team_size() - 1) system.of_chunk[own] = maps[team.team_size() - 1];
    } else {
      scalar x = before.after({scalar(0), system.before_chunk[own], true}).term;
      y = y_before;
      for (index p = first; p < last; ++p) {
        auto const r = system.row(p);
        scalar& at = system.y_at(p, column);
        if constexpr (corrects) {
          scalar const t = term(r, p, column, y), old = at;
          x = r.begins ? t : t + system.factor(r) * x;
          at = old + x;
          y = old;
        } else {
          at = x = system.solved(r, column, x);
          if (p + 1 == chunk_last) system.last_of_chunk[own] = x;
        }
      }
    }
  }
  /// Returns a position of a chunk, at most the total number of positions.
  KOKKOS_FORCEINLINE_FUNCTION index position(index chunk, int within) const {
    long long const at = static_cast<long long>(chunk) * ChainTuning::chunk + within;
    return at < system.order.num_rows ? static_cast<index>(at) : system.order.num_rows;
  }
};

/// Kernel that computes the unknown before each chunk, with one team per column. Resets `repeated`.
template <class T>
struct ChainChunkScan {
  using scalar = typename T::scalar;
  using index = typename T::index;
  ChainSystem<T> system;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    int const column = team.league_rank(), threads = team.team_size();
    index const each = (system.chunks + threads - 1) / threads;
    auto const end_of = [&](int t) {
      return static_cast<long long>(t) * each < system.chunks ? static_cast<index>(t * each) : system.chunks;
    };
    index const first = end_of(team.team_rank()), last = end_of(team.team_rank() + 1);
    auto* const maps = static_cast<AffineMap<scalar>*>(
        team.team_shmem().get_shmem_aligned(sizeof(AffineMap<scalar>) * static_cast<std::size_t>(threads), 16));
    if (team.team_rank() == 0) system.repeated[column] = 0;
    AffineMap<scalar> mine;
    for (index c = first; c < last; ++c) mine = system.of_chunk[system.at(c, column)].after(mine);
    auto before = compose_over_threads(team, mine, maps);
    for (index c = first; c < last; ++c) {
      system.before_chunk[system.at(c, column)] = before.term;
      before = system.of_chunk[system.at(c, column)].after(before);
    }
  }
};

/// Kernel that checks the residual at each position, and marks right-hand sides with one that is too large or NaN.
template <class T>
struct ChainResiduals {
  using index = typename T::index;
  using scalar = typename T::scalar;
  using real = typename ChainSystem<T>::real;
  ChainSystem<T> system;

  /// Relative bound of the residual: two thirds of the allowed 4 (k + 2) u |T| |x|, with k = 1 entry in a row; one
  /// third for complex numbers, whose products and quotients round more.
  static constexpr real bound =
      (Parts<scalar>::count == 1 ? real(8) : real(4)) * Kokkos::Experimental::epsilon_v<real> / 2;
  /// Absolute bound of the residual: scans and substitution differ by a few denorm_min for subnormal unknowns.
  static constexpr real absolute = real(1024) * Kokkos::Experimental::denorm_min_v<real>;

  KOKKOS_FUNCTION void operator()(long long which) const {
    constexpr real most = Kokkos::Experimental::finite_max_v<real>;
    index const n = system.order.num_rows;
    auto const p = static_cast<index>(which % n);
    auto const column = static_cast<int>(which / n);
    auto const r = system.row(p);
    scalar const y = system.y_at(p, column), before = r.begins ? scalar(0) : system.y_at(p - 1, column);
    real const size = Kokkos::abs(y) + Kokkos::abs(system.numbers.finish(r.entry * before, r.pivot));
    real const error = Kokkos::abs(system.solved(r, column, before) - y);
    if (!(size <= most && error <= bound * size + absolute)) store_relaxed(&system.repeated[column], 1);
  }
};
/// Kernel that solves marked right-hand sides again by substitution, with a thread per chain.
template <class T>
struct ChainSubstitution {
  using index = typename T::index;
  using scalar = typename T::scalar;
  ChainSystem<T> system;

  KOKKOS_FUNCTION void operator()(long long which) const {
    index const n = system.order.num_rows;
    auto const column = static_cast<int>(which / n);
    if (load_relaxed(&system.repeated[column]) == 0) return;
    auto p = static_cast<index>(which % n);
    auto r = system.row(p);
    if (!r.begins) return;
    scalar x = scalar(0);
    do {
      system.y_at(p, column) = x = system.solved(r, column, x);
      if (++p < n) r = system.row(p);
    } while (p < n && !r.begins);
  }
};
template <class T>
struct ChainStore {
  using index = typename T::index;
  ChainSystem<T> system;

  KOKKOS_FUNCTION void operator()(long long which) const {
    index const n = system.order.num_rows;
    auto const p = static_cast<index>(which % n);
    auto const column = static_cast<int>(which / n);
    system.io.store(system.order.row(p), column, system.y_at(p, column));
  }
};

}  // namespace sptrsv::detail
