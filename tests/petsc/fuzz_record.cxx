// SPDX-License-Identifier: Apache-2.0
// Traces calls, and judges how they end.
#include "fuzz_record.hpp"

#include <cstdarg>

namespace fuzz {

Record* record = nullptr;

void Trace(char const* format, ...) {
  va_list list;
  std::size_t const room = sizeof record->trace - record->length;

  va_start(list, format);
  int const length = std::vsnprintf(record->trace + record->length, room, format, list);
  va_end(list);
  if (record->verbose) std::fputs(record->trace + record->length, stdout), std::fflush(stdout);
  if (length > 0 && static_cast<std::size_t>(length) < room) record->length += static_cast<std::size_t>(length);
}

void Fail(char const* format, ...) {
  char text[2000];
  va_list list;

  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  throw Fault(text);
}

void Must(PetscErrorCode code, char const* what) {
  if (code) throw Broken(std::string(what) + " returned " + std::to_string(static_cast<int>(code)));
}

PetscErrorCode KeepError(MPI_Comm, int, char const*, char const*, PetscErrorCode code, PetscErrorType kind,
                         char const* text, void* context) {
  auto* outcome = static_cast<Outcome*>(context);
  if (kind == PETSC_ERROR_INITIAL) {
    outcome->code = code;
    outcome->message = text ? text : "";
  }
  return code;
}

namespace {

/// Tells whether docs/support.md documents this refusal by the plugin.
bool IsDocumented(std::string const& message) {
  for (char const* known : {"so it has no square root", "A Hermitian matrix of type"})
    if (message.find(known) != std::string::npos) return true;
  return false;
}

}  // namespace

bool Agree(char const* what, Outcome const& of_petsc, Outcome const& of_plugin, bool may_do_more) {
  if (!of_petsc.code && of_plugin.code && !IsDocumented(of_plugin.message))
    Fail("%s: PETSc's own does it, the plugin's ends with error %d: %s", what, (int)of_plugin.code,
         of_plugin.message.c_str());
  if (of_petsc.code && !of_plugin.code && !(may_do_more && of_petsc.code == PETSC_ERR_SUP))
    Fail("%s: PETSc's own ends with error %d, the plugin's does not: %s", what, (int)of_petsc.code,
         of_petsc.message.c_str());
  if (of_petsc.code && of_plugin.code) {
    ++record->refused;
    Trace("    (both refuse: error %d, %.70s; the plugin's %d, %.100s)\n", (int)of_petsc.code, of_petsc.message.c_str(),
          (int)of_plugin.code, of_plugin.message.c_str());
  }
  return !of_petsc.code && !of_plugin.code;
}

}  // namespace fuzz
