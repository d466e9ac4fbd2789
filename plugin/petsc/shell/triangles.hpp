// SPDX-License-Identifier: Apache-2.0
// A program's triangles L and U for a PC: finds their changes, and solves with them.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "access/matrix_arrays.hpp"
#include "access/vec_access.hpp"
#include "options/backend_choice.hpp"
#include "solver/any_solver.hpp"

namespace sptrsv_petsc {

/// One triangle of the program. On a host the solver reads the matrix' own values. The pattern is a copy, since PETSc
/// may move an unchanged pattern to other memory.
struct UserTriangle {
  UserTriangle(char const* letter, sptrsv::Triangle side) : name(letter), triangle(side) {}
  ~UserTriangle()
  {
    solver.reset();  // freed before the arrays that it reads
    (void)MatDestroy(&mat);
  }

  char const* name;
  sptrsv::Triangle triangle;
  sptrsv::Diagonal diagonal = sptrsv::Diagonal::stored;
  Mat mat = nullptr;
  PatternStamp stamp;  // stamp of the pattern
  std::vector<PetscInt> row_ptr, col_idx;
  std::unique_ptr<AnyFactorSolver> solver;  // null: to be analyzed
  PetscObjectState state = 0;               // object state of the pattern and values that were read
  PetscBool numeric_done = PETSC_FALSE;
  PetscLogDouble flops = 0;

  std::size_t pattern_bytes() const { return (row_ptr.size() + col_idx.size()) * sizeof(PetscInt); }
};

struct UserTriangles {
  UserTriangle lower{"L", sptrsv::Triangle::lower}, upper{"U", sptrsv::Triangle::upper};
  PetscInt n = 0;
  std::string asked, requested;  // algorithm that the program chose; algorithm in use
  Backend backend;               // where both triangles' solves run
  PetscInt num_analysis = 0, num_numeric = 0, num_solves = 0;
};

/// Sets a triangle to T, and takes a reference to T (null: no triangle). Errors that do not depend on values:
/// PETSC_ERR_SUP, PETSC_ERR_ARG_SIZ, PETSC_ERR_ARG_WRONG.
PetscErrorCode SetTriangle(PC pc, UserTriangle& t, Mat T, PetscBool unit);

/// Analyzes both triangles if one has a new pattern, and takes new values; does nothing if nothing has changed. Errors
/// name the triangle, the row and a remedy: PETSC_ERR_ARG_WRONG, PETSC_ERR_ARG_WRONGSTATE, PETSC_ERR_MAT_LU_ZRPVT.
PetscErrorCode RefreshTriangles(PC pc, UserTriangles& all);

/// Triangles in the order of the solves. A triangle without a matrix is the identity, and left out.
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

/// Solves with at least one triangle in the given order, all plain or all transposed. b and x must not overlap.
PetscErrorCode SolveTriangles(PC pc, UserTriangles& all, TriangleOrder const& order, bool transposed,
                              VectorAccess const& v);

PetscErrorCode ViewTriangles(PC pc, UserTriangles const& all, PetscViewer viewer);

}  // namespace sptrsv_petsc
