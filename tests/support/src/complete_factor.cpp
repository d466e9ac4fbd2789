// SPDX-License-Identifier: Apache-2.0
// Nested dissection, and the pattern of a complete factor.
#include <algorithm>
#include <stdexcept>

#include "pattern.hpp"

namespace sptrsv::support::detail {
namespace {

/// Nested dissection by the layers of breadth-first searches, as PETSc's ordering `nd`. Source: A. George, J. W. H.
/// Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, chapter 8.
class Dissection {
 public:
  explicit Dissection(const LowerPattern& pattern)
      : graph_(adjacency(pattern)), layer_of_(static_cast<std::size_t>(pattern.num_rows), unseen) {}

  /// Returns the rows, each separator before the parts that it separates.
  std::vector<std::int64_t> run() {
    for (std::size_t i = 0; i < layer_of_.size(); ++i) {
      while (layer_of_[i] != ordered) {
        find_most_layers(static_cast<std::int64_t>(i));
        order_separator();
      }
    }
    return order_;
  }

 private:
  static constexpr std::int64_t unseen = -1, ordered = -2;

  /// Returns the number of neighbors of i in a layer, or of those that are unseen.
  std::int64_t neighbors_in(std::int64_t layer, std::int64_t i) const {
    return std::count_if(graph_.neighbors.begin() + graph_.ptr[i], graph_.neighbors.begin() + graph_.ptr[i + 1],
                         [&](std::int64_t j) { return layer_of_[j] == layer; });
  }

  /// Finds the rows that `start` reaches over rows not yet ordered, layer by layer.
  void find_layers(std::int64_t start) {
    for (const std::int64_t i : rows_) layer_of_[i] = unseen;
    rows_.assign(1, start);
    layer_ptr_.assign(1, 0);
    layer_of_[start] = 0;
    for (std::size_t head = 0; head < rows_.size();) {
      const std::size_t end = rows_.size();
      for (layer_ptr_.push_back(end); head < end; ++head) {
        for (std::int64_t k = graph_.ptr[rows_[head]]; k < graph_.ptr[rows_[head] + 1]; ++k) {
          const std::int64_t j = graph_.neighbors[k];
          if (layer_of_[j] != unseen) continue;
          layer_of_[j] = layer_of_[rows_[head]] + 1;
          rows_.push_back(j);
        }
      }
    }
  }

  /// Finds layers from `start`, then from a row of the last layer with the fewest neighbors there and in the layer
  /// before, as long as there are more layers than before.
  void find_most_layers(std::int64_t start) {
    find_layers(start);
    for (std::size_t before = 0; before < layer_ptr_.size();) {
      before = layer_ptr_.size();
      const std::int64_t last = layer_of_[rows_.back()];
      const auto degree = [&](std::int64_t i) { return neighbors_in(last, i) + neighbors_in(last - 1, i); };
      find_layers(*std::min_element(rows_.begin() + static_cast<std::ptrdiff_t>(layer_ptr_[last]), rows_.end(),
                                    [&](auto i, auto j) { return degree(i) < degree(j); }));
    }
  }

  /// Orders the rows of the middle layer that have a neighbor in the next one; of one or two layers, all rows.
  void order_separator() {
    const std::size_t layers = layer_ptr_.size() - 1, begin = order_.size(), middle = layers / 2;
    for (std::size_t k = layers < 3 ? 0 : layer_ptr_[middle]; k < layer_ptr_[layers < 3 ? layers : middle + 1]; ++k)
      if (layers < 3 || neighbors_in(static_cast<std::int64_t>(middle) + 1, rows_[k]) > 0) order_.push_back(rows_[k]);
    for (const std::int64_t i : rows_) layer_of_[i] = unseen;
    for (std::size_t k = begin; k < order_.size(); ++k) layer_of_[order_[k]] = ordered;
    rows_.clear();
  }

  Adjacency graph_;
  std::vector<std::int64_t> layer_of_, order_, rows_;
  std::vector<std::size_t> layer_ptr_;
};

}  // namespace

std::vector<std::int64_t> nested_dissection(const LowerPattern& pattern) {
  const std::vector<std::int64_t> order = Dissection(pattern).run();
  std::vector<std::int64_t> new_index(order.size());
  std::int64_t next = pattern.num_rows;
  for (const std::int64_t i : order) new_index[i] = --next;
  return new_index;
}

LowerPattern complete_factor(const LowerPattern& pattern) {
  constexpr std::size_t most = std::size_t{1} << 28;  // of which generate() makes 9 GB
  // row i of the factor has the columns on the paths from row i's entries to i in the elimination tree; the first row
  // whose path comes to a row without a parent is its parent
  std::vector<std::int64_t> parent(pattern.num_rows, -1), reached_by(pattern.num_rows, -1);
  LowerPattern factor;
  for (std::int64_t i = 0; i < pattern.num_rows; ++i) {
    reached_by[i] = i;
    for (std::int64_t k = pattern.row_ptr[i]; k < pattern.row_ptr[i + 1]; ++k) {
      for (std::int64_t j = pattern.col_idx[k]; reached_by[j] != i; j = parent[j]) {
        reached_by[j] = i;
        factor.add(j);
        if (parent[j] < 0) parent[j] = i;
      }
    }
    if (factor.col_idx.size() > most) throw std::invalid_argument("more than 2^28 entries in a triangle with fill");
    std::sort(factor.col_idx.begin() + factor.row_ptr.back(), factor.col_idx.end());
    factor.end_row();
  }
  return factor;
}

}  // namespace sptrsv::support::detail
