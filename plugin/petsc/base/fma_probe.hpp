// SPDX-License-Identifier: Apache-2.0
// A number that tells whether products are rounded before they are added.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Returns x = 1 + eps of which x x is no PetscReal, since eps^2 is lost in a sum with 1: with d the rounded product,
/// d - x x is 0 where the product is rounded, and not where it is not (fused multiply-add).
inline PetscReal FmaProbe()
{
  PetscReal eps = 1;
  while ((PetscReal)(1 + eps * eps) != 1) eps /= 2;
  return 1 + eps;
}

}  // namespace sptrsv_petsc
