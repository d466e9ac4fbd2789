// SPDX-License-Identifier: Apache-2.0
// Compares a matrix, row by row, with rows written by hand.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sptrsv_support/csr_matrix.hpp"

namespace sptrsv::support {

using Row = std::vector<std::pair<std::int64_t, double>>;

/// Expects exactly these rows, in this order; a NaN matches a NaN.
inline void expect_rows(const CsrMatrix& a, std::int64_t num_cols, const std::vector<Row>& rows) {
  ASSERT_EQ(a.num_rows, static_cast<std::int64_t>(rows.size()));
  EXPECT_EQ(a.num_cols, num_cols);
  ASSERT_EQ(a.row_ptr.size(), rows.size() + 1);
  ASSERT_EQ(a.col_idx.size(), static_cast<std::size_t>(a.num_entries()));
  ASSERT_EQ(a.values.size(), a.col_idx.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(a.row_ptr[i + 1] - a.row_ptr[i], static_cast<std::int64_t>(rows[i].size())) << "row " << i;
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      const std::int64_t at = a.row_ptr[i] + static_cast<std::int64_t>(k);
      EXPECT_EQ(a.col_idx[at], rows[i][k].first) << "row " << i;
      const double value = a.values[at], wanted = rows[i][k].second;
      EXPECT_TRUE(value == wanted || (std::isnan(value) && std::isnan(wanted))) << "row " << i << ": " << value;
    }
  }
}

}  // namespace sptrsv::support
