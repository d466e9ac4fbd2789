// SPDX-License-Identifier: Apache-2.0
// Times Krylov iterations on a grid shared by MPI ranks, with PETSc's PCs and solver types, for scripts/gpu-scale.
#include <petscksp.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <stdexcept>

#include "case_words.hpp"
#include "cpu_model.hpp"
#include "json.hpp"
#include "petsc_environment.hpp"
#include "petsc_main.hpp"
#include "scale_case.hpp"
#include "sptrsv_support/petsc_success.hpp"

namespace {

using namespace sptrsv::bench;

char const help[] =
    "Solves a system on a grid that the ranks share, with a fixed number of Krylov iterations, so that times can be\n"
    "compared between numbers of ranks. All cases run in one process, one after another.\n"
    "  mpiexec -n RANKS bench_scale [-problem dmda7|stencil27] [-size 40] [-per rank|all] [-iterations 20 | -solve]\n"
    "                               [-cases PC:TYPE:MAT_TYPE[:ORDERING][?],...] [-json FILE]\n"
    "                               -dll_append <path>/libsptrsv_petsc.so\n"
    "dmda7: diffusion and convection, BiCGStab with ILU(0). stencil27: 27 points as in HPCG, CG with ICC(0).\n"
    "PC: bjacobi, asm, or jacobi with an empty TYPE, as in jacobi::aijkokkos; bjacobi8, asm8: with 8 blocks on each\n"
    "rank; mg, with the smoother jacobi or sor for TYPE, as in mg:sor:aijkokkos:color: the grid then has (SIZE - 1) P\n"
    "+ 1 points along a dimension with P ranks, so -size 97 gives 5 nested grids.\n"
    "-solve converges, checks the answers, and holds the iterations of each case against those of PETSc's own factor\n"
    "on the host with the same PC and ordering, which runs before. A case marked by ? may fail.\n\n";

/// Default cases; consecutive cases of one matrix type share the matrix.
#if defined(PETSC_HAVE_CUDA) && defined(PETSC_HAVE_KOKKOS_KERNELS)
constexpr char default_cases[] =
    "jacobi::aijkokkos,bjacobi:sptrsv:aijkokkos,bjacobi:sptrsv:aijkokkos:color,bjacobi:sptrsv:aijkokkos:blockcolor,"
    "asm:sptrsv:aijkokkos,asm:sptrsv:aijkokkos:color,jacobi::aijcusparse?,bjacobi:cusparse:aijcusparse?,"
    "asm:cusparse:aijcusparse?,bjacobi:sptrsv:aijcusparse";
#elif defined(PETSC_HAVE_CUDA)
constexpr char default_cases[] =
    "jacobi::aijcusparse,bjacobi:cusparse:aijcusparse?,asm:cusparse:aijcusparse?,bjacobi:sptrsv:aijcusparse,"
    "bjacobi:sptrsv:aijcusparse:color,asm:sptrsv:aijcusparse";
#elif defined(PETSC_HAVE_KOKKOS_KERNELS)
constexpr char default_cases[] =
    "jacobi::aij,bjacobi:petsc:aij,asm:petsc:aij,bjacobi:sptrsv:aij,bjacobi:sptrsv:aij:color,asm:sptrsv:aij,"
    "bjacobi:sptrsv:aijkokkos,asm:sptrsv:aijkokkos";
#else
constexpr char default_cases[] =
    "jacobi::aij,bjacobi:petsc:aij,asm:petsc:aij,bjacobi:sptrsv:aij,bjacobi:sptrsv:aij:color,asm:sptrsv:aij";
#endif

struct Settings {
  ScaleProblem problem;
  std::vector<ScaleCase> cases;
  PetscInt may_differ = 0;  ///< tolerated difference in iterations
  std::string json;
  bool warm_up = true;
};

/// Options as text and numbers, not yet checked.
struct RawOptions {
  char cases[4096] = "", json[PETSC_MAX_PATH_LEN] = "";
  PetscInt problem = 0, per = 0, may_differ = 0;
  PetscBool solve = PETSC_FALSE, warm_up = PETSC_TRUE, view = PETSC_FALSE;
};

PetscErrorCode read_options(RawOptions* o, ScaleProblem* p) {
  char const* const problems[] = {"dmda7", "stencil27"};
  char const* const sizes[] = {"rank", "all"};
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(o->cases, default_cases, sizeof o->cases));
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "bench_scale", nullptr);
  PetscCall(PetscOptionsEList("-problem", "Which system", nullptr, problems, 2, problems[0], &o->problem, nullptr));
  PetscCall(PetscOptionsInt("-size", "Unknowns per side", nullptr, p->size, &p->size, nullptr));
  PetscCall(PetscOptionsEList("-per", "Whether -size is that of each rank's part, or of the grid", nullptr, sizes, 2,
                              sizes[0], &o->per, nullptr));
  PetscCall(
      PetscOptionsInt("-iterations", "Iterations of each solve", nullptr, p->iterations, &p->iterations, nullptr));
  PetscCall(PetscOptionsBool("-solve", "Iterate to a relative tolerance of 1e-8 instead, and check", nullptr, o->solve,
                             &o->solve, nullptr));
  PetscCall(PetscOptionsInt("-repeat", "Set-ups with new values and solves, whose medians are shown", nullptr,
                            p->repeat, &p->repeat, nullptr));
  PetscCall(PetscOptionsReal("-convection", "Of dmda7, along the first dimension, beside a diffusion of 1", nullptr,
                             p->convection, &p->convection, nullptr));
  PetscCall(PetscOptionsString("-cases", "PC:TYPE:MAT_TYPE[:ORDERING][?],...", nullptr, o->cases, o->cases,
                               sizeof o->cases, nullptr));
  PetscCall(PetscOptionsInt("-iterations_may_differ", "Iterations by which cases with the same factor may differ",
                            nullptr, o->may_differ, &o->may_differ, nullptr));
  PetscCall(PetscOptionsBool("-warm_up", "Before each case, the same on a small grid, which loads kernels", nullptr,
                             o->warm_up, &o->warm_up, nullptr));
  PetscCall(PetscOptionsBool("-view", "KSPView after each case", nullptr, o->view, &o->view, nullptr));
  PetscCall(PetscOptionsString("-json", "Where the figures go, in seconds", nullptr, o->json, o->json, sizeof o->json,
                               nullptr));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Takes the number of blocks from words like bjacobi8 and asm8. @return whether `word` has that form
bool take_blocks(std::string& word, ScaleCase& c) {
  for (std::string const pc : {PCBJACOBI, PCASM}) {
    if (word.compare(0, pc.size(), pc) != 0) continue;
    std::string const digits = word.substr(pc.size());
    bool const number =
        !digits.empty() && digits.size() < 7 && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!number || std::stol(digits) < 2) continue;
    c.blocks = static_cast<PetscInt>(std::stol(digits));
    word = pc;
    return true;
  }
  return false;
}

ScaleCase parse_case(std::string word) {
  ScaleCase c;
  c.may_fail = take_may_fail(word);
  auto parts = split(word, ':');
  if (!parts.empty()) (void)take_blocks(parts[0], c);
  bool const right = parts.size() >= 3 && parts.size() <= 4 && !parts[2].empty();
  bool const jacobi = right && parts[0] == PCJACOBI && parts[1].empty() && parts.size() == 3;
  bool const factor =
      right && (parts[0] == PCBJACOBI || parts[0] == PCASM) && !parts[1].empty() && !parts.back().empty();
  bool const grids = right && parts[0] == PCMG && !parts.back().empty() &&
                     (parts[1] == PCSOR || (parts[1] == PCJACOBI && parts.size() == 3));
  if (!jacobi && !factor && !grids)
    throw std::runtime_error("-cases: '" + word +
                             "' is neither jacobi::MAT_TYPE nor bjacobi:TYPE:MAT_TYPE[:ORDERING]"
                             " nor asm:TYPE:MAT_TYPE[:ORDERING], nor bjacobi8 instead of bjacobi,"
                             " nor mg:jacobi:MAT_TYPE nor mg:sor:MAT_TYPE[:ORDERING]");
  c.pc = parts[0];
  c.type = parts[1];
  c.mat_type = parts[2];
  if (parts.size() == 4) c.ordering = parts[3];
  else if (factor) c.ordering = "natural";
  return c;
}

/// Returns the case with PETSc's own factor on the host that has the same iterations as `c`.
ScaleCase reference_of(ScaleCase const& c) {
  return {c.pc, c.blocks, c.type.empty() || c.multigrid() ? c.type : "petsc", "aij", c.ordering, false};
}

bool same_preconditioner(ScaleCase const& a, ScaleCase const& b) {
  return a.pc == b.pc && a.blocks == b.blocks && a.ordering == b.ordering && (!a.multigrid() || a.type == b.type);
}

/// Returns the references of all cases, followed by the cases.
std::vector<ScaleCase> with_references(std::vector<ScaleCase> const& cases) {
  std::vector<ScaleCase> all;
  for (auto const& c : cases)
    if (std::none_of(all.begin(), all.end(), [&](auto const& other) { return same_preconditioner(other, c); }))
      all.push_back(reference_of(c));
  auto const references = all.size();
  for (auto const& c : cases)
    if (std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(references),
                     [&](auto const& other) { return other.name() == c.name(); }))
      all.push_back(c);
  return all;
}

Settings get_settings() {
  RawOptions o;
  Settings s;
  if (read_options(&o, &s.problem) != PETSC_SUCCESS) throw std::runtime_error("an option has a wrong value, see above");
  auto& p = s.problem;
  p.box = o.problem == 1;
  p.per_rank = o.per == 0;
  p.converge = o.solve;
  p.view = o.view;
  if (p.size < 1) throw std::runtime_error("-size is at least 1, not " + std::to_string(p.size));
  if (p.iterations < 1) throw std::runtime_error("-iterations is at least 1, not " + std::to_string(p.iterations));
  if (p.repeat < 1) throw std::runtime_error("-repeat is at least 1, not " + std::to_string(p.repeat));
  for (auto const& word : split(o.cases, ',')) {
    s.cases.push_back(parse_case(word));
    s.problem.nested = s.problem.nested || s.cases.back().multigrid();
  }
  if (p.nested && p.size < 3)
    throw std::runtime_error("-size is at least 3 with mg, whose grids nest, not " + std::to_string(p.size));
  if (s.cases.empty()) throw std::runtime_error("-cases is empty: give jacobi::aij,bjacobi:petsc:aij, say");
  if (p.converge) s.cases = with_references(s.cases);
  s.may_differ = o.may_differ;
  s.json = o.json;
  s.warm_up = o.warm_up;
  return s;
}

/// Case with the summary of its times.
struct Row {
  ScaleCase what;
  ScaleResult result;
  Times setup, solve;  ///< seconds; of a solve: of all its iterations
  bool timed() const { return solve.runs > 0; }
  double per_iteration() const { return solve.median / std::max<double>(1, static_cast<double>(result.iterations)); }
};

/// Summarizes a case. If solves converge, compares iterations with those of the first case with the same
/// preconditioner.
Row make_row(Settings const& s, std::vector<Row> const& before, ScaleCase const& what, ScaleResult result) {
  Row row{what, std::move(result), {}, {}};
  if (!row.result.error.empty()) return row;
  row.setup = summarize(row.result.setups);
  row.solve = summarize(row.result.solves);
  if (!s.problem.converge) return row;
  auto const same = std::find_if(before.begin(), before.end(),
                                 [&](Row const& other) { return same_preconditioner(other.what, what); });
  if (same == before.end()) return row;
  PetscInt const mine = row.result.iterations, theirs = same->result.iterations;
  if (!same->timed()) row.result.error = "iterations cannot be compared: " + same->what.name() + " failed";
  else if (std::abs(mine - theirs) > s.may_differ)
    row.result.error = std::to_string(mine) + " iterations, " + std::to_string(theirs) + " with " + same->what.name();
  return row;
}

/// Ranks and devices, for the head of the table and the JSON file.
struct Machine {
  PetscMPIInt rank = 0, ranks = 1;
  std::vector<RankDevice> devices;  ///< one per rank on rank 0; empty on the others
  bool gpu_aware = true;            ///< whether PETSc is told that MPI is GPU-aware
  bool first() const { return rank == 0; }
};

Machine get_machine() {
  Machine m;
  PetscBool aware = PETSC_TRUE;
  MPI_Comm_rank(PETSC_COMM_WORLD, &m.rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &m.ranks);
  m.devices = rank_devices(PETSC_COMM_WORLD);
  if (PetscOptionsGetBool(nullptr, nullptr, "-use_gpu_aware_mpi", &aware, nullptr) != PETSC_SUCCESS)
    throw std::runtime_error("-use_gpu_aware_mpi has a wrong value");
  m.gpu_aware = aware;
  return m;
}

std::string grid_text(PetscInt const (&n)[3]) {
  return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

std::string iterations_text(ScaleProblem const& p) {
  return p.converge ? "to a tolerance of 1e-8" : std::to_string(p.iterations) + " iterations";
}

void print_head(Settings const& s, Machine const& m, Grid const& grid) {
  auto const& p = s.problem;
  std::printf("%s, grid %s, n = %lld, %s; %s and %s, %s\n", p.name(), grid_text(grid.points).c_str(),
              static_cast<long long>(grid.rows()),
              p.nested     ? "nested grids"
              : p.per_rank ? "the same for each rank"
                           : "the same in all",
              p.box ? "CG" : "BiCGStab", p.box ? "ICC(0) in blocks" : "ILU(0) in blocks", iterations_text(p).c_str());
  std::printf("PETSc %s; %d ranks, %s; host: %s; GPU-aware MPI: %s\n", petsc_version().c_str(), m.ranks,
              grid_text(grid.ranks).c_str(), cpu_model().c_str(), m.gpu_aware ? "left to PETSc" : "no");
  for (std::size_t k = 0; k < m.devices.size(); ++k) std::printf("rank %zu: %s\n", k, m.devices[k].text().c_str());
  std::printf("ms on the slowest rank; medians of %lld%s\n", static_cast<long long>(p.repeat),
              s.warm_up ? ", kernels loaded before" : "");
  std::printf("%-*s %10s %10s %10s %10s %5s %10s  %s\n", name_width(s.cases), "case", "1st setup", "setup", "solve",
              "iteration", "its", "residual", "memory");
  std::fflush(stdout);
}

void print_row(Settings const& s, Row const& row) {
  auto const& r = row.result;
  std::printf("%-*s ", name_width(s.cases), row.what.name().c_str());
  if (row.timed())
    std::printf("%10.3f %10.3f %10.3f %10.4f %5lld %10.2e  %s", 1e3 * r.first_setup, 1e3 * row.setup.median,
                1e3 * row.solve.median, 1e3 * row.per_iteration(), static_cast<long long>(r.iterations), r.residual,
                r.memory.c_str());
  if (!r.error.empty())
    std::printf("%sFAILED%s: %s", row.timed() ? "  " : "", row.what.may_fail ? ", as it may" : "", r.error.c_str());
  std::printf("\n");
  std::fflush(stdout);
}

Json json_of(Row const& row) {
  auto const& r = row.result;
  Json json = {{"case", row.what.name()},
               {"pc", row.what.pc_name()},
               {"type", row.what.type},
               {"mat_type", row.what.mat_type},
               {"ordering", row.what.ordering},
               {"may_fail", row.what.may_fail},
               {"error", r.error}};
  if (row.timed())
    json.update({{"memory", r.memory},
                 {"iterations", r.iterations},
                 {"residual", r.residual},
                 {"first_setup", r.first_setup},
                 {"setup", row.setup},
                 {"solve", row.solve},
                 {"per_iteration", row.per_iteration()}});
  return json;
}

Json json_of(Settings const& s, Machine const& m, Grid const& grid, std::vector<Row> const& rows) {
  auto const& p = s.problem;
  Json json = {{"program", "bench_scale"},
               {"petsc", petsc_version()},
               {"ranks", m.ranks},
               {"problem", p.name()},
               {"size", p.size},
               {"per", p.per_rank ? "rank" : "all"},
               {"rows", grid.rows()},
               {"points", grid.points},
               {"rank_grid", grid.ranks},
               {"solve", p.converge},
               {"iterations", p.iterations},
               {"repeat", p.repeat},
               {"gpu_aware_mpi", m.gpu_aware},
               {"host", cpu_model()},
               {"devices", Json::array()},
               {"cases", Json::array()}};
  for (auto const& device : m.devices) json["devices"].push_back(device.text());
  for (auto const& row : rows) json["cases"].push_back(json_of(row));
  return json;
}

/// Writes all results so far on rank 0. Collective.
void save(Settings const& s, Machine const& m, Grid const& grid, std::vector<Row> const& rows) {
  if (s.json.empty()) return;
  std::string error;
  try {
    if (m.first()) save_json(s.json, json_of(s, m, grid, rows));
  } catch (std::exception const& e) {
    error = e.what();
  }
  error = agreed_error(error);
  if (!error.empty()) throw std::runtime_error(error);
}

/// Runs the case on a small grid and ignores its result.
void warm_up(ScaleProblem problem, ScaleCase const& what) {
  PetscInt const small = problem.nested ? 9 : 8;  // two nested grids of 9 and 5 points
  problem.size = problem.per_rank ? std::min(problem.size, small) : small;
  problem.per_rank = true;
  problem.converge = problem.view = false;
  problem.iterations = 2;
  problem.repeat = 1;
  Grid const grid = make_grid(problem);
  (void)ScaleRunner(problem, grid).run(what);
}

/// Runs all cases. @return whether all required cases passed.
bool run(Settings const& s) {
  Machine const m = get_machine();
  Grid const grid = make_grid(s.problem);
  if (m.first()) print_head(s, m, grid);
  std::vector<Row> rows;
  bool good = true;
  save(s, m, grid, rows);  // fails at once if the path cannot be written
  ScaleRunner runner(s.problem, grid);
  for (auto const& c : s.cases) {
    if (m.first()) std::cerr << "running " << s.problem.name() << ' ' << c.name() << std::endl;
    if (s.warm_up) warm_up(s.problem, c);
    Row row = make_row(s, rows, c, runner.run(c));
    good = good && (row.result.error.empty() || c.may_fail);
    if (m.first()) print_row(s, row);
    rows.push_back(std::move(row));
    save(s, m, grid, rows);
  }
  return good;
}

/// Runs the bench. @return the exit code, the same on all ranks.
int run_all() {
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  try {
    Settings const s = get_settings();
    if (help_is_asked() || run(s)) return 0;
    if (rank == 0) std::cerr << "bench_scale: a case failed, see above\n";
  } catch (std::exception const& e) {
    // exceptions that arrive here are thrown on all ranks: bad options, or errors that the ranks have agreed on
    if (rank == 0) std::cerr << "bench_scale: " << e.what() << '\n';
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  accept_long_help(argc, argv);
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  int const exit_code = run_all();
  PetscCall(PetscFinalize());
  return exit_code;
}
