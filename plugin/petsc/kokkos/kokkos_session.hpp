// SPDX-License-Identifier: Apache-2.0
// Starts and ends Kokkos in a program that need not use Kokkos itself.
#pragma once

#include <string>

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Object that holds memory of Kokkos. If Kokkos ends before the object, release() is called.
class KokkosHolder {
 public:
  KokkosHolder();
  virtual ~KokkosHolder();
  KokkosHolder(KokkosHolder const&) = delete;
  KokkosHolder& operator=(KokkosHolder const&) = delete;
  virtual void release() = 0;
};

/// Starts Kokkos at the first call, without output: PETSc's own Kokkos if PETSc has one. Kokkos gets one thread per
/// rank, unless OMP_NUM_THREADS, KOKKOS_NUM_THREADS or -omp_num_threads says otherwise.
/// Errors: PETSC_ERR_ORDER if Kokkos has already ended or has failed to start, PETSC_ERR_ARG_OUTOFRANGE for an
/// environment that Kokkos could not read, and those of CheckProcess().
PetscErrorCode EnsureKokkos();

extern int lost_threads;  ///< in a forked child process, the number of Kokkos' threads that only its parent has
extern bool lost_device;  ///< whether a forked child process has lost the GPU

/// Whose Kokkos the plugin uses.
inline constexpr char kokkos_owner[] =
#if defined(PETSC_HAVE_KOKKOS)
    "shared with PETSc";
#else
    "own copy";
#endif

/// Returns the version of Kokkos, "major.minor.patch".
std::string KokkosVersion();

/// Describes Kokkos for views: "4.7.0 OpenMP (2 threads), own copy" or "4.7.0 Cuda (device 0), shared with PETSc".
std::string KokkosDescription(bool device);

}  // namespace sptrsv_petsc
