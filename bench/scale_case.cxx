// SPDX-License-Identifier: Apache-2.0
// Runs plain PETSc on a DMDA: KSPSetOperators, KSPSetUp, KSPSolve, with the options that a user would give.
#include "scale_case.hpp"

#include <petscdevice.h>
#include <petscdmda.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "measure.hpp"
#include "petsc_errors.hpp"

namespace sptrsv::bench {
namespace {

constexpr PetscReal relative_tolerance = 1e-8;
constexpr double residual_limit = 1e-6;
// Values added to the diagonal; exact, so that subtracting them restores the original values
constexpr PetscReal first_values = 0.5, other_values = 1;
constexpr std::chrono::seconds patience(20);

/// Waits at most `patience` for the other ranks, then aborts.
void wait_or_abort(MPI_Request* request, std::string const& error) {
  auto const end = std::chrono::steady_clock::now() + patience;
  for (int done = 0; !done;) {
    if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    if (std::chrono::steady_clock::now() > end) {
      int rank = 0;
      MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
      std::fprintf(stderr, "rank %d failed, and others wait for it: %s\n", rank, error.c_str());
      MPI_Abort(PETSC_COMM_WORLD, 1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Returns a separate communicator, so that no message of PETSc is mistaken for one of the agreement.
MPI_Comm agreement_comm() {
  static MPI_Comm const comm = [] {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(PETSC_COMM_WORLD, &made);
    return made;
  }();
  return comm;
}

/// Returns the vector type that goes with a matrix type.
char const* vec_type_of(std::string const& mat_type) {
  auto const ends = [&](std::string const& end) {
    return mat_type.size() >= end.size() && mat_type.compare(mat_type.size() - end.size(), end.size(), end) == 0;
  };
  return ends("kokkos") ? "kokkos" : ends("cusparse") ? "cuda" : ends("hipsparse") ? "hip" : VECSTANDARD;
}

/// Point of the stencil.
struct Leg {
  int step[3];
  PetscReal value;
};

/// Returns the discrete operator for mesh size 1, with Dirichlet boundaries. dmda7: central differences, nonsymmetric
/// by convection; stencil27: 26 on the diagonal, -1 for all 26 neighbors, as in HPCG.
std::vector<Leg> make_stencil(ScaleProblem const& problem) {
  std::vector<Leg> legs;
  for (int k = -1; k <= 1; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        int const away = std::abs(i) + std::abs(j) + std::abs(k);
        PetscReal const c = problem.convection, flow = c * i + 2 * c / 3 * j + c / 3 * k;
        if (problem.box) legs.push_back({{i, j, k}, away == 0 ? 26.0 : -1.0});
        else if (away < 2) legs.push_back({{i, j, k}, away == 0 ? 6.0 : -1 + flow});
      }
  return legs;
}

/// Counts the grids of multigrid: halves the intervals of each dimension while they are even and at least 8.
int count_grids(Grid const& grid) {
  int grids = 1;
  PetscInt intervals[3] = {grid.points[0] - 1, grid.points[1] - 1, grid.points[2] - 1};
  while (std::all_of(intervals, intervals + 3, [](PetscInt n) { return n % 2 == 0 && n >= 8; })) {
    for (auto& n : intervals) n /= 2;
    ++grids;
  }
  return grids;
}

/// Sets the options that choose the solver of a rank's part or the smoother of multigrid, during its lifetime.
class SubOptions {
 public:
  SubOptions(ScaleProblem const& problem, ScaleCase const& what, Grid const& grid, Errors const& errors) {
    if (what.type.empty()) return;
    if (what.multigrid()) {
      set("-pc_mg_levels", std::to_string(count_grids(grid)), errors);
      set("-pc_mg_galerkin", "both", errors);
      set("-mg_levels_pc_type", what.type, errors);
      if (!what.ordering.empty()) set("-mg_levels_pc_sor_ordering", what.ordering, errors);
      return;
    }
    set("-sub_pc_type", problem.factor(), errors);
    set("-sub_pc_factor_mat_solver_type", what.type, errors);
    set("-sub_pc_factor_mat_ordering_type", what.ordering, errors);
    if (problem.box) set("-pc_asm_type", "basic", errors);  // the other types are not symmetric
    if (what.blocks == 1) return;
    set("-pc_" + what.pc + "_local_blocks", std::to_string(what.blocks), errors);
  }
  ~SubOptions() {
    for (auto const& name : names_) (void)PetscOptionsClearValue(nullptr, name.c_str());
  }
  SubOptions(SubOptions const&) = delete;
  SubOptions& operator=(SubOptions const&) = delete;

 private:
  void set(std::string const& name, std::string const& value, Errors const& errors) {
    errors.must(PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()));
    names_.push_back(name);
  }
  std::vector<std::string> names_;
};

}  // namespace

/// Grid, matrix and vectors of one matrix type, and the solver of one case. Functions that throw destroy nothing:
/// objects of several ranks are destroyed after all ranks have agreed on the error.
class ScaleSystem {
 public:
  ScaleSystem(ScaleProblem const& problem, Grid const& grid, std::string mat_type)
      : problem_(problem), grid_(grid), mat_type_(std::move(mat_type)) {}
  ~ScaleSystem() {
    end_case();
    for (Vec* vector : {&b_, &x_, &r_}) (void)VecDestroy(vector);
    (void)MatDestroy(&A_);
    (void)DMDestroy(&grid_of_ranks_);
  }
  ScaleSystem(ScaleSystem const&) = delete;
  ScaleSystem& operator=(ScaleSystem const&) = delete;

  std::string const& mat_type() const { return mat_type_; }
  void run(ScaleCase const& what, ScaleResult& result);
  void end_case() { (void)KSPDestroy(&ksp_); }

 private:
  void make();
  void set_rows();
  void make_vectors();
  void make_solver(ScaleCase const& what);
  void set_up();
  void shift_to(PetscReal shift) {
    if (shift != shift_) must(MatShift(A_, shift - shift_));
    shift_ = shift;
  }
  double seconds_of_slowest(void (ScaleSystem::*phase)());
  void solve() { must(KSPSolve(ksp_, b_, x_)); }
  void check(ScaleResult& result);
  void check_type(ScaleCase const& what);
  void must(PetscErrorCode code) const { errors_.must(code); }

  ScaleProblem const& problem_;
  Grid const& grid_;
  std::string mat_type_;
  Errors errors_;
  DM grid_of_ranks_ = nullptr;
  Mat A_ = nullptr;
  PetscReal shift_ = 0;  ///< value that has been added to A's diagonal
  Vec b_ = nullptr, x_ = nullptr, r_ = nullptr;
  KSP ksp_ = nullptr;
};

void ScaleSystem::make() {
  auto const& n = grid_.points;
  auto const& p = grid_.ranks;
  must(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                    problem_.box ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR, n[0], n[1], n[2], p[0], p[1], p[2], 1, 1,
                    nullptr, nullptr, nullptr, &grid_of_ranks_));
  must(DMSetMatType(grid_of_ranks_, mat_type_.c_str()));
  must(DMSetVecType(grid_of_ranks_, vec_type_of(mat_type_)));
  must(DMSetUp(grid_of_ranks_));
  must(DMCreateMatrix(grid_of_ranks_, &A_));
  set_rows();
  if (problem_.box) {
    must(MatSetOption(A_, MAT_SYMMETRIC, PETSC_TRUE));
    must(MatSetOption(A_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  make_vectors();
}

void ScaleSystem::set_rows() {
  auto const stencil = make_stencil(problem_);
  DMDALocalInfo part;
  must(DMDAGetLocalInfo(grid_of_ranks_, &part));
  std::vector<MatStencil> columns;
  std::vector<PetscScalar> values;
  MatStencil row = {};
  for (row.k = part.zs; row.k < part.zs + part.zm; ++row.k)
    for (row.j = part.ys; row.j < part.ys + part.ym; ++row.j)
      for (row.i = part.xs; row.i < part.xs + part.xm; ++row.i) {
        columns.clear();
        values.clear();
        for (auto const& leg : stencil) {
          MatStencil at = row;
          at.i += leg.step[0];
          at.j += leg.step[1];
          at.k += leg.step[2];
          if (at.i < 0 || at.j < 0 || at.k < 0 || at.i >= part.mx || at.j >= part.my || at.k >= part.mz) continue;
          columns.push_back(at);
          values.push_back(leg.value);
        }
        auto const count = static_cast<PetscInt>(columns.size());
        must(MatSetValuesStencil(A_, 1, &row, count, columns.data(), values.data(), INSERT_VALUES));
      }
  must(MatAssemblyBegin(A_, MAT_FINAL_ASSEMBLY));
  must(MatAssemblyEnd(A_, MAT_FINAL_ASSEMBLY));
}

/// Makes the vectors. The right-hand side is a function of the grid point alone, not of the ranks or the vector type.
void ScaleSystem::make_vectors() {
  must(DMCreateGlobalVector(grid_of_ranks_, &b_));
  must(VecDuplicate(b_, &x_));
  must(VecDuplicate(b_, &r_));
  DMDALocalInfo part;
  must(DMDAGetLocalInfo(grid_of_ranks_, &part));
  PetscScalar* b = nullptr;
  must(VecGetArrayWrite(b_, &b));
  for (PetscInt k = part.zs; k < part.zs + part.zm; ++k)
    for (PetscInt j = part.ys; j < part.ys + part.ym; ++j)
      for (PetscInt i = part.xs; i < part.xs + part.xm; ++i)
        *b++ = 1 + std::sin(0.1 * static_cast<double>(i + part.mx * (j + part.my * k)));
  b -= part.xm * part.ym * part.zm;
  must(VecRestoreArrayWrite(b_, &b));
}

void ScaleSystem::make_solver(ScaleCase const& what) {
  PC pc = nullptr;
  must(KSPCreate(PETSC_COMM_WORLD, &ksp_));
  must(KSPSetType(ksp_, problem_.krylov()));
  if (problem_.converge) {
    must(KSPSetTolerances(ksp_, relative_tolerance, 1e-50, 1e10, 10000));
  } else {
    must(KSPSetTolerances(ksp_, 1e-50, 1e-50, 1e50, problem_.iterations));
    must(KSPSetConvergenceTest(ksp_, KSPConvergedSkip, nullptr, nullptr));
  }
  must(KSPGetPC(ksp_, &pc));
  must(PCSetType(pc, what.pc.c_str()));
  // the DMDA gives interpolations; coarser matrices are Galerkin products
  if (what.multigrid()) must(PCSetDM(pc, grid_of_ranks_));
  must(KSPSetOperators(ksp_, A_, A_));
  must(KSPSetFromOptions(ksp_));
}

void ScaleSystem::set_up() {
  must(KSPSetOperators(ksp_, A_, A_));
  must(KSPSetUp(ksp_));
  must(KSPSetUpOnBlocks(ksp_));
}

double ScaleSystem::seconds_of_slowest(void (ScaleSystem::*phase)()) {
  PetscDeviceContext device = nullptr;
  must(PetscDeviceContextGetCurrentContext(&device));
  must(PetscDeviceContextSynchronize(device));
  MPI_Barrier(PETSC_COMM_WORLD);
  double seconds = seconds_of([&] { (this->*phase)(); }, [&] { must(PetscDeviceContextSynchronize(device)); });
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return seconds;
}

/// Checks that each factor is of the requested type.
void ScaleSystem::check_type(ScaleCase const& what) {
  if (what.type.empty() || what.multigrid()) return;
  PC pc = nullptr, part = nullptr;
  PetscInt parts = 0, first = 0;
  KSP* solvers = nullptr;
  must(KSPGetPC(ksp_, &pc));
  if (what.pc == PCASM) must(PCASMGetSubKSP(pc, &parts, &first, &solvers));
  else must(PCBJacobiGetSubKSP(pc, &parts, &first, &solvers));
  for (PetscInt k = 0; k < parts; ++k) {
    Mat factor = nullptr;
    MatSolverType used = nullptr;
    must(KSPGetPC(solvers[k], &part));
    must(PCFactorGetMatrix(part, &factor));
    must(MatFactorGetSolverType(factor, &used));
    if (what.type != used)
      throw std::runtime_error("the factor is of type " + std::string(used) + ", not " + what.type);
  }
}

void ScaleSystem::check(ScaleResult& result) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscReal r = 0, b = 0;
  must(KSPGetConvergedReason(ksp_, &reason));
  must(KSPGetIterationNumber(ksp_, &result.iterations));
  if (reason <= 0) throw std::runtime_error(std::string("KSPSolve ended with ") + KSPConvergedReasons[reason]);
  must(MatResidual(A_, b_, x_, r_));
  must(VecNorm(r_, NORM_2, &r));
  must(VecNorm(b_, NORM_2, &b));
  result.residual = static_cast<double>(r / b);
  if (!problem_.converge && result.iterations != problem_.iterations)
    throw std::runtime_error("it ended after " + std::to_string(result.iterations) + " iterations instead of " +
                             std::to_string(problem_.iterations));
  if (!std::isfinite(result.residual)) throw std::runtime_error("wrong answer: the residual is not finite");
  if (!problem_.converge || result.residual <= residual_limit) return;
  std::ostringstream text;
  text << "wrong answer: norm(b - A x) / norm(b) is " << result.residual << ", more than " << residual_limit;
  throw std::runtime_error(text.str());
}

/// Runs a case. The first factor has other values: if it wrongly kept them, the last solve's iterations would show it.
void ScaleSystem::run(ScaleCase const& what, ScaleResult& result) {
  PetscScalar const* x = nullptr;
  PetscMemType memory = PETSC_MEMTYPE_HOST;
  if (!A_) make();
  shift_to(first_values);
  SubOptions const options(problem_, what, grid_, errors_);
  make_solver(what);
  result.first_setup = seconds_of_slowest(&ScaleSystem::set_up);
  solve();
  for (PetscInt k = 0; k < problem_.repeat; ++k) {
    shift_to((problem_.repeat - k) % 2 != 0 ? 0 : other_values);  // the original values come last
    result.setups.push_back(seconds_of_slowest(&ScaleSystem::set_up));
    result.solves.push_back(seconds_of_slowest(&ScaleSystem::solve));
  }
  check(result);
  check_type(what);  // last: once a program has got the blocks' KSPs, PETSc's own set-up takes new values
  must(VecGetArrayReadAndMemType(x_, &x, &memory));
  must(VecRestoreArrayReadAndMemType(x_, &x));
  result.memory = PetscMemTypeHost(memory) ? "host" : "device";
  if (problem_.view) must(KSPView(ksp_, PETSC_VIEWER_STDOUT_WORLD));
}

Grid make_grid(ScaleProblem const& problem) {
  Errors const errors;
  PetscMPIInt ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  Grid grid;
  PetscInt const side = problem.per_rank ? ranks : problem.size;  // the partition of a cube does not depend on its size
  DM cube = nullptr;
  errors.must(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR,
                           side, side, side, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, nullptr,
                           &cube));
  errors.must(DMSetUp(cube));
  errors.must(DMDAGetInfo(cube, nullptr, nullptr, nullptr, nullptr, &grid.ranks[0], &grid.ranks[1], &grid.ranks[2],
                          nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
  errors.must(DMDestroy(&cube));
  PetscInt const shared = problem.nested ? 1 : 0;  // points on the border of two ranks' parts; one of the two has them
  for (int d = 0; d < 3; ++d)
    grid.points[d] = problem.per_rank ? (problem.size - shared) * grid.ranks[d] + shared : problem.size;
  return grid;
}

std::string agreed_error(std::string const& mine) {
  MPI_Comm const comm = agreement_comm();
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int const failed = mine.empty() ? ranks : rank;
  int lowest = ranks;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&failed, &lowest, 1, MPI_INT, MPI_MIN, comm, &request);
  if (mine.empty()) MPI_Wait(&request, MPI_STATUS_IGNORE);
  else wait_or_abort(&request, mine);
  if (lowest == ranks) return "";
  int length = static_cast<int>(mine.size());
  MPI_Bcast(&length, 1, MPI_INT, lowest, comm);
  std::vector<char> text(mine.begin(), mine.end());
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, lowest, comm);
  std::string const error(text.begin(), text.end());
  return ranks == 1 ? error : "rank " + std::to_string(lowest) + ": " + error;
}

ScaleRunner::ScaleRunner(ScaleProblem const& problem, Grid const& grid) : problem_(problem), grid_(grid) {
  (void)agreement_comm();  // all ranks make it before one of them fails
}

ScaleRunner::~ScaleRunner() = default;

ScaleResult ScaleRunner::run(ScaleCase const& what) {
  ScaleResult result;
  std::string mine;
  if (system_ && system_->mat_type() != what.mat_type) system_.reset();
  if (!system_) system_ = std::make_unique<ScaleSystem>(problem_, grid_, what.mat_type);
  try {
    system_->run(what, result);
  } catch (std::exception const& e) {
    mine = *e.what() ? e.what() : "unknown error";
  }
  result.error = agreed_error(mine);
  if (result.error.empty()) system_->end_case();
  else system_.reset();
  return result;
}

}  // namespace sptrsv::bench
