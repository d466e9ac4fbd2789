// SPDX-License-Identifier: Apache-2.0
// Tests that every algorithm ends on large systems, also with more threads than cores: more rows than can be in flight,
// and a chain without parallelism. The largest systems are for a GPU only: 2^23 rows, and 2^20 rows that each wait for
// the one before.
#include <gtest/gtest.h>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif
#include <sptrsv/device/host_threads.hpp>
#include <thread>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

constexpr Shape plain{Triangle::lower, Diagonal::stored, Op::none};
constexpr Shape flipped{Triangle::upper, Diagonal::inverted, Op::conj_transpose};
constexpr Shape upward{Triangle::lower, Diagonal::unit, Op::transpose};

/// Tells whether a variant has kernels of its own. Excludes `colorset`, `chain` and `iterated`, whose kernels do not
/// wait, and variants of `fused` and `tiled` that only distribute rows differently over the same kernels.
bool has_kernels_of_its_own(Variant const& v) {
  return v.algorithm != "colorset" && v.algorithm != "iterated" && v.any_pattern && v.label != "fused_warp" &&
         v.label != "fused_thread" && v.label != "tiled_levelset_wide16";
}
/// Tells whether a variant waits inside a kernel. Excludes `sequential`, and all but one variant of `levelset`, since
/// they differ only in launches.
bool waits(Variant const& v) {
  return has_kernels_of_its_own(v) && v.algorithm != "sequential" && v.label.rfind("levelset_", 0) != 0;
}

std::vector<SolveCase> large_cases() {
  std::vector<std::pair<std::string, Shape>> const systems{
      {"lap2d:1024", plain},          {"lap2d:1024", upward},
      {"band:1048576,6,5000", plain}, {"band:1048576,6,5000", flipped},
      {"chain:200000", plain},        {"chain:200000", upward}};
  std::vector<std::string> spaces = space_names();  // Serial has one thread, which waits for no other
  spaces.erase(std::remove(spaces.begin(), spaces.end(), "serial"), spaces.end());
  std::vector<SolveCase> cases;
  for (auto const& [matrix, shape] : systems)
    for (auto const& space : spaces)
      for (auto const& v : all_variants())
        if (has_kernels_of_its_own(v)) cases.push_back({v.label, matrix, shape, 1, space});
  for (auto const& space : spaces)  // columns share warps, side by side or one after another
    for (auto const& v : all_variants())
      if (waits(v)) cases.push_back({v.label, "lap2d:1024", plain, 5, space});
  return cases;
}

/// Returns the problem of a case, and keeps the last one, since cases of one problem follow each other.
Problem<double> const& problem_of(SolveCase const& c) {
  static std::string key;
  static Problem<double> problem;
  std::string const wanted = c.matrix + text(c.shape.triangle) + text(c.shape.op) + text(c.shape.diagonal);
  if (key != wanted) problem = make_problem<double>(c.matrix, c.shape);
  key = wanted;
  return problem;
}

template <class Space>
constexpr bool is_device = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

constexpr char no_device[] = "no_device";

/// Returns the names of the spaces whose memory the host cannot access, found by type, since cases are listed before
/// Kokkos starts.
template <std::size_t... I>
std::vector<std::string> device_names_at(std::index_sequence<I...>) {
  std::vector<std::string> names;
  ((is_device<std::tuple_element_t<I, SpaceTuple>> ? names.push_back(space_name<std::tuple_element_t<I, SpaceTuple>>())
                                                   : void()),
   ...);
  return names;
}
std::vector<std::string> device_names() {
  return device_names_at(std::make_index_sequence<std::tuple_size_v<SpaceTuple>>());
}

std::vector<SolveCase> device_cases() {
  std::vector<std::pair<std::string, Shape>> const systems{
      {"lap2d:2897", plain}, {"band:8388608,6,5000", plain}, {"chain:1048576", flipped}};
  auto const names = device_names();
  if (names.empty()) return {{"levelset", "chain:1048576", plain, 1, no_device}};
  std::vector<SolveCase> cases;
  for (auto const& [matrix, shape] : systems)
    for (auto const& space : names)
      for (auto const& v : all_variants())
        if (waits(v)) cases.push_back({v.label, matrix, shape, 1, space});
  return cases;
}

/// Solves twice and judges x row by row.
void solve_large(SolveCase const& c) {
  auto const& p = problem_of(c);
  auto const b = make_right_hand_sides<double>(p.num_rows(), c.columns);
  with_space(c.space, [&](auto exec) {
    auto const solver = make_solver<double>(variant(c.variant), exec, p);
    auto const x = solve<double>(solver, exec, b);
    expect_solves(p, x, b);
    auto const again = solve<double>(solver, exec, b);
    if (variant(c.variant).reproducible)
      for (int k = 0; k < c.columns; ++k) expect_same(x[k], again[k]);
  });
}

class Progress : public ::testing::TestWithParam<SolveCase> {};

TEST_P(Progress, LargeSystemsEnd) { solve_large(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Large, Progress, ::testing::ValuesIn(large_cases()), case_name);

/// Returns the number of teams in parameters(), or 0.
int teams_of(std::string const& parameters) {
  auto const end = parameters.find(" teams of");
  if (end == std::string::npos) return 0;
  return std::stoi(parameters.substr(parameters.rfind(' ', end - 1) + 1));
}

#if defined(__linux__)
/// Checks the number of cores; must be the first test of this process that asks for it.
TEST(CrowdedProgress, CoresAreThoseOfTheProcess) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(getpid(), sizeof all, &all), 0);
  int seen = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
      if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    seen = detail::host_cores();
  }).join();
  EXPECT_EQ(seen, CPU_COUNT(&all));
}
#endif

/// Runs with 64 threads. No more threads than cores may wait for each other: otherwise 400 solves take up to half a
/// second each, and do not end in time.
TEST(CrowdedProgress, NoMoreThreadsWaitThanThereAreCores) {
  Kokkos::DefaultHostExecutionSpace const exec;
  for (std::string const matrix : {"lap2d:60", "chain:10000"}) {
    auto const p = make_problem<double>(matrix, plain);
    auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
    for (auto const& v : all_variants()) {
      if (!accepts(v, exec, p)) continue;
      auto const solver = make_solver<double>(v, exec, p);
      EXPECT_LE(teams_of(solver.parameters()), detail::host_cores()) << v.label;
      for (int times = 0; times < 10; ++times) expect_solves(p, solve<double>(solver, exec, b), b);
    }
  }
}

class DeviceProgress : public ::testing::TestWithParam<SolveCase> {};

TEST_P(DeviceProgress, LargestSystemsEnd) {
  if (GetParam().space == no_device) GTEST_SKIP() << "systems of 2^23 rows are for a GPU, and this Kokkos has none";
  solve_large(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Largest, DeviceProgress, ::testing::ValuesIn(device_cases()), case_name);

}  // namespace
}  // namespace sptrsv::test
