// SPDX-License-Identifier: Apache-2.0
// Times analyze, update and solve of each type on one triangle, next to peers.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>

#include "environment.hpp"
#include "own_types.hpp"
#include "peers/peer_list.hpp"
#include "report_json.hpp"
#include "time_contender.hpp"

namespace {

using namespace sptrsv;
using namespace sptrsv::bench;

struct Settings {
  std::vector<std::string> matrices;
  std::vector<std::string> algorithms;  // empty or containing "all": all types
  std::vector<std::string> options;     // key=value
  std::string space = "openmp", json, diagonal = "stored";
  Limits limits;
  int columns = 1;
  bool upper = false, transpose = false;
  // negative: the default of the space
  double bandwidth = -1, hop = -1;  // GB/s, ns
  long long sequential_entries = -1;

  Shape shape() const {
    return {upper ? Triangle::upper : Triangle::lower,
            diagonal == "stored" ? Diagonal::stored
            : diagonal == "unit" ? Diagonal::unit
                                 : Diagonal::inverted,
            transpose ? Op::transpose : Op::none};
  }
  std::string shape_text() const {
    return std::string(upper ? "upper" : "lower") + " " + diagonal + (transpose ? " transposed" : "");
  }
  OptionValues option_values() const {
    OptionValues out;
    for (auto const& option : options) {
      auto const at = option.find('=');
      out[option.substr(0, at)] = at == std::string::npos ? "" : option.substr(at + 1);
    }
    return out;
  }
};

/// Returns the name of a type with options, such as fused:threshold=2 or levelset:storage=single, and adds
/// "fused_threshold" or "sptrsv_storage" to `options`.
std::string take_own_options(std::string const& text, OptionValues& options) {
  std::istringstream parts(text);
  std::string type, part;
  std::getline(parts, type, ':');
  while (std::getline(parts, part, ':')) {
    auto const at = part.find('=');
    std::string const name = part.substr(0, at);
    auto const& common = common_options();
    bool const of_all = std::any_of(common.begin(), common.end(), [&](auto const& info) { return info.name == name; });
    options[(of_all ? "sptrsv" : type) + "_" + name] = at == std::string::npos ? "" : part.substr(at + 1);
  }
  return type;
}

/// Returns the memory bandwidth and the latency from store to load: by default an NVIDIA H200's; 0 (unknown) on a host.
Machine machine_of(Settings const& s, bool device) {
  return {1e9 * (s.bandwidth >= 0 ? s.bandwidth : device ? 4243 : 0), 1e-9 * (s.hop >= 0 ? s.hop : device ? 258 : 0)};
}

/// Returns all contenders, the most important first in case the run is interrupted: the vendor's, sptrsv's, other
/// peers, `sequential`.
template <class Space>
std::vector<Entry<Space>> all_entries(Settings const& settings, long long sequential_entries, long long entries) {
  auto list = peers<Space>(settings.shape(), settings.columns);
  auto const add = [&](std::string const& name) {
    auto options = settings.option_values();
    auto const type = take_own_options(name, options);
    list.push_back({name, false, "", [=] { return std::make_unique<OwnType<Space>>(type, options); }});
  };
  for (auto const& info : algorithm_infos()) {
    add(info.name);
    for (auto const& asked : settings.algorithms)
      if (asked.rfind(info.name + ":", 0) == 0) add(asked);
  }
  add("sptrsv");
  auto const rank = [](auto const& e) {
    return e.name == "cusparse" ? 0 : e.name == "sequential" ? 3 : e.peer ? 2 : 1;
  };
  std::stable_sort(list.begin(), list.end(), [&](auto const& a, auto const& b) { return rank(a) < rank(b); });
  if (sequential_entries >= 0 && entries > sequential_entries)
    list.back().refusal = "one thread of a device; more than " + std::to_string(sequential_entries) +
                          " entries would take seconds (--sequential-entries)";
  return list;
}

template <class Space>
std::vector<Entry<Space>> chosen_entries(Settings const& settings, long long sequential_entries, long long entries) {
  auto list = all_entries<Space>(settings, sequential_entries, entries);
  auto const& asked = settings.algorithms;
  bool const all = asked.empty() || std::count(asked.begin(), asked.end(), "all") > 0;
  std::string known;
  for (auto const& e : list) known += (known.empty() ? "" : ", ") + e.name;
  auto const wanted = [&](std::string const& name) {
    return (all && solves_exactly(name)) || std::count(asked.begin(), asked.end(), name) > 0;
  };
  for (auto const& name : asked)
    if (name != "all" && std::none_of(list.begin(), list.end(), [&](auto const& e) { return e.name == name; }))
      throw std::runtime_error("there is no " + name + "; known are " + known);
  list.erase(std::remove_if(list.begin(), list.end(), [&](auto const& e) { return !wanted(e.name); }), list.end());
  return list;
}

/// Times all contenders on one system and saves after each.
template <class Space>
void time_system(std::string const& matrix, Settings const& settings, Environment const& environment,
                 std::vector<Group>& groups) {
  constexpr bool device = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;
  auto const system = make_system(matrix, settings.shape());
  groups.push_back({matrix,
                    settings.shape_text(),
                    settings.columns,
                    system.least_bytes(settings.columns),
                    machine_of(settings, device),
                    structure_of(system),
                    {},
                    {}});
  Group& group = groups.back();
  Problem<Space> const problem(system, settings.columns);
  // solvers of all types compute the plan's input; this type needs the least analysis
  group.plan = TriangularSolver<double, int, int, Space>("sequential", problem.exec, problem.pattern(), system.shape)
                   .plan_input(problem.exec);
  long long const most = settings.sequential_entries >= 0 ? settings.sequential_entries : device ? 4000000 : -1;
  for (auto const& entry : chosen_entries<Space>(settings, most, group.structure.entries)) {
    if (!entry.refusal.empty()) {
      Result refused;
      refused.algorithm = entry.name;
      refused.peer = entry.peer;
      refused.refusal = entry.refusal;
      group.results.push_back(refused);
    } else {
      std::cerr << "running " << matrix << ' ' << group.shape << ' ' << entry.name << std::endl;
      group.results.push_back(time_contender(entry, settings.limits, problem));
    }
    save_json(settings.json, json_of(environment, groups));
  }
}

/// Runs all systems. @return whether all types of sptrsv gave the right answer.
template <class Space>
bool run(Settings const& settings) {
  auto const e = environment<Space>();
  std::printf("sptrsv %s (%s), %s, Kokkos %s %s, %d threads, %s\n", e.version.c_str(), e.commit.c_str(),
              e.compiler.c_str(), e.kokkos.c_str(), e.space.c_str(), e.concurrency, e.device.c_str());
  std::vector<Group> groups;
  bool good = true;
  for (auto const& matrix : settings.matrices) {
    time_system<Space>(matrix, settings, e, groups);
    print_group(groups.back());
    std::fflush(stdout);
    for (auto const& r : groups.back().results) good = good && (r.peer || r.error.empty());
  }
  return good;
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
  app.add_option("--matrix", s.matrices,
                 "generated family such as lap2d:1000, or a file, Matrix Market or PETSc binary")
      ->required();
  app.add_option(
         "--algorithms", s.algorithms,
         "comma-separated types and peers, a type with options as fused:threshold=2; default, and with all among "
         "them, all there are")
      ->delimiter(',');
  app.add_option("--option", s.options, "option of an algorithm, such as levelset_wide_rows=100");
  app.add_option("--space", s.space, "openmp, serial or cuda")->capture_default_str();
  app.add_option("--repeat", s.limits.runs, "runs of each phase, at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--budget", s.limits.seconds, "seconds of each phase, after which no further run starts")
      ->capture_default_str();
  app.add_option("--cut-short", s.limits.cut_short, "a first run of more seconds is the only one")
      ->capture_default_str();
  app.add_option("--columns", s.columns, "right-hand sides")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--diagonal", s.diagonal, "how it is given")
      ->check(CLI::IsMember({"stored", "unit", "inverted"}))
      ->capture_default_str();
  app.add_option("--bandwidth", s.bandwidth, "GB/s of the machine, for the limit; default on a device 4243");
  app.add_option("--hop", s.hop, "ns from one processor to another, for the limit; default on a device 258");
  app.add_option("--sequential-entries", s.sequential_entries,
                 "matrices with more are not run with `sequential`; default on a device 4000000, else all are");
  app.add_option("--json", s.json, "file to write all figures to");
  app.add_flag("--upper", s.upper, "the upper triangle");
  app.add_flag("--transpose", s.transpose, "solve with the transpose");
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Times the phases of sptrsv's types beside peers, after checking their answers row by row.");
  declare(app, settings);
  app.footer([] { return "Families:\n" + support::families_help(); });
  CLI11_PARSE(app, argc, argv);
  try {
    Kokkos::ScopeGuard const kokkos;
    if (run_on_space(settings)) return 0;
    std::cerr << "bench_solve: a type of sptrsv failed, see above\n";
  } catch (std::exception const& e) {
    std::cerr << "bench_solve: " << e.what() << '\n';
  }
  return 1;
}
