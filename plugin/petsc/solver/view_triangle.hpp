// SPDX-License-Identifier: Apache-2.0
// Prints solvers and triangles for -ksp_view.
#pragma once

#include <optional>

#include "kokkos/guarded.hpp"
#include "kokkos/kokkos_session.hpp"
#include "options/backend_choice.hpp"
#include "solver/any_solver.hpp"

namespace sptrsv_petsc {

/// Prints the first lines of a view: the library's version, the requested type, the backend and its reason.
inline PetscErrorCode ViewHeading(PetscViewer viewer, char const* requested, Backend const& backend)
{
  std::string kokkos;

  PetscFunctionBegin;
  PetscCall(Guarded(viewer, [&] { kokkos = KokkosDescription(backend.device); }));
  PetscCall(
      PetscViewerASCIIPrintf(viewer, "sptrsv %s: type %s, Kokkos %s\n", sptrsv::version(), requested, kokkos.c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  backend %s (%s)\n", backend.name(), backend.reason.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prints the planner's measurements, a line per candidate, the fastest first.
inline PetscErrorCode ViewTimings(PetscViewer viewer, std::vector<sptrsv::PlanTiming> const& timings)
{
  PetscFunctionBegin;
  for (auto const& t : timings) {
    if (t.seconds > 0)
      PetscCall(PetscViewerASCIIPrintf(viewer, "   measured %-12s %12.2f us %9.2f%s%s\n", t.algorithm.c_str(),
                                       1e6 * t.seconds, t.seconds / timings.front().seconds, t.note.empty() ? "" : "  ",
                                       t.note.c_str()));
    else
      PetscCall(PetscViewerASCIIPrintf(viewer, "   measured %-12s %12s    %9s  %s\n", t.algorithm.c_str(), "-", "-",
                                       t.note.c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prints the last line of a view: bytes of memory, and numbers of analyses, numeric phases and solves.
/// @param beyond  data that `bytes` does not include
inline PetscErrorCode ViewCounts(PetscViewer viewer, std::size_t bytes, char const* beyond, PetscInt analyses,
                                 PetscInt numerics, PetscInt solves)
{
  auto const end = [](PetscInt count, char const* one, char const* many) { return count == 1 ? one : many; };

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "%.2f MB beyond %s; %" PetscInt_FMT " %s, %" PetscInt_FMT " numeric %s, %" PetscInt_FMT " %s\n",
      (double)bytes / 1e6, beyond, analyses, end(analyses, "analysis", "analyses"), numerics,
      end(numerics, "update", "updates"), solves, end(solves, "solve", "solves")));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prints algorithm, reason, parameters, level sets and measurements of one triangle, as report() returns them.
template <class Object, class Report>
PetscErrorCode ViewTriangle(PetscViewer viewer, Object object, char const* name, Report const& report)
{
  std::optional<TriangleReport> told;

  PetscFunctionBegin;
  PetscCall(Guarded(object, [&] { told.emplace(report()); }));
  sptrsv::Structure const& s = told->structure;
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %s (%s), %s\n", name, told->algorithm.c_str(), told->reason.c_str(),
                                   told->parameters.c_str()));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "   %lld level%s, rows per level %.1f mean, %lld least, %lld most; %.1f off-diagonal entries per row\n",
      s.levels, s.levels == 1 ? "" : "s", s.mean_level, s.narrowest_level, s.widest_level, s.mean_row));
  PetscCall(ViewTimings(viewer, told->timings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
