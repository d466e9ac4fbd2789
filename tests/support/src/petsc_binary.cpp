// SPDX-License-Identifier: Apache-2.0
// Reads and checks header, row lengths, columns and values of a PETSc binary matrix, all big-endian.
#include "sptrsv_support/petsc_binary.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

#include "sptrsv_support/matrix_market.hpp"

namespace sptrsv::support {
namespace {

constexpr std::int64_t class_of_matrices = 1211216;  // PETSc's MAT_FILE_CLASSID

[[noreturn]] void fail(const std::string& path, const std::string& what, const std::string& remedy) {
  throw ReadError(path + ": " + what + "; " + remedy);
}

std::uint64_t big_endian(const unsigned char* bytes, int width) {
  std::uint64_t value = 0;
  for (int k = 0; k < width; ++k) value = value << 8 | bytes[k];
  return value;
}

std::int64_t big_endian_index(const unsigned char* bytes, int width) {
  const std::uint64_t value = big_endian(bytes, width);
  return width == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
}

/// Returns the bytes of an index in the file: 4 or 8; 0 if the file is no PETSc binary matrix.
int index_width(const std::string& path) {
  unsigned char start[8] = {};
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(start), sizeof(start));
  if (in.gcount() >= 4 && big_endian_index(start, 4) == class_of_matrices) return 4;
  if (in.gcount() == 8 && big_endian_index(start, 8) == class_of_matrices) return 8;
  return 0;
}

/// Passes the next `count` numbers of `width` bytes to `visit`, in pieces of bounded size.
template <class Visit>
void for_each_number(std::ifstream& in, const std::string& path, std::int64_t count, int width, Visit visit) {
  constexpr std::int64_t piece = std::int64_t{1} << 18;
  std::vector<unsigned char> bytes(static_cast<std::size_t>(std::min(count, piece) * width));
  for (std::int64_t done = 0; done < count; done += piece) {
    const std::int64_t now = std::min(piece, count - done);
    if (!in.read(reinterpret_cast<char*>(bytes.data()), now * width))
      fail(path, "reading fails", "the file is cut short or damaged: write it again");
    for (std::int64_t k = 0; k < now; ++k) visit(&bytes[static_cast<std::size_t>(k * width)]);
  }
}

struct Header {
  std::int64_t num_rows = 0, num_cols = 0, num_entries = 0;
};

Header read_header(std::ifstream& in, const std::string& path, int width) {
  std::vector<std::int64_t> header;
  for_each_number(in, path, 4, width, [&](const unsigned char* at) { header.push_back(big_endian_index(at, width)); });
  if (header[3] == -1) fail(path, "the matrix is stored in dense format", "write it from an aij matrix");
  if (header[1] < 0 || header[2] < 0 || header[3] < 0)
    fail(path, "negative sizes in the header", "the file is damaged: write it again");
  return {header[1], header[2], header[3]};
}

/// Checks the counts against the size of the file in bytes.
void check_size(const std::string& path, const Header& h, int width) {
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const auto bytes_with = [&](std::int64_t scalar) {
    return (4 + h.num_rows) * width + h.num_entries * (width + scalar);
  };
  const bool plausible = h.num_rows <= size / width && h.num_entries <= size / width;  // else bytes_with() overflows
  if (!plausible || size < bytes_with(8)) {
    fail(path,
         "the header announces " + std::to_string(h.num_rows) + " rows and " + std::to_string(h.num_entries) +
             " entries, more than a file of " + std::to_string(size) + " bytes can hold",
         "it is cut short, or its numbers are not real ones of 64 bits: write it again");
  }
  if (h.num_entries > 0 && size == bytes_with(16))
    fail(path, "it holds complex numbers, which are not read", "write the real part with a PETSc of real numbers");
}

void read_rows(std::ifstream& in, const std::string& path, int width, const Header& h, CsrMatrix& a) {
  a.row_ptr.reserve(static_cast<std::size_t>(h.num_rows) + 1);
  for_each_number(in, path, h.num_rows, width, [&](const unsigned char* at) {
    const std::int64_t length = big_endian_index(at, width), left = h.num_entries - a.row_ptr.back();
    if (length < 0 || length > left) {
      fail(path,
           "row " + std::to_string(a.row_ptr.size() - 1) + " has " + std::to_string(length) + " of " +
               std::to_string(left) + " entries left",
           "the file is damaged: write it again");
    }
    a.row_ptr.push_back(a.row_ptr.back() + length);
  });
  if (a.row_ptr.back() != h.num_entries)
    fail(path, "the row lengths do not add up to the number of entries", "the file is damaged: write it again");
}

void read_columns(std::ifstream& in, const std::string& path, int width, const Header& h, CsrMatrix& a) {
  a.col_idx.reserve(static_cast<std::size_t>(h.num_entries));
  std::int64_t previous = -1;
  std::size_t row = 0;
  for_each_number(in, path, h.num_entries, width, [&](const unsigned char* at) {
    while (static_cast<std::int64_t>(a.col_idx.size()) == a.row_ptr[row + 1]) {
      ++row;
      previous = -1;
    }
    const std::int64_t col = big_endian_index(at, width);
    if (col <= previous || col >= h.num_cols) {
      fail(path, "column " + std::to_string(col) + " in row " + std::to_string(row) + " is out of range or order",
           "the file is damaged: write it again");
    }
    a.col_idx.push_back(previous = col);
  });
}

void read_values(std::ifstream& in, const std::string& path, const Header& h, CsrMatrix& a) {
  a.values.reserve(static_cast<std::size_t>(h.num_entries));
  for_each_number(in, path, h.num_entries, 8, [&](const unsigned char* at) {
    const std::uint64_t bits = big_endian(at, 8);
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    a.values.push_back(value);
  });
}

}  // namespace

bool is_petsc_binary(const std::string& path) { return index_width(path) != 0; }

CsrMatrix read_petsc_binary(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) fail(path, "there is no such file", "check the name");
  const int width = index_width(path);
  if (width == 0) fail(path, "this is no PETSc binary matrix", "write it with MatView() and a binary viewer");
  try {
    std::ifstream in(path, std::ios::binary);
    const Header header = read_header(in, path, width);
    check_size(path, header, width);
    CsrMatrix a;
    a.num_rows = header.num_rows;
    a.num_cols = header.num_cols;
    read_rows(in, path, width, header, a);
    read_columns(in, path, width, header, a);
    read_values(in, path, header, a);
    return a;
  } catch (const std::bad_alloc&) {
    fail(path, "not enough memory for this matrix", "use a machine with more, or a smaller matrix");
  }
}

}  // namespace sptrsv::support
