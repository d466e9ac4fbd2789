// SPDX-License-Identifier: Apache-2.0
// Linear systems of model problems, assembled on the host and converted to a given matrix type of PETSc.
#pragma once

#include <petscmat.h>

#include <string>

#include "petsc_errors.hpp"

namespace sptrsv::bench {

struct ProblemKind;

/// Model problem and its size.
struct SolutionProblem {
  ProblemKind const* kind = nullptr;
  PetscInt size = 0;  ///< cells per side
  std::string name() const;
  PetscInt entries_per_row() const;  ///< upper bound
  bool symmetric() const;            ///< true: symmetric and positive definite
  bool saddle_point() const;         ///< true: velocities, and pressures with a zero diagonal
};

/// Returns the problem of a text such as poisson:100. @throws std::runtime_error with the known problems
SolutionProblem parse_problem(std::string const& text);

/// Returns a line of help for each problem.
std::string describe_problems();

/// Matrix and right-hand side, which remain unchanged.
class System {
 public:
  System(SolutionProblem const& problem, std::string const& mat_type, Errors const& errors);
  ~System();
  System(System const&) = delete;
  System& operator=(System const&) = delete;

  /// Returns a copy of the matrix, with its properties and near null space. The caller destroys it.
  Mat copy_matrix(Errors const& errors) const;
  Vec b() const { return b_; }  ///< A x for pseudo-random x, the same for all types
  bool symmetric() const { return problem_.symmetric(); }
  bool saddle_point() const { return problem_.saddle_point(); }
  bool on_device() const { return on_device_; }  ///< whether vectors are in a device's memory
  PetscInt rows() const { return rows_; }
  double entries() const { return entries_; }

 private:
  Mat assemble(char const* mat_type) const;
  void make_right_hand_side();
  void make_near_null_space();
  void destroy();
  void must(PetscErrorCode code) const { errors_.must(code); }

  SolutionProblem const problem_;
  Errors const& errors_;
  PetscInt rows_ = 0;
  double entries_ = 0;
  bool on_device_ = false;
  Mat A_ = nullptr;
  Vec b_ = nullptr;
  MatNullSpace near_null_space_ = nullptr;  ///< rigid body modes; null except for elasticity
};

}  // namespace sptrsv::bench
