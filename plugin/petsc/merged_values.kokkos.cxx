// SPDX-License-Identifier: Apache-2.0
// New values of several blocks from the rank's matrix, where that lies: the blocks' own matrices get them when somebody
// looks.
#include "gathered_blocks.hpp"
#include "merged_factor.hpp"

namespace sptrsv_petsc {

/// The solver learns which of A's entries are the blocks', once for each pattern.
PetscErrorCode MergedFactor::Select(Mat A, std::vector<Mat> const& matrices)
{
  Mat_SpTRSV* f = Get(factor_);
  PatternStamp now;
  std::vector<PetscInt> places;

  PetscFunctionBegin;
  PetscCall(StampPattern(A, f->backend.device, &now));
  if (now == selected_) PetscFunctionReturn(PETSC_SUCCESS);
  selected_ = PatternStamp{};
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { places.reserve(f->matrix_entries); }));
  PetscCall(FindEntries(A, matrices, matrix_, &places));
  if (places.size() != f->matrix_entries || places.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded(factor_, [&] { f->solver->select(places.data(), places.size()); }));
  selected_ = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MergedFactor::KeepValues(Mat A, std::vector<Mat> const& matrices, bool* kept)
{
  Mat_SpTRSV* f;
  Stream stream;
  PetscBool aij;

  PetscFunctionBegin;
  *kept = false;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  if (!usable_ || !by_backend_ || !aij) PetscFunctionReturn(PETSC_SUCCESS);
  f = Get(factor_);
  PetscCall(CurrentStream(f->backend.kokkos, &stream));
  PetscCall(Guarded(factor_, [&] { f->solver->follow(stream); }));
  PetscCall(Select(A, matrices));
  if (!selected_.entries) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Logged(events.numeric, (PetscObject)factor_, [&] {
    return WithMatrixValues(A, f->backend.device, selected_.entries,
                            [&](MatrixValues const& v) { return Guarded(factor_, [&] { f->solver->keep(v); }); });
  }));
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { behind_ = matrices; }));
  *kept = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MergedFactor::WriteKept()
{
  std::vector<PetscScalar> values;
  std::vector<Mat> matrices;

  PetscFunctionBegin;
  if (behind_.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded(factor_, [&] {
    values.resize(Get(factor_)->matrix_entries);
    Get(factor_)->solver->copy_kept(reinterpret_cast<Scalar*>(values.data()));
  }));
  matrices.swap(behind_);
  PetscCall(WriteValues(values, matrices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
