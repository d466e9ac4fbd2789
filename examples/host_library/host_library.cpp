// SPDX-License-Identifier: Apache-2.0
// Adapter for a library that is neither PETSc nor Trilinos and computes ILU(0) on the host: solves on Kokkos' device.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <sptrsv/factor.hpp>

#include "host_ilu.hpp"

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Factor = sptrsv::Factor<double, int, int, Space>;
using host_library::Vector;

/// Adapter: passes the library's arrays as views, and copies the library's vectors to the device and back. On a host
/// the pattern is read in place, so the Ilu0 must outlive the adapter.
class DeviceIlu {
 public:
  explicit DeviceIlu(host_library::Ilu0 const& ilu)
      : factor_("sptrsv", exec_, pattern_of(ilu)), b_("b", ilu.lower.num_rows(), 1), x_("x", ilu.lower.num_rows(), 1) {
    update(ilu);
  }

  /// Takes new values in the same pattern, without a new analysis.
  void update(host_library::Ilu0 const& ilu) {
    factor_.update(exec_,
                   sptrsv::FactorValues<double, Kokkos::HostSpace>{view(ilu.lower.values), view(ilu.upper.values), {}});
  }

  void apply(Vector const& b, Vector& x) {
    Kokkos::deep_copy(exec_, Kokkos::subview(b_, Kokkos::ALL(), 0), view(b));
    factor_.solve(exec_, sptrsv::Op::none, b_, x_);
    Kokkos::deep_copy(exec_, Kokkos::View<double*, Kokkos::HostSpace>(x.data(), x.size()),
                      Kokkos::subview(x_, Kokkos::ALL(), 0));
    exec_.fence();
  }

  char const* describe() const { return factor_.solver(sptrsv::Triangle::upper)->algorithm().c_str(); }
  int num_analyses() const { return factor_.num_analyses(); }

 private:
  using HostView = Kokkos::View<double const*, Kokkos::HostSpace>;
  static HostView view(Vector const& v) { return HostView(v.data(), v.size()); }
  static Factor::pattern_type pattern_of(host_library::Ilu0 const& ilu) {
    auto const rows = [](host_library::Csr const& a) {
      Factor::types::pattern p;
      p.row_ptr = sptrsv::in_memory_of<Space>(a.row_ptr.data(), a.row_ptr.size());
      p.col_idx = sptrsv::in_memory_of<Space>(a.col_idx.data(), a.col_idx.size());
      return p;
    };
    Factor::pattern_type p;
    p.lower = {rows(ilu.lower), sptrsv::Diagonal::unit};
    p.upper = {rows(ilu.upper), sptrsv::Diagonal::stored};
    return p;
  }

  Space exec_;
  Factor factor_;
  Kokkos::View<double**, Kokkos::LayoutLeft, Space::memory_space> b_, x_;
};

/// Solves by substitution on the host, as the library itself would.
void substitute(host_library::Ilu0 const& ilu, Vector const& b, Vector& x) {
  int const n = ilu.lower.num_rows();
  for (int i = 0; i < n; ++i) {
    x[i] = b[i];
    for (int k = ilu.lower.row_ptr[i]; k < ilu.lower.row_ptr[i + 1]; ++k)
      x[i] -= ilu.lower.values[k] * x[ilu.lower.col_idx[k]];
  }
  for (int i = n - 1; i >= 0; --i) {
    int const diagonal = ilu.upper.row_ptr[i];
    for (int k = diagonal + 1; k < ilu.upper.row_ptr[i + 1]; ++k) x[i] -= ilu.upper.values[k] * x[ilu.upper.col_idx[k]];
    x[i] /= ilu.upper.values[diagonal];
  }
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  try {
    bool good = true;
    host_library::Ilu0 ilu(host_library::convection(60, 0.0));
    DeviceIlu device(ilu);
    for (double const wind : {0.0, 0.5, 2.0}) {
      auto const a = host_library::convection(60, wind);
      ilu.factor(a);
      device.update(ilu);
      Vector const b(a.num_rows(), 1.0);
      Vector x, own;
      int const here = host_library::iterate(a, b, x, [&](auto const& r, auto& z) { device.apply(r, z); });
      int const there = host_library::iterate(a, b, own, [&](auto const& r, auto& z) { substitute(ilu, r, z); });
      std::printf("wind %.1f: %d iterations with sptrsv (%s on %s, %d analyses), %d with the library's own solves\n",
                  wind, here, device.describe(), Space::name(), device.num_analyses(), there);
      good = good && here < 500 && std::abs(here - there) <= 1 && device.num_analyses() == 2;
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (sptrsv::Error const& error) {
    std::fprintf(stderr, "host_library: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
