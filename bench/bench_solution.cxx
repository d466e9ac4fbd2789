// SPDX-License-Identifier: Apache-2.0
// Times solutions with PETSc's KSP and a list of preconditioners: set-up, set-up with new values, solve.
#include <petscksp.h>

#include <algorithm>
#include <iostream>

#include "case_words.hpp"
#include "cpu_model.hpp"
#include "json.hpp"
#include "petsc_environment.hpp"
#include "petsc_main.hpp"
#include "report.hpp"
#include "solution_case.hpp"

namespace {

using namespace sptrsv::bench;

char const help[] =
    "Times solutions of one problem with a list of preconditioners, called recipes: KSPSetUp, KSPSetUp with new values "
    "in the same\npattern, KSPSolve to 1e-8 from a zero guess, each answer checked. Figures are medians.\n"
    "  bench_solution -problem poisson:100 -mat_type aijkokkos [-recipes NAME[?],...] [-extra \"NAME=OPTIONS;...\"]\n"
    "                 [-repeat 3] [-json FILE] -dll_append <path>/libsptrsv_petsc.so\n"
    "A recipe marked by ? may fail without failing the program. A recipe of -extra whose name begins with petsc: "
    "counts "
    "as one\nwithout the plugin. Other options of PETSc, such as -ksp_norm_type unpreconditioned, hold for all "
    "recipes.\n"
    "\n";

#if defined(PETSC_HAVE_CUDA)
constexpr char default_type[] = "aijcusparse";
#else
constexpr char default_type[] = "aij";
#endif

struct Settings {
  SolutionProblem problem;
  SolutionSettings solution;
  std::string mat_type, recipes, extra, json;
};

/// Options as text and numbers, not yet checked.
struct RawOptions {
  char problem[64] = "poisson:100", mat_type[64] = "", recipes[4096] = "", extra[8192] = "";
  char json[PETSC_MAX_PATH_LEN] = "";
  PetscInt repeat = 3;
  PetscReal cut_short = 10, residual_limit = 1e-6;
  PetscBool view = PETSC_FALSE;
};

PetscErrorCode read_options(RawOptions* o) {
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(o->mat_type, default_type, sizeof o->mat_type));
  PetscOptionsBegin(PETSC_COMM_SELF, nullptr, "bench_solution", nullptr);
  PetscCall(PetscOptionsString("-problem", "NAME:N with N cells per side", nullptr, o->problem, o->problem,
                               sizeof o->problem, nullptr));
  PetscCall(PetscOptionsString("-mat_type", "Type of the matrix", nullptr, o->mat_type, o->mat_type, sizeof o->mat_type,
                               nullptr));
  PetscCall(PetscOptionsString("-recipes", "NAME[?],...; default: all that suit the type of the matrix", nullptr,
                               o->recipes, o->recipes, sizeof o->recipes, nullptr));
  PetscCall(PetscOptionsString("-extra", "More recipes, NAME=OPTIONS;...", nullptr, o->extra, o->extra, sizeof o->extra,
                               nullptr));
  PetscCall(PetscOptionsInt("-repeat", "Set-ups, and set-ups with new values and solves", nullptr, o->repeat,
                            &o->repeat, nullptr));
  PetscCall(PetscOptionsReal("-cut_short", "Seconds of a first set-up and solve above which nothing is repeated",
                             nullptr, o->cut_short, &o->cut_short, nullptr));
  PetscCall(PetscOptionsReal("-residual_limit", "Of norm(b - A x) / norm(b), above which an answer is wrong", nullptr,
                             o->residual_limit, &o->residual_limit, nullptr));
  PetscCall(PetscOptionsBool("-view", "KSPView after each recipe's last solve", nullptr, o->view, &o->view, nullptr));
  PetscCall(PetscOptionsString("-json", "Where the figures go, in seconds", nullptr, o->json, o->json, sizeof o->json,
                               nullptr));
  PetscOptionsEnd();
  // options in the text of -extra are for its recipes alone
  if (o->extra[0] != 0) PetscCall(PetscOptionsClearValue(nullptr, "-extra"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// @return false if the program has printed its help and need not run
bool get_settings(Settings& s) {
  RawOptions o;
  if (read_options(&o) != PETSC_SUCCESS) throw std::runtime_error("an option has a wrong value, see above");
  if (help_is_asked()) {
    std::printf(
        "Problems:\n%sRecipes ({ilu}: icc if the problem is symmetric; {finest}: number of the finest level):\n"
        "%s",
        describe_problems().c_str(), describe_recipes().c_str());
    return false;
  }
  s.problem = parse_problem(o.problem);
  s.mat_type = o.mat_type;
  s.recipes = o.recipes;
  s.extra = o.extra;
  s.json = o.json;
  s.solution.repeat = o.repeat;
  s.solution.cut_short = static_cast<double>(o.cut_short);
  s.solution.residual_limit = static_cast<double>(o.residual_limit);
  s.solution.view = o.view;
  if (o.repeat < 1) throw std::runtime_error("-repeat is at least 1, not " + std::to_string(o.repeat));
  return true;
}

/// Returns the recipes to run: those of -recipes, by default those that suit the matrix, and those of -extra.
std::vector<Recipe> choose_recipes(Settings const& s, bool on_device) {
  auto recipes = s.recipes.empty() ? default_recipes(s.mat_type, on_device) : find_recipes(s.recipes);
  for (auto const& recipe : parse_recipes(s.extra)) recipes.push_back(recipe);
  return recipes;
}

/// Recipe with the summary of its runs.
struct Row {
  Recipe recipe;
  SolutionResult result;
  bool plugin = false;
  Times first_setup, new_values, solve, sum;  ///< seconds
  double sum_of_best = 0, solve_of_best = 0;  ///< relative to the best row without the plugin; 0: none
  bool timed() const { return result.error.empty(); }
};

/// @param sweeps  whether the plugin replaces PETSc's sweeps in recipes of Uses::on_device
Row make_row(Recipe const& recipe, SolutionResult result, bool sweeps) {
  Row row{recipe, std::move(result), recipe.uses_plugin(sweeps), {}, {}, {}, {}, 0, 0};
  if (!row.timed()) return row;
  row.first_setup = summarize(row.result.first_setup);
  row.new_values = summarize(row.result.new_values);
  row.solve = summarize(row.result.solve);
  row.sum = summarize(row.result.sum);
  return row;
}

/// Compares all rows with the best of those without the plugin.
void compare(std::vector<Row>& rows) {
  double sum = 0, solve = 0;
  for (auto const& row : rows) {
    if (row.plugin || !row.timed()) continue;
    sum = sum > 0 ? std::min(sum, row.sum.median) : row.sum.median;
    solve = solve > 0 ? std::min(solve, row.solve.median) : row.solve.median;
  }
  for (auto& row : rows) {
    if (!row.timed() || !(sum > 0) || !(solve > 0)) continue;
    row.sum_of_best = row.sum.median / sum;
    row.solve_of_best = row.solve.median / solve;
  }
}

std::string failure_of(Row const& row) {
  return std::string("FAILED") + (row.recipe.may_fail ? ", as it may" : "") + ": " + row.result.error;
}

void print_progress(Row const& row) {
  if (!row.timed()) std::fprintf(stderr, "  %s\n", failure_of(row).c_str());
  else
    std::fprintf(stderr, "  %.3f + %.3f ms, %lld iterations\n", 1e3 * row.new_values.median, 1e3 * row.solve.median,
                 static_cast<long long>(row.result.iterations));
}

void print_table(Settings const& s, System const& system, std::string const& device, std::vector<Row> const& rows) {
  std::printf("%s, n = %lld, %.0f entries, %s on %s, %s\n", s.problem.name().c_str(),
              static_cast<long long>(system.rows()), system.entries(), s.mat_type.c_str(),
              system.on_device() ? "the device" : "the host",
              system.symmetric()      ? "CG"
              : system.saddle_point() ? "GMRES"
                                      : "BiCGStab");
  std::printf("PETSc %s; device: %s; host: %s\n", petsc_version().c_str(), device.c_str(), cpu_model().c_str());
  std::printf("ms, medians of %lld; best: of the recipes without sptrsv, each column by itself; *: uses sptrsv\n",
              static_cast<long long>(s.solution.repeat));
  int width = 24;
  for (auto const& row : rows) width = std::max(width, static_cast<int>(row.recipe.name.size()) + 2);
  std::printf("%-*s %10s %10s %10s %10s %6s %9s %10s %9s %6s\n", width, "recipe", "1st setup", "new values", "solve",
              "sum", "its", "sum/best", "solve/best", "residual", "levels");
  for (auto const& row : rows) {
    std::printf("%-*s ", width, (row.recipe.name + (row.plugin ? " *" : "")).c_str());
    if (!row.timed()) {
      std::printf("%s\n", failure_of(row).c_str());
      continue;
    }
    auto const ratio = [](double value) { return value > 0 ? formatted("%.3f", value) : "-"; };
    std::printf("%10.3f %10.3f %10.3f %10.3f %6lld %9s %10s %9.1e %6s\n", 1e3 * row.first_setup.median,
                1e3 * row.new_values.median, 1e3 * row.solve.median, 1e3 * row.sum.median,
                static_cast<long long>(row.result.iterations), ratio(row.sum_of_best).c_str(),
                ratio(row.solve_of_best).c_str(), row.result.residual,
                row.result.levels > 0 ? std::to_string(row.result.levels).c_str() : "-");
  }
  std::fflush(stdout);
}

Json json_of(Row const& row) {
  auto const& r = row.result;
  Json json = {{"recipe", row.recipe.name},
               {"uses_sptrsv", row.plugin},
               {"may_fail", row.recipe.may_fail},
               {"error", r.error},
               {"options", r.options}};
  if (row.timed())
    json.update({{"ksp", r.ksp},
                 {"pc", r.pc},
                 {"levels", r.levels},
                 {"iterations", r.iterations},
                 {"residual", r.residual},
                 {"first_setup", row.first_setup},
                 {"new_values", row.new_values},
                 {"solve", row.solve},
                 {"sum", row.sum},
                 {"sum_of_best", row.sum_of_best},
                 {"solve_of_best", row.solve_of_best}});
  return json;
}

void save(Settings const& s, System const& system, std::string const& device, std::vector<Row> const& rows) {
  Json json = {{"program", "bench_solution"},
               {"petsc", petsc_version()},
               {"problem", s.problem.name()},
               {"rows", system.rows()},
               {"entries", system.entries()},
               {"mat_type", s.mat_type},
               {"on_device", system.on_device()},
               {"repeat", s.solution.repeat},
               {"device", device},
               {"host", cpu_model()},
               {"cases", Json::array()}};
  for (auto const& row : rows) json["cases"].push_back(json_of(row));
  save_json(s.json, json);
}

/// Returns whether the plugin's types are registered.
bool plugin_is_loaded(Errors const& errors) {
  PetscBool package = PETSC_FALSE, type = PETSC_FALSE;
  errors.must(MatSolverTypeGet("sptrsv", MATSEQAIJ, MAT_FACTOR_ILU, &package, &type, nullptr));
  return package;
}

/// Runs all recipes. @return whether all required recipes passed
bool run() {
  Settings s;
  if (!get_settings(s)) return true;
  require_one_process();
  std::string const device = device_name();
  Errors const errors;
  System const system(s.problem, s.mat_type, errors);
  bool const sweeps = system.on_device() && plugin_is_loaded(errors);
  std::vector<Row> rows;
  bool good = true;
  save(s, system, device, rows);  // fails at once if the path cannot be written
  for (auto const& recipe : choose_recipes(s, system.on_device())) {
    std::cerr << "running " << s.problem.name() << ' ' << recipe.name << std::endl;
    rows.push_back(make_row(recipe, run_recipe(system, recipe, s.solution), sweeps));
    good = good && (rows.back().timed() || recipe.may_fail);
    print_progress(rows.back());
    compare(rows);
    save(s, system, device, rows);
  }
  print_table(s, system, device, rows);
  return good;
}

}  // namespace

int main(int argc, char** argv) { return petsc_main(argc, argv, help, "bench_solution", run, "a recipe"); }
