// SPDX-License-Identifier: Apache-2.0
// Tests memory that runs out at the N-th operator new, N = 1, 2, ... until no call fails. From loading the plugin to
// destroying the last object, each call succeeds or ends with a PETSc error, the same call succeeds when repeated, its
// answer is right, and nothing is left behind at the end. Each N has a child process, so that a crash is a result.
// Usage: alloc_failures PLUGIN -type TYPE -factor lu|ilu|cholesky|icc -ordering ORDERING [-warm: load and solve once
// before] [-every K: each K-th allocation].
#include <petscksp.h>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <new>

#include "sptrsv_petsc.h"
#include "sptrsv_support/petsc_success.hpp"

namespace {

std::atomic<long> until_failure{-1};  // negative: none fails
std::atomic<long> num_live{0};
std::atomic<bool> failed{false};
std::atomic<std::size_t> failed_size{0};

void* Take(std::size_t size, std::size_t alignment) {
  if (until_failure >= 0 && until_failure-- == 0) {
    failed = true;
    failed_size = size;
    return nullptr;
  }
  void* const p = alignment ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                            : std::malloc(size ? size : 1);
  if (p) ++num_live;
  return p;
}
void* TakeOrThrow(std::size_t size, std::size_t alignment) {
  void* const p = Take(size, alignment);
  if (!p) throw std::bad_alloc();
  return p;
}
void Give(void* p) {
  if (p) --num_live;
  std::free(p);
}

}  // namespace

void* operator new(std::size_t n) { return TakeOrThrow(n, 0); }
void* operator new[](std::size_t n) { return TakeOrThrow(n, 0); }
void* operator new(std::size_t n, std::nothrow_t const&) noexcept { return Take(n, 0); }
void* operator new[](std::size_t n, std::nothrow_t const&) noexcept { return Take(n, 0); }
void* operator new(std::size_t n, std::align_val_t a) { return TakeOrThrow(n, (std::size_t)a); }
void* operator new[](std::size_t n, std::align_val_t a) { return TakeOrThrow(n, (std::size_t)a); }
void* operator new(std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept {
  return Take(n, (std::size_t)a);
}
void* operator new[](std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept {
  return Take(n, (std::size_t)a);
}
void operator delete(void* p) noexcept { Give(p); }
void operator delete[](void* p) noexcept { Give(p); }
void operator delete(void* p, std::size_t) noexcept { Give(p); }
void operator delete[](void* p, std::size_t) noexcept { Give(p); }
void operator delete(void* p, std::nothrow_t const&) noexcept { Give(p); }
void operator delete[](void* p, std::nothrow_t const&) noexcept { Give(p); }
void operator delete(void* p, std::align_val_t) noexcept { Give(p); }
void operator delete[](void* p, std::align_val_t) noexcept { Give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { Give(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { Give(p); }
void operator delete(void* p, std::align_val_t, std::nothrow_t const&) noexcept { Give(p); }
void operator delete[](void* p, std::align_val_t, std::nothrow_t const&) noexcept { Give(p); }

namespace {

/// Report of a child process, which survives a crash.
struct Report {
  char step[64];  ///< current step
  char wrong[400], message[300];
  int error;      ///< error of the failed call; 0: it succeeded without that memory
  bool reached;   ///< whether there was an N-th allocation
  bool refused;   ///< whether Kokkos could not start, and the next call reported it
  bool label;     ///< whether Kokkos ended the process over the label of a View
  bool coloring;  ///< whether the allocation was for an ordering
  bool small;     ///< whether the allocation was as small as Kokkos' bookkeeping of a View: see longest_label
  long live;      ///< objects of operator new at the end
};
Report* report;

/// Largest allocation whose failure may leak. Kokkos copies a View's label when it destroys the View, and leaks a
/// View's memory if there is none for its label or its record. The plugin cannot prevent either; both are unlikely,
/// since memory is usually exhausted by large allocations. Kokkos Kernels' coloring leaks its arrays if an allocation
/// fails.
std::size_t const longest_label = 128;

/// Handles an exception that leaves a destructor; others are caught in Do().
[[noreturn]] void Terminate() {
  report->reached = failed;
  report->label = failed && failed_size <= longest_label;
  _exit(4);
}

/// Keeps the first message of an error.
PetscErrorCode KeepError(MPI_Comm, int, char const*, char const*, PetscErrorCode code, PetscErrorType kind,
                         char const* text, void*) {
  if (kind == PETSC_ERROR_INITIAL && text) std::snprintf(report->message, sizeof report->message, "%s", text);
  return code;
}

struct Problem {
  char plugin[PETSC_MAX_PATH_LEN], type[64] = "levelset", ordering[64] = MATORDERINGNATURAL;
  MatFactorType kind = MAT_FACTOR_ILU;
  MatFactorInfo info;
  PetscInt n = 0;
  Mat A, L, B, X;
  Vec b, x, y;
  Mat own;  ///< PETSc's factor
  PetscViewer nowhere;

  bool symmetric() const { return kind == MAT_FACTOR_CHOLESKY || kind == MAT_FACTOR_ICC; }
};

using Step = std::function<PetscErrorCode()>;

PetscErrorCode WithoutExceptions(Step const& step) {
  try {
    return step();
  } catch (...) {
    std::snprintf(report->wrong, sizeof report->wrong, "an exception crossed PETSc");
    return PETSC_ERR_LIB;
  }
}

/// Does a step, and repeats it if the memory for it ran out.
PetscErrorCode Do(char const* name, Step const& step) {
  bool const before = failed;
  std::snprintf(report->step, sizeof report->step, "%s", name);
  PetscErrorCode code = WithoutExceptions(step);
  if (code && failed && !before) {
    report->error = (int)code;
    report->coloring = !std::strcmp(name, "MatGetOrdering");
    std::snprintf(report->step, sizeof report->step, "%s, again", name);
    code = WithoutExceptions(step);
    report->refused = code && std::strstr(report->message, "Kokkos could not start before");
    if (report->refused) return code;
  }
  if (code && !report->wrong[0])
    std::snprintf(report->wrong, sizeof report->wrong, "error %d: %s", (int)code, report->message);
  return code;
}

PetscErrorCode ExpectSame(char const* what, Vec expected, Vec actual) {
  PetscReal error, size;
  PetscCall(VecNorm(expected, NORM_INFINITY, &size));
  PetscCall(VecAXPY(expected, -1, actual));
  PetscCall(VecNorm(expected, NORM_INFINITY, &error));
  if (!(error <= 1e-12 * size) && !report->wrong[0])
    std::snprintf(report->wrong, sizeof report->wrong, "%s is off by %g", what, (double)error);
  return PETSC_SUCCESS;
}

PetscErrorCode Symbolic(Problem const& p, Mat F, IS rows, IS cols) {
  switch (p.kind) {
    case MAT_FACTOR_LU: return MatLUFactorSymbolic(F, p.A, rows, cols, &p.info);
    case MAT_FACTOR_ILU: return MatILUFactorSymbolic(F, p.A, rows, cols, &p.info);
    case MAT_FACTOR_CHOLESKY: return MatCholeskyFactorSymbolic(F, p.A, rows, &p.info);
    default: return MatICCFactorSymbolic(F, p.A, rows, &p.info);
  }
}
PetscErrorCode Numeric(Problem const& p, Mat F) {
  return p.symmetric() ? MatCholeskyFactorNumeric(F, p.A, &p.info) : MatLUFactorNumeric(F, p.A, &p.info);
}

PetscErrorCode CheckSolves(Problem const& p, Mat F) {
  Vec column;
  PetscCall(Do("MatSolve", [&] { return MatSolve(F, p.b, p.x); }));
  PetscCall(MatSolve(p.own, p.b, p.y));
  PetscCall(ExpectSame("MatSolve", p.y, p.x));
  PetscCall(Do("MatSolveTranspose", [&] { return MatSolveTranspose(F, p.b, p.x); }));
  PetscCall(MatSolveTranspose(p.own, p.b, p.y));
  PetscCall(ExpectSame("MatSolveTranspose", p.y, p.x));
  PetscCall(Do("MatSolveAdd", [&] { return MatSolveAdd(F, p.b, p.b, p.x); }));
  PetscCall(MatSolveAdd(p.own, p.b, p.b, p.y));
  PetscCall(ExpectSame("MatSolveAdd", p.y, p.x));
  PetscCall(Do("MatMatSolve", [&] { return MatMatSolve(F, p.B, p.X); }));
  for (PetscInt c : {0, 5}) {
    PetscCall(MatDenseGetColumnVecRead(p.B, c, &column));
    PetscCall(MatSolve(p.own, column, p.y));
    PetscCall(MatDenseRestoreColumnVecRead(p.B, c, &column));
    PetscCall(MatDenseGetColumnVecRead(p.X, c, &column));
    PetscCall(ExpectSame("MatMatSolve", p.y, column));
    PetscCall(MatDenseRestoreColumnVecRead(p.X, c, &column));
  }
  return PETSC_SUCCESS;
}

PetscErrorCode FactorAndSolve(Problem const& p) {
  Mat F = nullptr;
  IS rows = nullptr, cols = nullptr;
  MatSpTRSVInfo info;
  PetscCall(Do("MatGetOrdering", [&] { return MatGetOrdering(p.A, p.ordering, &rows, &cols); }));
  PetscCall(Do("MatGetFactor", [&] { return MatGetFactor(p.A, p.type, p.kind, &F); }));
  PetscCall(Do("symbolic", [&] { return Symbolic(p, F, rows, cols); }));
  PetscCall(Do("numeric", [&] { return Numeric(p, F); }));
  PetscCall(CheckSolves(p, F));
  PetscCall(Do("MatSpTRSVGetInfo", [&] { return MatSpTRSVGetInfo(F, &info); }));
  PetscCall(Do("MatView", [&] { return MatView(F, p.nowhere); }));
  PetscCall(Do("numeric once more", [&] { return Numeric(p, F); }));
  PetscCall(CheckSolves(p, F));
  PetscCall(Do("MatDestroy", [&] { return MatDestroy(&F); }));
  PetscCall(ISDestroy(&rows));
  return ISDestroy(&cols);
}

/// Applies a shell with L, the lower triangle of A, and compares L x with b.
PetscErrorCode ApplyShell(Problem const& p) {
  PC pc;
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCSetOperators(pc, p.A, p.A));
  PetscCall(Do("SpTRSVPCShellSetTriangles",
               [&] { return SpTRSVPCShellSetTrianglesDynamic(pc, p.L, PETSC_FALSE, NULL, PETSC_FALSE, p.type); }));
  PetscCall(Do("PCSetUp", [&] { return PCSetUp(pc); }));
  PetscCall(Do("PCApply", [&] { return PCApply(pc, p.b, p.x); }));
  PetscCall(MatMult(p.L, p.x, p.y));
  PetscCall(VecCopy(p.b, p.x));
  PetscCall(ExpectSame("PCApply", p.y, p.x));
  for (PetscScalar factor : {2.0, 0.5}) PetscCall(MatScale(p.L, factor));  // new values to PETSc, though equal
  PetscCall(Do("PCApplyTranspose", [&] { return PCApplyTranspose(pc, p.b, p.x); }));
  PetscCall(MatMultTranspose(p.L, p.x, p.y));
  PetscCall(VecCopy(p.b, p.x));
  PetscCall(ExpectSame("PCApplyTranspose", p.y, p.x));
  PetscCall(Do("PCView", [&] { return PCView(pc, p.nowhere); }));
  return Do("PCDestroy", [&] { return PCDestroy(&pc); });
}

PetscErrorCode Life(Problem const& p) {
  PetscCall(Do("load", [&] { return PetscDLLibraryAppend(PETSC_COMM_SELF, &PetscDLLibrariesLoaded, p.plugin); }));
  PetscCall(FactorAndSolve(p));
  return ApplyShell(p);
}

/// Builds a grid of 12 by 12, its lower triangle, right-hand sides, and PETSc's own factor.
PetscErrorCode Build(Problem& p) {
  PetscInt const side = 12;
  char kind[32] = "ilu";
  PetscBool known = PETSC_FALSE;
  IS rows, cols;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", p.type, sizeof p.type, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-factor", kind, sizeof kind, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-ordering", p.ordering, sizeof p.ordering, NULL));
  for (MatFactorType t : {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC}) {
    PetscBool same;
    PetscCall(PetscStrcasecmp(MatFactorTypes[t], kind, &same));
    if (!same) continue;
    p.kind = t;
    known = PETSC_TRUE;
  }
  PetscCheck(known, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "No factor %s", kind);
  p.n = side * side;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, p.n, p.n, 5, NULL, &p.A));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, p.n, p.n, 3, NULL, &p.L));
  for (PetscInt i = 0; i < p.n; ++i) {
    for (PetscInt j : {i - side, i % side ? i - 1 : -1, i}) {
      PetscScalar const v = i == j ? 4.5 : -1.0 / (1 + (PetscReal)((i + j) % 3));
      if (j < 0) continue;
      for (Mat M : {p.A, p.L}) PetscCall(MatSetValue(M, i, j, v, INSERT_VALUES));
      PetscCall(MatSetValue(p.A, j, i, v, INSERT_VALUES));
    }
  }
  for (Mat M : {p.A, p.L}) PetscCall(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
  for (Mat M : {p.A, p.L}) PetscCall(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(p.A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatCreateVecs(p.A, &p.x, &p.b));
  PetscCall(VecDuplicate(p.x, &p.y));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, p.n, 6, NULL, &p.B));
  PetscCall(MatSetRandom(p.B, NULL));
  PetscCall(MatDuplicate(p.B, MAT_DO_NOT_COPY_VALUES, &p.X));
  PetscCall(MatGetColumnVector(p.B, p.b, 2));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, "/dev/null", &p.nowhere));
  PetscCall(PetscViewerPushFormat(p.nowhere, PETSC_VIEWER_ASCII_INFO_DETAIL));
  PetscCall(MatFactorInfoInitialize(&p.info));
  p.info.fill = 5, p.info.zeropivot = 1e-14;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-levels", &p.info.levels, NULL));
  PetscCall(MatGetOrdering(p.A, p.ordering, &rows, &cols));
  PetscCall(MatGetFactor(p.A, MATSOLVERPETSC, p.kind, &p.own));
  PetscCall(Symbolic(p, p.own, rows, cols));
  PetscCall(Numeric(p, p.own));
  PetscCall(ISDestroy(&rows));
  return ISDestroy(&cols);
}

[[noreturn]] void Child(Problem const& p, long at) {
  alarm(60);
  // loading runs constructors of Kokkos' static objects, whose exceptions nothing can catch
  if (!dlopen(p.plugin, RTLD_NOW | RTLD_GLOBAL)) _exit(3);
  until_failure = at;
  PetscErrorCode code = Life(p);
  until_failure = -1;
  report->reached = failed;
  report->small = failed && failed_size <= longest_label;
  if (report->refused) _exit(0);
  if (!code) code = Life(p);
  report->live = num_live;
  _exit(code ? 2 : 0);
}

/// Returns what is wrong with a child's end, or null.
/// @param live  objects alive after a run without failure; -1: not known
char const* Judge(int status, long live) {
  static char text[400];
  if (report->refused || report->label) return nullptr;
  if (WIFSIGNALED(status)) std::snprintf(text, sizeof text, "ended by signal %d", WTERMSIG(status));
  else if (report->wrong[0]) std::snprintf(text, sizeof text, "%s", report->wrong);
  else if (WEXITSTATUS(status))
    std::snprintf(text, sizeof text, "ended with status %d after a failure of %s", WEXITSTATUS(status),
                  report->message);
  else if (live >= 0 && !report->small && !report->coloring &&
           report->live > live)  // fewer objects: some were not made by a start that failed
    std::snprintf(text, sizeof text, "%ld objects are left behind", report->live - live);
  else return nullptr;
  return text;
}

int RunChild(Problem const& p, long at) {
  int status = -1;
  *report = Report{};
  std::fflush(nullptr);
  pid_t const child = fork();
  if (child < 0) return -1;
  if (!child) Child(p, at);
  waitpid(child, &status, 0);
  return status;
}

PetscErrorCode Run(char const* plugin) {
  Problem p;
  PetscBool warm = PETSC_FALSE;
  PetscInt every = 1;
  long num_errors = 0, num_wrong = 0, num_labels = 0, num_refused = 0;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-warm", &warm, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-every", &every, NULL));
  PetscCall(PetscStrncpy(p.plugin, plugin, sizeof p.plugin));
  if (warm)
    PetscCall(PetscDLLibraryAppend(PETSC_COMM_SELF, &PetscDLLibrariesLoaded, p.plugin));  // it may have the ordering
  PetscCall(Build(p));
  if (warm) PetscCall(Life(p));
  PetscCall(PetscPushErrorHandler(KeepError, NULL));
  std::set_terminate(Terminate);
  char const* wrong = Judge(RunChild(p, -1), -1);
  long const live = report->live;
  PetscCheck(!wrong, PETSC_COMM_SELF, PETSC_ERR_PLIB, "With all memory: %s in %s", wrong, report->step);
  long at = 0;
  for (;; at += every) {
    wrong = Judge(RunChild(p, at), live);
    if (!report->reached && !wrong) break;
    num_errors += report->error != 0;
    num_labels += report->label;
    num_refused += report->refused;
    if (wrong && ++num_wrong <= 10)
      std::printf("allocation %ld, %s: %s (error %d before)\n", at, report->step, wrong, report->error);
    if (wrong && !report->reached && num_wrong > 50) break;
  }
  std::printf(
      "of %ld allocations each %d-th failed: %ld errors, after %ld of them Kokkos cannot start again; %ld ends "
      "in destructors of Kokkos' Views; %ld wrong\n",
      at, (int)every, num_errors, num_refused, num_labels, num_wrong);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(!num_wrong, PETSC_COMM_SELF, PETSC_ERR_PLIB, "See above");
  PetscCheck(num_errors > 20, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The failures did not reach the plugin");
  return PETSC_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  report =
      static_cast<Report*>(mmap(nullptr, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (report == MAP_FAILED) return 2;
  if (PetscOptionsSetValue(NULL, "-no_signal_handler", NULL) || PetscInitialize(&argc, &argv, NULL, NULL)) return 2;
  if (Run(argv[1])) return 1;
  std::fflush(nullptr);
  _exit(0);  // the children destroy their objects
}
