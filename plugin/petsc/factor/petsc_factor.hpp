// SPDX-License-Identifier: Apache-2.0
// PETSc's own factor as the source of a factor's values.
#pragma once

#include <string>

#include "access/inner_factor.hpp"
#include "access/matrix_arrays.hpp"
#include "factor/factor_source.hpp"

namespace sptrsv_petsc {

/// PETSc's own factor in host memory: PETSc does the symbolic and the numeric phase.
class PetscFactor final : public FactorSource {
 public:
  /// @param reason  why PETSc computes the values, for -ksp_view
  explicit PetscFactor(std::string reason) : reason_(std::move(reason)) {}
  ~PetscFactor() override { (void)MatDestroy(&inner_); }

  /// Does PETSc's symbolic phase. Errors: PETSC_ERR_SUP where PETSc has no such factor; PETSC_ERR_ARG_WRONG and
  /// PETSC_ERR_ARG_WRONGSTATE for rows that PETSc would factor wrongly.
  PetscErrorCode Analyze(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                         FactorArrays* pattern, std::unique_ptr<FactorSource>* instead) override;
  bool analyzed() const override { return inner_ != nullptr; }
  void set_reason(std::string reason) { reason_ = std::move(reason); }

  PetscErrorCode Compute(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                         std::optional<FactorArrays>* pattern, FactorValueArrays* values) override;
  PetscErrorCode CopyInvertedPivots(FactorTask const& task, Scalar* to) override;
  PetscErrorCode GetInfo(MatInfoType type, MatInfo* info) override;
  PetscErrorCode View(FactorTask const& task, PetscViewer viewer) override;
  bool holds_petsc_factor() const override { return true; }
  std::size_t memory_bytes() const override { return MemoryBytes(pattern_.blocks); }

 private:
  PetscErrorCode CheckRows(FactorTask const& task, Mat A, MatFactorInfo const* info);
  PetscErrorCode PrepareInner(FactorTask const& task, Mat A, MatFactorInfo const* info);

  Mat inner_ = nullptr;
  InnerPattern pattern_;
  PatternStamp checked_;  // pattern whose rows were checked last
  std::string reason_;
};

}  // namespace sptrsv_petsc
