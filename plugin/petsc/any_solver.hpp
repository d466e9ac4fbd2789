// SPDX-License-Identifier: Apache-2.0
// The triangular solves of a factor, or of one triangle, wherever they run: knows PETSc's numbers, but no objects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "petsc_scalar.hpp"
#include "solver_place.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv_petsc {

/// A factor as it lies in host memory. LU: L's rows are row_ptr_lower, U's (stored last row first, with the inverted
/// diagonal) are row_ptr_upper, both into one col_idx. Cholesky: U's rows are row_ptr_upper, L is their transpose.
/// By blocks (block_size > 0): the triangles are unit, their diagonal is not stored, rows lie in order, and the values
/// are followed by the inverted diagonal blocks that lie between the triangles, n / block_size of them, each by
/// columns.
template <class Index>
struct FactorPattern {
  bool cholesky = false;
  bool has_inodes = false;  ///< rows with the same columns follow each other: U is summed backward
  Index n = 0;
  Index block_size = 0;                  ///< 0: not by blocks
  std::size_t num_entries = 0;           ///< of col_idx
  Index const* row_ptr_lower = nullptr;  ///< n+1; LU only
  Index const* row_ptr_upper = nullptr;  ///< n+1
  Index const* col_idx = nullptr;        ///< num_entries
  Index const* row_perm = nullptr;       ///< n, or null for the identity: b is read at row_perm[i]
  Index const* col_perm = nullptr;       ///< n, or null: x is written at col_perm[i]

  std::size_t num_values() const
  {
    return num_entries + static_cast<std::size_t>(n) * static_cast<std::size_t>(block_size);
  }
};

/// What views and info say of one triangle; the strings are the solver's.
struct TriangleReport {
  std::string const& algorithm;
  std::string const& reason;
  std::string parameters;
  sptrsv::Structure structure;
  std::vector<sptrsv::PlanTiming> const& timings;
};
template <class Solver, class Exec>
TriangleReport report_of(Solver const& solver, Exec const& exec)
{
  return {solver.algorithm(), solver.reason(), solver.parameters(), solver.structure(exec), solver.timings()};
}

/// b and x are arrays in the solver's memory (see Place), n-by-k.
class AnyFactorSolver : public Place<Scalar> {
 public:
  /// Takes the factor's num_values() values (host memory); those of LU and of blocks are read in place on a host,
  /// others are copied before the call returns.
  virtual void update(Scalar const* values) = 0;
  /// x = A^-1 b, or x += A^-1 b. b and x may be the same array only without permutations.
  virtual void solve(Columns<Scalar const> b, Columns<Scalar> x, bool accumulate = false) = 0;
  /// x = A^-T b, or x += A^-T b. The first call for LU analyzes and allocates.
  virtual void solve_transposed(Columns<Scalar const> b, Columns<Scalar> x, bool accumulate = false) = 0;
  /// The first half of solve(), in factor order. Cholesky: x = D^(-1/2) U^-T P b, by blocks of 2 and more D^-1 U^-T b;
  /// LU: x = L^-1 P b. False if a diagonal entry has no real root.
  virtual bool solve_forward(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// The second half. Cholesky: x = P^T U^-1 D^(-1/2) b, by blocks of 2 and more U^-1 b; LU: x = Q U^-1 b, U with its
  /// diagonal. False if a diagonal entry has no real root.
  virtual bool solve_backward(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// Makes room for solves of so many columns at once, so that they allocate nothing.
  virtual void reserve(std::size_t columns, bool accumulate) = 0;
  virtual TriangleReport lower() const = 0;  ///< finds the levels if they are not there yet, as upper() does
  virtual TriangleReport upper() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// A triangle as it lies in host memory, rows sorted by column.
template <class Index>
struct TrianglePattern {
  Index n = 0;
  std::size_t num_entries = 0;
  Index const* row_ptr = nullptr;  ///< n+1
  Index const* col_idx = nullptr;  ///< num_entries
};

/// The solves of one triangle. b and x are arrays in the solver's memory, and may be the same array.
class AnyTriangleSolver : public Place<Scalar> {
 public:
  /// Takes the values (host memory, one per entry), read in place on a host.
  virtual void update(Scalar const* values) = 0;
  /// x = T^-1 b.
  virtual void solve(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// x = T^-T b. The first call analyzes and allocates.
  virtual void solve_transposed(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  virtual TriangleReport report() const = 0;  ///< finds the levels if they are not there yet
  virtual std::size_t memory_bytes() const = 0;
};

/// Analyzes the factor for a host, or for the GPU with the stream to begin with.
std::unique_ptr<AnyFactorSolver> MakeFactorSolver(bool device, Stream stream, std::string const& algorithm,
                                                  FactorPattern<PetscInt> const& pattern,
                                                  sptrsv::OptionValues const& options);
/// Likewise one triangle.
std::unique_ptr<AnyTriangleSolver> MakeTriangleSolver(bool device, Stream stream, std::string const& algorithm,
                                                      TrianglePattern<PetscInt> const& pattern,
                                                      sptrsv::Triangle triangle, sptrsv::Diagonal diagonal,
                                                      sptrsv::OptionValues const& options);

}  // namespace sptrsv_petsc
