// SPDX-License-Identifier: Apache-2.0
// Tests the refusals of the Matrix Market reader, and their messages.
#include <gtest/gtest.h>

#include <filesystem>

#include "sptrsv_support/matrix_market.hpp"
#include "temp_file.hpp"

namespace sptrsv::support {
namespace {

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";
const std::string integer_general = "%%MatrixMarket matrix coordinate integer general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";

struct BadFile {
  const char* name;
  std::string content;
  std::string where;    ///< `:line: ` after the path, or `: ` for the whole file
  std::string message;  ///< part of the message
};

void PrintTo(const BadFile& bad, std::ostream* out) { *out << bad.name; }

std::string error_of(const std::string& path) {
  try {
    read_matrix_market(path);
  } catch (const ReadError& error) {
    return error.what();
  }
  return "no error";
}

class RefusedFile : public ::testing::TestWithParam<BadFile> {};

TEST_P(RefusedFile, NamesFileLineAndRemedy) {
  const TempFile file(GetParam().content);
  const std::string error = error_of(file.path());
  EXPECT_EQ(error.rfind(file.path() + GetParam().where, 0), 0u) << error;
  EXPECT_NE(error.find(GetParam().message), std::string::npos) << error;
  EXPECT_NE(error.find("; "), std::string::npos) << error;
}

const BadFile bad_headers[] = {
    {"empty", "", ": ", "the file is empty"},
    {"no_banner", "1 1 1\n", ":1: ", "not a Matrix Market file"},
    {"binary", std::string("\0\x12\x7B\x50\0\0", 6), ":1: ", "not a Matrix Market file"},
    {"vector", "%%MatrixMarket vector coordinate real general\n", ":1: ", "'vector' is not read"},
    {"array", "%%MatrixMarket matrix array real general\n", ":1: ", "write it in `coordinate`"},
    {"format", "%%MatrixMarket matrix elemental real general\n", ":1: ", "unknown format 'elemental'"},
    {"complex", "%%MatrixMarket matrix coordinate complex general\n", ":1: ", "complex matrices are not read"},
    {"hermitian", "%%MatrixMarket matrix coordinate real hermitian\n", ":1: ", "hermitian matrices are not read"},
    {"field", "%%MatrixMarket matrix coordinate quaternion general\n", ":1: ", "unknown kind of value 'quaternion'"},
    {"symmetry", "%%MatrixMarket matrix coordinate real\n", ":1: ", "unknown symmetry ''"},
    {"skew_pattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n", ":1: ", "cannot be skew"},
    {"long_banner", "%%MatrixMarket matrix coordinate real general x\n", ":1: ", "more than five words"},
    {"no_size_line", real_general + "%\n\n", ":3: ", "ends before the size line"},
    {"short_size_line", real_general + "3 3\n", ":2: ", "no number of entries"},
    {"long_size_line", real_general + "1 1 1 1\n", ":2: ", "unexpected '1'"},
    {"word_size_line", real_general + "3 x 3\n", ":2: ", "number of columns 'x' is not an integer"},
    {"real_size_line", real_general + "3 3.5 3\n", ":2: ", "'3.5' is not an integer"},
    {"negative_rows", real_general + "-3 3 3\n", ":2: ", "a negative count"},
    {"negative_cols", real_general + "3 -3 3\n", ":2: ", "a negative count"},
    {"negative_entries", real_general + "3 3 -3\n", ":2: ", "a negative count"},
    {"rows_overflow", real_general + "99999999999999999999 3 3\n", ":2: ", "does not fit 64 bits"},
    {"rows_huge", real_general + "9223372036854775807 1 0\n", ":2: ", "more rows or columns than can be counted"},
    {"rows_empty", real_general + "1000000000000 1 1\n1 1 1\n", ":2: ", "nearly all of them empty"},
    {"entries_huge", real_general + "3 3 9223372036854775807\n1 1 1\n", ":2: ", "more than a file of this size"},
    {"entries_many", real_general + "3 3 12\n1 1 1\n", ":2: ", "more than a file of this size"},
    {"symmetric_not_square", symmetric + "2 3 0\n", ":2: ", "must be square"},
};

const BadFile bad_entries[] = {
    {"row_zero", real_general + "2 2 1\n0 1 1\n", ":3: ", "entry (0, 1) lies outside of the 2 by 2"},
    {"row_large", real_general + "2 2 1\n3 1 1\n", ":3: ", "entry (3, 1) lies outside"},
    {"col_large", real_general + "2 2 1\n1 3 1\n", ":3: ", "entry (1, 3) lies outside"},
    {"col_negative", real_general + "2 2 1\n1 -1 1\n", ":3: ", "entry (1, -1) lies outside"},
    {"row_word", real_general + "2 2 1\nx 1 1\n", ":3: ", "row 'x' is not an integer"},
    {"row_signs", real_general + "2 2 1\n+-1 1 1\n", ":3: ", "row '+-1' is not an integer"},
    {"no_col", real_general + "2 2 1\n1\n", ":3: ", "no column"},
    {"no_value", real_general + "2 2 1\n1 1\n", ":3: ", "no value"},
    {"bad_value", real_general + "2 2 1\n1 1 1.0.0\n", ":3: ", "value '1.0.0' is not a number"},
    {"word_value", real_general + "2 2 1\n1 1 one\n", ":3: ", "value 'one' is not a number"},
    {"integer_value", integer_general + "2 2 1\n1 1 1.5\n", ":3: ", "value '1.5' is not an integer"},
    {"junk_in_line", real_general + "2 2 1\n1 1 1 1\n", ":3: ", "unexpected '1'"},
    {"value_in_pattern", pattern + "2 2 1\n1 1 1\n", ":3: ", "unexpected '1'"},
    {"above_diagonal", symmetric + "2 2 1\n% comment\n\n1 2 1\n", ":5: ", "above the diagonal in a symmetric"},
    {"skew_diagonal", skew + "2 2 1\n1 1 1\n", ":3: ", "a diagonal entry in a skew"},
    {"too_few", real_general + "2 2 2\n1 1 1\n", ":3: ", "after 1 of 2 entries"},
    {"too_many", real_general + "2 2 1\n1 1 1\n2 2 1\n", ":4: ", "more lines than the 1 entries"},
    {"junk_at_end", real_general + "2 2 1\n1 1 1\njunk\n", ":4: ", "more lines than the 1 entries"},
    {"long_line", real_general + "% " + std::string(3 << 20, 'x') + "\n1 1 0\n", ":1: ", "longer than 1 MiB"},
};

const BadFile packed_otherwise[] = {
    {"xz", std::string("\xFD") + "7zXZ\0", ": ", "xz -dk"},
    {"bzip2", "BZh91AY", ": ", "bzip2"},
    {"zip", "PK\x03\x04 ", ": ", "zip"},
    {"zstd", "\x28\xB5\x2F\xFD ", ": ", "zstd"},
};

std::string case_name(const ::testing::TestParamInfo<BadFile>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Header, RefusedFile, ::testing::ValuesIn(bad_headers), case_name);
INSTANTIATE_TEST_SUITE_P(Entries, RefusedFile, ::testing::ValuesIn(bad_entries), case_name);
INSTANTIATE_TEST_SUITE_P(Packed, RefusedFile, ::testing::ValuesIn(packed_otherwise), case_name);

TEST(RefusedFiles, MissingFileAndFolder) {
  EXPECT_NE(error_of(::testing::TempDir() + "sptrsv_no_such_file.mtx").find("no such file"), std::string::npos);
  EXPECT_NE(error_of(::testing::TempDir()).find("not a regular file"), std::string::npos);
}

std::string many_entries() {
  std::string text = real_general + "1 50000 50000\n";
  for (int j = 50000; j >= 1; --j) text += "1 " + std::to_string(j) + " " + std::to_string(j * 7919 % 50021) + "\n";
  return text;
}

TEST(RefusedFiles, GzipCutShortAnywhere) {
  const std::string packed = gzipped(many_entries());
  for (std::size_t kept :
       {std::size_t{2}, std::size_t{9}, std::size_t{40}, packed.size() / 2, packed.size() - 9, packed.size() - 1}) {
    const TempFile file(packed.substr(0, kept));
    const std::string error = error_of(file.path());
    EXPECT_NE(error, "no error") << kept;
    EXPECT_EQ(error.rfind(file.path() + ":", 0), 0u) << error;
  }
}

TEST(RefusedFiles, GzipWithWrongChecksum) {
  std::string packed = gzipped(many_entries());
  packed[packed.size() - 6] ^= 1;
  const TempFile file(packed);
  EXPECT_NE(error_of(file.path()).find("the file is damaged"), std::string::npos) << error_of(file.path());
}

TEST(RefusedFiles, GzipThatCannotHoldItsEntries) {
  const TempFile file(gzipped(real_general + "3 3 1000000000\n1 1 1\n"));
  EXPECT_NE(error_of(file.path()).find("more than a file of this size"), std::string::npos) << error_of(file.path());
}

}  // namespace
}  // namespace sptrsv::support
