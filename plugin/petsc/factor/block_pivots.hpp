// SPDX-License-Identifier: Apache-2.0
// Factors of seqaij matrices with dense blocks as pivots.
#pragma once

#include <memory>
#include <vector>

#include "access/matrix_arrays.hpp"
#include "factor/factor_source.hpp"

namespace sptrsv_petsc {

/// Copy of a matrix' values to dense blocks, in the memory of the object. Entries that the matrix lacks are zero.
class BlockValues : public SpaceObject {
 public:
  /// Performs the copy. The result is valid until the next call.
  /// @param from  the matrix' values, in the object's memory or on a host
  virtual MatrixValues run(MatrixValues const& from) = 0;
};

/// Source of a factor of a seqaij matrix whose pivots are dense blocks of the matrix' block size, as in PETSc's factor
/// of the same matrix of type seqbaij. Another source factors a seqbaij matrix with the same entries; if that source is
/// the backend's, the values go from the matrix to the blocks where the solves run.
class BlockPivots final : public FactorSource {
 public:
  /// @param source  factors the blocks
  explicit BlockPivots(std::unique_ptr<FactorSource> source) : source_(std::move(source)) {}
  ~BlockPivots() override;

  PetscErrorCode Analyze(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                         FactorArrays* pattern, std::unique_ptr<FactorSource>* instead) override;
  bool analyzed() const override { return source_->analyzed(); }
  PetscErrorCode Prepare(FactorTask const& task, Mat A, AnyFactorSolver const& solver,
                         std::unique_ptr<FactorSource>* instead) override;
  PetscErrorCode Compute(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                         std::optional<FactorArrays>* pattern, FactorValueArrays* values) override;
  PetscErrorCode CopyInvertedPivots(FactorTask const&, Scalar* to) override
  {
    return source_->CopyInvertedPivots(task_, to);
  }
  PetscErrorCode GetInfo(MatInfoType type, MatInfo* info) override { return source_->GetInfo(type, info); }
  PetscErrorCode View(FactorTask const& task, PetscViewer viewer) override;
  bool holds_petsc_factor() const override { return source_->holds_petsc_factor(); }
  std::size_t memory_bytes() const override;

 private:
  PetscErrorCode MakeBlocks(FactorTask const& task, Mat A);
  PetscErrorCode ReadOrdering(IS is, PetscInt bs, IS* blocks);
  PetscErrorCode CopyValues(FactorTask const& task, Mat A);

  std::unique_ptr<FactorSource> source_;
  FactorTask task_;          // of source_, with orderings of blocks
  PetscInt block_size_ = 1;  // of the symbolic phase
  Mat blocks_ = nullptr;
  std::vector<PetscInt> entry_of_;     // entry of A for each value of blocks_; -1: none
  PatternStamp stamp_;                 // pattern of A
  std::unique_ptr<BlockValues> copy_;  // null until the backend factors
  MatrixValues copied_;
};

}  // namespace sptrsv_petsc
