// SPDX-License-Identifier: Apache-2.0
// Interface to SOR sweeps with one matrix, on a host or a GPU. Uses PETSc's types of numbers, but no PETSc objects.
#pragma once

#include <memory>
#include <string>

#include "solver/any_solver.hpp"
#include "sptrsv/sweeps.hpp"

namespace sptrsv_petsc {

/// SOR sweeps with one matrix. b and x are n-by-k arrays in the solver's memory: see SpaceObject.
class AnySweeps : public SpaceObject {
 public:
  /// Takes A's values, which may change after the call. Returns the first row with a zero on its diagonal, or -1.
  virtual long long update(MatrixValues const& values, sptrsv::Relaxation const& relaxation) = 0;
  /// Performs `times` sweeps that start from x, or from zero if `zero_guess`.
  virtual void sweep(sptrsv::Sweep kind, Columns<Scalar const> b, Columns<Scalar> x, bool zero_guess, int times) = 0;
  /// Computes x = (E + L)^-1 A (E + U)^-1 b, with E, L and U as in sptrsv::Sweeps.
  virtual void eisenstat(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// Computes x = (E + U) b.
  virtual void apply_upper(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// Returns the number of times that a solve multiplies by each off-diagonal entry; 1 if the algorithm is exact.
  virtual long long num_passes() const = 0;
  /// Returns the properties of a triangle; finds its level sets if they are not known.
  virtual TriangleReport report(sptrsv::Triangle triangle) const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// Order of the rows in a sweep, or blocks of rows that are swept together: n numbers in host memory, or null.
struct SweptRowArrays {
  PetscInt const* order = nullptr;        ///< the row at each position
  PetscInt const* block_first = nullptr;  ///< the first row of each row's block
};

/// Makes sweeps on a host or on the GPU, where their work first goes to `stream`. Reads all arrays before it returns.
std::unique_ptr<AnySweeps> MakeSweeps(bool device, Stream stream, std::string const& algorithm,
                                      MatrixArrays const& matrix, SweptRowArrays const& rows,
                                      sptrsv::Options const& options);

}  // namespace sptrsv_petsc
