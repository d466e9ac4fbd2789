// SPDX-License-Identifier: Apache-2.0
// Substitution by one core of the host on host arrays: the baseline for a GPU.
#pragma once

#include "../contender.hpp"

namespace sptrsv::bench {

template <class Space>
class OneCore final : public Contender<Space> {
 public:
  void analyze(Problem<Space> const& p) override {
    b_ = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), p.b);
    x_ = Kokkos::create_mirror(Kokkos::HostSpace(), p.x);
  }
  void forget() override {}
  void update(Problem<Space> const&) override {}
  void solve(Problem<Space> const& p) override {
    System const& s = p.system;
    int const n = s.num_rows();
    for (std::size_t c = 0; c < b_.extent(1); ++c)
      for (int step = 0; step < n; ++step) {
        int const i = s.shape.triangle == Triangle::lower ? step : n - 1 - step;
        x_(i, c) = row(s, i, &b_(0, c), &x_(0, c));
      }
  }
  void deliver(Problem<Space> const& p) const override { Kokkos::deep_copy(p.x, x_); }
  std::string parameters() const override { return "on the host"; }

 private:
  static double row(System const& s, int i, double const* b, double const* x) {
    bool const lower = s.shape.triangle == Triangle::lower;
    int const begin = s.row_ptr[i] + !lower, end = s.row_ptr[i + 1] - lower;  // the diagonal entry is last or first
    double sum = b[i];
    for (int k = begin; k < end; ++k) sum -= s.values[k] * x[s.col_idx[k]];
    return sum / s.entry(i, lower ? end : begin - 1);
  }
  typename Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> b_, x_;
};

template <class Space>
Entry<Space> one_core_entry(Shape shape) {
  return {"one_core", true, shape.transposed() ? "written for op none" : "",
          [] { return std::make_unique<OneCore<Space>>(); }};
}

}  // namespace sptrsv::bench
