// SPDX-License-Identifier: Apache-2.0
// Runs every type on a triangle as large as memory and 32-bit offsets allow, which is made, solved and checked in the
// memory space of the kernels:
//   backend_large_factor ENTRIES [ENTRIES_PER_ROW [ROWS_BACK]]
// such as 1.5e9 on a GPU with 140 GB. Prints one line per type: ok, refused by name, out of memory, or FAIL.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <sptrsv/solver.hpp>
#include <string>
#include <type_traits>

namespace large {  // named, since nvcc cannot launch lambdas of classes in an unnamed namespace

using namespace sptrsv;
using Space = Kokkos::DefaultExecutionSpace;
using Solver = TriangularSolver<double, int, int, Space>;
using T = Solver::types;
constexpr bool host = std::is_same_v<Space::memory_space, Kokkos::HostSpace>;

template <class V>
using view = Kokkos::View<V*, T::device>;
template <class V>
view<V> raw(char const* label, long long count) {
  return view<V>(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)), static_cast<std::size_t>(count));
}

/// Returns a number in [0, 1) that depends only on k.
KOKKOS_INLINE_FUNCTION double random_number(std::uint64_t k) {
  std::uint64_t z = (k + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

/// Lower triangle. A row needs up to `per_row` others: one in each of `per_row` equal parts of the `back` rows before
/// it.
struct Factor {
  long long rows, per_row, back;
  view<int> row_ptr, col_idx;
  view<double> values;

  KOKKOS_FUNCTION long long length(long long i) const { return (i < per_row ? i : per_row) + 1; }
  /// Returns the number of entries of all earlier rows.
  KOKKOS_FUNCTION long long entries_before(long long i) const {
    return i <= per_row ? i * (i + 1) / 2 : per_row * (per_row + 1) / 2 + (i - per_row) * (per_row + 1);
  }
  void fill() {
    row_ptr = raw<int>("large::row_ptr", rows + 1);
    col_idx = raw<int>("large::col_idx", entries_before(rows));
    values = raw<double>("large::values", entries_before(rows));
    auto const f = *this;
    Kokkos::parallel_for(
        "large::fill", Kokkos::RangePolicy<Space, long long>(0, rows + 1), KOKKOS_LAMBDA(long long i) {
          long long at = f.entries_before(i);
          f.row_ptr(i) = static_cast<int>(at);
          if (i == f.rows) return;
          long long const before = i < f.back ? i : f.back, others = f.length(i) - 1;
          for (long long k = 0; k < others; ++k, ++at) {
            long long const first = i - before + before * k / others, last = i - before + before * (k + 1) / others;
            auto const seed = static_cast<std::uint64_t>(at);
            f.col_idx(at) = static_cast<int>(
                first + static_cast<long long>(random_number(2 * seed) * static_cast<double>(last - first)));
            f.values(at) = (random_number(2 * seed + 1) - 0.5) / static_cast<double>(f.per_row);
          }
          f.col_idx(at) = static_cast<int>(i);
          f.values(at) = 1.25 + 0.5 * random_number(2 * static_cast<std::uint64_t>(at));
        });
    Kokkos::fence();
  }
};

using columns = Kokkos::View<double**, Kokkos::LayoutLeft, T::device>;

/// Returns the largest |b - op(T) x|_i over 8 (k_i + 2) u (|op(T)| |x|)_i, with b of ones; sums here round as those of
/// the solve do.
double worst_row(Factor const& f, Op op, columns const& x) {
  using policy = Kokkos::RangePolicy<Space, long long>;
  view<double> const rest("large::rest", static_cast<std::size_t>(f.rows)),
      size("large::size", static_cast<std::size_t>(f.rows));
  view<int> const count("large::count", static_cast<std::size_t>(f.rows));
  Kokkos::parallel_for(
      "large::residual", policy(0, f.rows), KOKKOS_LAMBDA(long long i) {
        double sum = 0, sizes = 0;
        for (long long k = f.row_ptr(i); k < f.row_ptr(i + 1); ++k) {
          long long const j = f.col_idx(k);
          double const term = f.values(k) * x(op == Op::none ? j : i, 0);
          sum += term;
          sizes += Kokkos::abs(term);
          if (op == Op::none) continue;
          Kokkos::atomic_add(&rest(j), term);
          Kokkos::atomic_add(&size(j), Kokkos::abs(term));
          Kokkos::atomic_inc(&count(j));
        }
        if (op != Op::none) return;
        rest(i) = sum;
        size(i) = sizes;
        count(i) = static_cast<int>(f.length(i));
      });
  double worst = 0;
  Kokkos::parallel_reduce(
      "large::worst", policy(0, f.rows),
      KOKKOS_LAMBDA(long long i, double& most) {
        double const error = Kokkos::abs(1 - rest(i)), ratio = error / (8 * (count(i) + 2) * 0x1.0p-53 * size(i));
        if (!(ratio <= most)) most = ratio == ratio ? ratio : Kokkos::Experimental::infinity_v<double>;
      },
      Kokkos::Max<double>(worst));
  return worst;
}

struct Way {
  std::string name, algorithm;
  OptionValues options;
};

/// Numbers of outcomes by kind, for the last line of the output.
struct Outcomes {
  int right = 0, wrong = 0, out_of_memory = 0, left_out = 0;
};

/// Tells whether Kokkos failed to allocate a View, for which it has no exception type.
bool is_lack_of_memory(std::exception const& e) {
  return std::string(e.what()).find("failed to allocate") != std::string::npos;
}

/// Runs one solve and counts its outcome; an error that is neither a refusal nor lack of memory counts as wrong.
void run(Factor const& f, Way const& way, Op op, Outcomes& outcomes) {
  std::string const name = way.name + (op == Op::none ? "" : " transposed");
  auto const say = [&](std::string const& text) {
    std::printf("%-28s %s\n", name.c_str(), text.c_str());
    std::fflush(stdout);
  };
  if (!host && way.algorithm == "sequential" && f.entries_before(f.rows) > 4000000) {
    ++outcomes.left_out;
    return say("left out: one thread of a device");
  }
  try {
    Space const exec;
    columns const b(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string("large::b")), f.rows, 1),
        x("large::x", f.rows, 1);
    Kokkos::deep_copy(b, 1.0);
    Kokkos::Timer timer;
    Solver solver(way.algorithm, exec, {f.row_ptr, f.col_idx}, {Triangle::lower, Diagonal::stored, op}, way.options);
    double const analyzed = timer.seconds();
    solver.update(exec, f.values);
    exec.fence();
    double const updated = timer.seconds();
    double solved = std::numeric_limits<double>::infinity(), worst = 0;
    for (int turn = 0; turn < 3; ++turn) {  // slots and tickets are double buffered
      Kokkos::deep_copy(x, std::numeric_limits<double>::quiet_NaN());
      double const start = timer.seconds();
      solver.solve(exec, b, x);
      exec.fence();
      solved = std::min(solved, timer.seconds() - start);
      worst = std::max(worst, worst_row(f, op, x));
    }
    char text[300];
    std::snprintf(text, sizeof text, "%s  %.3f of the bound; analyze %.3f s, update %.3f s, solve %.4f s, %.3g GB; %s",
                  worst <= 1 ? "ok" : "FAIL", worst, analyzed, updated - analyzed, solved,
                  1e-9 * static_cast<double>(solver.memory_bytes()), solver.algorithm().c_str());
    say(text);
    ++(worst <= 1 ? outcomes.right : outcomes.wrong);
  } catch (Unsupported const& e) {
    ++outcomes.left_out;
    say(std::string("refused by name: ") + e.what());
  } catch (TooLarge const& e) {
    ++outcomes.left_out;
    say(std::string("refused by name: ") + e.what());
  } catch (std::bad_alloc const& e) {
    ++outcomes.out_of_memory;
    say(std::string("out of memory: ") + e.what());
  } catch (std::exception const& e) {
    bool const memory = is_lack_of_memory(e);
    ++(memory ? outcomes.out_of_memory : outcomes.wrong);
    say((memory ? "out of memory: " : "FAIL  ") + std::string(e.what()));
  }
}

/// Runs all types. @return whether nothing was wrong and something was right
bool run_all(long long entries, long long per_row, long long back) {
  Factor f{std::max(1LL, entries / per_row), per_row - 1, 1, {}, {}, {}};
  f.back = back > 0 ? back : std::max(per_row, f.rows / 50);
  f.fill();
  std::printf("%lld rows, %lld entries, on %s\n", f.rows, f.entries_before(f.rows), Space::name());
  std::vector<Way> ways;
  for (auto const& info : algorithm_infos())
    if (info.capabilities.any_pattern && info.capabilities.exact) ways.push_back({info.name, info.name, {}});
  ways.push_back({"syncfree csc", "syncfree", {{"syncfree_form", "csc"}}});
  ways.push_back({"tiled levelset", "tiled", {{"tiled_variant", "levelset"}}});
  ways.push_back({"sptrsv", "sptrsv", {}});
  Outcomes outcomes;
  for (Op const op : {Op::none, Op::transpose})
    for (auto const& way : ways) run(f, way, op, outcomes);
  std::printf("%d ways right, %d wrong, %d OUT OF MEMORY, %d refused or left out\n", outcomes.right, outcomes.wrong,
              outcomes.out_of_memory, outcomes.left_out);
  return outcomes.wrong == 0 && outcomes.right > 0;
}

}  // namespace large

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  auto const number = [&](int at, double otherwise) { return argc > at ? std::atof(argv[at]) : otherwise; };
  double const entries = number(1, 0), per_row = number(2, 30), back = number(3, 0);
  if (!(entries >= 1 && entries < 0x1.0p31 && per_row >= 1 && per_row <= entries && back >= 0 &&
        (back == 0 || back >= per_row))) {
    std::printf(
        "usage: %s ENTRIES [ENTRIES_PER_ROW [ROWS_BACK]], ENTRIES below 2^31, ROWS_BACK at least ENTRIES_PER_ROW\n",
        argv[0]);
    return 2;
  }
  try {
    return large::run_all(static_cast<long long>(entries), static_cast<long long>(per_row),
                          static_cast<long long>(back))
               ? 0
               : 1;
  } catch (std::exception const& e) {  // not enough memory for the triangle itself
    std::printf("%s\n", e.what());
    return 1;
  }
}
