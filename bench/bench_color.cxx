// SPDX-License-Identifier: Apache-2.0
// Measures what the ordering `color` costs in iterations and gains per solve: Krylov solves of one matrix in several
// orderings.
#include <petscksp.h>
#include <petsctime.h>

#include <unistd.h>  // mkstemp()
#include <algorithm>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "../examples/solve_file/measure.hpp"
#include "case_words.hpp"
#include "json.hpp"
#include "petsc_main.hpp"
#include "petsc_matrix.hpp"

namespace {

using namespace sptrsv::bench;

char const help[] =
    "Solves with CG and ICC, or BiCGStab and ILU, for each ordering and solver type, and times products and "
    "applications.\n"
    "  bench_color -matrix lap3d:100|FILE [-factor auto|ilu|icc] [-levels 0] [-mat_type seqaij] [-repeat 3] [-json "
    "FILE]\n"
    "              [-cases ORDERING:TYPE,...] -dll_append <path>/libsptrsv_petsc.so\n"
    "ORDERING is PETSc's, or balanced: color with -mat_ordering_color_balance. Of color, rows are levels + 1 "
    "apart.\n\n";

struct Settings {
  std::string matrix, factor, mat_type, cases, json;
  PetscInt levels = 0, repeat = 3;
};

struct Case {
  std::string ordering, type;
};

/// Seconds, except for `iterations` and `levels`.
struct Outcome {
  std::string error, lower, upper;  ///< description of the triangles by -ksp_view
  double setup = 0, solve = 0, apply = 0;
  PetscInt iterations = 0;
};

/// Turns the first PETSc error into an exception.
void must(PetscErrorCode code, char const* what) {
  if (code != PETSC_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed, PETSc error " + std::to_string(static_cast<int>(code)));
}
#define MUST(call) must(call, #call)

Settings get_settings() {
  Settings s;
  s.matrix = get_string("-matrix", "");
  s.factor = get_string("-factor", "auto");
#if defined(PETSC_HAVE_KOKKOS_KERNELS)
  s.mat_type = get_string("-mat_type", MATSEQAIJKOKKOS);
#else
  s.mat_type = get_string("-mat_type", MATSEQAIJ);
#endif
  s.cases = get_string("-cases",
                       "natural:petsc,natural:levelset,natural:sptrsv,color:petsc,color:levelset,color:colorset,color:"
                       "sptrsv,balanced:colorset");
  s.json = get_string("-json", "");
  MUST(PetscOptionsGetInt(nullptr, nullptr, "-levels", &s.levels, nullptr));
  MUST(PetscOptionsGetInt(nullptr, nullptr, "-repeat", &s.repeat, nullptr));
  if (s.matrix.empty()) throw std::runtime_error("no -matrix: give lap3d:50, say, or a file");
  if (s.factor != "auto" && s.factor != "ilu" && s.factor != "icc")
    throw std::runtime_error("-factor is auto, ilu or icc, not " + s.factor);
  return s;
}

std::vector<Case> list_cases(std::string const& text) {
  std::vector<Case> cases;
  for (auto const& word : split(text, ',')) {
    auto const colon = word.find(':');
    if (colon == std::string::npos) throw std::runtime_error("-cases: '" + word + "' is not ORDERING:TYPE");
    cases.push_back({word.substr(0, colon), word.substr(colon + 1)});
  }
  return cases;
}

/// Tells whether A is symmetric with a positive diagonal, so that ICC is used.
bool is_symmetric_positive(Mat A) {
  PetscBool symmetric = PETSC_FALSE;
  Vec diagonal = nullptr;
  PetscReal least = 0;
  MUST(MatIsSymmetric(A, 0, &symmetric));
  MUST(MatCreateVecs(A, &diagonal, nullptr));
  MUST(MatGetDiagonal(A, diagonal));
  MUST(VecRealPart(diagonal));
  MUST(VecMin(diagonal, nullptr, &least));
  MUST(VecDestroy(&diagonal));
  return symmetric && least > 0;
}

void set_ordering_options(Settings const& s, std::string const& ordering) {
  MUST(PetscOptionsSetValue(nullptr, "-mat_ordering_color_balance", ordering == "balanced" ? "1" : "0"));
  MUST(PetscOptionsSetValue(nullptr, "-mat_ordering_color_distance", std::to_string(s.levels + 1).c_str()));
}
char const* petsc_ordering(std::string const& ordering) { return ordering == "balanced" ? "color" : ordering.c_str(); }

/// Reads the description of the triangles from MatView().
void describe(Mat F, Outcome& out) {
  char path[] = "/tmp/bench_color_XXXXXX";
  PetscViewer viewer = nullptr;
  int const file = mkstemp(path);
  if (file < 0) return;
  close(file);
  MUST(PetscViewerASCIIOpen(PETSC_COMM_SELF, path, &viewer));
  MUST(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  MUST(MatView(F, viewer));
  MUST(PetscViewerPopFormat(viewer));
  MUST(PetscViewerDestroy(&viewer));
  std::ifstream in(path);
  std::string* triangle = nullptr;
  for (std::string line; std::getline(in, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.rfind("L: ", 0) == 0 || line.rfind("U: ", 0) == 0) {
      triangle = line[0] == 'L' ? &out.lower : &out.upper;
      *triangle = line.substr(3);
    } else if (triangle) {
      *triangle += "; " + line;
      triangle = nullptr;
    }
  }
  (void)std::remove(path);
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Times one case: the second of two set-ups, and `repeat` solves after a warm-up.
void run_case(Settings const& s, Mat A, Vec b, bool icc, Case const& c, Outcome& out) {
  KSP ksp = nullptr;
  PC pc = nullptr;
  Vec x = nullptr;
  Mat F = nullptr, P = nullptr;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscReal norm = 0;
  PetscLogDouble begin = 0, end = 0;
  MUST(VecDuplicate(b, &x));
  set_ordering_options(s, c.ordering);
  for (int turn = 0; turn < 2; ++turn) {
    MUST(KSPDestroy(&ksp));
    MUST(KSPCreate(PETSC_COMM_SELF, &ksp));
    MUST(KSPSetOperators(ksp, A, A));
    MUST(KSPSetType(ksp, icc ? KSPCG : KSPBCGS));
    MUST(KSPSetTolerances(ksp, 1e-8, 1e-50, 1e10, 3000));
    MUST(KSPGetPC(ksp, &pc));
    MUST(PCSetType(pc, icc ? PCICC : PCILU));
    MUST(PCFactorSetMatSolverType(pc, c.type.c_str()));
    MUST(PCFactorSetMatOrderingType(pc, petsc_ordering(c.ordering)));
    MUST(PCFactorSetLevels(pc, s.levels));
    MUST(KSPSetFromOptions(ksp));
    MUST(PetscTime(&begin));
    MUST(KSPSetUp(ksp));
    MUST(PetscTime(&end));
    out.setup = end - begin;
  }
  std::vector<double> times;
  for (PetscInt turn = -1; turn < s.repeat; ++turn) {
    MUST(PetscTime(&begin));
    MUST(KSPSolve(ksp, b, x));
    MUST(VecNorm(x, NORM_INFINITY, &norm));  // waits for the device
    MUST(PetscTime(&end));
    if (turn >= 0 || s.repeat < 1) times.push_back(end - begin);
    if (turn < 0 && end - begin > 5) {
      times.push_back(end - begin);
      break;
    }
  }
  out.solve = median(times);
  MUST(KSPGetIterationNumber(ksp, &out.iterations));
  MUST(KSPGetConvergedReason(ksp, &reason));
  if (reason <= 0) out.error = std::string("did not converge: ") + KSPConvergedReasons[reason];
  MUST(find_factor(ksp, &F, &P));
  MUST(time_solve(F, P, &out.apply));
  if (c.type != MATSOLVERPETSC) describe(F, out);
  MUST(KSPDestroy(&ksp));
  MUST(VecDestroy(&x));
}

/// Returns the seconds of A x, from a batch of products.
double time_product(Mat A) {
  Vec x = nullptr, y = nullptr;
  PetscReal norm = 0;
  PetscLogDouble begin = 0, end = 0;
  std::vector<double> times;
  MUST(MatCreateVecs(A, &x, &y));
  MUST(VecSet(x, 1));
  int calls = 1;
  for (int turn = -6; turn < 5; ++turn) {
    MUST(PetscTime(&begin));
    for (int k = 0; k < calls; ++k) MUST(MatMult(A, x, y));
    MUST(VecNorm(y, NORM_INFINITY, &norm));
    MUST(PetscTime(&end));
    if (turn < 0 && end - begin < 0.01) calls *= 4;
    if (turn >= 0) times.push_back((end - begin) / calls);
  }
  MUST(VecDestroy(&x));
  MUST(VecDestroy(&y));
  return median(times);
}

/// Returns the seconds of A x with the rows and columns of A permuted by an ordering.
double time_permuted_product(Settings const& s, Mat A, std::string const& ordering) {
  IS rows = nullptr, cols = nullptr;
  Mat permuted = nullptr;
  set_ordering_options(s, ordering);
  MUST(MatGetOrdering(A, petsc_ordering(ordering), &rows, &cols));
  MUST(MatPermute(A, rows, cols, &permuted));
  MUST(MatConvert(permuted, s.mat_type.c_str(), MAT_INPLACE_MATRIX, &permuted));
  double const seconds = time_product(permuted);
  MUST(MatDestroy(&permuted));
  MUST(ISDestroy(&rows));
  MUST(ISDestroy(&cols));
  return seconds;
}

std::string json_of(Case const& c, Outcome const& r) {
  std::ostringstream out;
  out << "    {\"ordering\": " << quoted(c.ordering) << ", \"type\": " << quoted(c.type)
      << ", \"error\": " << quoted(r.error) << ", \"iterations\": " << r.iterations << ", \"setup\": " << r.setup
      << ", \"solve\": " << r.solve << ", \"apply\": " << r.apply << ",\n     \"lower\": " << quoted(r.lower)
      << ", \"upper\": " << quoted(r.upper) << "}";
  return out.str();
}

/// Runs all cases. @return whether all succeeded.
bool run() {
  if (help_is_asked()) return true;
  Settings const s = get_settings();
  Mat A = make_matrix(s.matrix), typed = nullptr;
  MatInfo info;
  PetscInt n = 0;
  Vec b = nullptr;
  MUST(MatGetSize(A, &n, nullptr));
  MUST(MatGetInfo(A, MAT_LOCAL, &info));
  bool const icc = s.factor == "icc" || (s.factor == "auto" && is_symmetric_positive(A));
  if (icc) MUST(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  MUST(MatConvert(A, s.mat_type.c_str(), MAT_INITIAL_MATRIX, &typed));
  MUST(MatCreateVecs(typed, nullptr, &b));
  PetscRandom random = nullptr;
  MUST(PetscRandomCreate(PETSC_COMM_SELF, &random));
  MUST(VecSetRandom(b, random));
  MUST(PetscRandomDestroy(&random));
  double const natural = time_product(typed), color = time_permuted_product(s, A, "color");
  std::printf(
      "%s: n = %lld, %.0f entries, %s, %s(%lld)\nA x natural %.1f us, color %.1f us\n%-10s %-11s %6s %11s %11s %11s\n",
      s.matrix.c_str(), static_cast<long long>(n), info.nz_used, s.mat_type.c_str(),
      icc ? "CG and ICC" : "BiCGStab and ILU", static_cast<long long>(s.levels), 1e6 * natural, 1e6 * color, "ordering",
      "type", "its", "KSPSolve ms", "MatSolve us", "PCSetUp ms");
  std::ostringstream json;
  bool good = true;
  for (Case const& c : list_cases(s.cases)) {
    Outcome r;
    std::cerr << "running " << s.matrix << ' ' << c.ordering << ' ' << c.type << std::endl;
    try {
      run_case(s, typed, b, icc, c, r);
    } catch (std::exception const& e) {
      r.error = e.what();
      good = good && c.type == MATSOLVERPETSC;
    }
    std::printf("%-10s %-11s %6lld %11.3f %11.1f %11.3f  %s\n", c.ordering.c_str(), c.type.c_str(),
                static_cast<long long>(r.iterations), 1e3 * r.solve, 1e6 * r.apply, 1e3 * r.setup, r.error.c_str());
    std::fflush(stdout);
    json << (json.str().empty() ? "" : ",\n") << json_of(c, r);
  }
  if (!s.json.empty()) {
    std::ofstream out(s.json);
    out << "{\n  \"program\": \"bench_color\", \"matrix\": " << quoted(s.matrix) << ", \"n\": " << n
        << ", \"entries\": " << info.nz_used
        << ", \"factor\": " << quoted((icc ? "icc" : "ilu") + std::to_string(s.levels))
        << ",\n  \"mat_type\": " << quoted(s.mat_type) << ", \"product_natural\": " << natural
        << ", \"product_color\": " << color << ",\n  \"cases\": [\n"
        << json.str() << "\n  ]\n}\n";
    if (!out.flush()) throw std::runtime_error("cannot write " + s.json);
  }
  MUST(VecDestroy(&b));
  MUST(MatDestroy(&typed));
  MUST(MatDestroy(&A));
  return good;
}

}  // namespace

int main(int argc, char** argv) { return petsc_main(argc, argv, help, "bench_color", run); }
