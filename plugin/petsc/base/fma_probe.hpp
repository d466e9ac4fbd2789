// SPDX-License-Identifier: Apache-2.0
// A number that tells whether products are rounded before they are added.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Returns x = 1 + eps, whose square is no PetscReal, since 1 + eps^2 rounds to 1. Let d be the rounded square: d - x x
/// is 0 if x x is rounded before the subtraction, and not 0 with a fused multiply-add.
inline PetscReal FmaProbe()
{
  PetscReal eps = 1;
  while ((PetscReal)(1 + eps * eps) != 1) eps /= 2;
  return 1 + eps;
}

}  // namespace sptrsv_petsc
