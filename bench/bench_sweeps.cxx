// SPDX-License-Identifier: Apache-2.0
// Times preconditioners that sweep over the rows of a matrix, PETSc's own sweeps, and incomplete factors.
#include <petscdevice.h>
#include <petscksp.h>

#include <cstdio>
#include <iostream>

#include "case_words.hpp"
#include "json.hpp"
#include "measure.hpp"
#include "petsc_errors.hpp"
#include "petsc_main.hpp"
#include "petsc_matrix.hpp"

namespace {

using namespace sptrsv;
using namespace sptrsv::bench;

char const help[] =
    "Times PCApply, set-up with new values, and a KSP with SOR sweeps and other preconditioners.\n"
    "  bench_sweeps -matrix lap3d:100|FILE [-cases MAT_TYPE:PC:TYPE[:ORDERING],...] [-json FILE]\n"
    "               [-omega 1] [-rtol 1e-8] [-ksp cg] [-repeat 50] [-budget SECONDS]\n"
    "               -dll_append <path>/libsptrsv_petsc.so\n"
    "PC: sor, eisenstat or ilu, icc, jacobi. TYPE: an algorithm, or petsc for PETSc's own.\n\n";

/// Preconditioner to be timed.
struct Case {
  std::string mat_type, pc, type, ordering;
  std::string name() const { return mat_type + ' ' + pc + ' ' + type + (ordering.empty() ? "" : ' ' + ordering); }
};

struct Result {
  std::string error;
  double first = 0;  ///< seconds of a set-up from scratch and one PCApply, after a warm-up
  Times apply;       ///< PCApply
  Times renewal;     ///< set-up with new values and one PCApply
  Times solve;       ///< KSPSolve
  int iterations = 0;
};

struct Settings {
  std::string matrix, ksp, json;
  std::vector<Case> cases;
  PetscReal omega = 1, rtol = 1e-8;
  Limits limits;
};

std::string default_cases() {
#if defined(PETSC_HAVE_KOKKOS_KERNELS)
  std::string const type = "aijkokkos";
#else
  std::string const type = "aij";
#endif
  std::string cases;
  for (char const* what : {":jacobi", ":sor:petsc", ":sor:sptrsv", ":sor:sptrsv:color", ":sor:sptrsv:blockcolor",
                           ":eisenstat:sptrsv", ":ilu:sptrsv", ":ilu:sptrsv:blockcolor"})
    cases += (cases.empty() ? "" : ",") + type + what;
  return cases;
}

Settings get_settings() {
  Settings s;
  PetscInt repeat = 50;
  PetscReal budget = 1;
  s.matrix = get_string("-matrix", "");
  s.ksp = get_string("-ksp", KSPCG);
  s.json = get_string("-json", "");
  (void)PetscOptionsGetReal(nullptr, nullptr, "-omega", &s.omega, nullptr);
  (void)PetscOptionsGetReal(nullptr, nullptr, "-rtol", &s.rtol, nullptr);
  (void)PetscOptionsGetInt(nullptr, nullptr, "-repeat", &repeat, nullptr);
  (void)PetscOptionsGetReal(nullptr, nullptr, "-budget", &budget, nullptr);
  s.limits.runs = static_cast<int>(repeat);
  s.limits.seconds = static_cast<double>(budget);
  if (s.matrix.empty()) throw std::runtime_error("no -matrix: give lap3d:50, say, or a file");
  for (auto const& text : split(get_string("-cases", default_cases()), ',')) {
    auto words = split(text, ':');
    if (words.size() < 2 || words.size() > 4)
      throw std::runtime_error("-cases: '" + text + "' is not MAT_TYPE:PC:TYPE[:ORDERING]");
    words.resize(4);
    s.cases.push_back({words[0], words[1], words[2], words[3]});
  }
  return s;
}

/// KSP with the preconditioner of a case, on a copy of the matrix.
class Solver {
 public:
  Solver(Mat A, Case what, Settings const& s, Errors const& errors) : what_(std::move(what)), s_(s), errors_(errors) {
    must(MatConvert(A, what_.mat_type.c_str(), MAT_INITIAL_MATRIX, &matrix_));
    must(MatCreateVecs(matrix_, &x_, &b_));
    must(VecSet(b_, 1));
    for (auto const& [name, value] : options())
      must(PetscOptionsSetValue(nullptr, ("-case_" + name).c_str(), value.c_str()));
  }
  ~Solver() {
    (void)KSPDestroy(&ksp_);
    (void)MatDestroy(&matrix_);
    (void)VecDestroy(&x_);
    (void)VecDestroy(&b_);
    for (auto const& option : options()) (void)PetscOptionsClearValue(nullptr, ("-case_" + option.first).c_str());
  }
  Solver(Solver const&) = delete;
  Solver& operator=(Solver const&) = delete;

  void forget() { must(KSPDestroy(&ksp_)); }
  void set_up_first() {
    PC pc = nullptr;
    must(KSPCreate(PETSC_COMM_SELF, &ksp_));
    must(KSPSetOptionsPrefix(ksp_, "case_"));
    must(KSPSetOperators(ksp_, matrix_, matrix_));
    must(KSPSetType(ksp_, s_.ksp.c_str()));
    must(KSPSetTolerances(ksp_, s_.rtol, PETSC_DEFAULT, PETSC_DEFAULT, 5000));
    must(KSPGetPC(ksp_, &pc));
    must(PCSetType(pc, what_.pc.c_str()));
    must(KSPSetFromOptions(ksp_));
    set_up();
  }
  void set_up() {
    must(KSPSetUp(ksp_));
    must(KSPSetUpOnBlocks(ksp_));
  }
  void apply() {
    PC pc = nullptr;
    must(KSPGetPC(ksp_, &pc));
    must(PCApply(pc, b_, x_));
  }
  void scale(double factor) { must(MatScale(matrix_, factor)); }
  int solve() {
    PetscInt iterations = 0;
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    must(KSPSolve(ksp_, b_, x_));
    must(KSPGetIterationNumber(ksp_, &iterations));
    must(KSPGetConvergedReason(ksp_, &reason));
    if (reason <= 0) throw std::runtime_error(std::string("no convergence: ") + KSPConvergedReasons[reason]);
    return static_cast<int>(iterations);
  }

 private:
  std::vector<std::pair<std::string, std::string>> options() const {
    std::vector<std::pair<std::string, std::string>> all;
    bool const factor = what_.pc == PCILU || what_.pc == PCICC || what_.pc == PCLU;
    bool const native = what_.type.empty() || what_.type == "petsc";
    if (what_.pc == PCSOR || what_.pc == PCEISENSTAT) {
      all.emplace_back("pc_sor_sptrsv", native ? "off" : what_.type);
      all.emplace_back(what_.pc == PCSOR ? "pc_sor_omega" : "pc_eisenstat_omega", std::to_string(s_.omega));
      if (!what_.ordering.empty()) all.emplace_back("pc_sor_ordering", what_.ordering);
    } else if (factor) {
      all.emplace_back("pc_factor_mat_solver_type", native ? "petsc" : what_.type);
      if (!what_.ordering.empty()) all.emplace_back("pc_factor_mat_ordering_type", what_.ordering);
    }
    return all;
  }
  void must(PetscErrorCode code) const { errors_.must(code); }

  Case what_;
  Settings const& s_;
  Errors const& errors_;
  Mat matrix_ = nullptr;
  KSP ksp_ = nullptr;
  Vec x_ = nullptr, b_ = nullptr;
};

Result time_case(Mat A, Case const& what, Settings const& s) try {
  Errors const errors;
  Result r;
  Solver solver(A, what, s, errors);
  auto const fence = [&] {
    PetscDeviceContext device = nullptr;
    errors.must(PetscDeviceContextGetCurrentContext(&device));
    errors.must(PetscDeviceContextSynchronize(device));
  };
  auto const apply = [&] { solver.apply(); };
  for (int run = 0; run < 2; ++run) {  // the first run loads kernels
    solver.forget();
    r.first = seconds_of([&] { solver.set_up_first(), solver.apply(); }, fence);
  }
  r.apply = measure(s.limits, seconds_of(apply, fence), apply, fence);
  bool doubled = false;
  auto const change_values = [&] {
    solver.scale(doubled ? 0.5 : 2);
    doubled = !doubled;
  };
  r.renewal =
      measure_prepared(s.limits, r.apply.median, change_values, [&] { solver.set_up(), solver.apply(); }, fence);
  if (doubled) change_values();
  r.iterations = solver.solve();
  auto const solve = [&] { r.iterations = solver.solve(); };
  Limits few = s.limits;
  few.runs = 5;
  r.solve = measure(few, seconds_of(solve, fence), solve, fence);
  return r;
} catch (std::exception const& e) {
  Result r;
  r.error = e.what();
  return r;
}

Json json_of(Settings const& s, Case const& c, Result const& r) {
  Json json = {
      {"matrix", s.matrix}, {"mat_type", c.mat_type}, {"pc", c.pc}, {"type", c.type}, {"ordering", c.ordering}};
  if (!r.error.empty()) json["error"] = r.error;
  else
    json.update({{"first", r.first},
                 {"iterations", r.iterations},
                 {"apply", r.apply},
                 {"renewal", r.renewal},
                 {"solve", r.solve}});
  return json;
}

bool run() {
  if (help_is_asked()) return true;
  Settings const s = get_settings();
  Mat A = make_matrix(s.matrix);
  int const width = name_width(s.cases);
  std::printf("%s, %s to %g, omega %g\n%-*s %11s %11s %11s %11s %11s %6s\n", s.matrix.c_str(), s.ksp.c_str(),
              static_cast<double>(s.rtol), static_cast<double>(s.omega), width, "matrix, PC, type", "first ms",
              "PCApply us", "minimum", "new val. us", "KSPSolve ms", "its");
  bool good = true;
  Json json = {{"program", "bench_sweeps"}, {"cases", Json::array()}};
  for (auto const& c : s.cases) {
    std::cerr << "running " << s.matrix << ' ' << c.name() << std::endl;
    auto const r = time_case(A, c, s);
    good = good && (r.error.empty() || c.type == "petsc");
    if (!r.error.empty()) std::printf("%-*s FAILED: %s\n", width, c.name().c_str(), r.error.c_str());
    else
      std::printf("%-*s %11.3f %11.1f %11.1f %11.1f %11.2f %6d\n", width, c.name().c_str(), 1e3 * r.first,
                  1e6 * r.apply.median, 1e6 * r.apply.minimum, 1e6 * (r.renewal.median - r.apply.median),
                  1e3 * r.solve.median, r.iterations);
    std::fflush(stdout);
    json["cases"].push_back(json_of(s, c, r));
  }
  save_json(s.json, json);
  (void)MatDestroy(&A);
  return good;
}

}  // namespace

int main(int argc, char** argv) { return petsc_main(argc, argv, help, "bench_sweeps", run); }
