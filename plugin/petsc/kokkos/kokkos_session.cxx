// SPDX-License-Identifier: Apache-2.0
// Starts and ends Kokkos in a program that need not use Kokkos itself.
#include "kokkos/kokkos_session.hpp"

#include <pthread.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <set>

#include "kokkos/device_stream.hpp"
#include "kokkos/guarded.hpp"
#include "kokkos/kokkos_environment.hpp"

namespace sptrsv_petsc {

int lost_threads = 0;
bool lost_device = false;

namespace {

std::set<KokkosHolder*>& holders()
{
  static auto* all = new std::set<KokkosHolder*>;  // never destroyed: factors may outlive static destructors
  return *all;
}

void ReleaseHolders()
{
  auto& all = holders();
  for (auto at = all.begin(); at != all.end();) (*at++)->release();  // release() may remove the holder from the set
}

void RecordForkLosses()
{
  if (!Kokkos::is_initialized() || Kokkos::is_finalized()) return;
  int const threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  lost_threads = threads > 1 ? threads : 0;
  lost_device = has_device;
}

void HookOnce()
{
  static bool hooked = false, watched = false;
  if (!watched) watched = !pthread_atfork(nullptr, nullptr, RecordForkLosses);
  if (!watched) throw std::bad_alloc();
  if (!hooked) Kokkos::push_finalize_hook(ReleaseHolders);
  hooked = true;
}

// A PETSc with a GPU chooses the device, so PETSc starts its Kokkos, and ends it in PetscFinalize(). With other PETScs
// the plugin starts Kokkos, which runs until the process ends: unlike PETSc, Kokkos cannot start again.
#if !defined(PETSC_HAVE_KOKKOS) || defined(PETSC_HAVE_KOKKOS_WITHOUT_GPU)
#define SPTRSV_STARTS_KOKKOS
void FinalizeAtExit()
{
  if (lost_threads || lost_device) return;  // finalize() would wait for what this process has lost
  if (Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
}

/// Allocates each thread's scratch memory before a solver needs it. If a later enlargement fails, Kokkos 4.7 forgets
/// that it has already freed the old memory, and frees it again.
void ReserveThreadMemory()
{
  using Host = Kokkos::DefaultHostExecutionSpace;
  struct Wide {
    double numbers[64] = {};
    void operator+=(Wide const& other) { numbers[0] += other.numbers[0]; }
  };
  Kokkos::TeamPolicy<Host> const one(Host(), 1, 1);
  Kokkos::parallel_for(
      "sptrsv::petsc::reserve",
      Kokkos::TeamPolicy<Host>(one).set_scratch_size(0, Kokkos::PerTeam(4096), Kokkos::PerThread(4096)),
      [](Kokkos::TeamPolicy<Host>::member_type const&) {});
  Wide sum;
  Kokkos::parallel_reduce("sptrsv::petsc::reserve", Kokkos::RangePolicy<Host>(0, 1), [](int, Wide&) {}, sum);
}

/// Starts Kokkos.
/// @param threads  number of threads; 0: as environment variables say
/// @param device   number of the GPU; -1: none
void StartOwnKokkos(int threads, int device)
{
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  if (device >= 0) settings.set_device_id(device);
  if (threads > 0) settings.set_num_threads(threads);
  Kokkos::initialize(settings);
  ReserveThreadMemory();
  std::atexit(FinalizeAtExit);
}
#endif

/// Whether starting Kokkos has failed. A second attempt would end the process.
bool start_failed = false;

}  // namespace

KokkosHolder::KokkosHolder() { holders().insert(this); }
KokkosHolder::~KokkosHolder() { holders().erase(this); }

PetscErrorCode EnsureKokkos()
{
  PetscFunctionBegin;
  PetscCall(CheckProcess());
  PetscCheck(!start_failed, PETSC_COMM_SELF, PETSC_ERR_ORDER,
             "Kokkos could not start before, and cannot be asked again; start the program with more memory");
  PetscCheck(!Kokkos::is_finalized(), PETSC_COMM_SELF, PETSC_ERR_ORDER,
             "Kokkos has already ended in this process; set up solvers before Kokkos::finalize()");
  if (!Kokkos::is_initialized()) {
    int threads;
    PetscCall(ReadKokkosEnvironment(&threads));
#if defined(SPTRSV_STARTS_KOKKOS)
    int device;
    PetscCall(CurrentDevice(&device));
    start_failed = true;
    PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { StartOwnKokkos(threads, device); }));
    start_failed = false;
#endif
  }
#if defined(PETSC_HAVE_KOKKOS)
  PetscErrorCode const code = PetscKokkosInitializeCheck();
  PetscCheck(!code, PETSC_COMM_SELF, code, "PETSc could not start its Kokkos%s",
             has_device ? ", which needs a GPU in this build, with -mat_sptrsv_backend host as with device; run where "
                          "there is a GPU, or with a PETSc and a plugin built without CUDA and HIP"
                        : "");
#endif
  PetscCall(GuardedOn(PETSC_COMM_SELF, HookOnce));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string KokkosVersion()
{
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
         std::to_string(KOKKOS_VERSION % 100);
}

std::string KokkosDescription(bool device)
{
  std::string text;
  using space = Kokkos::DefaultHostExecutionSpace;
  bool const running = Kokkos::is_initialized();
  text = KokkosVersion() + " ";
  if (device) {
    text += std::string(DeviceExec::name()) + " (device " + std::to_string(running ? Kokkos::device_id() : -1) + "), ";
  } else {
    int const threads = running ? space().concurrency() : 0;
    text += std::string(space::name()) + " (" + std::to_string(threads) + (threads == 1 ? " thread), " : " threads), ");
  }
  return text + kokkos_owner;
}

}  // namespace sptrsv_petsc
