// SPDX-License-Identifier: Apache-2.0
// CG with a V-cycle over four grids, as HPCG defines it, and the flops that HPCG counts for it.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "smoother.hpp"

namespace sptrsv::bench::hpcg {

/// Preconditioner: on each grid one symmetric sweep, the grid below, and one more sweep; on the coarsest one sweep.
/// Source: M. Heroux, J. Dongarra, P. Luszczek, HPCG technical specification, SAND2013-8752.
template <class Space>
class VCycle {
 public:
  using Smoothers = std::vector<std::unique_ptr<Smoother<Space>>>;

  VCycle(Libraries<Space> const& libraries, Space const& exec, Hierarchy<Space> const& grids) : grids_(grids) {
    for (auto const& level : grids.levels)
      products_.push_back(std::make_unique<Product<Space>>(libraries, exec, level));
  }
  Product<Space> const& product() const { return *products_[0]; }
  /// Computes an approximation x of A^-1 b on grid l and those below.
  /// @param smoothers  one per grid
  void apply(Space const& exec, Smoothers const& smoothers, Vector<Space> const& b, Vector<Space> const& x,
             std::size_t l = 0) const {
    smoothers[l]->smooth(exec, b, x, true);
    if (l + 1 == grids_.levels.size()) return;
    auto const& r = grids_.levels[l].r;
    auto const& coarse = grids_.levels[l + 1];
    combine(exec, 1.0, b, 0.0, r);
    products_[l]->multiply(exec, -1.0, x, 1.0, r);
    restrict_to(exec, coarse, r);
    apply(exec, smoothers, coarse.b, coarse.x, l + 1);
    prolong_from(exec, coarse, x);
    smoothers[l]->smooth(exec, b, x, false);
  }

 private:
  Hierarchy<Space> const& grids_;
  std::vector<std::unique_ptr<Product<Space>>> products_;
};

/// Flops as HPCG counts them: a symmetric sweep 4 per entry, with or without a guess.
template <class Space>
double hpcg_flops(Hierarchy<Space> const& grids, int iterations) {
  double cycle = 0;
  for (std::size_t l = 0; l < grids.levels.size(); ++l)
    cycle += (l + 1 < grids.levels.size() ? 10.0 : 4.0) * grids.levels[l].num_entries();
  double const n = grids.levels[0].num_rows(), entries = grids.levels[0].num_entries();
  // dots, vector updates, products, cycles; before the first iteration one dot, one update and one product
  return (3 * iterations + 1) * 4 * n + (iterations + 1) * 2 * entries + iterations * cycle;
}

struct Outcome {
  int iterations = 0;
  double reduction = 1;  ///< norm of the last residual, by the recurrence, divided by that of the first
};

/// Preconditioned CG on the finest grid.
template <class Space>
class Cg {
 public:
  Cg(Hierarchy<Space> const& grids, VCycle<Space> const& cycle) : grids_(grids), cycle_(cycle) {
    for (auto* v : {&x_, &r_, &z_, &p_, &q_}) *v = Vector<Space>("hpcg::cg", grids.levels[0].num_rows());
  }
  Vector<Space> const& x() const { return x_; }
  /// Solves A x = b from x = 0 until the norm of the residual is `rtol` times that of b, or for `most` iterations.
  Outcome solve(Space const& exec, typename VCycle<Space>::Smoothers const& smoothers, int most, double rtol) {
    Outcome out;
    auto const& a = cycle_.product();
    Kokkos::deep_copy(exec, x_, 0.0);
    combine(exec, 1.0, grids_.levels[0].b, 0.0, r_);
    a.multiply(exec, -1.0, x_, 1.0, r_);
    double const first = std::sqrt(dot(exec, r_, r_));
    for (double rz = 0; out.iterations < most && out.reduction > rtol; ++out.iterations) {
      cycle_.apply(exec, smoothers, r_, z_);
      double const rz_before = rz;
      rz = dot(exec, r_, z_);
      combine(exec, 1.0, z_, out.iterations == 0 ? 0.0 : rz / rz_before, p_);
      a.multiply(exec, 1.0, p_, 0.0, q_);
      double const alpha = rz / dot(exec, p_, q_);
      combine(exec, alpha, p_, 1.0, x_);
      combine(exec, -alpha, q_, 1.0, r_);
      out.reduction = std::sqrt(dot(exec, r_, r_)) / first;
    }
    return out;
  }

 private:
  Hierarchy<Space> const& grids_;
  VCycle<Space> const& cycle_;
  Vector<Space> x_, r_, z_, p_, q_;
};

}  // namespace sptrsv::bench::hpcg
