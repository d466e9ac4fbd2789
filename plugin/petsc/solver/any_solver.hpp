// SPDX-License-Identifier: Apache-2.0
// Interface to the solves with a factor or a triangle, on a host or a GPU. Knows PETSc's types of numbers, but no
// objects.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/petsc_scalar.hpp"
#include "solver/on_space.hpp"
#include "sptrsv/factorization/factorization.hpp"
#include "sptrsv/proper_rows.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv_petsc {

enum class FactorKind { lu, cholesky, triangle };

/// PETSc's arrays of a factor, in host memory.
///   lu        row_ptr_lower: L's rows; row_ptr_upper: U's rows, last row first, each ending in its inverted diagonal;
///             both are offsets into one col_idx
///   cholesky  row_ptr_upper: U's rows, each ending in its inverted diagonal; L = U^T
///   triangle  row_ptr_lower or row_ptr_upper: one triangle that a program made, rows sorted by column
/// With dense blocks (block_size > 0; lu and cholesky) the triangles are unit and do not store their diagonal, and rows
/// are in natural order. The values end with the n / block_size inverted blocks of D in A = L D U, each by columns.
struct FactorArrays {
  FactorKind kind = FactorKind::lu;
  bool has_inodes = false;  ///< PETSc has inodes: successive rows with equal columns; U is summed backward
  PetscInt n = 0;
  PetscInt block_size = 0;                               ///< side of the dense blocks; 0: none
  std::size_t num_entries = 0;                           ///< size of col_idx
  PetscInt const* row_ptr_lower = nullptr;               ///< n+1
  PetscInt const* row_ptr_upper = nullptr;               ///< n+1
  PetscInt const* col_idx = nullptr;                     ///< num_entries
  PetscInt const* row_perm = nullptr;                    ///< n; b is read at row_perm[i]; null: identity
  PetscInt const* col_perm = nullptr;                    ///< n; x is written at col_perm[i]; null: identity
  sptrsv::Diagonal diagonal = sptrsv::Diagonal::stored;  ///< for FactorKind::triangle

  bool symmetric() const { return kind == FactorKind::cholesky; }
  std::size_t num_values() const
  {
    return num_entries + static_cast<std::size_t>(n) * static_cast<std::size_t>(block_size);
  }
};

/// Pattern of A by rows, as PETSc stores it; that of the dense blocks if the factor has blocks.
struct MatrixArrays {
  PetscInt n = 0;
  std::size_t num_entries = 0;
  PetscInt const *row_ptr = nullptr, *col_idx = nullptr;
  bool on_device = false;
};
/// Values of A, aligned with the col_idx of MatrixArrays; dense blocks by columns.
struct MatrixValues {
  Scalar const* data = nullptr;
  std::size_t size = 0;
  bool on_device = false;  ///< in the memory of a solver on a device; has no effect for a host
};

/// ILU(levels) or ICC(levels) of A(row_perm, col_perm). The solver finds its pattern.
struct FillFactor {
  MatrixArrays matrix;
  int levels = 0;
  bool symmetric = false, has_inodes = false;  ///< like those of FactorArrays
  PetscInt const *row_perm = nullptr, *col_perm = nullptr;
  sptrsv::RowRules rules;
  /// If it returns false for the report of Factorization::decide(), no solver is made; may be empty.
  std::function<bool(sptrsv::FactorizationReport const&)> accept;
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
  /// Takes the factor's num_values() values from host memory. On a host they are read in place, except for Cholesky
  /// without dense blocks; otherwise they are copied before the call returns.
  virtual void update(Scalar const* values) = 0;
  /// Prepares factor() for matrices of this pattern; LU and Cholesky.
  /// @param matrix  on a device: must stay unchanged until the next call; on a host: read before the call returns
  virtual sptrsv::FactorizationReport make_factorization(MatrixArrays const& matrix,
                                                         sptrsv::FactorizationOptions const& options) = 0;
  virtual void drop_factorization() = 0;
  virtual std::size_t num_entries() const = 0;  ///< size of the factor, including pivots
  /// Computes the factor's values from those of A where the solves run, and takes them: replaces update(). `data` may
  /// change after the call.
  virtual sptrsv::PivotVerdict factor(MatrixValues const& values, sptrsv::PivotRules const& rules) = 0;
  /// Copies the n inverted pivots of U, or 1/D, in row order to host memory, after factor().
  virtual void copy_inverted_pivots(Scalar* to) = 0;
  /// Computes x = op(A)^-1 b, or x += op(A)^-1 b. b and x may be the same array only without permutations. The first
  /// call with Op::transpose for LU or a triangle analyzes and allocates.
  virtual void solve(sptrsv::Op op, Columns<Scalar const> b, Columns<Scalar> x, bool accumulate = false) = 0;
  /// Computes the first half of solve(), in factor order. Cholesky: x = D^(-1/2) U^-T P b, with dense blocks of 2 or
  /// more x = D^-1 U^-T b; LU: x = L^-1 P b. Returns false if a diagonal entry has no real root.
  virtual bool solve_forward(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// Computes the second half of solve(). Cholesky: x = P^T U^-1 D^(-1/2) b, with dense blocks of 2 or more x = U^-1 b;
  /// LU: x = Q U^-1 b, where U includes its diagonal. Returns false if a diagonal entry has no real root.
  virtual bool solve_backward(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// Returns the number of products with each off-diagonal entry in a solve; 1 if the algorithm is exact.
  virtual long long num_passes() const = 0;
  /// Allocates for solves of `columns` columns, so that they allocate nothing.
  virtual void reserve(std::size_t columns, bool accumulate) = 0;
  /// Returns the properties of a triangle; finds its level sets if they are not known.
  virtual TriangleReport report(sptrsv::Triangle triangle) const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// Makes a solver with a factor on a host, or on the GPU, where it begins with `stream`.
std::unique_ptr<AnyFactorSolver> MakeFactorSolver(bool device, Stream stream, std::string const& algorithm,
                                                  FactorArrays const& arrays, sptrsv::Options const& options);
/// Makes a solver that computes its own pattern, and takes values only by factor().
/// @param device, stream  as for MakeFactorSolver()
/// @return null if what.accept() declines
/// @throws ImproperRow, MissingDiagonal, and what Factorization::level_pattern() throws
std::unique_ptr<AnyFactorSolver> MakeFillSolver(bool device, Stream stream, std::string const& algorithm,
                                                FillFactor const& what, sptrsv::Options const& options);

}  // namespace sptrsv_petsc
