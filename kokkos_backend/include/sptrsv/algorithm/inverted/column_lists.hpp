// SPDX-License-Identifier: Apache-2.0
// Builder of the entries outside of the inverted blocks: by slice of rows, the list of its columns; by segment of a
// list, the entries with columns numbered within the segment.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sptrsv/algorithm/inverted/outer_entries.hpp"
#include "sptrsv/device/lanes.hpp"

namespace sptrsv::detail {

/// Cuts the lists of columns into segments. A segment has at most `columns` columns. In wide blocks it has fewer, and
/// ends where it has `task_entries` entries, and before the columns of the level just below the block's.
template <class T>
struct ListCuts {
  using index = typename T::index;
  using offset = typename T::offset;
  PlacedRows<T> placed;
  Kokkos::View<const RowSlice<index>*, typename T::device> slices;
  Kokkos::View<const index*, typename T::device> begin;            ///< start of each slice's list
  Kokkos::View<const index*, typename T::device> columns;          ///< columns of the lists
  Kokkos::View<const offset*, typename T::device> entries_before;  ///< by column of the lists, and the end

  KOKKOS_INLINE_FUNCTION index level(index j) const { return placed.blocks(placed.block_of(columns(j))).level; }
  /// Returns the first j from `low` to `high` - 1 for which is(j) holds, or `high`; is(j) holds for all columns after
  /// it.
  template <class Is>
  KOKKOS_INLINE_FUNCTION static index first_where(index low, index high, Is const& is) {
    while (low < high) {
      index const middle = low + (high - low) / 2;
      if (is(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  /// Calls found(first, behind, entries) for each segment of the list of slice s.
  template <class Found>
  KOKKOS_INLINE_FUNCTION void operator()(index s, Found const& found) const {
    RowSlice<index> const slice = slices(s);
    index const below = placed.blocks(slice.block).level - 1, end = begin(s + 1);
    // room for sums of other parts
    index const most = InvertedTuning::columns - (slice.wide ? InvertedTuning::sums_of_parts : 0);
    index const last_level = slice.wide ? first_where(begin(s), end, [&](index j) { return level(j) >= below; }) : end;
    index first = begin(s);
    if (first == end && slice.wide) found(first, end, offset(0));
    while (first < end) {
      index behind = first < last_level ? last_level : end;
      if (behind - first > most) behind = first + most;
      offset const before = entries_before(first);
      if (slice.wide)
        behind = first_where(first + 1, behind,
                             [&](index j) { return entries_before(j) - before >= InvertedTuning::task_entries; });
      found(first, behind, entries_before(behind) - before);
      first = behind;
    }
  }
};

/// Kernel: copies the outer entries of a row to its segments, in their order. Each lane copies a part of the row, after
/// it has counted the entries of the parts before by segment.
template <class T>
struct CopyEntries {
  using index = typename T::index;
  using offset = typename T::offset;
  static constexpr int lanes = is_host_space<typename T::exec_space> ? 1 : tile_lanes, window = 24;
  static constexpr int stride = lanes + 1;  ///< distance of the counts of two segments, for memory banks
  static constexpr std::size_t scratch_bytes = stride * window * sizeof(int);

  PlacedRows<T> placed;
  OuterEntries<T> to;
  Kokkos::View<const RowSlice<index>*, typename T::device> slices;
  Kokkos::View<const index*, typename T::device> slice_of, segment_begin, list_index, segment_of;
  Kokkos::View<const offset*, typename T::device> entry_ptr;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    if (row_of(team) >= placed.rows.num_rows) return;
    auto const p = static_cast<index>(row_of(team));
    index const s = slice_of(p), row = p - slices(s).first;
    offset const begin = entry_ptr(p), count = entry_ptr(p + 1) - begin, each = (count + lanes - 1) / lanes,
                 source = placed.rows.begin(placed.row(p));
    auto memory = team.team_shmem();
    auto* const counts = static_cast<int*>(memory.get_shmem(static_cast<int>(team.team_size() * scratch_bytes)));
    int* const before = counts + team.team_rank() * stride * window;
    index const behind_last = segment_begin(s + 1);
    for (index g0 = segment_begin(s); g0 < behind_last; g0 += window) {
      int const here = behind_last - g0 < window ? static_cast<int>(behind_last - g0) : window;
      // calls f(e, j, g) for entry e of the lane's part: its index in the lists, and its segment from g0 on
      auto const visit = [&](int lane, auto const& f) {
        offset const end = lane * each + each < count ? lane * each + each : count;
        for (offset e = lane * each; e < end; ++e) {
          index const j = list_index(begin + e);
          if (j < 0) continue;
          index const g = segment_of(j) - g0;
          if (g >= 0 && g < window) f(e, j, g);
        }
      };
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int lane) {
        for (int g = 0; g < here; ++g) before[g * stride + lane] = 0;
        visit(lane, [&](offset, index, index g) { ++before[g * stride + lane]; });
      });
      sync_warp();
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, here), [&](int g) {
        int sum = 0;
        for (int lane = 0; lane < lanes; ++lane) {
          int const mine = before[g * stride + lane];
          before[g * stride + lane] = sum;
          sum += mine;
        }
      });
      sync_warp();
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int lane) {
        visit(lane, [&](offset e, index j, index g) {
          Segment<index> const& segment = to.segments(g0 + g);
          offset const at = to.row_ptr(segment.rows_at + row) + before[g * stride + lane]++;
          to.column(at) = static_cast<std::uint16_t>(j - segment.first);
          to.source(at) = placed.rows.source_of(source + e);
        });
      });
      sync_warp();
    }
  }
};

/// Bits of a word of a bit map.
inline constexpr int word_bits = 8 * sizeof(unsigned);

/// Bit map of the columns of a slice, in the words `at + first_word` to `at + first_word + words - 1` of all maps.
template <class I>
struct BitMap {
  long long at = 0;
  I first_word = 0, words = 0;
  KOKKOS_FORCEINLINE_FUNCTION std::size_t word(I c) const { return static_cast<std::size_t>(at + c / word_bits); }
};

/// Builder of OuterEntries.
template <class T>
class ColumnLists {
 public:
  using index = typename T::index;
  using offset = typename T::offset;
  using exec_space = typename T::exec_space;
  using member = typename Kokkos::TeamPolicy<exec_space>::member_type;
  template <class V>
  using view = Kokkos::View<V*, typename T::device>;
  static constexpr int map_threads = is_host_space<exec_space> ? 1 : 256;  ///< threads of a team that reads a bit map

  /// @param entry_ptr  number of entries before the row of each position
  /// @param entries    number of all entries
  ColumnLists(exec_space const& exec, Workspace<T>& work, PlacedRows<T> const& rows,
              std::vector<RowSlice<index>> const& slices, view<offset> const& entry_ptr, std::size_t entries)
      : exec_(exec), work_(work), rows_(rows), host_slices_(slices), entry_ptr_(entry_ptr), entries_(entries) {}

  OuterEntries<T> build() {
    index const n = rows_.rows.num_rows;
    typename Workspace<T>::Scope const scope(work_);
    slices_ = copy_to_device<T>(exec_, "sptrsv::inverted::slices", host_slices_);
    auto const slice_of = work_.template take<index>(static_cast<std::size_t>(n));
    number_members<T>("sptrsv::inverted::slice_of", exec_, slices_, slice_of);
    slice_of_ = slice_of;
    list_index_ = work_.template take<index>(entries_);
    make_lists();
    cut_segments();
    copy_entries();
    return out_;
  }

  // public because nvcc allows no lambda in a private member

  /// Lists the columns of each slice, and finds the index in the lists of each outer entry's column (-1: not outer).
  /// Columns are marked in bit maps, each from the first to the last outer column of a slice. The maps of successive
  /// slices are made together, up to InvertedTuning::marks bytes of them.
  void make_lists() {
    std::size_t const slices = host_slices_.size();
    auto maps = find_maps();
    std::vector<std::size_t> batches{0};  // first slice of each
    std::size_t words = 0, most = 0, widest = 1;
    for (std::size_t s = 0; s < slices; ++s) {
      auto const mine = static_cast<std::size_t>(maps[s].words);
      if (words > 0 && words + mine > InvertedTuning::marks / 8) {
        batches.push_back(s);
        words = 0;
      }
      maps[s].at = static_cast<long long>(words) - maps[s].first_word;
      words += mine;
      most = std::max(most, words);
      widest = std::max(widest, s + 1 - batches.back());
    }
    batches.push_back(slices);
    maps_ = copy_to_device<T>(exec_, "sptrsv::inverted::maps", maps);
    auto const marks = work_.template take<unsigned>(most);
    auto const before = work_.template take<index>(most);
    auto const count = work_.template take<index>(widest);
    list_begin_ = work_.template take<index>(slices + 1);
    std::vector<index> begins(slices + 1, 0);
    std::size_t used = 0;
    for (std::size_t k = 0; k + 1 < batches.size(); ++k) {
      std::size_t const first = batches[k], here = batches[k + 1] - first;
      mark(static_cast<index>(first), static_cast<index>(here), marks, before, count);
      auto const batch = Kokkos::make_pair(first, first + here + 1);
      auto const counts = copy_to_host(exec_, Kokkos::subview(count, Kokkos::make_pair(std::size_t(0), here)));
      begins[first] = static_cast<index>(used);
      for (std::size_t s = 0; s < here; ++s) {
        used += static_cast<std::size_t>(counts[s]);
        require_counted<index>("columns of slices of rows", used, "indices");
        begins[first + s + 1] = static_cast<index>(used);
      }
      Kokkos::deep_copy(
          exec_, Kokkos::subview(list_begin_, batch),
          Kokkos::View<index const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(begins.data() + first, here + 1));
      exec_.fence("sptrsv::inverted: starts of lists are copied");
      reserve_columns(used, first + here == slices);
      list(static_cast<index>(first), static_cast<index>(here), marks, before);
    }
    out_.columns = Kokkos::subview(out_.columns, Kokkos::make_pair(std::size_t(0), used));
  }
  /// Allocates at least `size` columns; unless these are the last ones, at least double the number before.
  void reserve_columns(std::size_t size, bool last) {
    std::size_t const old = out_.columns.extent(0);
    if (size <= old) return;
    auto const longer = raw_view<index, T>(exec_, "sptrsv::inverted::columns", last ? size : std::max(size, 2 * old));
    if (old > 0)
      Kokkos::deep_copy(exec_, Kokkos::subview(longer, Kokkos::make_pair(std::size_t(0), old)), out_.columns);
    out_.columns = longer;
  }

  /// Returns the words of each slice's bit map; none for a slice without outer entries. Fences.
  std::vector<BitMap<index>> find_maps() {
    std::size_t const slices = host_slices_.size();
    auto const first = work_.template take<index>(slices);
    auto const last = work_.template take<index>(slices);
    auto const placed = rows_;
    auto const slice_of = slice_of_;
    index const n = rows_.rows.num_rows;
    Kokkos::deep_copy(exec_, first, n);
    Kokkos::deep_copy(exec_, last, index(-1));
    Kokkos::parallel_for(
        "sptrsv::inverted::outer_columns", thread_per_row(exec_, n), KOKKOS_LAMBDA(member const& team) {
          auto const p = static_cast<index>(row_of(team));
          if (p >= n) return;
          auto const block = placed.blocks(placed.block_of(p));
          index const s = slice_of(p);
          index const i = placed.row(p);
          offset const begin = placed.rows.begin(i);
          Kokkos::MinMaxScalar<index> found;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, placed.rows.end(i) - begin),
              [&](offset e, Kokkos::MinMaxScalar<index>& range) {
                index const c = placed.position(placed.rows.col_idx(begin + e));
                if (!placed.is_outer(block, c)) return;
                range.min_val = c < range.min_val ? c : range.min_val;
                range.max_val = c > range.max_val ? c : range.max_val;
              },
              Kokkos::MinMax<index>(found));
          Kokkos::single(Kokkos::PerThread(team), [&]() {
            if (found.max_val < 0) return;  // none
            if (load_relaxed(&first(s)) > found.min_val) Kokkos::atomic_min(&first(s), found.min_val);
            if (load_relaxed(&last(s)) < found.max_val) Kokkos::atomic_max(&last(s), found.max_val);
          });
        });
    auto const lowest = copy_to_host(exec_, first), highest = copy_to_host(exec_, last);
    std::vector<BitMap<index>> maps(slices);
    for (std::size_t s = 0; s < slices; ++s)
      if (highest[s] >= 0) maps[s] = {0, lowest[s] / word_bits, highest[s] / word_bits - lowest[s] / word_bits + 1};
    return maps;
  }

  /// Marks the columns of `here` slices in bit maps, and counts those before each word.
  void mark(index first, index here, view<unsigned> const& marks, view<index> const& before, view<index> const& count) {
    auto const placed = rows_;
    auto const slice_of = slice_of_;
    auto const maps = maps_;
    auto const& last = host_slices_[static_cast<std::size_t>(first + here - 1)];
    index const begin = host_slices_[static_cast<std::size_t>(first)].first, rows = last.first + last.rows - begin;
    Kokkos::deep_copy(exec_, marks, 0u);
    Kokkos::parallel_for(
        "sptrsv::inverted::mark", thread_per_row(exec_, rows), KOKKOS_LAMBDA(member const& team) {
          if (row_of(team) >= rows) return;
          index const p = begin + static_cast<index>(row_of(team));
          auto const block = placed.blocks(placed.block_of(p));
          BitMap<index> const map = maps(slice_of(p));
          placed.for_each_entry(team, p, [&](index c, offset) {
            if (!placed.is_outer(block, c)) return;
            unsigned const bit = 1u << (c % word_bits);
            unsigned* const word = &marks(map.word(c));
            if ((load_relaxed(word) & bit) == 0) Kokkos::atomic_or(word, bit);
          });
        });
    Kokkos::parallel_for(
        "sptrsv::inverted::count", team_policy(exec_, static_cast<int>(here), map_threads, 1),
        KOKKOS_LAMBDA(member const& team) {
          BitMap<index> const map = maps(first + static_cast<index>(team.league_rank()));
          if (map.words == 0) {
            Kokkos::single(Kokkos::PerTeam(team), [&]() { count(team.league_rank()) = 0; });
            return;
          }
          Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, map.words), [&](index w, index& sum, bool final) {
            auto const at = static_cast<std::size_t>(map.at + map.first_word + w);
            if (final) before(at) = sum;
            sum += Kokkos::Experimental::popcount_builtin(marks(at));
            if (final && w + 1 == map.words) count(team.league_rank()) = sum;
          });
        });
  }
  /// Writes the lists of `here` slices, and the index in the lists of each entry's column.
  void list(index first, index here, view<unsigned> const& marks, view<index> const& before) {
    auto const placed = rows_;
    auto const slice_of = slice_of_;
    auto const maps = maps_;
    auto const list_begin = list_begin_;
    auto const columns = out_.columns;
    auto const list_index = list_index_;
    auto const entry_ptr = entry_ptr_;
    Kokkos::parallel_for(
        "sptrsv::inverted::list", team_policy(exec_, static_cast<int>(here), map_threads, 1),
        KOKKOS_LAMBDA(member const& team) {
          index const s = first + static_cast<index>(team.league_rank());
          BitMap<index> const map = maps(s);
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, map.words), [&](index w) {
            auto const at = static_cast<std::size_t>(map.at + map.first_word + w);
            auto to = static_cast<std::size_t>(list_begin(s)) + static_cast<std::size_t>(before(at));
            unsigned const word = marks(at);
            for (int bit = 0; bit < word_bits; ++bit)
              if (word >> bit & 1u) columns(to++) = (map.first_word + w) * word_bits + bit;
          });
        });
    auto const& last = host_slices_[static_cast<std::size_t>(first + here - 1)];
    index const begin = host_slices_[static_cast<std::size_t>(first)].first, rows = last.first + last.rows - begin;
    Kokkos::parallel_for(
        "sptrsv::inverted::places", thread_per_row(exec_, rows), KOKKOS_LAMBDA(member const& team) {
          if (row_of(team) >= rows) return;
          index const p = begin + static_cast<index>(row_of(team));
          auto const block = placed.blocks(placed.block_of(p));
          BitMap<index> const map = maps(slice_of(p));
          index const list = list_begin(slice_of(p));
          placed.for_each_entry(team, p, [&](index c, offset e) {
            index at = -1;
            if (placed.is_outer(block, c)) {
              std::size_t const word = map.word(c);
              unsigned const bits_before = marks(word) & ((1u << (c % word_bits)) - 1u);
              at = list + before(word) + Kokkos::Experimental::popcount_builtin(bits_before);
            }
            list_index(entry_ptr(p) + e) = at;
          });
        });
  }

  /// Calls of(p, j) for each outer entry of the row at position p; j is its column's index in the lists.
  template <class Of>
  void for_listed_entries(char const* label, Of const& of) const {
    index const n = rows_.rows.num_rows;
    auto const list_index = list_index_;
    auto const entry_ptr = entry_ptr_;
    Kokkos::parallel_for(
        label, thread_per_row(exec_, n), KOKKOS_LAMBDA(member const& team) {
          auto const p = static_cast<index>(row_of(team));
          if (p >= n) return;
          offset const begin = entry_ptr(p);
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, entry_ptr(p + 1) - begin), [&](offset e) {
            index const j = list_index(begin + e);
            if (j >= 0) of(p, j);
          });
        });
  }

  /// Cuts lists into segments, see ListCuts.
  void cut_segments() {
    auto const slices = static_cast<index>(host_slices_.size());
    auto const listed = static_cast<index>(out_.columns.extent(0));
    auto const uses = work_.template take<int>(out_.columns.extent(0));
    auto const entries_before = work_.template take<offset>(out_.columns.extent(0) + 1);
    segment_of_ = work_.template take<index>(out_.columns.extent(0));
    auto const segment_of = segment_of_;
    Kokkos::deep_copy(exec_, uses, 0);
    for_listed_entries("sptrsv::inverted::uses", KOKKOS_LAMBDA(index, index j) { Kokkos::atomic_inc(&uses(j)); });
    scan_before<T, offset>(
        "sptrsv::inverted::entries_before", exec_, work_, listed, entries_before,
        KOKKOS_LAMBDA(index j) { return uses(j); });
    ListCuts<T> const cut{rows_, slices_, list_begin_, out_.columns, entries_before};
    // counted first, since a scan may call its function twice
    auto const counts = work_.template take<index>(static_cast<std::size_t>(slices));
    Kokkos::parallel_for(
        "sptrsv::inverted::count_segments", row_range<T>(exec_, slices), KOKKOS_LAMBDA(index s) {
          index found = 0;
          cut(s, [&](index, index, offset) { ++found; });
          counts(s) = found;
        });
    auto const segment_begin = segment_begin_ = work_.template take<index>(static_cast<std::size_t>(slices) + 1);
    index const count = sum_before<T, index>(
        "sptrsv::inverted::segment_begin", exec_, work_, slices, segment_begin,
        KOKKOS_LAMBDA(index s) { return counts(s); });
    auto const segments = out_.segments =
        raw_view<Segment<index>, T>(exec_, "sptrsv::inverted::segments", static_cast<std::size_t>(count));
    Kokkos::parallel_for(
        "sptrsv::inverted::segments", row_range<T>(exec_, slices), KOKKOS_LAMBDA(index s) {
          index at = segment_begin(s);
          cut(s, [&](index first, index behind, offset entries) {
            segments(at++) = {first, behind - first, s, 0, behind > first ? cut.level(behind - 1) : index(-1), entries};
          });
        });
    Kokkos::parallel_for(
        "sptrsv::inverted::segment_of", thread_per_row(exec_, count), KOKKOS_LAMBDA(member const& team) {
          if (row_of(team) >= count) return;
          auto const g = static_cast<index>(row_of(team));
          index const first = segments(g).first;
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, segments(g).columns),
                               [&](index j) { segment_of(first + j) = g; });
        });
  }

  /// Copies the entries in the order of segments, of rows and of op(T)'s rows.
  void copy_entries() {
    auto const segments = out_.segments;
    auto const count = static_cast<index>(segments.extent(0));
    auto const of = slices_;
    auto const rows_at = work_.template take<index>(static_cast<std::size_t>(count) + 1);
    index const rows = sum_before<T, index>(
        "sptrsv::inverted::segment_rows", exec_, work_, count, rows_at,
        KOKKOS_LAMBDA(index g) { return of(segments(g).slice).rows; });
    Kokkos::parallel_for(
        "sptrsv::inverted::rows_at", row_range<T>(exec_, count),
        KOKKOS_LAMBDA(index g) { segments(g).rows_at = rows_at(g); });
    auto const row_ptr = out_.row_ptr =
        raw_view<offset, T>(exec_, "sptrsv::inverted::row_ptr", static_cast<std::size_t>(rows) + 1);
    auto const lengths = work_.template take<offset>(static_cast<std::size_t>(rows));
    Kokkos::deep_copy(exec_, lengths, offset(0));
    auto const segment_of = segment_of_;
    for_listed_entries(
        "sptrsv::inverted::lengths", KOKKOS_LAMBDA(index p, index j) {
          Segment<index> const& segment = segments(segment_of(j));
          Kokkos::atomic_inc(&lengths(segment.rows_at + p - of(segment.slice).first));
        });
    auto const entries = static_cast<std::size_t>(sum_before<T, offset>(
        "sptrsv::inverted::row_ptr", exec_, work_, rows, row_ptr, KOKKOS_LAMBDA(index r) { return lengths(r); }));
    out_.column = raw_view<std::uint16_t, T>(exec_, "sptrsv::inverted::column", entries);
    out_.source = raw_view<offset, T>(exec_, "sptrsv::inverted::source", entries);
    out_.values = raw_view<typename T::scalar, T>(exec_, "sptrsv::inverted::values", entries);
    using kernel = CopyEntries<T>;
    Kokkos::parallel_for("sptrsv::inverted::copy", thread_per_row(exec_, rows_.rows.num_rows, kernel::scratch_bytes),
                         kernel{rows_, out_, of, slice_of_, segment_begin_, list_index_, segment_of, entry_ptr_});
  }

 private:
  exec_space exec_;
  Workspace<T>& work_;
  PlacedRows<T> rows_;
  std::vector<RowSlice<index>> const& host_slices_;
  Kokkos::View<const RowSlice<index>*, typename T::device> slices_;
  Kokkos::View<const index*, typename T::device> slice_of_;
  Kokkos::View<const BitMap<index>*, typename T::device> maps_;
  view<offset> entry_ptr_;
  std::size_t entries_;
  view<index> list_begin_, list_index_, segment_of_, segment_begin_;
  OuterEntries<T> out_;
};

}  // namespace sptrsv::detail
