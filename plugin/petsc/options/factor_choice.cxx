// SPDX-License-Identifier: Apache-2.0
// Reads the option -mat_sptrsv_factor.
#include "options/factor_choice.hpp"

#include <cstring>

namespace sptrsv_petsc {

PetscErrorCode ReadFactorChoice(PetscObject object, FactorChoice* choice)
{
  char const* const name = "-mat_sptrsv_factor";
  char const* const words[] = {"automatic", "host", "device"};
  char value[64];
  PetscBool set;
  char const* const prefix = object->prefix ? object->prefix : "";

  PetscFunctionBegin;
  *choice = FactorChoice::automatic;
  PetscOptionsBegin(PetscObjectComm(object), object->prefix, "Triangular solver, who factors", "MatSolverType");
  PetscCall(PetscOptionsString(name,
                               "Who computes the factor's values: PETSc on the host, or the backend where the solves "
                               "run (one of automatic host device)",
                               "MatSolverType", words[0], value, sizeof value, &set));
  PetscOptionsEnd();
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 3; ++k)
    if (!std::strcmp(value, words[k])) {
      *choice = static_cast<FactorChoice>(k);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  SETERRQ(PetscObjectComm(object), PETSC_ERR_ARG_OUTOFRANGE,
          "Option -%s%s is '%s'; choose one of automatic, host, device", prefix, name + 1, value);
}

}  // namespace sptrsv_petsc
