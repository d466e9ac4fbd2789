// SPDX-License-Identifier: Apache-2.0
// Numeric phase: each row subtracts multiples of its pivot rows, in PETSc's order, as soon as they are published.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <vector>

#include "sptrsv/device/compiler.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/rounding.hpp"
#include "sptrsv/device/solved_values.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/factorization/pivots.hpp"
#include "sptrsv/factorization/update_lists.hpp"

namespace sptrsv::detail {

/// Findings of a pass about the pivots.
struct PassPivots {
  long long first, last;       ///< first and last row with a too small pivot; n and -1 if there is none
  unsigned long long shifted;  ///< number of pivots that Shift::in_blocks has shifted
  int doubtful;                ///< dense blocks: 1 if D^-1 U may have left the range of numbers
};

/// Arrays of factors that are being computed, and access to the updates of a row: by entries, or by dense blocks.
template <class T, class Position, bool Symmetric>
struct FactorsInWork {
  using index = typename T::index;
  using offset = typename T::offset;
  using scalar = typename T::scalar;
  using real = typename Parts<scalar>::real;

  FactorRows<T> rows;
  PivotRows<T> pivots;
  UpdateLists<T, Position> lists;
  SourceMap<T> map;
  scalar const* a;               ///< values of A
  scalar* lower;                 ///< out: L, or null
  scalar* upper;                 ///< out: U with its inverted pivots, or D^-1 U
  scalar* inverse;               ///< out: D^-1, or null if U has it
  scalar* published;             ///< U, which other rows poll for: `upper`, or if that is D^-1 U, the unscaled U
  index const* order;            ///< row by position, or null: natural order
  offset const* long_row_begin;  ///< by row: offset of a long row in long_rows, or -1
  scalar* long_rows;
  PassPivots* status;
  int* any_small;      ///< in memory that the host also reads: set to 1 if `status` has something to report
  real* small_pivots;  ///< by row: magnitude of a too small pivot; with dense blocks, column of a zero pivot
  bool contract;
  int lanes;

  /// Update of one entry or dense block of a row: its number in the row, and the address of U's operand, or null.
  struct Update {
    index target = 0;
    scalar const* from = nullptr;
  };
  /// Returns update number `which` of row i by its pivot row k, which is at offset q of `pivots`.
  /// @param size  number of values of an entry or dense block
  KOKKOS_FORCEINLINE_FUNCTION Update update(index i, offset q, index k, std::size_t first, index which,
                                            std::size_t size = 1) const {
    if (!lists.empty()) {
      offset const at = rows.upper.begin(k) + static_cast<offset>(lists.source(first + which));
      return {static_cast<index>(lists.target(first + which)), published + static_cast<std::size_t>(at) * size};
    }
    offset const at = (Symmetric ? pivots.entry(q) : rows.upper.begin(k)) + which;
    index const target = rows.find(i, rows.upper.col_idx(at));
    return {target, target < 0 ? nullptr : published + static_cast<std::size_t>(at) * size};
  }
  KOKKOS_FORCEINLINE_FUNCTION index count_updates(offset q, index k) const {
    if (!lists.empty()) return static_cast<index>(lists.count(q));
    return static_cast<index>(rows.upper.end(k) - (Symmetric ? pivots.entry(q) : rows.upper.begin(k)));
  }
  KOKKOS_FORCEINLINE_FUNCTION scalar* memory_of(index i, scalar* scratch) const {
    return long_row_begin && long_row_begin[i] >= 0 ? long_rows + long_row_begin[i] : scratch;
  }
  KOKKOS_INLINE_FUNCTION void report(index i, real small) const {
    small_pivots[i] = small;
    Kokkos::atomic_min(&status->first, static_cast<long long>(i));
    Kokkos::atomic_max(&status->last, static_cast<long long>(i));
    store_relaxed(any_small, 1);
  }
};

/// Values of a batch of pivot rows that are polled for together: their inverted pivots, U's entries in the row's column
/// (symmetric), and U's entries for this lane's updates.
template <class S, bool Symmetric>
struct PivotBatch {
  static constexpr int size = 4;
  S const *at_inverse[size], *at_multiplied[size], *at_from[size];  ///< addresses; null: no value
  S inverted[size], multiplied[size], from[size];

  /// Waits for the values; those whose address is null become 0. All lanes of the warp must call it.
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void await(Index row) {
    SPTRSV_UNROLL
    for (int b = 0; b < size; ++b) {  // all loads before the first comparison, so that they overlap
      inverted[b] = multiplied[b] = from[b] = S(0);
      if (at_inverse[b]) Flagged<S>::poll(at_inverse[b], inverted[b]);
      if (Symmetric && at_multiplied[b]) Flagged<S>::poll(at_multiplied[b], multiplied[b]);
      if (at_from[b]) Flagged<S>::poll(at_from[b], from[b]);
    }
    for (Backoff wait;; wait(row)) {
      bool there = true;
      SPTRSV_UNROLL
      for (int b = 0; b < size; ++b) {
        there &= Flagged<S>::is_there(inverted[b]) && Flagged<S>::is_there(from[b]);
        if (Symmetric) there &= Flagged<S>::is_there(multiplied[b]);
      }
      if (!any_in_warp(!there)) return;
      SPTRSV_UNROLL
      for (int b = 0; b < size; ++b) {
        Flagged<S>::poll_again(at_inverse[b], inverted[b]);
        if (Symmetric) Flagged<S>::poll_again(at_multiplied[b], multiplied[b]);
        Flagged<S>::poll_again(at_from[b], from[b]);
      }
    }
  }
};

/// Kernel in which the lanes of a thread eliminate a row. Entries of a row stay in scratch memory during its updates,
/// those of long rows in global memory.
template <class T, class Position, bool Symmetric>
struct EliminateRows : FactorsInWork<T, Position, Symmetric> {
  using Base = FactorsInWork<T, Position, Symmetric>;
  using index = typename T::index;
  using offset = typename T::offset;
  using scalar = typename T::scalar;
  using real = typename Base::real;
  using Base::a, Base::any_small, Base::contract, Base::inverse, Base::lanes, Base::lists, Base::lower, Base::map;
  using Base::pivots, Base::published, Base::rows, Base::status, Base::upper;
  static constexpr int batch = PivotBatch<scalar, Symmetric>::size;
  static constexpr bool takes_ahead = !Symmetric;  ///< whether teams may take their next ticket early

  real zero_pivot, shift_amount, in_block_amount, diagonal_scale, diagonal_offset;
  Shift shift;

  KOKKOS_FORCEINLINE_FUNCTION scalar* inverse_at(index i) const {
    return Symmetric || inverse ? inverse + i : upper + rows.pivot_at(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION scalar from_matrix(offset source) const { return source < 0 ? scalar(0) : a[source]; }
  KOKKOS_FORCEINLINE_FUNCTION scalar diagonal(scalar const& of_matrix) const {
    return of_matrix * diagonal_scale + scalar(real_part(of_matrix) > real(0) ? -diagonal_offset : diagonal_offset);
  }
  KOKKOS_FORCEINLINE_FUNCTION static real magnitude(scalar const& v) { return Kokkos::abs(v); }

  /// Pivot rows that are polled for together, with this lane's updates.
  struct Batch : PivotBatch<scalar, Symmetric> {
    index row[batch];     ///< the pivot rows
    index count[batch];   ///< number of updates by each pivot row
    index target[batch];  ///< target of this lane's update by each pivot row
  };
  /// Loads the numbers of the pivot rows from q on, and of their updates.
  KOKKOS_FORCEINLINE_FUNCTION void begin_batch(Batch& g, offset q, offset end) const {
    SPTRSV_UNROLL
    for (int b = 0; b < batch; ++b) {
      bool const there = q + b < end;
      g.row[b] = there ? pivots.row(q + b) : index(0);
      g.count[b] = there && !lists.empty() ? static_cast<index>(lists.count(q + b)) : index(0);
    }
  }
  /// Loads the targets and addresses of a batch.
  /// @param pair  number of the batch's first pair in the lists; out: that of the next batch
  KOKKOS_FORCEINLINE_FUNCTION void finish_batch(Batch& g, int lane, index i, offset q, offset end,
                                                std::size_t& pair) const {
    SPTRSV_UNROLL
    for (int b = 0; b < batch; ++b) {
      g.at_inverse[b] = g.at_multiplied[b] = g.at_from[b] = nullptr;
      if (q + b >= end) continue;
      index const k = g.row[b];
      g.at_inverse[b] = computed_here(inverse_at(k));
      if (Symmetric) g.at_multiplied[b] = computed_here(published + pivots.entry(q + b));
      if (lists.empty()) g.count[b] = Base::count_updates(q + b, k);
      typename Base::Update mine;
      if (lane < g.count[b]) mine = Base::update(i, q + b, k, pair, static_cast<index>(lane));
      g.target[b] = mine.target;
      g.at_from[b] = computed_here(mine.from);
      pair += static_cast<std::size_t>(g.count[b]);
    }
  }
  /// Returns the offset of entry t of a row in A's values, or -1 for fill.
  KOKKOS_FORCEINLINE_FUNCTION offset source(index i, index t, index below, index above, offset l, offset u) const {
    if (t < below) return map.lower(l + t);
    return t < below + above ? map.upper(u + (t - below)) : map.pivots(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION scalar initial(offset source, bool is_pivot) const {
    scalar const value = from_matrix(source);
    return is_pivot ? diagonal(value) + scalar(shift_amount) : value;
  }

  /// Eliminates row i by the lanes of a thread.
  /// @param active  false: the thread has no row; it calls because all lanes of its warp must take part
  /// @param next    called when this row's loads have started, so that the next row's loads can follow
  template <class Next>
  KOKKOS_FUNCTION void row(int lane, index i, bool active, scalar* scratch, Next& next) const {
    index const below = active ? rows.count_lower(i) : index(0);
    index const above = active ? rows.count_upper(i) : index(0);
    index const all = active ? below + above + 1 : index(0);
    offset const l = active && !Symmetric ? rows.lower.begin(i) : offset(0);
    offset const u = active ? rows.upper.begin(i) : offset(0);
    offset q = active ? pivots.begin(i) : offset(0);
    offset const end = active ? pivots.end(i) : offset(0);
    std::size_t first = active && !lists.empty() ? lists.begin(i) : std::size_t(0);
    scalar* const x = active ? Base::memory_of(i, scratch) : scratch;

    // dependent loads alternate with others, so that they overlap
    next.take();
    auto const t0 = static_cast<index>(lane);
    offset const source0 = t0 < all ? source(i, t0, below, above, l, u) : offset(-1);
    Batch g;
    begin_batch(g, q, end);
    scalar const x0 = t0 < all ? initial(source0, t0 == below + above) : scalar(0);
    std::size_t pair = first;
    finish_batch(g, lane, i, q, end, pair);
    next.find();
    if (t0 < all) x[t0] = x0;
    for (index t = static_cast<index>(lane + lanes); t < all; t += static_cast<index>(lanes))
      x[t] = initial(source(i, t, below, above, l, u), t == below + above);

    while (any_in_warp(q < end)) {
      g.await(i);
      SPTRSV_UNROLL
      for (int b = 0; b < batch; ++b) {
        if (b > 0 && !any_in_warp(q + b < end)) break;
        sync_warp();
        if (q + b < end) {
          scalar const entry = Symmetric ? g.multiplied[b] : x[q + b - l];
          bool const nonzero = Symmetric || entry != scalar(0);
          scalar const factor = nonzero ? entry * g.inverted[b] : entry;
          if (!Symmetric && lane == 0) lower[q + b] = factor;
          if (nonzero) {
            if (g.at_from[b]) x[g.target[b]] = subtract_product(x[g.target[b]], factor, g.from[b], contract);
            if (g.count[b] > lanes) {
              index const k = g.row[b];
              for (index which = static_cast<index>(lane + lanes); which < g.count[b];
                   which += static_cast<index>(lanes)) {
                auto const other = Base::update(i, q + b, k, first, which);
                if (other.from)
                  x[other.target] =
                      subtract_product(x[other.target], factor, Flagged<scalar>::await(other.from, i), contract);
              }
            }
          }
          first += static_cast<std::size_t>(g.count[b]);
        }
      }
      q += batch;
      if (!any_in_warp(q < end)) break;
      begin_batch(g, q, end);
      finish_batch(g, lane, i, q, end, pair);
    }
    sync_warp();
    if (active) finish(lane, i, l, u, below, above, x);
    sync_warp();
  }

  /// Inverts the pivot, publishes the row, and then checks the pivot's size.
  KOKKOS_FORCEINLINE_FUNCTION void finish(int lane, index i, offset l, offset u, index below, index above,
                                          scalar const* x) const {
    scalar pivot = x[below + above];
    if (shift == Shift::in_blocks && magnitude(pivot) <= zero_pivot) {
      pivot += scalar(in_block_amount);
      if (lane == 0) {
        Kokkos::atomic_inc(&status->shifted);
        store_relaxed(any_small, 1);
      }
    }
    for (index t = static_cast<index>(lane); t < above; t += static_cast<index>(lanes))
      Flagged<scalar>::publish(published + u + t, x[below + t]);
    scalar const inverted = reciprocal(pivot);
    if (lane == 0) Flagged<scalar>::publish(inverse_at(i), inverted);
    real const size = shift == Shift::positive_definite ? real_part(pivot) : magnitude(pivot);
    // rs (see PivotRules) is at most the number of entries times the largest entry. The entries are summed only if
    // twice that bound is too large for the pivot, or overflows
    real const twice = real(2) * real(below + above + 1);
    auto const too_much = [&](real v) {
      return size <= zero_pivot * (twice * v) || twice * v > Kokkos::Experimental::finite_max_v<real>;
    };
    bool suspect = lane == 0 && size <= real(0);
    for (index t = static_cast<index>(lane); t < above; t += static_cast<index>(lanes)) {
      scalar const v = x[below + t];
      if (Symmetric || inverse) upper[u + t] = v * inverted;
      suspect |= too_much(magnitude(v));
    }
    if (shift == Shift::none) {
      if (lane == 0 && size <= zero_pivot) Base::report(i, size);
      return;
    }
    if (shift == Shift::in_blocks) return;
    for (index t = static_cast<index>(lane); t < below; t += static_cast<index>(lanes))
      suspect |= too_much(magnitude(lower[l + t]));
    if (!suspect || pivot != pivot) return;
    real sum = 0;  // in PETSc's order
    for (index t = 0; t < below; ++t) sum += magnitude(lower[l + t]);
    for (index t = 0; t < above; ++t) sum += magnitude(x[below + t]);
    if (size <= zero_pivot * sum) Base::report(i, magnitude(pivot));
  }
};

/// Partition of the levels into slices of at most `rows` rows.
template <class T>
struct LevelSlices {
  using index = typename T::index;
  index count = 0;
  Kokkos::View<index*, typename T::device> begin;  ///< count+1, positions in level order
};

template <class T>
LevelSlices<T> cut_levels(typename T::exec_space const& exec, std::vector<typename T::index> const& level_ptr,
                          int rows) {
  using index = typename T::index;
  auto const levels = static_cast<index>(level_ptr.size()) - 1;
  Kokkos::View<index*, Kokkos::HostSpace> const both(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string("sptrsv::factorization::levels")),
      2 * level_ptr.size());
  index slices = 0;
  for (index l = 0; l <= levels; ++l) {
    both(l) = level_ptr[l];
    both(levels + 1 + l) = slices;
    if (l < levels) slices += (level_ptr[l + 1] - level_ptr[l] + rows - 1) / rows;
  }
  auto const here = Kokkos::create_mirror_view_and_copy(typename T::memory_space(), both);
  LevelSlices<T> out;
  out.count = slices;
  out.begin = factor_view<decltype(out.begin)>(exec, "slices", static_cast<std::size_t>(slices) + 1);
  auto const begin = out.begin;
  Kokkos::parallel_for(
      "sptrsv::factorization::slices", row_range<T>(exec, slices + 1), KOKKOS_LAMBDA(index s) {
        auto const slice = [&](index l) { return here(levels + 1 + l); };  // first slice of level l
        index const level = first_at_least<decltype(slice), index>(slice, 0, levels + 1, s + 1) - 1;
        begin(s) = here(level) + (s - slice(level)) * rows;
      });
  return out;
}

/// Kernel over all rows: a team takes slices of the levels, with a row per thread; on a host a thread takes rows.
template <class T, class Rows>
struct Elimination {
  using index = typename T::index;
  using scalar = typename T::scalar;

  Rows rows;
  Tickets<T> tickets;
  int which, rows_per_ticket;
  index count;               ///< number of slices, or of rows on a host
  index const* slice_begin;  ///< first positions of the slices; null on a host
  int scratch_entries;       ///< entries of scratch memory per thread
  bool ahead;                ///< with slices: whether a team takes a ticket while it works on the one before

  /// Returns the bytes of a team's scratch memory. Kokkos aligns it to 8 bytes; complex numbers may need 16.
  static std::size_t scratch_bytes(int entries, int threads) {
    return sizeof(scalar) * static_cast<std::size_t>(entries) * static_cast<std::size_t>(threads) +
           (alignof(scalar) > 8 ? alignof(scalar) : 0);
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION scalar* team_scratch(Team const& team) const {
    int const bytes = static_cast<int>(sizeof(scalar)) * scratch_entries * team.team_size();
    if constexpr (alignof(scalar) > 8)
      return static_cast<scalar*>(team.team_shmem().get_shmem_aligned(bytes, alignof(scalar)));
    else return static_cast<scalar*>(team.team_shmem().get_shmem(bytes));
  }
  /// Next row of a thread, fetched while its team works on another row.
  template <class Team>
  struct NextRow {
    Elimination const& kernel;
    Team const& team;
    bool ahead;  ///< whether the team takes the next ticket while it works on the current one
    unsigned long long ticket, requested = 0;
    index position = 0, end = 0;  ///< position of the row in level order; end of its slice
    index row = 0;

    KOKKOS_FORCEINLINE_FUNCTION NextRow(Elimination const& k, Team const& t, bool early)
        : kernel(k), team(t), ahead(early), ticket(0) {
      request();
      receive();
      load_row();
    }
    KOKKOS_FORCEINLINE_FUNCTION bool active() const { return position < end; }
    KOKKOS_FORCEINLINE_FUNCTION void request() { requested = kernel.tickets.request(team, kernel.which, 1); }
    KOKKOS_FORCEINLINE_FUNCTION void receive() {
      ticket = kernel.tickets.received(requested, kernel.which);
      bool const there = ticket < static_cast<unsigned long long>(kernel.count);
      position = there ? kernel.slice_begin[ticket] + static_cast<index>(team.team_rank()) : index(0);
      end = there ? kernel.slice_begin[ticket + 1] : index(0);
    }
    KOKKOS_FORCEINLINE_FUNCTION void load_row() { row = active() ? kernel.rows.order[position] : index(0); }
    KOKKOS_FORCEINLINE_FUNCTION void take() {
      if (Rows::takes_ahead && ahead) receive();
    }
    KOKKOS_FORCEINLINE_FUNCTION void find() {
      if (Rows::takes_ahead && ahead) load_row();
    }
    KOKKOS_FORCEINLINE_FUNCTION void late() {
      if (Rows::takes_ahead && ahead) return;
      request();
      receive();
      load_row();
    }
  };
  struct NoNextRow {
    KOKKOS_FORCEINLINE_FUNCTION void take() const {}
    KOKKOS_FORCEINLINE_FUNCTION void find() const {}
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto* const scratch = team_scratch(team) + scratch_entries * team.team_rank();
    auto const end = static_cast<unsigned long long>(count);
    if (slice_begin) {
      NextRow<Team> next(*this, team, ahead);
      while (next.ticket < end) {
        index const i = next.row;
        bool const active = next.active();
        if (Rows::takes_ahead && ahead) next.request();
        rows.row(lane_of(team), i, active, scratch, next);
        next.late();
      }
      return;
    }
    NoNextRow none;
    tickets.for_each(Kokkos::PerTeam(team), which, rows_per_ticket, count, [&](index first, index last) {
      for (index i = first; i < last; ++i) rows.row(0, i, true, scratch, none);
    });
  }
};

/// Fills both arrays with sentinels, and resets the status: no small pivot in n rows.
template <class T, class Reals, class Status>
void clear_published(typename T::exec_space const& exec, Reals const& first, Reals const& second, Status const& status,
                     long long n) {
  using real = typename Reals::value_type;
  std::size_t const size = first.extent(0), more = second.extent(0);
  Kokkos::parallel_for(
      "sptrsv::factorization::clear", range_of<std::size_t>(exec, std::max(size, more) + 1),
      KOKKOS_LAMBDA(std::size_t k) {
        if (k == 0) status() = {n, -1, 0, 0};
        if (k < size) first(k) = Sentinel<real>::value();
        if (k < more) second(k) = Sentinel<real>::value();
      });
}

}  // namespace sptrsv::detail
