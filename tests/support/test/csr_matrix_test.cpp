// SPDX-License-Identifier: Apache-2.0
// Tests the CSR matrix: building, triangles, levels, symmetry.
#include "sptrsv_support/csr_matrix.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "rows.hpp"

namespace sptrsv::support {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

// [ 1 0 2 ]
// [ 3 4 0 ]
// [ 0 5 6 ]
CsrMatrix small() {
  return csr_from_triplets(3, 3, {{2, 2, 6}, {0, 2, 2}, {1, 1, 4}, {2, 1, 5}, {0, 0, 1}, {1, 0, 3}});
}

TEST(CsrMatrix, EntriesAreSortedIntoRows) {
  expect_rows(small(), 3, {{{0, 1}, {2, 2}}, {{0, 3}, {1, 4}}, {{1, 5}, {2, 6}}});
}

TEST(CsrMatrix, DuplicatesAreSummed) {
  expect_rows(csr_from_triplets(2, 3, {{0, 2, 1}, {1, 0, 4}, {0, 2, 2}, {0, 1, 8}, {0, 2, 4}}), 3,
              {{{1, 8}, {2, 7}}, {{0, 4}}});
}

TEST(CsrMatrix, MirrorAddsTransposedEntries) {
  const std::vector<Triplet> lower = {{0, 0, 1}, {1, 0, 2}};
  expect_rows(csr_from_triplets(2, 2, lower, Mirror::same), 2, {{{0, 1}, {1, 2}}, {{0, 2}}});
  expect_rows(csr_from_triplets(2, 2, lower, Mirror::negative), 2, {{{0, 1}, {1, -2}}, {{0, 2}}});
}

TEST(CsrMatrix, BadEntriesAreRefused) {
  EXPECT_THROW(csr_from_triplets(2, 2, {{2, 0, 1}}), std::invalid_argument);
  EXPECT_THROW(csr_from_triplets(2, 2, {{0, -1, 1}}), std::invalid_argument);
  EXPECT_THROW(csr_from_triplets(2, 3, {}, Mirror::same), std::invalid_argument);
  EXPECT_THROW(csr_from_triplets(-1, 3, {}), std::invalid_argument);
}

TEST(CsrMatrix, Triangles) {
  expect_rows(lower_triangle(small()), 3, {{{0, 1}}, {{0, 3}, {1, 4}}, {{1, 5}, {2, 6}}});
  expect_rows(upper_triangle(small()), 3, {{{0, 1}, {2, 2}}, {{1, 4}}, {{2, 6}}});
}

TEST(CsrMatrix, LevelsAreTheLongestPath) {
  EXPECT_EQ(count_levels(lower_triangle(small())), 3);
  EXPECT_EQ(count_upper_levels(upper_triangle(small())), 2);
  EXPECT_EQ(count_levels(csr_from_triplets(0, 0, {})), 0);
  EXPECT_EQ(count_levels(csr_from_triplets(1, 1, {})), 1);
  EXPECT_EQ(count_upper_levels(csr_from_triplets(3, 3, {})), 1);
}

TEST(CsrMatrix, LevelsRefuseTheWrongTriangle) {
  EXPECT_THROW(count_levels(small()), std::invalid_argument);
  EXPECT_THROW(count_upper_levels(small()), std::invalid_argument);
  EXPECT_THROW(count_levels(csr_from_triplets(2, 3, {})), std::invalid_argument);
}

TEST(CsrMatrix, Symmetry) {
  EXPECT_FALSE(is_symmetric(small()));
  EXPECT_FALSE(is_symmetric(csr_from_triplets(1, 2, {})));
  EXPECT_TRUE(is_symmetric(csr_from_triplets(0, 0, {})));
  EXPECT_TRUE(is_symmetric(csr_from_triplets(3, 3, {{0, 0, 1}, {2, 0, 5}, {2, 1, nan}}, Mirror::same)));
  EXPECT_FALSE(is_symmetric(csr_from_triplets(3, 3, {{2, 0, 5}}, Mirror::negative)));
  EXPECT_FALSE(is_symmetric(csr_from_triplets(2, 2, {{1, 0, 5}, {1, 1, 1}})));
}

}  // namespace
}  // namespace sptrsv::support
