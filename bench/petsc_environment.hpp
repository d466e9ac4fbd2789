// SPDX-License-Identifier: Apache-2.0
// PETSc's version, the device of this rank and the devices of all ranks.
#pragma once

#include <petscsys.h>

#include <string>
#include <vector>

namespace sptrsv::bench {

/// Returns text such as 3.26.1.
std::string petsc_version();

/// Returns the name of the device that PETSc computes on; "none" if there is none.
std::string device_name();

/// Host and device of a rank.
struct RankDevice {
  std::string host;
  std::string device;   ///< device_name()
  std::string number;   ///< PETSc's number of the device among the visible ones; "none" if there is none
  std::string pci_bus;  ///< empty if not known
  std::string visible;  ///< CUDA_VISIBLE_DEVICES; empty if not set
  std::string text() const;
};

/// Returns a RankDevice for each rank of `comm` on rank 0, in the order of ranks; empty on the others. Collective.
std::vector<RankDevice> rank_devices(MPI_Comm comm);

}  // namespace sptrsv::bench
