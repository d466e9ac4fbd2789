// SPDX-License-Identifier: Apache-2.0
// Values of nodes in the order of `blocked`: rows of op(T), multiplied by the inverses of the nodes' triangles.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "sptrsv/algorithm/blocked/block_columns.hpp"
#include "sptrsv/algorithm/blocked/block_plan.hpp"
#include "sptrsv/device/gpu_tuning.hpp"
#include "sptrsv/device/lanes.hpp"
#include "sptrsv/device/team_launch.hpp"
#include "sptrsv/triangle/node_graph.hpp"
#include "sptrsv/triangle/stored_values.hpp"

namespace sptrsv::detail {

/// Numeric phase of NodesOnDevice. With D the triangle of a node and N its rows outside of the node, the solve needs
/// inv(D) N and inv(D). Where errors may grow too much, the node keeps D and N, and is solved by substitution. The
/// error of an unknown is at most a few rounding errors of |x|_max times the growth, max_i (|inv(D)| (|N| + |D - diag
/// D|) e)_i, for which an upper bound is compared with BlockedTuning::most_node_growth.
template <class T, int Size>
struct FillNodes {
  using scalar = typename T::scalar;
  using index = typename T::index;
  using offset = typename T::offset;
  BlockPlan<T> plan;
  NodeRows<T> rows;
  Kokkos::View<scalar*, typename T::device> values;
  Kokkos::View<scalar*, typename T::device> pivot;
  Kokkos::View<std::uint8_t*, typename T::device> substituted;
  TriangleValues<T> numbers;
  static constexpr int pivots = Size * (Size + 1) / 2;

  static constexpr double too_much = 2 * BlockedTuning::most_node_growth;
  /// Magnitude below which products are not relied on.
  static constexpr double tiny = sizeof(typename Parts<scalar>::real) == 8 ? 0x1p-960 : 0x1p-90;
  KOKKOS_FORCEINLINE_FUNCTION static double magnitude(scalar const& value) {
    return static_cast<double>(Kokkos::abs(value));
  }
  /// Tells whether the product of two numbers other than zero is too small to have all its digits.
  KOKKOS_FORCEINLINE_FUNCTION static bool underflows(scalar const& a, scalar const& b) {
    return a != scalar(0) && b != scalar(0) && magnitude(a) * magnitude(b) < tiny;
  }
  KOKKOS_FORCEINLINE_FUNCTION scalar entry(offset k) const {
    return conjugate_if(numbers.all(rows.rows.source_of(k)), numbers.conj);
  }
  /// Returns the number of an unknown of its node in the order of the solve.
  KOKKOS_FORCEINLINE_FUNCTION int unknown(int in_node) const { return rows.ascending ? in_node : Size - 1 - in_node; }

  /// A node's rows: their triangle, and where their entries outside of the node are.
  struct Node {
    offset count = 0;         ///< entries of a row outside of the node
    offset outside[Size];     ///< first entry outside
    scalar triangle[pivots];  ///< by rows, with pivots in the form that finish_row() takes
  };
  KOKKOS_FUNCTION void read(index node, Node& out) const {
    out.count = rows.outside(node);
    for (int s = 0; s < Size; ++s) {
      index const i = rows.row(node, s);
      out.outside[s] = rows.first_outside(i, out.count);
      scalar* const row = out.triangle + s * (s + 1) / 2;
      for (int c = 0; c < s; ++c) row[c] = scalar(0);
      row[s] = numbers.pivot(i);
      offset const within = rows.first_within(i, out.count);
      for (offset k = within; k < within + (rows.rows.count(i) - out.count); ++k)
        row[unknown(static_cast<int>(rows.rows.col_idx(k) % Size))] += entry(k);
    }
  }
  /// Computes the inverse of a triangle by rows, and adds the growth of errors by its own entries: `too_much` if a
  /// product underflows, since numbers near the least normal one have fewer digits.
  KOKKOS_FUNCTION void invert(scalar const (&triangle)[pivots], scalar (&inverse)[pivots], double& growth) const {
    double most = 0;
    for (int s = 0; s < Size; ++s) {
      scalar* const row = inverse + s * (s + 1) / 2;
      double own = 0;
      bool lost = false;
      for (int c = s; c >= 0; --c) {
        scalar sum = c == s ? scalar(1) : scalar(0);
        double size = 0;
        for (int j = c + 1; j <= s; ++j) {
          scalar const entry = triangle[j * (j + 1) / 2 + c];
          sum -= row[j] * entry;
          lost |= underflows(row[j], entry);
        }
        for (int j = 0; j < c; ++j) size += magnitude(triangle[c * (c + 1) / 2 + j]);
        row[c] = finish_row(numbers.diagonal, sum, triangle[c * (c + 1) / 2 + c]);
        own += size * magnitude(row[c]);
        lost |= sum != scalar(0) && magnitude(row[c]) < tiny;
      }
      if (lost || own != own) own = too_much;
      most = Kokkos::max(most, own);
    }
    growth += most;
  }
  /// Stores column k of the node at position p, of which of(s) is the entry in row s.
  template <class Of>
  KOKKOS_FORCEINLINE_FUNCTION void put_column(EntryOffsets const& offsets, std::uint64_t first_pack, index p, offset k,
                                              Of const& of) const {
    bool is_deferred;
    offset const number = plan.number_of(p, static_cast<offset>(k / Size), is_deferred);
    std::uint64_t const block = first_pack + (is_deferred ? offsets.late(number) : offsets.column(number)),
                        at = block * static_cast<std::uint64_t>(node_block_stride(Size)) +
                             static_cast<std::uint64_t>(unknown(static_cast<int>(k % Size)));
    for (int s = 0; s < Size; ++s) values(at + static_cast<std::uint64_t>(s * Size)) = of(s);
  }

  /// Stores a node: inv(D) and inv(D) N, or D and N if `keeps` and the node is solved by substitution. The lanes of a
  /// thread share the columns of a node; all threads of a warp call it.
  /// @param p  position of the node in a slice; -1: none
  template <class Team>
  KOKKOS_FUNCTION void store(Team const& team, int lanes, index slice, index p, bool keeps) const {
    Node node;
    scalar inverse[pivots];
    ColumnSums<double, 1> growth;
    double own_growth = 0;
    bool const active = p >= 0 && (!keeps || substituted(p) != 0);
    if (active) {
      read(plan.row(p), node);
      if (!keeps) invert(node.triangle, inverse, own_growth);
    }
    sum_over_parts(team, lanes, ColumnBlock{}, growth, [&](int lane, ColumnSums<double, 1>& mine) {
      if (!active) return;
      auto const offsets = entry_offsets(plan, slice, p);
      std::uint64_t const first_pack = plan.slice_pack(slice);
      for (offset k = lane; k < node.count; k += static_cast<offset>(lanes)) {
        scalar column[Size];
        for (int s = 0; s < Size; ++s) column[s] = entry(node.outside[s] + k);
        if (keeps) put_column(offsets, first_pack, p, k, [&](int s) { return column[s]; });
        else mine.value[0] += store_product(offsets, first_pack, p, k, inverse, column);
      }
    });
    on_first_part(team, ColumnBlock{}, [&](int) {
      if (!active) return;
      auto const to = static_cast<std::size_t>(p) * pivots;
      for (int e = 0; e < pivots; ++e) pivot(to + static_cast<std::size_t>(e)) = keeps ? node.triangle[e] : inverse[e];
      if (!keeps) substituted(p) = !(growth.value[0] + own_growth <= BlockedTuning::most_node_growth);  // NaN, too
    });
  }
  /// Stores column k of inv(D) N, and returns its share of the growth: the maximum over the rows.
  KOKKOS_FORCEINLINE_FUNCTION double store_product(EntryOffsets const& offsets, std::uint64_t first_pack, index p,
                                                   offset k, scalar const (&inverse)[pivots],
                                                   scalar const (&column)[Size]) const {
    double most = 0;
    put_column(offsets, first_pack, p, k, [&](int s) {
      scalar const* const row = inverse + s * (s + 1) / 2;
      scalar sum(0);
      double size = 0;
      bool lost = false;
      for (int c = 0; c <= s; ++c) {
        sum += row[c] * column[c];
        size += magnitude(row[c]) * magnitude(column[c]);
        lost |= underflows(row[c], column[c]);
      }
      if ((lost && size < tiny) || size != size) size = too_much;
      most = Kokkos::max(most, size);
      return sum;
    });
    return most;
  }
};

template <class T, int Size>
void fill_nodes(typename T::exec_space const& exec, FillNodes<T, Size> const& fill) {
  using index = typename T::index;
  using member = typename Kokkos::TeamPolicy<typename T::exec_space>::member_type;
  int const warp = Kokkos::TeamPolicy<typename T::exec_space>::vector_length_max();
  auto const& slices = fill.plan.slice_chunks;
  double const blocks = static_cast<double>(fill.plan.col_idx.extent(0)) / static_cast<double>(fill.plan.row.extent(0));
  int const lanes = lanes_per_row(blocks * Size, warp, 2), threads = BlockedTuning::analysis_threads / lanes;
  auto const per_slice = static_cast<std::uint64_t>(fill.plan.shape.rows_per_slice), all = slices.extent(0) * per_slice;
  for (bool const keeps : {false, true})
    Kokkos::parallel_for(
        "sptrsv::blocked::update_nodes",
        team_policy(
            exec,
            static_cast<int>((all + static_cast<std::uint64_t>(threads) - 1) / static_cast<std::uint64_t>(threads)),
            threads, lanes),
        KOKKOS_LAMBDA(member const& team) {
          auto const t = static_cast<std::uint64_t>(team.league_rank()) * static_cast<std::uint64_t>(team.team_size()) +
                         static_cast<std::uint64_t>(team.team_rank());
          auto const slice = static_cast<index>(t < all ? t / per_slice : 0);
          index const p = fill.plan.slice_row(slice) + static_cast<index>(t % per_slice);
          fill.store(team, lanes, slice, t < all && p < fill.plan.slice_row(slice + 1) ? p : index(-1), keeps);
        });
}

}  // namespace sptrsv::detail
