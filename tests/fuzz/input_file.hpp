// SPDX-License-Identifier: Apache-2.0
// Input of a fuzzer as a file, since the readers take paths; and the requirements for an error message.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace sptrsv::fuzz {

/// Stops the fuzzer with the present input.
[[noreturn]] inline void stop(const std::string& what) {
  std::fprintf(stderr, "FUZZ FAILURE: %s\n", what.c_str());
  std::abort();
}

/// File for all inputs of a process, removed at its end.
class InputFile {
 public:
  InputFile() : path_(std::filesystem::temp_directory_path() / ("sptrsv_fuzz_" + std::to_string(::getpid()))) {}
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& write(const std::uint8_t* data, std::size_t size) {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    if (!out.flush()) stop("cannot write " + path_);
    return path_;
  }

 private:
  std::string path_;
};

/// Checks that a message starts with the file's name, has a remedy after a semicolon, and is printable text.
inline void check_message(const std::string& message, const std::string& path) {
  if (message.rfind(path + ":", 0) != 0) stop("no file name in: " + message);
  if (message.find("; ") == std::string::npos) stop("no remedy in: " + message);
  for (const unsigned char c : message)
    if (c < ' ' || c > '~') stop("bytes of the file in: " + message);
}

}  // namespace sptrsv::fuzz
