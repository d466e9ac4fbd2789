// SPDX-License-Identifier: Apache-2.0
// Times first set-ups of factors, and the plugin's part of them: what they take beyond PETSc's own type.
#include <petscdevice.h>
#include <petscksp.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "case_words.hpp"
#include "petsc_errors.hpp"
#include "petsc_main.hpp"
#include "petsc_matrix.hpp"

namespace {

using namespace sptrsv::bench;

char const help[] =
    "Times first set-ups: symbolic phase and first numeric phase of a new factor. Prints a row per factor for PETSc's\n"
    "own type, and one for each case with the plugin's part, which should be at most PETSc's time / 10 + 50 ms.\n"
    "  bench_first_setup -matrix lap3d:50|FILE [-factors lu,cholesky,ilu0,icc1,...] [-cases MAT_TYPE:TYPE,...]\n"
    "                    [-repeat 5] [-budget SECONDS] [-cpu_time] -dll_append <path>/libsptrsv_petsc.so\n"
    "LU and Cholesky in ordering nd, ILU and ICC in natural ordering. The least of the repetitions counts.\n"
    "-cpu_time: this process' seconds on all cores, for one thread on a host with other work.\n\n";

/// Factor to be set up.
struct Kind {
  MatFactorType factor;
  int levels;
  bool symmetric() const { return factor == MAT_FACTOR_CHOLESKY || factor == MAT_FACTOR_ICC; }
  bool complete() const { return factor == MAT_FACTOR_LU || factor == MAT_FACTOR_CHOLESKY; }
};

Kind kind_of(std::string const& word) {
  if (word == "lu") return {MAT_FACTOR_LU, 0};
  if (word == "cholesky") return {MAT_FACTOR_CHOLESKY, 0};
  auto const name = word.substr(0, 3);
  if (word.size() == 4 && word[3] >= '0' && word[3] <= '9') {
    if (name == "ilu") return {MAT_FACTOR_ILU, word[3] - '0'};
    if (name == "icc") return {MAT_FACTOR_ICC, word[3] - '0'};
  }
  throw std::runtime_error("-factors: '" + word + "' is none of lu, cholesky, ilu0 to ilu9, icc0 to icc9");
}

struct Settings {
  std::string matrix, cases;
  int repeat = 5;
  double budget = 2;
  bool cpu_time = false;
};

/// Seconds of the phases.
struct SetUp {
  double symbolic = 0, numeric = 0;
  double both() const { return symbolic + numeric; }
};

/// Waits for all work on PETSc's stream, and returns the time in seconds.
double now(bool cpu_time, Errors const& errors) {
  PetscDeviceContext device = nullptr;
  PetscLogDouble seconds = 0;
  errors.must(PetscDeviceContextGetCurrentContext(&device));
  errors.must(PetscDeviceContextSynchronize(device));
  if (cpu_time) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  errors.must(PetscTime(&seconds));
  return seconds;
}

/// Sets up one new factor of A. The matrix type's own data on a device exist before.
SetUp set_up(Mat A, std::string const& type, Kind kind, IS rows, IS columns, bool cpu_time, Errors const& errors) {
  Mat F = nullptr;
  MatFactorInfo info;
  MatFactorError pivots = MAT_FACTOR_NOERROR;
  errors.must(MatFactorInfoInitialize(&info));
  info.levels = kind.levels;
  info.fill = kind.complete() ? 5 : 1;
  info.zeropivot = 100 * PETSC_MACHINE_EPSILON;
  info.shifttype = static_cast<PetscReal>(MAT_SHIFT_NONZERO);
  info.shiftamount = 1e-10;
  double const begin = now(cpu_time, errors);
  errors.must(MatGetFactor(A, type.c_str(), kind.factor, &F));
  if (!F) throw std::runtime_error("there is no such factor for this type of matrix");
  switch (kind.factor) {
    case MAT_FACTOR_LU: errors.must(MatLUFactorSymbolic(F, A, rows, columns, &info)); break;
    case MAT_FACTOR_CHOLESKY: errors.must(MatCholeskyFactorSymbolic(F, A, rows, &info)); break;
    case MAT_FACTOR_ICC: errors.must(MatICCFactorSymbolic(F, A, rows, &info)); break;
    default: errors.must(MatILUFactorSymbolic(F, A, rows, columns, &info));
  }
  double const middle = now(cpu_time, errors);
  if (kind.symmetric()) errors.must(MatCholeskyFactorNumeric(F, A, &info));
  else errors.must(MatLUFactorNumeric(F, A, &info));
  double const end = now(cpu_time, errors);
  errors.must(MatFactorGetError(F, &pivots));
  errors.must(MatDestroy(&F));
  if (pivots != MAT_FACTOR_NOERROR) throw std::runtime_error("the factorization met a zero pivot");
  return {middle - begin, end - middle};
}

/// Repeats a set-up, and returns the fastest.
SetUp fastest(Mat A, std::string const& mat_type, std::string const& type, Kind kind, Settings const& s) {
  Errors const errors;
  Mat B = nullptr;
  IS rows = nullptr, columns = nullptr;
  Vec x = nullptr, y = nullptr;
  errors.must(MatConvert(A, mat_type.c_str(), MAT_INITIAL_MATRIX, &B));
  errors.must(MatGetOrdering(B, kind.complete() ? MATORDERINGND : MATORDERINGNATURAL, &rows, &columns));
  errors.must(MatCreateVecs(B, &x, &y));
  errors.must(VecSet(x, 1));
  errors.must(MatMult(B, x, y));  // brings the matrix to the device
  SetUp least;
  double spent = 0;
  for (int run = 0; run < s.repeat && (run == 0 || spent < s.budget); ++run) {
    SetUp const one = set_up(B, type, kind, rows, columns, s.cpu_time, errors);
    spent += one.both();
    if (run == 0 || one.both() < least.both()) least = one;
  }
  errors.must(MatDestroy(&B));
  errors.must(ISDestroy(&rows));
  errors.must(ISDestroy(&columns));
  errors.must(VecDestroy(&x));
  errors.must(VecDestroy(&y));
  return least;
}

/// Times a set-up and prints its row.
/// @param own  set-up of PETSc's own type; null: this is PETSc's own
/// @return whether it succeeded
bool time_row(Mat A, Mat small, Settings const& s, std::string const& factor, std::string const& name, SetUp const* own,
              SetUp* result) {
  auto const words = split(name, ':');
  if (words.size() != 2) throw std::runtime_error("-cases: '" + name + "' is not MAT_TYPE:TYPE");
  std::printf("%-24s %-9s %-24s ", s.matrix.c_str(), factor.c_str(), name.c_str());
  std::fflush(stdout);
  bool good = true;
  try {
    (void)fastest(small, words[0], words[1], kind_of(factor), s);  // loads kernels
    SetUp const t = *result = fastest(A, words[0], words[1], kind_of(factor), s);
    std::printf("%10.1f %10.1f %10.1f", 1e3 * t.symbolic, 1e3 * t.numeric, 1e3 * t.both());
    if (own) {
      double const part = t.both() - own->both(), most = own->both() / 10 + 0.05;
      std::printf(" %10.1f %10.1f %s", 1e3 * part, 1e3 * most, part <= most ? "within" : "ABOVE");
    }
    std::printf("\n");
  } catch (std::exception const& e) {
    std::printf("FAILED: %s\n", e.what());
    good = false;
  }
  std::fflush(stdout);
  return good;
}

bool run() {
  if (help_is_asked()) return true;
  require_one_process();
  Settings s;
  PetscInt repeat = s.repeat;
  PetscReal budget = s.budget;
  (void)PetscOptionsGetInt(nullptr, nullptr, "-repeat", &repeat, nullptr);
  (void)PetscOptionsGetReal(nullptr, nullptr, "-budget", &budget, nullptr);
  PetscBool cpu_time = PETSC_FALSE;
  (void)PetscOptionsGetBool(nullptr, nullptr, "-cpu_time", &cpu_time, nullptr);
  s.cpu_time = cpu_time;
  s.matrix = get_string("-matrix", "lap2d:100");
  s.repeat = std::max(1, static_cast<int>(repeat));
  s.budget = static_cast<double>(budget);
  auto const cases = split(get_string("-cases", "seqaij:sptrsv,seqaij:sequential"), ',');
  Mat A = make_matrix(s.matrix), small = make_matrix("lap2d:20");
  for (Mat const each : {A, small})
    if (MatSetOption(each, MAT_SYMMETRIC, PETSC_TRUE) != PETSC_SUCCESS)
      throw std::runtime_error("PETSc does not take " + s.matrix + " for symmetric");
  std::printf("%-24s %-9s %-24s %10s %10s %10s %10s %10s\n", "matrix", "factor", "matrix and solver type",
              "symbolic ms", "numeric ms", "both ms", "part ms", "allowed ms");
  bool good = true;
  for (auto const& factor : split(get_string("-factors", "lu,cholesky,ilu0,ilu1,icc0,icc1"), ',')) {
    SetUp own, result;
    if (!time_row(A, small, s, factor, "seqaij:petsc", nullptr, &own)) continue;  // PETSc's own limits
    for (auto const& name : cases) good = time_row(A, small, s, factor, name, &own, &result) && good;
  }
  (void)MatDestroy(&A);
  (void)MatDestroy(&small);
  return good;
}

}  // namespace

int main(int argc, char** argv) { return petsc_main(argc, argv, help, "bench_first_setup", run); }
