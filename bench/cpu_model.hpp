// SPDX-License-Identifier: Apache-2.0
// Name of the host's processor.
#pragma once

#include <fstream>
#include <string>

namespace sptrsv::bench {

inline std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

}  // namespace sptrsv::bench
