// SPDX-License-Identifier: Apache-2.0
// Problem with its arrays in the kernels' memory space, and the interface of the contenders that solve it.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <sptrsv/types.hpp>
#include <string>
#include <vector>

#include "system.hpp"

namespace sptrsv::bench {

/// b, x and T in the memory space of the kernels; the caller owns T on the host.
template <class Space>
struct Problem {
  using types = Types<double, int, int, Space>;
  using device = typename types::device;

  System const& system;
  Space exec;
  Kokkos::View<int*, device> row_ptr, col_idx;
  Kokkos::View<double*, device> values;
  Kokkos::View<double**, Kokkos::LayoutLeft, device> b, x;

  Problem(System const& s, int columns)
      : system(s),
        row_ptr("row_ptr", s.row_ptr.size()),
        col_idx("col_idx", s.col_idx.size()),
        values("values", s.values.size()),
        b("b", s.num_rows(), columns),
        x("x", s.num_rows(), columns) {
    Kokkos::deep_copy(row_ptr, host_view(s.row_ptr));
    Kokkos::deep_copy(col_idx, host_view(s.col_idx));
    auto const mirror = Kokkos::create_mirror_view(b);
    for (int c = 0; c < columns; ++c)
      for (int i = 0; i < num_rows(); ++i) mirror(i, c) = 1 + (i * 7LL + c) % 10;
    Kokkos::deep_copy(b, mirror);
    set_values(1);
  }
  int num_rows() const { return system.num_rows(); }
  int num_entries() const { return static_cast<int>(system.values.size()); }
  typename types::pattern pattern() const { return {row_ptr, col_idx, RowOrder::natural}; }
  /// Sets the values to those of the system times `factor`.
  void set_values(double factor) const {
    if (factor == 1) return Kokkos::deep_copy(values, host_view(system.values));
    auto scaled = system.values;
    for (double& v : scaled) v *= factor;
    Kokkos::deep_copy(values, host_view(scaled));
  }
  void spoil_x() const { Kokkos::deep_copy(x, std::numeric_limits<double>::quiet_NaN()); }
  void fence() const { exec.fence("sptrsv::bench"); }
  /// Returns what is wrong with x, or an empty text.
  /// @param rounding  relative error of the values used in the solve
  std::string find_error(double rounding) const {
    std::string error;
    for_each_column([&](std::size_t c, double const* host_x, double const* host_b) {
      int const row = first_wrong_row(system, host_x, host_b, rounding);
      if (row < num_rows()) error = "wrong answer in row " + std::to_string(row) + " of column " + std::to_string(c);
      return error.empty();
    });
    return error;
  }
  /// Returns max_i |x_i - y_i| / max_i |y_i| over the columns, where y is the solution by substitution; NaN if x has
  /// one.
  double deviation() const {
    double most = 0;
    for_each_column([&](std::size_t, double const* host_x, double const* host_b) {
      double const error = relative_error(system, host_x, host_b);
      if (!(error <= most)) most = error;
      return !std::isnan(error);
    });
    return most;
  }

 private:
  /// Calls f(c, x, b) with column c of x and b on the host, until it returns false.
  template <class F>
  void for_each_column(F const& f) const {
    auto const host_b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
    auto const host_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    for (std::size_t c = 0; c < b.extent(1) && num_rows() > 0; ++c)
      if (!f(c, &host_x(0, c), &host_b(0, c))) return;
  }
  template <class Number>
  static auto host_view(std::vector<Number> const& v) {
    return Kokkos::View<Number const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(v.data(), v.size());
  }
};

/// One way to solve op(T) x = b. A phase that runs on problem.exec may return before it is done; the caller fences.
template <class Space>
class Contender {
 public:
  virtual ~Contender() = default;
  /// Makes all that update() and solve() need, memory included, from the pattern. Called on a new object and after
  /// forget().
  virtual void analyze(Problem<Space> const& problem) = 0;
  /// Frees all that analyze() made; its time is not counted.
  virtual void forget() = 0;
  /// Takes the new contents of problem.values.
  virtual void update(Problem<Space> const& problem) = 0;
  virtual void solve(Problem<Space> const& problem) = 0;
  /// Copies x to problem.x, if it is elsewhere; its time is not counted.
  virtual void deliver(Problem<Space> const&) const {}
  /// Names the algorithm that was chosen, for people.
  virtual std::string used() const { return ""; }
  virtual std::string parameters() const { return ""; }
  virtual std::string reason() const { return ""; }
  /// Tells whether solve() gives the solution up to rounding; otherwise its error is reported.
  virtual bool exact() const { return true; }
  /// Returns the relative error of the values that the contender keeps.
  virtual double rounding() const { return 0; }
  /// Returns the bytes that the contender keeps in addition to the problem's pattern and values; 0 if not known.
  virtual std::size_t memory_bytes() const { return 0; }
};

/// Name of a contender, and the function that makes it.
template <class Space>
struct Entry {
  std::string name;
  bool peer = false;    ///< a wrong answer is reported, but does not fail the bench
  std::string refusal;  ///< why it cannot run; empty if it can
  std::function<std::unique_ptr<Contender<Space>>()> make;
};

}  // namespace sptrsv::bench
