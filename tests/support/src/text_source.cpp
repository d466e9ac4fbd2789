// SPDX-License-Identifier: Apache-2.0
// Reads buffered through zlib, which passes plain files through unchanged.
#include "text_source.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>

#include "sptrsv_support/matrix_market.hpp"

namespace sptrsv::support::detail {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;  // initial size; grows with a line up to longest_line
constexpr std::size_t longest_line = std::size_t{1} << 20;
constexpr std::int64_t best_gzip_rate = 1032;  // the deflate format cannot compress better

[[noreturn]] void fail_file(const std::string& path, const std::string& what, const std::string& remedy) {
  throw ReadError(path + ": " + what + "; " + remedy);
}

bool starts_with(const std::vector<char>& buffer, std::size_t length, std::string_view magic) {
  return length >= magic.size() && std::memcmp(buffer.data(), magic.data(), magic.size()) == 0;
}

}  // namespace

TextSource::TextSource(const std::string& path) : path_(path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail_file(path, "there is no such file", "check the name");
  if (!std::filesystem::is_regular_file(status))
    fail_file(path, "this is not a regular file", "write the matrix to a file first");
  const auto size = std::filesystem::file_size(path, error);
  if (error) fail_file(path, "its size cannot be found: " + error.message(), "check the permissions");
  if (size == 0) fail_file(path, "the file is empty", "download or write it again");
  bytes_on_disk_ = static_cast<std::int64_t>(size);
  file_ = gzopen(path.c_str(), "rb");
  if (file_ == nullptr) fail_file(path, std::strerror(errno), "check the permissions");
  try {
    gzbuffer(file_, 1 << 16);
    buffer_.resize(buffer_bytes);
    refill();
    compressed_ = gzdirect(file_) == 0;
    if (starts_with(buffer_, end_,
                    std::string_view("\xFD"
                                     "7zXZ"))) {
      fail_file(path, "the file is packed with xz", "unpack it with `xz -dk` first (gzip is read as it is)");
    }
    if (starts_with(buffer_, end_, "BZh")) fail_file(path, "the file is packed with bzip2", "unpack it first");
    if (starts_with(buffer_, end_, "PK\x03\x04")) fail_file(path, "this is a zip archive", "unpack it first");
    if (starts_with(buffer_, end_, "\x28\xB5\x2F\xFD"))
      fail_file(path, "the file is packed with zstd", "unpack it first");
  } catch (...) {
    gzclose(file_);
    throw;
  }
}

TextSource::~TextSource() { gzclose(file_); }

std::int64_t TextSource::most_bytes() const {
  if (!compressed_) return bytes_on_disk_;
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return bytes_on_disk_ > most / best_gzip_rate ? most : bytes_on_disk_ * best_gzip_rate;
}

void TextSource::fail(const std::string& what, const std::string& remedy) const {
  throw ReadError(path_ + ":" + std::to_string(line_number_) + ": " + what + "; " + remedy);
}

/// Reads more bytes behind the unread ones. @return false at the end of the file
bool TextSource::refill() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == longest_line) fail("a line is longer than 1 MiB", "this is no Matrix Market file");
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const auto wanted = static_cast<unsigned>(buffer_.size() - end_);
  const int got = gzread(file_, buffer_.data() + end_, wanted);
  int code = Z_OK;
  const char* message = gzerror(file_, &code);
  if (code == Z_BUF_ERROR) fail("the gzip data end too early", "the file is cut short: download or write it again");
  if (got < 0 || code != Z_OK) {
    fail(std::string("reading fails: ") + (code == Z_ERRNO ? std::strerror(errno) : message),
         "the file is damaged: download or write it again");
  }
  end_ += static_cast<std::size_t>(got);
  at_end_ = static_cast<unsigned>(got) < wanted;
  return got > 0;
}

bool TextSource::next_line(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const void* newline = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
    const std::size_t unread = end_ - begin_;
    if (newline != nullptr) {
      line = std::string_view(start, static_cast<const char*>(newline) - start);
      begin_ += line.size() + 1;
      break;
    }
    if (!refill()) {
      if (begin_ == end_) return false;
      line = std::string_view(buffer_.data() + begin_, end_ - begin_);
      begin_ = end_;
      break;
    }
    searched = begin_ + unread;
  }
  ++line_number_;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

}  // namespace sptrsv::support::detail
