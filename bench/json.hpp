// SPDX-License-Identifier: Apache-2.0
// Measurements as JSON, for compare.py, tables.py and tools/fit_planner.py.
#pragma once

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "measure.hpp"

namespace sptrsv::bench {

using Json = nlohmann::ordered_json;  // numbers that are not finite become null

inline void to_json(Json& json, Times const& t) {
  json = {{"median", t.median},
          {"minimum", t.minimum},
          {"q1", t.lower_quartile},
          {"q3", t.upper_quartile},
          {"runs", t.runs}};
}

/// Writes `json` to a new file, which then replaces `path`, so that an interrupted run leaves a complete file; does
/// nothing if `path` is empty. Bytes that are not UTF-8, as in names of files, become the replacement character.
/// @throws std::runtime_error if it cannot write the file
inline void save_json(std::string const& path, Json const& json) {
  if (path.empty()) return;
  std::string const part = path + ".part";
  std::ofstream out(part);
  out << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
  out.close();
  if (!out || std::rename(part.c_str(), path.c_str()) != 0) throw std::runtime_error("cannot write " + path);
}

}  // namespace sptrsv::bench
