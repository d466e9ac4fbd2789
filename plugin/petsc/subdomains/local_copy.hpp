// SPDX-License-Identifier: Apache-2.0
// Copies values of this rank's matrix to this rank's part of a submatrix.
#pragma once

#include <memory>
#include <vector>

#include "solver/any_solver.hpp"

namespace sptrsv_petsc {

/// Copy of values between two matrices of a rank: to[targets[k]] = from[sources[k]].
class LocalCopy : public SpaceObject {
 public:
  /// Performs the copy.
  /// @param from  values of A, in the memory of `to` or on a host
  virtual void run(MatrixValues const& from, Scalar* to) = 0;
};

/// Makes a copy in host memory, or on the GPU, where it begins with `stream`.
/// @param targets  positions in the submatrix' values; empty: 0, 1, ...
std::unique_ptr<LocalCopy> MakeLocalCopy(bool device, Stream stream, std::vector<PetscInt> const& sources,
                                         std::vector<PetscInt> const& targets);

}  // namespace sptrsv_petsc
