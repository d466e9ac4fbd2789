// SPDX-License-Identifier: Apache-2.0
// The options -pc_sor_sptrsv and -pc_sor_ordering: how MatSOR() sweeps.
#pragma once

#include <string>

#include "base/petsc_compat.hpp"
#include "options/backend_choice.hpp"
#include "sptrsv/options.hpp"

namespace sptrsv_petsc {

/// Sweeps that a PC's options choose.
struct SweepChoice {
  bool off = false;                  ///< whether PETSc's own sweeps run everywhere
  bool asked = false;                ///< whether sptrsv's sweeps run on a host, too
  std::string algorithm = "sptrsv";  ///< a name of algorithm_infos(), or "sptrsv"
  std::string ordering;              ///< a MatOrderingType; empty: natural order
  BackendChoice where = BackendChoice::by_vectors;
  sptrsv::Options options;  ///< options of the algorithm; empty until ReadSweepAlgorithmOptions()

  bool operator==(SweepChoice const& other) const
  {
    return off == other.off && asked == other.asked && algorithm == other.algorithm && ordering == other.ordering &&
           options == other.options;
  }
};

/// Tells whether the PC's present set-up reads options: it does if it is the first, the first after PCSetFromOptions(),
/// or one for a new pattern.
/// @param read_at  number of calls of PCSetFromOptions() when the options were read last; -1: never
inline bool ReadsOptions(PC pc, PetscInt read_at)
{
  return read_at != pc->setfromoptionscalled || pc->flag == DIFFERENT_NONZERO_PATTERN;
}

/// Reads -pc_sor_sptrsv, -pc_sor_ordering and -mat_sptrsv_backend with the PC's prefix. Errors:
/// PETSC_ERR_ARG_UNKNOWN_TYPE for an unknown type, PETSC_ERR_ARG_INCOMP for an ordering with -pc_sor_sptrsv off, and
/// those of ReadBackendChoice().
PetscErrorCode ReadSweepOptions(PC pc, SweepChoice& choice);

/// Reads the options of the chosen algorithm with the PC's prefix. Errors are those of ReadOptions().
PetscErrorCode ReadSweepAlgorithmOptions(PC pc, SweepChoice& choice);

}  // namespace sptrsv_petsc
