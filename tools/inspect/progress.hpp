// SPDX-License-Identifier: Apache-2.0
// Shows the current step on standard error.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace sptrsv::tools {

/// Progress: on a terminal one line that is overwritten and finally removed; otherwise one line per step that begins
/// after the first second.
class Progress {
 public:
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  void step(std::string const& what) {
    if (terminal_) {
      std::fprintf(stderr, "\r\033[K%s ...", what.c_str());
      std::fflush(stderr);
      shown_ = true;
    } else if (clock::now() - start_ > std::chrono::seconds(1)) {
      std::fprintf(stderr, "sptrsv_inspect: %s\n", what.c_str());
    }
  }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
  bool terminal_ = isatty(STDERR_FILENO) == 1, shown_ = false;
};

}  // namespace sptrsv::tools
