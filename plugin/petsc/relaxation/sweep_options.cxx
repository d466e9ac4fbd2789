// SPDX-License-Identifier: Apache-2.0
// The options -pc_sor_sptrsv and -pc_sor_ordering: how MatSOR() sweeps.
#include "relaxation/sweep_options.hpp"

#include <cstring>
#include <string>

#include "kokkos/guarded.hpp"
#include "options/factor_options.hpp"

namespace sptrsv_petsc {

PetscErrorCode ReadSweepOptions(PC pc, SweepChoice& choice)
{
  auto const object = (PetscObject)pc;
  char type[64] = "sptrsv", ordering[64] = MATORDERINGNATURAL;
  char const* const prefix = object->prefix ? object->prefix : "";
  std::string source;
  void (*known)(void);
  PetscBool type_set, ordering_set;

  PetscFunctionBegin;
  PetscOptionsBegin(PetscObjectComm(object), object->prefix, "Sweeps of SOR by sptrsv", "PCSOR");
  PetscCall(PetscOptionsString("-pc_sor_sptrsv", "Algorithm of the sweeps, on a host too, or off", "PCSOR", type, type,
                               sizeof type, &type_set));
  PetscCall(PetscOptionsString("-pc_sor_ordering", "Order in which sptrsv sweeps over the rows", "PCSOR", ordering,
                               ordering, sizeof ordering, &ordering_set));
  PetscOptionsEnd();
  bool const off = type_set && !std::strcmp(type, "off"), natural = !std::strcmp(ordering, MATORDERINGNATURAL);
  PetscCall(Caught(pc, [&] { source = std::string("Option -") + prefix + "pc_sor_sptrsv"; }));
  if (!off) PetscCall(CheckAlgorithm(object, source.c_str(), type, "off, "));
  PetscCheck(!off || natural, PetscObjectComm(object), PETSC_ERR_ARG_INCOMP,
             "%s is 'off', but there is -%spc_sor_ordering %s, which PETSc's own sweeps do not have; leave out one",
             source.c_str(), prefix, ordering);
  PetscCall(PetscFunctionListFind(MatOrderingList, ordering, &known));
  PetscCheck(known, PetscObjectComm(object), PETSC_ERR_ARG_UNKNOWN_TYPE,
             "Option -%spc_sor_ordering is '%s', which PETSc does not know; choose a MatOrderingType, such as color",
             prefix, ordering);
  PetscCall(Caught(pc, [&] {
    choice = SweepChoice{};
    choice.off = off;
    choice.asked = !off && (type_set || !natural);
    if (!off) choice.algorithm = type;
    if (!natural) choice.ordering = ordering;
  }));
  PetscCall(ReadBackendChoice(object, &choice.where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadSweepAlgorithmOptions(PC pc, SweepChoice& choice)
{
  PetscFunctionBegin;
  choice.options.clear();
  if (!choice.off) PetscCall(ReadOptions((PetscObject)pc, choice.algorithm.c_str(), choice.options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
