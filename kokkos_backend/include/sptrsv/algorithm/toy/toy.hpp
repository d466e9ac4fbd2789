// SPDX-License-Identifier: Apache-2.0
// Substitution by one team: an example of an algorithm, which is one header and a line in the list.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <string_view>

#include "sptrsv/capabilities.hpp"
#include "sptrsv/device/row_io.hpp"
#include "sptrsv/device/tickets.hpp"
#include "sptrsv/triangle/row_part.hpp"
#include "sptrsv/triangle/row_values.hpp"

namespace sptrsv {

namespace detail {

/// Kernel of one team that solves one column, row after row. The team's threads share the entries of a row.
template <class T>
struct ToyKernel {
  using index = typename T::index;
  using scalar = typename T::scalar;
  OffDiagonals<T> rows;
  TriangleValues<T> numbers;
  RowIO<T> io;
  bool ascending;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    for (index s = 0; s < rows.num_rows; ++s) {
      index const i = ascending ? s : rows.num_rows - 1 - s;
      scalar sum[1] = {team.team_rank() == 0 ? io.load(i, 0) : scalar(0)};
      subtract_row_part(
          rows, numbers, i, team.team_rank(), team.team_size(), [&](index j, int) { return io.solved(j, 0); }, sum);
      team.team_reduce(Kokkos::Sum<scalar>(sum[0]));
      Kokkos::single(Kokkos::PerTeam(team), [&]() { io.store(i, 0, numbers.finish(sum[0], numbers.pivot(i))); });
      team.team_barrier();
    }
  }
};

}  // namespace detail

/// Solver by one team.
template <class T>
class Toy : public AlgorithmDefaults {
 public:
  using types = T;
  static constexpr std::string_view name = "toy";
  static constexpr char const* summary = "substitution by one team, which shares the entries of a row";
  static constexpr Capabilities capabilities{/*upper=*/true, /*transpose=*/true, /*multi_rhs=*/true};
  struct Options {
    int threads = 64;
    template <class V>
    void visit(V& v) {
      v.integer("threads", threads, 1, 256, "GPU: threads of the team");
    }
  };

  Toy(typename T::exec_space const& exec, Analysis<T> const& analysis, Options const& options)
      : ascending_(analysis.shape().ascending()),
        threads_(is_host_space<typename T::exec_space> ? 1 : options.threads),
        values_(exec, analysis.rows(exec)) {}
  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) {
    values_.update(exec, analysis, values);
  }
  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const {
    for (int c = 0; c < static_cast<int>(b.extent(1)); ++c)
      Kokkos::parallel_for("sptrsv::toy::solve", detail::team_policy(exec, 1, threads_, 1),
                           detail::ToyKernel<T>{values_.rows(), values_.numbers(), {b, x, fold, c}, ascending_});
  }
  std::string parameters() const { return "one team of " + std::to_string(threads_); }
  void reserve(typename T::exec_space const&, int) {}
  std::size_t memory_bytes() const { return values_.memory_bytes(); }

 private:
  bool ascending_;
  int threads_;
  detail::RowValues<T> values_;
};

}  // namespace sptrsv
