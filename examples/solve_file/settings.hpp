// SPDX-License-Identifier: Apache-2.0
// The options of this program, and the defaults it gives to PETSc's own options.
#pragma once

#include <petscmat.h>

#include <string>
#include <vector>

/// What the program was asked to do.
struct Settings {
  std::string file;                ///< matrix file; empty: generate
  std::string generate;            ///< spec of a generated matrix
  std::vector<std::string> types;  ///< solver types in the order of the table; the first is always `petsc`
  std::string rhs = "product";     ///< product, ones or random
  PetscInt repeat_numeric = 0;     ///< numeric phases with other values after the first solve
  PetscInt runs = 0;               ///< times are medians of that many runs
  bool compare = false;            ///< the short table of times instead of the one with everything
  bool only_help = false;          ///< -help without a matrix: nothing to do

  /// What the table calls the matrix.
  const std::string& name() const { return file.empty() ? generate : file; }
};

/// First text of -help: what the program is and how it is called.
extern const char help_text[];

/// Reads the options.
/// @param error  set to what is wrong, with the remedy; empty if nothing is.
PetscErrorCode get_settings(int argc, char** argv, Settings* settings, std::string* error);

/// Sets `-ksp_type`, `-pc_type` and the like as the matrix suggests, where they are not set yet: CG and ICC if it is
/// symmetric with a positive diagonal, else BiCGStab and ILU, by block Jacobi on several ranks.
/// @param type_option  set to the name of the option that picks the solver type under these.
PetscErrorCode set_default_options(Mat A, std::string* type_option);
