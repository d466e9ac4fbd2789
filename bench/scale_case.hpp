// SPDX-License-Identifier: Apache-2.0
// System on a grid shared by MPI ranks, solved with one of PETSc's PCs and solver types on each rank.
#pragma once

#include <petscksp.h>

#include <memory>
#include <string>
#include <vector>

namespace sptrsv::bench {

/// System and solution method, the same for all cases.
struct ScaleProblem {
  bool box = false;            ///< true: stencil27, 27 points, symmetric, CG with ICC(0); false: dmda7, BiCGStab with
                               ///< ILU(0)
  PetscInt size = 40;          ///< unknowns per side of a rank's part, or of the grid if not per_rank
  bool per_rank = true;        ///< true: every rank has size^3 rows; false: all ranks together have size^3
  PetscInt iterations = 20;    ///< Krylov iterations of a solve, independent of the residual
  bool converge = false;       ///< instead, iterate to a relative tolerance of 1e-8, and check the answer
  PetscInt repeat = 7;         ///< number of set-ups with new values, and of solves; their medians are kept
  PetscReal convection = 0.1;  ///< dmda7: along the first dimension, relative to the diffusion
  bool view = false;           ///< call KSPView after the last solve
  bool nested = false;         ///< true: the grid's points along a dimension are (size - 1) ranks + 1, for multigrid
  char const* name() const { return box ? "stencil27" : "dmda7"; }
  char const* krylov() const { return box ? KSPCG : KSPBCGS; }
  char const* factor() const { return box ? PCICC : PCILU; }
};

/// Grid, and its partition by DMDA.
struct Grid {
  PetscInt points[3] = {1, 1, 1};
  PetscInt ranks[3] = {1, 1, 1};  ///< ranks along each dimension
  PetscInt rows() const { return points[0] * points[1] * points[2]; }
};

struct ScaleCase {
  std::string pc;        ///< jacobi, bjacobi and asm with a factor on each rank, or mg
  PetscInt blocks = 1;   ///< blocks of bjacobi on each rank
  std::string type;      ///< the factor's solver type; mg: the smoother, jacobi or sor; empty for jacobi
  std::string mat_type;  ///< aij, aijkokkos, ...
  std::string ordering;  ///< ordering of the factor or of sor; empty for jacobi
  bool may_fail = false;
  bool multigrid() const { return pc == PCMG; }
  std::string pc_name() const { return pc + (blocks == 1 ? "" : std::to_string(blocks)); }
  std::string name() const {
    return pc_name() + ":" + type + ":" + mat_type + (ordering.empty() ? "" : ":" + ordering);
  }
};

/// Seconds on the slowest rank, fenced before and after.
struct ScaleResult {
  std::string error;            ///< empty if all calls succeeded; the same on all ranks
  double first_setup = 0;       ///< symbolic and numeric phase
  std::vector<double> setups;   ///< numeric phase with other values in the same pattern
  std::vector<double> solves;   ///< seconds of all iterations of a solve
  PetscInt iterations = 0;      ///< iterations of the last solve, whose values are the original ones
  double residual = 0;          ///< norm(b - A x) / norm(b) after the last solve, computed from A and x
  std::string memory = "host";  ///< memory of the solution: host or device
};

/// Makes the grid of `problem` on the ranks of PETSC_COMM_WORLD. Collective.
Grid make_grid(ScaleProblem const& problem);

/// Tells all ranks about an error of any rank. Collective.
/// @param mine  error of this rank; empty if none.
/// @return the error of the lowest failed rank, with its number; empty if there is none. If other ranks wait inside
/// PETSc for the failed rank, aborts the job with its error.
std::string agreed_error(std::string const& mine);

class ScaleSystem;

/// Runs cases one after another; consecutive cases of one matrix type share the matrix.
class ScaleRunner {
 public:
  /// Collective constructor.
  ScaleRunner(ScaleProblem const& problem, Grid const& grid);
  ~ScaleRunner();
  ScaleRunner(ScaleRunner const&) = delete;
  ScaleRunner& operator=(ScaleRunner const&) = delete;
  /// Runs a case. Collective. `error` reports a PETSc error, a solve that ends early or, with `converge`, a wrong
  /// answer.
  ScaleResult run(ScaleCase const& what);

 private:
  ScaleProblem const& problem_;
  Grid const& grid_;
  std::unique_ptr<ScaleSystem> system_;
};

}  // namespace sptrsv::bench
