// SPDX-License-Identifier: Apache-2.0
// Partition of op(T)'s rows into blocks whose diagonal blocks are inverted, on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

#include "sptrsv/algorithm/inverted/dependency_tree.hpp"
#include "sptrsv/algorithm/inverted/inverted_tuning.hpp"

namespace sptrsv::detail {

/// Block of rows. A row needs rows of its block, of the block `near`, whose products are made with the inverse
/// beforehand, and of blocks of lower levels.
template <class I>
struct InverseBlock {
  I first = 0, rows = 0;            ///< positions
  I near_first = 0, near_rows = 0;  ///< positions of the block before on a path; none if near_rows is 0
  I level = 0;
  bool small = false;  ///< sums and product are one task, which small blocks of a level may share

  KOKKOS_FORCEINLINE_FUNCTION bool in_near(I p) const { return p >= near_first && p < near_first + near_rows; }
};

/// Row of an inverse: its nonzeros are in the `length` columns that end at the diagonal. In wide blocks it is followed
/// by the row of W = inv(L_BB) L_B,near; both are padded to a multiple of four values.
struct InverseRow {
  std::size_t at = 0;  ///< start in the dense values
  int length = 0;

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t padded(int values) {
    return (static_cast<std::size_t>(values) + 3) / 4 * 4;
  }
};

/// Blocks in the order of their levels. Positions number the rows in the order of the blocks.
template <class I>
struct InverseBlocks {
  bool tree = false;
  std::vector<InverseBlock<I>> blocks;
  std::vector<I> row;               ///< by position
  std::vector<InverseRow> inverse;  ///< by position
  std::size_t dense = 0;            ///< number of dense values

  I num_levels() const { return blocks.empty() ? 0 : blocks.back().level + 1; }
};

/// Collects blocks in the order of the nodes, with their levels, and orders them.
template <class I>
class BlockPartition {
 public:
  explicit BlockPartition(DependencyTree<I> const& tree) : tree_(tree) {}

  /// Partitions a tree: the largest subtrees of at most `subtree` rows, and above them paths, each to the larger
  /// subtree where subtrees join, cut into blocks of at most `width` rows.
  void cut_tree(I width) {
    I const n = tree_.num_nodes();
    for (I u = 0; u < n;) {
      I end = u;
      if (tree_.size[u] <= InvertedTuning::subtree) {
        while (tree_.parent[end] >= 0 && tree_.size[tree_.parent[end]] <= InvertedTuning::subtree)
          end = tree_.parent[end];
        parts_.push_back({u, end - u + 1, true, -1, 0});
      } else {
        while (end + 1 < n && tree_.parent[end] == end + 1 && continues(end)) ++end;
        cut_path(u, end - u + 1, width);
      }
      u = end + 1;
    }
  }
  /// Cuts a path of rows into blocks of at most `width` rows.
  void cut_path(I first, I rows, I width) {
    I const pieces = rows <= std::min<I>(width, InvertedTuning::small_block) ? 1 : (rows + width - 1) / width;
    I const slices = (rows + InvertedTuning::product_rows - 1) / InvertedTuning::product_rows;
    I const each = pieces == 1 ? rows : (slices + pieces - 1) / pieces * InvertedTuning::product_rows;
    for (I at = 0; at < rows; at += each) {
      auto const part = static_cast<I>(parts_.size());
      bool const is_first = tree_.root_first ? at + each >= rows : at == 0;  // in the order of the solve
      I const near = is_first ? I(-1) : tree_.root_first ? part + 1 : part - 1;
      parts_.push_back({first + at, std::min(each, rows - at), false, near, 0});
    }
  }

  InverseBlocks<I> order() {
    find_levels();
    InverseBlocks<I> out;
    std::vector<I> sorted(parts_.size());
    std::iota(sorted.begin(), sorted.end(), I(0));
    if (tree_.root_first) std::reverse(sorted.begin(), sorted.end());
    std::stable_sort(sorted.begin(), sorted.end(), [&](I a, I b) { return parts_[a].level < parts_[b].level; });
    std::vector<I> first_of(parts_.size());
    out.row.reserve(tree_.row.size());
    out.inverse.reserve(tree_.row.size());
    out.blocks.reserve(parts_.size());
    for (I const part : sorted) {
      first_of[part] = static_cast<I>(out.row.size());
      for (I i = 0; i < parts_[part].rows; ++i) out.row.push_back(tree_.row[node(parts_[part], i)]);
      InverseBlock<I> block;
      block.first = first_of[part];
      block.rows = parts_[part].rows;
      block.level = parts_[part].level;
      if (I const near = parts_[part].near; near >= 0) {
        block.near_first = first_of[near];  // of a lower level
        block.near_rows = parts_[near].rows;
      }
      block.small = block.near_rows == 0 && block.rows <= InvertedTuning::small_block && !is_long(parts_[part]);
      out.blocks.push_back(block);
      lay_out(parts_[part], out);
    }
    return out;
  }

 private:
  struct Part {
    I first, rows;  ///< nodes
    bool subtree;
    I near;  ///< part before on the path, or -1
    I level;
  };

  /// Tells whether a path goes on from node u to its parent u + 1: u's subtree has at least half of the rows below it.
  bool continues(I u) const { return tree_.size[u + 1] - 1 - tree_.size[u] <= tree_.size[u]; }

  /// Tells whether rows of a part may have more entries than one task should have: those of nodes below.
  bool is_long(Part const& part) const {
    return !tree_.root_first && tree_.size[part.first + part.rows - 1] > InvertedTuning::task_entries;
  }

  /// Returns the node of row i of a part.
  I node(Part const& part, I i) const { return tree_.root_first ? part.first + part.rows - 1 - i : part.first + i; }

  void find_levels() {
    std::vector<I> part_of(tree_.row.size());
    for (std::size_t k = 0; k < parts_.size(); ++k)
      std::fill_n(part_of.begin() + parts_[k].first, parts_[k].rows, static_cast<I>(k));
    auto const above = [&](Part const& part) {  // the part above the last node, which is its top
      I const parent = tree_.parent[part.first + part.rows - 1];
      return parent < 0 ? nullptr : &parts_[part_of[parent]];
    };
    if (tree_.root_first) {
      for (auto part = parts_.rbegin(); part != parts_.rend(); ++part)
        if (auto const* const up = above(*part)) part->level = up->level + 1;
    } else {
      for (Part& part : parts_)
        if (auto* const up = above(part)) up->level = std::max<I>(up->level, part.level + 1);
    }
  }

  /// Reserves the dense values of the last block.
  void lay_out(Part const& part, InverseBlocks<I>& out) const {
    InverseBlock<I>& block = out.blocks.back();
    bool const ranges = part.subtree && !tree_.root_first;
    for (I i = 0; i < block.rows; ++i) {
      int const length = ranges ? static_cast<int>(tree_.size[node(part, i)]) : static_cast<int>(i + 1);
      out.inverse.push_back({out.dense, length});
      if (block.small) out.dense += static_cast<std::size_t>(length);
      else out.dense += InverseRow::padded(length) + InverseRow::padded(static_cast<int>(block.near_rows));
    }
  }

  DependencyTree<I> const& tree_;
  std::vector<Part> parts_;
};

/// Number of steps, and of dense values, of blocks.
struct InverseSize {
  std::size_t steps = 0, dense = 0;
};

/// Estimates the size of blocks of consecutive rows, without making them.
/// @param width  maximum rows of a block
inline InverseSize size_of_path(std::size_t num_rows, std::size_t width) {
  std::size_t const steps = (num_rows + width - 1) / width;
  if (steps == 0) return {};
  std::size_t const rows = (num_rows + steps - 1) / steps;
  return {steps, steps * rows * rows / 2 + (steps - 1) * rows * rows};
}

/// Returns the blocks of a triangle: of a complete factor by its tree, of others consecutive rows.
/// @param width  maximum rows of a block
template <class I>
InverseBlocks<I> make_blocks(std::optional<DependencyTree<I>> const& tree, I num_rows, bool ascending, I width) {
  if (tree) {
    BlockPartition<I> partition(*tree);
    partition.cut_tree(width);
    auto out = partition.order();
    out.tree = true;
    return out;
  }
  DependencyTree<I> path;  // every row needs the one before
  path.size.resize(static_cast<std::size_t>(num_rows));
  path.parent.resize(static_cast<std::size_t>(num_rows));
  path.row.resize(static_cast<std::size_t>(num_rows));
  for (I u = 0; u < num_rows; ++u) {
    path.size[u] = u + 1;
    path.parent[u] = u + 1 < num_rows ? u + 1 : I(-1);
    path.row[u] = ascending ? u : num_rows - 1 - u;
  }
  BlockPartition<I> partition(path);
  partition.cut_path(0, num_rows, width);
  return partition.order();
}

}  // namespace sptrsv::detail
