// SPDX-License-Identifier: Apache-2.0
// The backend's factorization as the source of a factor's values.
#pragma once

#include <memory>
#include <string>

#include "access/matrix_arrays.hpp"
#include "factor/factor_source.hpp"
#include "factor/petsc_factor.hpp"
#include "options/option_table.hpp"

namespace sptrsv_petsc {

/// The backend's factorization, which runs where the solves run. For real matrices without dense blocks, its values are
/// PETSc's bit for bit. The backend (for levels of fill) or PETSc's symbolic phase finds the pattern. With
/// FactorChoice::automatic, PETSc computes the values if the host is estimated to be faster.
class BackendFactor final : public FactorSource {
 public:
  /// @param asked  value of -mat_sptrsv_factor, automatic or device
  explicit BackendFactor(FactorChoice asked) : asked_(asked) {}

  PetscErrorCode Analyze(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                         FactorArrays* pattern, std::unique_ptr<FactorSource>* instead) override;
  bool analyzed() const override { return fill_ || symbolic_; }
  PetscErrorCode Prepare(FactorTask const& task, Mat A, AnyFactorSolver const& solver,
                         std::unique_ptr<FactorSource>* instead) override;
  PetscErrorCode Compute(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                         std::optional<FactorArrays>* pattern, FactorValueArrays* values) override;
  PetscErrorCode CopyInvertedPivots(FactorTask const& task, Scalar* to) override;
  PetscErrorCode GetInfo(MatInfoType type, MatInfo* info) override;
  PetscErrorCode View(FactorTask const& task, PetscViewer viewer) override;
  bool holds_petsc_factor() const override { return symbolic_ != nullptr; }
  std::size_t memory_bytes() const override
  {
    return factorization_->memory_bytes() + (symbolic_ ? symbolic_->memory_bytes() : 0);
  }

 private:
  PetscErrorCode FindFill(FactorTask const& task, Mat A, MatFactorInfo const* info, int levels, std::string* declined);
  PetscErrorCode AnalyzeMatrix(FactorTask const& task, Mat A, bool compare, std::string* declined);
  PetscErrorCode AnalyzeAgain(FactorTask const& task, Mat A);
  PetscErrorCode Decline(Mat F, std::string const& reason, std::unique_ptr<FactorSource>* instead);
  std::string CompareWithHost(sptrsv::FactorizationReport const& report);

  FactorChoice asked_;
  std::string reason_ = "asked for";
  std::unique_ptr<AnyFillPattern> fill_;   // null: PETSc's symbolic phase has found the pattern
  std::unique_ptr<PetscFactor> symbolic_;  // null: the backend has found the pattern
  Permutation rows_, cols_;                // orderings of `fill_`
  FactorArrays pattern_;
  std::unique_ptr<AnyFactorization> factorization_;
  PatternStamp stamp_;          // pattern of A that the factorization is made for
  std::size_t num_values_ = 0;  // number of A's values
  sptrsv::FactorizationReport report_;
  PetscLogDouble flops_ = 0;                    // flops of a pass
  PetscReal fill_given_ = 0, fill_needed_ = 0;  // fill ratios of the symbolic phase, for MatGetInfo()
};

}  // namespace sptrsv_petsc
