// SPDX-License-Identifier: Apache-2.0
// Where the values of submatrices come from, as star forests from a matrix' values.
#pragma once

#include <petscsf.h>

#include <array>
#include <utility>
#include <vector>

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Gets this rank's blocks of A: a diagonal and an off-diagonal one, or A itself and null if A is sequential.
PetscErrorCode GetBlocks(Mat A, Mat blocks[2]);

/// Numbers of A's entries: those of a rank follow each other, its diagonal block's first.
struct EntryNumbers {
  std::vector<PetscInt64> firsts;           ///< number of each rank's first entry, and of the entry behind the last one
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

/// Makes a copy of A's pattern whose values are the numbers of A's entries. Collective.
PetscErrorCode MakeNumbered(Mat A, EntryNumbers const& numbers, Mat* numbered);

/// For each leaf, a star forest from the values of A's diagonal block and, if A is parallel, one from those of the
/// other block. Leaves are this rank's parts of submatrices: one, or a diagonal and another block. All ranks have the
/// same number of star forests.
class ValueSources {
 public:
  ValueSources() = default;
  ~ValueSources()
  {
    for (auto& leaf : forests_)
      for (PetscSF& forest : leaf) (void)PetscSFDestroy(&forest);
  }
  ValueSources(ValueSources const&) = delete;
  ValueSources& operator=(ValueSources const&) = delete;
  void swap(ValueSources& other) { forests_.swap(other.forests_); }

  /// Finds the sources of leaves from leaves that have been cut out of a numbered copy. Collective.
  /// @param same  out: false on all ranks, and nothing found, if both have other patterns on some rank
  PetscErrorCode Find(Mat A, EntryNumbers const& numbers, std::vector<Mat> const& numbered,
                      std::vector<Mat> const& leaves, bool* same);

  /// Broadcasts A's values to those of the leaves, both in the memory in which they are. Collective.
  PetscErrorCode TakeValues(Mat A, std::vector<Mat> const& leaves) const;

 private:
  PetscErrorCode Add(Mat A, EntryNumbers const& numbers, Mat numbered);

  std::vector<std::array<PetscSF, 2>> forests_;
};

}  // namespace sptrsv_petsc
