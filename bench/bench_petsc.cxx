// SPDX-License-Identifier: Apache-2.0
// Times symbolic phase, numeric phase and MatSolve of solver types: PETSc's own and the plugin's.
#include <petscksp.h>

#include <iostream>

#include "case_words.hpp"
#include "json.hpp"
#include "petsc_case.hpp"
#include "petsc_environment.hpp"
#include "petsc_main.hpp"
#include "petsc_matrix.hpp"
#include "report.hpp"
#include "sptrsv_support/petsc_success.hpp"

namespace {

using namespace sptrsv;
using namespace sptrsv::bench;

char const help[] =
    "Times symbolic phase, numeric phase and MatSolve of solver types, each answer checked first.\n"
    "  bench_petsc -matrix lap3d:100|FILE [-factor ilu|icc|lu|cholesky] [-cases MAT_TYPE:TYPE,...]\n"
    "              [-json FILE] [-ordering natural] [-block 1] [-repeat 50] [-budget SECONDS]\n"
    "              -dll_append <path>/libsptrsv_petsc.so\n"
    "-block: rows of the matrix' blocks, for cases such as seqbaij:sptrsv. All cases are of aij types, or all of one\n"
    "with blocks: answers are compared with PETSc's own factor of that type. petsc/this: MatSolve of the case of type\n"
    "petsc divided by this one; above 1 is faster than PETSc. Complete factors: -factor lu -ordering nd.\n\n";

struct FactorName {
  char const* name;
  MatFactorType type;
  bool symmetric;
};
constexpr FactorName factor_names[] = {{"ilu", MAT_FACTOR_ILU, false},
                                       {"icc", MAT_FACTOR_ICC, true},
                                       {"lu", MAT_FACTOR_LU, false},
                                       {"cholesky", MAT_FACTOR_CHOLESKY, true}};
FactorName const& factor_named(std::string const& name) {
  for (auto const& each : factor_names)
    if (name == each.name) return each;
  throw std::runtime_error("-factor is ilu, icc, lu or cholesky, not " + name);
}

struct Settings {
  std::string matrix, factor = "ilu", cases, ordering, json;
  int block = 1;
  Limits limits;
};

/// Returns the default cases, with PETSc's own types after the plugin's, since one of PETSc's is known to end the
/// process on some matrices.
std::string default_cases() {
  std::string cases = "seqaij:petsc";
  auto const add = [&](char const* mat_type) {
    for (char const* type : {"sptrsv", "levelset", "syncfree", "threadlevel"})
      cases += std::string(",") + mat_type + ":" + type;
  };
#if defined(PETSC_HAVE_CUDA)
  cases += ",seqaijcusparse:cusparse,seqaijcusparse:sptrsv";
#endif
#if defined(PETSC_HAVE_KOKKOS_KERNELS)
  add("seqaijkokkos");
  cases += ",seqaijkokkos:kokkos";
#else
  add("seqaij");
#endif
  return cases;
}

Settings get_settings() {
  Settings s;
  s.matrix = get_string("-matrix", "");
  s.factor = get_string("-factor", s.factor);
  s.cases = get_string("-cases", default_cases());
  s.ordering = get_string("-ordering", MATORDERINGNATURAL);
  s.json = get_string("-json", "");
  PetscInt repeat = 50, block = 1;
  PetscReal budget = 1;
  (void)PetscOptionsGetInt(nullptr, nullptr, "-repeat", &repeat, nullptr);
  (void)PetscOptionsGetReal(nullptr, nullptr, "-budget", &budget, nullptr);
  (void)PetscOptionsGetInt(nullptr, nullptr, "-block", &block, nullptr);
  if (block < 1) throw std::runtime_error("-block is " + std::to_string(block) + "; give 1 or more");
  s.block = static_cast<int>(block);
  s.limits.runs = static_cast<int>(repeat);
  s.limits.seconds = static_cast<double>(budget);
  if (s.matrix.empty()) throw std::runtime_error("no -matrix: give lap3d:50, say, or a file");
  (void)factor_named(s.factor);
  return s;
}

std::vector<PetscCase> list_cases(Settings const& s) {
  std::vector<PetscCase> cases;
  for (auto const& word : split(s.cases, ',')) {
    auto const colon = word.find(':');
    if (colon == std::string::npos) throw std::runtime_error("-cases: '" + word + "' is not MAT_TYPE:TYPE");
    cases.push_back({factor_named(s.factor).type, word.substr(0, colon), word.substr(colon + 1), s.ordering});
  }
  return cases;
}

/// Returns the matrix type in which PETSc makes its own factors of `mat_type`.
std::string host_type(std::string const& mat_type) {
  return mat_type == MATSEQBAIJ || mat_type == MATSEQSBAIJ ? mat_type : MATSEQAIJ;
}

bool is_peer(std::string const& type) { return type == "petsc" || type == "cusparse" || type == "kokkos"; }

Json json_of(Settings const& s, PetscCase const& c, PetscResult const& r) {
  Json json = {{"matrix", s.matrix},     {"factor", s.factor}, {"ordering", s.ordering}, {"block", s.block},
               {"mat_type", c.mat_type}, {"type", c.type},     {"peer", is_peer(c.type)}};
  if (!r.error.empty()) json["error"] = r.error;
  else
    json.update({{"symbolic", r.symbolic},
                 {"first_numeric", r.first_numeric},
                 {"setup", r.symbolic + r.first_numeric + r.first_solve},
                 {"first_solve", r.first_solve},
                 {"numeric", r.numeric},
                 {"renewal", r.renewal},
                 {"solve", r.solve},
                 {"cut_short", r.cut_short}});
  return json;
}

/// Prints a line. @param petsc  seconds of a MatSolve of PETSc's own type; 0 if it has none
void print(PetscCase const& c, PetscResult const& r, double petsc) {
  std::string const name = c.mat_type + " " + c.type;
  if (!r.error.empty()) {
    std::printf("%-24s FAILED, no time: %s\n", name.c_str(), r.error.c_str());
  } else {
    auto const ratio = petsc > 0 ? formatted("%.2f", petsc / r.solve.median) : "-";
    std::printf("%-24s %11.3f %11.3f %11.3f %11.3f %11.3f %11.1f %11.1f %5d %10s%s\n", name.c_str(), 1e3 * r.symbolic,
                1e3 * r.first_numeric, 1e3 * r.first_solve, 1e3 * r.numeric.median, 1e3 * r.renewal.median,
                1e6 * r.solve.median, 1e6 * r.solve.minimum, r.solve.runs, ratio.c_str(),
                r.cut_short ? "  cut short" : "");
  }
  std::fflush(stdout);
}

/// Runs all cases. @return whether all types of sptrsv gave the right answer.
bool run() {
  if (help_is_asked()) return true;
  Settings const s = get_settings();
  auto const cases = list_cases(s);
  Mat A = make_matrix(s.matrix);
  if (MatSetBlockSize(A, s.block) != PETSC_SUCCESS)
    throw std::runtime_error("the rows of " + s.matrix + " are no multiple of -block " + std::to_string(s.block));
  if (factor_named(s.factor).symmetric &&
      MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE) != PETSC_SUCCESS)  // otherwise seqsbaij refuses
    throw std::runtime_error("PETSc does not take " + s.matrix + " for symmetric");
  auto const of_reference = host_type(cases.front().mat_type);
  for (auto const& c : cases)
    if (host_type(c.mat_type) != of_reference)
      throw std::runtime_error("-cases: " + c.mat_type + " and " + cases.front().mat_type +
                               " have different factors; time them in two runs");
  auto const reference = make_reference(A, {cases.front().factor, of_reference, "", s.ordering});
  std::printf("%s, %s, ordering %s, blocks of %d\n%-24s %11s %11s %11s %11s %11s %11s %11s %5s %10s\n",
              s.matrix.c_str(), s.factor.c_str(), s.ordering.c_str(), s.block, "matrix and type", "symbolic ms",
              "1st num. ms", "1st sol. ms", "numeric ms", "with solve", "MatSolve us", "minimum", "runs", "petsc/this");
  bool good = true;
  double petsc = 0;
  Json json = {{"program", "bench_petsc"}, {"petsc", petsc_version()}, {"cases", Json::array()}};
  for (auto const& c : cases) {
    std::cerr << "running " << s.matrix << ' ' << s.factor << ' ' << c.mat_type << ' ' << c.type << std::endl;
    auto const r = time_petsc_case(A, c, s.limits, reference);
    good = good && (is_peer(c.type) || r.error.empty());
    if (c.type == MATSOLVERPETSC) petsc = r.solve.median;
    print(c, r, petsc);
    json["cases"].push_back(json_of(s, c, r));
    save_json(s.json, json);
  }
  (void)MatDestroy(&A);
  return good;
}

}  // namespace

int main(int argc, char** argv) { return petsc_main(argc, argv, help, "bench_petsc", run); }
