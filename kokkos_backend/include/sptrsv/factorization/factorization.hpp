// SPDX-License-Identifier: Apache-2.0
// Factorization: incomplete LU and Cholesky factors of a fixed pattern, computed where the solves run.
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <string>

#include "sptrsv/factor.hpp"
#include "sptrsv/factorization/pivots.hpp"
#include "sptrsv/factorization/row_partition.hpp"

namespace sptrsv {

struct FactorizationOptions {
  /// Bytes that the lists of updates may take, or -1: 8 times the values of the factors. Where there are more updates,
  /// each numeric phase searches for them.
  double list_bytes = -1;
  int lanes_per_row = 0;  ///< on a GPU, a power of two; 0: chosen
  int teams = 0;          ///< on a GPU, of one warp each; 0: chosen
  /// Symmetric factors with lists: 1: products are formed as pivot rows arrive and subtracted when all are there, where
  /// scratch memory holds those of a row; 0: pivot row by pivot row; -1: as 1 on a GPU, as 0 on a host.
  int products = -1;
  /// Partition of A's rows, or of its block rows where the factor has blocks. Entries of A between different parts
  /// count as zeros; level_pattern() with the same partition leaves no places for them in the factors.
  RowPartition partition;
};

/// What a Factorization found and chose, for people.
struct FactorizationReport {
  long long rows = 0, entries = 0;  ///< of the factors, pivots included
  long long levels = 0;             ///< of L; 0 on a host, where rows follow each other as they are
  long long matrix_entries = 0;     ///< entries of A whose row and column are in one part of the partition
  long long updates = 0;            ///< per numeric phase: two flops each
  long long longest_row = 0;
  bool listed = false;    ///< updates are listed, not searched for
  bool products = false;  ///< products wait in scratch memory for the last pivot row
  int lanes = 1;
  std::size_t list_bytes = 0;
};

/// Computes the values of L, D and U of A(row_perm, col_perm), from A's values and for patterns that are given: ILU(k),
/// IC(k), and complete factors without pivoting.
///
/// Every entry is a sum in the order in which PETSc's MatLUFactorNumeric_SeqAIJ() and MatCholeskyFactorNumeric_SeqAIJ()
/// compute it, so that real factors are PETSc's to the bit, shifts included; by blocks of 2 and more they are PETSc's
/// to rounding. Rows wait for the rows that they need, in the order of L's levels on a GPU; progress is guaranteed for
/// any number of teams.
///
/// One numeric phase at a time. After an exception from factor() the next one starts afresh. One that was moved from
/// can be destroyed and assigned to; factor() throws NotReady, and no other member may be called.
/// Instances: as of TriangularSolver.
template <class Scalar, class Index, class Offset, class ExecSpace>
class Factorization {
 public:
  using types = Types<Scalar, Index, Offset, ExecSpace>;
  using pattern_type = FactorPattern<Index, Offset, typename types::device>;
  using values_type = FactorValues<Scalar, typename types::memory_space>;

  /// @param matrix  A's pattern: rows in natural order, the columns of a row in any order, each once; of its blocks
  ///                where the factor has blocks. Read by the constructor alone.
  /// @param factor  of L and U, columns ascending; `lower` unit, and `upper` with Diagonal::inverted and block_size 0,
  ///                or unit and block_size 1: A = L D U; or symmetric, `upper` unit, block_size 1. A is then read in
  ///                the upper triangle of A(perm, perm). With block_size b > 1: L and U by scalar rows in whole blocks,
  ///                without the diagonal ones; permutations keep blocks together. Views must stay valid and unchanged
  ///                for the life of the object.
  /// @throws ImproperRow for a row of A that stores a column twice, or of L or U whose columns do not ascend;
  ///         DimensionMismatch where patterns and permutations are of different sizes; InvalidPattern for a row that is
  ///         not of whole blocks; Error for other kinds of factors; what TriangularSolver throws for the triangles.
  /// Cost: a few passes over the factors and their updates; allocates, fences.
  Factorization(ExecSpace const& exec, typename types::pattern const& matrix, pattern_type const& factor,
                FactorizationOptions const& options = {});
  /// The same for the pattern of a Factor, whose rows and levels it shares.
  Factorization(ExecSpace const& exec, typename types::pattern const& matrix,
                Factor<Scalar, Index, Offset, ExecSpace> const& solver, FactorizationOptions const& options = {});
  /// The pattern of ILU(levels) or IC(levels) of A(row_perm, col_perm), columns ascending; U's rows end in their
  /// pivots, those of a symmetric factor have none. An entry of A has level 0, fill the least lev(i, k) + lev(k, j) + 1
  /// over all k < min(i, j), and those of up to `levels` are in the pattern, which is PETSc's.
  /// @param matrix     as above. @param row_perm, col_perm  permutations of 0..n-1 (not checked), or empty
  /// @param symmetric  the upper triangle alone
  /// @param levels     0 or less: no fill
  /// @param partition  of A's rows in their natural order; entries of A between different parts are left out
  /// @throws MissingDiagonal for the first row of A(row_perm, col_perm) without a diagonal entry, unless fill comes to
  ///         lie there; ImproperRow as above; Unsupported where L or U has more entries than Offset counts, and for
  ///         several parts of a matrix whose columns do not ascend in all rows; Error for more parts than rows.
  /// Cost: without fill a few passes over A, rows with permuted columns are sorted. With fill each row searches the
  /// graph of A for short paths, on a GPU twice: of each vertex within `levels` edges all neighbors are read, with many
  /// levels some more than once. Long rows on a GPU: 512 MB of scratch memory at most, or 16 bytes per row of A.
  /// Allocates, fences.
  /// Source: D. Hysom and A. Pothen, UCRL-JC-150789 (2002), differs as said in factorization/fill_paths.hpp.
  static pattern_type level_pattern(ExecSpace const& exec, typename types::pattern const& matrix,
                                    typename types::indices const& row_perm, typename types::indices const& col_perm,
                                    bool symmetric, int levels = 0, RowPartition const& partition = {});
  ~Factorization();
  Factorization(Factorization&&) noexcept;
  Factorization& operator=(Factorization&&) noexcept;

  /// Computes values().
  /// @param matrix_values  of A, aligned with its col_idx, blocks by columns; read before the call returns.
  /// Cost: one launch to clear, one for all rows, and one fence a pass; passes are one but for shifts of A.
  /// Shift::positive_definite: also a reduction over A, where a pivot is small. No allocation; no copy but of a few
  /// numbers where a pivot is small.
  /// @throws PatternChanged if there are too few values; Unsupported for thresholds of the diagonal with blocks.
  PivotVerdict factor(ExecSpace const& exec, typename types::values const& matrix_values, PivotRules const& rules);

  /// As Factor::update() takes them: the same arrays after each numeric phase.
  values_type values() const;

  FactorizationReport report() const;
  std::size_t memory_bytes() const;  ///< beyond the caller's patterns, values() included

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sptrsv
