// SPDX-License-Identifier: Apache-2.0
// Version of the library, for programs that ask for it.
#include <cstdio>
#include <sptrsv_commit.hpp>
#include <type_traits>

#include "kokkos/kokkos_session.hpp"
#include "sptrsv/solver.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv_petsc.h"

namespace sptrsv_petsc {
namespace {

constexpr char const* libraries =
#if defined(SPTRSV_HAVE_SUITESPARSE)
    ", with SuiteSparse";
#else
    "";
#endif

}  // namespace
}  // namespace sptrsv_petsc

PetscErrorCode SpTRSVGetVersion(char version[], size_t len)
{
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Default = Kokkos::DefaultExecutionSpace;
  bool const device = !std::is_same_v<Host, Default>;

  (void)std::snprintf(
      version, len, "sptrsv %s, commit %s, for PETSc %d.%d.%d (%s, %d-bit indices), Kokkos %s (%s%s%s, %s)%s",
      sptrsv::version(), SPTRSV_COMMIT, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR,
      PetscDefined(USE_COMPLEX) ? "complex" : "real", (int)(8 * sizeof(PetscInt)),
      sptrsv_petsc::KokkosVersion().c_str(), Host::name(), device ? ", " : "", device ? Default::name() : "",
      sptrsv_petsc::kokkos_owner, sptrsv_petsc::libraries);
  return PETSC_SUCCESS;
}
