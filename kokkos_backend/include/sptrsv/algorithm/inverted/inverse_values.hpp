// SPDX-License-Identifier: Apache-2.0
// Inverses of diagonal blocks, and their products with the entries of the block before, computed where the solve runs.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <limits>
#include <vector>

#include "sptrsv/algorithm/inverted/inversion_steps.hpp"
#include "sptrsv/algorithm/inverted/outer_entries.hpp"
#include "sptrsv/device/solved_values.hpp"

namespace sptrsv::detail {

/// Dense rows of a block: the lower triangle, in which only the columns of InverseRow are stored, and W.
template <class T>
struct BlockAccess {
  using scalar = typename T::scalar;
  using index = typename T::index;
  InvertedRows<T> const& to;
  InverseBlock<index> block;

  /// Row of the block's triangle, by column from the block's first row on.
  struct Row {
    scalar* at;
    int first, last;  ///< columns that are stored; the last one is on the diagonal
    KOKKOS_FORCEINLINE_FUNCTION bool has(int j) const { return j >= first && j <= last; }
    KOKKOS_FORCEINLINE_FUNCTION scalar get(int j) const { return has(j) ? at[j] : scalar(0); }
  };
  KOKKOS_FORCEINLINE_FUNCTION Row row(int i) const {
    InverseRow const of = to.inverse(block.first + i);
    return {to.dense.data() + of.at + of.length - 1 - i, i - of.length + 1, i};
  }
  KOKKOS_FORCEINLINE_FUNCTION scalar get(int i, int j) const { return row(i).get(j); }
  KOKKOS_FORCEINLINE_FUNCTION void set(int i, int j, scalar const& value) const {
    if (Row const to_row = row(i); to_row.has(j)) to_row.at[j] = value;
  }
};

/// Sum of products of matrices by a team, for a tile of the result. Each thread has elements of it that are `side` rows
/// and columns apart.
template <class T, int tile>
struct TileSum {
  using scalar = typename T::scalar;
  static constexpr int side = is_host_space<typename T::exec_space> ? 1 : tile / 4, threads = side * side,
                       each = tile / side, step = 16, loads = tile * step / threads, stride = tile + 1;
  static constexpr std::size_t scratch_bytes = static_cast<std::size_t>(step) * (stride + tile) * sizeof(scalar);

  scalar* a;  ///< `step` columns of a factor A
  scalar* b;  ///< `step` rows of a factor B
  scalar sum[each][each];

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION explicit TileSum(Team const& team) {
    auto memory = team.team_shmem();
    a = static_cast<scalar*>(memory.get_shmem(static_cast<int>(scratch_bytes)));
    b = a + step * stride;
    for (int u = 0; u < each; ++u)
      for (int v = 0; v < each; ++v) sum[u][v] = scalar(0);
  }
  /// Returns the row of A whose element a thread loads with its load e.
  KOKKOS_FORCEINLINE_FUNCTION static int row_of(int rank, int e) { return (e * threads + rank) / step; }

  /// Adds A B for the columns of A from `first` to `end` - 1, `step` of them at a time: of_a(e, k) is element k of
  /// row_of(rank, e), of_b(k, j) is an element of B; both are 0 from `end` on. The next elements are loaded meanwhile.
  template <class Team, class OfA, class OfB>
  KOKKOS_FORCEINLINE_FUNCTION void add(Team const& team, int first, int end, OfA const& of_a, OfB const& of_b) {
    int const rank = static_cast<int>(team.team_rank());
    scalar next_a[loads], next_b[loads];
    auto const load = [&](int from) {
      for (int e = 0; e < loads; ++e) {
        int const cell = e * threads + rank;
        next_a[e] = of_a(e, from + cell % step);
        next_b[e] = of_b(from + cell / tile, cell % tile);
      }
    };
    load(first);
    for (int from = first; from < end; from += step) {
      team.team_barrier();
      for (int e = 0; e < loads; ++e) {
        int const cell = e * threads + rank;
        a[cell % step * stride + cell / step] = next_a[e];
        b[cell] = next_b[e];
      }
      team.team_barrier();
      if (from + step < end) load(from + step);
      for (int k = 0; k < step; ++k) {
        scalar x[each], y[each];
        for (int u = 0; u < each; ++u) x[u] = a[k * stride + rank / side + side * u];
        for (int v = 0; v < each; ++v) y[v] = b[k * tile + rank % side + side * v];
        for (int u = 0; u < each; ++u)
          for (int v = 0; v < each; ++v) sum[u][v] += x[u] * y[v];
      }
    }
  }
  /// Calls put(i, j, value) for the thread's elements of the result.
  template <class Put>
  KOKKOS_FORCEINLINE_FUNCTION void each_of(int rank, Put const& put) const {
    for (int u = 0; u < each; ++u)
      for (int v = 0; v < each; ++v) put(rank / side + side * u, rank % side + side * v, sum[u][v]);
  }
};

/// Kernel: inverts the tiles on the diagonal. Each thread substitutes in a column of the identity, which it has in
/// registers on a GPU. Blocks of one tile are marked if errors may grow too much, see FindGrowth.
template <class T>
struct InvertTiles {
  using scalar = typename T::scalar;
  static constexpr int tile = InvertedTuning::tile, threads = is_host_space<typename T::exec_space> ? 1 : tile;
  using Row = typename BlockAccess<T>::Row;
  static constexpr std::size_t scratch_bytes = tile * (tile * sizeof(scalar) + sizeof(Row));

  InvertedRows<T> to;
  typename InversionSteps<T>::list tiles;
  Kokkos::View<const double*, typename T::device> row_sums;  ///< by position, see FindGrowth

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    constexpr bool on_host = threads == 1;
    auto const at = tiles(team.league_rank());
    BlockAccess<T> const block{to, to.blocks(at.block)};
    int const left = static_cast<int>(block.block.rows) - at.row, rows = left < tile ? left : tile;
    auto memory = team.team_shmem();
    auto* const l = static_cast<scalar*>(memory.get_shmem(static_cast<int>(scratch_bytes)));
    auto* const row = reinterpret_cast<Row*>(l + tile * tile);
    for (int i = team.team_rank(); i < tile; i += threads) {
      row[i] = {nullptr, 0, -1};
      if (i < rows) row[i] = block.row(at.row + i);
    }
    team.team_barrier();
    for (int j = team.team_rank(); j < tile; j += threads) {
      SPTRSV_UNROLL
      for (int i = 0; i < tile; ++i) l[i * tile + j] = j < i ? row[i].get(at.row + j) : scalar(0);
    }
    team.team_barrier();
    for (int j = team.team_rank(); j < rows; j += threads) {
      scalar x[tile];
      int const first = on_host ? j : 0;
      SPTRSV_UNROLL
      for (int i = first; i < tile; ++i) {
        if (i >= rows) break;
        scalar sum(i == j ? 1 : 0);
        SPTRSV_UNROLL
        for (int k = first; k < i; ++k) sum -= l[i * tile + k] * x[k];
        x[i] = sum;
        if (row[i].has(at.row + j)) row[i].at[at.row + j] = sum;
      }
    }
    if (block.block.rows > tile) return;
    team.team_barrier();
    for (int i = team.team_rank(); i < rows; i += threads) {
      double growth = 0;
      for (int j = row[i].first; j <= i; ++j)
        growth += static_cast<double>(Kokkos::abs(row[i].at[j])) * row_sums(block.block.first + j);
      if (!(growth <= InvertedTuning::most_growth)) to.substituted(at.block) = 1;  // NaN, too
    }
  }
};

/// Kernel: computes tiles of products with inverses. A step of inv([A 0; C D]) = [inv(A) 0; -inv(D) C inv(A), inv(D)]
/// takes two of them, P = C inv(A) and -inv(D) P; W = inv(L_BB) L_B,near takes one.
template <class T, int tile>
struct MultiplyTiles {
  using scalar = typename T::scalar;
  using Sum = TileSum<T, tile>;

  InvertedRows<T> to;
  Kokkos::View<scalar*, typename T::device> products;
  typename InversionSteps<T>::list tiles;
  int half;    ///< rows of A; 0 for W
  bool right;  ///< P = C inv(A)

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const t = tiles(team.league_rank());
    BlockAccess<T> const block{to, to.blocks(t.block)};
    int const rank = static_cast<int>(team.team_rank()), below = t.row + half,
              left = static_cast<int>(block.block.rows) - below, height = half > 0 && half < left ? half : left,
              columns = half > 0 ? half : static_cast<int>(block.block.near_rows);
    scalar* const p = products.data() + t.products;
    typename BlockAccess<T>::Row rows[Sum::loads];
    for (int e = 0; e < Sum::loads; ++e) {
      int const i = t.i + Sum::row_of(rank, e);
      rows[e] = {nullptr, 0, -1};
      if (i < height) rows[e] = block.row(below + i);
    }
    Sum product(team);
    if (right) {
      product.add(
          team, t.j, half, [&](int e, int k) { return rows[e].get(t.row + k); },
          [&](int k, int j) { return block.get(t.row + k, t.row + t.j + j); });
      product.each_of(rank, [&](int i, int j, scalar const& value) {
        if (t.i + i < height) p[static_cast<std::size_t>(t.i + i) * columns + t.j + j] = value;
      });
      return;
    }
    product.add(
        team, 0, t.i + tile < height ? t.i + tile : height, [&](int e, int k) { return rows[e].get(below + k); },
        [&](int k, int j) {
          return k < height && t.j + j < columns ? p[static_cast<std::size_t>(k) * columns + t.j + j] : scalar(0);
        });
    product.each_of(rank, [&](int i, int j, scalar const& value) {
      if (t.i + i >= height || t.j + j >= columns) return;
      if (half > 0) block.set(below + t.i + i, t.row + t.j + j, -value);
      else to.near_row(block.block.first + t.i + i)[t.j + j] = value;
    });
  }
};

/// Kernel: marks blocks of several tiles in which a product with the inverse may be far less accurate than
/// substitution. With M = D^-1 L and all sums over rows of B, |x' - x|_i <= c u sum_j |inv(M_BB)|_ij (|M_B,near| +
/// |M_BB|)_j e |x|_max: the growth of row i is that sum. Scaling a row does not change it. Threads take the rows of a
/// tile on the diagonal.
template <class T>
struct FindGrowth {
  using index = typename T::index;
  InvertedRows<T> to;
  typename InversionSteps<T>::list tiles;
  Kokkos::View<const double*, typename T::device> row_sums;  ///< by position, of |M_B,near| + |M_BB|

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const at = tiles(team.league_rank());
    auto const block = to.blocks(at.block);
    index const first = block.first + at.row, end = block.first + block.rows;
    for (index p = first + team.team_rank(); p < first + InvertedTuning::tile && p < end; p += team.team_size()) {
      InverseRow const row = to.inverse(p);
      double growth = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, row.length),
          [&](int j, double& sum) {
            sum += static_cast<double>(Kokkos::abs(to.dense(row.at + static_cast<std::size_t>(j)))) *
                   row_sums(p - (row.length - 1 - j));
          },
          growth);
      if (!(growth <= InvertedTuning::most_growth)) to.substituted(at.block) = 1;  // NaN, too
    }
  }
};

/// Function: copies the row at a position, D^-1 L_BB without the diagonal to where its inverse will be, and D^-1
/// L_B,near to the products. Where the block is solved by substitution, it copies L_BB and L_B,near themselves to where
/// the inverse and W are. Device-copyable.
template <class T>
struct CopyRow {
  using index = typename T::index;
  using offset = typename T::offset;
  using scalar = typename T::scalar;
  PlacedRows<T> rows;
  TriangleValues<T> numbers;
  InvertedRows<T> to;
  Kokkos::View<double*, typename T::device> row_sums;
  Kokkos::View<const std::size_t*, typename T::device> near_at;
  Kokkos::View<scalar*, typename T::device> products;
  double least;  ///< smallest normal number

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Team const& team, index p, bool substituted) const {
    // all that is known of the row is loaded before anything is stored
    index const i = rows.row(p), b = rows.block_of(p);
    InverseRow const row = to.inverse(p);
    scalar const pivot = numbers.pivot(i);
    offset const begin = rows.rows.begin(i), count = rows.rows.end(i) - begin;
    auto const block = to.blocks(b);
    std::size_t const near_start =
        near_at(b) + static_cast<std::size_t>(p - block.first) * static_cast<std::size_t>(block.near_rows);
    scalar* const inner = to.dense.data() + row.at;
    scalar* const near = substituted ? to.near_row(p) : products.data() + near_start;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, row.length), [&](int j) { inner[j] = scalar(0); });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, block.near_rows), [&](index j) { near[j] = scalar(0); });
    sync_warp();
    double sum = 0;  // infinite if a quotient underflows: the block is then solved by substitution
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, count),
        [&](offset e, double& mine) {
          index const c = rows.position(rows.rows.col_idx(begin + e));
          if (rows.is_outer(block, c)) return;
          scalar a = conjugate_if(numbers.all(rows.rows.source_of(begin + e)), numbers.conj);
          bool const is_zero = a == scalar(0);
          if (!substituted) a = finish_row(to.diagonal, a, pivot);
          // entries of the same column add up
          Kokkos::atomic_add(c >= block.first ? inner + (row.length - 1 - (p - c)) : near + (c - block.near_first), a);
          double const size = static_cast<double>(Kokkos::abs(a));
          mine += is_zero || size >= least ? size : Kokkos::Experimental::infinity_v<double>;
        },
        sum);
    Kokkos::single(Kokkos::PerThread(team), [&]() {
      row_sums(p) = 1 + sum;
      to.pivot(p) = pivot;
      if (!substituted && p == block.first) to.substituted(b) = 0;
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
  static constexpr int tile = InvertedTuning::tile, wide = InvertedTuning::wide_tile<exec_space>();

  BlockInversion() = default;
  BlockInversion(exec_space const& exec, std::vector<InverseBlock<index>> const& blocks, index num_rows)
      : row_sums_(raw_view<double, T>(exec, "sptrsv::inverted::row_sums", static_cast<std::size_t>(num_rows))) {
    std::vector<std::size_t> near_at;
    std::size_t most = 0;
    for (std::size_t begin = 0; begin < blocks.size();) {
      steps_.push_back(StepLists<T>::make(exec, blocks, begin, near_at));
      most = std::max(most, steps_.back().products);
    }
    near_at_ = copy_to_device<T>(exec, "sptrsv::inverted::near_at", near_at);
    products_ = raw_view<scalar, T>(exec, "sptrsv::inverted::products", most);
  }

  void run(exec_space const& exec, PlacedRows<T> const& rows, TriangleValues<T> const& numbers,
           InvertedRows<T> const& to) const {
    CopyRow<T> const copy{rows,
                          numbers,
                          to,
                          row_sums_,
                          near_at_,
                          products_,
                          static_cast<double>(std::numeric_limits<typename Parts<scalar>::real>::min())};
    for (auto const& steps : steps_) invert(exec, steps, copy);
  }
  std::size_t memory_bytes() const {
    std::size_t bytes =
        row_sums_.span() * sizeof(double) + near_at_.span() * sizeof(std::size_t) + products_.span() * sizeof(scalar);
    for (auto const& steps : steps_) {
      std::size_t tiles = steps.diagonal.span() + steps.near.span();
      for (auto const& each : steps.doubled) tiles += each.span();
      bytes += tiles * sizeof(InverseTile<index>);
    }
    return bytes;
  }

  // public because nvcc allows no lambda in a private member

  /// Copies the rows at `count` positions from `first` on.
  void copy_blocks(exec_space const& exec, index first, index count, CopyRow<T> const& copy) const {
    Kokkos::parallel_for(
        "sptrsv::inverted::copy_blocks", thread_per_row(exec, count), KOKKOS_LAMBDA(member const& team) {
          if (row_of(team) < count) copy(team, first + static_cast<index>(row_of(team)), false);
        });
  }
  /// Tells rows whether their block is solved by substitution, and copies them if it is. A thread takes a tile's rows.
  void copy_substituted(exec_space const& exec, InversionSteps<T> const& steps, CopyRow<T> const& copy) const {
    auto const tiles = steps.diagonal;
    auto const count = static_cast<index>(tiles.extent(0));
    Kokkos::parallel_for(
        "sptrsv::inverted::copy_substituted", thread_per_row(exec, count), KOKKOS_LAMBDA(member const& team) {
          if (row_of(team) >= count) return;
          auto const at = tiles(row_of(team));
          auto const block = copy.to.blocks(at.block);
          int const substituted = copy.to.substituted(at.block);
          index const first = block.first + at.row, left = block.rows - at.row, rows = left < tile ? left : tile;
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, rows),
                               [&](index r) { copy.to.by_substitution(first + r) = substituted; });
          for (index r = 0; substituted && r < rows; ++r) copy(team, first + r, true);
        });
  }

 private:
  void invert(exec_space const& exec, InversionSteps<T> const& steps, CopyRow<T> const& copy) const {
    auto const& to = copy.to;
    copy_blocks(exec, steps.first, steps.rows, copy);
    launch<InvertTiles<T>>(exec, "sptrsv::inverted::tiles", {to, steps.diagonal, row_sums_}, InvertTiles<T>::threads,
                           InvertTiles<T>::scratch_bytes);
    int half = tile;
    for (auto const& tiles : steps.doubled) {
      for (bool const right : {true, false})
        if (half == tile) multiply<tile>(exec, "sptrsv::inverted::doubled", to, tiles, half, right);
        else multiply<wide>(exec, "sptrsv::inverted::doubled", to, tiles, half, right);
      half *= 2;
    }
    auto const several = Kokkos::subview(steps.diagonal, Kokkos::make_pair(std::size_t(0), steps.several));
    if (steps.several > 0)
      Kokkos::parallel_for("sptrsv::inverted::growth",
                           team_policy(exec, static_cast<int>(steps.several), is_gpu<exec_space> ? 16 : 1,
                                       is_host_space<exec_space> ? 1 : tile_lanes),
                           FindGrowth<T>{to, several, row_sums_});
    multiply<wide>(exec, "sptrsv::inverted::near", to, steps.near, 0, false);
    copy_substituted(exec, steps, copy);
  }
  template <int size>
  void multiply(exec_space const& exec, char const* label, InvertedRows<T> const& to,
                typename InversionSteps<T>::list const& tiles, int half, bool right) const {
    using Sum = TileSum<T, size>;
    launch<MultiplyTiles<T, size>>(exec, label, {to, products_, tiles, half, right}, Sum::threads, Sum::scratch_bytes);
  }
  template <class Kernel>
  static void launch(exec_space const& exec, char const* label, Kernel const& kernel, int threads,
                     std::size_t scratch) {
    auto const tiles = static_cast<int>(kernel.tiles.extent(0));
    if (tiles > 0) Kokkos::parallel_for(label, team_policy(exec, tiles, threads, 1, scratch), kernel);
  }

  std::vector<InversionSteps<T>> steps_;
  Kokkos::View<double*, typename T::device> row_sums_;
  Kokkos::View<const std::size_t*, typename T::device> near_at_;  ///< by block: start of L_B,near in the products
  Kokkos::View<scalar*, typename T::device> products_;
};

}  // namespace sptrsv::detail
