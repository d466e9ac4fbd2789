// SPDX-License-Identifier: Apache-2.0
// Writes the measurements as JSON, for compare.py, tables.py and tools/fit_planner.py.
#pragma once

#include <cstdio>
#include <fstream>
#include <ostream>
#include <stdexcept>

#include "report.hpp"

namespace sptrsv::bench {

/// Returns the number of bytes from `at` on that are one character in UTF-8; 0 if they are none.
inline std::size_t utf8_length(std::string const& text, std::size_t at) {
  auto const byte = [&](std::size_t k) { return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0u; };
  unsigned const first = byte(0);
  if (first < 0x80) return 1;
  std::size_t const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  bool const too_long = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  // a surrogate, or above the last character
  bool const no_character = (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
  return too_long || no_character ? 0 : length;
}

/// Returns a JSON string, which is UTF-8: other bytes, as in names of files, become the replacement character.
inline std::string quoted(std::string const& text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    char const c = text[at];
    std::size_t const length = utf8_length(text, at);
    char code[8];
    if (length == 0) out += "\\ufffd";
    else if (c == '"' || c == '\\') (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20) out += (std::snprintf(code, sizeof code, "\\u%04x", c), code);
    else out.append(text, at, length);
    at += length == 0 ? 1 : length;
  }
  return out + "\"";
}

inline std::string json_of(Times const& t) {
  char text[200];
  std::snprintf(text, sizeof text, "{\"median\": %.9g, \"minimum\": %.9g, \"q1\": %.9g, \"q3\": %.9g, \"runs\": %d}",
                t.median, t.minimum, t.lower_quartile, t.upper_quartile, t.runs);
  return text;
}

/// Returns the planner's input as two members of an object.
inline std::string json_of(PlanInput const& plan) {
  std::string out = "\"features\": {", separator;
  for (auto const& [name, value] : plan.features) {
    out += separator + quoted(name) + ": " + formatted("%.12g", value);
    separator = ", ";
  }
  out += "}, \"candidates\": [";
  separator.clear();
  for (auto const& name : plan.candidates) {
    out += separator + quoted(name);
    separator = ", ";
  }
  return out + "]";
}

inline void write_case(std::ostream& out, Group const& g, Result const& r) {
  out << "    {\"matrix\": " << quoted(g.matrix) << ", \"shape\": " << quoted(g.shape) << ", \"columns\": " << g.columns
      << ", \"rows\": " << g.structure.rows << ", \"entries\": " << g.structure.entries
      << ", \"levels\": " << g.structure.levels << ", \"rows_per_level\": " << g.structure.mean_level
      << ", \"longest_row\": " << g.structure.longest_row << ", \"bytes\": " << g.bytes << ", \"limit\": " << g.limit()
      << ",\n     " << json_of(g.plan) << ",\n     \"algorithm\": " << quoted(r.algorithm)
      << ", \"peer\": " << (r.peer ? "true" : "false");
  if (!r.timed) {
    out << ", \"error\": " << quoted(r.error) << ", \"refusal\": " << quoted(r.refusal) << "}";
    return;
  }
  out << ", \"used\": " << quoted(r.used) << ", \"parameters\": " << quoted(r.parameters)
      << ", \"reason\": " << quoted(r.reason) << ", \"memory_bytes\": " << r.memory_bytes
      << ", \"deviation\": " << r.deviation << ",\n     \"analyze\": " << json_of(r.analyze)
      << ",\n     \"update\": " << json_of(r.update) << ",\n     \"solve\": " << json_of(r.solve)
      << ",\n     \"cut_short\": " << (r.cut_short ? "true" : "false")
      << ", \"gb_per_s\": " << g.gigabytes_per_second(r)
      << ", \"analysis_in_solves\": " << r.analyze.median / r.solve.median;
  if (auto const* base = g.baseline())
    out << ", \"baseline\": " << quoted(base->algorithm) << ", \"pays_off_after\": " << r.pays_off_after(*base);
  out << "}";
}

/// Writes all cases: those with a time to "seconds", the others to "not_timed".
inline void write_json(std::ostream& out, Environment const& e, std::vector<Group> const& groups) {
  out << "{\n  \"library\": " << quoted(e.version) << ",\n  \"commit\": " << quoted(e.commit)
      << ",\n  \"compiler\": " << quoted(e.compiler) << ",\n  \"kokkos\": " << quoted(e.kokkos)
      << ",\n  \"kokkos_configuration\": " << quoted(e.configuration) << ",\n  \"space\": " << quoted(e.space)
      << ",\n  \"device\": " << quoted(e.device) << ",\n  \"date\": " << quoted(e.date)
      << ",\n  \"concurrency\": " << e.concurrency;
  for (bool const timed : {true, false}) {
    out << (timed ? ",\n  \"seconds\": [" : ",\n  \"not_timed\": [");
    char const* separator = "\n";
    for (auto const& g : groups)
      for (auto const& r : g.results) {
        if (r.timed != timed) continue;
        out << separator;
        write_case(out, g, r);
        separator = ",\n";
      }
    out << "\n  ]";
  }
  out << "\n}\n";
}

/// Writes all results so far, replacing the file at once, so that an interrupted run leaves a complete file.
inline void save_json(std::string const& path, Environment const& e, std::vector<Group> const& groups) {
  if (path.empty()) return;
  std::string const part = path + ".part";
  std::ofstream out(part);
  out.precision(12);
  write_json(out, e, groups);
  out.close();
  if (!out || std::rename(part.c_str(), path.c_str()) != 0) throw std::runtime_error("cannot write " + path);
}

}  // namespace sptrsv::bench
