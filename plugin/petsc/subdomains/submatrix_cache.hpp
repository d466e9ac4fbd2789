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
struct SubmatrixSet {
  std::vector<PetscObjectId> submatrices;  ///< this rank's parts of the submatrices
  std::vector<std::uint64_t> call;         ///< stamps of index sets, A's blocks and submatrices, which identify a call
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);  ///< false after the first submatrix has been destroyed
  bool found = false;                                          ///< whether `sources` or `fallback_reason` are known
  ValueSources sources;
  std::string fallback_reason;  ///< why PETSc takes new values; empty: ours does
};

/// Describes a call by what has to be the same in the next one. Index sets are compared by their contents, which a
/// program may change in place.
/// @param sets  of rows and columns, in pairs
PetscErrorCode Describe(Mat A, std::vector<IS> const& sets, std::vector<Mat> const& submatrices, SubmatrixSet& set);

/// LRU cache of the submatrix sets of one matrix, at most 32. All functions are collective on A, and leave the same
/// sets in the same order on all ranks.
class SubmatrixCache {
 public:
  bool empty() const { return sets_.empty(); }
  /// Finds the set to which this call belongs on all ranks, or null, and marks it as the most recently used one.
  /// Forgets sets whose first submatrix has been destroyed on some rank.
  /// @param wanted     described by Describe() unless there are no sets or this rank has fallback reasons
  /// @param fallback_reasons  bits of this rank; on return, those that any rank has set. If one is set, no set of
  /// submatrices is found
  PetscErrorCode Find(Mat A, SubmatrixSet const& wanted, unsigned* fallback_reasons, SubmatrixSet** found);
  /// Forgets all sets, except `except`, that contain one of these submatrices, since PETSc may write another pattern
  /// into it.
  PetscErrorCode Forget(Mat A, std::vector<Mat> const& submatrices, SubmatrixSet const* except);
  /// Remembers a set. If the cache is full, forgets the least recently used one, first among the sets whose sources
  /// have not been found.
  /// @param first_submatrix  first submatrix of this rank; null: it has none
  PetscErrorCode Remember(Mat A, std::unique_ptr<SubmatrixSet> set, Mat first_submatrix);

 private:
  void erase(unsigned sets);

  static constexpr std::size_t most = 32;  // a bit of an unsigned for each
  std::vector<std::unique_ptr<SubmatrixSet>> sets_;
};

}  // namespace sptrsv_petsc
