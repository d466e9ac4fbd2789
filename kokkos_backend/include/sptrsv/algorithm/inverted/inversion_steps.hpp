// SPDX-License-Identifier: Apache-2.0
// Dense values of inverted blocks, and the tiles of each step that computes them.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <vector>

#include "sptrsv/algorithm/inverted/inverse_blocks.hpp"

namespace sptrsv::detail {

/// Blocks with their dense values: inv(D^-1 L_BB) and inv(D^-1 L_BB) D^-1 L_B,near, where D is the diagonal of L_BB.
/// Dividing rows by the diagonal beforehand keeps the scale of rows out of the inverses. Device-copyable.
template <class T>
struct InvertedRows {
  using scalar = typename T::scalar;
  using index = typename T::index;
  Kokkos::View<const index*, typename T::device> row;           ///< by position
  Kokkos::View<const InverseRow*, typename T::device> inverse;  ///< by position
  Kokkos::View<const index*, typename T::device> block_of;      ///< by position
  Kokkos::View<const InverseBlock<index>*, typename T::device> blocks;
  Kokkos::View<scalar*, typename T::device> dense;
  Kokkos::View<scalar*, typename T::device> pivot;         ///< by position, as finish_row() takes it
  Kokkos::View<int*, typename T::device> substituted;      ///< by block: `dense` has L_BB and L_B,near themselves
  Kokkos::View<int*, typename T::device> by_substitution;  ///< by position: the same of its block
  Diagonal diagonal = Diagonal::unit;

  KOKKOS_INLINE_FUNCTION index num_rows() const { return static_cast<index>(row.extent(0)); }
  /// Returns the address of the diagonal entry of the inverse's row at position p.
  KOKKOS_FORCEINLINE_FUNCTION scalar* diagonal_at(index p) const {
    InverseRow const at = inverse(p);
    return dense.data() + at.at + at.length - 1;
  }
  /// Returns the address of the row of W at position p.
  KOKKOS_FORCEINLINE_FUNCTION scalar* near_row(index p) const {
    InverseRow const at = inverse(p);
    return dense.data() + at.at + InverseRow::padded(at.length);
  }
};

/// Tile whose values one team computes. Rows and columns are counted from the first row of the block. Device-copyable.
template <class I>
struct InverseTile {
  I block;
  int row;               ///< first row of the two halves, or of a tile on the diagonal
  int i, j;              ///< first row, in the lower half, and first column of the tile
  std::size_t products;  ///< start of the intermediate products
};

/// Successive blocks that are inverted together, and the tiles of each step, listed once.
template <class T>
struct InversionSteps {
  using index = typename T::index;
  using list = Kokkos::View<const InverseTile<index>*, typename T::device>;
  index first = 0, rows = 0;  ///< positions
  list diagonal;              ///< tiles on the diagonal, first those of blocks of several tiles
  std::size_t several = 0;    ///< number of these
  std::vector<list> doubled;  ///< with 2^k tiles a half: tiles of the lower left quarter
  list near;                  ///< tiles of W
  std::size_t products = 0;   ///< intermediate products, and L_B,near
};

/// Lists the tiles of successive blocks, which have about InvertedTuning::products bytes of intermediate products.
template <class T>
class StepLists {
 public:
  using index = typename T::index;
  using scalar = typename T::scalar;
  using Blocks = std::vector<InverseBlock<index>>;
  static constexpr int tile = InvertedTuning::tile, wide = InvertedTuning::wide_tile<typename T::exec_space>();

  /// Returns the steps for blocks from `begin` on, and sets `begin` to the first block that is left.
  /// @param near_at  by block: set to the start of L_B,near in the products
  static InversionSteps<T> make(typename T::exec_space const& exec, Blocks const& blocks, std::size_t& begin,
                                std::vector<std::size_t>& near_at) {
    StepLists lists;
    InversionSteps<T> steps;
    steps.first = blocks[begin].first;
    std::size_t b = begin;
    do {
      lists.add(blocks[b], static_cast<index>(b));
      near_at.push_back(lists.near_start_);
      steps.rows += blocks[b].rows;
      ++b;
    } while (b < blocks.size() && lists.products_ < InvertedTuning::products / sizeof(scalar));
    begin = b;
    steps.products = lists.products_;
    steps.several = lists.diagonal_.size();
    lists.diagonal_.insert(lists.diagonal_.end(), lists.single_.begin(), lists.single_.end());
    steps.diagonal = copy_to_device<T>(exec, "sptrsv::inverted::diagonal", lists.diagonal_);
    for (auto const& each : lists.doubled_)
      steps.doubled.push_back(copy_to_device<T>(exec, "sptrsv::inverted::doubled", each));
    steps.near = copy_to_device<T>(exec, "sptrsv::inverted::near", lists.near_);
    return steps;
  }

 private:
  using List = std::vector<InverseTile<index>>;

  void add(InverseBlock<index> const& block, index number) {
    auto const rows = static_cast<int>(block.rows), columns = static_cast<int>(block.near_rows);
    for (int i = 0; i < rows; i += tile) (rows > tile ? diagonal_ : single_).push_back({number, i, 0, 0, 0});
    near_start_ = products_;
    for (int i = (rows - 1) / wide * wide; i >= 0; i -= wide)  // the longest sums first
      for (int j = 0; j < columns; j += wide) near_.push_back({number, 0, i, j, near_start_});
    products_ += static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    std::size_t most = 0, step = 0;
    for (int half = tile; half < rows; half *= 2, ++step) {
      if (doubled_.size() <= step) doubled_.emplace_back();
      std::size_t used = 0;
      for (int row = 0; row + half < rows; row += 2 * half) {
        int const height = std::min(half, rows - row - half), side = half == tile ? tile : wide;
        for (int i = (height - 1) / side * side; i >= 0; i -= side)
          for (int j = 0; j < half; j += side) doubled_[step].push_back({number, row, i, j, products_ + used});
        used += static_cast<std::size_t>(height) * static_cast<std::size_t>(half);
      }
      most = std::max(most, used);
    }
    products_ += most;
  }

  List diagonal_, single_, near_;
  std::vector<List> doubled_;
  std::size_t products_ = 0, near_start_ = 0;
};

}  // namespace sptrsv::detail
