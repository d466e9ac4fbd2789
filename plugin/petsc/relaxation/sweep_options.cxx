// SPDX-License-Identifier: Apache-2.0
// The options -pc_sor_sptrsv and -pc_sor_ordering: how MatSOR() sweeps.
#include "relaxation/sweep_options.hpp"

#include <string>

#include "kokkos/guarded.hpp"
#include "options/factor_options.hpp"

namespace sptrsv_petsc {

PetscErrorCode ReadSweepOptions(PC pc, SweepChoice& choice)
{
  auto const object = (PetscObject)pc;
  SweepOptions given;
  char const* const prefix = object->prefix ? object->prefix : "";
  std::string source;
  void (*known)(void);

  PetscFunctionBegin;
  PetscCall(ReadGiven(object, given));
  bool const off = given.sptrsv == "off";
  PetscCall(Caught(pc, [&] {
    source = std::string("Option -") + prefix + "pc_sor_sptrsv";
    if (given.ordering == MATORDERINGNATURAL) given.ordering.clear();
  }));
  char const* const ordering = given.ordering.c_str();
  if (!off && !given.sptrsv.empty()) PetscCall(CheckAlgorithm(object, source.c_str(), given.sptrsv.c_str(), "off, "));
  PetscCheck(!off || !*ordering, PetscObjectComm(object), PETSC_ERR_ARG_INCOMP,
             "%s is 'off', but there is -%spc_sor_ordering %s, which PETSc's own sweeps do not have; leave out one",
             source.c_str(), prefix, ordering);
  PetscCall(PetscFunctionListFind(MatOrderingList, *ordering ? ordering : MATORDERINGNATURAL, &known));
  PetscCheck(known, PetscObjectComm(object), PETSC_ERR_ARG_UNKNOWN_TYPE,
             "Option -%spc_sor_ordering is '%s', which PETSc does not know; choose a MatOrderingType, such as color",
             prefix, ordering);
  PetscCall(Caught(pc, [&] {
    choice = SweepChoice{};
    choice.off = off;
    choice.asked = !off && (!given.sptrsv.empty() || *ordering);
    if (!off && !given.sptrsv.empty()) choice.algorithm = given.sptrsv;
    choice.ordering = given.ordering;
  }));
  PetscCall(ReadBackendChoice(object, &choice.where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadSweepAlgorithmOptions(PC pc, SweepChoice& choice)
{
  PetscFunctionBegin;
  choice.options = {};
  if (!choice.off) PetscCall(ReadOptions((PetscObject)pc, choice.algorithm.c_str(), choice.options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
