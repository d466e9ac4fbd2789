// SPDX-License-Identifier: Apache-2.0
// PETSc's own factor as the source of a factor's values.
#pragma once

#include <string>

#include "access/matrix_arrays.hpp"
#include "factor/factor_source.hpp"

namespace sptrsv_petsc {

/// PETSc's own factor in host memory: PETSc does the symbolic and the numeric phase, and the solver reads the pattern
/// and takes the values.
class PetscFactor final : public FactorSource {
 public:
  PetscFactor() = default;
  ~PetscFactor() override { (void)MatDestroy(&inner_); }
  PetscFactor(PetscFactor const&) = delete;
  PetscFactor& operator=(PetscFactor const&) = delete;

  /// Does PETSc's symbolic phase of F's kind and orderings for A. Errors: PETSC_ERR_SUP where PETSc has no such factor;
  /// PETSC_ERR_ARG_WRONG and PETSC_ERR_ARG_WRONGSTATE for rows that PETSc would factor wrongly.
  PetscErrorCode Analyze(Mat F, Mat A, MatFactorInfo const* info);

  /// Reads the pattern that Analyze() has found for A into F's pattern. Its arrays are valid while this object exists.
  PetscErrorCode ReadPattern(Mat F, Mat A);

  /// Sets why PETSc computes the values, for -ksp_view.
  void set_reason(std::string reason) { reason_ = std::move(reason); }

  PetscErrorCode Compute(Mat F, Mat A, MatFactorInfo const* info) override;
  PetscErrorCode CopyInvertedPivots(Mat F, Scalar* to) override;
  PetscErrorCode GetInfo(Mat F, MatInfoType type, MatInfo* info) override;
  PetscErrorCode View(Mat F, PetscViewer viewer) override;
  bool holds_petsc_factor() const override { return true; }

 private:
  PetscErrorCode CheckRows(Mat F, Mat A, MatFactorInfo const* info);
  PetscErrorCode Factor(Mat F, Mat A, MatFactorInfo const* info);
  PetscErrorCode TakeValues(Mat F);

  Mat inner_ = nullptr;
  PatternStamp checked_;  // pattern whose rows were checked last
  std::string reason_;
};

}  // namespace sptrsv_petsc
