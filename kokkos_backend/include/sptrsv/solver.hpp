// SPDX-License-Identifier: Apache-2.0
// TriangularSolver: the public front. Picks an algorithm by name and runs its three phases.
#pragma once

#include <Kokkos_Core.hpp>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
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

/// One entry of the list of algorithms, as shown to people.
struct AlgorithmInfo {
  std::string name;
  std::string summary;
  Capabilities capabilities;
  std::string ordering;  ///< of the matrix, for which the algorithm is made; empty: any
  std::vector<OptionInfo> options;
  std::vector<RenamedOption> renamed;  ///< names of earlier versions, refused
};

/// All algorithms, in the order of the list. The planner `sptrsv` is a name for TriangularSolver, but
/// not one of them.
std::vector<AlgorithmInfo> const& algorithm_infos();

/// The planner, name and options, as if it were one of them.
AlgorithmInfo const& planner_info();

/// Options of every algorithm, "sptrsv_<name>" among OptionValues; they are among the planner's, too.
std::vector<OptionInfo> const& common_options();

/// Forgets the plans that were measured in this process, so that patterns that come again are measured again.
void forget_plans();

/// Version of the library, "major.minor.patch".
char const* version();

/// Solves op(T) x = b for a sparse triangular T, again and again.
///
/// A solver holds scratch memory, so it serves one solve at a time, and its solves must be on one
/// instance or ordered by the caller; two streams need two solvers.
///
/// After an exception from a member, whatever threw it, the solver can be used on and be destroyed:
///   - constructor: there is no solver;
///   - update(): solve() throws NotReady until an update() has succeeded, but PatternChanged keeps the values before;
///   - reserve(): there is room for as many columns as before;
///   - solve(): x and `out` hold anything, some kernels may have been launched, and the next solve clears what they
///     left in memory (one launch or two more, no fence) and is right;
///   - others: as if they had not been called.
/// A solver that was moved from can be destroyed and assigned to; all else throws NotReady.
template <class Scalar, class Index, class Offset, class ExecSpace>
class TriangularSolver {
 public:
  static_assert(std::is_signed_v<Index> && std::is_signed_v<Offset>,
                "kernels count entries down to below zero; give size_t offsets as std::ptrdiff_t");
  using types = Types<Scalar, Index, Offset, ExecSpace>;
  using exec_space = ExecSpace;

  /// Analyzes the pattern of T.
  /// @param algorithm  a name of algorithm_infos(), or "sptrsv": chosen by the structure.
  /// @param exec       where all kernels go; fenced before return.
  /// @param pattern    views that must stay valid and unchanged for the life of the solver.
  /// @param options    by "<algorithm>_<option>", as in AlgorithmInfo; those of other algorithms are
  ///                   checked by name and not used. "sptrsv_plan" is the planner's, see PlanMethod: "estimate" chooses
  ///                   by the structure, "measure" at the first update, by timing what there is; "automatic", the
  ///                   default, is "estimate" on a device, and on a host begins with `sequential` and analyzes another
  ///                   algorithm in one of the solves, once that pays. "sptrsv_storage" is of all algorithms, see
  ///                   Storage.
  /// @throws UnknownAlgorithm, InvalidOption, Unsupported, InvalidPattern, NotTriangular, MissingDiagonal, TooLarge.
  /// Cost: a few solves; `reason()` says why a plan was chosen.
  TriangularSolver(std::string const& algorithm, ExecSpace const& exec, typename types::pattern const& pattern,
                   Shape shape, OptionValues const& options = {});
  ~TriangularSolver();
  TriangularSolver(TriangularSolver&&) noexcept;
  TriangularSolver& operator=(TriangularSolver&&) noexcept;

  /// Takes the values of T, aligned with the pattern's col_idx. Some algorithms copy them, others
  /// read them in every solve: keep them valid and unchanged until the next update.
  /// @throws PatternChanged if there are too few, ZeroPivot for an exact zero on a stored diagonal, SingleRange for a
  ///         value that Storage::single does not hold.
  /// Cost: at most one pass over the values, no allocation; one fence if the diagonal is stored, one for
  /// Storage::single. But the first update
  /// of sptrsv_plan=measure analyzes all candidates and solves with each a few times, unless this process has measured
  /// the pattern before.
  void update(ExecSpace const& exec, typename types::values const& values);

  /// Makes room for solves of so many columns at once; room for one is there from the start.
  /// @throws DimensionMismatch for a negative number.
  void reserve(ExecSpace const& exec, int columns);

  /// Solves op(T) x = b; the call returns before its kernels finish.
  /// @param b     n-by-k right-hand sides, read only; the very same array as x, or no overlap.
  /// @param x     n-by-k solutions; contents on entry ignored.
  /// @param fold  permutations and scaling to do on the way; with a permutation b must not be x.
  /// @throws DimensionMismatch; NotReady; Overlap (of views with other strides only the first elements are compared);
  ///         Unsupported while the stream of `exec` is captured into a CUDA graph: a solve prepares memory for the next
  ///         one, which a replay would not. Solve outside of the graph, or choose `sequential` or `colorset`, which
  ///         keep nothing from solve to solve.
  /// Cost: 2 entries k flops; no copy, no fence, and no allocation but in the first solve of more columns than
  /// reserve() was told, and on a host in the one solve of "sptrsv" that analyzes another algorithm.
  void solve(ExecSpace const& exec, typename types::rhs const& b, typename types::solution const& x,
             Fold<types> const& fold = {}) const;

  /// The algorithm that was chosen, never "sptrsv". On a host a solve of "sptrsv" may change it, once, and some solves
  /// are then made by `sequential`: parameters() says how many.
  std::string const& algorithm() const;
  std::string const& reason() const;  ///< why: asked for, or the planner's reason
  std::string parameters() const;     ///< what the algorithm chose, for people
  /// What was measured for this pattern, the algorithm in use first, then by time; empty if nothing was.
  std::vector<PlanTiming> const& timings() const;
  /// @param seconds  the clock that sptrsv_plan=measure goes by, to be set before the first update; for tests.
  void set_clock(std::function<double()> seconds);
  /// What the planner knows of this triangle, and what it may choose. Cost: a few sweeps; fences.
  PlanInput plan_input(ExecSpace const& exec) const;
  std::size_t memory_bytes() const;  ///< beyond the caller's pattern and values
  long long num_rows() const;
  Shape shape() const;
  /// For parts of the library that need the same triangle's rows or levels.
  Analysis<types> const& analysis() const;
  /// Rows, entries, levels; makes the level sets at the first call if the algorithm did not.
  Structure structure(ExecSpace const& exec) const;

 private:
  struct Impl;
  Impl& impl() const;  ///< @throws NotReady
  std::unique_ptr<Impl> impl_;
};

}  // namespace sptrsv
