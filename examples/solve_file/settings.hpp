// SPDX-License-Identifier: Apache-2.0
// Options of this program, and the defaults that it gives to PETSc's options.
#pragma once

#include <petscmat.h>

#include <string>
#include <vector>

/// Settings of the program.
struct Settings {
  std::string file;                ///< matrix file; empty: generate a matrix
  std::string generate;            ///< spec of a generated matrix
  std::vector<std::string> types;  ///< solver types in the order of the table; the first one is `petsc`
  std::string rhs = "product";     ///< product, ones or random
  PetscInt repeat_numeric = 0;     ///< numeric phases with other values after the first solve
  PetscInt runs = 0;               ///< number of runs whose median time is shown
  bool compare = false;            ///< print the short table of times instead of the full one
  bool only_help = false;          ///< -help without a matrix: nothing else to do

  /// Returns the name of the matrix in the table.
  const std::string& name() const { return file.empty() ? generate : file; }
};

/// First text of -help: purpose and usage of the program.
extern const char help_text[];

/// Reads the options.
/// @param error  set to the fault with its remedy; empty if there is none.
PetscErrorCode get_settings(int argc, char** argv, Settings* settings, std::string* error);

/// Sets `-ksp_type`, `-pc_type` and similar options to suit the matrix, unless they are set: CG and ICC if it is
/// symmetric with a positive diagonal, otherwise BiCGStab and ILU, with block Jacobi on several ranks.
/// @param type_option  set to the name of the option that selects the solver type under these options.
PetscErrorCode set_default_options(Mat A, std::string* type_option);
