// SPDX-License-Identifier: Apache-2.0
// Events and times for -log_view.
#pragma once

#include <petsctime.h>

#include "base/petsc_compat.hpp"

namespace sptrsv_petsc {

/// Events of the three phases of a solver.
struct Events {
  PetscLogEvent analysis, numeric, solve;
};
/// The plugin's events, which are registered again after each PetscInitialize().
extern Events events;

/// Event that lasts from Begin() to End(), or to the end of the scope, for example after an error. PETSc never again
/// times or counts an event that has not ended.
class LoggedEvent {
 public:
  /// @param seconds  takes the seconds from Begin() to End(); may be null
  LoggedEvent(PetscLogEvent event, PetscObject object, PetscLogDouble* seconds = nullptr)
      : event_(event), object_(object), seconds_(seconds)
  {
  }
  ~LoggedEvent() { End(); }
  LoggedEvent& operator=(LoggedEvent&&) = delete;

  PetscErrorCode Begin()
  {
    PetscFunctionBegin;
    if (seconds_) PetscCall(PetscTime(&begin_));
    PetscCall(PetscLogEventBegin(event_, object_, 0, 0, 0));
    begun_ = true;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  void End()
  {
    PetscLogDouble now = 0;
    if (begun_) (void)PetscLogEventEnd(event_, object_, 0, 0, 0);
    if (begun_ && seconds_ && !PetscTime(&now)) *seconds_ = now - begin_;
    begun_ = false;
  }

 private:
  PetscLogEvent event_;
  PetscObject object_;
  PetscLogDouble *seconds_, begin_ = 0;
  bool begun_ = false;
};

/// GPU time, logged until the end of the scope, also after an error. While such a time has not ended, PETSc refuses to
/// begin another.
class GpuTime {
 public:
  explicit GpuTime(bool on) : on_(on && !PetscLogGpuTimeBegin()) {}
  ~GpuTime()
  {
    if (on_) (void)PetscLogGpuTimeEnd();
  }
  GpuTime& operator=(GpuTime&&) = delete;

 private:
  bool on_;
};

}  // namespace sptrsv_petsc
