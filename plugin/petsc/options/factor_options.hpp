// SPDX-License-Identifier: Apache-2.0
// Reads the library's options from PETSc's: those of an algorithm as -mat_sptrsv_<algorithm>_<option>, the planner's
// and the common ones as -mat_sptrsv_<option>.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "base/petsc_compat.hpp"
#include "sptrsv/options.hpp"

namespace sptrsv_petsc {

/// Reads the options of `solver_type`: its own and the common ones; for `sptrsv` the planner's and those of all
/// algorithms. Only options that the user has set go into `values`.
/// Errors: PETSC_ERR_ARG_OUTOFRANGE with the option's name and range; PETSC_ERR_ARG_WRONG for a renamed or removed
/// option.
PetscErrorCode ReadOptions(PetscObject object, char const* solver_type, sptrsv::OptionValues& values);
inline PetscErrorCode ReadOptions(Mat F, char const* solver_type, sptrsv::OptionValues& values)
{
  return ReadOptions((PetscObject)F, solver_type, values);
}

/// Checks that `name` is an algorithm or `sptrsv`. Error PETSC_ERR_ARG_UNKNOWN_TYPE with the known names.
/// @param source  where the name comes from, for the message
/// @param others  further names that the source may have, each with a comma and a space after it, for the message
PetscErrorCode CheckAlgorithm(PetscObject object, char const* source, char const* name, char const* others = "");

/// Replaces `name`, the algorithm that the program has chosen, by that of -mat_sptrsv_type, if given.
PetscErrorCode ReadAlgorithm(PetscObject object, std::string& name);

}  // namespace sptrsv_petsc
