// SPDX-License-Identifier: Apache-2.0
// Interface to the sweeps of SOR with one matrix, on a host or a GPU. Knows PETSc's types of numbers, but no objects.
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
  /// Performs `times` sweeps from x, or from zero.
  virtual void sweep(sptrsv::Sweep kind, Columns<Scalar const> b, Columns<Scalar> x, bool zero_guess, int times) = 0;
  /// Computes x = (E + L)^-1 A (E + U)^-1 b.
  virtual void eisenstat(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// Computes x = (E + U) b.
  virtual void apply_upper(Columns<Scalar const> b, Columns<Scalar> x) = 0;
  /// Returns the number of products with each off-diagonal entry in a solve; 1 if the algorithm is exact.
  virtual long long num_passes() const = 0;
  /// Returns the properties of a triangle; finds its level sets if they are not known.
  virtual TriangleReport report(sptrsv::Triangle triangle) const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// Order of the rows of a sweep, or blocks of rows that are swept together, in host memory: n numbers, or null.
struct SweptRowArrays {
  PetscInt const* order = nullptr;        ///< the row at each position
  PetscInt const* block_first = nullptr;  ///< the first row of each row's block
};

/// Makes sweeps on a host, or on the GPU, where they begin with `stream`. Reads all arrays before it returns.
std::unique_ptr<AnySweeps> MakeSweeps(bool device, Stream stream, std::string const& algorithm,
                                      MatrixArrays const& matrix, SweptRowArrays const& rows,
                                      sptrsv::Options const& options);

}  // namespace sptrsv_petsc
