// SPDX-License-Identifier: Apache-2.0
// Inverses of diagonal blocks, and their products with the entries of the block before, computed where the solve runs.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <limits>
#include <vector>

#include "sptrsv/algorithm/inverted/column_lists.hpp"
#include "sptrsv/device/solved_values.hpp"

namespace sptrsv::detail {

/// Blocks with their dense values: inv(D^-1 L_BB) and inv(D^-1 L_BB) D^-1 L_B,near, where D is the diagonal of L_BB.
/// Dividing rows by the diagonal beforehand keeps the scale of rows out of the inverses. Device-copyable.
template <class T>
struct InvertedRows {
  using scalar = typename T::scalar;
  using index = typename T::index;
  Kokkos::View<const index*, typename T::device> row;           ///< by position
  Kokkos::View<const InverseRow*, typename T::device> inverse;  ///< by position
  Kokkos::View<const InverseBlock<index>*, typename T::device> blocks;
  Kokkos::View<scalar*, typename T::device> dense;
  Kokkos::View<scalar*, typename T::device> pivot;     ///< by position, as finish_row() takes it
  Kokkos::View<int*, typename T::device> substituted;  ///< by block: `dense` has L_BB and L_B,near themselves
  Diagonal diagonal = Diagonal::unit;

  KOKKOS_INLINE_FUNCTION index num_rows() const { return static_cast<index>(row.extent(0)); }
  /// Returns the address of the diagonal entry of the inverse's row at position p.
  KOKKOS_FORCEINLINE_FUNCTION scalar* diagonal_at(index p) const {
    InverseRow const at = inverse(p);
    return dense.data() + at.at + at.length - 1;
  }
  /// Returns the address of the row of W at position p.
  KOKKOS_FORCEINLINE_FUNCTION scalar* product_row(InverseBlock<index> const& block, index p) const {
    return dense.data() + block.product +
           static_cast<std::size_t>(p - block.first) * static_cast<std::size_t>(block.near_rows);
  }
};

/// Row or column of tiles whose values one team computes. Rows and columns are counted from the first row of the block.
/// Device-copyable.
template <class I>
struct InverseStrip {
  I block;
  int row, rows;  ///< first row, and number of rows
  int strip;      ///< first row or column of the tiles
};

/// Lists of the strips of each step of the inversion, made once.
template <class T>
struct InversionSteps {
  using index = typename T::index;
  using list = Kokkos::View<const InverseStrip<index>*, typename T::device>;
  list diagonal;              ///< tiles on the diagonal
  std::vector<list> doubled;  ///< with 2^k tiles a half: strips of the lower half, or of the columns of the upper half
  list products;              ///< strips of the columns of W
};

template <class T>
InversionSteps<T> make_steps(typename T::exec_space const& exec,
                             std::vector<InverseBlock<typename T::index>> const& blocks) {
  using index = typename T::index;
  constexpr int tile = InvertedTuning::tile;
  InversionSteps<T> steps;
  std::vector<InverseStrip<index>> list;
  int most = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    auto const rows = static_cast<int>(blocks[b].rows);
    most = std::max(most, rows);
    for (int i = 0; i < rows; i += tile) list.push_back({static_cast<index>(b), i, std::min(tile, rows - i), 0});
  }
  steps.diagonal = copy_to_device<T>(exec, "sptrsv::inverted::diagonal", list);
  for (int half = tile; half < most; half *= 2) {
    list.clear();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      auto const rows = static_cast<int>(blocks[b].rows);
      for (int i = 0; i + half < rows; i += 2 * half)
        for (int s = 0; s < half; s += tile)
          list.push_back({static_cast<index>(b), i, std::min(half, rows - i - half), s});
    }
    steps.doubled.push_back(copy_to_device<T>(exec, "sptrsv::inverted::doubled", list));
  }
  list.clear();
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (int s = 0; s < static_cast<int>(blocks[b].near_rows); s += tile)
      list.push_back({static_cast<index>(b), 0, static_cast<int>(blocks[b].rows), s});
  steps.products = copy_to_device<T>(exec, "sptrsv::inverted::products", list);
  return steps;
}

/// Dense rows of a block: the lower triangle, in which only the columns of InverseRow are stored, and W.
template <class T>
struct BlockAccess {
  using scalar = typename T::scalar;
  using index = typename T::index;
  InvertedRows<T> const& to;
  InverseBlock<index> block;

  KOKKOS_FORCEINLINE_FUNCTION scalar* at(int i, int j) const {
    InverseRow const row = to.inverse(block.first + i);
    return j <= i && i - j < row.length ? to.dense.data() + row.at + (row.length - 1 - (i - j)) : nullptr;
  }
  KOKKOS_FORCEINLINE_FUNCTION scalar get(int i, int j) const {
    scalar const* const from = at(i, j);
    return from ? *from : scalar(0);
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(int i, int j, scalar const& value) const {
    if (scalar* const to_value = at(i, j)) *to_value = value;
  }
};

/// Product of tiles by a team: each thread has some elements of the result.
template <class T>
struct TeamProduct {
  using scalar = typename T::scalar;
  static constexpr int tile = InvertedTuning::tile, threads = is_host_space<typename T::exec_space> ? 1 : 256,
                       each = tile * tile / threads;
  static constexpr std::size_t scratch_bytes = 2 * tile * tile * sizeof(scalar);

  scalar* a;
  scalar* b;
  scalar sum[each];

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION explicit TeamProduct(Team const& team) {
    auto memory = team.team_shmem();
    a = static_cast<scalar*>(memory.get_shmem(static_cast<int>(scratch_bytes)));
    b = a + tile * tile;
  }
  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    for (int e = 0; e < each; ++e) sum[e] = scalar(0);
  }
  /// Adds A B, where A's element (i, k) is of_a(i, k), and B's is of_b(k, j).
  template <class Team, class OfA, class OfB>
  KOKKOS_FORCEINLINE_FUNCTION void add(Team const& team, OfA const& of_a, OfB const& of_b) {
    team.team_barrier();
    for (int e = 0; e < each; ++e) {
      int const cell = e * threads + team.team_rank();
      a[cell] = of_a(cell / tile, cell % tile);
      b[cell] = of_b(cell / tile, cell % tile);
    }
    team.team_barrier();
    for (int k = 0; k < tile; ++k)
      for (int e = 0; e < each; ++e) {
        int const cell = e * threads + team.team_rank();
        sum[e] += a[cell / tile * tile + k] * b[k * tile + cell % tile];
      }
  }
  /// Calls put(i, j, value) for the elements of the result. Other threads see what it stores after the next add().
  template <class Team, class Put>
  KOKKOS_FORCEINLINE_FUNCTION void each_of(Team const& team, Put const& put) const {
    team.team_barrier();
    for (int e = 0; e < each; ++e) {
      int const cell = e * threads + team.team_rank();
      put(cell / tile, cell % tile, sum[e]);
    }
  }
};

/// Kernel: inverts the tiles on the diagonal. Each thread substitutes in a column of the identity.
template <class T>
struct InvertTiles {
  using scalar = typename T::scalar;
  static constexpr int tile = InvertedTuning::tile, threads = is_host_space<typename T::exec_space> ? 1 : tile;
  static constexpr std::size_t scratch_bytes = 2 * tile * tile * sizeof(scalar);

  InvertedRows<T> to;
  typename InversionSteps<T>::list strips;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const strip = strips(team.league_rank());
    BlockAccess<T> const block{to, to.blocks(strip.block)};
    auto memory = team.team_shmem();
    auto* const l = static_cast<scalar*>(memory.get_shmem(static_cast<int>(scratch_bytes)));
    auto* const x = l + tile * tile;
    for (int cell = team.team_rank(); cell < tile * tile; cell += threads) {
      int const i = cell / tile, j = cell % tile;
      l[cell] = i < strip.rows && j < i ? block.get(strip.row + i, strip.row + j) : scalar(0);
    }
    team.team_barrier();
    for (int j = team.team_rank(); j < strip.rows; j += threads)
      for (int i = j; i < strip.rows; ++i) {
        scalar sum(i == j ? 1 : 0);
        for (int k = j; k < i; ++k) sum -= l[i * tile + k] * x[k * tile + j];
        x[i * tile + j] = sum;
        block.set(strip.row + i, strip.row + j, sum);
      }
  }
};

/// Kernel, a step of inv([A 0; C D]) = [inv(A) 0; -inv(D) C inv(A), inv(D)]: multiplies a strip of C's rows by inv(A)
/// from the right. Tiles of a strip ascend, since tile j is a sum over the tiles from j on.
template <class T>
struct MultiplyRight {
  using scalar = typename T::scalar;
  static constexpr int tile = InvertedTuning::tile;

  InvertedRows<T> to;
  typename InversionSteps<T>::list strips;
  int half;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const strip = strips(team.league_rank());
    if (strip.strip >= strip.rows) return;
    BlockAccess<T> const block{to, to.blocks(strip.block)};
    int const above = strip.row, below = strip.row + half + strip.strip, end = strip.row + half + strip.rows;
    TeamProduct<T> product(team);
    for (int j = 0; j < half; j += tile) {
      product.clear();
      for (int k = j; k < half; k += tile)
        product.add(
            team, [&](int r, int c) { return below + r < end ? block.get(below + r, above + k + c) : scalar(0); },
            [&](int r, int c) { return block.get(above + k + r, above + j + c); });
      product.each_of(team, [&](int r, int c, scalar const& value) {
        if (below + r < end) block.set(below + r, above + j + c, value);
      });
    }
  }
};

/// Kernel: multiplies a strip of columns by the inverse of the rows from the left, and stores it with the sign: of C
/// inv(A) by inv(D), or of L_B,near by inv(L_BB). Tiles of a strip descend, since tile i is a sum over the tiles up to
/// i.
template <class T>
struct MultiplyLeft {
  using scalar = typename T::scalar;
  static constexpr int tile = InvertedTuning::tile;

  InvertedRows<T> to;
  typename InversionSteps<T>::list strips;
  int half;  ///< 0: of W

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const strip = strips(team.league_rank());
    BlockAccess<T> const block{to, to.blocks(strip.block)};
    int const first = strip.row + half, end = first + strip.rows,
              columns = half > 0 ? half : static_cast<int>(block.block.near_rows);
    auto const at = [&](int i, int c) -> scalar* {
      if (i >= end || c >= columns) return nullptr;
      return half > 0 ? block.at(i, strip.row + c) : to.product_row(block.block, block.block.first + i) + c;
    };
    TeamProduct<T> product(team);
    for (int i = (strip.rows - 1) / tile * tile; i >= 0; i -= tile) {
      product.clear();
      for (int k = 0; k <= i; k += tile)
        product.add(
            team,
            [&](int r, int c) { return first + i + r < end ? block.get(first + i + r, first + k + c) : scalar(0); },
            [&](int r, int c) {
              scalar const* const from = at(first + k + r, strip.strip + c);
              return from ? *from : scalar(0);
            });
      product.each_of(team, [&](int r, int c, scalar const& value) {
        if (scalar* const out = at(first + i + r, strip.strip + c)) *out = half > 0 ? -value : value;
      });
    }
  }
};

/// Kernel: marks blocks in which a product with the inverse may be far less accurate than substitution. With M = D^-1 L
/// and all sums over rows of B, |x' - x|_i <= c u sum_j |inv(M_BB)|_ij (|M_B,near| + |M_BB|)_j e |x|_max: the growth of
/// row i is that sum. Scaling a row does not change it.
template <class T>
struct FindGrowth {
  using index = typename T::index;
  InvertedRows<T> to;
  Kokkos::View<const index*, typename T::device> block_of;
  Kokkos::View<const double*, typename T::device> row_sums;  ///< by position, of |M_B,near| + |M_BB|

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const p = static_cast<index>(team.league_rank());
    InverseRow const row = to.inverse(p);
    ColumnSums<double, 1> growth;
    int const parts = lanes_share_rows<typename T::exec_space> ? tile_lanes : 1;
    sum_over_parts(team, parts, ColumnBlock{}, growth, [&](int part, ColumnSums<double, 1>& sum) {
      for (int j = part; j < row.length; j += parts)
        sum.value[0] += static_cast<double>(Kokkos::abs(to.dense(row.at + static_cast<std::size_t>(j)))) *
                        row_sums(p - (row.length - 1 - j));
    });
    on_first_part(team, ColumnBlock{}, [&](int) {
      if (!(growth.value[0] <= InvertedTuning::most_growth)) to.substituted(block_of(p)) = 1;  // NaN, too
    });
  }
};

/// Computes the dense values of all blocks.
template <class T>
class BlockInversion {
 public:
  using index = typename T::index;
  using offset = typename T::offset;
  using scalar = typename T::scalar;
  using exec_space = typename T::exec_space;
  using member = typename Kokkos::TeamPolicy<exec_space>::member_type;

  BlockInversion() = default;
  BlockInversion(exec_space const& exec, std::vector<InverseBlock<index>> const& blocks, index num_rows)
      : steps_(make_steps<T>(exec, blocks)),
        row_sums_(raw_view<double, T>(exec, "sptrsv::inverted::row_sums", static_cast<std::size_t>(num_rows))) {}

  void run(exec_space const& exec, PlacedRows<T> const& rows, TriangleValues<T> const& numbers,
           InvertedRows<T> const& to) const {
    index const n = to.num_rows();
    auto const blocks = static_cast<index>(to.substituted.extent(0));
    Kokkos::parallel_for(
        "sptrsv::inverted::pivots", row_range<T>(exec, n), KOKKOS_LAMBDA(index p) {
          to.pivot(p) = numbers.pivot(rows.row(p));
          if (p < blocks) to.substituted(p) = 0;
        });
    copy_blocks(exec, rows, numbers, to, false);
    if (steps_.diagonal.extent(0) > 0)
      launch(exec, "sptrsv::inverted::tiles", steps_.diagonal, InvertTiles<T>::threads, InvertTiles<T>::scratch_bytes,
             InvertTiles<T>{to, steps_.diagonal});
    int half = InvertedTuning::tile;
    for (auto const& strips : steps_.doubled) {
      launch(exec, "sptrsv::inverted::right", strips, TeamProduct<T>::threads, TeamProduct<T>::scratch_bytes,
             MultiplyRight<T>{to, strips, half});
      launch(exec, "sptrsv::inverted::left", strips, TeamProduct<T>::threads, TeamProduct<T>::scratch_bytes,
             MultiplyLeft<T>{to, strips, half});
      half *= 2;
    }
    launch(exec, "sptrsv::inverted::products", steps_.products, TeamProduct<T>::threads, TeamProduct<T>::scratch_bytes,
           MultiplyLeft<T>{to, steps_.products, 0});
    Kokkos::parallel_for("sptrsv::inverted::growth", thread_per_row(exec, n),
                         FindGrowth<T>{to, rows.block_of, row_sums_});
    copy_blocks(exec, rows, numbers, to, true);
  }
  std::size_t memory_bytes() const {
    std::size_t bytes = row_sums_.span() * sizeof(double) +
                        (steps_.diagonal.span() + steps_.products.span()) * sizeof(InverseStrip<index>);
    for (auto const& strips : steps_.doubled) bytes += strips.span() * sizeof(InverseStrip<index>);
    return bytes;
  }

  // public because nvcc allows no lambda in a private member

  /// Copies D^-1 L_BB, without the diagonal, and D^-1 L_B,near to where their inverse and product will be.
  /// @param substituted  instead L_BB and L_B,near themselves, of the blocks that are solved by substitution
  void copy_blocks(exec_space const& exec, PlacedRows<T> const& rows, TriangleValues<T> const& numbers,
                   InvertedRows<T> const& to, bool substituted) const {
    auto const row_sums = row_sums_;
    auto const least = static_cast<double>(std::numeric_limits<typename Parts<scalar>::real>::min());
    Kokkos::parallel_for(
        "sptrsv::inverted::copy_blocks", thread_per_row(exec, to.num_rows()), KOKKOS_LAMBDA(member const& team) {
          auto const p = static_cast<index>(team.league_rank());
          index const b = rows.block_of(p);
          if (substituted && !to.substituted(b)) return;
          auto const block = to.blocks(b);
          InverseRow const row = to.inverse(p);
          scalar* const inner = to.dense.data() + row.at;
          scalar* const near = to.product_row(block, p);
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, row.length), [&](int j) { inner[j] = scalar(0); });
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, block.near_rows), [&](index j) { near[j] = scalar(0); });
          sync_warp();
          double sum = 0;  // infinite if a quotient underflows: the block is then solved by substitution
          scalar const pivot = to.pivot(p);
          index const i = rows.row(p);
          offset const begin = rows.rows.begin(i);
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, rows.rows.end(i) - begin),
              [&](offset e, double& mine) {
                index const c = rows.position(rows.rows.col_idx(begin + e));
                if (rows.is_outer(block, c)) return;
                scalar a = conjugate_if(numbers.all(rows.rows.source_of(begin + e)), numbers.conj);
                bool const is_zero = a == scalar(0);
                if (!substituted) a = finish_row(to.diagonal, a, pivot);
                // entries of the same column add up
                Kokkos::atomic_add(
                    c >= block.first ? inner + (row.length - 1 - (p - c)) : near + (c - block.near_first), a);
                double const size = static_cast<double>(Kokkos::abs(a));
                mine += is_zero || size >= least ? size : Kokkos::Experimental::infinity_v<double>;
              },
              sum);
          Kokkos::single(Kokkos::PerThread(team), [&]() { row_sums(p) = 1 + sum; });
        });
  }

 private:
  template <class Kernel>
  static void launch(exec_space const& exec, char const* label, typename InversionSteps<T>::list const& strips,
                     int threads, std::size_t scratch, Kernel const& kernel) {
    if (strips.extent(0) == 0) return;
    Kokkos::parallel_for(label, team_policy(exec, static_cast<int>(strips.extent(0)), threads, 1, scratch), kernel);
  }

  InversionSteps<T> steps_;
  Kokkos::View<double*, typename T::device> row_sums_;
};

}  // namespace sptrsv::detail
