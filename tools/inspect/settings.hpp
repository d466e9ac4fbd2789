// SPDX-License-Identifier: Apache-2.0
// Settings from the command line.
#pragma once

#include <string>
#include <vector>

#include <sptrsv/options.hpp>

#include "bench/measure.hpp"

namespace sptrsv::tools {

struct Settings {
  std::string matrix;
  bool upper = false, transpose = false;
  std::string space;                    ///< lower case; empty: Kokkos' default
  std::vector<std::string> algorithms;  ///< empty: all
  std::vector<std::string> options;     ///< key=value
  int columns = 1;
  bool no_time = false, no_colors = false, no_tiles = false;
  bench::Limits limits{20, 1.0, 1.0};
  std::string json;

  OptionValues option_values() const {
    OptionValues out;
    for (auto const& option : options) {
      auto const at = option.find('=');
      out[option.substr(0, at)] = at == std::string::npos ? "" : option.substr(at + 1);
    }
    return out;
  }
};

}  // namespace sptrsv::tools
