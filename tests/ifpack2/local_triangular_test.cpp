// SPDX-License-Identifier: Apache-2.0
// Tests LocalTriangularSolver row by row, and compares it with Ifpack2's LocalSparseTriangularSolver of type Internal.
#include <Ifpack2_LocalSparseTriangularSolver.hpp>
#include <algorithm>

#include "sptrsv/ifpack2/local_triangular_solver.hpp"
#include "sptrsv/solver.hpp"
#include "tpetra_problem.hpp"

namespace sptrsv::test {
namespace {

using Solver = ifpack2::LocalTriangularSolver<Row<double>>;
using Oracle = Ifpack2::LocalSparseTriangularSolver<Row<double>>;

struct Case {
  std::string algorithm, plan, matrix;
  Triangle triangle;
  Diagonal diagonal;
  Teuchos::ETransp mode;
  int columns;
};

std::string case_name(::testing::TestParamInfo<Case> const& info) {
  Case const& c = info.param;
  std::string name = c.algorithm + c.plan + "_" + c.matrix + (c.triangle == Triangle::lower ? "_lower" : "_upper") +
                     (c.diagonal == Diagonal::unit ? "_unit_" : "_stored_") + std::string(Teuchos::toString(c.mode)) +
                     "_columns" + std::to_string(c.columns);
  std::replace_if(name.begin(), name.end(), [](unsigned char ch) { return !std::isalnum(ch); }, '_');
  return name;
}
void PrintTo(Case const& c, std::ostream* out) { *out << case_name({c, 0}); }

std::vector<Case> all_cases() {
  std::vector<std::pair<std::string, std::string>> algorithms{{"sptrsv", ""}, {"sptrsv", "measure"}};
  for (auto const& info : algorithm_infos())
    if (info.capabilities.exact) algorithms.emplace_back(info.name, "");
  std::vector<Case> cases;
  for (auto const& [algorithm, plan] : algorithms)
    for (std::string const matrix :
         {"diagonal:1", "diagonal:40", "chain:50", "dense:30", "arrow_down:60", "lap2d:12", "rmat:6,6"})
      for (auto const triangle : {Triangle::lower, Triangle::upper}) {
        if (algorithm == "chain" && matrix.find("diagonal") != 0 && matrix.find("chain") != 0) continue;
        for (auto const diagonal : {Diagonal::stored, Diagonal::unit})
          for (auto const mode : {Teuchos::NO_TRANS, Teuchos::TRANS, Teuchos::CONJ_TRANS})
            for (int const columns : {0, 1, 3, 8})
              cases.push_back({algorithm, plan, matrix, triangle, diagonal, mode, columns});
      }
  return cases;
}

Op op_of(Teuchos::ETransp mode) {
  return mode == Teuchos::NO_TRANS ? Op::none : mode == Teuchos::TRANS ? Op::transpose : Op::conj_transpose;
}

class LocalTriangular : public ::testing::TestWithParam<Case> {};

TEST_P(LocalTriangular, SolvesRowByRowAndAsIfpack2Does) {
  Case const c = GetParam();
  auto const p =
      without_unit_diagonal(make_problem<double>(c.matrix, {c.triangle, c.diagonal, op_of(c.mode)}, 1 + rank_here()));
  auto const map = map_of(p.num_rows());
  auto const A = tpetra_matrix<double>(p, map);
  auto const b = make_right_hand_sides<double>(p.num_rows(), c.columns, 77 + rank_here());
  auto const X = tpetra_vectors<double>(map, b);

  Solver solver(A);
  Teuchos::ParameterList list;
  list.set("sptrsv: algorithm", c.algorithm);
  if (!c.plan.empty()) list.set("sptrsv: plan", c.plan);
  solver.setParameters(list);
  solver.initialize();
  solver.compute();
  auto const Y = not_a_number<double>(map, c.columns);
  solver.apply(*X, *Y, c.mode);
  p.block_rows = block_rows<Kokkos::DefaultExecutionSpace>(c.algorithm);
  expect_solves(p, columns_of(*Y), b);

  if (c.columns == 0) return;  // Kokkos Kernels' trsv refuses vectors without columns
  Oracle oracle(A);
  Teuchos::ParameterList internal;
  internal.set("trisolver: type", "Internal");
  oracle.setParameters(internal);
  oracle.initialize();
  oracle.compute();
  auto const Z = not_a_number<double>(map, c.columns);
  oracle.apply(*X, *Z, c.mode);
  auto const ours = columns_of(*Y), theirs = columns_of(*Z);
  for (int k = 0; k < c.columns; ++k) {
    double largest = 0;
    for (double const v : theirs[k]) largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < theirs[k].size(); ++i)
      ASSERT_NEAR(ours[k][i], theirs[k][i], 1e-12 * largest) << "row " << i << ", column " << k;
  }
}
INSTANTIATE_TEST_SUITE_P(All, LocalTriangular, ::testing::ValuesIn(all_cases()), case_name);

/// Small lower triangle with its solver and vectors.
struct Small {
  Problem<double> p = make_problem<double>("lap2d:9", {}, 3);
  RCP<Map const> map = map_of(p.num_rows());
  RCP<Crs<double>> A = tpetra_matrix<double>(p, map);
  Columns<double> b = make_right_hand_sides<double>(p.num_rows(), 4);
  RCP<Vectors<double>> X = tpetra_vectors<double>(map, b);
  Solver solver{A};
  Small() { solver.compute(); }
  Columns<double> solution() {
    auto const Y = not_a_number<double>(map, b.size());
    solver.apply(*X, *Y);
    return columns_of(*Y);
  }
};

TEST(LocalTriangularApply, AlphaAndBetaAsTpetraHasThem) {
  Small s;
  auto const x = s.solution();
  auto const old = make_right_hand_sides<double>(s.p.num_rows(), 4, 5);
  for (double const alpha : {1.0, -2.0, 0.0})
    for (double const beta : {0.0, 1.0, 0.5}) {
      auto const Y = beta == 0 ? not_a_number<double>(s.map, 4) : tpetra_vectors<double>(s.map, old);
      s.solver.apply(*s.X, *Y, Teuchos::NO_TRANS, alpha, beta);
      auto const y = columns_of(*Y);
      for (int c = 0; c < 4; ++c)
        for (int i = 0; i < s.p.num_rows(); ++i)
          ASSERT_NEAR(y[c][i], alpha * x[c][i] + (beta == 0 ? 0.0 : beta * old[c][i]), 1e-14)
              << "alpha " << alpha << ", beta " << beta << ", row " << i;
    }
  expect_same(columns_of(*s.X)[1], s.b[1]);  // X is input only
  auto const X = not_a_number<double>(s.map, 4), Y = not_a_number<double>(s.map, 4);
  s.solver.apply(*X, *Y, Teuchos::NO_TRANS, 0.0, 0.0);
  expect_same(columns_of(*Y)[0], std::vector<double>(s.p.num_rows(), 0.0));
}

TEST(LocalTriangularApply, TakesTheSameOverlappingAndScatteredVectors) {
  Small s;
  auto const x = s.solution();
  auto Y = tpetra_vectors<double>(s.map, s.b);
  s.solver.apply(*Y, *Y);
  for (int c = 0; c < 4; ++c) expect_same(columns_of(*Y)[c], x[c]);

  Y = tpetra_vectors<double>(s.map, s.b);  // columns 0..2 into columns 1..3
  s.solver.apply(*Y->subView(Teuchos::Range1D(0, 2)), *Y->subViewNonConst(Teuchos::Range1D(1, 3)));
  for (int c = 0; c < 3; ++c) expect_same(columns_of(*Y)[c + 1], x[c]);

  std::vector<std::size_t> const from{0, 1, 3}, to{3, 0, 1};
  Y = not_a_number<double>(s.map, 4);
  auto const some = s.X->subView(Teuchos::ArrayView<std::size_t const>(from.data(), 3));
  auto const others = Y->subViewNonConst(Teuchos::ArrayView<std::size_t const>(to.data(), 3));
  ASSERT_FALSE(some->isConstantStride() && others->isConstantStride());
  s.solver.apply(*some, *others, Teuchos::NO_TRANS, 2.0);
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < s.p.num_rows(); ++i) ASSERT_EQ(columns_of(*Y)[to[k]][i], 2 * x[from[k]][i]);
}

TEST(LocalTriangularApply, FollowsNewValuesInAllModes) {
  Small s;
  auto const Y = not_a_number<double>(s.map, 4);
  for (auto const mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) s.solver.apply(*s.X, *Y, mode);
  EXPECT_EQ(s.solver.getNumAnalyses(), 2);  // one for each mode
  scale_off_diagonals(*s.A, 0.5);
  s.solver.compute();
  for (auto const op : {Op::none, Op::transpose}) {
    auto p = s.p;
    p.shape.op = op;
    for (int i = 0; i < p.num_rows(); ++i)
      for (int k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k) p.values[k] *= p.col_idx[k] == i ? 1.0 : 0.5;
    p.make_op();
    s.solver.apply(*s.X, *Y, op == Op::none ? Teuchos::NO_TRANS : Teuchos::TRANS);
    expect_solves(p, columns_of(*Y), s.b);
  }
  EXPECT_EQ(s.solver.getNumAnalyses(), 2);
}

TEST(LocalTriangularApply, RanksWithoutRowsTakePart) {
  auto const p = make_problem<double>(rank_here() == 0 ? "diagonal:0" : "lap2d:5", {});
  auto const map = map_of(p.num_rows());
  Solver solver(tpetra_matrix<double>(p, map));
  solver.compute();
  auto const b = make_right_hand_sides<double>(p.num_rows(), 2);
  auto const Y = not_a_number<double>(map, 2);
  solver.apply(*tpetra_vectors<double>(map, b), *Y);
  expect_solves(p, columns_of(*Y), b);
}

}  // namespace
}  // namespace sptrsv::test
