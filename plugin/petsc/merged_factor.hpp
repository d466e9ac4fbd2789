// SPDX-License-Identifier: Apache-2.0
// One factor of several blocks, the matrix of which is block diagonal.
#pragma once

#include <string>
#include <vector>

#include "factor_state.hpp"

namespace sptrsv_petsc {

/// From MarkPostponed(A, PETSC_TRUE) on, phases of factors of A wait.
PetscErrorCode MarkPostponed(Mat A, PetscBool wait);

/// Solves with the factors of several blocks at once: their rows follow each other, and levels of different blocks that
/// do not wait for each other are one level. The factors' phases must be postponed (postponed_phases).
///
/// Where the backend computes the values, it factors the block diagonal matrix in one go; where PETSc does, PETSc
/// factors one block after the other, and their triangles are gathered.
class MergedFactor {
 public:
  MergedFactor() = default;
  MergedFactor(MergedFactor const&) = delete;
  MergedFactor& operator=(MergedFactor const&) = delete;

  PetscErrorCode Reset();
  /// The phases that the blocks wait for. What an earlier call made for the same patterns is kept.
  /// @param blocks    factors of this plugin, of seqaij matrices
  /// @param obstacle  out: why they cannot be done together; empty: they have been
  PetscErrorCode Factor(std::vector<Mat> const& blocks, std::string* obstacle);
  /// Instead of new values of the blocks' matrices: copies those of `A`, the rank's matrix, which has them as its
  /// diagonal blocks. The next Factor() takes the copy, and the blocks' matrices get it from WriteKept().
  /// @param matrices  the blocks', each with the rows after those of the one before
  /// @param kept      out: whether it has been done; not where PETSc factors, nor where the patterns differ
  PetscErrorCode KeepValues(Mat A, std::vector<Mat> const& matrices, bool* kept);
  /// Brings the blocks' matrices up to date, with the states that they have. Factor() does it where it has an obstacle.
  PetscErrorCode WriteKept();
  /// The blocks' matrices have got other values.
  void ForgetKept() { behind_.clear(); }
  /// Null before Factor(), or where that had an obstacle.
  Mat factor() const { return usable_ ? factor_ : nullptr; }
  /// Whether `blocks` are those of the last Factor(), with the phases of then.
  bool Holds(std::vector<Mat> const& blocks) const;

 private:
  /// Whether what an earlier call made for the blocks' patterns is that of these blocks, with these symbolic phases.
  bool knows(std::vector<Mat> const& blocks) const;

  struct Block {
    Mat factor;
    PetscObjectId id;
    PetscInt64 num_symbolic, num_numeric;  // calls so far
    /// F's data if it is this block's factor still, else null.
    Mat_SpTRSV const* Find(Mat F) const;
  };

  PetscErrorCode FactorAll(std::vector<Mat> const& blocks, std::string* obstacle);
  PetscErrorCode Select(Mat A, std::vector<Mat> const& matrices);
  PetscErrorCode MakeMatrix(std::vector<Mat> const& blocks);
  PetscErrorCode HasPatterns(std::vector<Mat> const& blocks, bool* has) const;
  PetscErrorCode Note(std::vector<Mat> const& blocks);
  PetscErrorCode CheckReuse(std::vector<Mat> const& blocks, bool* all) const;
  PetscErrorCode CheckAlike(std::vector<Mat> const& blocks, std::string* obstacle) const;
  PetscErrorCode Symbolic(std::vector<Mat> const& blocks, std::string* obstacle);
  PetscErrorCode SymbolicOfMatrix(std::vector<Mat> const& blocks, Mat of_triangles);
  PetscErrorCode SymbolicOfTriangles(std::vector<Mat> const& blocks, std::string* obstacle);
  PetscErrorCode NumericOfMatrix(std::vector<Mat> const& blocks, std::string* obstacle);
  PetscErrorCode NumericOfTriangles(std::vector<Mat> const& blocks, std::string* obstacle);

  Mat factor_ = nullptr;
  bool by_backend_ = false;
  Mat matrix_ = nullptr;                // block diagonal, where the backend factors the blocks' own matrices
  std::vector<PatternStamp> patterns_;  // of the blocks' matrices that it was made of
  bool usable_ = false;
  std::vector<Block> blocks_;
  PatternStamp selected_;    // of the rank's matrix whose entries are selected
  std::vector<Mat> behind_;  // the blocks' matrices whose values are kept and not written yet
};

}  // namespace sptrsv_petsc
