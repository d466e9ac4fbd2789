// SPDX-License-Identifier: Apache-2.0
// The GPU stream on which PETSc works, and Kokkos' instances on it.
#include "kokkos/device_stream.hpp"

#include <petscdevice.h>

#include <map>

#include "kokkos/kokkos_session.hpp"

#if defined(SPTRSV_PETSC_DEVICE) && defined(PETSC_HAVE_KOKKOS) && __has_include(<petsc_kokkos.hpp>)
#include <petsc_kokkos.hpp>
#define SPTRSV_PETSC_SHOWS_KOKKOS
#endif

namespace sptrsv_petsc {

#if defined(SPTRSV_PETSC_DEVICE)

namespace {

#if defined(KOKKOS_ENABLE_CUDA)
Stream StreamOf(DeviceExec const& exec) { return exec.cuda_stream(); }
DeviceExec NewInstance(Stream stream) { return DeviceExec(static_cast<cudaStream_t>(stream)); }
#else
Stream StreamOf(DeviceExec const& exec) { return exec.hip_stream(); }
DeviceExec NewInstance(Stream stream) { return DeviceExec(static_cast<hipStream_t>(stream)); }
#endif

/// Returns PETSc's Kokkos instance, or null if PETSc has not started Kokkos or gives no access to its instance.
DeviceExec const* OwnInstance()
{
#if defined(SPTRSV_PETSC_SHOWS_KOKKOS)
  return PetscKokkosExecutionSpacePtr;
#else
  return nullptr;
#endif
}

struct Instances final : KokkosHolder {
  std::map<Stream, DeviceExec> all;
  void release() override { all.clear(); }
};

}  // namespace

char const* WithoutDevice() { return ""; }

PetscErrorCode CurrentStream(bool kokkos_vectors, Stream* stream)
{
  PetscDeviceContext context;
  PetscDeviceType type;
  void* handle;

  PetscFunctionBegin;
  *stream = nullptr;
  if (kokkos_vectors && OwnInstance()) {
    *stream = StreamOf(*OwnInstance());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetDeviceType(context, &type));
  if (type == PETSC_DEVICE_HOST) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDeviceContextGetStreamHandle(context, &handle));
  *stream = *static_cast<Stream*>(handle);
  PetscFunctionReturn(PETSC_SUCCESS);
}

DeviceExec instance_on(Stream stream)
{
  static auto* const made = new Instances;  // never destroyed: solvers may outlive static destructors
  if (OwnInstance() && StreamOf(*OwnInstance()) == stream) return *OwnInstance();
  auto at = made->all.find(stream);
  if (at == made->all.end()) at = made->all.emplace(stream, NewInstance(stream)).first;
  return at->second;
}

PetscErrorCode CurrentDevice(int* id)
{
  PetscDeviceContext context;
  PetscDevice device;
  PetscInt number;

  PetscFunctionBegin;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetDevice(context, &device));
  PetscCall(PetscDeviceGetDeviceId(device, &number));
  *id = (int)number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

char const* WithoutDevice()
{
#if !defined(PETSC_HAVE_CUDA) && !defined(PETSC_HAVE_HIP)
  return "this PETSc has no GPU; use host, or build the plugin with a PETSc (3.20 or newer) and a Kokkos that have "
         "CUDA or HIP";
#elif !defined(SPTRSV_PETSC_SHOWS_STREAM)
  return "PETSc before 3.20 does not tell which stream of the GPU it works on; use host, or build the plugin with a "
         "newer PETSc that has CUDA or HIP";
#else
  return "the Kokkos of this build has not the GPU that PETSc has; use host, or build the plugin with a Kokkos that "
         "has PETSc's CUDA or HIP";
#endif
}

PetscErrorCode CurrentStream(bool, Stream* stream)
{
  PetscFunctionBegin;
  *stream = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

DeviceExec instance_on(Stream) { return {}; }

PetscErrorCode CurrentDevice(int* id)
{
  PetscFunctionBegin;
  *id = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif

}  // namespace sptrsv_petsc
