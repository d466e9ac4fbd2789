// SPDX-License-Identifier: Apache-2.0
// Tests the matrix families: structure by formula, invariants of all families, errors.
#include "sptrsv_support/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sptrsv::support {
namespace {

struct Exact {
  const char* spec;
  std::int64_t n, entries_lower;
};

constexpr std::int64_t cube(std::int64_t x) { return x * x * x; }
/// Returns the number of edges among the 3^d - 1 neighbors of each node of a grid.
constexpr std::int64_t edges9(std::int64_t s) { return ((3 * s - 2) * (3 * s - 2) - s * s) / 2; }
constexpr std::int64_t edges27(std::int64_t s) { return (cube(3 * s - 2) - cube(s)) / 2; }

TEST(Families, SizesAgreeWithTheFormula) {
  for (const Exact& exact : {Exact{"lap2d:1", 1, 1},
                             {"lap2d:20", 400, 400 + 2 * 20 * 19},
                             {"lap3d:9", 729, 729 + 3 * 81 * 8},
                             {"stencil27:8", 512, 512 + edges27(8)},
                             {"fem2d:10", 200, 200 + 100 + 4 * edges9(10)},
                             {"fem3:6", 648, 648 + 3 * 216 + 9 * edges27(6)},
                             {"chain:500", 500, 999},
                             {"dense:60", 60, 60 * 61 / 2},
                             {"diagonal:0", 0, 0},
                             {"arrow_down:50", 50, 99},
                             {"arrow_up:50", 50, 99},
                             {"blocks:7,5", 35, 7 * 15},
                             {"band:100,2,1", 100, 199}}) {
    const CsrMatrix lower = lower_triangle(generate(exact.spec));
    EXPECT_EQ(lower.num_rows, exact.n) << exact.spec;
    EXPECT_EQ(lower.num_entries(), exact.entries_lower) << exact.spec;
  }
}

/// Tells whether a equals its transpose.
bool is_symmetric(const CsrMatrix& a) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> entries, mirrored;
  for (std::int64_t i = 0; i < a.num_rows; ++i)
    for (std::int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      entries[{i, a.col_idx[k]}] = mirrored[{a.col_idx[k], i}] = a.values[k];
  return entries == mirrored;
}

double expect_dominant_rows(const CsrMatrix& a) {
  double smallest_margin = 1;
  for (std::int64_t i = 0; i < a.num_rows; ++i) {
    double diagonal = 0, others = 0;
    for (std::int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      EXPECT_TRUE(k == a.row_ptr[i] || a.col_idx[k - 1] < a.col_idx[k]);
      (a.col_idx[k] == i ? diagonal : others) += std::abs(a.values[k]);
    }
    EXPECT_GT(diagonal, 0);
    smallest_margin = std::min(smallest_margin, (diagonal - others) / diagonal);
  }
  return smallest_margin;
}

std::vector<std::int64_t> sorted_row_lengths(const CsrMatrix& a) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < a.num_rows; ++i) lengths.push_back(a.row_ptr[i + 1] - a.row_ptr[i]);
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

TEST(Families, AreDominantWithSymmetricStructureInEachOrdering) {
  const std::string every[] = {"lap2d:20",    "lap3d:8",    "stencil27:6",     "fem2d:10",
                               "fem3:5",      "chain:100",  "diagonal:10",     "dense:30",
                               "rmat:9,8",    "road:40",    "band:500,16,100", "arrow_down:50",
                               "arrow_up:50", "kkt2:25000", "powerlaw:3000",   "blocks:9,6"};
  EXPECT_EQ(std::size(every), families().size());
  for (const std::string& spec : every) {
    SCOPED_TRACE(spec);
    const CsrMatrix a = generate(spec), n = generate(spec + ",nonsym");
    EXPECT_TRUE(is_symmetric(a));
    EXPECT_GE(expect_dominant_rows(a), 0);
    EXPECT_GT(expect_dominant_rows(n), 0);
    EXPECT_EQ(a.col_idx, n.col_idx);
    EXPECT_EQ(is_symmetric(n), a.num_entries() == a.num_rows);
    for (const char* keyword : {",random", ",rcm", ",color", ",nd"}) {
      const CsrMatrix b = generate(spec + keyword);
      EXPECT_EQ(sorted_row_lengths(a), sorted_row_lengths(b)) << keyword;
      EXPECT_TRUE(is_symmetric(b)) << keyword;
    }
  }
}

/// Returns for each row whether it has each column, after elimination of all rows of a matrix without its fill.
std::vector<std::vector<bool>> eliminated(const CsrMatrix& a) {
  std::vector<std::vector<bool>> has(a.num_rows, std::vector<bool>(a.num_rows));
  for (std::int64_t i = 0; i < a.num_rows; ++i)
    for (std::int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) has[i][a.col_idx[k]] = true;
  for (std::int64_t p = 0; p < a.num_rows; ++p) {
    for (std::int64_t i = p + 1; i < a.num_rows; ++i)
      for (std::int64_t j = p + 1; has[i][p] && j < a.num_rows; ++j) has[i][j] = has[i][j] || has[p][j];
  }
  return has;
}

TEST(CompleteFactors, HaveTheFillOfElimination) {
  for (const std::string spec :
       {"lap2d:9", "lap3d:5,nd", "fem2d:6,rcm", "road:20,random", "arrow_up:20", "diagonal:0"}) {
    const CsrMatrix factor = generate(spec + ",lu");
    const auto has = eliminated(generate(spec));
    EXPECT_TRUE(is_symmetric(factor)) << spec;
    EXPECT_TRUE(factor.num_rows == 0 || expect_dominant_rows(factor) > 0) << spec;
    std::int64_t entries = 0;
    for (const auto& row : has) entries += std::count(row.begin(), row.end(), true);
    EXPECT_EQ(factor.num_entries(), entries) << spec;
    for (std::int64_t i = 0; i < factor.num_rows; ++i)
      for (std::int64_t k = factor.row_ptr[i]; k < factor.row_ptr[i + 1]; ++k)
        EXPECT_TRUE(has[i][factor.col_idx[k]]) << spec << ": (" << i << ", " << factor.col_idx[k] << ')';
  }
}

TEST(CompleteFactors, HaveLessFillInNestedDissection) {
  // of a grid of n^2 rows, about 31/8 n^2 log2 n entries instead of n^3
  EXPECT_EQ(lower_triangle(generate("lap2d:64,lu")).num_entries(), 64 * 64 * 64 + 63);
  EXPECT_LT(lower_triangle(generate("lap2d:64,nd,lu")).num_entries(), 31 * 64 * 64 * 6 / 8);
}

TEST(Families, KeywordsMayStandAnywhere) {
  EXPECT_EQ(generate("band:random,100,4,nonsym,10").values, generate("band:100,4,10,nonsym,random").values);
  EXPECT_EQ(generate("band:random,100,4,10").num_rows, 100);
}

std::string error_of(const std::string& spec) {
  try {
    generate(spec);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Families, BadSpecsAreRefusedWithTheList) {
  const std::pair<const char*, const char*> bad[] = {
      {"", "there is no family ''"},
      {"nope:3", "there is no family 'nope'"},
      {"lap2d", "takes 1 integer parameters, not 0"},
      {"lap2d:", "'' is neither"},
      {"lap2d:3,4", "not 2"},
      {"lap2d:x", "'x' is neither an integer nor a keyword"},
      {"lap2d:3x", "'3x' is neither"},
      {"lap2d:0", "side = 0 is not between 1 and"},
      {"lap2d:-5", "side = -5"},
      {"lap2d:1000000", "is not between"},
      {"lap2d:99999999999999999999", "is out of range"},
      {"rmat:27,1000", "more than 2^31 entries"},
      {"band:200000000,60000,5", "more than 2^31 entries"},
      {"lap2d:3,random,rcm", "more than one ordering"},
  };
  for (const auto& [spec, message] : bad) {
    const std::string error = error_of(spec);
    EXPECT_NE(error.find(message), std::string::npos) << error;
    EXPECT_NE(error.find("lap3d:side"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace sptrsv::support
