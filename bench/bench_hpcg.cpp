// SPDX-License-Identifier: Apache-2.0
// Times HPCG's problem on one device: symmetric Gauss-Seidel by sptrsv's sweeps and by cuSPARSE, and CG with a V-cycle.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "environment.hpp"
#include "hpcg/cg.hpp"
#include "hpcg/result.hpp"
#include "hpcg/ways.hpp"

namespace {

using namespace sptrsv;
using namespace sptrsv::bench;
using namespace sptrsv::bench::hpcg;

struct Settings {
  int side = 104, iterations = 50, most = 500;
  double rtol = 1e-8;
  bool check = false;
  std::vector<std::string> ways;     // empty: all there are
  std::vector<std::string> options;  // key=value
  std::string space = "openmp";
  Limits limits;

  OptionValues option_values() const {
    OptionValues out;
    for (auto const& option : options) {
      auto const at = option.find('=');
      out[option.substr(0, at)] = at == std::string::npos ? "" : option.substr(at + 1);
    }
    return out;
  }
};

/// Compares one symmetric sweep per grid and kind of guess with a loop on the host, row by row.
/// @return an empty text, or the first difference
template <class Space>
std::string find_wrong_sweep(Space const& exec, Hierarchy<Space> const& grids,
                             typename VCycle<Space>::Smoothers const& smoothers) {
  constexpr double most = 1e-12;
  for (std::size_t l = 0; l < smoothers.size(); ++l)
    for (bool const zero_guess : {true, false}) {
      auto const& a = grids.levels[l].host;
      auto const n = static_cast<std::size_t>(a.num_rows());
      // positive, so that all sums of a sweep have positive terms and each row's relative error is small
      std::vector<double> b(n), guess(n), expected(n, 0);
      for (std::size_t i = 0; i < n; ++i) {
        b[i] = 1 + static_cast<double>(7 * i % 10);
        guess[i] = 0.5 + static_cast<double>(3 * i % 7);
      }
      if (zero_guess) std::fill(guess.begin(), guess.end(), std::nan(""));
      else expected = guess;
      auto const x = to_device<Space>("hpcg::x", guess);
      smoothers[l]->smooth(exec, to_device<Space>("hpcg::b", b), x, zero_guess);
      exec.fence("hpcg::find_wrong_sweep");
      sweep_by_rows(a, b, expected);
      auto const found = to_host<Space>(x);
      for (std::size_t i = 0; i < n; ++i)
        if (!(std::abs(found[i] - expected[i]) <= most * std::abs(expected[i])))
          return "wrong sweep with a " + std::string(zero_guess ? "zero guess" : "guess") + " on grid " +
                 std::to_string(l) + ", row " + std::to_string(i) + ": " + formatted("%.17g", found[i]) + ", not " +
                 formatted("%.17g", expected[i]);
    }
  return "";
}

/// Runs one way on one hierarchy of grids.
template <class Space>
class WayTimer {
 public:
  WayTimer(Settings const& settings, Libraries<Space> const& libraries, Space const& exec,
           Hierarchy<Space> const& grids)
      : settings_(settings), exec_(exec), grids_(grids), cycle_(libraries, exec, grids), cg_(grids, cycle_) {}

  /// Times all phases of a way, after checks of its answers.
  /// @return without times, but with `error`, if an answer is wrong or a phase throws, or with `refusal`
  WayResult run(Way<Space> const& way) try {
    WayResult r = named(way);
    time_setup(way, r);
    if (settings_.check) r.error = find_wrong_sweep(exec_, grids_, smoothers_);
    if (r.error.empty()) time_cg(r);
    if (r.error.empty()) time_sweeps(r);
    r.timed = r.error.empty();
    if (r.timed) r.description = smoothers_[0]->description();
    smoothers_.clear();
    return r;
  } catch (Unsupported const& e) {
    return refused(named(way), e.what());
  } catch (std::exception const& e) {
    WayResult r = named(way);
    r.error = e.what();
    return r;
  }
  static WayResult refused(WayResult r, std::string const& why) {
    r.refusal = why;
    return r;
  }
  static WayResult named(Way<Space> const& way) {
    WayResult r;
    r.name = way.name;
    r.natural = way.order == Order::natural;
    r.peer = way.peer;
    return r;
  }

 private:
  void time_setup(Way<Space> const& way, WayResult& r) {
    auto const fence = [&] { exec_.fence("hpcg::time_setup"); };
    auto const forget = [&] { smoothers_.clear(); };
    auto const analyze = [&] {
      for (auto const& level : grids_.levels) smoothers_.push_back(way.make(exec_, level));
    };
    auto const update = [&] {
      for (auto const& smoother : smoothers_) smoother->update(exec_);
    };
    forget();
    double const first = seconds_of(analyze, fence);
    r.analyze = measure_prepared(settings_.limits, first, forget, analyze, fence);
    update();
    r.update = measure(settings_.limits, seconds_of(update, fence), update, fence);
    r.order_seconds = grids_.order_seconds;
  }
  void time_cg(WayResult& r) {
    auto const fence = [&] { exec_.fence("hpcg::time_cg"); };
    Outcome outcome;
    auto const solve = [&] { outcome = cg_.solve(exec_, smoothers_, settings_.most, settings_.rtol); };
    double const first = seconds_of(solve, fence);
    r.iterations = outcome.iterations;
    r.distance = distance_to_one(exec_, cg_.x());
    // the condition number is below 1e5 for the grids that fit into memory
    if (!(outcome.reduction <= settings_.rtol) || !(r.distance <= 1e5 * settings_.rtol)) {
      r.error = "CG reduced the residual by " + formatted("%.1e", outcome.reduction) + " in " +
                std::to_string(r.iterations) + " iterations, maximum of |x - 1| " + formatted("%.1e", r.distance);
      return;
    }
    r.cg = measure(settings_.limits, first, solve, fence);
    auto const solve_fixed = [&] { outcome = cg_.solve(exec_, smoothers_, settings_.iterations, 0); };
    r.fixed = measure(settings_.limits, seconds_of(solve_fixed, fence), solve_fixed, fence);
    r.fixed_iterations = outcome.iterations;
    r.fixed_flops = hpcg_flops(grids_, outcome.iterations);
  }
  void time_sweeps(WayResult& r) {
    auto const fence = [&] { exec_.fence("hpcg::time_sweeps"); };
    auto const& b = grids_.levels[0].b;
    auto const& x = grids_.levels[0].x;
    for (bool const zero_guess : {true, false}) {
      auto const sweep = [&] { smoothers_[0]->smooth(exec_, b, x, zero_guess); };
      (zero_guess ? r.zero : r.guess) = measure(settings_.limits, seconds_of(sweep, fence), sweep, fence);
    }
  }

  Settings const& settings_;
  Space exec_;
  Hierarchy<Space> const& grids_;
  VCycle<Space> cycle_;
  Cg<Space> cg_;
  typename VCycle<Space>::Smoothers smoothers_;
};

template <class Space>
std::vector<Way<Space>> chosen_ways(Settings const& settings, Libraries<Space> const& libraries) {
  std::vector<Way<Space>> out;
  for (auto const& name : settings.ways.empty() ? default_ways() : settings.ways) {
    out.push_back(make_way<Space>(name, libraries, settings.option_values()));
    if (settings.ways.empty() && !is_host_space<Space> && name == "sequential")
      out.back().refusal = "one thread of a device, which takes seconds for a sweep; name it in --ways to run it";
  }
  return out;
}

/// Runs all ways. @return whether all of sptrsv's gave the right answers.
template <class Space>
bool run(Settings const& settings) {
  auto const e = environment<Space>();
  std::printf("sptrsv %s (%s), %s, Kokkos %s %s, %d threads, %s, %s\n", e.version.c_str(), e.commit.c_str(),
              e.compiler.c_str(), e.kokkos.c_str(), e.space.c_str(), e.concurrency, e.device.c_str(), e.date.c_str());
  Space const exec;
  Libraries<Space> const libraries(exec);
  auto const ways = chosen_ways<Space>(settings, libraries);
  Summary summary;
  summary.side = settings.side;
  summary.rtol = settings.rtol;
  summary.bandwidth = copy_bandwidth(exec);
  for (auto const order : {Order::natural, Order::color, Order::block_color}) {  // one copy of the grids at a time
    auto const here = [order](auto const& way) { return way.order == order; };
    if (std::none_of(ways.begin(), ways.end(), here)) continue;
    Hierarchy<Space> const grids(settings.side, order);
    summary.rows = grids.levels[0].num_rows();
    summary.entries = grids.levels[0].num_entries();
    WayTimer<Space> timer(settings, libraries, exec, grids);
    for (auto const& way : ways) {
      if (!here(way)) continue;
      if (way.refusal.empty()) std::cerr << "running " << way.name << std::endl;
      summary.results.push_back(way.refusal.empty() ? timer.run(way) : timer.refused(timer.named(way), way.refusal));
    }
  }
  print_summary(summary);
  auto const& results = summary.results;
  return std::all_of(results.begin(), results.end(), [](auto const& r) { return r.peer || r.error.empty(); });
}

bool run_on_space(Settings const& settings) {
#if defined(KOKKOS_ENABLE_SERIAL)
  if (settings.space == "serial") return run<Kokkos::Serial>(settings);
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  if (settings.space == "openmp") return run<Kokkos::OpenMP>(settings);
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  if (settings.space == "cuda") return run<Kokkos::Cuda>(settings);
#endif
  throw std::runtime_error("this Kokkos has no space '" + settings.space + "'");
}

void declare(CLI::App& app, Settings& s) {
  app.add_option("--size", s.side, "grid points per direction, a multiple of 8")
      ->check(CLI::Range(8, 400))
      ->check([](std::string const& text) { return std::stoi(text) % 8 == 0 ? "" : "give a multiple of 8"; })
      ->capture_default_str();
  app.add_option("--ways", s.ways,
                 "comma-separated: cusparse, a type, colored, blockcolored, or these with a type as colored:levelset; "
                 "default: all there are")
      ->delimiter(',');
  app.add_option("--option", s.options, "option of a type, such as levelset_wide_rows=100");
  app.add_option("--space", s.space, "openmp, serial or cuda")->capture_default_str();
  app.add_option("--rtol", s.rtol, "reduction of the residual by CG")->capture_default_str();
  app.add_option("--most", s.most, "maximum number of iterations to --rtol")->capture_default_str();
  app.add_option("--iterations", s.iterations, "iterations of CG for the rate in GFLOP/s")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--repeat", s.limits.runs, "runs of each phase, at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--budget", s.limits.seconds, "seconds of each phase, after which no further run starts")
      ->capture_default_str();
  app.add_option("--cut-short", s.limits.cut_short, "a first run of more seconds is the only one")
      ->capture_default_str();
  app.add_flag("--check", s.check, "compare sweeps with a loop on the host, row by row, on all grids");
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  settings.limits.seconds = 1;
  CLI::App app("Times HPCG's problem: symmetric Gauss-Seidel sweeps, and CG with a V-cycle of four grids.");
  declare(app, settings);
  CLI11_PARSE(app, argc, argv);
  try {
    Kokkos::ScopeGuard const kokkos;
    if (run_on_space(settings)) return 0;
    std::cerr << "bench_hpcg: a way of sptrsv failed, see above\n";
  } catch (std::exception const& e) {
    std::cerr << "bench_hpcg: " << e.what() << '\n';
  }
  return 1;
}
