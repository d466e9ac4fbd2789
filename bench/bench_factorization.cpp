// SPDX-License-Identifier: Apache-2.0
// Times the backend's symbolic and numeric phases of ILU and IC, next to one core that computes the same factors.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sptrsv/factorization/factorization.hpp>
#include <sptrsv/staging.hpp>
#include <sptrsv_support/factorize.hpp>
#include <sptrsv_support/generators.hpp>
#include <sptrsv_support/load_matrix.hpp>
#include <string>
#include <vector>

namespace {

using sptrsv::support::Csr;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Settings {
  std::vector<std::string> matrices{"lap2d:100"};
  int level = 0, repeat = 20;
  std::vector<int> lanes{0}, teams{0};
  bool symmetric = false, symbolic = false;
  double list_bytes = -1;
  int products = -1;
};

template <class Exec>
int run(std::string const& name, Settings const& settings) {
  using Factorization = sptrsv::Factorization<double, int, int, Exec>;
  using sptrsv::in_memory_of;
  auto const a = sptrsv::support::load_matrix(name);
  Csr<double> m{static_cast<int>(a.num_rows), {}, {}, a.values};
  m.row_ptr.assign(a.row_ptr.begin(), a.row_ptr.end());
  m.col_idx.assign(a.col_idx.begin(), a.col_idx.end());
  double t = now();
  auto f = sptrsv::support::factor_pattern(m, settings.level, settings.symmetric);
  double const core_symbolic = now() - t;
  t = now();
  auto const any_pivot = [](int, double const&, double) { return false; };
  if (settings.symmetric) cholesky_pass(m, 0.0, any_pivot, false, f);
  else lu_pass(m, 0.0, any_pivot, false, f);
  double const core = now() - t;

  Exec exec;
  typename Factorization::types::pattern const pattern{in_memory_of<Exec>(m.row_ptr.data(), m.row_ptr.size()),
                                                       in_memory_of<Exec>(m.col_idx.data(), m.col_idx.size())};
  std::vector<double> symbolic;
  typename Factorization::pattern_type factor;
  for (int k = 0; k < settings.repeat; ++k) {
    factor = {};
    exec.fence();
    t = now();
    factor = Factorization::level_pattern(exec, pattern, {}, {}, settings.symmetric, settings.level);
    symbolic.push_back(1e3 * (now() - t));
  }
  std::sort(symbolic.begin() + 1, symbolic.end());  // the first run is reported separately
  long long differing_pattern = 0;
  auto const compare_pattern = [&](auto const& here, std::vector<int> const& there) {
    auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), here);
    if (copy.extent(0) != there.size()) ++differing_pattern;
    else
      for (std::size_t k = 0; k < there.size(); ++k) differing_pattern += copy(k) != there[k];
  };
  if (factor.lower) compare_pattern(factor.lower->rows.col_idx, f.lower_col);
  compare_pattern(factor.upper->rows.col_idx, f.upper_col);
  std::printf("%-24s symbolic phase of level %d: first %.2f, median %.2f, least %.2f; one core %.1f; differing %lld\n",
              name.c_str(), settings.level, symbolic[0], symbolic[symbolic.size() / 2], symbolic[symbolic.size() > 1],
              1e3 * core_symbolic, differing_pattern);
  if (differing_pattern != 0 || settings.symbolic) return differing_pattern != 0;
  auto const values = in_memory_of<Exec>(m.values.data(), m.values.size());
  bool wrong = false;
  for (int const lanes : settings.lanes)
    for (int const teams : settings.teams) {
      sptrsv::FactorizationOptions options;
      options.lanes_per_row = lanes;
      options.teams = teams;
      options.list_bytes = settings.list_bytes;
      options.products = settings.products;
      std::vector<double> setups;
      std::unique_ptr<Factorization> made;
      for (int k = 0; k < 3; ++k) {
        made.reset();
        exec.fence();
        t = now();
        made = std::make_unique<Factorization>(exec, pattern, factor, options);
        setups.push_back(1e3 * (now() - t));
      }
      sptrsv::PivotRules rules;
      rules.zero_pivot = 2.2e-14;
      if (settings.symmetric) rules.shift = sptrsv::Shift::positive_definite;
      std::vector<double> times;
      for (int k = 0; k < settings.repeat; ++k) {
        t = now();
        made->factor(exec, values, rules);
        times.push_back(1e3 * (now() - t));
      }
      std::sort(times.begin(), times.end());
      long long differing = 0;
      auto const compare = [&](auto const& here, std::vector<double> const& there) {
        auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), here);
        for (std::size_t k = 0; k < there.size(); ++k)
          differing += std::memcmp(&copy(k), &there[k], sizeof(double)) != 0;
      };
      auto const found = made->values();
      if (!settings.symmetric) compare(found.lower, f.lower);
      compare(found.upper, f.upper);
      if (settings.symmetric) compare(found.inverse, f.inverse);
      auto const report = made->report();
      std::printf("%-24s %9lld %10lld %7lld %10lld %3d/%-5d %8.2f %8.2f %8.2f %9.3f %9.3f %9.1f %8.1f %lld\n",
                  name.c_str(), report.rows, report.entries, report.levels, report.updates, report.lanes, teams,
                  setups[0], setups[1], setups[2], times[times.size() / 2], times[0], 1e3 * core,
                  double(report.list_bytes) * 1e-6, differing);
      std::fflush(stdout);
      wrong = wrong || differing != 0;
    }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  std::string space = "default";
  CLI::App app{"Times the symbolic and the numeric phase of ILU and IC on a Kokkos space. Times in ms."};
  app.add_option("--matrix", settings.matrices, "files, Matrix Market or PETSc binary, or generated matrices")
      ->delimiter(';');
  app.add_option("--space", space, "serial, openmp or cuda");
  app.add_option("--levels,--level", settings.level, "levels of fill");
  app.add_flag("--symbolic", settings.symbolic, "the symbolic phase alone");
  app.add_option("--repeat", settings.repeat, "phases that are timed")->check(CLI::PositiveNumber);
  app.add_option("--lanes", settings.lanes, "lanes per row on a GPU; 0: chosen")->delimiter(',');
  app.add_option("--teams", settings.teams, "teams on a GPU; 0: chosen")->delimiter(',');
  app.add_option("--list-bytes", settings.list_bytes, "bytes of the lists of updates at most; -1: chosen");
  app.add_option("--products", settings.products, "IC: 1: products wait for the last pivot row; 0: not; -1: chosen");
  app.add_flag("--icc", settings.symmetric, "IC, else ILU");
  CLI11_PARSE(app, argc, argv);
  Kokkos::ScopeGuard const guard(argc, argv);
  int wrong = 0;
  std::printf("%-24s %9s %10s %7s %10s %9s %8s %8s %8s %9s %9s %9s %8s %s\n", "matrix", "rows", "entries", "levels",
              "updates", "L", "setup 1", "2", "3", "numeric", "least", "one core", "lists MB", "differing");
  for (auto const& name : settings.matrices) {
#if defined(KOKKOS_ENABLE_CUDA)
    if (space == "cuda" || space == "default") wrong += run<Kokkos::Cuda>(name, settings);
#else
    if (space == "default") space = "serial";
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
    if (space == "serial") wrong += run<Kokkos::Serial>(name, settings);
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
    if (space == "openmp") wrong += run<Kokkos::OpenMP>(name, settings);
#endif
  }
  return wrong != 0;
}
