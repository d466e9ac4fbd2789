// SPDX-License-Identifier: Apache-2.0
// Tests solves next to a kernel of another stream that occupies the GPU: every type that waits inside a kernel ends and
// is right, whichever starts first. Prints the slowdown of both.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <cstdio>

#include "solve_cases.hpp"

namespace sptrsv::test {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using T = TypesOf<double, Space>;
constexpr bool is_device = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

/// How a neighbor occupies the GPU.
enum class Kind {
  queue,     ///< more short teams than fit, so that they take every slot that becomes free
  resident,  ///< occupies half of the GPU for as long as it runs, computing
  memory,    ///< like resident, but reading memory
};
char const* name_of(Kind kind) {
  return kind == Kind::queue ? "queue" : kind == Kind::resident ? "resident" : "memory";
}

class Neighbour {
 public:
  Neighbour(Space const& exec, Kind kind)
      : exec_(exec), kind_(kind), memory_("test::neighbour", kind == Kind::memory ? 1 << 26 : 1) {
    for (double seconds = 0; seconds < 0.02; rounds_ *= 2) seconds = time();
    rounds_ = static_cast<long long>(static_cast<double>(rounds_ / 2) * wanted / std::max(1e-3, time_of(rounds_ / 2)));
    alone_ = time();
  }
  /// Starts the kernel, and returns before it has run.
  void start() const {
    int const threads = 256, teams = exec_.concurrency() / threads;
    launch(kind_ == Kind::queue ? 64 * teams : teams / 2, threads,
           kind_ == Kind::queue ? std::max(1LL, rounds_ / 64) : rounds_);
  }
  void wait() const { exec_.fence(); }
  double alone() const { return alone_; }

  void launch(int teams, int threads, long long rounds) const {
    auto const memory = memory_;
    bool const reads = kind_ == Kind::memory;
    auto const size = static_cast<long long>(memory.extent(0));
    using policy = Kokkos::TeamPolicy<Space>;
    Kokkos::parallel_for(
        "test::neighbour", policy(exec_, teams, threads), KOKKOS_LAMBDA(policy::member_type const& team) {
          double value = team.team_rank();
          long long const stride = static_cast<long long>(team.league_size()) * team.team_size();
          long long at = (static_cast<long long>(team.league_rank()) * team.team_size() + team.team_rank()) % size;
          for (long long r = 0; r < rounds; ++r) {
            value = value * 0.999 + (reads ? memory(at) : 0.5);
            if (reads) at = (at + stride) % size;
          }
          if (value == -1) memory(0) = value;  // never true, which the compiler does not know
        });
  }

 private:
  static constexpr double wanted = 0.06;  ///< seconds
  double time() const {
    exec_.fence();
    Kokkos::Timer timer;
    start();
    exec_.fence();
    return timer.seconds();
  }
  double time_of(long long rounds) {
    std::swap(rounds, rounds_);
    double const seconds = time();
    std::swap(rounds, rounds_);
    return seconds;
  }
  Space exec_;
  Kind kind_;
  Kokkos::View<double*, typename T::device> memory_;
  long long rounds_ = 4096;
  double alone_ = 0;
};

/// Returns the types with default options that have a kernel that waits.
std::vector<std::string> waiting_types() {
  std::vector<std::string> names;
  for (auto const& info : algorithm_infos())
    if (info.name != "sequential" && info.name != "colorset" && info.name != "chain" && info.name != "iterated")
      names.push_back(info.name);
  return names;
}

class Neighbours : public ::testing::TestWithParam<Kind> {};

TEST_P(Neighbours, SolvesEnd) {
  if (!is_device) GTEST_SKIP() << "kernels of two streams run at once on a GPU, and this Kokkos has none";
  auto const instances = Kokkos::Experimental::partition_space(Space(), 1, 1);
  Space const own = instances[0];
  Neighbour const neighbour(instances[1], GetParam());
  auto const p = make_problem<double>("lap2d:700", {Triangle::lower, Diagonal::stored, Op::none});
  auto const b = make_right_hand_sides<double>(p.num_rows(), 1);
  Block<T> const right(b), x(p.num_rows(), 1);
  std::printf("neighbour %s, %.1f ms alone\n%-12s %6s %14s %22s %22s\n", name_of(GetParam()), 1e3 * neighbour.alone(),
              "type", "solves", "us alone", "us behind / neighbour", "us before / neighbour");
  for (auto const& type : waiting_types()) {
    auto const solver = make_solver<double>(variant(type), own, p);
    auto const solve = [&](int times) {
      for (int k = 0; k < times; ++k) solver.solve(own, right.view(), x.view());
    };
    solve(2);
    own.fence();
    Kokkos::Timer timer;
    solve(4);
    own.fence();
    int const times = std::clamp(static_cast<int>(0.02 / (timer.seconds() / 4)), 1, 200);
    timer.reset();
    solve(times);
    own.fence();
    double const alone = timer.seconds();
    auto const expected = x.get();
    expect_solves(p, expected, b);
    double beside[2], neighbours[2];
    for (bool const first : {false, true}) {
      Kokkos::deep_copy(x.view(), std::numeric_limits<double>::quiet_NaN());
      Kokkos::fence();
      timer.reset();
      if (first) solve(1);
      neighbour.start();
      solve(first ? times - 1 : times);
      own.fence();
      beside[first] = timer.seconds();
      neighbour.wait();
      neighbours[first] = timer.seconds();
      for (std::size_t c = 0; c < b.size(); ++c) expect_same(x.get()[c], expected[c]);
    }
    std::printf("%-12s %6d %14.1f %14.1f %7.2f %14.1f %7.2f\n", type.c_str(), times, 1e6 * alone / times,
                1e6 * beside[0] / times, neighbours[0] / neighbour.alone(), 1e6 * beside[1] / times,
                neighbours[1] / neighbour.alone());
  }
}
INSTANTIATE_TEST_SUITE_P(Kinds, Neighbours, ::testing::Values(Kind::queue, Kind::resident, Kind::memory),
                         [](auto const& info) { return name_of(info.param); });

}  // namespace
}  // namespace sptrsv::test
