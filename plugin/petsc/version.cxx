// SPDX-License-Identifier: Apache-2.0
// Version of the library, for programs that ask for it.
#include <cstdio>
#include <sptrsv_commit.hpp>
#include <type_traits>

#include "base/petsc_scalar.hpp"
#include "sptrsv/solver.hpp"
#include "sptrsv/space.hpp"
#include "sptrsv_petsc.h"

namespace sptrsv_petsc {
namespace {

constexpr char const* where_kokkos_is =
#if defined(PETSC_HAVE_KOKKOS)
    "shared with PETSc";
#else
    "own copy";
#endif
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
      version, len, "sptrsv %s, commit %s, for PETSc %d.%d.%d (%s, %d-bit indices), Kokkos %d.%d.%d (%s%s%s, %s)%s",
      sptrsv::version(), SPTRSV_COMMIT, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR,
      PetscDefined(USE_COMPLEX) ? "complex" : "real", (int)(8 * sizeof(PetscInt)), KOKKOS_VERSION / 10000,
      KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100, Host::name(), device ? ", " : "", device ? Default::name() : "",
      sptrsv_petsc::where_kokkos_is, sptrsv_petsc::libraries);
  return PETSC_SUCCESS;
}
