// SPDX-License-Identifier: Apache-2.0
// TriangularSolver: the public interface. Selects an algorithm by name and runs its three phases.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "sptrsv/capabilities.hpp"
#include "sptrsv/error.hpp"
#include "sptrsv/options.hpp"
#include "sptrsv/plan_input.hpp"
#include "sptrsv/structure.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv {

template <class T>
class Analysis;  // triangle/analysis.hpp

/// Description of an algorithm in the list, with its own options.
struct AlgorithmInfo : OptionTable {
  std::string name;
  std::string summary;
  Capabilities capabilities;
  std::string ordering;  ///< matrix ordering that the algorithm is made for; empty: any
};

/// Returns all algorithms in the order of the list, without the planner `sptrsv`.
std::vector<AlgorithmInfo> const& algorithm_infos();

/// Returns the description of an algorithm, or nullptr if the list has no such name, as for `sptrsv`.
AlgorithmInfo const* find_algorithm(std::string const& name);

/// Tells whether solves by this name are exact; true for `sptrsv`.
inline bool solves_exactly(std::string const& name) {
  auto const* info = find_algorithm(name);
  return !info || info->capabilities.exact;
}

/// Returns the description of the planner `sptrsv`, as if it were an algorithm.
AlgorithmInfo const& planner_info();

/// Returns the options that all algorithms share, which are also among the planner's. Their keys in OptionValues are
/// "sptrsv_<name>".
std::vector<OptionInfo> const& common_options();

namespace detail {
/// @throws UnknownAlgorithm unless the name is `sptrsv` or in the list.
void require_algorithm(std::string const& name);
}  // namespace detail

/// Forgets the plans measured in this process, so that their patterns are measured again.
void forget_plans();

/// Returns the version of the library, "major.minor.patch".
char const* version();

/// Solver of op(T) x = b for a sparse triangular T, for repeated solves.
///
/// A solver owns scratch memory, so it serves one solve at a time: submit all its solves to one execution space
/// instance, or synchronize the instances between solves. To solve on two streams at the same time, make two solvers.
///
/// After an exception from a member, whatever threw it, the solver remains usable and destructible:
///   - constructor: there is no solver;
///   - update(): solve() throws NotReady until an update() succeeds; PatternChanged keeps the previous values;
///   - reserve(): the previous capacity remains;
///   - solve(): x and `out` are undefined, and some kernels may have been launched. The next solve first resets the
///   solver's memory (one or two more launches, no fence) and is correct;
///   - others: no effect.
/// A moved-from solver can be destroyed and assigned to; everything else throws NotReady.
template <class Scalar, class Index, class Offset, class ExecSpace>
class TriangularSolver {
 public:
  static_assert(std::is_signed_v<Index> && std::is_signed_v<Offset>,
                "kernels count entries down to below zero; give size_t offsets as std::ptrdiff_t");
  using types = Types<Scalar, Index, Offset, ExecSpace>;
  using exec_space = ExecSpace;

  /// Analyzes the pattern of T.
  /// @param algorithm  a name of algorithm_infos(), or "sptrsv", which chooses by the structure
  /// @param exec       instance for all kernels; fenced before return
  /// @param pattern    views that must stay valid and unchanged for the life of the solver
  /// @param options    by "<algorithm>_<option>", text or parsed; those of other algorithms are not used. "sptrsv_plan"
  /// sets the PlanMethod: "estimate" chooses by the structure; "measure" times the candidates at the first update;
  /// "automatic", the default, is "estimate" on a device. On a host it starts with `sequential`, and analyzes another
  /// algorithm during a later solve, once that pays. "sptrsv_storage" applies to all algorithms, see Storage.
  /// @throws UnknownAlgorithm, InvalidOption, Unsupported, InvalidPattern, NotTriangular, MissingDiagonal, TooLarge.
  /// Cost: a few solves.
  TriangularSolver(std::string const& algorithm, ExecSpace const& exec, typename types::pattern const& pattern,
                   Shape shape, Options const& options = {});
  ~TriangularSolver();
  TriangularSolver(TriangularSolver&&) noexcept;
  TriangularSolver& operator=(TriangularSolver&&) noexcept;

  /// Takes the values of T, aligned with the pattern's col_idx. Some algorithms copy them, others read them in every
  /// solve: keep them valid and unchanged until the next update.
  /// @throws PatternChanged if there are too few, ZeroPivot for an exact zero on a stored diagonal, SingleRange for a
  /// value beyond the range of Storage::single.
  /// Cost: at most one pass over the values, no allocation; one fence if the diagonal is stored, one for
  /// Storage::single. The first update with sptrsv_plan=measure analyzes all candidates and solves with each a few
  /// times, unless this process has measured the pattern before.
  void update(ExecSpace const& exec, typename types::values const& values);

  /// Allocates for solves of `columns` columns at a time; one column is reserved from the start.
  /// @throws DimensionMismatch for a negative number.
  void reserve(ExecSpace const& exec, int columns);

  /// Solves op(T) x = b; the call returns before its kernels finish. An approximate algorithm (Capabilities::exact)
  /// approximates x.
  /// @param b     n-by-k right-hand sides, read only; the same array as x, or no overlap
  /// @param x     n-by-k solutions; contents on entry are ignored
  /// @param permute_scale  permutations and scaling to perform on the way; with a permutation b must not be x
  /// @throws DimensionMismatch; NotReady; Overlap (for views with different strides only the first elements are
  /// compared); Unsupported while the stream of `exec` is captured into a CUDA or HIP graph. A solve prepares memory
  /// for the next solve; a replay would not. Solve outside the graph, or choose `sequential` or `colorset`, which keep
  /// no state between solves.
  /// Cost: 2 nnz k flops; no copy, no fence. Allocates only in the first solve of more columns than reserved, and on a
  /// host in the one solve of "sptrsv" that analyzes another algorithm.
  void solve(ExecSpace const& exec, typename types::rhs const& b, typename types::solution const& x,
             PermuteScale<types> const& permute_scale = {}) const;

  /// Returns the chosen algorithm, never "sptrsv". On a host one solve of "sptrsv" may change it, and afterwards
  /// `sequential` may run some solves: parameters() says how many.
  std::string const& algorithm() const;
  std::string const& reason() const;  ///< why: requested, or the planner's reason
  std::string parameters() const;     ///< parameters that the algorithm chose, as text
  long long num_passes() const;       ///< passes of a solve over the off-diagonals; 1 for an exact algorithm
  /// Returns the measurements for this pattern, the algorithm in use first, then by time; may be empty.
  std::vector<PlanTiming> const& timings() const;
  /// Sets the clock of sptrsv_plan=measure, before the first update; for tests.
  /// @param seconds  returns the time
  void set_clock(std::function<double()> seconds);
  /// Returns the planner's features of this triangle, and its candidates. Cost: a few sweeps; fences.
  PlanInput plan_input(ExecSpace const& exec) const;
  std::size_t memory_bytes() const;  ///< beyond the caller's pattern and values
  long long num_rows() const;
  Shape shape() const;
  /// Returns the analysis, for parts of the library that need this triangle's rows or levels.
  Analysis<types> const& analysis() const;
  /// Returns rows, entries, levels; makes the level sets at the first call unless the algorithm did.
  Structure structure(ExecSpace const& exec) const;

 private:
  struct Impl;
  Impl& impl() const;  ///< throws NotReady if moved from
  std::unique_ptr<Impl> impl_;
};

}  // namespace sptrsv
