// SPDX-License-Identifier: Apache-2.0
// Tests nodes: which rows count as nodes, and solves with nodes by `blocked`, which solves them as units on GPUs.
#include "nodes.hpp"

#include <gtest/gtest.h>

#include <sptrsv/triangle/node_graph.hpp>

#include "spaces.hpp"

namespace sptrsv::test {
namespace {

template <class Space>
class NodesTest : public ::testing::Test {};
TYPED_TEST_SUITE(NodesTest, Spaces, SpaceNames);

constexpr unsigned two_to_five = 0b111100;

/// Returns the rows of the nodes that are found.
template <class T, class S>
int found_size(Problem<S> const& p, unsigned sizes = two_to_five) {
  typename T::exec_space const exec;
  Analysis<T> const analysis(exec, to_pattern<T>(p), p.shape);
  return detail::nodes_of<T>(exec, analysis, sizes).size;
}

TYPED_TEST(NodesTest, AreFoundInBothTriangles) {
  using T = TypesOf<double, TypeParam>;
  TypeParam const exec;
  for (std::string const spec : {"lap2d:9", "powerlaw:90", "lap3d:5", "rmat:6,6"})
    for (auto const triangle : {Triangle::lower, Triangle::upper})
      for (auto const op : {Op::none, Op::transpose})
        for (int const size : {1, 2, 3, 4, 5, 6, 7, 8}) {
          SCOPED_TRACE(spec + ", nodes of " + std::to_string(size));
          Shape const shape{triangle, Diagonal::stored, op};
          auto const p = make_problem_of_nodes<double>(spec, size, shape);
          auto const graph = make_problem<double>(spec, shape);
          Analysis<T> const analysis(exec, to_pattern<T>(p), shape);
          auto const& nodes = detail::nodes_of<T>(exec, analysis, two_to_five);
          EXPECT_EQ(nodes.size, size == 6 ? 3 : size == 7 ? 1 : size == 8 ? 4 : size);
          if (nodes.size != size || size == 1) continue;
          EXPECT_EQ(nodes.graph->num_rows(), graph.num_rows());
          EXPECT_EQ(nodes.graph->num_off_diagonals(), static_cast<long long>(graph.col_idx.size()) - graph.num_rows());
          Analysis<T> const of_graph(exec, to_pattern<T>(graph), shape);
          EXPECT_EQ(nodes.graph->count_levels(exec), of_graph.count_levels(exec));
        }
}

TYPED_TEST(NodesTest, AreNotFoundWithHolesOutside) {
  using T = TypesOf<double, TypeParam>;
  for (auto const triangle : {Triangle::lower, Triangle::upper}) {
    Shape const shape{triangle, Diagonal::stored, Op::none};
    bool const lower = triangle == Triangle::lower;
    auto const whole = make_problem_of_nodes<double>("lap2d:30", 3, shape);
    int const row = lower ? 3 * 700 : 3 * 100, column = lower ? 3 * 699 : 3 * 101;
    EXPECT_EQ(found_size<T>(whole), 3);
    auto p = whole;
    remove_entry(p, row + 1, column + 1);  // beyond the sample of rows that are looked at first
    EXPECT_EQ(found_size<T>(p), 1);
    p = whole;
    for (int c = 0; c < 3; ++c) remove_entry(p, row + 2, column + c);
    EXPECT_EQ(found_size<T>(p), 1);
    p = whole;
    for (int r = 0; r < 3; ++r) remove_entry(p, row + r, column + 1);  // no whole node
    EXPECT_EQ(found_size<T>(p), 1);
    p = whole;
    remove_entry(p, row + (lower ? 2 : 0), row + (lower ? 0 : 2));  // within a node
    EXPECT_EQ(found_size<T>(p), 3);
  }
}

TYPED_TEST(NodesTest, NeedAllRowsAndEnoughEntries) {
  using T = TypesOf<double, TypeParam>;
  Shape const shape{Triangle::lower, Diagonal::stored, Op::none};
  auto p = make_problem_of_nodes<double>("lap2d:9", 3, shape);
  p.col_idx.push_back(p.num_rows());
  p.row_ptr.push_back(static_cast<int>(p.col_idx.size()));
  EXPECT_EQ(found_size<T>(p), 1);  // 244 rows
  for (std::string const spec : {"diagonal:60", "chain:60", "lap2d:30"})
    EXPECT_EQ(found_size<T>(make_problem<double>(spec, shape)), 1) << spec;
  for (int const n : {0, 1, 2})
    EXPECT_EQ(found_size<T>(make_problem<double>("diagonal:" + std::to_string(n), shape)), 1);
  EXPECT_EQ(found_size<T>(make_problem<double>("dense:60", shape)), 5);
  EXPECT_EQ(found_size<T>(make_problem<double>("dense:60", shape), 0b1100), 3);
}

TYPED_TEST(NodesTest, AreSolved) {
  constexpr bool device = detail::is_gpu<TypeParam>;
  check_nodes<double>(TypeParam(), {"lap2d:9", "powerlaw:90", "lap3d:5"}, device);
#if defined(SPTRSV_TEST_ALL_SCALARS)
  if constexpr (has_instance<float, TypeParam>) {
    check_nodes<float>(TypeParam(), {"lap2d:9"}, device);
    check_nodes<Kokkos::complex<double>>(TypeParam(), {"powerlaw:90"}, device);
    check_nodes<Kokkos::complex<float>>(TypeParam(), {"lap3d:5"}, device);
  }
#endif
}
TYPED_TEST(NodesTest, AreSolvedBySubstitutionWhereInversesAreNotAccurate) {
  for (Shape const shape :
       {Shape{Triangle::lower, Diagonal::stored, Op::none}, Shape{Triangle::upper, Diagonal::inverted, Op::none}}) {
    constexpr bool device = detail::is_gpu<TypeParam>;
    check_hard_nodes<double>(TypeParam(), "lap2d:12", shape, device);
#if defined(SPTRSV_TEST_ALL_SCALARS)
    if constexpr (has_instance<float, TypeParam>) {
      check_hard_nodes<float>(TypeParam(), "lap3d:5", shape, device);
      check_hard_nodes<Kokkos::complex<double>>(TypeParam(), "lap2d:12", shape, device);
    }
#endif
  }
}

}  // namespace
}  // namespace sptrsv::test
