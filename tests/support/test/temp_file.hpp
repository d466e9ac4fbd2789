// SPDX-License-Identifier: Apache-2.0
// Files that exist during one test, plain or gzip.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace sptrsv::support {

/// File in the test's temporary directory, removed with the object.
class TempFile {
 public:
  explicit TempFile(const std::string& content, const std::string& suffix = ".mtx")
      : path_(::testing::TempDir() + "sptrsv_support_" + std::to_string(::getpid()) + suffix) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TempFile() { std::remove(path_.c_str()); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Returns content as the bytes of a gzip file.
inline std::string gzipped(const std::string& content) {
  TempFile packed("", ".gz");
  gzFile file = gzopen(packed.path().c_str(), "wb");
  EXPECT_EQ(gzwrite(file, content.data(), static_cast<unsigned>(content.size())), static_cast<int>(content.size()));
  EXPECT_EQ(gzclose(file), Z_OK);
  std::ifstream in(packed.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace sptrsv::support
