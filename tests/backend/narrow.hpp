// SPDX-License-Identifier: Apache-2.0
// Triangles with 16-bit indices or offsets, solved by all types.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <sptrsv/triangle/analysis.hpp>

#include "on_device.hpp"

namespace sptrsv::test {

using Space = Kokkos::DefaultHostExecutionSpace;

/// Lower triangle with twos on its diagonal; other entries are at most 1 / (entries of the row).
template <class Index, class Offset>
struct Narrow {
  using NarrowSolver = TriangularSolver<double, Index, Offset, Space>;
  using T = typename NarrowSolver::types;
  std::vector<Offset> row_ptr{0};
  std::vector<Index> col_idx;
  std::vector<double> values;

  void add_row(std::vector<int> const& columns) {
    for (int const c : columns) {
      col_idx.push_back(static_cast<Index>(c));
      values.push_back(1.0 / static_cast<double>(columns.size() + 1 + c % 3));
    }
    col_idx.push_back(static_cast<Index>(row_ptr.size() - 1));
    values.push_back(2.0);
    row_ptr.push_back(static_cast<Offset>(col_idx.size()));
  }
  typename T::pattern pattern() const {
    return {Kokkos::View<Offset const*, typename T::device>(row_ptr.data(), row_ptr.size()),
            Kokkos::View<Index const*, typename T::device>(col_idx.data(), col_idx.size())};
  }
  typename T::values all_values() const { return typename T::values(values.data(), values.size()); }

  using columns = Kokkos::View<double**, Kokkos::LayoutLeft, typename T::device>;
  /// Returns the number of rows that x = solve(b) does not satisfy, with b of ones.
  template <class Solve>
  int wrong_rows(Op op, Solve const& solve) const {
    std::size_t const n = row_ptr.size() - 1;
    columns const b("test::b", n, 1), x("test::x", n, 1);
    Kokkos::deep_copy(b, 1.0);
    solve(b, x);
    std::vector<double> left(n, 1.0);
    for (std::size_t i = 0; i < n; ++i)
      for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
        auto const j = static_cast<std::size_t>(col_idx[k]);
        if (op == Op::none) left[i] -= values[k] * x(j, 0);
        else left[j] -= values[k] * x(i, 0);
      }
    int wrong = 0;
    for (double const r : left) wrong += !(std::abs(r) < 1e-12);
    return wrong;
  }
  int wrong_rows(Variant const& way, Op op) const {
    Space const exec;
    NarrowSolver solver(way.algorithm, exec, pattern(), {Triangle::lower, Diagonal::stored, op}, way.options);
    solver.update(exec, all_values());
    return wrong_rows(op, [&](columns const& b, columns const& x) {
      solver.solve(exec, b, x);
      exec.fence();
    });
  }
  /// Checks the solves of all types; only type `may_refuse` may refuse.
  void expect_solved(std::string const& may_refuse = "") const {
    for (auto const& way : all_variants())
      for (Op const op : {Op::none, Op::transpose}) {
        if (!way.any_pattern) continue;
        SCOPED_TRACE(way.label + (op == Op::none ? "" : ", transposed"));
        try {
          EXPECT_EQ(wrong_rows(way, op), 0);
        } catch (Unsupported const& e) {
          EXPECT_EQ(way.algorithm, may_refuse);
          EXPECT_NE(std::string(e.what()).find("algorithm tiled does not do"), std::string::npos) << e.what();
          EXPECT_NE(std::string(e.what()).find("offsets of 16 bits; use longer offsets"), std::string::npos)
              << e.what();
        }
      }
  }
  /// Checks that the analysis, with which all types begin, refuses.
  void expect_too_large(std::string const& part) const {
    expect_thrown<TooLarge>(part, [&] { Analysis<T> const analysis(Space(), pattern(), {}); });
  }
};

inline constexpr int most = static_cast<int>(detail::most_counted<std::int16_t>());
}  // namespace sptrsv::test
