// SPDX-License-Identifier: Apache-2.0
// A complete factor of another library as the source of a factor's values.
#pragma once

#include <memory>
#include <string>

#include "access/matrix_arrays.hpp"
#include "access/orderings.hpp"
#include "direct/direct_library.hpp"
#include "factor/factor_source.hpp"

namespace sptrsv_petsc {

/// Complete factor that CHOLMOD, UMFPACK or KLU computes on the host. An ordering of PETSc is passed on to the library;
/// without one (MATORDERINGEXTERNAL, the default) the library orders the matrix. New values repeat the library's
/// numeric phase. If pivoting has changed the factor's pattern, or the pattern of A has changed, the solver is made
/// again.
class LibraryFactor final : public FactorSource {
 public:
  LibraryFactor(FactorChoice choice, std::unique_ptr<DirectLibrary> library)
      : choice_(choice), library_(std::move(library))
  {
  }

  /// Lets the library order the matrix. Errors: PETSC_ERR_SUP for a factor or a matrix that the library has not; those
  /// of DirectLibrary.
  PetscErrorCode Analyze(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                         FactorArrays* pattern, std::unique_ptr<FactorSource>* instead) override;
  bool analyzed() const override { return false; }
  bool computes_pattern() const override { return true; }
  PetscErrorCode Compute(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                         std::optional<FactorArrays>* pattern, FactorValueArrays* values) override;
  PetscErrorCode CopyInvertedPivots(FactorTask const& task, Scalar* to) override;
  PetscErrorCode GetInfo(MatInfoType type, MatInfo* info) override;
  PetscErrorCode View(FactorTask const& task, PetscViewer viewer) override;
  bool holds_petsc_factor() const override { return false; }
  std::size_t memory_bytes() const override { return library_->memory_bytes() + rows_.bytes(); }

 private:
  PetscErrorCode CheckKinds(FactorTask const& task, Mat A) const;
  PetscErrorCode AnalyzeMatrix(FactorTask const& task, Mat A);
  PetscErrorCode TakePattern(FactorTask const& task, std::optional<FactorArrays>* pattern);
  FactorArrays ArraysOf(FactorTask const& task) const;

  FactorChoice choice_;
  std::unique_ptr<DirectLibrary> library_;
  LibraryFactorRows rows_;
  PatternStamp stamp_;  // pattern of A that the library has analyzed
  bool has_pattern_ = false;
  PetscInt n_ = 0, num_patterns_ = 0;
  std::size_t num_values_ = 0;  // number of A's values
  PetscLogDouble seconds_analysis_ = 0, seconds_factor_ = 0, seconds_copy_ = 0;
};

}  // namespace sptrsv_petsc
