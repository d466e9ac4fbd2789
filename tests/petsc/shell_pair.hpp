// SPDX-License-Identifier: Apache-2.0
// Triangles of a program's own in a PC of type shell, beside substitution in the plainest form.
#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

#include "factor_pair.hpp"

namespace petsc_test {

/// How a triangle gives its diagonal. A stored unit diagonal holds numbers that must not matter.
enum class Given { stored, unit_stored, unit_absent, no_matrix };
constexpr char const* given_names[] = {"stored", "unit_stored", "unit_absent", "no_matrix"};
inline PetscBool IsUnit(Given g) { return (PetscBool)(g == Given::unit_stored || g == Given::unit_absent); }

/// The lower or upper triangle of a grid's matrix, its rows scaled so that solves grow little; NULL for no_matrix.
PetscErrorCode BuildTriangle(Grid const& grid, bool lower, Given given, Mat* T);
/// Other numbers in the same places.
PetscErrorCode SetTriangleValues(Grid const& grid, bool lower, Given given, Mat T);

/// A PC of type shell with L and U, and what its solutions should be.
struct Shell {
  Mat A = nullptr, L = nullptr, U = nullptr;  // A: an operator of the same size, never used but for that
  Given given_L = Given::stored, given_U = Given::stored;
  PC pc = nullptr;
  PetscInt n = 0;

  PetscErrorCode Create(Grid const& grid, Given lower, Given upper);
  /// A new PC for L and U as they are.
  PetscErrorCode Attach(char const* algorithm, char const* prefix);
  PetscErrorCode Destroy();
};

enum class Which { both, both_transposed, left, right };
/// What the PC should make of b, and the scale of its rounding errors: see the tolerance in test_pcshell.cxx.
PetscErrorCode Expected(Shell const& shell, Which which, Vec b, Vec x, Vec scale);

/// What PCView() prints.
std::string ViewText(PC pc);
/// Whether a part of the text matches an extended regular expression.
bool Contains(std::string const& text, std::string const& pattern);
/// "<analyses> <numeric updates> <solves>" of it.
std::string Phases(PC pc);

}  // namespace petsc_test
