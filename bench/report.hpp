// SPDX-License-Identifier: Apache-2.0
// What is shown of the measurements: a table for people, JSON for compare.py.
#pragma once

#include <cstdio>
#include <fstream>
#include <ostream>
#include <sptrsv/analysis/structure.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "measure.hpp"

namespace sptrsv::bench {

/// One algorithm on one system.
struct Result {
  std::string algorithm;  ///< as asked for
  std::string used;       ///< as chosen
  std::string parameters, reason;
  Times analyze, update, solve;
  double bytes = 0;  ///< that a solve must move at least
  double gigabytes_per_second() const { return bytes / solve.median * 1e-9; }
  double analysis_in_solves() const { return analyze.median / solve.median; }
  /// Solves after which this and `base` have taken the same time; negative: never.
  double pays_off_after(Result const& base) const {
    double const extra = analyze.median + update.median - base.analyze.median - base.update.median;
    double const gain = base.solve.median - solve.median;
    return extra <= 0 && gain >= 0 ? 0 : gain > 0 ? extra / gain : -1;
  }
};

/// All algorithms on one system; the first is `sequential`.
struct Group {
  std::string matrix, shape;
  int columns = 1;
  Structure structure;
  std::vector<Result> results;
};

/// Where and with what it was measured.
struct Environment {
  std::string library, commit, compiler, kokkos, configuration, space, device;
  int concurrency = 0;
};

inline void print_group(Group const& g) {
  auto const& s = g.structure;
  std::printf("\n%s %s, %d right-hand side%s: n %lld, nnz %lld, levels %lld, rows per level %.1f, longest row %lld\n",
              g.matrix.c_str(), g.shape.c_str(), g.columns, g.columns == 1 ? "" : "s", s.rows, s.entries, s.levels,
              s.mean_level, s.longest_row);
  std::printf("%-14s %11s %11s %11s %9s %9s %9s %7s %8s %9s %8s\n", "algorithm", "analyze ms", "update ms", "solve ms",
              "min", "q1", "q3", "GB/s", "a/solve", "pays off", "speedup");
  for (auto const& r : g.results) {
    double const after = r.pays_off_after(g.results.front());
    char payoff[32] = "never";
    if (after >= 0) std::snprintf(payoff, sizeof payoff, "%.0f", std::ceil(after));
    std::printf("%-14s %11.4f %11.4f %11.4f %9.4f %9.4f %9.4f %7.2f %8.2f %9s %8.2f\n", r.algorithm.c_str(),
                1e3 * r.analyze.median, 1e3 * r.update.median, 1e3 * r.solve.median, 1e3 * r.solve.minimum,
                1e3 * r.solve.lower_quartile, 1e3 * r.solve.upper_quartile, r.gigabytes_per_second(),
                r.analysis_in_solves(), &r == &g.results.front() ? "-" : payoff,
                g.results.front().solve.median / r.solve.median);
  }
  for (auto const& r : g.results)
    std::printf("  %s: %s%s; %s\n", r.algorithm.c_str(), r.algorithm == r.used ? "" : (r.used + ", ").c_str(),
                r.parameters.c_str(), r.reason.c_str());
}

inline std::string quoted(std::string const& text) {
  std::string out = "\"";
  for (char const c : text) {
    char code[8];
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += (std::snprintf(code, sizeof code, "\\u%04x", c), code);
    else
      out += c;
  }
  return out + "\"";
}

inline std::string json_of(Times const& t) {
  char text[200];
  std::snprintf(text, sizeof text, "{\"median\": %.9g, \"minimum\": %.9g, \"q1\": %.9g, \"q3\": %.9g, \"runs\": %d}",
                t.median, t.minimum, t.lower_quartile, t.upper_quartile, t.runs);
  return text;
}

inline void write_json(std::ostream& out, Environment const& e, std::vector<Group> const& groups) {
  out << "{\n  \"library\": " << quoted(e.library) << ",\n  \"commit\": " << quoted(e.commit) << ",\n  \"compiler\": "
      << quoted(e.compiler) << ",\n  \"kokkos\": " << quoted(e.kokkos) << ",\n  \"kokkos_configuration\": "
      << quoted(e.configuration) << ",\n  \"space\": " << quoted(e.space) << ",\n  \"device\": " << quoted(e.device)
      << ",\n  \"concurrency\": " << e.concurrency << ",\n  \"seconds\": [";
  char const* separator = "\n";
  for (auto const& g : groups)
    for (auto const& r : g.results) {
      out << separator << "    {\"matrix\": " << quoted(g.matrix) << ", \"shape\": " << quoted(g.shape)
          << ", \"columns\": " << g.columns << ", \"rows\": " << g.structure.rows << ", \"entries\": " << g.structure.entries
          << ", \"levels\": " << g.structure.levels << ", \"rows_per_level\": " << g.structure.mean_level
          << ", \"longest_row\": " << g.structure.longest_row << ",\n     \"algorithm\": " << quoted(r.algorithm)
          << ", \"used\": " << quoted(r.used) << ", \"parameters\": " << quoted(r.parameters) << ", \"reason\": "
          << quoted(r.reason) << ",\n     \"analyze\": " << json_of(r.analyze) << ",\n     \"update\": " << json_of(r.update)
          << ",\n     \"solve\": " << json_of(r.solve) << ",\n     \"gb_per_s\": " << r.gigabytes_per_second()
          << ", \"analysis_in_solves\": " << r.analysis_in_solves() << ", \"pays_off_after\": "
          << r.pays_off_after(g.results.front()) << "}";
      separator = ",\n";
    }
  out << "\n  ]\n}\n";
}

}  // namespace sptrsv::bench
