// SPDX-License-Identifier: Apache-2.0
// Implicit time steps with one of PETSc's solver types: new values in the same pattern, then a Krylov solve.
#pragma once

#include <petscksp.h>

#include <string>
#include <vector>

namespace sptrsv::bench {

/// How a step makes A = scale K + shift I from K, which remains unchanged.
enum class Change {
  device,  ///< MatZeroEntries and two MatAXPY: on the device for aijkokkos and aijcusparse
  copy     ///< MatCopy, MatScale, MatShift: PETSc runs MatCopy on the host, and for aijcusparse also MatShift
};

/// System, the same for all types.
struct StepsProblem {
  std::string name;
  int dimensions = 3;          ///< 3: diffusion and convection, BiCGStab with ILU(0); 2: diffusion, CG with ICC(0)
  PetscInt size = 100;         ///< unknowns per side
  PetscInt steps = 11;         ///< the first step includes the set-up
  PetscReal step_size = 1;     ///< relative to the square of the mesh size; halved in the first step
  PetscReal convection = 0.1;  ///< relative to the diffusion, in 3D
  Change change = Change::device;
  bool warm_up = true;  ///< first take a step of another system, which loads kernels
  bool view = false;    ///< call KSPView after the last step
  bool symmetric() const { return dimensions == 2; }
  PetscInt rows() const { return dimensions == 3 ? size * size * size : size * size; }
};

struct StepsCase {
  std::string type, mat_type, ordering;
  bool may_fail = false;
  std::string name() const { return type + ":" + mat_type + ":" + ordering; }
};

/// Seconds, fenced before and after, and the residual.
struct Step {
  double change = 0, setup = 0, solve = 0;
  PetscInt iterations = 0;
  double residual = 0;  ///< norm(b - A x) / norm(b), computed from A and x
};

struct StepsResult {
  std::string error;  ///< empty if all calls succeeded and the answers were right
  std::vector<Step> steps;
  std::string pc, used, ordering;  ///< PC type, and the factor's solver type and ordering
  std::string memory;              ///< memory of the solution: host or device
  double entries = 0;              ///< entries of A
};

/// Takes the steps. A PETSc error, a solve that does not converge or a wrong answer ends them and is reported in
/// `error`.
StepsResult run_steps(StepsProblem const& problem, StepsCase const& what);

}  // namespace sptrsv::bench
