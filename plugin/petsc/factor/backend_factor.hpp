// SPDX-License-Identifier: Apache-2.0
// The backend's factorization as the source of a factor's values.
#pragma once

#include <memory>
#include <string>

#include "access/matrix_arrays.hpp"
#include "factor/factor_source.hpp"
#include "factor/petsc_factor.hpp"
#include "options/factor_choice.hpp"
#include "sptrsv/factorization/factorization.hpp"

namespace sptrsv_petsc {

/// The backend's factorization, which computes the values of a factor from A's where the solves run, to the bit as
/// PETSc would. The pattern is found by the backend (levels of fill), or by PETSc's symbolic phase.
class BackendFactor final : public FactorSource {
 public:
  /// @param asked  what -mat_sptrsv_factor says, automatic or device
  explicit BackendFactor(FactorChoice asked) : asked_(asked) {}

  /// Finds the pattern of levels of fill by the backend, and makes F's solver and its factorization.
  /// @param done      out: false if PETSc's symbolic phase has to be done: for other factors, for a matrix that the
  ///                  backend refuses, since PETSc's own then says what is wrong, and with an obstacle
  /// @param obstacle  out: why the host is to compute the values, if it is; empty otherwise
  PetscErrorCode AnalyzeFill(Mat F, Mat A, MatFactorInfo const* info, sptrsv::OptionValues const& options, bool* done,
                             std::string* obstacle);

  /// Makes the factorization for F's solver, which has been made for the pattern of a PetscFactor.
  /// @param obstacle  out: as of AnalyzeFill()
  PetscErrorCode AnalyzeMatrix(Mat F, Mat A, std::string* obstacle);

  /// Keeps PETSc's symbolic factor, whose pattern F's solver reads.
  void keep(std::unique_ptr<PetscFactor> symbolic);

  PetscErrorCode Compute(Mat F, Mat A, MatFactorInfo const* info) override;
  PetscErrorCode CopyInvertedPivots(Mat F, Scalar* to) override;
  PetscErrorCode GetInfo(Mat F, MatInfoType type, MatInfo* info) override;
  PetscErrorCode View(Mat F, PetscViewer viewer) override;
  std::size_t memory_bytes() const override { return 0; }
  bool holds_petsc_factor() const override { return symbolic_ != nullptr; }

 private:
  PetscErrorCode MakeFactorization(Mat F, Mat A, std::string* obstacle);
  PetscErrorCode RenewFactorization(Mat F, Mat A, Stream stream);
  PetscErrorCode MakeSolverForFill(Mat F, Mat A, MatFactorInfo const* info, int levels,
                                   sptrsv::OptionValues const& options, bool* made);
  void CompareWithHost(Mat F, std::string& obstacle);

  FactorChoice asked_;
  std::string reason_ = "asked for";
  std::unique_ptr<PetscFactor> symbolic_;  // null: the backend found the pattern
  PatternStamp stamp_;                     // of the matrix that the factorization is made for
  std::size_t num_values_ = 0;             // of that matrix
  sptrsv::FactorizationReport report_;
  PetscLogDouble flops_ = 0;                    // of a pass of the factorization
  PetscReal fill_given_ = 0, fill_needed_ = 0;  // for MatGetInfo()
};

}  // namespace sptrsv_petsc
