// SPDX-License-Identifier: Apache-2.0
// Asks PETSc for its device, and the CUDA runtime that PETSc has loaded, if any, for the device's PCI bus.
#include "petsc_environment.hpp"

#include <dlfcn.h>
#include <petscdevice.h>
#include <petscviewer.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "petsc_errors.hpp"

namespace sptrsv::bench {
namespace {

/// Returns the current context's device; null for the host.
PetscDevice current_device(Errors const& errors, PetscDeviceType* type) {
  PetscDeviceContext context = nullptr;
  PetscDevice device = nullptr;
  *type = PETSC_DEVICE_HOST;
  errors.must(PetscDeviceContextGetCurrentContext(&context));
  errors.must(PetscDeviceContextGetDevice(context, &device));
  errors.must(PetscDeviceGetType(device, type));
  return *type == PETSC_DEVICE_HOST ? nullptr : device;
}

/// Looks up the functions of the CUDA runtime in this process by name, so that the program needs neither its headers
/// nor the library.
std::string pci_bus_of_current_device() {
  using GetDevice = int (*)(int*);
  using GetBus = int (*)(char*, int, int);
  auto const get_device = reinterpret_cast<GetDevice>(dlsym(RTLD_DEFAULT, "cudaGetDevice"));
  auto const get_bus = reinterpret_cast<GetBus>(dlsym(RTLD_DEFAULT, "cudaDeviceGetPCIBusId"));
  int device = 0;
  char bus[32] = "";
  if (!get_device || !get_bus || get_device(&device) != 0 || get_bus(bus, sizeof bus, device) != 0) return "";
  return bus;
}

/// Describes this rank. An error of the device becomes text, so that all ranks reach the next collective call.
RankDevice device_of_this_rank() {
  RankDevice rank;
  rank.number = "none";
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  rank.host = MPI_Get_processor_name(name, &length) == MPI_SUCCESS ? name : "unknown";
  char const* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  rank.visible = visible ? visible : "";
  try {
    rank.device = device_name();
    Errors const errors;
    PetscDeviceType type = PETSC_DEVICE_HOST;
    PetscDevice const device = current_device(errors, &type);
    if (!device) return rank;
    PetscInt number = 0;
    errors.must(PetscDeviceGetDeviceId(device, &number));
    rank.number = std::to_string(number);
    if (type == PETSC_DEVICE_CUDA) rank.pci_bus = pci_bus_of_current_device();
  } catch (std::exception const& e) {
    rank.device = std::string("FAILED: ") + e.what();
  }
  return rank;
}

constexpr int packed_length = 1024;

/// Packs the members into a fixed number of characters, each zero-terminated; longer texts are cut.
std::vector<char> packed(RankDevice const& rank) {
  std::vector<char> out;
  for (auto const* text : {&rank.host, &rank.device, &rank.number, &rank.pci_bus, &rank.visible}) {
    std::string const part = text->substr(0, packed_length / 5 - 1);
    out.insert(out.end(), part.begin(), part.end());
    out.push_back('\0');
  }
  out.resize(packed_length, '\0');
  return out;
}

RankDevice unpacked(char const* at) {
  RankDevice rank;
  for (auto* text : {&rank.host, &rank.device, &rank.number, &rank.pci_bus, &rank.visible}) {
    *text = at;
    at += text->size() + 1;
  }
  return rank;
}

}  // namespace

std::string petsc_version() {
  PetscInt major = 0, minor = 0, subminor = 0;
  (void)PetscGetVersionNumber(&major, &minor, &subminor, nullptr);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(subminor);
}

std::string device_name() {
  Errors const errors;
  PetscDeviceType type = PETSC_DEVICE_HOST;
  PetscDevice const device = current_device(errors, &type);
  if (!device) return "none";
  std::string const kind = PetscDeviceTypes[type];
  char* text = nullptr;
  std::size_t length = 0;
  PetscViewer viewer = nullptr;
  std::FILE* const memory = open_memstream(&text, &length);
  if (!memory) return kind;
  errors.must(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, memory, &viewer));
  errors.must(PetscDeviceView(device, viewer));
  errors.must(PetscViewerDestroy(&viewer));
  std::fclose(memory);
  std::istringstream in(text);
  std::free(text);
  for (std::string line; std::getline(in, line);)
    if (auto const at = line.find("name: "); at != std::string::npos) return kind + ", " + line.substr(at + 6);
  return kind;
}

std::string RankDevice::text() const {
  std::string out = "host " + host + ", device " + number;
  if (device != "none") out += ", " + device;
  if (!pci_bus.empty()) out += ", PCI " + pci_bus;
  return visible.empty() ? out : out + ", CUDA_VISIBLE_DEVICES=" + visible;
}

std::vector<RankDevice> rank_devices(MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  auto const mine = packed(device_of_this_rank());
  std::vector<char> all(rank == 0 ? static_cast<std::size_t>(ranks) * packed_length : 0);
  MPI_Gather(mine.data(), packed_length, MPI_CHAR, all.data(), packed_length, MPI_CHAR, 0, comm);
  std::vector<RankDevice> devices;
  for (std::size_t at = 0; at < all.size(); at += packed_length) devices.push_back(unpacked(all.data() + at));
  return devices;
}

}  // namespace sptrsv::bench
