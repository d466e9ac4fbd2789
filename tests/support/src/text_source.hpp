// SPDX-License-Identifier: Apache-2.0
// Lines of a plain or gzip file, one after another, with the checks that a damaged file needs.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sptrsv::support::detail {

/// Reads a file line by line through one buffer; gzip is decompressed while reading.
class TextSource {
 public:
  /// @throws ReadError if there is no such regular file, it is empty, or it is compressed by another program.
  explicit TextSource(const std::string& path);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  /// Gets the next line without its line end. @return false at the end of the file
  /// @param line  valid until the next call.
  /// @throws ReadError if reading or decompressing fails.
  bool next_line(std::string_view& line);

  /// Returns the most bytes of text that the file can hold, from its size on disk and the best compression rate.
  std::int64_t most_bytes() const;

  /// Returns the size of the file, compressed or not.
  std::int64_t bytes_on_disk() const { return bytes_on_disk_; }

  /// Throws a ReadError `path:line: what; remedy` for the line read last.
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const;

 private:
  bool refill();

  std::string path_;
  gzFile file_ = nullptr;
  std::int64_t bytes_on_disk_ = 0;
  std::int64_t line_number_ = 0;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
  bool compressed_ = false;
};

}  // namespace sptrsv::support::detail
