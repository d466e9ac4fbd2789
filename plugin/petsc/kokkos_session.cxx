// SPDX-License-Identifier: Apache-2.0
// Starting and ending Kokkos inside a program that may never have heard of it.
#include "kokkos_session.hpp"

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <set>
#include <string>

#include "device_stream.hpp"

namespace sptrsv_petsc {
namespace {

std::set<KokkosHolder*>& holders()
{
  static auto* all = new std::set<KokkosHolder*>;  // never destroyed: factors may outlive static destructors
  return *all;
}

void ReleaseHolders()
{
  for (KokkosHolder* holder : std::set<KokkosHolder*>(holders())) holder->release();
}

void HookOnce()
{
  static bool hooked = false;
  if (!hooked) Kokkos::push_finalize_hook(ReleaseHolders);
  hooked = true;
}

// A PETSc that has a GPU chooses the device, so it starts its Kokkos, and ends it in PetscFinalize(). Elsewhere Kokkos
// runs until the process ends, since it cannot start again, and PetscInitialize() may come twice.
#if !defined(PETSC_HAVE_KOKKOS) || defined(PETSC_HAVE_KOKKOS_WITHOUT_GPU)
  #define SPTRSV_STARTS_KOKKOS
void FinalizeAtExit()
{
  if (Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
}

/// @param threads  0: as the environment says, else one. @param device  number of the GPU, where there is one.
void StartOwnKokkos(int threads, int device)
{
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  if (device >= 0) settings.set_device_id(device);
  if (threads > 0) settings.set_num_threads(threads);
  else if (!std::getenv("OMP_NUM_THREADS") && !std::getenv("KOKKOS_NUM_THREADS")) settings.set_num_threads(1);
  Kokkos::initialize(settings);
  std::atexit(FinalizeAtExit);
}
#endif

}  // namespace

KokkosHolder::KokkosHolder()
{
  holders().insert(this);
}
KokkosHolder::~KokkosHolder()
{
  holders().erase(this);
}

PetscErrorCode EnsureKokkos()
{
  PetscFunctionBegin;
  PetscCheck(!Kokkos::is_finalized(), PETSC_COMM_SELF, PETSC_ERR_ORDER, "Kokkos has already ended in this process; set up solvers before Kokkos::finalize()");
#if defined(SPTRSV_STARTS_KOKKOS)
  if (!Kokkos::is_initialized()) {
    PetscInt threads = 0;  // PETSc's own option
    int      device;
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-omp_num_threads", &threads, NULL));
    PetscCall(CurrentDevice(&device));
    PetscCallCXX(StartOwnKokkos((int)threads, device));
  }
#endif
#if defined(PETSC_HAVE_KOKKOS)
  PetscErrorCode const code = PetscKokkosInitializeCheck();
  PetscCheck(!code, PETSC_COMM_SELF, code, "PETSc could not start its Kokkos%s", has_device ? ", which needs a GPU in this build, with -mat_sptrsv_backend host as with device; run where there is a GPU, or with a PETSc and a plugin built without CUDA and HIP" : "");
#endif
  PetscCallCXX(HookOnce());
  PetscFunctionReturn(PETSC_SUCCESS);
}

char const* KokkosDescription(bool device)
{
  static std::string text;
  using space = Kokkos::DefaultHostExecutionSpace;
  bool const running = Kokkos::is_initialized();
  text = std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." + std::to_string(KOKKOS_VERSION % 100) + " ";
  if (device) {
    text += std::string(DeviceExec::name()) + " (device " + std::to_string(running ? Kokkos::device_id() : -1) + "), ";
  } else {
    int const threads = running ? space().concurrency() : 0;
    text += std::string(space::name()) + " (" + std::to_string(threads) + (threads == 1 ? " thread), " : " threads), ");
  }
#if defined(PETSC_HAVE_KOKKOS)
  text += "shared with PETSc";
#else
  text += "own copy";
#endif
  return text.c_str();
}

}  // namespace sptrsv_petsc
