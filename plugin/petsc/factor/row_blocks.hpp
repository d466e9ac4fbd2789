// SPDX-License-Identifier: Apache-2.0
// The option -mat_sptrsv_blocks: factors that leave out the entries of a matrix between blocks of consecutive rows.
#pragma once

#include <vector>

#include "access/matrix_arrays.hpp"

namespace sptrsv_petsc {

/// Reads -mat_sptrsv_blocks, with F's prefix, into a partition of A's rows, or of the block rows of a matrix with
/// blocks. Error PETSC_ERR_ARG_OUTOFRANGE, with the option's name and range, for less than 1 block, and for more blocks
/// than (block) rows.
PetscErrorCode ReadRowBlocks(Mat F, Mat A, sptrsv::RowPartition* partition);

/// Copy of a matrix in host memory without the entries that a partition leaves out, for PETSc to factor.
class FilteredMatrix {
 public:
  FilteredMatrix() = default;
  ~FilteredMatrix() { release(); }
  FilteredMatrix(FilteredMatrix const&) = delete;
  FilteredMatrix& operator=(FilteredMatrix const&) = delete;

  /// Finds the matrix that PETSc factors for A: A itself if the partition couples all rows, otherwise the copy, with
  /// A's values. Makes the copy again if A's pattern has changed.
  /// @param matrix  out: not to be destroyed
  PetscErrorCode Refresh(Mat A, sptrsv::RowPartition const& partition, Mat* matrix);

  /// Frees the copy.
  void release()
  {
    (void)MatDestroy(&matrix_);
    stamp_ = PatternStamp{};
    positions_ = std::vector<PetscInt>();
  }

  std::size_t memory_bytes() const
  {
    return positions_.size() * (2 * sizeof(PetscInt) + value_size_ * sizeof(PetscScalar));
  }

 private:
  PetscErrorCode Make(Mat A, sptrsv::RowPartition const& partition);
  PetscErrorCode CopyValues(Mat A);

  Mat matrix_ = nullptr;
  PatternStamp stamp_;               // stamp of the copied pattern
  std::vector<PetscInt> positions_;  // entry (or block) k of the copy is entry (or block) positions_[k] of A
  std::size_t value_size_ = 1;       // values per entry (or block)
};

}  // namespace sptrsv_petsc
