// SPDX-License-Identifier: Apache-2.0
// The options -pc_sor_sptrsv and -pc_sor_ordering: how MatSOR() sweeps.
#pragma once

#include <string>

#include "base/petsc_compat.hpp"
#include "sptrsv/options.hpp"

namespace sptrsv_petsc {

/// Choice of the sweeps of a PC.
struct SweepChoice {
  bool off = false;                  ///< whether PETSc's own sweeps run everywhere
  bool asked = false;                ///< whether sptrsv's sweeps run on a host, too
  std::string algorithm = "sptrsv";  ///< a name of algorithm_infos(), or "sptrsv"
  std::string ordering;              ///< a MatOrderingType; empty: natural order
  sptrsv::OptionValues options;      ///< options of the algorithm

  bool operator==(SweepChoice const& other) const
  {
    return off == other.off && asked == other.asked && algorithm == other.algorithm && ordering == other.ordering &&
           options == other.options;
  }
};

/// Reads -pc_sor_sptrsv, -pc_sor_ordering and the options of the algorithm with the PC's prefix. Errors:
/// PETSC_ERR_ARG_UNKNOWN_TYPE for an unknown type, and those of ReadOptions().
PetscErrorCode ReadSweepOptions(PC pc, SweepChoice& choice);

}  // namespace sptrsv_petsc
