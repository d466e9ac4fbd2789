// SPDX-License-Identifier: Apache-2.0
// Tests the reader of PETSc binary files, and load_matrix(), which distinguishes kinds of files and families.
#include "sptrsv_support/petsc_binary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "sptrsv_support/generators.hpp"
#include "sptrsv_support/load_matrix.hpp"
#include "sptrsv_support/matrix_market.hpp"
#include "temp_file.hpp"

namespace sptrsv::support {
namespace {

std::string big_endian(std::uint64_t value, int width) {
  std::string bytes;
  for (int k = width - 1; k >= 0; --k) bytes += static_cast<char>(value >> 8 * k & 0xFF);
  return bytes;
}

std::string indices(int width, const std::vector<std::int64_t>& values) {
  std::string bytes;
  for (const std::int64_t v : values) bytes += big_endian(static_cast<std::uint64_t>(v), width);
  return bytes;
}

std::string numbers(const std::vector<double>& values) {
  std::string bytes;
  for (const double v : values) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof(bits));
    bytes += big_endian(bits, 8);
  }
  return bytes;
}

/// Returns a file of the 3 by 4 matrix (0,0) = 1.5, (0,3) = -2, row 1 empty, (2,2) = NaN.
std::string example(int width) {
  return indices(width, {1211216, 3, 4, 3, /*lengths*/ 2, 0, 1, /*columns*/ 0, 3, 2}) +
         numbers({1.5, -2, std::nan("")});
}

std::string error_of(const std::string& content) {
  const TempFile file(content, ".bin");
  try {
    read_petsc_binary(file.path());
  } catch (const ReadError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind(file.path() + ": ", 0), 0u) << text;
    EXPECT_NE(text.find("; "), std::string::npos) << text;
    return text;
  }
  return "no error";
}

TEST(PetscBinary, ReadsBothWidthsOfIndicesAndIgnoresWhatFollows) {
  for (const int width : {4, 8}) {
    for (const char* behind : {"", "a vector"}) {
      const TempFile file(example(width) + behind, ".bin");
      EXPECT_TRUE(is_petsc_binary(file.path()));
      const CsrMatrix a = load_matrix(file.path());
      EXPECT_EQ(a.num_rows, 3);
      EXPECT_EQ(a.num_cols, 4);
      EXPECT_EQ(a.row_ptr, (std::vector<std::int64_t>{0, 2, 2, 3}));
      EXPECT_EQ(a.col_idx, (std::vector<std::int64_t>{0, 3, 2}));
      EXPECT_EQ(a.values[0], 1.5);
      EXPECT_EQ(a.values[1], -2);
      EXPECT_TRUE(std::isnan(a.values[2]));
    }
  }
}

TEST(PetscBinary, RefusesWhatItCannotRead) {
  EXPECT_NE(error_of("").find("no PETSc binary matrix"), std::string::npos);
  EXPECT_NE(error_of("%%MatrixMarket").find("no PETSc binary matrix"), std::string::npos);
  EXPECT_NE(error_of(example(4).substr(0, 10)).find("cut short"), std::string::npos);
  EXPECT_NE(error_of(example(4).substr(0, 60)).find("more than a file of 60 bytes"), std::string::npos);
  EXPECT_NE(error_of(indices(4, {1211216, 2, 2, -1}) + numbers({1, 2, 3, 4})).find("dense"), std::string::npos);
  EXPECT_NE(error_of(indices(4, {1211216, -2, 2, 0})).find("negative"), std::string::npos);
  EXPECT_NE(error_of(indices(8, {1211216, 1LL << 62, 1, 1LL << 62})).find("more than a file"), std::string::npos);
  EXPECT_NE(error_of(indices(4, {1211216, 1, 1, 1, 1, 0}) + numbers({1, 0})).find("complex"), std::string::npos);
  EXPECT_NE(error_of(indices(4, {1211216, 1, 1, 1, 2, 0}) + numbers({1})).find("row 0 has 2 of 1"), std::string::npos);
  EXPECT_NE(error_of(indices(4, {1211216, 1, 1, 1, 0, 0}) + numbers({1})).find("add up"), std::string::npos);
  EXPECT_NE(error_of(indices(4, {1211216, 1, 1, 1, 1, 1}) + numbers({1})).find("column 1 in row 0"), std::string::npos);
}

TEST(LoadMatrix, TakesMatrixMarketFilesAndFamilies) {
  const TempFile file("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 7\n");
  EXPECT_EQ(load_matrix(file.path()).values, std::vector<double>{7});
  EXPECT_EQ(load_matrix("chain:5").num_entries(), generate("chain:5").num_entries());
}

TEST(LoadMatrix, SaysWhetherAFileOrAFamilyIsMissing) {
  EXPECT_THROW(load_matrix("no_such_file.mtx"), ReadError);
  EXPECT_THROW(load_matrix("no/such/file"), ReadError);
  EXPECT_THROW(load_matrix("no_such_family:3"), SpecError);
}

}  // namespace
}  // namespace sptrsv::support
