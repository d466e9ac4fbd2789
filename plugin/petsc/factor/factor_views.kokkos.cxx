// SPDX-License-Identifier: Apache-2.0
// Views and info of a factor of type sptrsv.
#include "factor/factor_state.hpp"
#include "solver/view_triangle.hpp"
#include "sptrsv_petsc.h"

namespace sptrsv_petsc {
namespace {

/// Returns the bytes of a factor without the matrix and PETSc's own factor.
std::size_t BytesOf(Mat_SpTRSV const& f) { return f.solver->memory_bytes() + f.source->memory_bytes(); }

PetscErrorCode FillInfo(Mat_SpTRSV const& f, TriangleReport const& lower, TriangleReport const& upper,
                        MatSpTRSVInfo* info)
{
  sptrsv::Structure const &L = lower.structure, &U = upper.structure;
  auto const& p = f.pattern;
  bool const stored = p.symmetric() && !p.block_size;  // L = U^T, with the diagonal

  PetscFunctionBegin;
  info->requested = f.requested.c_str();
  info->backend = f.task.backend.name();
  info->algorithm_lower = lower.algorithm.c_str();
  info->algorithm_upper = upper.algorithm.c_str();
  info->reason = upper.reason.c_str();
  info->n = p.n;
  info->nnz_lower = (PetscInt64)L.entries + (stored ? 0 : (PetscInt64)L.rows);
  info->nnz_upper = (PetscInt64)U.entries + (PetscInt64)p.n * p.block_size;
  info->levels_lower = (PetscInt)L.levels;
  info->levels_upper = (PetscInt)U.levels;
  info->mean_rows_per_level_lower = (PetscReal)L.mean_level;
  info->mean_rows_per_level_upper = (PetscReal)U.mean_level;
  info->max_rows_per_level_lower = (PetscInt)L.widest_level;
  info->max_rows_per_level_upper = (PetscInt)U.widest_level;
  info->memory_bytes = (PetscLogDouble)BytesOf(f);
  info->seconds_analysis = f.seconds_analysis;
  info->seconds_numeric = f.seconds_numeric;
  info->num_analysis = f.num_analysis;
  info->num_numeric = f.num_numeric;
  info->num_solves = f.num_solves;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpTRSVGetInfo_SPTRSV(Mat F, MatSpTRSVInfo* info)
{
  Mat_SpTRSV* f = Get(F);

  PetscFunctionBegin;
  PetscCheck(f->solver, PetscObjectComm((PetscObject)F), PETSC_ERR_ORDER,
             "The factor has not been analyzed; call PCSetUp() first");
  PetscCall(Guarded(F, [&] {
    (void)FillInfo(*f, f->solver->report(sptrsv::Triangle::lower), f->solver->report(sptrsv::Triangle::upper), info);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatView_SPTRSV(Mat F, PetscViewer viewer)
{
  Mat_SpTRSV* f = Get(F);
  PetscBool ascii;
  PetscViewerFormat format;
  std::size_t bytes = 0;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ViewHeading(viewer, f->requested.c_str(), f->task.backend));
  if (f->instead.name)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  instead of type %s (-mat_sptrsv_replace)\n", f->instead.name));
  if (!f->source) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(f->source->View(f->task, viewer));
  if (!f->solver) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(ViewTriangle(viewer, F, "L", [&] { return f->solver->report(sptrsv::Triangle::lower); }));
  PetscCall(ViewTriangle(viewer, F, "U", [&] { return f->solver->report(sptrsv::Triangle::upper); }));
  PetscCall(Guarded(F, [&] { bytes = BytesOf(*f); }));
  PetscCall(ViewCounts(viewer, bytes, f->source->holds_petsc_factor() ? "PETSc's own factor" : "the matrix",
                       f->num_analysis, f->num_numeric, f->num_solves));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetInfo_SPTRSV(Mat F, MatInfoType type, MatInfo* info)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(info, sizeof *info));
  if (Get(F)->source) PetscCall(Get(F)->source->GetInfo(type, info));
  else info->block_size = F->rmap->bs;  // nothing is stored before the symbolic phase
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode SetViews(Mat F)
{
  PetscFunctionBegin;
  F->ops->view = MatView_SPTRSV;
  F->ops->getinfo = MatGetInfo_SPTRSV;
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatSpTRSVGetInfo_C", MatSpTRSVGetInfo_SPTRSV));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
