// SPDX-License-Identifier: Apache-2.0
// Interfaces to the solves with a factor or a triangle, and to the factorization that computes its values, on a host or
// a GPU. They use PETSc's types of numbers, but no PETSc objects.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solver/on_space.hpp"
#include "sptrsv/factorization/factorization.hpp"
#include "sptrsv/proper_rows.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv_petsc {

enum class FactorKind { lu, cholesky, triangle };

/// Rows of a triangle.
struct TriangleArrays {
  PetscInt const *row_ptr = nullptr, *col_idx = nullptr;  ///< n+1 offsets into col_idx; null: no such triangle
  std::size_t size = 0;                                   ///< number of entries of col_idx
};

/// Arrays of a factor's pattern, in host memory or in the memory of a solver on a device.
///   lu        L's rows without diagonal, and U's rows, each ending in its inverted pivot; both may be in one array
///   cholesky  U's rows, each with or without its pivot (not read) at its end; L = U^T
///   triangle  one triangle that a program made, rows sorted by column
/// With dense blocks (block_size > 0; lu and cholesky) the triangles have a unit diagonal and no pivots.
struct FactorArrays {
  FactorKind kind = FactorKind::lu;
  bool has_inodes = false;      ///< A has inodes (successive rows with equal columns); U's rows are summed backward
  bool upper_reversed = false;  ///< U's rows are stored last row first
  bool has_pivots = true;       ///< U's rows end in their pivots
  bool on_device = false;       ///< all arrays are in the memory of a solver on a device
  PetscInt n = 0;
  PetscInt block_size = 0;  ///< side of the dense blocks; 0: none
  TriangleArrays lower, upper;
  PetscInt const* row_perm = nullptr;                    ///< n indices; b is read at row_perm[i]; null: identity
  PetscInt const* col_perm = nullptr;                    ///< n indices; x is written at col_perm[i]; null: identity
  sptrsv::Diagonal diagonal = sptrsv::Diagonal::stored;  ///< for FactorKind::triangle

  bool symmetric() const { return kind == FactorKind::cholesky; }
  std::size_t num_entries() const { return upper.size + (lower.col_idx == upper.col_idx ? 0 : lower.size); }
  std::size_t num_values() const
  {
    return num_entries() + static_cast<std::size_t>(n) * static_cast<std::size_t>(block_size);
  }
};

/// Values of a factor, in host memory or in that of a solver on a device.
struct FactorValueArrays {
  Scalar const *lower = nullptr, *upper = nullptr;  ///< aligned with the pattern's col_idx
  /// D^-1: n inverted pivots of a symmetric factor, or n / block_size inverted blocks, each by columns. Null for a
  /// symmetric factor of PETSc without blocks: `upper` then has -U/D, and 1/D at the end of each row.
  Scalar const* inverse = nullptr;
  bool on_device = false;
  bool available = true;  ///< false: there are no values, for want of a pivot
};

/// Properties of one triangle for views and info. The strings belong to the solver.
struct TriangleReport {
  std::string const& algorithm;
  std::string const& reason;
  std::string parameters;
  sptrsv::Structure structure;
  std::vector<sptrsv::PlanTiming> const& timings;
};
/// Solver with a factor or a triangle. b and x are n-by-k arrays in the solver's memory: see SpaceObject.
class AnyFactorSolver : public SpaceObject {
 public:
  /// Takes the values. Values in the solver's memory are read in place, except for PETSc's Cholesky factors without
  /// dense blocks; other values are copied before the call returns.
  virtual void update(FactorValueArrays const& values) = 0;
  /// Computes x = op(A)^-1 b, or x += op(A)^-1 b. b and x may be the same array only without permutations. The first
  /// call with Op::transpose for LU or a triangle analyzes and allocates.
  virtual void solve(sptrsv::Op op, Columns<Scalar const> b, Columns<Scalar> x, bool accumulate = false) = 0;
  /// Computes the first half of solve(); the rows of x are in the factor's order. Cholesky: x = D^(-1/2) U^-T P b, with
  /// dense blocks of 2 or more x = D^-1 U^-T b; LU: x = L^-1 P b. Returns false if a diagonal entry has no real root.
  virtual bool solve_forward(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// Computes the second half of solve(). Cholesky: x = P^T U^-1 D^(-1/2) b, with dense blocks of 2 or more x = U^-1 b;
  /// LU: x = Q U^-1 b, where U includes its diagonal. Returns false if a diagonal entry has no real root.
  virtual bool solve_backward(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// Returns the number of times that a solve multiplies by each off-diagonal entry; 1 if the algorithm is exact.
  virtual long long num_passes() const = 0;
  /// Allocates memory for solves with `columns` columns, which then allocate nothing.
  virtual void reserve(std::size_t columns, bool accumulate) = 0;
  /// Returns the properties of a triangle; finds its level sets if they are not known.
  virtual TriangleReport report(sptrsv::Triangle triangle) const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// Input from which the backend finds the pattern of ILU(levels) or ICC(levels) of A(row_perm, col_perm).
struct FillFactor {
  MatrixArrays matrix;
  int levels = 0;
  bool symmetric = false, has_inodes = false;  ///< see FactorArrays
  PetscInt const *row_perm = nullptr, *col_perm = nullptr;
  sptrsv::RowRules rules;
  /// Called with the report of Factorization::decide(); if it returns false, no pattern is made. May be empty.
  std::function<bool(sptrsv::FactorizationReport const&)> accept;
};
/// Pattern that the backend has found.
class AnyFillPattern : public SpaceObject {
 public:
  virtual FactorArrays arrays() const = 0;  ///< valid while the object exists
};

/// Factorization that computes the values of a factor from those of A, in the memory of the factor's solver.
class AnyFactorization : public SpaceObject {
 public:
  /// Analyzes the pattern of the matrices whose LU or Cholesky factor compute() computes; replaces an earlier analysis.
  /// @param matrix  on a device: must stay unchanged until the next call; on a host: read before the call returns
  virtual sptrsv::FactorizationReport analyze(MatrixArrays const& matrix,
                                              sptrsv::FactorizationOptions const& options) = 0;
  /// Computes the factor's values, which are valid until the next call. `a` may change after the call.
  virtual sptrsv::PivotStatus compute(MatrixValues const& a, sptrsv::PivotRules const& rules,
                                      FactorValueArrays* values) = 0;
  /// After compute(), copies the n inverted pivots of U, or 1/D, in row order to host memory.
  virtual void copy_inverted_pivots(Scalar* to) const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// Makes a solver with a factor on a host or on the GPU. On the GPU its work goes to `stream` until follow() is called.
/// @param arrays  must stay valid and unchanged while the solver exists, if they are in its memory
std::unique_ptr<AnyFactorSolver> MakeFactorSolver(bool device, Stream stream, std::string const& algorithm,
                                                  FactorArrays const& arrays, sptrsv::Options const& options);
/// Finds the pattern that `what` describes, in the memory of a solver made with the same `device`.
/// @return null if what.accept() declines
/// @throws ImproperRow, MissingDiagonal, and what Factorization::level_pattern() throws
std::unique_ptr<AnyFillPattern> MakeFillPattern(bool device, Stream stream, FillFactor const& what);
/// Makes a factorization for the solver's factor. Both share the analysis. On the GPU its work first goes to `stream`.
/// @param solver  of LU or Cholesky; must exist as long as the factorization
std::unique_ptr<AnyFactorization> MakeFactorization(AnyFactorSolver const& solver, Stream stream);

}  // namespace sptrsv_petsc
