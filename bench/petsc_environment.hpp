// SPDX-License-Identifier: Apache-2.0
// What PETSc computes with: its version, the device of this rank and those of all ranks.
#pragma once

#include <petscsys.h>

#include <string>
#include <vector>

namespace sptrsv::bench {

/// As 3.26.1.
std::string petsc_version();

/// The device that PETSc computes on, in words; "none" where there is none.
std::string device_name();

/// Where a rank runs.
struct RankPlace {
  std::string host;
  std::string device;   ///< device_name()
  std::string number;   ///< PETSc's number of the device among those that are visible; "none" where there is none
  std::string pci_bus;  ///< empty if it is not known
  std::string visible;  ///< CUDA_VISIBLE_DEVICES; empty if it is not set
  std::string text() const;
};

/// One of each rank of `comm`, in the order of ranks, on rank 0; empty on the others. Collective.
std::vector<RankPlace> rank_places(MPI_Comm comm);

}  // namespace sptrsv::bench
