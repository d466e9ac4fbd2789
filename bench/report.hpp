// SPDX-License-Identifier: Apache-2.0
// Results of the measurements, and their table for people.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sptrsv/plan_input.hpp>
#include <sptrsv/structure.hpp>
#include <string>
#include <vector>

#include "measure.hpp"

namespace sptrsv::bench {

/// Result of one contender on one system.
struct Result {
  std::string algorithm;  ///< requested name
  bool peer = false;
  bool timed = false;    ///< otherwise `error` or `refusal` has the reason
  std::string error;     ///< wrong answer, or the message of an exception
  std::string refusal;   ///< why it was not run at all
  double deviation = 0;  ///< max_i |x_i - y_i| / max_i |y_i| of an approximate x, for the solution y
  std::string used;      ///< algorithm that was chosen, if there is a choice
  std::string parameters, reason;
  std::size_t memory_bytes = 0;  ///< in addition to pattern and values; 0 if not known
  Times analyze, update, solve;
  bool cut_short = false;  ///< a phase took over a second and ran once

  /// Returns the number of solves after which this and `base` have taken the same time; negative: never.
  double pays_off_after(Result const& base) const {
    double const extra = analyze.median + update.median - base.analyze.median - base.update.median;
    double const gain = base.solve.median - solve.median;
    return extra <= 0 && gain >= 0 ? 0 : gain > 0 ? extra / gain : -1;
  }
};

/// Bounds of a solve on this machine; 0: not known.
struct Machine {
  double bandwidth = 0;  ///< bytes per second
  double hop = 0;        ///< seconds from one processor's store to another's load
};

/// Results of all contenders on one system.
struct Group {
  std::string matrix, shape;
  int columns = 1;
  double bytes = 0;  ///< least bytes that a solve must move
  Machine machine;
  Structure structure;
  PlanInput plan;
  std::vector<Result> results;

  /// Returns a lower bound of the seconds of a solve by levels; 0 if not known.
  double limit() const {
    if (machine.bandwidth <= 0) return 0;
    return std::max(bytes / machine.bandwidth, static_cast<double>(structure.levels) * machine.hop);
  }
  double gigabytes_per_second(Result const& r) const { return bytes / r.solve.median * 1e-9; }
  /// Returns the result that the others are compared with: cuSPARSE, otherwise `sequential`; null if neither has a
  /// time.
  Result const* baseline() const {
    for (char const* name : {"cusparse", "sequential"})
      for (auto const& r : results)
        if (r.timed && r.algorithm == name) return &r;
    return nullptr;
  }
};

/// Environment of the measurements.
struct Environment {
  std::string version, commit, compiler, kokkos, configuration, space, device, date;
  int concurrency = 0;
};

inline std::string formatted(char const* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

inline void print_result(Group const& g, Result const& r) {
  auto const us = [](double seconds) { return 1e6 * seconds; };
  auto const* base = g.baseline();
  std::string payoff = "-", relative = "-", in_base = "-", over = "-";
  if (base) {
    double const after = r.pays_off_after(*base);
    if (base != &r) payoff = after < 0 ? "never" : formatted("%.0f", std::ceil(after));
    relative = formatted("%.2f", base->solve.median / r.solve.median);
    in_base = formatted("%.2f", r.analyze.median / base->solve.median);
  }
  if (g.limit() > 0) over = formatted("%.2f", r.solve.median / g.limit());
  std::printf("%-22s %11.4f %10.4f %11.1f %11.1f %11.1f %11.1f %5d %7.1f %8s %8s %9s %9.2f %8s%s\n",
              r.algorithm.c_str(), 1e3 * r.analyze.median, 1e3 * r.update.median, us(r.solve.median),
              us(r.solve.minimum), us(r.solve.lower_quartile), us(r.solve.upper_quartile), r.solve.runs,
              g.gigabytes_per_second(r), over.c_str(), relative.c_str(), in_base.c_str(),
              r.analyze.median / r.solve.median, payoff.c_str(), r.cut_short ? "  cut short" : "");
}

inline void print_group(Group const& g) {
  auto const& s = g.structure;
  auto const* base = g.baseline();
  std::printf("\n%s %s, %d right-hand side%s: n %lld, nnz %lld, levels %lld, rows per level %.1f, longest row %lld",
              g.matrix.c_str(), g.shape.c_str(), g.columns, g.columns == 1 ? "" : "s", s.rows, s.entries, s.levels,
              s.mean_level, s.longest_row);
  if (g.limit() > 0) std::printf(", limit %.1f us", 1e6 * g.limit());
  std::printf("\nspeedup, a/base and pays off: beside %s\n", base ? base->algorithm.c_str() : "nothing");
  std::printf("%-22s %11s %10s %11s %11s %11s %11s %5s %7s %8s %8s %9s %9s %8s\n", "type", "analyze ms", "update ms",
              "solve us", "min", "q1", "q3", "runs", "GB/s", "x limit", "speedup", "a/base", "a/solve", "pays off");
  for (auto const& r : g.results) {
    if (r.timed) print_result(g, r);
    else if (!r.error.empty()) std::printf("%-22s FAILED, no time: %s\n", r.algorithm.c_str(), r.error.c_str());
    else std::printf("%-22s not run: %s\n", r.algorithm.c_str(), r.refusal.c_str());
  }
  for (auto const& r : g.results) {
    if (!r.timed) continue;
    bool const chosen = !r.used.empty() && r.used != r.algorithm;
    std::string const error =
        r.deviation > 0 ? "; error " + formatted("%.2g", r.deviation) + " of the largest |x|" : "";
    std::printf("  %s: %s%s%s%s%s\n", r.algorithm.c_str(), chosen ? (r.used + ", ").c_str() : "", r.parameters.c_str(),
                error.c_str(), r.reason.empty() ? "" : "; ", r.reason.c_str());
  }
}

}  // namespace sptrsv::bench
