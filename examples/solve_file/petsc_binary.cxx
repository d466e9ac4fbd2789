// SPDX-License-Identifier: Apache-2.0
// Checks header, row lengths and columns of a PETSc binary matrix, all big-endian.
#include "petsc_binary.hpp"

#include <petscmat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include <sptrsv_support/matrix_market.hpp>

namespace {

using sptrsv::support::ReadError;

[[noreturn]] void fail(const std::string& path, const std::string& what, const std::string& remedy) {
  throw ReadError(path + ": " + what + "; " + remedy);
}

/// Returns a signed big-endian integer of 4 or 8 bytes.
std::int64_t big_endian(const unsigned char* bytes, int width) {
  std::uint64_t value = 0;
  for (int k = 0; k < width; ++k) value = value << 8 | bytes[k];
  return width == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
}

/// Returns the bytes of an index in the file: 4 or 8; 0 if the file is no PETSc binary matrix.
int index_width(const std::string& path) {
  unsigned char start[8] = {};
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(start), sizeof(start));
  if (in.gcount() >= 4 && big_endian(start, 4) == MAT_FILE_CLASSID) return 4;
  if (in.gcount() == 8 && big_endian(start, 8) == MAT_FILE_CLASSID) return 8;
  return 0;
}

/// Passes the next `count` indices of the file to `visit`, in pieces of bounded size.
template <class Visit>
void for_each_index(std::ifstream& in, const std::string& path, std::int64_t count, Visit visit) {
  constexpr std::int64_t width = sizeof(PetscInt), piece = std::int64_t{1} << 18;
  std::vector<unsigned char> bytes(static_cast<std::size_t>(std::min(count, piece) * width));
  for (std::int64_t done = 0; done < count; done += piece) {
    const std::int64_t now = std::min(piece, count - done);
    if (!in.read(reinterpret_cast<char*>(bytes.data()), now * width)) {
      fail(path, "reading fails", "the file is cut short or damaged: write it again");
    }
    for (std::int64_t k = 0; k < now; ++k) visit(big_endian(&bytes[static_cast<std::size_t>(k * width)], width));
  }
}

struct Header {
  std::int64_t num_rows, num_cols, num_entries;
};

Header read_header(std::ifstream& in, const std::string& path) {
  std::vector<std::int64_t> header;
  for_each_index(in, path, 4, [&](std::int64_t value) { header.push_back(value); });
  if (header[3] == -1) fail(path, "the matrix is stored in dense format", "write it from an aij matrix");
  if (header[1] < 0 || header[2] < 0 || header[3] < 0) {
    fail(path, "negative sizes in the header", "the file is damaged: write it again");
  }
  return {header[1], header[2], header[3]};
}

/// Checks the counts against the size of the file in bytes.
void check_size(const std::string& path, const Header& h) {
  constexpr std::int64_t index = sizeof(PetscInt), scalar = sizeof(PetscScalar);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const auto bytes_with = [&](std::int64_t s) { return (4 + h.num_rows) * index + h.num_entries * (index + s); };
  // The first two comparisons keep the third from overflowing.
  const bool plausible = h.num_rows <= size / index && h.num_entries <= size / index;
  if (plausible && h.num_entries > 0 && size == bytes_with(24 - scalar) && (scalar == 8 || scalar == 16)) {
    fail(path,
         scalar == 8 ? "it holds complex numbers and this PETSc has real ones"
                     : "it holds real numbers and this PETSc has complex ones",
         "write it with a PETSc of the same kind, or as Matrix Market");
  }
  if (!plausible || size < bytes_with(scalar)) {
    fail(path,
         "the header announces " + std::to_string(h.num_rows) + " rows and " + std::to_string(h.num_entries) +
             " entries, more than a file of " + std::to_string(size) + " bytes can hold",
         "it is cut short, or its numbers are of another kind than those of this PETSc: write it again");
  }
}

void check_pattern(std::ifstream& in, const std::string& path, const Header& h) {
  std::vector<std::int64_t> row_end;
  row_end.reserve(static_cast<std::size_t>(h.num_rows));
  std::int64_t total = 0;
  for_each_index(in, path, h.num_rows, [&](std::int64_t length) {
    if (length < 0 || length > h.num_entries - total) {
      fail(path,
           "row " + std::to_string(row_end.size()) + " has " + std::to_string(length) + " of " +
               std::to_string(h.num_entries - total) + " entries left",
           "the file is damaged: write it again");
    }
    row_end.push_back(total += length);
  });
  if (total != h.num_entries) {
    fail(path, "the row lengths do not add up to the number of entries", "the file is damaged: write it again");
  }
  std::int64_t entry = 0, previous = -1;
  std::size_t row = 0;
  for_each_index(in, path, h.num_entries, [&](std::int64_t col) {
    while (entry == row_end[row]) {
      ++row;
      previous = -1;
    }
    if (col <= previous || col >= h.num_cols) {
      fail(path, "column " + std::to_string(col) + " in row " + std::to_string(row) + " is out of range or order",
           "the file is damaged: write it again");
    }
    previous = col;
    ++entry;
  });
}

}  // namespace

bool is_petsc_binary(const std::string& path) { return index_width(path) != 0; }

void check_petsc_binary(const std::string& path) {
  if (index_width(path) != static_cast<int>(sizeof(PetscInt))) {
    fail(path,
         "its indices have another width than those of this PETSc, " + std::to_string(8 * sizeof(PetscInt)) + " bits",
         "write it with a PETSc of the same kind, or as Matrix Market");
  }
  std::ifstream in(path, std::ios::binary);
  const Header header = read_header(in, path);
  check_size(path, header);
  check_pattern(in, path, header);
}
