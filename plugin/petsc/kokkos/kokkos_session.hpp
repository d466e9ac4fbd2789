// SPDX-License-Identifier: Apache-2.0
// Starting and ending Kokkos inside a program that may never have heard of it.
#pragma once

#include <string>

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Something that holds Kokkos memory. When Kokkos ends first, it is told to let go.
class KokkosHolder {
 public:
  KokkosHolder();
  virtual ~KokkosHolder();
  KokkosHolder(KokkosHolder const&) = delete;
  KokkosHolder& operator=(KokkosHolder const&) = delete;
  virtual void release() = 0;
};

/// Starts Kokkos at the first call, quietly, with one thread per rank unless OMP_NUM_THREADS, KOKKOS_NUM_THREADS or
/// -omp_num_threads says otherwise; PETSc's own Kokkos if it has one.
/// Errors: PETSC_ERR_ORDER when Kokkos has already ended, PETSC_ERR_ARG_OUTOFRANGE for an environment that Kokkos could
/// not read, and those of CheckProcess().
PetscErrorCode EnsureKokkos();

/// Error PETSC_ERR_SUP in the child of a fork() that happened after Kokkos had started threads or taken a GPU: work
/// given to those would wait for ever.
PetscErrorCode CheckProcess();

/// "4.7.0 OpenMP (2 threads), own copy" or "4.7.0 Cuda (device 0), shared with PETSc", for views.
std::string KokkosDescription(bool device);

}  // namespace sptrsv_petsc
