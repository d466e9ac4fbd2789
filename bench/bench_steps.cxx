// SPDX-License-Identifier: Apache-2.0
// Times implicit time steps with PETSc's solver types; the matrix gets new values in the same pattern at every step.
#include <petscksp.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "case_words.hpp"
#include "cpu_model.hpp"
#include "json.hpp"
#include "petsc_environment.hpp"
#include "petsc_main.hpp"
#include "steps_case.hpp"

namespace {

using namespace sptrsv::bench;

char const help[] =
    "Takes implicit time steps: new values of A in the same pattern, KSPSetUp (numeric phase), KSPSolve, each answer\n"
    "checked. All types run in one process, one after another; figures are medians of the steps after the first one.\n"
    "  bench_steps [-problem bicgstab3d|cg2d] [-size 100] [-steps 11] [-types TYPE:MAT_TYPE[:ORDERING][?],...]\n"
    "              [-json FILE] -dll_append <path>/libsptrsv_petsc.so\n"
    "bicgstab3d: diffusion and convection on a cube, BiCGStab with ILU(0). cg2d: diffusion on a square, CG with "
    "ICC(0).\n"
    "A type marked by ? may fail without failing the program.\n\n";

/// Default types: sptrsv's and PETSc's own. PETSc's `kokkos` is known to fail on some problems.
#if defined(PETSC_HAVE_CUDA)
constexpr char default_types[] =
    "cusparse:aijcusparse,kokkos:aijkokkos?,sptrsv:aijcusparse,sptrsv:aijkokkos,sptrsv:aijkokkos:color";
#elif defined(PETSC_HAVE_KOKKOS_KERNELS)
constexpr char default_types[] = "petsc:aij,sptrsv:aij,sptrsv:aijkokkos";
#else
constexpr char default_types[] = "petsc:aij,sptrsv:aij";
#endif

struct Settings {
  StepsProblem problem;
  std::vector<StepsCase> cases;
  PetscInt may_differ = 0;  ///< tolerated difference in iterations
  std::string json;
};

/// Options as text and numbers, not yet checked.
struct RawOptions {
  char types[4096] = "", ordering[64] = "natural", json[PETSC_MAX_PATH_LEN] = "";
  PetscInt problem = 0, change = 0, size = 0, steps = 11, may_differ = 0;
  PetscReal step_size = 0, convection = 0.1;
  PetscBool warm_up = PETSC_TRUE, view = PETSC_FALSE;
};

PetscErrorCode read_options(RawOptions* o) {
  char const* const problems[] = {"bicgstab3d", "cg2d"};
  char const* const changes[] = {"device", "copy"};
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(o->types, default_types, sizeof o->types));
  PetscOptionsBegin(PETSC_COMM_SELF, nullptr, "bench_steps", nullptr);
  PetscCall(PetscOptionsEList("-problem", "Which system", nullptr, problems, 2, problems[0], &o->problem, nullptr));
  PetscCall(PetscOptionsInt("-size", "Unknowns per side; 0: 100 on the cube, 1000 on the square", nullptr, o->size,
                            &o->size, nullptr));
  PetscCall(PetscOptionsInt("-steps", "Steps, at least 2; the first one contains the set-up and is reported apart",
                            nullptr, o->steps, &o->steps, nullptr));
  PetscCall(PetscOptionsReal("-step_size", "Step over the square of the mesh size; 0: the problem's own", nullptr,
                             o->step_size, &o->step_size, nullptr));
  PetscCall(PetscOptionsReal("-convection", "Of bicgstab3d, along the first dimension, beside a diffusion of 1",
                             nullptr, o->convection, &o->convection, nullptr));
  PetscCall(PetscOptionsString("-types",
                               "TYPE:MAT_TYPE[:ORDERING][?],...; the first one is what others are compared to", nullptr,
                               o->types, o->types, sizeof o->types, nullptr));
  PetscCall(PetscOptionsString("-ordering", "-pc_factor_mat_ordering_type of types that name none", nullptr,
                               o->ordering, o->ordering, sizeof o->ordering, nullptr));
  PetscCall(PetscOptionsEList("-change", "device: MatZeroEntries, MatAXPY; copy: MatCopy, MatScale, MatShift", nullptr,
                              changes, 2, changes[0], &o->change, nullptr));
  PetscCall(PetscOptionsInt("-iterations_may_differ", "Iterations by which types with the same factor may differ",
                            nullptr, o->may_differ, &o->may_differ, nullptr));
  PetscCall(PetscOptionsBool("-warm_up", "Before each type, a first step of another system, which loads kernels",
                             nullptr, o->warm_up, &o->warm_up, nullptr));
  PetscCall(PetscOptionsBool("-view", "KSPView after each type's last step", nullptr, o->view, &o->view, nullptr));
  PetscCall(PetscOptionsString("-json", "Where the figures go, in seconds", nullptr, o->json, o->json, sizeof o->json,
                               nullptr));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

StepsCase parse_case(std::string word, std::string const& ordering) {
  StepsCase c;
  c.may_fail = take_may_fail(word);
  auto const parts = split(word, ':');
  bool const empty = std::any_of(parts.begin(), parts.end(), [](auto const& part) { return part.empty(); });
  if (parts.size() < 2 || parts.size() > 3 || empty)
    throw std::runtime_error("-types: '" + word + "' is not TYPE:MAT_TYPE or TYPE:MAT_TYPE:ORDERING");
  c.type = parts[0];
  c.mat_type = parts[1];
  c.ordering = parts.size() == 3 ? parts[2] : ordering;
  return c;
}

Settings get_settings() {
  RawOptions o;
  if (read_options(&o) != PETSC_SUCCESS) throw std::runtime_error("an option has a wrong value, see above");
  Settings s;
  auto& p = s.problem;
  bool const cube = o.problem == 0;
  p.name = cube ? "bicgstab3d" : "cg2d";
  p.dimensions = cube ? 3 : 2;
  p.size = o.size != 0 ? o.size : cube ? 100 : 1000;
  p.steps = o.steps;
  p.step_size = o.step_size != 0 ? o.step_size : cube ? 7.5 : 100;
  p.convection = o.convection;
  p.change = o.change == 0 ? Change::device : Change::copy;
  p.warm_up = o.warm_up;
  p.view = o.view;
  if (p.size < 1) throw std::runtime_error("-size is at least 1, not " + std::to_string(p.size));
  if (p.steps < 2) throw std::runtime_error("-steps is at least 2, not " + std::to_string(p.steps));
  for (auto const& word : split(o.types, ',')) s.cases.push_back(parse_case(word, o.ordering));
  if (s.cases.empty()) throw std::runtime_error("-types is empty: give petsc:aij,sptrsv:aij, say");
  s.may_differ = o.may_differ;
  s.json = o.json;
  return s;
}

/// Type with the summary of its steps.
struct Row {
  StepsCase what;
  StepsResult result;
  Times change, setup, solve, both;  ///< seconds of all steps but the first
  double of_first = 0;               ///< `both` relative to the first type; 0 if the first type has no times
  bool timed() const { return both.runs > 0; }
};

template <class Get>
Times times_of(StepsResult const& result, Get const& get) {
  std::vector<double> seconds;
  for (std::size_t k = 1; k < result.steps.size(); ++k) seconds.push_back(get(result.steps[k]));
  return summarize(std::move(seconds));
}

Row make_row(StepsCase const& what, StepsResult result) {
  Row row{what, std::move(result), {}, {}, {}, {}, 0};
  if (!row.result.error.empty()) return row;
  row.change = times_of(row.result, [](Step const& step) { return step.change; });
  row.setup = times_of(row.result, [](Step const& step) { return step.setup; });
  row.solve = times_of(row.result, [](Step const& step) { return step.solve; });
  row.both = times_of(row.result, [](Step const& step) { return step.setup + step.solve; });
  return row;
}

/// Compares times with the first type, and iterations with the first type of the same ordering, which has the same
/// factor.
void compare(std::vector<Row> const& before, PetscInt may_differ, Row& row) {
  if (!row.timed()) return;
  Row const& first = before.empty() ? row : before.front();
  if (first.timed()) row.of_first = row.both.median / first.both.median;
  auto const same = std::find_if(before.begin(), before.end(), [&](Row const& other) {
    return other.timed() && other.result.ordering == row.result.ordering && other.result.pc == row.result.pc;
  });
  if (same == before.end()) return;
  for (std::size_t k = 0; k < row.result.steps.size(); ++k) {
    PetscInt const mine = row.result.steps[k].iterations, theirs = same->result.steps[k].iterations;
    if (std::abs(mine - theirs) <= may_differ) continue;
    row.result.error = "step " + std::to_string(k) + " took " + std::to_string(mine) + " iterations, " +
                       std::to_string(theirs) + " with " + same->what.name();
    return;
  }
}

std::string iterations_of(StepsResult const& result, char const* separator) {
  std::string text;
  for (auto const& step : result.steps) text += (text.empty() ? "" : separator) + std::to_string(step.iterations);
  return text;
}

char const* name_of(Change change) { return change == Change::device ? "device" : "copy"; }

void print_head(Settings const& s, std::string const& device) {
  auto const& p = s.problem;
  std::printf("%s, %lld unknowns per side, n = %lld, %s; %lld steps, change of A: %s\n", p.name.c_str(),
              static_cast<long long>(p.size), static_cast<long long>(p.rows()),
              p.symmetric() ? "CG and ICC(0)" : "BiCGStab and ILU(0)", static_cast<long long>(p.steps),
              name_of(p.change));
  std::printf("PETSc %s; device: %s; host: %s\n", petsc_version().c_str(), device.c_str(), cpu_model().c_str());
  std::printf("ms; medians of the steps after the first one%s\n", p.warm_up ? ", kernels loaded before" : "");
  std::printf("%-*s %10s %10s %10s %10s %10s %12s %9s %6s  %s\n", name_width(s.cases), "type", "1st setup", "1st solve",
              "change", "setup", "solve", "setup+solve", "of first", "its", "memory");
  std::fflush(stdout);
}

void print_row(Settings const& s, Row const& row) {
  std::printf("%-*s ", name_width(s.cases), row.what.name().c_str());
  if (row.timed()) {
    auto const& first = row.result.steps.front();
    std::vector<double> iterations;
    for (auto const& step : row.result.steps) iterations.push_back(static_cast<double>(step.iterations));
    std::printf("%10.3f %10.3f %10.3f %10.3f %10.3f %12.3f %9s %6.0f  %s", 1e3 * first.setup, 1e3 * first.solve,
                1e3 * row.change.median, 1e3 * row.setup.median, 1e3 * row.solve.median, 1e3 * row.both.median,
                row.of_first > 0 ? formatted("%.3f", row.of_first).c_str() : "-", summarize(iterations).median,
                row.result.memory.c_str());
  }
  if (!row.result.error.empty())
    std::printf("%sFAILED%s: %s", row.timed() ? "  " : "", row.what.may_fail ? ", as it may" : "",
                row.result.error.c_str());
  std::printf("\n");
  std::fflush(stdout);
}

/// Prints the preconditioner, solver type and ordering in use, which tells whether rows can be compared.
void print_used(Settings const& s, std::vector<Row> const& rows) {
  for (auto const& row : rows) {
    if (row.result.steps.empty()) continue;
    double residual = 0;
    for (auto const& step : row.result.steps) residual = std::max(residual, step.residual);
    std::printf("  %-*s %s by %s, ordering %s, residual <= %.1e, iterations %s\n", name_width(s.cases),
                row.what.name().c_str(), row.result.pc.c_str(), row.result.used.c_str(), row.result.ordering.c_str(),
                residual, iterations_of(row.result, " ").c_str());
  }
}

std::string json_of(Row const& row) {
  auto const& r = row.result;
  std::ostringstream out;
  out << "    {\"type\": " << quoted(row.what.type) << ", \"mat_type\": " << quoted(row.what.mat_type)
      << ", \"ordering\": " << quoted(row.what.ordering) << ", \"may_fail\": " << (row.what.may_fail ? "true" : "false")
      << ", \"error\": " << quoted(r.error);
  if (row.timed()) {
    out << ",\n     \"pc\": " << quoted(r.pc) << ", \"used_type\": " << quoted(r.used)
        << ", \"used_ordering\": " << quoted(r.ordering) << ", \"memory\": " << quoted(r.memory)
        << ", \"entries\": " << r.entries << ",\n     \"first_setup\": " << r.steps.front().setup
        << ", \"first_solve\": " << r.steps.front().solve << ",\n     \"change\": " << json_of(row.change)
        << ",\n     \"setup\": " << json_of(row.setup) << ",\n     \"solve\": " << json_of(row.solve)
        << ",\n     \"setup_and_solve\": " << json_of(row.both) << ", \"of_first\": " << row.of_first
        << ",\n     \"iterations\": [" << iterations_of(r, ", ") << "], \"residuals\": [";
    for (std::size_t k = 0; k < r.steps.size(); ++k) out << (k == 0 ? "" : ", ") << r.steps[k].residual;
    out << "]";
  }
  return out.str() + "}";
}

void save(Settings const& s, std::string const& device, std::vector<Row> const& rows) {
  if (s.json.empty()) return;
  auto const& p = s.problem;
  std::ofstream out(s.json);
  out << "{\n  \"program\": \"bench_steps\", \"petsc\": " << quoted(petsc_version())
      << ",\n  \"problem\": " << quoted(p.name) << ", \"size\": " << p.size << ", \"rows\": " << p.rows()
      << ", \"steps\": " << p.steps << ", \"step_size\": " << p.step_size << ", \"convection\": " << p.convection
      << ", \"change\": " << quoted(name_of(p.change)) << ", \"warm_up\": " << (p.warm_up ? "true" : "false")
      << ",\n  \"device\": " << quoted(device) << ", \"host\": " << quoted(cpu_model()) << ",\n  \"cases\": [";
  for (std::size_t k = 0; k < rows.size(); ++k) out << (k == 0 ? "\n" : ",\n") << json_of(rows[k]);
  out << "\n  ]\n}\n";
  if (!out.flush()) throw std::runtime_error("cannot write " + s.json);
}

/// Runs all types. @return whether all types were right that must be.
bool run() {
  Settings const s = get_settings();
  if (help_is_asked()) return true;
  require_one_process();
  std::string const device = device_name();
  print_head(s, device);
  std::vector<Row> rows;
  bool good = true;
  save(s, device, rows);  // fails at once if the path cannot be written
  for (auto const& c : s.cases) {
    std::cerr << "running " << s.problem.name << ' ' << c.name() << std::endl;
    Row row = make_row(c, run_steps(s.problem, c));
    compare(rows, s.may_differ, row);
    good = good && (row.result.error.empty() || c.may_fail);
    print_row(s, row);
    rows.push_back(std::move(row));
    save(s, device, rows);
  }
  print_used(s, rows);
  return good;
}

}  // namespace

int main(int argc, char** argv) { return petsc_main(argc, argv, help, "bench_steps", run, "a type"); }
