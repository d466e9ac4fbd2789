// SPDX-License-Identifier: Apache-2.0
// Shows the structure of a triangle and how the library solves with it, as text or as JSON.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <iostream>
#include <sptrsv_support/generators.hpp>
#include <sptrsv_support/load_matrix.hpp>

#include "algorithms.hpp"
#include "bench/system.hpp"
#include "json.hpp"
#include "structure.hpp"
#include "text.hpp"

namespace {

using namespace sptrsv;
using namespace sptrsv::tools;

Report inspect_matrix(Settings const& settings) {
  check(settings);
  Progress progress;
  Report report;
  Shape const shape{settings.upper ? Triangle::upper : Triangle::lower, Diagonal::stored,
                    settings.transpose ? Op::transpose : Op::none};
  progress.step("reading " + settings.matrix);
  auto const system = [&] {
    auto const matrix = support::load_matrix(settings.matrix);
    auto s = bench::triangle_of(matrix, settings.matrix, shape);
    report.source = describe_source(matrix, settings.matrix, shape);
    bench::tame_values(s);
    return s;
  }();
  progress.step("finding levels");
  add_structure(system, report);
  if (!settings.no_colors) {
    progress.step("coloring");
    report.colors = count_colors(system);
  }
  if (!settings.no_tiles) {
    progress.step("counting tiles");
    report.tiles = count_tiles(system);
  }
  add_algorithms(system, settings, progress, report);
  return report;
}

void declare(CLI::App& app, Settings& s) {
  app.add_option("matrix", s.matrix,
                 "Matrix Market file (.mtx, .mtx.gz), PETSc binary file, or family such as lap2d:300")
      ->required();
  app.add_flag("--upper", s.upper, "the upper triangle instead of the lower one");
  app.add_flag("--transpose", s.transpose, "for solves with the triangle's transpose");
  app.add_option("--space", s.space, "where the solvers run: " + known_spaces() + "; default is Kokkos' own");
  app.add_option("--algorithms", s.algorithms, "comma-separated types; default all there are")->delimiter(',');
  app.add_option("--option", s.options, "option of a type, such as levelset_wide_rows=100");
  app.add_option("--columns", s.columns, "right-hand sides")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--repeat", s.limits.runs, "runs of each phase, at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--budget", s.limits.seconds, "seconds for each phase, after which no further run starts")
      ->capture_default_str();
  app.add_flag("--no-time", s.no_time, "do not measure; the solvers are made all the same");
  app.add_flag("--no-colors", s.no_colors, "do not color the graph");
  app.add_flag("--no-tiles", s.no_tiles, "do not count tiles");
  app.add_option("--json", s.json, "file to write all findings to");
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app(
      "Prints the structure of a sparse triangle, what each type of sptrsv needs and takes for it, and what the "
      "planner chooses.\n"
      "It takes the lower (or upper) triangle of the given matrix as it is: nothing is factored. Zeros are put on the "
      "diagonal where\n"
      "entries are missing, and the solves that are timed use made-up values that keep the solution bounded.");
  declare(app, settings);
  app.footer([] { return "Families:\n" + support::families_help(); });
  CLI11_PARSE(app, argc, argv);
  try {
    Report const report = [&] {
      Kokkos::ScopeGuard const kokkos;
      return inspect_matrix(settings);
    }();
    print(std::cout, report);
    std::cout.flush();
    try {
      bench::save_json(settings.json, json_of(report));
    } catch (std::exception const& e) {
      throw std::runtime_error("--json " + settings.json + ": " + e.what() + "; check the folder and the permissions");
    }
    bool good = report.planned.error.empty();
    for (auto const& a : report.algorithms) good = good && a.result.error.empty();
    if (good) return 0;
    std::cerr << "sptrsv_inspect: a type of sptrsv failed, see above\n";
  } catch (std::exception const& e) {
    std::cerr << "sptrsv_inspect: " << e.what() << '\n';
  }
  return 1;
}
