// SPDX-License-Identifier: Apache-2.0
// Runs the types with the benchmark's headers, on the requested space.
#include "algorithms.hpp"

#include <algorithm>
#include <cctype>

#include "bench/cpu_model.hpp"
#include "bench/own_types.hpp"
#include "bench/time_contender.hpp"
#include "sptrsv/space.hpp"

namespace sptrsv::tools {
namespace {

template <class Space>
std::string name_of() {
  std::string name = Space::name();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::string space_of(Settings const& settings) {
  return settings.space.empty() ? name_of<Kokkos::DefaultExecutionSpace>() : settings.space;
}

template <class Space>
std::string device_of([[maybe_unused]] Space const& exec) {
  if constexpr (is_host_space<Space>) return bench::cpu_model();
  else return device_name(exec);
}

/// Stands for a space before Kokkos is initialized, when a space cannot have an instance.
template <class Space>
struct Tag {
  using type = Space;
};

/// Calls visit(Tag<Space>()) for each space of the library, until one returns true.
template <class Visit>
bool any_space(Visit const& visit) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (visit(Tag<Kokkos::Cuda>())) return true;
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  if (visit(Tag<Kokkos::OpenMP>())) return true;
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
  if (visit(Tag<Kokkos::Serial>())) return true;
#endif
  return false;
}

/// Runs the three phases once, without measuring time or checking the answer.
template <class Space>
bench::Result make_only(bench::Entry<Space> const& entry, bench::Problem<Space> const& problem) try {
  bench::Result r;
  r.algorithm = entry.name;
  auto const contender = entry.make();
  contender->analyze(problem);
  contender->update(problem);
  problem.fence();
  r.used = contender->used();
  r.parameters = contender->parameters();
  r.reason = contender->reason();
  r.memory_bytes = contender->memory_bytes();
  return r;
} catch (std::exception const& e) {
  bench::Result r;
  r.algorithm = entry.name;
  (bench::may_refuse(e, entry.name) ? r.refusal : r.error) = e.what();
  return r;
}

/// Returns why a type is not run; empty if it is.
std::string refusal_of(AlgorithmInfo const& info, bench::System const& s, bool device, bool timed, int columns) {
  constexpr std::size_t most = 4000000;
  try {
    require(info.capabilities, info.name, s.shape.triangle == Triangle::upper, s.shape.transposed());
  } catch (Unsupported const& e) {
    return e.what();
  }
  if (columns > 1 && !info.capabilities.multi_rhs) return info.name + " solves for one right-hand side only";
  if (timed && device && info.name == "sequential" && s.values.size() > most)
    return "one thread of a device: more than " + std::to_string(most) + " entries take seconds";
  return "";
}

void check_names(std::vector<std::string> const& wanted) {
  std::string known;
  for (auto const& info : algorithm_infos()) known += (known.empty() ? "" : ", ") + info.name;
  for (auto const& name : wanted)
    if (!find_algorithm(name))
      throw std::runtime_error("--algorithms: there is no type '" + name + "'; known are " + known);
}

template <class Space>
void run(bench::System const& system, Settings const& settings, Progress& progress, Report& report) {
  constexpr bool device = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;
  report.place = {name_of<Space>(), device_of(Space()), version(),
                  std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                      std::to_string(KOKKOS_VERSION % 100),
                  static_cast<int>(Space().concurrency())};
  bench::Problem<Space> const problem(system, settings.columns);
  auto const result_of = [&](std::string const& name) {
    progress.step((settings.no_time ? "making " : "timing ") + name);
    auto options = settings.option_values();
    if (name == "sptrsv") options.emplace("sptrsv_plan", "estimate");  // its choice, without a solve before
    bench::Entry<Space> const entry{name, false, "",
                                    [&] { return std::make_unique<bench::OwnType<Space>>(name, options); }};
    return settings.no_time ? make_only(entry, problem) : bench::time_contender(entry, settings.limits, problem);
  };
  for (auto const& info : algorithm_infos()) {
    auto const& wanted = settings.algorithms;
    if (wanted.empty() && !info.capabilities.exact) continue;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), info.name) == wanted.end()) continue;
    bench::Result refused;
    refused.algorithm = info.name;
    refused.refusal = refusal_of(info, system, device, !settings.no_time, settings.columns);
    report.algorithms.push_back({refused.refusal.empty() ? result_of(info.name) : refused});
  }
  report.planned = result_of("sptrsv");
  if (settings.columns > 1) return;
  TriangularSolver<double, int, int, Space> const any("sequential", problem.exec, problem.pattern(),
                                                      problem.system.shape);
  for (auto const& [name, seconds] : any.plan_input(problem.exec).predicted)
    for (auto& a : report.algorithms)
      if (a.result.algorithm == name) a.predicted = seconds;
}

}  // namespace

std::string known_spaces() {
  std::string known;
  any_space([&](auto tag) {
    known += (known.empty() ? "" : ", ") + name_of<typename decltype(tag)::type>();
    return false;
  });
  return known;
}

void check(Settings const& settings) {
  check_names(settings.algorithms);
  std::string const wanted = space_of(settings);
  if (!any_space([&](auto tag) { return name_of<typename decltype(tag)::type>() == wanted; }))
    throw std::runtime_error("--space " + wanted + ": this Kokkos has no such space; choose one of " + known_spaces());
  using Host = Kokkos::DefaultHostExecutionSpace;  // a solver for a matrix without rows checks the options, too
  try {
    TriangularSolver<double, int, int, Host>("sequential", Host(), {}, {}, settings.option_values());
  } catch (Error const& e) {
    throw std::runtime_error(std::string("--option: ") + e.what());
  }
}

void add_algorithms(bench::System const& system, Settings const& settings, Progress& progress, Report& report) {
  report.columns = settings.columns;
  report.timed = !settings.no_time;
  std::string const wanted = space_of(settings);
  any_space([&](auto tag) {
    using Space = typename decltype(tag)::type;
    if (name_of<Space>() != wanted) return false;
    run<Space>(system, settings, progress, report);
    return true;
  });
}

}  // namespace sptrsv::tools
