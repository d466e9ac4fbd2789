// SPDX-License-Identifier: Apache-2.0
// Factorization: LU and Cholesky factors of a given pattern, computed in the execution space of the solves.
#pragma once

#include <functional>
#include <memory>

#include "sptrsv/factor.hpp"
#include "sptrsv/factorization/pivots.hpp"

namespace sptrsv {

/// Facts about a Factorization and its chosen parameters.
struct FactorizationReport {
  long long rows = 0, entries = 0;  ///< both of the factors; entries include pivots
  long long levels = 0;             ///< levels of L; 0 on a host, where rows are in natural order
  /// Number of updates per numeric phase, of two flops each. If they are not listed, this is an upper bound; for a
  /// complete factor the bound is exact.
  long long updates = 0;
  long long longest_row = 0;
  bool listed = false;    ///< updates are listed, not searched for
  bool products = false;  ///< products wait in scratch memory for the last pivot row
  int lanes = 1;
  std::size_t list_bytes = 0;
};

struct FactorizationOptions {
  /// Maximum bytes of the lists of updates; -1: 8 times the bytes of the factors' values. If the lists need more, each
  /// numeric phase searches for the updates.
  double list_bytes = -1;
  int lanes_per_row = 0;  ///< on a GPU, a power of two; 0: chosen
  int teams = 0;          ///< on a GPU, of one warp each; 0: chosen
  /// For symmetric factors with lists. 1: form products as pivot rows arrive, and subtract them once all have arrived,
  /// if scratch memory holds a row's products; 0: subtract one pivot row after another; -1: 1 on a GPU, 0 on a host.
  int products = -1;
  /// Whether the factor drops no fill, as in complete LU and Cholesky. The number of updates then follows from the
  /// lengths of the rows; they are not counted if they are too many to list.
  bool complete = false;
  /// Function that reads the report and returns whether to make the factorization. It is called once the facts and
  /// `listed` are known, before most of the work. If it returns false, only report() may be called. `levels` is 0 if
  /// the updates are not listed; the chosen parameters are not known yet.
  std::function<bool(FactorizationReport const&)> accept;
};

/// Computes the values of L, D and U of A(row_perm, col_perm) from A's values, for given patterns: ILU(k), IC(k), and
/// complete factors without pivoting.
///
/// Every entry is summed in the order of PETSc's MatLUFactorNumeric_SeqAIJ() and MatCholeskyFactorNumeric_SeqAIJ(), so
/// that real factors are bitwise PETSc's, shifts included; with dense blocks of size 2 or more they agree up to
/// rounding. Rows wait for the rows that they need, on a GPU in the order of L's levels. Any number of teams makes
/// progress.
///
/// The object serves one numeric phase at a time. An exception from factor() does not affect the next call. A
/// moved-from object can be destroyed and assigned to; its factor() throws NotReady, and no other member may be called.
/// For types that the library is not compiled for, include sptrsv/factorization/factorization_impl.hpp.
template <class Scalar, class Index, class Offset, class ExecSpace>
class Factorization {
 public:
  using types = Types<Scalar, Index, Offset, ExecSpace>;
  using pattern_type = FactorPattern<Index, Offset, typename types::device>;
  using values_type = FactorValues<Scalar, typename types::memory_space>;

  /// Analyzes the patterns.
  /// @param matrix  A's pattern, of dense blocks if the factor has them: rows in natural order, the columns of a row in
  /// any order, each once. Only the constructor reads it.
  /// @param factor  L and U with ascending columns, of one of four kinds. A = L U: `lower` unit, `upper`
  /// Diagonal::inverted, block_size 0. A = L D U: both unit, block_size 1. Symmetric: `upper` unit, block_size 1; A is
  /// read only in the upper triangle of A(perm, perm). Dense blocks: block_size > 1; L and U by scalar rows in whole
  /// dense blocks, without the diagonal blocks; permutations keep dense blocks together. Views must stay valid and
  /// unchanged for the life of the object.
  /// @throws ImproperRow for a row of A that stores a column twice, or of L or U whose columns do not ascend;
  /// DimensionMismatch if patterns and permutations have different sizes; InvalidPattern for a row that does not
  /// consist of whole dense blocks; Error for other kinds of factors; exceptions of TriangularSolver for the triangles.
  /// Cost: a few passes over the factors and over their updates, which are counted only until they are too many to
  /// list; allocates, fences.
  Factorization(ExecSpace const& exec, typename types::pattern const& matrix, pattern_type const& factor,
                FactorizationOptions const& options = {});
  /// Analyzes the pattern of a Factor, and shares the Factor's rows and levels. Otherwise like the other constructor.
  Factorization(ExecSpace const& exec, typename types::pattern const& matrix,
                Factor<Scalar, Index, Offset, ExecSpace> const& solver, FactorizationOptions const& options = {});
  /// Finds whether the updates of a factor can be listed, before a Factor of it is made. The report has the facts that
  /// need no levels; if the updates can be listed, their number may be an upper bound.
  static FactorizationReport decide(ExecSpace const& exec, typename types::pattern const& matrix,
                                    pattern_type const& factor, FactorizationOptions const& options = {});
  /// Returns PETSc's pattern of ILU(levels) or IC(levels) of A(row_perm, col_perm), with ascending columns. U's rows
  /// end in their pivots; those of a symmetric factor have none. An entry of A has level 0; fill has the minimum of
  /// lev(i, k) + lev(k, j) + 1 over all k < min(i, j). The pattern has all entries up to level `levels`.
  /// @param matrix     A's pattern, as in the constructor
  /// @param row_perm, col_perm  permutations of 0..n-1 (not checked), or empty
  /// @param symmetric  upper triangle only
  /// @param levels     0 or less: no fill
  /// @throws MissingDiagonal for the first row of A(row_perm, col_perm) whose diagonal entry is neither in A nor fill;
  ///         ImproperRow as in the constructor; Unsupported if L or U has more entries than Offset can count.
  /// Cost: without fill a few passes over A, and a sort of rows with permuted columns. With fill, one search of the
  /// graph of A from each row, on a GPU two: each reads all neighbors of all vertices at most `levels` edges away, with
  /// many levels some of them repeatedly. For long rows, a GPU needs up to 512 MB of global memory, or 16 bytes per row
  /// of A if that is more. Allocates, fences.
  /// Source: D. Hysom and A. Pothen, UCRL-JC-150789 (2002); differences: factorization/fill_paths.hpp.
  static pattern_type level_pattern(ExecSpace const& exec, typename types::pattern const& matrix,
                                    typename types::indices const& row_perm, typename types::indices const& col_perm,
                                    bool symmetric, int levels = 0);
  ~Factorization();
  Factorization(Factorization&&) noexcept;
  Factorization& operator=(Factorization&&) noexcept;

  /// Computes values().
  /// @param matrix_values  values of A, aligned with its col_idx, dense blocks by columns; read before the call returns
  /// @throws PatternChanged if values are too few; Unsupported for diagonal_scale or diagonal_offset with dense blocks.
  /// Cost: for each pass a launch that resets the arrays, a launch over all rows, and a fence; only shifts of A need
  /// more than one pass. Shift::positive_definite also reduces over A if a pivot is small. No allocation; copies only a
  /// few numbers if a pivot is small.
  PivotStatus factor(ExecSpace const& exec, typename types::values const& matrix_values, PivotRules const& rules);

  /// Returns the values for Factor::update(): the same arrays after each numeric phase.
  values_type values() const;

  FactorizationReport report() const;
  std::size_t memory_bytes() const;  ///< without the caller's patterns, with values()

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sptrsv
