// SPDX-License-Identifier: Apache-2.0
// Reads options from PETSc's database: those of the plugin's own structs, those of an algorithm
// (-mat_sptrsv_<algorithm>_<option>), the planner's and the common ones (-mat_sptrsv_<option>).
#pragma once

#include <functional>
#include <string>

#include "base/petsc_compat.hpp"
#include "options/option_table.hpp"

namespace sptrsv_petsc {

/// Reads the options that `visit` passes to its visitor, with the object's prefix. Other values do not change.
/// Error PETSC_ERR_ARG_OUTOFRANGE with the option's name, its value and the accepted values.
PetscErrorCode ReadGroup(PetscObject object, OptionGroup const& group,
                         std::function<void(sptrsv::OptionVisitor&)> const& visit);

/// Reads the options of a struct, as ReadGroup() does.
template <class Struct>
PetscErrorCode ReadGiven(PetscObject object, Struct& options, OptionGroup const& group = Struct::group)
{
  PetscFunctionBegin;
  PetscCall(ReadGroup(object, group, [&](sptrsv::OptionVisitor& visitor) { options.visit(visitor); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads the options of `solver_type`, as in sptrsv::option_table(). Only values other than the defaults are set.
/// Errors: those of ReadGroup(); PETSC_ERR_ARG_WRONG for a renamed or removed option.
PetscErrorCode ReadOptions(PetscObject object, char const* solver_type, sptrsv::Options& values);

/// Checks that `name` is an algorithm or `sptrsv`. Error PETSC_ERR_ARG_UNKNOWN_TYPE with the known names.
/// @param source  where the name comes from, for the message
/// @param others  further valid names for the message, each followed by a comma and a space
PetscErrorCode CheckAlgorithm(PetscObject object, char const* source, char const* name, char const* others = "");

/// Replaces `name`, the algorithm that the program has chosen, by that of -mat_sptrsv_type, if given.
PetscErrorCode ReadAlgorithm(PetscObject object, std::string& name);

}  // namespace sptrsv_petsc
