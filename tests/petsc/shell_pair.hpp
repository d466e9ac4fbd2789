// SPDX-License-Identifier: Apache-2.0
// A program's own triangles in a PC of type shell, and plain substitution.
#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

#include "factor_pair.hpp"

namespace petsc_test {

/// How a triangle gives its diagonal. The entries of a stored unit diagonal must not matter.
enum class Given { stored, unit_stored, unit_absent, no_matrix };
constexpr char const* given_names[] = {"stored", "unit_stored", "unit_absent", "no_matrix"};
inline PetscBool IsUnit(Given g) { return (PetscBool)(g == Given::unit_stored || g == Given::unit_absent); }

/// Builds the lower or upper triangle of a grid's matrix, with rows scaled so that solutions grow little; NULL for
/// no_matrix.
PetscErrorCode BuildTriangle(Grid const& grid, bool lower, Given given, Mat* T);
/// Sets other values in the same pattern.
PetscErrorCode SetTriangleValues(Grid const& grid, bool lower, Given given, Mat T);

/// PC of type shell with L and U.
struct Shell {
  Mat A = nullptr, L = nullptr, U = nullptr;  // A: an operator of the same size, of which only the size is used
  Given given_L = Given::stored, given_U = Given::stored;
  PC pc = nullptr;
  PetscInt n = 0;

  PetscErrorCode Create(Grid const& grid, Given lower, Given upper);
  /// Makes a PC for the present L and U.
  PetscErrorCode Attach(char const* algorithm, char const* prefix);
  PetscErrorCode Destroy();
};

enum class Which { both, both_transposed, left, right };
/// Computes the PC's expected result for b, and the scale of its rounding errors: see the tolerance in
/// test_pcshell.cxx.
PetscErrorCode Expected(Shell const& shell, Which which, Vec b, Vec x, Vec scale);

/// Returns the output of PCView().
std::string ViewText(PC pc);
/// Tells whether a part of the text matches an extended regular expression.
bool Contains(std::string const& text, std::string const& pattern);
/// Returns "<analyses> <numeric updates> <solves>" of the PC.
std::string Phases(PC pc);

}  // namespace petsc_test
