// SPDX-License-Identifier: Apache-2.0
// Starting and ending Kokkos inside a program that may never have heard of it.
#pragma once

#include "petsc_compat.hpp"

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

/// Starts Kokkos at the first call, quietly, with one thread per rank unless OMP_NUM_THREADS or
/// KOKKOS_NUM_THREADS says otherwise; PETSc's own Kokkos if it has one.
/// Errors: PETSC_ERR_ORDER when Kokkos has already ended.
PetscErrorCode EnsureKokkos();

/// "4.7.0 OpenMP (2 threads), own copy" or "4.7.0 Cuda (device 0), shared with PETSc", for views.
char const* KokkosDescription(bool device);

}  // namespace sptrsv_petsc
