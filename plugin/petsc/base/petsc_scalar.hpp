// SPDX-License-Identifier: Apache-2.0
// PETSc's scalar type as the backend uses it.
#pragma once

#include <Kokkos_Core.hpp>

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

#if defined(PETSC_USE_COMPLEX)
using Scalar = Kokkos::complex<PetscReal>;
#else
using Scalar = PetscScalar;
#endif
static_assert(sizeof(Scalar) == sizeof(PetscScalar) && alignof(Scalar) >= alignof(PetscScalar));

inline Scalar const* scalars(PetscScalar const* p) { return reinterpret_cast<Scalar const*>(p); }
inline Scalar* scalars(PetscScalar* p) { return reinterpret_cast<Scalar*>(p); }

}  // namespace sptrsv_petsc
