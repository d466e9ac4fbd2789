// SPDX-License-Identifier: Apache-2.0
// Up to two triangles that a program made itself, L and U, behind a PC: kept, watched for changes, solved.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "access/vec_access.hpp"
#include "options/backend_choice.hpp"
#include "solver/any_solver.hpp"

namespace sptrsv_petsc {

/// One of them. On a host its values are the matrix' own, its pattern is a copy: PETSc may put another pattern into the
/// very memory of the old one, so that neither addresses nor PETSc's count of patterns tell whether it is the same.
struct UserTriangle {
  UserTriangle(char const* letter, sptrsv::Triangle side) : name(letter), triangle(side) {}

  char const* name;
  sptrsv::Triangle triangle;
  sptrsv::Diagonal diagonal = sptrsv::Diagonal::stored;
  Mat mat = nullptr;
  std::vector<PetscInt> row_ptr, col_idx;   // none: no pattern yet
  std::unique_ptr<AnyFactorSolver> solver;  // none: to be analyzed
  PetscObjectState state = 0;               // of what was analyzed and taken
  PetscBool numeric_done = PETSC_FALSE;
  PetscLogDouble flops = 0;

  std::size_t pattern_bytes() const { return (row_ptr.size() + col_idx.size()) * sizeof(PetscInt); }
};

struct UserTriangles {
  UserTriangle lower{"L", sptrsv::Triangle::lower}, upper{"U", sptrsv::Triangle::upper};
  PetscInt n = 0;
  std::string asked, requested;  // by the program, and after the options
  Backend backend;               // of both
  PetscInt num_analysis = 0, num_numeric = 0, num_solves = 0;
};

/// Takes a reference to T (NULL: there is none). Errors for what can be told before the values are there:
/// PETSC_ERR_SUP, PETSC_ERR_ARG_SIZ, PETSC_ERR_ARG_WRONG.
PetscErrorCode SetTriangle(PC pc, UserTriangle& t, Mat T, PetscBool unit);

/// Analyzes what has a new pattern, takes new values; does nothing where nothing has changed. Errors name
/// the triangle, the row and a remedy: PETSC_ERR_ARG_WRONG, PETSC_ERR_ARG_WRONGSTATE, PETSC_ERR_MAT_LU_ZRPVT.
PetscErrorCode RefreshTriangles(PC pc, UserTriangles& all);

/// Triangles in the order in which they are solved with, without those that are the identity for want of a matrix.
class TriangleOrder {
 public:
  TriangleOrder(std::initializer_list<UserTriangle*> wanted)
  {
    for (UserTriangle* t : wanted)
      if (t->mat) at_[size_++] = t;
  }
  bool empty() const { return size_ == 0; }
  UserTriangle* const* begin() const { return at_; }
  UserTriangle* const* end() const { return at_ + size_; }

 private:
  UserTriangle* at_[2] = {};
  int size_ = 0;
};

/// Solves with these triangles (not none), all plain or all transposed. b and x must not overlap.
PetscErrorCode SolveTriangles(PC pc, UserTriangles& all, TriangleOrder const& order, bool transposed,
                              Operands const& operands);

PetscErrorCode ViewTriangles(PC pc, UserTriangles const& all, PetscViewer viewer);

/// Lets go of the matrices and of all memory.
PetscErrorCode DestroyTriangles(UserTriangles* all);

}  // namespace sptrsv_petsc
