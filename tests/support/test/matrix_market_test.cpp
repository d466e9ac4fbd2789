// SPDX-License-Identifier: Apache-2.0
// Tests the files that the Matrix Market reader accepts.
#include "sptrsv_support/matrix_market.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "temp_file.hpp"

namespace sptrsv::support {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();
const std::string general = "%%MatrixMarket matrix coordinate real general\n";

using Row = std::vector<std::pair<std::int64_t, double>>;

/// Expects exactly these rows, in this order; a NaN matches a NaN.
void expect_rows(const CsrMatrix& a, std::int64_t num_cols, const std::vector<Row>& rows) {
  EXPECT_EQ(a.num_cols, num_cols);
  ASSERT_EQ(a.num_rows, static_cast<std::int64_t>(rows.size()));
  ASSERT_EQ(a.row_ptr.size(), rows.size() + 1);
  ASSERT_EQ(a.values.size(), a.col_idx.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row found;
    for (auto k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) found.emplace_back(a.col_idx[k], a.values[k]);
    ASSERT_EQ(found.size(), rows[i].size()) << "row " << i;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double value = found[k].second, wanted = rows[i][k].second;
      EXPECT_EQ(found[k].first, rows[i][k].first) << "row " << i;
      EXPECT_TRUE(value == wanted || (std::isnan(value) && std::isnan(wanted))) << "row " << i << ": " << value;
    }
  }
}

CsrMatrix read_text(const std::string& content) {
  const TempFile file(content);
  return read_matrix_market(file.path());
}

TEST(MatrixMarket, RealGeneral) {
  expect_rows(read_text(general + "% comment\n2 3 3\n2 3 -1.5e2\n1 1 .25\n2 1 +7\n"), 3,
              {{{0, .25}}, {{0, 7}, {2, -150}}});
}

TEST(MatrixMarket, IntegerAndPattern) {
  expect_rows(read_text("%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 2 -3\n1 1 4"), 2,
              {{{0, 4}, {1, -3}}});
  expect_rows(read_text("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1"), 2, {{{1, 1}}, {{0, 1}}});
}

TEST(MatrixMarket, SymmetricFilesAreExpanded) {
  expect_rows(read_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n"), 2,
              {{{0, 3}, {1, 4}}, {{0, 4}}});
  expect_rows(read_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"), 2, {{{1, 1}}, {{0, 1}}});
  expect_rows(read_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n"), 2,
              {{{1, -4}}, {{0, 4}}});
}

TEST(MatrixMarket, DuplicatesAreSummed) {
  expect_rows(read_text(general + "1 2 3\n1 2 1\n1 1 8\n1 2 2\n"), 2, {{{0, 8}, {1, 3}}});
  expect_rows(read_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 4\n2 1 1\n"), 2,
              {{{1, 5}}, {{0, 5}}});
}

TEST(MatrixMarket, LooseLayoutIsAccepted) {
  expect_rows(read_text("%%matrixmarket MATRIX Coordinate REAL General \r\n%a\r\n\r\n"
                        "\t1 2  1 \r\n\r\n  %b\r\n 1\t2 5\r\n\r\n"),
              2, {{{1, 5}}});
  expect_rows(read_text(general + "% " + std::string(300000, 'x') + "\n1 1 1\n1 1 5"), 1, {{{0, 5}}});
}

TEST(MatrixMarket, ValuesAreData) {
  expect_rows(read_text(general + "1 6 6\n1 1 nan\n1 2 -Inf\n1 3 1e400\n1 4 1e-400\n1 5 4.9e-324\n1 6 +infinity\n"), 6,
              {{{0, nan}, {1, -inf}, {2, inf}, {3, 0}, {4, 4.9e-324}, {5, inf}}});
}

TEST(MatrixMarket, EmptyMatrices) {
  expect_rows(read_text(general + "0 0 0\n"), 0, {});
  expect_rows(read_text(general + "2 3 0"), 3, {{}, {}});
}

TEST(MatrixMarket, GzipIsReadByContent) {
  const std::string text = general + "1 2 1\n1 2 5\n";
  for (const char* suffix : {".mtx.gz", ".mtx"}) {
    const TempFile file(gzipped(text), suffix);
    expect_rows(read_matrix_market(file.path()), 2, {{{1, 5}}});
  }
}

TEST(MatrixMarket, LinesAcrossBufferBoundaries) {
  const std::int64_t n = 200000;
  std::string text = general + std::to_string(n) + " 1 " + std::to_string(n) + "\n";
  for (std::int64_t i = n; i >= 1; --i) text += std::to_string(i) + " 1 " + std::to_string(3 * i) + "\n";
  ASSERT_GT(text.size(), std::size_t{2} << 20);
  for (const std::string& content : {text, gzipped(text)}) {
    const CsrMatrix a = read_text(content);
    ASSERT_EQ(a.num_rows, n);
    ASSERT_EQ(a.num_entries(), n);
    for (std::int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(a.row_ptr[i], i);
      ASSERT_EQ(a.col_idx[i], 0);
      ASSERT_EQ(a.values[i], 3.0 * static_cast<double>(i + 1));
    }
  }
}

}  // namespace
}  // namespace sptrsv::support
