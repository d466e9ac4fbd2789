// SPDX-License-Identifier: Apache-2.0
// Entries outside of the inverted blocks, and the rows with their positions.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "sptrsv/algorithm/inverted/inverse_blocks.hpp"

namespace sptrsv::detail {

/// Rows whose sums share a list of columns: rows of a wide block, or small blocks of one level.
template <class I>
struct RowSlice {
  I first, rows;               ///< positions
  I block, behind_last_block;  ///< the blocks
  bool wide;
};

/// Columns of a slice that are in scratch memory at the same time.
template <class I>
struct Segment {
  I first, columns;  ///< in the list of columns
  I slice;
  I rows_at;  ///< number of rows of all segments before: where its rows start in row_ptr
  I level;    ///< level of the block of the last column, -1 without columns
  long long entries;
};

/// Entries of op(T) outside of blocks and their `near` blocks. Device-copyable.
template <class T>
struct OuterEntries {
  using index = typename T::index;
  using offset = typename T::offset;
  Kokkos::View<index*, typename T::device> columns;            ///< positions, ascending in each slice
  Kokkos::View<Segment<index>*, typename T::device> segments;  ///< in the order of slices
  Kokkos::View<offset*, typename T::device> row_ptr;           ///< by row of each segment, and the end
  Kokkos::View<std::uint16_t*, typename T::device> column;     ///< by entry: number in the segment
  Kokkos::View<offset*, typename T::device> source;            ///< by entry: where its value is in the caller's array
  Kokkos::View<typename T::scalar*, typename T::device> values;

  std::size_t memory_bytes() const {
    return columns.span() * sizeof(index) + segments.span() * sizeof(Segment<index>) + row_ptr.span() * sizeof(offset) +
           column.span() * sizeof(std::uint16_t) + source.span() * sizeof(offset) +
           values.span() * sizeof(typename T::scalar);
  }
};

/// Rows of op(T) with what is known of their positions, for kernels of the analysis. Device-copyable.
template <class T>
struct PlacedRows {
  using index = typename T::index;
  using offset = typename T::offset;
  OffDiagonals<T> rows;
  Kokkos::View<const index*, typename T::device> row;       ///< by position
  Kokkos::View<const index*, typename T::device> position;  ///< by row
  Kokkos::View<const index*, typename T::device> block_of;  ///< by position
  Kokkos::View<const InverseBlock<index>*, typename T::device> blocks;

  /// Calls of_entry(c, e) for each entry of the row at position p, on the lanes of a thread: position c of its column,
  /// and number e in the row.
  template <class Team, class OfEntry>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_entry(Team const& team, index p, OfEntry const& of_entry) const {
    index const i = row(p);
    offset const begin = rows.begin(i), count = rows.end(i) - begin;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count),
                         [&](offset e) { of_entry(position(rows.col_idx(begin + e)), e); });
  }
  /// Tells whether column c is outside of the block and its `near` block.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_outer(InverseBlock<index> const& block, index c) {
    return c < block.first && !block.in_near(c);
  }
};

/// Sets number(p) = k for all positions p of range k.
/// @param ranges  with members `first` and `rows`
template <class T, class Ranges>
void number_members(char const* label, typename T::exec_space const& exec, Ranges const& ranges,
                    Kokkos::View<typename T::index*, typename T::device> const& number) {
  using index = typename T::index;
  using member = typename Kokkos::TeamPolicy<typename T::exec_space>::member_type;
  auto const count = static_cast<index>(ranges.extent(0));
  Kokkos::parallel_for(
      label, thread_per_row(exec, count), KOKKOS_LAMBDA(member const& team) {
        if (row_of(team) >= count) return;
        auto const k = static_cast<index>(row_of(team));
        auto const range = ranges(k);
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, range.rows),
                             [&](index r) { number(range.first + r) = k; });
      });
}

}  // namespace sptrsv::detail
