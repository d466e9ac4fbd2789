// SPDX-License-Identifier: Apache-2.0
// Runs plain PETSc like a program whose matrix gets new values between solves.
#include "solution_case.hpp"

#include <petscdevice.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "measure.hpp"
#include "scoped_options.hpp"

namespace sptrsv::bench {
namespace {

constexpr PetscReal relative_tolerance = 1e-8;
constexpr PetscScalar change = 1.0001;  ///< new values are the old ones times this; iterations stay the same
/// Options for problems with velocities and pressures; the recipe's options then apply to the velocity block. The Schur
/// complement is close to the identity, since cells have size 1.
constexpr char split_options[] =
    "-pc_type fieldsplit -pc_fieldsplit_detect_saddle_point -pc_fieldsplit_type schur -pc_fieldsplit_schur_fact_type "
    "upper -fieldsplit_1_ksp_type preonly -fieldsplit_1_pc_type none -fieldsplit_0_ksp_type preonly ";
constexpr char velocities[] = "-fieldsplit_0_";

/// Copy of the system's matrix and a solver for it.
class Solver {
 public:
  Solver(System const& system, Errors const& errors) : system_(system), errors_(errors) {
    try {
      A_ = system.copy_matrix(errors);
      must(MatCreateVecs(A_, &x_, &r_));
      must(KSPCreate(PETSC_COMM_SELF, &ksp_));
      must(KSPSetType(ksp_, system.symmetric() ? KSPCG : system.saddle_point() ? KSPGMRES : KSPBCGS));
      must(KSPSetTolerances(ksp_, relative_tolerance, 1e-50, 1e10, 10000));
      must(KSPSetOperators(ksp_, A_, A_));
      must(KSPSetFromOptions(ksp_));
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~Solver() { destroy(); }
  Solver(Solver const&) = delete;
  Solver& operator=(Solver const&) = delete;

  void change_values() { must(MatScale(A_, change)); }
  /// Sets up the solver and its sub-blocks; without this call PETSc would set up sub-blocks in the first solve.
  void set_up() {
    must(KSPSetOperators(ksp_, A_, A_));
    must(KSPSetUp(ksp_));
    must(KSPSetUpOnBlocks(ksp_));
    if (system_.saddle_point()) must(PCSetUp(recipe_pc()));
  }
  void solve() { must(KSPSolve(ksp_, system_.b(), x_)); }
  /// Checks convergence and the true residual. @throws std::runtime_error if one is wrong
  void check(double limit, SolutionResult& result);
  void describe(SolutionResult& result) const;
  PC recipe_pc() const;  ///< with velocities and pressures: the velocities'
  PetscInt levels() const;
  void view() const { must(KSPView(ksp_, PETSC_VIEWER_STDOUT_SELF)); }
  /// Returns the seconds of a call; the device is idle before and after it.
  template <class Call>
  double seconds(Call const& call) const {
    return seconds_of(call, [this] { synchronize(); });
  }

 private:
  void must(PetscErrorCode code) const {
    broken_ = broken_ || code != PETSC_SUCCESS;
    errors_.must(code);
  }
  /// Waits for all work on PETSc's stream.
  void synchronize() const {
    PetscDeviceContext device = nullptr;
    must(PetscDeviceContextGetCurrentContext(&device));
    must(PetscDeviceContextSynchronize(device));
  }
  /// Destroys the objects unless PETSc has failed: it may crash when it destroys objects that are half set up.
  void destroy() {
    if (broken_) return;
    (void)KSPDestroy(&ksp_);
    (void)MatDestroy(&A_);
    (void)VecDestroy(&x_);
    (void)VecDestroy(&r_);
  }

  System const& system_;
  Errors const& errors_;
  Mat A_ = nullptr;
  Vec x_ = nullptr, r_ = nullptr;
  KSP ksp_ = nullptr;
  mutable bool broken_ = false;  ///< whether a call of PETSc has failed
};

void Solver::check(double limit, SolutionResult& result) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscReal r = 0, b = 0;
  must(KSPGetConvergedReason(ksp_, &reason));
  must(KSPGetIterationNumber(ksp_, &result.iterations));
  must(MatMult(A_, x_, r_));
  must(VecAYPX(r_, -1, system_.b()));
  must(VecNorm(r_, NORM_2, &r));
  must(VecNorm(system_.b(), NORM_2, &b));
  double const residual = static_cast<double>(r / b);
  result.residual = residual <= result.residual ? result.residual : residual;
  std::ostringstream text;
  if (reason <= 0)
    text << "KSPSolve ended with " << KSPConvergedReasons[reason] << " after " << result.iterations << " iterations";
  else if (!(residual <= limit))  // true for NaN
    text << "wrong answer: norm(b - A x) / norm(b) is " << residual << ", more than " << limit;
  if (!text.str().empty()) throw std::runtime_error(text.str());
}

PC Solver::recipe_pc() const {
  PC pc = nullptr;
  must(KSPGetPC(ksp_, &pc));
  if (!system_.saddle_point()) return pc;
  PetscInt parts = 0;
  KSP* inner = nullptr;
  must(PCFieldSplitGetSubKSP(pc, &parts, &inner));
  must(KSPGetPC(inner[0], &pc));
  must(PetscFree(inner));
  return pc;
}

PetscInt Solver::levels() const {
  PetscInt levels = 0;
  PetscBool gamg = PETSC_FALSE;
  PC const pc = recipe_pc();
  must(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(pc), &gamg, PCGAMG, PCMG, ""));
  if (gamg) must(PCMGGetLevels(pc, &levels));
  return levels;
}

void Solver::describe(SolutionResult& result) const {
  PCType pc_type = nullptr;
  KSPType ksp_type = nullptr;
  must(PCGetType(recipe_pc(), &pc_type));
  must(KSPGetType(ksp_, &ksp_type));
  result.pc = pc_type;
  result.ksp = ksp_type;
  result.levels = levels();
}

std::string replaced(std::string text, std::string const& from, std::string const& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Returns `split_options`, followed by the options of a recipe with the prefix of the velocities' preconditioner.
std::string for_velocities(std::string const& text) {
  std::istringstream in(text);
  std::string out = split_options;
  for (std::string word; in >> word;) out += (word[0] == '-' ? velocities + word.substr(1) : word) + " ";
  return out;
}

/// Removes options that contain {finest}, with their values.
std::string without_finest(std::string const& text) {
  std::istringstream in(text);
  std::string out;
  bool keep = true;
  for (std::string word; in >> word;) {
    if (word[0] == '-') keep = word.find("{finest}") == std::string::npos;
    if (keep) out += word + " ";
  }
  return out;
}

/// Returns the options with {ilu} and {finest} replaced. To find the number of levels, sets up a solver without the
/// options of the finest level.
std::string complete(std::string const& options, System const& system, Errors const& errors) {
  std::string text = replaced(options, "{ilu}", system.symmetric() ? "icc" : "ilu");
  if (system.saddle_point()) text = for_velocities(text);
  if (text.find("{finest}") == std::string::npos) return text;
  ScopedOptions const scope(without_finest(text), errors);
  Solver solver(system, errors);
  solver.set_up();
  if (solver.levels() < 2) throw std::runtime_error("{finest}: there is one level alone");
  return replaced(text, "{finest}", std::to_string(solver.levels() - 1));
}

/// Refuses options that were never queried: they are misspelled, or the plugin is not loaded. Allowed are options that
/// turn the plugin off and, if options of the finest level leave them no level, options of all levels.
void check_used(ScopedOptions const& options, Recipe const& recipe, Errors const& errors) {
  bool const has_finest = recipe.options.find("{finest}") != std::string::npos;
  for (auto const& name : options.unused(errors)) {
    if (recipe.uses == Uses::petsc && name.find("_sptrsv") != std::string::npos) continue;
    auto const of_recipe = replaced(name, velocities, "-");
    if (has_finest && of_recipe.rfind("-mg_levels_", 0) == 0 &&
        of_recipe.find_first_of("0123456789") == std::string::npos)
      continue;
    throw std::runtime_error("nobody has asked for " + name +
                             ": is it misspelled, unknown to this PETSc, or is the plugin not loaded?");
  }
}

/// Sets up and solves once, which loads kernels. @return seconds
double warm_up(System const& system, SolutionSettings const& settings, ScopedOptions const& options,
               Recipe const& recipe, Errors const& errors, SolutionResult& result) {
  Solver solver(system, errors);
  double const seconds = solver.seconds([&] {
    solver.set_up();
    solver.solve();
  });
  check_used(options, recipe, errors);
  solver.check(settings.residual_limit, result);
  return seconds;
}

/// Stage of PETSc's log, so that -log_view shows set-ups with new values and solves of a recipe.
class LogStage {
 public:
  LogStage(std::string const& name, Errors const& errors) {
    PetscLogStage stage = 0;
    errors.must(PetscLogStageRegister(name.c_str(), &stage));
    errors.must(PetscLogStagePush(stage));
  }
  ~LogStage() { (void)PetscLogStagePop(); }
  LogStage(LogStage const&) = delete;
  LogStage& operator=(LogStage const&) = delete;
};

void measure(System const& system, SolutionSettings const& settings, std::string const& name, PetscInt repeat,
             Errors const& errors, SolutionResult& result) {
  for (PetscInt k = 1; k < repeat; ++k) {
    Solver other(system, errors);
    result.first_setup.push_back(other.seconds([&] { other.set_up(); }));
  }
  Solver solver(system, errors);
  result.first_setup.push_back(solver.seconds([&] { solver.set_up(); }));
  if (repeat > 1) solver.solve();
  LogStage const stage(name, errors);
  for (PetscInt k = 0; k < repeat; ++k) {
    solver.change_values();
    result.new_values.push_back(solver.seconds([&] { solver.set_up(); }));
    result.solve.push_back(solver.seconds([&] { solver.solve(); }));
    result.sum.push_back(result.new_values.back() + result.solve.back());
    solver.check(settings.residual_limit, result);
  }
  solver.describe(result);
  if (settings.view) solver.view();
}

}  // namespace

SolutionResult run_recipe(System const& system, Recipe const& recipe, SolutionSettings const& settings) {
  SolutionResult result;
  Errors const errors;
  try {
    result.options = complete(recipe.options, system, errors);
    ScopedOptions const options(result.options, errors);
    double const seconds = warm_up(system, settings, options, recipe, errors, result);
    measure(system, settings, recipe.name, seconds > settings.cut_short ? 1 : settings.repeat, errors, result);
  } catch (std::exception const& e) {
    result.error = e.what();
  }
  return result;
}

}  // namespace sptrsv::bench
