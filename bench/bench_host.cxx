// SPDX-License-Identifier: Apache-2.0
// Times set-up, MatSolve, MatSolveTranspose and KSPSolve of solver types on a host, next to PETSc's own.
#include <petscksp.h>
#include <sptrsv_petsc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <thread>

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
    "Times what a PETSc program feels of a solver type on a host: the set-up of a PC, the first KSPSolve after it, "
    "with a\n"
    "fixed number of iterations, and once twice as many have been done: MatSolve, MatSolveTranspose, KSPSolve.\n"
    "  bench_host -matrix lap3d:40|FILE [-pc ilu|icc] [-types sptrsv,...] [-rounds 5] [-iterations 20]\n"
    "             [-budget SECONDS] [-json FILE] -dll_append <path>/libsptrsv_petsc.so\n"
    "PETSc's own type is timed before any other, while no thread waits for work, and again at the end; the lesser of\n"
    "both medians is kept. The other types take turns.\n\n";

struct Settings {
  std::string matrix, pc = "ilu", types = "sptrsv", json;
  int rounds = 5, iterations = 20;
  double budget = 0.1;  ///< seconds per round and quantity
};

Settings get_settings() {
  Settings s;
  PetscInt rounds = s.rounds, iterations = s.iterations;
  PetscReal budget = s.budget;
  s.matrix = get_string("-matrix", "");
  s.pc = get_string("-pc", s.pc);
  s.types = get_string("-types", s.types);
  s.json = get_string("-json", "");
  (void)PetscOptionsGetInt(nullptr, nullptr, "-rounds", &rounds, nullptr);
  (void)PetscOptionsGetInt(nullptr, nullptr, "-iterations", &iterations, nullptr);
  (void)PetscOptionsGetReal(nullptr, nullptr, "-budget", &budget, nullptr);
  if (s.matrix.empty()) throw std::runtime_error("no -matrix: give lap3d:40, say, or a file");
  if (s.pc != "ilu" && s.pc != "icc") throw std::runtime_error("-pc is ilu or icc, not " + s.pc);
  if (rounds < 1 || iterations < 1) throw std::runtime_error("-rounds and -iterations must be 1 or more");
  s.rounds = static_cast<int>(rounds);
  s.iterations = static_cast<int>(iterations);
  s.budget = static_cast<double>(budget);
  return s;
}

/// Seconds per call: one sample per round.
struct Samples {
  std::vector<double> set_up, first, solve, transpose, krylov;
};

double median_of(std::vector<double> const& seconds) {
  return seconds.empty() ? std::numeric_limits<double>::quiet_NaN() : summarize(seconds).median;
}

/// KSP with the factor of one type.
class Subject {
 public:
  Subject(Mat A, std::string type, Settings const& settings, Errors const& errors)
      : A_(A), type_(std::move(type)), settings_(settings), errors_(errors) {
    must(MatCreateVecs(A, &x_, &b_));
    must(VecSet(b_, 1));
  }
  ~Subject() {
    (void)KSPDestroy(&ksp_);
    (void)VecDestroy(&x_);
    (void)VecDestroy(&b_);
  }
  Subject(Subject const&) = delete;
  Subject& operator=(Subject const&) = delete;

  std::string const& type() const { return type_; }
  Samples samples;

  /// Sets up once, so that one-time work of the process, such as starting threads, is not timed.
  void warm_up() { set_up(); }
  /// Takes one sample of each quantity.
  void time_once() {
    samples.set_up.push_back(seconds_of([&] { set_up(); }, [] {}));
    must(PCFactorGetMatrix(pc_, &F_));
    samples.first.push_back(seconds_of([&] { must(KSPSolve(ksp_, b_, x_)); }, [] {}));
    samples.solve.push_back(seconds_per_call([&] { must(MatSolve(F_, b_, x_)); }));
    if (settings_.pc == "ilu")
      samples.transpose.push_back(seconds_per_call([&] { must(MatSolveTranspose(F_, b_, x_)); }));
    samples.krylov.push_back(seconds_per_call([&] { must(KSPSolve(ksp_, b_, x_)); }));
  }
  /// Names the algorithms that run for a type of sptrsv, and the reason.
  std::string chosen() const {
    MatSpTRSVInfo info;
    PetscErrorCode (*get)(Mat, MatSpTRSVInfo*) = nullptr;
    must(PetscObjectQueryFunction((PetscObject)F_, "MatSpTRSVGetInfo_C", &get));
    if (!get) return "";
    must(get(F_, &info));
    std::string const lower = info.algorithm_lower, upper = info.algorithm_upper;
    return (lower == upper ? lower : lower + "/" + upper) + (info.reason ? std::string(" (") + info.reason + ")" : "");
  }

 private:
  void must(PetscErrorCode code) const { errors_.must(code); }

  void set_up() {
    must(KSPDestroy(&ksp_));
    must(KSPCreate(PETSC_COMM_SELF, &ksp_));
    must(KSPSetOperators(ksp_, A_, A_));
    must(KSPSetType(ksp_, settings_.pc == "icc" ? KSPCG : KSPGMRES));
    must(KSPSetNormType(ksp_, KSP_NORM_NONE));
    must(KSPSetConvergenceTest(ksp_, KSPConvergedSkip, nullptr, nullptr));
    must(KSPSetTolerances(ksp_, 0, 0, PETSC_DEFAULT, settings_.iterations));
    must(KSPGetPC(ksp_, &pc_));
    must(PCSetType(pc_, settings_.pc == "icc" ? PCICC : PCILU));
    must(PCFactorSetMatOrderingType(pc_, MATORDERINGNATURAL));
    must(PCFactorSetShiftType(pc_, MAT_SHIFT_NONZERO));
    must(PCFactorSetMatSolverType(pc_, type_.c_str()));
    must(KSPSetFromOptions(ksp_));
    must(KSPSetUp(ksp_));
    must(KSPSetUpOnBlocks(ksp_));
  }
  /// Returns the seconds per call: repeats `call` until the budget is spent, then times the same number of calls.
  template <class Call>
  double seconds_per_call(Call const& call) const {
    double const first = seconds_of(call, [] {});
    int const calls = static_cast<int>(std::clamp(settings_.budget / std::max(first, 1e-7), 2.0, 5000.0));
    (void)seconds_of(call, [] {}, 2 * calls);
    return seconds_of(call, [] {}, calls);
  }

  Mat A_ = nullptr, F_ = nullptr;
  std::string type_;
  Settings const& settings_;
  Errors const& errors_;
  KSP ksp_ = nullptr;
  PC pc_ = nullptr;
  Vec b_ = nullptr, x_ = nullptr;
};

/// Medians of one type.
struct Medians {
  std::string type, chosen;
  double set_up, first, solve, transpose, krylov;
};

Medians medians_of(Subject const& subject) {
  Samples const& s = subject.samples;
  return {subject.type(),     subject.chosen(),       median_of(s.set_up), median_of(s.first),
          median_of(s.solve), median_of(s.transpose), median_of(s.krylov)};
}

/// Times PETSc's own type alone, after all threads have stopped waiting for work.
Medians time_own(Mat A, Settings const& s, Errors const& errors) {
  Subject own(A, MATSOLVERPETSC, s, errors);
  own.warm_up();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (int round = 0; round < s.rounds; ++round) own.time_once();
  return medians_of(own);
}

void print(Medians const& m, Medians const& own) {
  auto const ratio = [](double mine, double theirs) { return theirs > 0 ? mine / theirs : 0; };
  std::printf("%-12s %10.3f %5.2f %10.3f %5.2f %11.2f %5.2f %11.2f %5.2f %10.3f %5.2f  %s\n", m.type.c_str(),
              1e3 * m.set_up, ratio(m.set_up, own.set_up), 1e3 * m.first, ratio(m.first, own.first), 1e6 * m.solve,
              ratio(m.solve, own.solve), 1e6 * m.transpose, ratio(m.transpose, own.transpose), 1e3 * m.krylov,
              ratio(m.krylov, own.krylov), m.chosen.c_str());
  std::fflush(stdout);
}

std::string json_of(Medians const& m) {
  std::ostringstream out;
  auto const number = [](double value) { return std::isfinite(value) ? std::to_string(1e6 * value) : "null"; };
  out << "    {\"type\": " << quoted(m.type) << ", \"chosen\": " << quoted(m.chosen)
      << ", \"set_up\": " << number(m.set_up) << ", \"first\": " << number(m.first)
      << ", \"solve\": " << number(m.solve) << ", \"transpose\": " << number(m.transpose)
      << ", \"krylov\": " << number(m.krylov) << "}";
  return out.str();
}

void save(Settings const& s, std::vector<Medians> const& all) {
  if (s.json.empty()) return;
  std::ofstream out(s.json);
  out << "{\n  \"program\": \"bench_host\", \"matrix\": " << quoted(s.matrix) << ", \"pc\": " << quoted(s.pc)
      << ", \"unit\": \"us\",\n  \"cases\": [\n";
  for (std::size_t k = 0; k < all.size(); ++k) out << json_of(all[k]) << (k + 1 < all.size() ? ",\n" : "\n");
  out << "  ]\n}\n";
  if (!out.flush()) throw std::runtime_error("cannot write " + s.json);
}

bool run() {
  if (help_is_asked()) return true;
  Settings const s = get_settings();
  Errors const errors;
  Mat A = make_matrix(s.matrix);
  if (s.pc == "icc") errors.must(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  Medians own = time_own(A, s, errors);
  std::vector<std::unique_ptr<Subject>> subjects;
  for (auto const& type : split(s.types, ',')) subjects.push_back(std::make_unique<Subject>(A, type, s, errors));
  for (auto const& subject : subjects) subject->warm_up();
  for (int round = 0; round < s.rounds; ++round)
    for (auto const& subject : subjects) subject->time_once();
  std::vector<Medians> all;
  for (auto const& subject : subjects) all.push_back(medians_of(*subject));
  subjects.clear();
  Medians const again = time_own(A, s, errors);
  for (double Medians::* figure :
       {&Medians::set_up, &Medians::first, &Medians::solve, &Medians::transpose, &Medians::krylov})
    own.*figure = std::min(own.*figure, again.*figure);
  std::printf("%s, %s(0), natural ordering, %d iterations\n%-12s %10s %5s %10s %5s %11s %5s %11s %5s %10s %5s\n",
              s.matrix.c_str(), s.pc.c_str(), s.iterations, "type", "set-up ms", "x", "1st Kr. ms", "x", "MatSolve us",
              "x", "transposed", "x", "Krylov ms", "x");
  all.insert(all.begin(), own);
  for (auto const& m : all) print(m, own);
  save(s, all);
  errors.must(MatDestroy(&A));
  return true;
}

}  // namespace

int main(int argc, char** argv) { return petsc_main(argc, argv, help, "bench_host", run); }
