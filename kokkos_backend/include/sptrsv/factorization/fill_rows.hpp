// SPDX-License-Identifier: Apache-2.0
// Rows of incomplete factors with fill on a device: a warp per row, larger teams for long rows.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "sptrsv/factorization/fill_paths.hpp"
#include "sptrsv/factorization/ilu_zero_pattern.hpp"

namespace sptrsv::detail {

struct FillTuning {
  /// Number of slots of the small table, and bytes of the large one, in scratch memory. A row that overflows the small
  /// table uses the large one; a row that overflows both uses an array over all columns.
  static constexpr int small_table = 256, large_table_bytes = 40000;
  /// Maximum bytes of the arrays over all columns, one per team; at least one array is allocated.
  static constexpr double array_bytes = 512e6;
  static constexpr int threads_of_long_rows = 256;
  /// Host: number of parts per thread into which the rows are divided; a thread takes one part after another.
  static constexpr int parts_per_thread = 16;
};

template <class T>
using FillOffsets = Kokkos::View<typename T::offset*, typename T::device>;
template <class T>
using FillIndices = Kokkos::View<typename T::index*, typename T::device>;

/// Turns counts into offsets, and returns their total.
/// @param part  name of the factor for the message
/// @throws Unsupported if offsets cannot count the entries
template <class T>
typename T::offset fill_offsets(typename T::exec_space const& exec, FillOffsets<T> const& ptr, int levels,
                                char const* part) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const total = sum_over_rows<T, long long>(
      "sptrsv::factorization::fill_total", exec, static_cast<index>(ptr.extent(0) - 1),
      KOKKOS_LAMBDA(index i) { return ptr(i); });
  if (total > static_cast<long long>(std::numeric_limits<offset>::max()))
    throw Unsupported("factorization",
                      "factors of " + std::to_string(levels) + " levels of fill, of which " + part + " has " +
                          std::to_string(total) + " entries, more than offsets of " +
                          std::to_string(8 * sizeof(offset)) + " bits count",
                      "use fewer levels of fill, or 64-bit offsets");
  return scan_offsets<T>(exec, ptr);
}

/// Kernel that stores the edges of the graph: all entries of A(row_perm, col_perm) by rows or, if symmetric, those
/// right of the diagonal, each in the rows of both its ends.
template <class T>
struct FillEdges {
  using index = typename T::index;
  using offset = typename T::offset;

  SplitRows<T> split;
  FillOffsets<T> row_ptr, next;  ///< n+1: offsets of the graph; n: next free position of a row
  FillIndices<T> col_idx;        ///< empty: counts only, in row_ptr
  bool shared;                   ///< several lanes may store edges of a row concurrently

  KOKKOS_FORCEINLINE_FUNCTION void put(index i, index j) const {
    bool const counts = col_idx.extent(0) == 0;
    offset& counter = counts ? row_ptr(i) : next(i);
    offset const at = shared ? Kokkos::atomic_fetch_add(&counter, offset(1)) : counter++;
    if (!counts) col_idx(at) = j;
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(index i, EntryRange<T> const&, offset k) const {
    index const j = split.column(k);
    if (!split.symmetric || j >= i) put(i, j);
    if (split.symmetric && j > i) put(j, i);
  }
};

template <class T>
FillGraph<T> make_fill_graph(typename T::exec_space const& exec, SplitRows<T> const& split, int levels) {
  using index = typename T::index;
  using offset = typename T::offset;
  bool const identity = split.row_perm.extent(0) == 0 && split.new_column.extent(0) == 0;
  if (identity && !split.symmetric) return {split.matrix.row_ptr, split.matrix.col_idx};
  index const n = split.matrix.num_rows();
  auto const size = static_cast<std::size_t>(n);
  FillEdges<T> edges{split,
                     factor_view<FillOffsets<T>>(exec, "fill_row_ptr", size + 1),
                     factor_view<FillOffsets<T>>(exec, "fill_next", size),
                     {},
                     !is_host_space<typename T::exec_space> || (split.symmetric && exec.concurrency() > 1)};
  auto const put_all = [&] { for_each_entry<T>("sptrsv::factorization::fill_edges", exec, n, split, edges); };
  Kokkos::deep_copy(exec, edges.row_ptr, offset(0));
  put_all();
  offset const entries = fill_offsets<T>(exec, edges.row_ptr, levels, "the graph of A");
  Kokkos::deep_copy(exec, edges.next, Kokkos::subview(edges.row_ptr, std::pair<std::size_t, std::size_t>(0, size)));
  edges.col_idx = factor_view<FillIndices<T>>(exec, "fill_col_idx", static_cast<std::size_t>(entries));
  if (entries > 0) put_all();
  return {edges.row_ptr, edges.col_idx};
}

/// Output rows of the factors, and the first row without a diagonal entry.
template <class T>
struct FillRows {
  using index = typename T::index;
  using offset = typename T::offset;

  FillGraph<T> graph;
  FillRule rule;
  FillOffsets<T> lower_ptr, upper_ptr;  ///< n+1 each; first counts, then offsets
  FillIndices<T> lower_col, upper_col;
  Kokkos::View<index, typename T::device> first_missing;

  /// Stores the numbers of entries of row i.
  /// @param lower, upper  entries left and right of the diagonal
  /// @param diagonal      whether the row has a diagonal entry
  KOKKOS_FORCEINLINE_FUNCTION void put_counts(index i, offset lower, offset upper, bool diagonal) const {
    if (!rule.symmetric) lower_ptr(i) = lower;
    upper_ptr(i) = upper + (rule.symmetric ? 0 : 1);
    if (!diagonal) Kokkos::atomic_min(&first_missing(), i);
  }
  KOKKOS_FORCEINLINE_FUNCTION offset num_lower(index i) const {
    return rule.symmetric ? offset(0) : lower_ptr(i + 1) - lower_ptr(i);
  }
  /// Stores entry number `at` of row i; L's entries come first.
  KOKKOS_FORCEINLINE_FUNCTION void put(index i, offset in_lower, offset at, index column) const {
    if (at < in_lower) lower_col(lower_ptr(i) + at) = column;
    else upper_col(upper_ptr(i) + at - in_lower) = column;
  }
  KOKKOS_FORCEINLINE_FUNCTION void put_pivot(index i) const {
    if (!rule.symmetric) upper_col(upper_ptr(i + 1) - 1) = i;
  }
};

/// Kernel in which a team of one warp finds the entries of a row, with a table in scratch memory.
template <class T>
struct FillByTable {
  using index = typename T::index;
  using offset = typename T::offset;

  FillRows<T> rows;
  FillIndices<T> list;  ///< rows to process; empty: all
  index count;
  int slots, lanes;
  bool counting;
  Kokkos::View<unsigned char*, typename T::device> tables;  ///< by row, the number of tables that are too small for it
  unsigned char number;                                     ///< number of this table
  FillIndices<T> too_long;                                  ///< out: rows that overflow
  Kokkos::View<index, typename T::device> num_too_long;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    LanesOfWarp const group{lane_of(team), lanes};
    FillTable<index> table(team.team_shmem().get_shmem(static_cast<int>(FillTable<index>::bytes(slots))), slots);
    for (auto p = static_cast<long long>(team.league_rank()); p < count; p += team.league_size()) {
      index const i = list.extent(0) > 0 ? list(static_cast<index>(p)) : static_cast<index>(p);
      if (!counting && tables(i) != number) continue;
      table.clear(group);
      follow_paths<T>(group, rows.graph, rows.rule, i, table);
      if (!counting) write(group, table, i);
      else if (!table.overflows()) count_entries(group, table, i);
      else if (group.rank() == 0) hand_on(i);
      if (counting && group.rank() == 0 && !table.overflows()) tables(i) = number;
      group.sync();
    }
  }
  KOKKOS_INLINE_FUNCTION void hand_on(index i) const {
    tables(i) = number + 1;
    too_long(Kokkos::atomic_fetch_add(&num_too_long(), index(1))) = i;
  }
  template <class Group>
  KOKKOS_INLINE_FUNCTION void count_entries(Group const& group, FillTable<index> const& table, index i) const {
    if (group.rank() == 0) table.counters[reached_count] = table.counters[collected_count] = 0;
    group.sync();
    int lower = 0, upper = 0;
    for (int s = group.rank(); s < slots; s += group.size()) {
      bool const entry = table.is_entry(s, i, rows.rule.symmetric);
      lower += entry && table.key[s] < i;
      upper += entry && table.key[s] > i;
    }
    Kokkos::atomic_add(&table.counters[reached_count], lower);
    Kokkos::atomic_add(&table.counters[collected_count], upper);
    group.sync();
    if (group.rank() == 0)
      rows.put_counts(i, table.counters[reached_count], table.counters[collected_count],
                      table.counters[diagonal_there] != 0);
  }
  template <class Group>
  KOKKOS_INLINE_FUNCTION void write(Group const& group, FillTable<index> const& table, index i) const {
    if (group.rank() == 0) table.counters[collected_count] = 0;
    group.sync();
    for (int s = group.rank(); s < slots; s += group.size())
      if (table.is_entry(s, i, rows.rule.symmetric))
        table.queue[Kokkos::atomic_fetch_add(&table.counters[collected_count], 1)] = table.key[s];
    group.sync();
    int const entries = table.counters[collected_count];
    int size = 1;
    while (size < entries) size *= 2;
    for (int s = entries + group.rank(); s < size; s += group.size()) table.queue[s] = no_column<index>();
    group.sync();
    sort_by_lanes(group, table.queue, size);
    offset const in_lower = rows.num_lower(i);
    for (int s = group.rank(); s < entries; s += group.size()) rows.put(i, in_lower, s, table.queue[s]);
    if (group.rank() == 0) rows.put_pivot(i);
  }
};

/// Kernel with a long row per team, which has an array over all columns in global memory.
template <class T>
struct FillByArray {
  using index = typename T::index;
  using offset = typename T::offset;

  FillRows<T> rows;
  FillIndices<T> list;
  index count, n;
  bool counting;
  FillIndices<T> arrays;  ///< 4 n per team; the first n are no_column() before and after each row
  Kokkos::View<long long*, typename T::device> counters;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    ThreadsOfTeam<Team> const group{team};
    auto const rank = static_cast<std::size_t>(team.league_rank());
    index* const memory = arrays.data() + 4 * static_cast<std::size_t>(n) * rank;
    FillArray<index, true> array{memory, memory + n, memory + 2 * static_cast<std::size_t>(n),
                                 memory + 3 * static_cast<std::size_t>(n), counters.data() + num_fill_counters * rank};
    for (auto p = static_cast<long long>(team.league_rank()); p < count; p += team.league_size()) {
      index const i = list(static_cast<index>(p));
      array.clear(group);
      follow_paths<T>(group, rows.graph, rows.rule, i, array);
      if (counting) count_entries(team, array, i);
      else write(team, array, i);
      team.team_barrier();
      for (long long j = group.rank(); j < n; j += group.size()) array.best[j] = no_column<index>();
      team.team_barrier();
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_entry(FillArray<index, true> const& array, index i, index j) const {
    index const best = array.best[j];
    return best != no_column<index>() && j != i && (j > i || (!rows.rule.symmetric && best < j));
  }
  template <class Team>
  KOKKOS_INLINE_FUNCTION void count_entries(Team const& team, FillArray<index, true> const& array, index i) const {
    offset lower = 0, upper = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, index(0), i), [&](index j, offset& sum) { sum += is_entry(array, i, j); }, lower);
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, i, n), [&](index j, offset& sum) { sum += is_entry(array, i, j); }, upper);
    if (team.team_rank() == 0) rows.put_counts(i, lower, upper, array.counters[diagonal_there] != 0);
  }
  template <class Team>
  KOKKOS_INLINE_FUNCTION void write(Team const& team, FillArray<index, true> const& array, index i) const {
    offset const in_lower = rows.num_lower(i);
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, index(0), n), [&](index j, offset& at, bool final) {
      bool const entry = is_entry(array, i, j);
      if (final && entry) rows.put(i, in_lower, at, j);
      at += entry;
    });
    if (team.team_rank() == 0) rows.put_pivot(i);
  }
};

/// Two-pass fill of all rows on a device. The counting pass finds which table or array each row needs.
/// @tparam T  type pack of a device, or of a host in tests
template <class T>
class DeviceFill {
 public:
  using index = typename T::index;
  using exec_space = typename T::exec_space;

  DeviceFill(exec_space const& exec, index n, int small = FillTuning::small_table,
             int large_bytes = FillTuning::large_table_bytes)
      : n_(n), lanes_(lanes_share_rows<exec_space> ? warp_lanes<exec_space> : 1), slots_{small, small} {
    while (FillTable<index>::bytes(2 * slots_[1]) <= static_cast<std::size_t>(large_bytes)) slots_[1] *= 2;
    tables_ = factor_view<decltype(tables_)>(exec, "fill_tables", static_cast<std::size_t>(n));
    num_too_long_ = factor_view<decltype(num_too_long_)>(exec, "fill_num_too_long");
  }
  void count(exec_space const& exec, FillRows<T> const& rows) {
    index left = n_;
    for (int number = 0; number < 2 && left > 0; ++number) {
      // list of rows that overflow, with room for all rows that are left
      too_long_[number] = factor_view<FillIndices<T>>(exec, "fill_too_long", static_cast<std::size_t>(left));
      Kokkos::deep_copy(exec, num_too_long_, index(0));
      counts_[number] = left;
      launch(exec, rows, number, true);
      Kokkos::deep_copy(exec, left, num_too_long_);
      exec.fence("sptrsv::factorization: the number of rows that overflow their tables");
      if (left == 0) too_long_[number] = {};
    }
    counts_[2] = left;
    if (left > 0) launch_long(exec, rows, true);
  }
  void write(exec_space const& exec, FillRows<T> const& rows) {
    for (int number = 0; number < 2; ++number)
      if (counts_[number] > 0) launch(exec, rows, number, false);
    if (counts_[2] > 0) launch_long(exec, rows, false);
  }
  /// Returns three numbers of rows: all rows, those that overflowed table 0, and those that overflowed table 1, too.
  index const* counts() const { return counts_; }

 private:
  void launch(exec_space const& exec, FillRows<T> const& rows, int number, bool counting) const {
    auto const table = static_cast<unsigned char>(number);
    auto const list = number == 0 ? FillIndices<T>() : too_long_[0];
    FillByTable<T> const kernel{rows,     list,    counts_[number], slots_[number],    lanes_,
                                counting, tables_, table,           too_long_[number], num_too_long_};
    auto const resident = std::max(1LL, static_cast<long long>(exec.concurrency()) / lanes_);
    auto const teams = static_cast<int>(std::min<long long>(counts_[number], 4 * resident));
    Kokkos::parallel_for("sptrsv::factorization::fill_rows",
                         team_policy(exec, teams, 1, lanes_, FillTable<index>::bytes(slots_[number])), kernel);
  }
  void launch_long(exec_space const& exec, FillRows<T> const& rows, bool counting) {
    constexpr bool host = is_host_space<exec_space>;
    constexpr int threads = host ? 1 : FillTuning::threads_of_long_rows;
    double const bytes = 4.0 * sizeof(index) * static_cast<double>(n_);
    auto const resident = std::max(1LL, static_cast<long long>(exec.concurrency()) / threads);
    auto const teams =
        static_cast<int>(std::max(1LL, std::min({static_cast<long long>(counts_[2]), resident,
                                                 static_cast<long long>(FillTuning::array_bytes / bytes)})));
    if (arrays_.extent(0) == 0) {
      arrays_ = factor_view<FillIndices<T>>(exec, "fill_arrays",
                                            4 * static_cast<std::size_t>(n_) * static_cast<std::size_t>(teams));
      counters_ =
          factor_view<decltype(counters_)>(exec, "fill_counters", num_fill_counters * static_cast<std::size_t>(teams));
      Kokkos::deep_copy(exec, arrays_, no_column<index>());
    }
    FillByArray<T> const kernel{rows, too_long_[1], counts_[2], n_, counting, arrays_, counters_};
    Kokkos::parallel_for("sptrsv::factorization::fill_long_rows", team_policy(exec, teams, threads, 1), kernel);
  }

  index n_;
  int lanes_, slots_[2];
  index counts_[3] = {0, 0, 0};
  Kokkos::View<unsigned char*, typename T::device> tables_;
  Kokkos::View<index, typename T::device> num_too_long_;
  FillIndices<T> too_long_[2], arrays_;
  Kokkos::View<long long*, typename T::device> counters_;
};

}  // namespace sptrsv::detail
