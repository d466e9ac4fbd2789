// SPDX-License-Identifier: Apache-2.0
// Record of a sequence of random calls: the trace of its calls, counts, and the fault that ended it. It is in memory
// shared with the parent process, so that it survives a crash.
#pragma once

#include <petscksp.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "sptrsv_support/petsc_destroy.hpp"

namespace fuzz {

using sptrsv::support::DestroyAll;

struct Record {
  unsigned long long seed;                         ///< seed of the present sequence
  long long sequences, calls, judged, not_judged;  ///< judged: results compared row by row
  long long refused;                               ///< calls that both sides refused
  double nearest;                                  ///< largest difference, as a fraction of the allowed one
  bool petsc_at_work;                              ///< PETSc's own factor is running, not the plugin's
  bool verbose;                                    ///< print calls as they are made
  std::size_t length;
  char trace[1 << 16];
};
extern Record* record;

/// Adds a line to the trace.
void Trace(char const* format, ...) __attribute__((format(printf, 1, 2)));

/// Error: the plugin differs from PETSc's own factor.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Error of this program, or of PETSc where nothing is compared.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void Fail(char const* format, ...) __attribute__((format(printf, 1, 2)));

/// Checks the code of a call that is not compared.
void Must(PetscErrorCode code, char const* what);
#define FUZZ_MUST(call) ::fuzz::Must((call), #call)

/// Random numbers, the same on every system for the same seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {
    state_ = next() ^ (seed << 32);
  }  // separates the sequence from that of the next seed
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int from(int low, int high) { return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1)); }
  bool chance(int percent) { return from(0, 99) < percent; }
  PetscReal unit() { return static_cast<PetscReal>(next() >> 11) / 4503599627370496.0 - 1; }  ///< in [-1, 1)
  PetscScalar scalar() {
#if defined(PETSC_USE_COMPLEX)
    PetscReal const re = unit();
    return PetscCMPLX(re, unit());
#else
    return unit();
#endif
  }
  template <class T, std::size_t N>
  T const& pick(T const (&all)[N]) {
    return all[from(0, static_cast<int>(N) - 1)];
  }

 private:
  std::uint64_t state_;
};

/// Outcome of a call: the code of the first error raised, and its message.
struct Outcome {
  PetscErrorCode code = PETSC_SUCCESS;
  std::string message;
};
PetscErrorCode KeepError(MPI_Comm, int, char const*, char const*, PetscErrorCode, PetscErrorType, char const*, void*);

template <class Body>
Outcome Quietly(Body const& body) {
  Outcome outcome;
  PetscPushErrorHandler(KeepError, &outcome);
  PetscErrorCode const code = body();
  PetscPopErrorHandler();
  if (!outcome.code) outcome.code = code;
  if (!code) outcome = Outcome{};  // raised and handled inside
  return outcome;
}

enum Side { by_petsc = 0, by_plugin = 1 };

/// Throws a Fault if one side refuses what the other does. @return whether both did it.
bool Agree(char const* what, Outcome const& of_petsc, Outcome const& of_plugin, bool may_do_more);

/// Calls body(by_petsc), then body(by_plugin). @param may_do_more  the plugin may do what PETSc's own type does not
/// (PETSC_ERR_SUP)
template <class Body>
bool Both(char const* what, Body const& body, bool may_do_more = false) {
  ++record->calls;
  record->petsc_at_work = true;
  Outcome const of_petsc = Quietly([&] { return body(by_petsc); });
  record->petsc_at_work = false;
  Outcome const of_plugin = Quietly([&] { return body(by_plugin); });
  return Agree(what, of_petsc, of_plugin, may_do_more);
}

}  // namespace fuzz
