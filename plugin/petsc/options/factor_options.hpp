// SPDX-License-Identifier: Apache-2.0
// The algorithms' own lists of options as PETSc options -mat_sptrsv_<algorithm>_<option>, the planner's and those
// of all algorithms as -mat_sptrsv_<option>.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "base/petsc_compat.hpp"
#include "sptrsv/options.hpp"

namespace sptrsv_petsc {

/// Reads the options that matter for `solver_type`: its own and those of all types, or for the planner its own and all
/// others. Only what the user set goes into `values`.
/// Errors: PETSC_ERR_ARG_OUTOFRANGE with the option's name and range.
PetscErrorCode ReadOptions(PetscObject object, char const* solver_type, sptrsv::OptionValues& values);
inline PetscErrorCode ReadOptions(Mat F, char const* solver_type, sptrsv::OptionValues& values)
{
  return ReadOptions((PetscObject)F, solver_type, values);
}

/// Error PETSC_ERR_ARG_UNKNOWN_TYPE with the names there are, unless `name` is one of them.
/// @param source  where the name comes from, for the message.
PetscErrorCode CheckAlgorithm(PetscObject object, char const* source, char const* name);

/// For an object whose algorithm its program names: -mat_sptrsv_type, if given, replaces `name`.
PetscErrorCode ReadAlgorithm(PetscObject object, std::string& name);

}  // namespace sptrsv_petsc
