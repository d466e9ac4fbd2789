// SPDX-License-Identifier: Apache-2.0
// The backend's factorization as the source of a factor's values.
#pragma once

#include <memory>
#include <string>

#include "access/matrix_arrays.hpp"
#include "factor/factor_source.hpp"
#include "factor/petsc_factor.hpp"
#include "options/option_table.hpp"
#include "sptrsv/factorization/factorization.hpp"

namespace sptrsv_petsc {

/// The backend's factorization, which computes the values of a factor from those of A where the solves run: for real
/// matrices without dense blocks, bit for bit those of PETSc. The backend (levels of fill) or PETSc's symbolic phase
/// finds the pattern.
class BackendFactor final : public FactorSource {
 public:
  /// @param asked  value of -mat_sptrsv_factor, automatic or device
  explicit BackendFactor(FactorChoice asked) : asked_(asked) {}

  /// Finds the pattern of levels of fill, and makes F's solver and its factorization.
  /// @param done      out: false if PETSc's symbolic phase has to be done: for other factors, for a matrix that the
  /// backend refuses, since PETSc's phase then reports the fault, and with an obstacle
  /// @param obstacle  out: why the host is to compute the values, if it is; empty otherwise
  PetscErrorCode AnalyzeFill(Mat F, Mat A, MatFactorInfo const* info, sptrsv::Options const& options, bool* done,
                             std::string* obstacle);

  /// Makes the factorization of A for F's solver. Automatic: compares it with the host, which is an obstacle if it is
  /// faster.
  /// @param obstacle  out: as in AnalyzeFill()
  PetscErrorCode AnalyzeMatrix(Mat F, Mat A, std::string* obstacle);

  /// Keeps PETSc's symbolic factor, whose pattern F's solver reads.
  void keep(std::unique_ptr<PetscFactor> symbolic) { symbolic_ = std::move(symbolic); }

  PetscErrorCode Compute(Mat F, Mat A, MatFactorInfo const* info) override;
  PetscErrorCode CopyInvertedPivots(Mat F, Scalar* to) override;
  PetscErrorCode GetInfo(Mat F, MatInfoType type, MatInfo* info) override;
  PetscErrorCode View(Mat F, PetscViewer viewer) override;
  bool holds_petsc_factor() const override { return symbolic_ != nullptr; }

 private:
  PetscErrorCode MakeFactorization(Mat F, Mat A, bool compare, std::string* obstacle);
  PetscErrorCode RenewFactorization(Mat F, Mat A, Stream stream);
  PetscErrorCode MakeSolverForFill(Mat F, Mat A, MatFactorInfo const* info, int levels, sptrsv::Options const& options,
                                   bool* made, std::string* obstacle);
  std::string CompareWithHost(Mat F, sptrsv::FactorizationReport const& report);

  FactorChoice asked_;
  std::string reason_ = "asked for";
  std::unique_ptr<PetscFactor> symbolic_;  // null: the backend found the pattern
  PatternStamp stamp_;                     // pattern that the factorization is made for
  std::size_t num_values_ = 0;             // number of A's values
  sptrsv::FactorizationReport report_;
  PetscLogDouble flops_ = 0;                    // flops of a pass
  PetscReal fill_given_ = 0, fill_needed_ = 0;  // for MatGetInfo()
};

}  // namespace sptrsv_petsc
