// SPDX-License-Identifier: Apache-2.0
// What -ksp_view says of a solver and its triangles.
#pragma once

#include "kokkos_session.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv_petsc {

/// The first line: our version, what was asked for, and where it runs.
inline PetscErrorCode ViewHeading(PetscViewer viewer, char const* requested)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "sptrsv %s: type %s, Kokkos %s\n", sptrsv::version(), requested, KokkosDescription()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Algorithm, reason, parameters and level sets of one triangle.
template <class Solver>
PetscErrorCode ViewTriangle(PetscViewer viewer, char const* name, Solver const& solver, sptrsv::Structure const& s)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %s (%s), %s\n", name, solver.algorithm().c_str(), solver.reason().c_str(), solver.parameters().c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "   %lld levels, rows per level %.1f mean, %lld least, %lld most; %.1f off-diagonal entries per row\n", s.levels, s.mean_level, s.narrowest_level, s.widest_level, s.mean_row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
