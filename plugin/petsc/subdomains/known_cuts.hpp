// SPDX-License-Identifier: Apache-2.0
// Sets of submatrices of one matrix that are known, and by what a call is recognized.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/petsc_compat.hpp"
#include "subdomains/value_sources.hpp"

namespace sptrsv_petsc {

/// Submatrices of one call and, if found, where their values come from.
struct Cut {
  std::vector<PetscObjectId> leaves;  ///< this rank's parts of the submatrices
  std::vector<std::uint64_t> call;    ///< stamps of index sets, A's blocks and leaves, which identify a call
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);  ///< false after the first leaf has been destroyed
  bool found = false;                                          ///< whether `sources` or `obstacle` are known
  ValueSources sources;
  std::string obstacle;  ///< why PETSc takes new values; empty: ours does
};

/// Describes a call by what has to be the same in the next one. Index sets are compared by their contents, which a
/// program may change in place.
/// @param sets  of rows and columns, in pairs
PetscErrorCode Describe(Mat A, std::vector<IS> const& sets, std::vector<Mat> const& leaves, Cut& cut);

/// Cuts of one matrix, at most 32; the last one was used last. All functions are collective on A, and leave the same
/// cuts in the same order on all ranks.
class KnownCuts {
 public:
  bool empty() const { return cuts_.empty(); }
  /// Finds the cut to which this call belongs on all ranks, or null, and makes it the last one. Forgets cuts whose
  /// first leaf has been destroyed on some rank.
  /// @param wanted     described by Describe() unless there are no cuts or this rank has obstacles
  /// @param obstacles  bits of this rank, on return of any rank; with any, no cut is found
  PetscErrorCode Find(Mat A, Cut const& wanted, unsigned* obstacles, Cut** found);
  /// Forgets all cuts but `except` that have one of the leaves: PETSc may write another pattern into it.
  PetscErrorCode Forget(Mat A, std::vector<Mat> const& leaves, Cut const* except);
  /// Remembers a cut. Forgets the least recently used one if full, beginning with cuts whose sources are not found.
  /// @param first_leaf  first leaf of this rank; null: it has none
  PetscErrorCode Remember(Mat A, std::unique_ptr<Cut> cut, Mat first_leaf);

 private:
  void erase(unsigned cuts);

  static constexpr std::size_t most = 32;  // a bit of an unsigned for each
  std::vector<std::unique_ptr<Cut>> cuts_;
};

}  // namespace sptrsv_petsc
