// SPDX-License-Identifier: Apache-2.0
// Runs plain PETSc as a program with an implicit time stepper does: KSPSetOperators, KSPSetUp, KSPSolve.
#include "steps_case.hpp"

#include <petscdevice.h>

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "measure.hpp"
#include "petsc_errors.hpp"

namespace sptrsv::bench {
namespace {

constexpr PetscReal relative_tolerance = 1e-8;
constexpr double residual_limit = 1e-6;

/// Neighbor in the mesh, one step along a dimension.
struct Neighbor {
  PetscInt stride;
  int side;  ///< -1 or 1
  PetscReal value;
};

/// Returns the discrete operator K without the mesh size: central differences with Dirichlet boundaries. In 3D the
/// convection makes it nonsymmetric.
std::vector<Neighbor> list_neighbors(StepsProblem const& problem) {
  PetscReal const c = problem.symmetric() ? 0 : problem.convection, convection[] = {c, 2 * c / 3, c / 3};
  std::vector<Neighbor> neighbors;
  PetscInt stride = 1;
  for (int d = 0; d < problem.dimensions; ++d, stride *= problem.size)
    for (int const side : {-1, 1}) neighbors.push_back({stride, side, -1 + side * convection[d]});
  return neighbors;
}

/// System, solver, and the actions of a step.
class Stepper {
 public:
  Stepper(StepsProblem const& problem, StepsCase const& what, Errors const& errors)
      : problem_(problem), what_(what), errors_(errors) {
    try {
      make_operator();
      make_vectors();
      make_solver();
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~Stepper() { destroy(); }
  Stepper(Stepper const&) = delete;
  Stepper& operator=(Stepper const&) = delete;

  void change(PetscInt step);
  void set_up() {
    must(KSPSetOperators(ksp_, A_, A_));
    must(KSPSetUp(ksp_));
  }
  void solve() { must(KSPSolve(ksp_, b_, x_)); }
  void check(Step& step);
  void describe(StepsResult& result);
  void view() { must(KSPView(ksp_, PETSC_VIEWER_STDOUT_SELF)); }
  /// Waits for all work on PETSc's stream.
  void synchronize() const {
    PetscDeviceContext device = nullptr;
    must(PetscDeviceContextGetCurrentContext(&device));
    must(PetscDeviceContextSynchronize(device));
  }

 private:
  void make_operator();
  void set_rows();
  void make_vectors();
  void make_solver();
  void destroy() {
    (void)KSPDestroy(&ksp_);
    for (Mat* matrix : {&K_, &A_, &identity_}) (void)MatDestroy(matrix);
    for (Vec* vector : {&b_, &x_, &r_}) (void)VecDestroy(vector);
  }
  void must(PetscErrorCode code) const { errors_.must(code); }

  StepsProblem const& problem_;
  StepsCase const& what_;
  Errors const& errors_;
  Mat K_ = nullptr, A_ = nullptr;
  Mat identity_ = nullptr;  ///< in the pattern of K, for Change::device
  Vec b_ = nullptr, x_ = nullptr, r_ = nullptr;
  KSP ksp_ = nullptr;
};

void Stepper::make_operator() {
  PetscInt const n = problem_.rows(), d = problem_.dimensions;
  must(MatCreate(PETSC_COMM_SELF, &K_));
  must(MatSetSizes(K_, n, n, n, n));
  must(MatSetType(K_, what_.mat_type.c_str()));
  must(MatSeqAIJSetPreallocation(K_, 2 * d + 1, nullptr));
  must(MatSeqBAIJSetPreallocation(K_, 1, 2 * d + 1, nullptr));
  must(MatSeqSBAIJSetPreallocation(K_, 1, d + 1, nullptr));
  PetscBool half = PETSC_FALSE;
  must(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(K_), MATSEQSBAIJ, &half));
  if (half) must(MatSetOption(K_, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  set_rows();
  must(MatAssemblyBegin(K_, MAT_FINAL_ASSEMBLY));
  must(MatAssemblyEnd(K_, MAT_FINAL_ASSEMBLY));
  must(MatDuplicate(K_, MAT_COPY_VALUES, &A_));
  if (problem_.symmetric()) {
    must(MatSetOption(A_, MAT_SYMMETRIC, PETSC_TRUE));
    must(MatSetOption(A_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  if (problem_.change != Change::device) return;
  must(MatDuplicate(K_, MAT_DO_NOT_COPY_VALUES, &identity_));
  must(MatShift(identity_, 1));
}

void Stepper::set_rows() {
  auto const neighbors = list_neighbors(problem_);
  std::vector<PetscInt> columns;
  std::vector<PetscScalar> values;
  for (PetscInt row = 0; row < problem_.rows(); ++row) {
    columns.assign(1, row);
    values.assign(1, 2 * problem_.dimensions);
    for (auto const& neighbor : neighbors) {
      PetscInt const at = row / neighbor.stride % problem_.size + neighbor.side;
      if (at < 0 || at >= problem_.size) continue;
      columns.push_back(row + neighbor.side * neighbor.stride);
      values.push_back(neighbor.value);
    }
    auto const count = static_cast<PetscInt>(columns.size());
    must(MatSetValues(K_, 1, &row, count, columns.data(), values.data(), INSERT_VALUES));
  }
}

/// Makes the vectors. The right-hand side is made on the host, so that it is the same for all types.
void Stepper::make_vectors() {
  must(MatCreateVecs(A_, &x_, &b_));
  must(VecDuplicate(b_, &r_));
  PetscScalar* b = nullptr;
  must(VecGetArrayWrite(b_, &b));
  for (PetscInt row = 0; row < problem_.rows(); ++row) b[row] = 1 + std::sin(0.1 * static_cast<double>(row));
  must(VecRestoreArrayWrite(b_, &b));
}

void Stepper::make_solver() {
  PC pc = nullptr;
  must(KSPCreate(PETSC_COMM_SELF, &ksp_));
  must(KSPSetType(ksp_, problem_.symmetric() ? KSPCG : KSPBCGS));
  must(KSPSetTolerances(ksp_, relative_tolerance, 1e-50, 1e10, 10000));
  must(KSPGetPC(ksp_, &pc));
  must(PCSetType(pc, problem_.symmetric() ? PCICC : PCILU));
  must(PCFactorSetLevels(pc, 0));
  must(KSPSetOperators(ksp_, A_, A_));
  must(PCFactorSetMatSolverType(pc, what_.type.c_str()));
  must(PCFactorSetMatOrderingType(pc, what_.ordering.c_str()));
  must(KSPSetFromOptions(ksp_));
}

/// Sets A for a step. The step size grows, starting with half a step, and the identity's coefficient varies, as in a
/// time stepper of variable order. A factor that keeps its first values therefore shows in the iterations.
void Stepper::change(PetscInt step) {
  double const k = static_cast<double>(step);
  PetscScalar const scale = problem_.step_size * (step == 0 ? 0.5 : 1 + 0.02 * k), shift = 1 + 0.01 * k;
  if (problem_.change == Change::device) {
    must(MatZeroEntries(A_));
    must(MatAXPY(A_, scale, K_, SAME_NONZERO_PATTERN));
    must(MatAXPY(A_, shift, identity_, SAME_NONZERO_PATTERN));
  } else {
    must(MatCopy(K_, A_, SAME_NONZERO_PATTERN));
    must(MatScale(A_, scale));
    must(MatShift(A_, shift));
  }
}

void Stepper::check(Step& step) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  must(KSPGetConvergedReason(ksp_, &reason));
  must(KSPGetIterationNumber(ksp_, &step.iterations));
  if (reason <= 0) throw std::runtime_error(std::string("KSPSolve ended with ") + KSPConvergedReasons[reason]);
  PetscReal r = 0, b = 0;
  must(MatResidual(A_, b_, x_, r_));
  must(VecNorm(r_, NORM_2, &r));
  must(VecNorm(b_, NORM_2, &b));
  step.residual = static_cast<double>(r / b);
  if (step.residual <= residual_limit) return;  // false for NaN
  std::ostringstream text;
  text << "wrong answer: norm(b - A x) / norm(b) is " << step.residual << ", more than " << residual_limit;
  throw std::runtime_error(text.str());
}

void Stepper::describe(StepsResult& result) {
  PC pc = nullptr;
  PCType pc_type = nullptr;
  Mat factor = nullptr;
  MatSolverType used = nullptr;
  PetscBool orders = PETSC_FALSE;
  MatInfo info;
  PetscScalar const* x = nullptr;
  PetscMemType memory = PETSC_MEMTYPE_HOST;
  must(KSPGetPC(ksp_, &pc));
  must(PCGetType(pc, &pc_type));
  must(PCFactorGetMatrix(pc, &factor));
  must(MatFactorGetSolverType(factor, &used));
  must(MatFactorGetCanUseOrdering(factor, &orders));
  must(MatGetInfo(A_, MAT_LOCAL, &info));
  must(VecGetArrayReadAndMemType(x_, &x, &memory));
  must(VecRestoreArrayReadAndMemType(x_, &x));
  result.pc = pc_type;
  result.used = used;
  result.ordering = orders ? what_.ordering : "external";
  if (what_.type != used) throw std::runtime_error("the factor is of type " + result.used + ", not " + what_.type);
  result.memory = PetscMemTypeHost(memory) ? "host" : "device";
  result.entries = info.nz_used;
}

Step take_step(Stepper& stepper, PetscInt number) try {
  Step step;
  auto const fence = [&] { stepper.synchronize(); };
  step.change = seconds_of([&] { stepper.change(number); }, fence);
  step.setup = seconds_of([&] { stepper.set_up(); }, fence);
  step.solve = seconds_of([&] { stepper.solve(); }, fence);
  stepper.check(step);
  return step;
} catch (std::exception const& e) {
  throw std::runtime_error("step " + std::to_string(number) + ": " + e.what());
}

/// Makes a log stage per type, so that -log_view shows the steps after the first one.
PetscLogStage make_stage(StepsCase const& what, Errors const& errors) {
  static int cases = 0;
  PetscLogStage stage = 0;
  errors.must(PetscLogStageRegister((std::to_string(++cases) + " " + what.name()).c_str(), &stage));
  return stage;
}

void take_steps(StepsProblem const& problem, StepsCase const& what, Errors const& errors, StepsResult& result) {
  Stepper stepper(problem, what, errors);
  result.steps.push_back(take_step(stepper, 0));
  stepper.describe(result);
  PetscLogStage const stage = make_stage(what, errors);
  errors.must(PetscLogStagePush(stage));
  try {
    for (PetscInt number = 1; number < problem.steps; ++number) result.steps.push_back(take_step(stepper, number));
  } catch (...) {
    (void)PetscLogStagePop();
    throw;
  }
  errors.must(PetscLogStagePop());
  if (problem.view) stepper.view();
}

}  // namespace

StepsResult run_steps(StepsProblem const& problem, StepsCase const& what) {
  StepsResult result;
  Errors const errors;
  try {
    if (problem.warm_up) {
      Stepper other(problem, what, errors);
      (void)take_step(other, 0);
    }
    take_steps(problem, what, errors, result);
  } catch (std::exception const& e) {
    result.error = e.what();
  }
  return result;
}

}  // namespace sptrsv::bench
