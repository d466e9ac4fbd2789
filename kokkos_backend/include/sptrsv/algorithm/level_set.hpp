// SPDX-License-Identifier: Apache-2.0
// Level-set solve: rows stored level by level, a kernel per wide level, chains of short levels in one.
#pragma once

#include <climits>
#include <string>
#include <string_view>
#include <vector>

#include "sptrsv/capabilities.hpp"
#include "sptrsv/detail/host_cost.hpp"
#include "sptrsv/detail/row_loop.hpp"
#include "sptrsv/detail/row_values.hpp"

namespace sptrsv {

namespace detail {

/// A copy of op(T)'s rows in level order. Position p is row `row(p)`; columns keep their numbers.
template <class T>
struct LevelOrder {
  Kokkos::View<typename T::offset*, typename T::device> row_ptr;  // n+1, by position
  Kokkos::View<typename T::index*, typename T::device> row;       // n
  Kokkos::View<typename T::index*, typename T::device> col_idx;
  Kokkos::View<typename T::scalar*, typename T::device> values;
  Kokkos::View<typename T::scalar*, typename T::device> diagonal;  // n, or none for a unit diagonal

  /// Without `row`, which is the analysis' own.
  std::size_t memory_bytes() const {
    return row_ptr.span() * sizeof(typename T::offset) + col_idx.span() * sizeof(typename T::index) +
           (values.span() + diagonal.span()) * sizeof(typename T::scalar);
  }
};

template <class T>
LevelOrder<T> order_rows(typename T::exec_space const& exec, OffDiagonals<T> const& rows, LevelSets<T> const& sets,
                         bool unit) {
  using index = typename T::index;
  using offset = typename T::offset;
  using policy = Kokkos::RangePolicy<typename T::exec_space, index>;
  auto const raw = [&](char const* label) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label));
  };
  auto const n = static_cast<std::size_t>(rows.num_rows);
  LevelOrder<T> out;
  out.row = sets.level_rows;
  out.row_ptr = decltype(out.row_ptr)(Kokkos::view_alloc(exec, std::string("sptrsv::level_set::row_ptr")), n + 1);
  auto const row_ptr = out.row_ptr;
  auto const row = out.row;
  offset count = 0;
  Kokkos::parallel_scan(
      "sptrsv::level_set::count", policy(exec, 0, rows.num_rows),
      KOKKOS_LAMBDA(index p, offset & sum, bool final) {
        sum += rows.end(row(p)) - rows.begin(row(p));
        if (final) row_ptr(p + 1) = sum;
      },
      count);
  exec.fence("sptrsv::level_set: the number of entries is needed to allocate");
  out.col_idx = decltype(out.col_idx)(raw("sptrsv::level_set::col_idx"), count);
  out.values = decltype(out.values)(raw("sptrsv::level_set::values"), count);
  out.diagonal = decltype(out.diagonal)(raw("sptrsv::level_set::diagonal"), unit ? 0 : n);
  auto const col_idx = out.col_idx;
  Kokkos::parallel_for(
      "sptrsv::level_set::order", policy(exec, 0, rows.num_rows), KOKKOS_LAMBDA(index p) {
        offset k = rows.first(row(p));
        for (offset to = row_ptr(p); to < row_ptr(p + 1); ++to, k += rows.step()) col_idx(to) = rows.col_idx(k);
      });
  return out;
}

template <class T>
void fill_values(typename T::exec_space const& exec, OffDiagonals<T> const& rows, Numbers<T> const& numbers,
                 LevelOrder<T> const& to) {
  using index = typename T::index;
  Kokkos::parallel_for(
      "sptrsv::level_set::update", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, rows.num_rows),
      KOKKOS_LAMBDA(index p) {
        index const i = to.row(p);
        typename T::offset k = rows.first(i);
        for (typename T::offset at = to.row_ptr(p); at < to.row_ptr(p + 1); ++at, k += rows.step())
          to.values(at) = conjugate_if(numbers.all(rows.source.data() ? rows.source(k) : k), numbers.conj);
        if (to.diagonal.extent(0) > 0) to.diagonal(p) = numbers.stored_diagonal(i);
      });
}

/// Host: sorts each level's rows by their number of entries, so that a core seldom mispredicts where a row
/// ends (copter2: 1.7 times faster). In levels of a few rows there is nothing to win.
template <class T>
void sort_levels_by_row_length(typename T::exec_space const& exec, OffDiagonals<T> const& rows, LevelSets<T> const& sets) {
  using index = typename T::index;
  constexpr int lengths = 64;
  constexpr auto least = static_cast<index>(HostCost::sorted_from);
  index const* const level_ptr = sets.level_ptr.data();
  auto const level_rows = sets.level_rows;
  std::vector<index> sorted(static_cast<std::size_t>(rows.num_rows));  // room for all levels, each its own part
  index* const room = sorted.data();
  Kokkos::parallel_for(
      "sptrsv::level_set::sort", Kokkos::RangePolicy<typename T::exec_space, Kokkos::Schedule<Kokkos::Dynamic>, index>(exec, 0, sets.num_levels()),
      [=](index l) {
        index* const begin = level_rows.data() + level_ptr[l];
        index* const end = level_rows.data() + level_ptr[l + 1];
        if (end - begin < least) return;
        auto const length = [&](index i) { return static_cast<int>(std::min<typename T::offset>(rows.count(i), lengths - 1)); };
        index next[lengths + 1] = {};
        for (index const* p = begin; p < end; ++p) ++next[length(*p) + 1];
        for (int c = 0; c < lengths; ++c) next[c + 1] += next[c];
        index* const out = room + level_ptr[l];
        for (index const* p = begin; p < end; ++p) out[next[length(*p)]++] = *p;
        std::copy(out, out + (end - begin), begin);
      });
  exec.fence("sptrsv::level_set: the room for sorting goes");
}

/// Positions of a LevelOrder one after the other.
template <class T>
struct LevelCursor {
  typename T::index const* rows;
  typename T::offset const* ends;
  typename T::scalar const* diagonals;

  KOKKOS_FORCEINLINE_FUNCTION typename T::index row() const { return *rows; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::offset begin() const { return ends[0]; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::offset end() const { return ends[1]; }
  KOKKOS_FORCEINLINE_FUNCTION typename T::scalar diagonal(typename T::scalar const*) const { return *diagonals; }
  KOKKOS_FORCEINLINE_FUNCTION void next() {
    ++rows;
    ++ends;
    ++diagonals;
  }
  KOKKOS_FORCEINLINE_FUNCTION LevelCursor after(typename T::index count) const { return {rows, ends + count, diagonals}; }
  KOKKOS_FORCEINLINE_FUNCTION bool differs(LevelCursor const& other) const { return ends != other.ends; }
};

/// Host: positions first..last by one thread.
template <class T, int K, Access A>
void solve_positions(LevelOrder<T> const& order, RowIO<T> const& io, Diagonal diagonal, typename T::index first,
                     typename T::index last) {
  auto const run = [&](auto kind) {
    RowLoop<T, K, A, decltype(kind)::value, LevelCursor<T>>{
        {order.row.data() + first, order.row_ptr.data() + first, order.diagonal.data() + first}, order.col_idx.data(), order.values.data(), io, false}
        .template gather<1>(last - first);
  };
  if (diagonal == Diagonal::unit)
    run(std::integral_constant<Diagonal, Diagonal::unit>{});
  else if (diagonal == Diagonal::inverted)
    run(std::integral_constant<Diagonal, Diagonal::inverted>{});
  else
    run(std::integral_constant<Diagonal, Diagonal::stored>{});
}

/// Device: rows of one level, in any order; the call operators differ only in who takes which row.
template <class T, int K>
struct LevelRows {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;

  LevelOrder<T> order;
  RowIO<T> io;
  Diagonal diagonal;
  index first, last;  // positions

  KOKKOS_FUNCTION void finish(index p, index i, scalar const* sum) const {
    for (int c = 0; c < K; ++c)
      io.store(i, c, diagonal == Diagonal::unit       ? sum[c]
                     : diagonal == Diagonal::inverted ? sum[c] * order.diagonal(p)
                                                      : sum[c] / order.diagonal(p));
  }
  /// One thread, one row.
  KOKKOS_FUNCTION void operator()(index p) const {
    index const i = order.row(p);
    scalar sum[K];
    for (int c = 0; c < K; ++c) sum[c] = io.load(i, c);
    offset const end = order.row_ptr(p + 1);
    for (offset k = order.row_ptr(p); k < end; ++k) {
      scalar const a = order.values(k);
      index const j = order.col_idx(k);
      for (int c = 0; c < K; ++c) sum[c] -= a * io.solved(j, c);
    }
    finish(p, i, sum);
  }
  /// The lanes of one thread, one row.
  template <class Team>
  KOKKOS_FUNCTION void by_lanes(Team const& team, index p) const {
    index const i = order.row(p);
    ColumnSums<scalar, K> sums;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, order.row_ptr(p), order.row_ptr(p + 1)),
        [&](offset k, ColumnSums<scalar, K>& partial) {
          scalar const a = order.values(k);
          index const j = order.col_idx(k);
          for (int c = 0; c < K; ++c) partial.value[c] += a * io.solved(j, c);
        },
        Kokkos::Sum<ColumnSums<scalar, K>>(sums));
    Kokkos::single(Kokkos::PerThread(team), [&]() {
      for (int c = 0; c < K; ++c) sums.value[c] = io.load(i, c) - sums.value[c];
      finish(p, i, sums.value);
    });
  }
  template <class Team>
  KOKKOS_FUNCTION void by_team(Team const& team, index from, index to, int lanes) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, from, to), [&](index p) {
      if (lanes > 1)
        by_lanes(team, p);
      else
        (*this)(p);
    });
  }
};

/// A wide level, when rows are long enough for lanes.
template <class T, int K>
struct WideLevel {
  LevelRows<T, K> rows;
  int rows_per_team, lanes;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const from = rows.first + static_cast<typename T::index>(team.league_rank()) * rows_per_team;
    rows.by_team(team, from, from + rows_per_team < rows.last ? from + rows_per_team : rows.last, lanes);
  }
};

/// Levels first..last one after the other in one team.
template <class T, int K>
struct LevelChain {
  LevelRows<T, K> rows;
  Kokkos::View<const typename T::index*, typename T::device> level_ptr;
  typename T::index first_level, last_level;
  int lanes;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    for (auto l = first_level; l < last_level; ++l) {
      rows.by_team(team, level_ptr(l), level_ptr(l + 1), lanes);
      team.team_barrier();
    }
  }
};

}  // namespace detail

/// Source: M. Naumov, NVR-2011-001, algorithms 1 and 2. Differs in that rows are copied in level
/// order, on a host by length within a level, that the analysis of an untransposed solve is a sweep by default (option analysis), and
/// that levels are chained by their rows, by the launch they would need. Bitwise reproducible.
template <class T>
class LevelSet {
 public:
  using types = T;
  using index = typename T::index;
  static constexpr std::string_view name = "levelset";
  static constexpr char const* summary = "rows by level, a kernel per wide level, short levels chained";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true};
  struct Options {
    LevelMethod analysis = LevelMethod::automatic;
    int chain_rows = 0;
    int lanes_per_row = 0;
    template <class V>
    void visit(V& v) {
      v.choice("analysis", analysis, {"automatic", "sweep", "root_candidates"}, "how levels are found");
      v.integer("chain_rows", chain_rows, 0, INT_MAX, "levels of at most so many rows share a kernel; 0: chosen");
      v.integer("lanes_per_row", lanes_per_row, 0, 64, "vector lanes per row on a GPU, a power of two; 0: chosen");
    }
  };

  LevelSet(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : shape_(analysis.shape()), rows_(analysis.rows(exec)) {
    auto const& sets = analysis.levels(exec, options.analysis);
    if constexpr (host) detail::sort_levels_by_row_length<T>(exec, rows_, sets);
    order_ = detail::order_rows<T>(exec, rows_, sets, shape_.diagonal == Diagonal::unit);
    level_ptr_host_ = sets.level_ptr;
    level_ptr_ = decltype(level_ptr_)("sptrsv::level_set::level_ptr", level_ptr_host_.size());
    Kokkos::deep_copy(exec, level_ptr_, Kokkos::View<index const*, Kokkos::HostSpace>(level_ptr_host_.data(), level_ptr_host_.size()));
    exec.fence("sptrsv::level_set: level_ptr has been read");
    choose_launches(exec, analysis, options);
  }

  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    detail::fill_values<T>(exec, rows_, analysis.numbers(values, values), order_);
  }

  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const {
    detail::for_column_blocks(static_cast<int>(b.extent(1)), [&](auto width, int first) {
      constexpr int K = decltype(width)::value;
      detail::RowIO<T> const io{b, x, fold, first};
      if constexpr (host) {
        detail::with_access<host, K>(io, [&](auto access) { solve_on_host<K, decltype(access)::value>(exec, io); });
      } else {
        for (Launch const& launch : launches_) {
          detail::LevelRows<T, K> const rows{order_, io, shape_.diagonal, level_ptr_host_[launch.first], level_ptr_host_[launch.last]};
          if (launch.chain)
            solve_chain<K>(exec, rows, launch);
          else
            solve_level<K>(exec, rows);
        }
      }
    });
  }

  std::string parameters() const {
    std::size_t chains = 0;
    for (Launch const& launch : launches_) chains += launch.chain;
    return std::to_string(launches_.size()) + " kernels, " + std::to_string(chains) + " of them chains of levels of up to " +
           std::to_string(chain_rows_) + " rows, " + std::to_string(lanes_) + " lanes per row";
  }
  std::size_t memory_bytes() const { return order_.memory_bytes() + level_ptr_.span() * sizeof(index); }

 private:
  static constexpr bool host = detail::runs_inline<typename T::exec_space>;

  struct Launch {
    index first, last;  // levels
    bool chain;
  };

  void choose_launches(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options) {
    double const mean = analysis.mean_row();
    if ((options.lanes_per_row & (options.lanes_per_row - 1)) != 0)
      throw InvalidOption("option levelset_lanes_per_row is " + std::to_string(options.lanes_per_row) + "; give a power of two");
    if (!host) {
      lanes_ = options.lanes_per_row;
      if (lanes_ == 0)
        for (lanes_ = 1; lanes_ * 4 < mean && lanes_ < Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max();) lanes_ *= 2;
      threads_ = std::max(1, 256 / lanes_);
    }
    // on a GPU a barrier is dearer than a pass of one team over its rows only when that team has no
    // more than a few rows a thread
    chain_rows_ = options.chain_rows > 0 ? options.chain_rows
                  : host                 ? detail::HostCost(exec.concurrency(), double(analysis.num_rows()), mean).chain_rows()
                                         : 2 * threads_;
    auto const rows_in = [&](index l) { return level_ptr_host_[l + 1] - level_ptr_host_[l]; };
    index const levels = static_cast<index>(level_ptr_host_.size()) - 1;
    for (index l = 0; l < levels;) {
      index last = l;
      while (last < levels && rows_in(last) <= chain_rows_) ++last;
      bool const chain = last > l;
      if (!chain) last = l + 1;
      launches_.push_back({l, last, chain});
      l = last;
    }
  }

  /// A chain by the calling thread, a wide level in equal parts by all.
  template <int K, detail::Access A>
  void solve_on_host(typename T::exec_space const& exec, detail::RowIO<T> const& io) const {
    for (Launch const& launch : launches_) {
      index const first = level_ptr_host_[launch.first], last = level_ptr_host_[launch.last];
      if (launch.chain) {
        detail::solve_positions<T, K, A>(order_, io, shape_.diagonal, first, last);
        continue;
      }
      index const parts = static_cast<index>(exec.concurrency());
      auto const end_of = [=](index part) { return static_cast<index>(first + static_cast<long long>(last - first) * part / parts); };
      Kokkos::parallel_for("sptrsv::level_set::solve", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, parts),
                           [this, &io, &end_of](index part) {
                             detail::solve_positions<T, K, A>(order_, io, shape_.diagonal, end_of(part), end_of(part + 1));
                           });
    }
  }
  template <int K>
  void solve_chain(typename T::exec_space const& exec, detail::LevelRows<T, K> const& rows, Launch const& launch) const {
    Kokkos::parallel_for("sptrsv::level_set::solve_chain", detail::team_policy(exec, 1, threads_, lanes_),
                         detail::LevelChain<T, K>{rows, level_ptr_, launch.first, launch.last, lanes_});
  }
  template <int K>
  void solve_level(typename T::exec_space const& exec, detail::LevelRows<T, K> const& rows) const {
    if (lanes_ == 1) {
      Kokkos::parallel_for("sptrsv::level_set::solve",
                           Kokkos::RangePolicy<typename T::exec_space, index>(exec, rows.first, rows.last), rows);
    } else {
      int const league = static_cast<int>((rows.last - rows.first + threads_ - 1) / threads_);
      Kokkos::parallel_for("sptrsv::level_set::solve",
                           detail::team_policy(exec, league, threads_, lanes_),
                           detail::WideLevel<T, K>{rows, threads_, lanes_});
    }
  }

  Shape shape_;
  OffDiagonals<T> rows_;
  detail::LevelOrder<T> order_;
  std::vector<index> level_ptr_host_;
  Kokkos::View<index*, typename T::device> level_ptr_;
  std::vector<Launch> launches_;
  int chain_rows_ = 0, lanes_ = 1, threads_ = 1;
};

}  // namespace sptrsv
