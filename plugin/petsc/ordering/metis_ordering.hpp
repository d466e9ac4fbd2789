// SPDX-License-Identifier: Apache-2.0
// Matrix ordering by METIS, for PETSc without METIS.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

inline constexpr char const* metis_ordering = "metis";

/// Orders rows by nested dissection with METIS, through CHOLMOD, on the host; for MatOrderingRegister(). Orders the
/// matrix' compressed graph, whose vertices are inodes of seqaij, blocks of seqbaij and seqsbaij, otherwise rows.
PetscErrorCode MatGetOrdering_Metis(Mat A, MatOrderingType type, IS* rows, IS* cols);

}  // namespace sptrsv_petsc
