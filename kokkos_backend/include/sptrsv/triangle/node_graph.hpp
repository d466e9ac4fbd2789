// SPDX-License-Identifier: Apache-2.0
// Nodes: consecutive rows, such as the unknowns of a point, with equal columns outside of the node.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <memory>

#include "sptrsv/device/row_range.hpp"
#include "sptrsv/triangle/analysis.hpp"

namespace sptrsv::detail {

/// Nodes of op(T) and their graph. Node I is rows I size to (I + 1) size - 1. All its rows have the same columns
/// outside of the node, and these columns are whole nodes. Within the node a row may have any entries of the triangle.
template <class T>
struct NodeGraph {
  static constexpr int most = 8;         ///< maximum number of rows of a node
  static constexpr int of_sample = 512;  ///< nodes that are looked at before all are
  int size = 1;                          ///< rows of a node; 1: the rows form no nodes
  /// Analysis of the graph, with a row per node and an entry per dense block of size x size; empty if size is 1.
  std::shared_ptr<Analysis<T> const> graph;
};

/// Access to the entries of op(T)'s rows as blocks of nodes.
template <class T>
struct NodeRows {
  using index = typename T::index;
  using offset = typename T::offset;
  OffDiagonals<T> rows;
  int size;
  bool ascending;

  /// Returns row s of a node, in the order of the solve: first to last, or last to first in an upper triangle.
  KOKKOS_FORCEINLINE_FUNCTION index row(index node, int s) const {
    return static_cast<index>(node * size + (ascending ? s : size - 1 - s));
  }
  /// Returns the number of entries of a row that lie outside of its node, which the node's first row has only.
  KOKKOS_FORCEINLINE_FUNCTION offset outside(index node) const { return rows.count(row(node, 0)); }
  /// Returns the first of the `count` entries outside of the node in row i.
  KOKKOS_FORCEINLINE_FUNCTION offset first_outside(index i, offset count) const {
    return ascending ? rows.begin(i) : static_cast<offset>(rows.end(i) - count);
  }
  /// Returns the first entry within the node in row i.
  KOKKOS_FORCEINLINE_FUNCTION offset first_within(index i, offset count) const {
    return ascending ? static_cast<offset>(rows.begin(i) + count) : rows.begin(i);
  }

  /// Tells whether rows node size to node size + size - 1 are a node.
  KOKKOS_FUNCTION bool is_node(index node) const {
    offset const count = outside(node), first = first_outside(row(node, 0), count);
    if (count % size != 0) return false;
    for (int s = 1; s < size; ++s) {  // first, since a thread would read a long row for a long time
      offset const all = rows.count(row(node, s));
      if (all < count || all > count + s) return false;
    }
    for (offset k = 0; k < count; ++k) {
      index const column = rows.col_idx(first + k);
      if (column % size != static_cast<index>(k % size) || column / size != rows.col_idx(first + k - k % size) / size ||
          column / size == node)
        return false;
    }
    for (int s = 1; s < size; ++s) {
      index const i = row(node, s);
      offset const all = rows.count(i);
      offset const mine = first_outside(i, count), within = first_within(i, count);
      for (offset k = 0; k < count; ++k)
        if (rows.col_idx(mine + k) != rows.col_idx(first + k)) return false;
      for (offset k = within; k < within + (all - count); ++k)
        if (rows.col_idx(k) / size != node) return false;
    }
    return true;
  }
};

/// Tells whether the first `nodes` nodes of `size` rows are nodes. Fences.
template <class T>
bool are_nodes(typename T::exec_space const& exec, NodeRows<T> const& rows, typename T::index nodes) {
  return first_row_with<T>(
             "sptrsv::nodes::check", exec, nodes,
             KOKKOS_LAMBDA(typename T::index node) { return !rows.is_node(node); }) == nodes;
}

/// Returns the analysis of the nodes' graph. Its arrays are in the workspace of `analysis`.
template <class T>
std::shared_ptr<Analysis<T> const> analyze_nodes(typename T::exec_space const& exec, Analysis<T> const& analysis,
                                                 NodeRows<T> const& rows) {
  using index = typename T::index;
  using offset = typename T::offset;
  auto const size = static_cast<index>(rows.size);
  index const nodes = analysis.num_rows() / size;
  auto& work = analysis.workspace();
  auto const row_ptr = work.template take<offset>(static_cast<std::size_t>(nodes) + 1);
  auto const blocks = scan_rows<T, offset>(
      "sptrsv::nodes::count", exec, nodes + 1,
      KOKKOS_LAMBDA(index node) { return node < nodes ? static_cast<offset>(rows.outside(node) / size) : offset(0); },
      KOKKOS_LAMBDA(index node, offset before) { row_ptr(node) = before; });
  auto const col_idx = work.template take<index>(static_cast<std::size_t>(blocks));
  Kokkos::parallel_for(
      "sptrsv::nodes::columns", row_range<T>(exec, nodes), KOKKOS_LAMBDA(index node) {
        offset const count = rows.outside(node), first = rows.first_outside(rows.row(node, 0), count);
        offset to = row_ptr(node);
        for (offset k = 0; k < count; k += size) col_idx(to++) = rows.rows.col_idx(first + k) / size;
      });
  typename T::pattern pattern;
  pattern.row_ptr = row_ptr;
  pattern.col_idx = col_idx;
  Shape shape;
  shape.triangle = rows.ascending ? Triangle::lower : Triangle::upper;
  shape.diagonal = Diagonal::unit;
  // leaves the memory of its workspace to later ones
  std::shared_ptr<Analysis<T>> const graph(new Analysis<T>(exec, pattern, shape), [exec](Analysis<T>* made) {
    made->drop_kept(exec);
    delete made;
  });
  graph->set_storage(analysis.storage());
  graph->set_unknowns(rows.size);
  return graph;
}

/// Returns the nodes of op(T) with the most rows, if there are any and rows have at least `size` entries on average;
/// the same object until Analysis::drop_kept(). Cost: a pass over the entries, unless the first rows form no nodes;
/// fences.
/// @param sizes  bit s is set if nodes of s rows are allowed
template <class T>
NodeGraph<T> const& nodes_of(typename T::exec_space const& exec, Analysis<T> const& analysis, unsigned sizes) {
  using index = typename T::index;
  return analysis.template keep<NodeGraph<T>>("nodes of " + std::to_string(sizes), [&] {
    NodeGraph<T> found;
    index const n = analysis.num_rows();
    bool const ascending = analysis.shape().ascending();
    for (int size = NodeGraph<T>::most; size > 1; --size) {
      if (!(sizes >> size & 1) || n == 0 || n % static_cast<index>(size) != 0) continue;
      if (analysis.mean_row() < size) continue;
      NodeRows<T> const rows{analysis.rows(exec), size, ascending};
      index const nodes = n / static_cast<index>(size), some = std::min<index>(nodes, NodeGraph<T>::of_sample);
      if (!are_nodes<T>(exec, rows, some) || !are_nodes<T>(exec, rows, nodes)) continue;
      found.size = size;
      found.graph = analyze_nodes<T>(exec, analysis, rows);
      break;
    }
    return found;
  });
}

}  // namespace sptrsv::detail
