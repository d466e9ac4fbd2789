// SPDX-License-Identifier: Apache-2.0
// The algorithms' own lists of options as PETSc options -mat_sptrsv_<algorithm>_<option>.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "petsc_compat.hpp"
#include "sptrsv/options.hpp"

namespace sptrsv_petsc {

/// Reads the options that matter for `solver_type`: its own, or all of them for the planner. Only what
/// the user set goes into `values`. Errors: PETSC_ERR_ARG_OUTOFRANGE with the option's name and range.
PetscErrorCode ReadOptions(Mat F, char const* solver_type, sptrsv::OptionValues& values);

}  // namespace sptrsv_petsc
