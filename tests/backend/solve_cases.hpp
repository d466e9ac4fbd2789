// SPDX-License-Identifier: Apache-2.0
// Cases of the solve tests: algorithm x matrix x triangle x op x diagonal x columns x space.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "on_device.hpp"
#include "spaces.hpp"

namespace sptrsv::test {

struct SolveCase {
  std::string variant;
  std::string matrix;
  Shape shape;
  int columns;
  std::string space;
};

inline char const* text(Triangle t) { return t == Triangle::lower ? "lower" : "upper"; }
inline char const* text(Op op) { return op == Op::none ? "none" : op == Op::transpose ? "trans" : "conj"; }
inline char const* text(Diagonal d) {
  return d == Diagonal::stored ? "stored" : d == Diagonal::unit ? "unit" : "inverted";
}

/// Returns a name such as levelset_arrow_down_200_upper_trans_stored_rhs3_openmp.
inline std::string case_name(::testing::TestParamInfo<SolveCase> const& info) {
  SolveCase const& c = info.param;
  std::string name = c.variant + "_" + c.matrix + "_" + text(c.shape.triangle) + "_" + text(c.shape.op) + "_" +
                     text(c.shape.diagonal) + "_rhs" + std::to_string(c.columns) + "_" + c.space;
  std::replace_if(name.begin(), name.end(), [](unsigned char ch) { return !std::isalnum(ch); }, '_');
  return name;
}
inline void PrintTo(SolveCase const& c, std::ostream* out) { *out << case_name({c, 0}); }

inline std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes;
  for (auto triangle : {Triangle::lower, Triangle::upper})
    for (auto op : {Op::none, Op::transpose, Op::conj_transpose})
      for (auto diagonal : {Diagonal::stored, Diagonal::unit, Diagonal::inverted})
        shapes.push_back({triangle, diagonal, op});
  return shapes;
}

inline std::vector<SolveCase> cases_of(std::vector<std::string> const& matrices, std::vector<int> const& columns,
                                       std::vector<std::string> const& spaces = space_names()) {
  std::vector<SolveCase> cases;
  for (auto const& space : spaces)
    for (auto const& v : all_variants())
      for (auto const& matrix : matrices)
        for (auto const& shape : all_shapes())
          for (int const k : columns) cases.push_back({v.label, matrix, shape, k, space});
  return cases;
}

/// Returns cases with every pattern class; n = 0 and n = 1 are the first two. Their scalars are real, for which
/// conj_transpose equals transpose; one matrix suffices to show that.
inline std::vector<SolveCase> all_cases() {
  auto cases =
      cases_of({"diagonal:0", "diagonal:1", "diagonal:100", "chain:150", "dense:60", "arrow_down:200", "arrow_up:200",
                "lap2d:4", "lap2d:24", "lap2d:24,nd,lu", "lap3d:9", "band:500,8,60", "rmat:8,6", "powerlaw:600"},
               {1, 3, 5});
  cases.erase(
      std::remove_if(cases.begin(), cases.end(),
                     [](SolveCase const& c) { return c.shape.op == Op::conj_transpose && c.matrix != "lap2d:24"; }),
      cases.end());
  for (auto const& c : cases_of({"lap2d:12", "arrow_down:60"}, {2, 8, 33, 64}))  // passes of all widths
    if (c.shape.op != Op::conj_transpose && c.shape.diagonal == Diagonal::stored) cases.push_back(c);
  return cases;
}
/// Returns the few cases for scalars other than double.
inline std::vector<SolveCase> few_cases() {
  return cases_of({"diagonal:1", "dense:30", "lap2d:12", "rmat:6,6"}, {1, 5}, space_names<FurtherSpaceTuple>());
}

}  // namespace sptrsv::test
