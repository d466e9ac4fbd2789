// SPDX-License-Identifier: Apache-2.0
// main() of the benches that run within PETSc.
#pragma once

#include <petscsys.h>

#include <iostream>
#include <stdexcept>
#include <string>

#include "sptrsv_support/petsc_success.hpp"

namespace sptrsv::bench {

/// Replaces the argument `--help` by `-help`, the only one that PETSc knows.
inline void accept_long_help(int argc, char** argv) {
  static char short_help[] = "-help";
  for (int k = 1; k < argc; ++k)
    if (argv[k] == std::string("--help")) argv[k] = short_help;
}

/// Tells whether `-help` is among the options: PETSc prints its text, and the program need not run.
inline bool help_is_asked() {
  PetscBool asked = PETSC_FALSE;
  return PetscOptionsHasHelp(nullptr, &asked) == PETSC_SUCCESS && asked;
}

/// Runs a bench within PETSc. @return exit status: 0 if run() returns true
/// @param what  what has failed if run() returns false
inline int petsc_main(int argc, char** argv, char const* help, char const* name, bool (*run)(),
                      char const* what = "a type of sptrsv") {
  accept_long_help(argc, argv);
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  int exit_code = 1;
  try {
    if (run()) exit_code = 0;
    else std::cerr << name << ": " << what << " failed, see above\n";
  } catch (std::exception const& e) {
    std::cerr << name << ": " << e.what() << '\n';
  }
  PetscCall(PetscFinalize());
  return exit_code;
}

/// @throws std::runtime_error if there are several processes
inline void require_one_process() {
  PetscMPIInt processes = 1;
  if (MPI_Comm_size(PETSC_COMM_WORLD, &processes) != MPI_SUCCESS || processes != 1)
    throw std::runtime_error("it runs on one process, not on " + std::to_string(processes));
}

}  // namespace sptrsv::bench
