// SPDX-License-Identifier: Apache-2.0
// Cache of one matrix' sets of submatrices, and the data by which a repeated call is recognized.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/petsc_compat.hpp"
#include "subdomains/value_sources.hpp"

namespace sptrsv_petsc {

/// Submatrices of one call, and the sources of their values once these are found.
struct SubmatrixSet {
  std::vector<PetscObjectId> submatrices;  ///< ids of this rank's parts of the submatrices
  std::vector<std::uint64_t> call;         ///< stamps of index sets, A's blocks and submatrices, which identify a call
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);  ///< false after the first submatrix has been destroyed
  bool found = false;                                          ///< whether `sources` or `fallback_reason` are known
  ValueSources sources;
  std::string fallback_reason;  ///< why PETSc takes new values; empty: sptrsv does
};

/// Describes a call by the data that is equal in a repeated call. Index sets are compared by content, since a program
/// may change them in place.
/// @param sets  index sets of rows and columns, in pairs
PetscErrorCode Describe(Mat A, std::vector<IS> const& sets, std::vector<Mat> const& submatrices, SubmatrixSet& set);

/// LRU cache of the submatrix sets of one matrix, at most 32. All functions are collective on A, and leave the same
/// sets in the same order on all ranks.
class SubmatrixCache {
 public:
  bool empty() const { return sets_.empty(); }
  /// Finds the set to which this call belongs on all ranks, or null, and marks that set as the most recently used one.
  /// Forgets sets whose first submatrix has been destroyed on some rank.
  /// @param wanted     filled by Describe(), unless there are no sets or this rank has fallback reasons
  /// @param fallback_reasons  in: bits of this rank; out: bits of all ranks. If one is set, no submatrix set is found
  PetscErrorCode Find(Mat A, SubmatrixSet const& wanted, unsigned* fallback_reasons, SubmatrixSet** found);
  /// Forgets all sets, except `except`, that contain one of these submatrices, since PETSc may write another pattern
  /// into that submatrix.
  PetscErrorCode Forget(Mat A, std::vector<Mat> const& submatrices, SubmatrixSet const* except);
  /// Remembers a set. If the cache is full, forgets the least recently used of the sets whose sources have not been
  /// found or, if there is none, of all sets.
  /// @param first_submatrix  first submatrix of this rank; null: it has none
  PetscErrorCode Remember(Mat A, std::unique_ptr<SubmatrixSet> set, Mat first_submatrix);

 private:
  void erase(unsigned sets);

  static constexpr std::size_t most = 32;  // Find() has one bit of an unsigned per set
  std::vector<std::unique_ptr<SubmatrixSet>> sets_;
};

}  // namespace sptrsv_petsc
