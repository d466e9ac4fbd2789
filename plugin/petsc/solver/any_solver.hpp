// SPDX-License-Identifier: Apache-2.0
// The triangular solves of a factor, or of one triangle, wherever they run: knows PETSc's numbers, but no objects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/petsc_scalar.hpp"
#include "solver/solver_memory.hpp"
#include "sptrsv/factorization/factorization.hpp"
#include "sptrsv/proper_rows.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv_petsc {

enum class FactorKind { lu, cholesky, triangle };

/// PETSc's arrays of a factor, in host memory.
///   lu        L's rows are row_ptr_lower, U's (stored last row first, each ending in its inverted diagonal)
///   row_ptr_upper,
///             both offsets into one col_idx
///   cholesky  U's rows are row_ptr_upper, each ending in its inverted diagonal; L is their transpose
///   triangle  one triangle that a program made, by row_ptr_lower or row_ptr_upper, rows sorted by column
/// By blocks (block_size > 0; lu and cholesky): the triangles are unit, their diagonal is not stored, rows lie in
/// order, and the values are followed by the inverted diagonal blocks that lie between the triangles, n / block_size of
/// them, each by columns.
struct FactorArrays {
  FactorKind kind = FactorKind::lu;
  bool has_inodes = false;  ///< rows with the same columns follow each other: U is summed backward
  PetscInt n = 0;
  PetscInt block_size = 0;                               ///< 0: not by blocks
  std::size_t num_entries = 0;                           ///< of col_idx
  PetscInt const* row_ptr_lower = nullptr;               ///< n+1
  PetscInt const* row_ptr_upper = nullptr;               ///< n+1
  PetscInt const* col_idx = nullptr;                     ///< num_entries
  PetscInt const* row_perm = nullptr;                    ///< n, or null for the identity: b is read at row_perm[i]
  PetscInt const* col_perm = nullptr;                    ///< n, or null: x is written at col_perm[i]
  sptrsv::Diagonal diagonal = sptrsv::Diagonal::stored;  ///< of a triangle

  bool symmetric() const { return kind == FactorKind::cholesky; }
  std::size_t num_values() const
  {
    return num_entries + static_cast<std::size_t>(n) * static_cast<std::size_t>(block_size);
  }
};

/// The pattern of A by rows, columns ascending, as PETSc has it: of its blocks where the factor has blocks.
struct MatrixArrays {
  PetscInt n = 0;
  std::size_t num_entries = 0;
  PetscInt const *row_ptr = nullptr, *col_idx = nullptr;
  bool on_device = false;
  sptrsv::RowPartition partition;  ///< splits the n rows: entries between parts count as zeros
};
/// A's values, aligned with them, blocks by columns.
struct MatrixValues {
  Scalar const* data = nullptr;
  std::size_t size = 0;
  bool on_device = false;  ///< in the solver's memory, which of a solver on a host may be said or not
};

/// ILU(levels) or ICC(levels) of A(row_perm, col_perm), whose pattern the solver finds itself.
struct FillFactor {
  MatrixArrays matrix;
  int levels = 0;
  bool symmetric = false, has_inodes = false;  ///< as FactorArrays
  PetscInt const *row_perm = nullptr, *col_perm = nullptr;
  sptrsv::RowRules rules;  ///< that A's rows have to keep
};

/// What views and info say of one triangle; the strings are the solver's.
struct TriangleReport {
  std::string const& algorithm;
  std::string const& reason;
  std::string parameters;
  sptrsv::Structure structure;
  std::vector<sptrsv::PlanTiming> const& timings;
};
/// b and x are arrays in the solver's memory (see SolverMemory), n-by-k.
class AnyFactorSolver : public SolverMemory<Scalar> {
 public:
  /// Takes the factor's num_values() values (host memory); those of LU and of blocks are read in place on a host,
  /// others are copied before the call returns.
  virtual void update(Scalar const* values) = 0;
  /// Prepares factor() for matrices of this pattern; LU and Cholesky.
  /// @param matrix  on a device to stay as it is until the next such call; on a host, read before the call returns.
  virtual sptrsv::FactorizationReport make_factorization(MatrixArrays const& matrix) = 0;
  virtual void drop_factorization() = 0;
  virtual std::size_t num_entries() const = 0;  ///< of the factor, pivots included
  /// Instead of update(): computes the factor's values from A's, where the solves run, and takes them. `data` may
  /// change once the call has returned.
  virtual sptrsv::PivotVerdict factor(MatrixValues const& values, sptrsv::PivotRules const& rules) = 0;
  /// After factor(): the inverted pivots of U, or 1/D, row by row, n of them to a host's memory.
  virtual void copy_inverted_pivots(Scalar* to) = 0;
  /// x = op(A)^-1 b, or x += op(A)^-1 b. b and x may be the same array only without permutations. The first call of
  /// Op::transpose for LU or a triangle analyzes and allocates.
  virtual void solve(sptrsv::Op op, Columns<Scalar const> b, Columns<Scalar> x, bool accumulate = false) = 0;
  /// The first half of solve(), in factor order. Cholesky: x = D^(-1/2) U^-T P b, by blocks of 2 and more D^-1 U^-T b;
  /// LU: x = L^-1 P b. False if a diagonal entry has no real root.
  virtual bool solve_forward(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// The second half. Cholesky: x = P^T U^-1 D^(-1/2) b, by blocks of 2 and more U^-1 b; LU: x = Q U^-1 b, U with its
  /// diagonal. False if a diagonal entry has no real root.
  virtual bool solve_backward(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// Makes room for solves of so many columns at once, so that they allocate nothing.
  virtual void reserve(std::size_t columns, bool accumulate) = 0;
  /// Finds the levels if they are not there yet.
  virtual TriangleReport report(sptrsv::Triangle triangle) const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// Analyzes the factor for a host, or for the GPU with the stream to begin with.
std::unique_ptr<AnyFactorSolver> MakeFactorSolver(bool device, Stream stream, std::string const& algorithm,
                                                  FactorArrays const& arrays, sptrsv::OptionValues const& options);
/// The same, for factor() alone. Throws what Factorization::level_pattern() throws.
std::unique_ptr<AnyFactorSolver> MakeFillSolver(bool device, Stream stream, std::string const& algorithm,
                                                FillFactor const& what, sptrsv::OptionValues const& options);

}  // namespace sptrsv_petsc
