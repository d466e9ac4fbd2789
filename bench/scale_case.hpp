// SPDX-License-Identifier: Apache-2.0
// A system on a grid that MPI ranks share, solved with one of PETSc's PCs and solver types on each rank.
#pragma once

#include <petscksp.h>

#include <memory>
#include <string>
#include <vector>

namespace sptrsv::bench {

/// The system and how it is solved, the same for all cases.
struct ScaleProblem {
  bool box = false;            ///< stencil27: 27 points, symmetric, CG with ICC(0); else dmda7: BiCGStab with ILU(0)
  PetscInt size = 40;          ///< unknowns per side, of a rank's part or of the grid
  bool per_rank = true;        ///< every rank has size^3 rows; else there are size^3 in all
  PetscInt iterations = 20;    ///< Krylov iterations of a solve, whatever the residual is
  bool converge = false;       ///< instead, iterate to a relative tolerance of 1e-8, and check the answer
  PetscInt repeat = 3;         ///< set-ups with new values, and solves, whose medians are kept
  PetscReal convection = 0.1;  ///< of dmda7, along the first dimension, beside a diffusion of 1
  bool view = false;           ///< KSPView after the last solve
  char const* name() const { return box ? "stencil27" : "dmda7"; }
  char const* krylov() const { return box ? KSPCG : KSPBCGS; }
  char const* factor() const { return box ? PCICC : PCILU; }
};

/// The grid, and how DMDA deals it out.
struct Grid {
  PetscInt points[3] = {1, 1, 1};
  PetscInt ranks[3] = {1, 1, 1};  ///< along each dimension
  PetscInt rows() const { return points[0] * points[1] * points[2]; }
};

struct ScaleCase {
  std::string pc;        ///< jacobi, or bjacobi and asm with a factor on each rank
  PetscInt blocks = 1;   ///< of bjacobi, on each rank
  std::string type;      ///< the factor's solver type; empty for jacobi
  std::string mat_type;  ///< aij, aijkokkos, ...
  std::string ordering;  ///< empty for jacobi
  bool may_fail = false;
  std::string pc_name() const { return pc + (blocks == 1 ? "" : std::to_string(blocks)); }
  std::string name() const {
    return pc_name() + ":" + type + ":" + mat_type + (ordering.empty() ? "" : ":" + ordering);
  }
};

/// Seconds on the slowest rank, fenced at both ends.
struct ScaleResult {
  std::string error;            ///< empty if all went well; the same on all ranks
  double first_setup = 0;       ///< symbolic and numeric
  std::vector<double> setups;   ///< numeric, with other values in the same pattern
  std::vector<double> solves;   ///< of `iterations` iterations
  PetscInt iterations = 0;      ///< of the last solve, whose values are the original ones
  double residual = 0;          ///< norm(b - A x) / norm(b) after it, computed from A and x
  std::string memory = "host";  ///< where the solution lies: host or device
};

/// The grid of `problem` on the ranks of PETSC_COMM_WORLD. Collective.
Grid make_grid(ScaleProblem const& problem);

/// Collective: what one rank fails at, all of them learn.
/// @param mine  what this rank failed at; empty if at nothing.
/// @return the error of the lowest rank that failed, with its number; empty if all went well. Where other ranks wait
///         inside PETSc for the one that failed, the job is aborted with its error.
std::string agreed_error(std::string const& mine);

class ScaleSystem;

/// Runs cases one after another; consecutive ones of one type of matrix share the matrix.
class ScaleRunner {
 public:
  /// Collective.
  ScaleRunner(ScaleProblem const& problem, Grid const& grid);
  ~ScaleRunner();
  ScaleRunner(ScaleRunner const&) = delete;
  ScaleRunner& operator=(ScaleRunner const&) = delete;
  /// Collective. An error of PETSc, a solve that ends early or, where it is to converge, a wrong answer is in `error`.
  ScaleResult run(ScaleCase const& what);

 private:
  ScaleProblem const& problem_;
  Grid const& grid_;
  std::unique_ptr<ScaleSystem> system_;
};

}  // namespace sptrsv::bench
