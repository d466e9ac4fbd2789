// SPDX-License-Identifier: Apache-2.0
// Shows the three phases of TriangularSolver: analyze a pattern, take values, solve. Then takes other values and solves
// again.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <sptrsv/solver.hpp>
#include <string>

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Solver = sptrsv::TriangularSolver<double, int, int, Space>;
using types = Solver::types;

constexpr int n = 100;
constexpr int nnz = 2 * n - 1;

/// Returns a view in the memory of Space with the entries f(0), f(1), ...
template <class T, class F>
Kokkos::View<T*, types::device> filled(char const* label, int size, F f) {
  Kokkos::View<T*, types::device> view(std::string(label), size);
  auto const mirror = Kokkos::create_mirror_view(view);
  for (int k = 0; k < size; ++k) mirror(k) = f(k);
  Kokkos::deep_copy(view, mirror);
  return view;
}

/// Returns the pattern of a chain: row i has -1 in column i-1, followed by its diagonal entry.
types::pattern chain_pattern() {
  return {filled<int>("row_ptr", n + 1, [](int i) { return i == 0 ? 0 : 2 * i - 1; }),
          filled<int>("col_idx", nnz, [](int k) { return k / 2; })};
}
types::values chain_values(double diagonal) {
  return filled<double>("values", nnz, [=](int k) { return k % 2 == 0 ? diagonal : -1.0; });
}

/// Solves for x(i) = i + 1. Tells whether the result is exact, as it must be: no sum is rounded.
bool solves(Solver const& solver, Space const& exec, double diagonal) {
  Kokkos::View<double**, Kokkos::LayoutLeft, types::device> b("b", n, 1), x("x", n, 1);
  auto const host = Kokkos::create_mirror_view(b);
  for (int i = 0; i < n; ++i) host(i, 0) = diagonal * (i + 1) - i;
  Kokkos::deep_copy(b, host);
  solver.solve(exec, b, x);
  exec.fence();
  Kokkos::deep_copy(host, x);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host(i, 0) != i + 1;
  std::printf("diagonal %g: %d of %d entries wrong\n", diagonal, wrong, n);
  return wrong == 0;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  try {
    Space const exec;
    Solver solver("sptrsv", exec, chain_pattern(),
                  {sptrsv::Triangle::lower, sptrsv::Diagonal::stored, sptrsv::Op::none});
    std::printf("sptrsv %s on %s: %s, %s\n", sptrsv::version(), Space::name(), solver.algorithm().c_str(),
                solver.reason().c_str());
    bool good = true;
    for (double const diagonal : {2.0, 4.0}) {
      solver.update(exec, chain_values(diagonal));
      good = solves(solver, exec, diagonal) && good;
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (sptrsv::Error const& error) {
    std::fprintf(stderr, "solve_triangle: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
