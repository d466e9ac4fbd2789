// SPDX-License-Identifier: Apache-2.0
// Sources of the values of submatrices: positions of this rank's values, and star forests for other ranks' values.
#pragma once

#include <petscsf.h>

#include <memory>
#include <utility>
#include <vector>

#include "solver/any_solver.hpp"

namespace sptrsv_petsc {

/// Gets this rank's blocks of A: the diagonal and the off-diagonal block, or A itself and null if A is sequential.
PetscErrorCode GetBlocks(Mat A, Mat blocks[2]);

/// Global numbering of A's entries: rank by rank, and on each rank first the entries of the diagonal block.
struct EntryNumbers {
  std::vector<PetscInt64> firsts;           ///< number of each rank's first entry, then number of all entries
  std::vector<PetscInt64> diagonal_counts;  ///< number of entries of each rank's diagonal block
  PetscInt counts[2] = {0, 0};              ///< number of entries of this rank's blocks
  int num_blocks = 1;                       ///< 1 if A is sequential

  /// Tells whether each number is exact as a scalar.
  bool exact() const
  {
    constexpr double most = PetscDefined(USE_REAL_SINGLE) ? 1 << 24 : 9007199254740992.0;
    return (double)firsts.back() <= most;
  }
};

/// Numbers A's entries. Collective.
PetscErrorCode NumberEntries(Mat A, EntryNumbers* numbers);

/// Tells whether A's type keeps the values in one array or, if A is parallel, in one array for each of a rank's two
/// blocks. Other types derived from aij also keep values in further arrays, which MatAssemblyEnd() makes.
PetscErrorCode HasPlainValues(Mat A, bool* plain);

/// Copy of A's pattern whose values are the numbers of A's entries.
struct IndexValuedCopy {
  Mat matrix = nullptr;  ///< uses the pattern of a sequential A, which must not change meanwhile
  std::vector<PetscScalar> values;
};

/// Makes an index-valued copy, in host memory if A is sequential: PETSc extracts submatrices faster there. Collective.
PetscErrorCode MakeIndexValuedCopy(Mat A, EntryNumbers const& numbers, IndexValuedCopy* numbered);

/// Copy of values between two matrices of a rank: to[targets[k]] = from[sources[k]].
class LocalCopy : public SpaceObject {
 public:
  /// Performs the copy.
  /// @param from  values of A, in the memory of `to` or on a host
  virtual void run(MatrixValues const& from, Scalar* to) = 0;
};

/// Sources of those values of a submatrix that come from one of A's blocks.
struct BlockSource {
  std::unique_ptr<LocalCopy> own;  ///< from this rank's block; null: none
  PetscSF others = nullptr;        ///< from other ranks' blocks; null on all ranks: none
};

/// Sources of the values of submatrices. On a rank, a submatrix is one part, or a diagonal and an off-diagonal block.
/// Each part has, for each of A's blocks, a copy of this rank's values and, with several ranks, a star forest for the
/// values of other ranks. All ranks have the same number of star forests.
class ValueSources {
 public:
  ValueSources() = default;
  ~ValueSources()
  {
    for (BlockSource& source : sources_) (void)PetscSFDestroy(&source.others);
  }
  ValueSources(ValueSources const&) = delete;
  ValueSources& operator=(ValueSources const&) = delete;
  void swap(ValueSources& other)
  {
    sources_.swap(other.sources_);
    std::swap(counts_, other.counts_);
  }

  /// Finds the sources of `submatrices` from `numbered`, the same submatrices of an index-valued copy of A. Collective.
  /// @param same  out: whether the patterns of both agree on all ranks; if not, finds nothing
  PetscErrorCode Find(Mat A, EntryNumbers const& numbers, std::vector<Mat> const& numbered,
                      std::vector<Mat> const& submatrices, bool* same);

  /// Updates the submatrices from A's values. The values of each matrix stay in their memory space. Collective.
  PetscErrorCode TakeValues(Mat A, std::vector<Mat> const& submatrices) const;

 private:
  PetscErrorCode Add(Mat A, EntryNumbers const& numbers, Mat numbered, Mat submatrix);
  PetscErrorCode Take(BlockSource const& source, Stream stream, Mat block, PetscInt count, PetscScalar* to,
                      PetscMemType there) const;

  PetscInt counts_[2] = {0, 0};       ///< number of entries of A's blocks
  std::vector<BlockSource> sources_;  ///< sources of submatrix k from block b: sources_[2 k + b]
};

}  // namespace sptrsv_petsc
