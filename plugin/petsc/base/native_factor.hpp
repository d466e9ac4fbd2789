// SPDX-License-Identifier: Apache-2.0
// PETSc's own factors, for code of the plugin that needs them while -mat_sptrsv_replace has the plugin make others.
#pragma once

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Function that makes a factor for MatGetFactor().
using FactorCreator = PetscErrorCode (*)(Mat, MatFactorType, Mat*);

/// Number of NativeFactors objects.
inline int native_factors_wanted = 0;

/// While an object of this class exists, MatGetFactor() makes the factors that are asked for, not those that replace
/// them.
class NativeFactors {
 public:
  NativeFactors() { ++native_factors_wanted; }
  ~NativeFactors() { --native_factors_wanted; }
  NativeFactors& operator=(NativeFactors&&) = delete;
};

/// Gets PETSc's own factor of A, or null where PETSc has none.
inline PetscErrorCode GetPetscFactor(Mat A, MatFactorType kind, Mat* F)
{
  NativeFactors const native;

  PetscFunctionBegin;
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, kind, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
