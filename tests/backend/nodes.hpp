// SPDX-License-Identifier: Apache-2.0
// Triangles whose rows form nodes: consecutive rows with equal columns outside of the node.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "on_device.hpp"

namespace sptrsv::test {

/// Returns a generated triangle in which each entry outside of the diagonal is replaced by a dense block of size x size
/// entries, and each diagonal entry by a triangle.
template <class S>
Problem<S> make_problem_of_nodes(std::string const& spec, int size, Shape shape, std::uint64_t seed = 1) {
  auto const nodes = make_problem<S>(spec, shape);
  bool const lower = shape.triangle == Triangle::lower;
  Problem<S> p;
  p.shape = shape;
  for (int node = 0; node < nodes.num_rows(); ++node)
    for (int r = 0; r < size; ++r) {
      for (int k = nodes.row_ptr[node]; k < nodes.row_ptr[node + 1]; ++k)
        for (int c = 0; c < size; ++c)
          if (nodes.col_idx[k] != node || (lower ? c <= r : c >= r)) p.col_idx.push_back(nodes.col_idx[k] * size + c);
      p.row_ptr.push_back(static_cast<int>(p.col_idx.size()));
    }
  set_values(p, seed);
  return p;
}

template <class R>
inline constexpr double max_exponent = std::numeric_limits<R>::max_exponent;

/// Removes an entry of the pattern, with its value.
template <class S>
void remove_entry(Problem<S>& p, int row, int column) {
  for (int k = p.row_ptr[row]; k < p.row_ptr[row + 1]; ++k)
    if (p.col_idx[k] == column) {
      p.col_idx.erase(p.col_idx.begin() + k);
      p.values.erase(p.values.begin() + k);
      for (int i = row + 1; i <= p.num_rows(); ++i) --p.row_ptr[i];
      p.make_op();
      return;
    }
  ADD_FAILURE() << "no entry " << row << ", " << column;
}

/// Solves with nodes of several sizes by `blocked`, row by row checked.
/// @param by_nodes  whether the space's kernels solve nodes as units, which the solver then reports
template <class S, class Space>
void check_nodes(Space const& exec, std::vector<std::string> const& specs, bool by_nodes) {
  for (std::string const& spec : specs)
    for (int const size : {2, 3, 4, 5, 6, 7, 8})
      for (Shape const shape :
           {Shape{Triangle::lower, Diagonal::stored, Op::none}, Shape{Triangle::upper, Diagonal::inverted, Op::none},
            Shape{Triangle::lower, Diagonal::unit, Op::conj_transpose}})
        for (std::string const rows : {"0", "6"}) {
          auto const p = make_problem_of_nodes<S>(spec, size, shape);
          auto const solver = make_solver<S>({"", "blocked", {{"blocked_rows", rows}}}, exec, p);
          SCOPED_TRACE(spec + ", nodes of " + std::to_string(size) + ": " + solver.parameters());
          bool const fits = size != 7 && (sizeof(S) <= 8 || size != 5);  // complex double: 4 rows are 2 nodes of 2
          EXPECT_EQ(solver.parameters().find("nodes of ") != std::string::npos, by_nodes && fits);
          for (std::uint64_t repeat = 0; repeat < 3; ++repeat) {  // the third solve reads slots that the first filled
            auto const b = make_right_hand_sides<S>(p.num_rows(), repeat == 1 ? 5 : 1, repeat);
            expect_solves(p, solve<S>(solver, exec, b), b);
          }
        }
}

/// Checks nodes whose triangles have no accurate inverse, that are not complete, or whose entries underflow.
/// @param by_nodes  as for check_nodes()
template <class S, class Space>
void check_hard_nodes(Space const& exec, std::string const& spec, Shape shape, bool by_nodes) {
  constexpr int size = 3;
  using real = typename ScalarTraits<S>::real;
  for (std::string const kind : {"growing", "incomplete", "huge and tiny", "with zeros", "of no finite inverse"}) {
    SCOPED_TRACE(kind);
    auto p = make_problem_of_nodes<S>(spec, size, shape);
    // the first two rows that are solved: in a node without entries outside
    int const start = shape.ascending() ? 0 : p.num_rows() - 1, next = shape.ascending() ? 1 : p.num_rows() - 2;
    real const least = std::pow(real(2), real(-0.52 * max_exponent<real>));  // its square is 0
    for (int i = 0; i < p.num_rows(); ++i)
      for (int k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k) {
        int const j = p.col_idx[k];
        bool const within = i != j && i / size == j / size;
        if (kind == "growing" && within && i / size % 2 == 0) p.values[k] = S(100);  // 10^4 a node: in range in float
        if (kind == "with zeros" && i != j && (i + j) % 2 == 0) p.values[k] = S(0);
        if (kind == "of no finite inverse" && i == start && j == start)
          p.values[k] = p.is_inverted() ? S(1 / least) : S(least);
        if (kind == "of no finite inverse" && i == next && j == start) p.values[k] = S(1 / least);
        if (kind == "huge and tiny" && i / size == 5)
          p.values[k] *=
              S(std::pow(real(2), (i == j) == p.is_inverted() ? -0.9 * max_exponent<real> : 0.9 * max_exponent<real>));
      }
    if (kind == "incomplete")
      for (int node = 2; node < p.num_rows() / size; node += 3) {
        bool const lower = shape.triangle == Triangle::lower;
        remove_entry(p, node * size + (lower ? 2 : 0), node * size + (lower ? 0 : 2));
      }
    p.make_op();
    auto const solver = make_solver<S>({"", "blocked", {}}, exec, p);
    auto b = make_right_hand_sides<S>(p.num_rows(), 3);
    for (auto& column : b)
      if (kind == "of no finite inverse") column[start] *= S(least);
    expect_solves(p, solve<S>(solver, exec, b), b);
    bool const substitutes = solver.parameters().find(" by substitution") != std::string::npos;
    if (kind != "huge and tiny") {
      EXPECT_EQ(substitutes, by_nodes && (kind == "growing" || kind == "of no finite inverse")) << solver.parameters();
    }
  }
}

}  // namespace sptrsv::test
