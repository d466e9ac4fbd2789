// SPDX-License-Identifier: Apache-2.0
// Results of HPCG's problem, and their tables for people.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "../report.hpp"
#include "grid.hpp"

namespace sptrsv::bench::hpcg {

/// Result of one way to sweep.
struct WayResult {
  std::string name;
  bool natural = true, peer = false;
  bool timed = false;   ///< otherwise `error` or `refusal` has the reason
  std::string error;    ///< wrong answer, or the message of an exception
  std::string refusal;  ///< why it was not run at all
  std::string description;
  Times zero, guess;         ///< one symmetric sweep on the finest grid with a zero guess, and with a guess
  Times analyze, update;     ///< all grids
  double order_seconds = 0;  ///< coloring and permutation on the host, all grids
  Times cg, fixed;           ///< CG to the tolerance; with the fixed number of iterations
  double fixed_flops = 0;    ///< flops of the fixed number of iterations
  int iterations = 0, fixed_iterations = 0;
  double distance = 0;  ///< maximum of |x - 1| after CG to the tolerance
};

/// Results of all ways on one grid.
struct Summary {
  int side = 0;
  double rows = 0, entries = 0;
  double bandwidth = 0;  ///< bytes per second of a copy
  double rtol = 0;
  std::vector<WayResult> results;

  double sweep_flops() const { return 4 * entries; }
  /// Returns the least bytes of a sweep by solves with both triangles: values, columns and row offsets of L + D and
  /// D + U, and five vectors. A guess adds a product with U, b, x and r for it, and b and r in the second half.
  double sweep_bytes(bool zero_guess) const {
    double const triangles = 12 * (entries + rows) + 8 * rows + 40 * rows;
    return zero_guess ? triangles : triangles + 12 * (entries - rows) / 2 + 4 * rows + 40 * rows;
  }
  WayResult const* cusparse() const {
    for (auto const& r : results)
      if (r.timed && r.name == "cusparse") return &r;
    return nullptr;
  }
  /// Returns the iterations of the first way in natural order, 0 if there is none.
  int natural_iterations() const {
    for (auto const& r : results)
      if (r.timed && r.natural) return r.iterations;
    return 0;
  }
};

inline std::string ratio(Times const* base, Times const& own) {
  return base ? formatted("%.2f", base->median / own.median) : "-";
}

inline void print_sweeps(Summary const& s) {
  auto const* base = s.cusparse();
  std::printf(
      "\nSymmetric Gauss-Seidel on the finest grid, with a zero guess (x=0) and with a guess\n"
      "  GFLOP/s: 4 flops per entry, with and without a guess, as HPCG counts; speedup: over cusparse\n"
      "  share: of the copy's bandwidth, for %.1f MB (x=0) and %.1f MB\n"
      "  set-up of all grids in ms: order and permutation on the host, analysis, new values\n",
      1e-6 * s.sweep_bytes(true), 1e-6 * s.sweep_bytes(false));
  std::printf("%-22s %9s %7s %6s %7s %11s %7s %6s %7s %9s %9s %9s\n", "way", "x=0 us", "GFLOP/s", "share", "speedup",
              "guess us", "GFLOP/s", "share", "speedup", "order", "analyze", "update");
  for (auto const& r : s.results) {
    if (!r.timed) continue;
    auto const rate = [&](Times const& t) { return 1e-9 * s.sweep_flops() / t.median; };
    auto const share = [&](Times const& t, bool zero) {
      return formatted("%.0f%%", 100 * s.sweep_bytes(zero) / t.median / s.bandwidth);
    };
    std::printf("%-22s %9.1f %7.1f %6s %7s %11.1f %7.1f %6s %7s %9.1f %9.2f %9.3f\n", r.name.c_str(),
                1e6 * r.zero.median, rate(r.zero), share(r.zero, true).c_str(),
                ratio(base ? &base->zero : nullptr, r.zero).c_str(), 1e6 * r.guess.median, rate(r.guess),
                share(r.guess, false).c_str(), ratio(base ? &base->guess : nullptr, r.guess).c_str(),
                1e3 * r.order_seconds, 1e3 * r.analyze.median, 1e3 * r.update.median);
  }
}

inline void print_cg(Summary const& s) {
  auto const* base = s.cusparse();
  int const natural = s.natural_iterations();
  std::printf(
      "\nCG with a V-cycle of 4 grids to a residual of %.0e; natural: iterations in natural order\n"
      "  fixed: a fixed number of iterations, and its ms per iteration and GFLOP/s as HPCG counts\n"
      "  rated: GFLOP/s times natural iterations / iterations, if these are more\n",
      s.rtol);
  std::printf("%-22s %10s %8s %10s %10s %8s %7s %9s %8s %8s\n", "way", "iterations", "natural", "ms", "|x - 1|",
              "speedup", "fixed", "ms/iter.", "GFLOP/s", "rated");
  for (auto const& r : s.results) {
    if (!r.timed) continue;
    double const rate = 1e-9 * r.fixed_flops / r.fixed.median;
    double const factor = std::min(1.0, static_cast<double>(natural) / r.iterations);
    std::printf("%-22s %10d %8s %10.3f %10.1e %8s %7d %9.4f %8.1f %8s\n", r.name.c_str(), r.iterations,
                natural > 0 ? std::to_string(natural).c_str() : "-", 1e3 * r.cg.median, r.distance,
                ratio(base ? &base->cg : nullptr, r.cg).c_str(), r.fixed_iterations,
                1e3 * r.fixed.median / r.fixed_iterations, rate,
                natural > 0 ? formatted("%.1f", rate * factor).c_str() : "-");
  }
}

inline void print_summary(Summary const& s) {
  std::printf("\nHPCG on a grid of %d^3: %.0f rows, %.0f entries; copy %.1f GB/s\n", s.side, s.rows, s.entries,
              1e-9 * s.bandwidth);
  print_sweeps(s);
  print_cg(s);
  std::printf("\n");
  for (auto const& r : s.results) {
    if (r.timed) std::printf("%-22s %s\n", r.name.c_str(), r.description.c_str());
    else if (!r.error.empty()) std::printf("%-22s FAILED, no time: %s\n", r.name.c_str(), r.error.c_str());
    else std::printf("%-22s not run: %s\n", r.name.c_str(), r.refusal.c_str());
  }
}

}  // namespace sptrsv::bench::hpcg
