// SPDX-License-Identifier: Apache-2.0
// Tests the oracle on systems made by hand, with exact answers.
#include <gtest/gtest.h>

#include <complex>
#include <sptrsv/substitution.hpp>

namespace {

using sptrsv::reference::RowList;
using sptrsv::reference::substitute;
using sptrsv::reference::transpose;
using Vector = std::vector<double>;

// 2 . .      x = 1 2 3
// 4 1 .
// 1 3 4
RowList<double> small_lower() { return {{{{0, 2}}, {{0, 4}, {1, 1}}, {{0, 1}, {1, 3}, {2, 4}}}}; }

TEST(Substitution, SolvesALower3x3) {
  EXPECT_EQ(substitute(small_lower(), true, false, false, Vector{2, 6, 19}), (Vector{1, 2, 3}));
}

TEST(Substitution, IgnoresAUnitDiagonal) {
  EXPECT_EQ(substitute(small_lower(), true, true, false, Vector{1, 6, 10}), (Vector{1, 2, 3}));
}

TEST(Substitution, MultipliesWithAnInvertedDiagonal) {
  EXPECT_EQ(substitute(small_lower(), true, false, true, Vector{1, 8, 10}), (Vector{2, 0, 32}));
}

TEST(Substitution, SolvesTheTransposeUpward) {
  auto const t = transpose(small_lower(), false);
  ASSERT_EQ(t.rows[0].size(), 3u);
  // 2x0 + 4x1 + x2 = 13, x1 + 3x2 = 11, 4x2 = 12
  EXPECT_EQ(substitute(t, false, false, false, Vector{13, 11, 12}), (Vector{1, 2, 3}));
}

TEST(Substitution, SolvesAnUpper4x4WithUnsortedRows) {
  // 1 2 . 4
  // . 2 1 .
  // . . 4 8
  // . . . 2
  RowList<double> const t{{{{3, 4}, {0, 1}, {1, 2}}, {{2, 1}, {1, 2}}, {{2, 4}, {3, 8}}, {{3, 2}}}};
  EXPECT_EQ(substitute(t, false, false, false, Vector{21, 7, 44, 8}), (Vector{1, 2, 3, 4}));
}

TEST(Substitution, SolvesAChain5x5) {
  RowList<double> t;
  for (long long i = 0; i < 5; ++i) {
    t.rows.push_back({});
    if (i > 0) t.rows[i].push_back({i - 1, -1});
    t.rows[i].push_back({i, 1});
  }
  EXPECT_EQ(substitute(t, true, false, false, Vector{1, 1, 1, 1, 1}), (Vector{1, 2, 3, 4, 5}));
}

TEST(Substitution, ConjugatesTheTranspose) {
  using complex = std::complex<double>;
  RowList<complex> const t{{{{0, {0, 1}}}, {{0, {1, 1}}, {1, {2, 0}}}}};
  auto const h = transpose(t, true);
  EXPECT_EQ(h.rows[0][1].value, complex(1, -1));
  // -i x0 + (1-i) x1 = b0, 2 x1 = b1 with x = (1, i): b = (-i + i + 1, 2i)
  EXPECT_EQ(substitute(h, false, false, false, std::vector<complex>{{1, 0}, {0, 2}}),
            (std::vector<complex>{{1, 0}, {0, 1}}));
}

TEST(Substitution, TakesNoRowsAndOneRow) {
  EXPECT_TRUE(substitute(RowList<double>{}, true, false, false, Vector{}).empty());
  EXPECT_EQ(substitute(RowList<double>{{{{0, 4}}}}, false, false, false, Vector{2}), Vector{0.5});
}

}  // namespace
