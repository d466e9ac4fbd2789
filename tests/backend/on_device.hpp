// SPDX-License-Identifier: Apache-2.0
// Copies host vectors to views of an execution space and back; only this file touches device memory.
#pragma once

#include <limits>
#include <sptrsv/solver.hpp>
#include <utility>

#include "problem.hpp"

namespace sptrsv::test {

template <class S, class Space>
using TypesOf = Types<S, int, int, Space>;
template <class S, class Space>
using Solver = TriangularSolver<S, int, int, Space>;

/// Returns a copy of a host vector in the memory of T's execution space.
template <class T, class V>
Kokkos::View<V*, typename T::device> to_device(std::vector<V> const& from) {
  Kokkos::View<V*, typename T::device> to("test::vector", from.size());
  auto const mirror = Kokkos::create_mirror_view(to);
  for (std::size_t i = 0; i < from.size(); ++i) mirror(i) = from[i];
  Kokkos::deep_copy(to, mirror);
  return to;
}

template <class T>
typename T::pattern to_pattern(std::vector<int> const& row_ptr, std::vector<int> const& col_idx,
                               RowOrder order = RowOrder::natural) {
  return {to_device<T>(row_ptr), to_device<T>(col_idx), order};
}
template <class T, class S>
typename T::pattern to_pattern(Problem<S> const& p) {
  return to_pattern<T>(p.row_ptr, p.col_idx);
}

/// n-by-k columns in device memory with any strides, NaN where nothing was written. A row stride of 0 stands for
/// contiguous columns of a row.
template <class T>
class Block {
 public:
  using scalar = typename T::scalar;

  Block(int n, int k, int row_stride = 1, int spare_rows = 0)
      : row_stride_(row_stride > 0 ? row_stride : k + spare_rows),
        leading_(row_stride == 0 ? 1 : std::max<std::size_t>(static_cast<std::size_t>(n) * row_stride + spare_rows, 1)),
        data_("test::block", std::max<std::size_t>(row_stride == 0 ? n * row_stride_ : leading_ * k, 1)) {
    Kokkos::deep_copy(data_, scalar(std::numeric_limits<double>::quiet_NaN()));
    view_ = typename T::solution(data_.data(), Kokkos::LayoutStride(n, row_stride_, k, leading_));
  }
  explicit Block(Columns<scalar> const& from, int row_stride = 1, int spare_rows = 0)
      : Block(from.empty() ? 0 : static_cast<int>(from[0].size()), static_cast<int>(from.size()), row_stride,
              spare_rows) {
    put(from);
  }
  void put(Columns<scalar> const& from) {
    auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), data_);
    for (std::size_t c = 0; c < from.size(); ++c)
      for (std::size_t i = 0; i < from[c].size(); ++i) mirror(c * leading_ + i * row_stride_) = from[c][i];
    Kokkos::deep_copy(data_, mirror);
  }
  Columns<scalar> get() const {
    auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), data_);
    Columns<scalar> to(view_.extent(1), std::vector<scalar>(view_.extent(0)));
    for (std::size_t c = 0; c < to.size(); ++c)
      for (std::size_t i = 0; i < to[c].size(); ++i) to[c][i] = mirror(c * leading_ + i * row_stride_);
    return to;
  }
  /// Returns the number of scalars outside of the n-by-k entries that were written to.
  std::size_t count_spilled() const {
    auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), data_);
    std::size_t spilled = 0;
    for (std::size_t at = 0; at < mirror.extent(0); ++at) {
      std::size_t const in_column = at % leading_;
      bool const mine = leading_ == 1 ? at % row_stride_ < view_.extent(1)
                                      : in_column % row_stride_ == 0 && in_column / row_stride_ < view_.extent(0);
      spilled += !mine && mirror(at) == mirror(at);
    }
    return spilled;
  }
  typename T::solution const& view() const { return view_; }

 private:
  std::size_t row_stride_, leading_;
  Kokkos::View<scalar*, typename T::device> data_;
  typename T::solution view_;
};

/// Algorithm with options.
struct Variant {
  std::string label;
  std::string algorithm;
  OptionValues options;
  bool reproducible = true;       ///< gives the same bits every time
  bool like_substitution = true;  ///< on a host, untransposed: gives the bits of plain substitution
  bool any_pattern = true;        ///< otherwise solves chains alone
};

/// Returns options with which the algorithm solves exactly.
inline OptionValues exact_options(AlgorithmInfo const& info) {
  return info.capabilities.exact ? OptionValues{} : OptionValues{{info.name + "_sweeps", "2147483647"}};
}

/// Tells whether a type sums the terms of a row in their order.
inline bool sums_in_order(AlgorithmInfo const& info) { return info.name != "tiled" && info.name != "inverted"; }

/// Returns every algorithm of the list with default options, forms chosen by options, and the planner.
inline std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (auto const& info : algorithm_infos()) {
    bool const any_pattern = info.capabilities.any_pattern;
    variants.push_back(
        {info.name, info.name, exact_options(info), true, sums_in_order(info) && any_pattern, any_pattern});
  }
  variants.push_back({"levelset_chain1", "levelset", {{"levelset_wide_rows", "1"}}});
  variants.push_back({"levelset_sweep", "levelset", {{"levelset_analysis", "sweep"}}});
  variants.push_back({"levelset_roots", "levelset", {{"levelset_analysis", "root_candidates"}}});
  variants.push_back({"syncfree_csc", "syncfree", {{"syncfree_form", "csc"}}, false, false});
  variants.push_back({"threadlevel_two_phase", "threadlevel", {{"threadlevel_form", "two_phase"}}});
  variants.push_back({"tiled_syncfree", "tiled", {{"tiled_variant", "syncfree"}}, true, false});
  variants.push_back({"tiled_levelset", "tiled", {{"tiled_variant", "levelset"}}, true, false});
  variants.push_back(
      {"tiled_levelset_wide16", "tiled", {{"tiled_variant", "levelset"}, {"tiled_wide_rows", "16"}}, true, false});
  // blocks with a mean of less than one entry stay at thread level
  variants.push_back({"fused_warp", "fused", {{"fused_threshold", "1"}}});
  variants.push_back({"fused_thread", "fused", {{"fused_threshold", "1000000"}}});
  variants.push_back({"fused_mixed", "fused", {{"fused_threshold", "2"}}});
  variants.push_back({"colorset_chain1", "colorset", {{"colorset_wide_rows", "1"}}});
  variants.push_back({"colorset_cpls", "colorset", {{"colorset_form", "cpls"}, {"colorset_wide_rows", "1"}}});
  variants.push_back(
      {"blocked_small", "blocked", {{"blocked_shape", "strips"}, {"blocked_levels", "3"}, {"blocked_rows", "16"}}});
  variants.push_back({"sptrsv", "sptrsv", {}});
  return variants;
}
inline Variant const& variant(std::string const& label) {
  static auto const variants = all_variants();
  for (auto const& v : variants)
    if (v.label == label) return v;
  throw std::invalid_argument("no variant " + label);
}

/// Makes a solver, analyzed and updated for p.
template <class S, class Space>
Solver<S, Space> make_solver(Variant const& v, Space const& exec, Problem<S> const& p) {
  using T = TypesOf<S, Space>;
  Solver<S, Space> solver(v.algorithm, exec, to_pattern<T>(p), p.shape, v.options);
  solver.update(exec, to_device<T>(p.values));
  p.block_rows = block_rows<Space>(solver.algorithm());
  return solver;
}

/// Tells whether each row of op(T) needs at most one other row and at most one needs it.
template <class S>
bool is_chains(Problem<S> const& p) {
  std::vector<int> needs(p.num_rows()), needed(p.num_rows());
  for (int i = 0; i < p.num_rows(); ++i)
    for (auto const& e : p.op.rows[i])
      if (e.col != i) {
        if (needs[i]++ + needed[e.col]++ > 0) return false;
      }
  return true;
}
/// Tells whether the variant solves the triangle, and checks that otherwise it throws Unsupported.
template <class S, class Space>
bool accepts(Variant const& v, Space const& exec, Problem<S> const& p) {
  if (v.any_pattern || is_chains(p)) return true;
  EXPECT_THROW(make_solver<S>(v, exec, p), Unsupported) << v.label;
  return false;
}
/// Returns a matrix that the variant solves: the given one, or chains.
inline std::string solvable(Variant const& v, std::string const& matrix) {
  return v.any_pattern ? matrix : "chain:300";
}

/// Solves once into an x of NaNs.
template <class S, class Space>
Columns<S> solve(Solver<S, Space> const& solver, Space const& exec, Columns<S> const& b) {
  using T = TypesOf<S, Space>;
  Block<T> const right(b);
  Block<T> const x(static_cast<int>(right.view().extent(0)), static_cast<int>(b.size()));
  solver.solve(exec, right.view(), x.view());
  exec.fence();
  return x.get();
}

}  // namespace sptrsv::test
