// SPDX-License-Identifier: Apache-2.0
// Runs random sequences of PETSc calls on random small matrices, each with PETSc's own factor and with the plugin's,
// which must do the same with the same results row by row. A seed determines a sequence. Usage: see `usage`.
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <sstream>

#include "fuzz_factor.hpp"

namespace {

using fuzz::record;

char const* const usage =
    "usage: fuzz_calls [--sequences N] [--first SEED] [--seed SEED] [--types aij,baij,sbaij] [--ways "
    "factors,solvers,triangles,improper]\n"
    "                  [--solver TYPE] [--keep-going] [--progress] [PETSc's options]\n"
    "  --sequences N   as many sequences (10000; 2000 with sanitizers)\n"
    "  --first SEED    seed of the first, the others follow (1)\n"
    "  --seed SEED     this sequence alone, in this process, its calls printed as they are made\n"
    "  --types         matrix types that are drawn; a sequence is another one then\n"
    "  --ways          what is drawn: factors by hand, KSP and PC, triangles of the program's own, factors of "
    "matrices\n"
    "                  out of order\n"
    "  --solver TYPE   the plugin's are all of this type\n"
    "  --backend NAME  the plugin solves on the host or the device\n"
    "  --operator TYPE type of the operator of triangles, which decides where they are solved (seqaij)\n"
    "  --factor NAME   values of our factors are computed by the host or the device, -mat_sptrsv_factor\n"
    "  --inodes        leave PETSc its inodes, whose faults crash by chance, in the plugin too\n"
    "                  (docs/dev/petsc_faults.md)\n"
    "  --keep-going    do not stop at the first fault\n"
    "  --progress      a line every 10,000 sequences\n"
    "PETSC_OPTIONS must load the plugin (-dll_append). Exit status 1 if the plugin's differs from PETSc's own.\n";

#if defined(__SANITIZE_ADDRESS__)
constexpr long long default_sequences = 2000;
#else
constexpr long long default_sequences = 10000;
#endif
/// Exit status of a process that runs sequences; a sanitizer that stops it uses 1.
constexpr int cannot_run = 42, found_faults = 43;
/// Limits of one sequence: processor time, since other work may delay it, and total time, in case it sleeps.
constexpr int cpu_seconds_allowed = 5;
constexpr unsigned seconds_allowed = 60;

void StartClocks() {
  itimerval const limit{{0, 0}, {cpu_seconds_allowed, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  alarm(seconds_allowed);
}

void StopClocks() {
  itimerval const none{};
  setitimer(ITIMER_PROF, &none, nullptr);
  alarm(0);
}

struct Settings {
  long long sequences = default_sequences;
  unsigned long long first = 1;
  bool single = false, keep_going = false, progress = false, inodes = false;
  bool ways[4] = {true, true, true, true};
};

bool ReadWays(std::string const& list, Settings* s) {
  static char const* const names[] = {"factors", "solvers", "triangles", "improper"};
  std::istringstream words(list);
  std::string word;
  for (bool& way : s->ways) way = false;
  while (std::getline(words, word, ',')) {
    bool known = false;
    for (int w = 0; w < 4; ++w)
      if (word == names[w]) s->ways[w] = known = true;
    if (!known) return false;
  }
  return s->ways[0] || s->ways[1] || s->ways[2] || s->ways[3];
}

bool ReadTypes(std::string const& list) {
  std::istringstream words(list);
  std::string word;
  fuzz::types_allowed.clear();
  while (std::getline(words, word, ',')) fuzz::types_allowed.push_back("seq" + word);
  return !fuzz::types_allowed.empty();
}

bool Read(int argc, char** argv, Settings* s) {
  for (int i = 1; i < argc; ++i) {
    std::string const name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--keep-going") s->keep_going = true;
    else if (name == "--progress") s->progress = true;
    else if (name == "--inodes") s->inodes = true;
    else if (name.rfind("--", 0) != 0) continue;  // PETSc's options
    else if (value.empty()) return false;
    else if (name == "--sequences") s->sequences = std::atoll(value.c_str());
    else if (name == "--first") s->first = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--seed") s->first = std::strtoull(value.c_str(), nullptr, 10), s->single = true, s->sequences = 1;
    else if (name == "--types") {
      if (!ReadTypes(value)) return false;
    } else if (name == "--ways") {
      if (!ReadWays(value, s)) return false;
    } else if (name == "--solver") fuzz::type_forced = value;
    else if (name == "--backend") fuzz::backend_forced = value;
    else if (name == "--operator") fuzz::operator_type = value;
    else if (name == "--factor") fuzz::factor_forced = value;
    else return false;
  }
  return true;
}

/// Makes a page for the record, shared with child processes.
bool ShareRecord() {
  void* const page = mmap(nullptr, sizeof(fuzz::Record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  record = new (page) fuzz::Record();
  return true;
}

void PrintFault(Settings const& s, char const* text) {
  std::printf(
      "FAULT in sequence %llu: %s\ncalls:\n%sto run it alone: fuzz_calls --seed %llu (with the same --types and "
      "--ways)\n\n",
      record->seed, text, s.single ? "(above)\n" : record->trace, record->seed);
  std::fflush(stdout);
}

/// Runs one sequence. @return whether it succeeded.
bool RunOne(Settings const& s, unsigned long long seed) {
  void (*const ways[])(fuzz::Draw&) = {fuzz::run_factors, fuzz::run_solvers, fuzz::run_triangles, fuzz::run_improper};
  fuzz::Draw draw(seed);
  int way;

  record->seed = seed;
  record->length = 0;
  record->trace[0] = 0;
  record->petsc_at_work = false;
  do {
    int const of_100 = draw.from(0, 99);
    way = of_100 < 62 ? 0 : of_100 < 65 ? 3 : of_100 < 90 ? 1 : 2;
  } while (!s.ways[way]);
  try {
    ways[way](draw);
  } catch (fuzz::Fault const& fault) {
    PrintFault(s, fault.what());
    return false;
  } catch (fuzz::Broken const& broken) {
    PrintFault(s, (std::string("outside of what is compared: ") + broken.what()).c_str());
    return false;
  }
  ++record->sequences;
  return true;
}

/// Runs sequences from `first` on in this process. @return exit status: 0, or 1 if one failed.
int RunMany(Settings const& s, unsigned long long first, int argc, char** argv) {
  int status = 0;
  long long const last = (long long)(s.first) + s.sequences;

  if (!s.inodes) PetscOptionsSetValue(NULL, "-mat_no_inode", "true");
  PetscOptionsSetValue(NULL, "-no_signal_handler", "true");  // a crash must end the process as a crash
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return cannot_run;
  if (fuzz::SetVariantOptions()) return cannot_run;
  for (unsigned long long seed = first; (long long)seed < last; ++seed) {
    if (s.single) alarm(seconds_allowed);
    else StartClocks();
    if (!RunOne(s, seed)) {
      status = found_faults;
      if (!s.keep_going) break;
    }
    if (s.progress && (seed + 1 - s.first) % 10000 == 0) {
      std::printf("%llu of %lld sequences\n", seed + 1 - s.first, s.sequences);
      std::fflush(stdout);
    }
  }
  StopClocks();
  std::fflush(stdout);
  if (status) _exit(status);  // skips the checks at exit, which would report what PETSc's errors have left behind
  return PetscFinalize() ? cannot_run : 0;
}

/// Runs all sequences in child processes; after a crash, continues behind the sequence that crashed.
int Supervise(Settings const& s, int argc, char** argv) {
  long long faults = 0, faults_of_petsc = 0;
  unsigned long long first = s.first;
  bool done = false;

  while (!done) {
    std::fflush(stdout);
    pid_t const child = fork();
    int status;
    if (child < 0) return 2;
    if (child == 0) _exit(RunMany(s, first, argc, argv));
    if (waitpid(child, &status, 0) != child) return 2;
    int const code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == cannot_run) return 2;
    faults += code == found_faults;
    if (code == 0 || code == found_faults) break;
    std::string const how = WIFSIGNALED(status) ? WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF
                                                      ? "it does not end"
                                                      : std::string("signal ") + strsignal(WTERMSIG(status))
                                                : "the process ends with status " + std::to_string(WEXITSTATUS(status));
    if (record->petsc_at_work) {
      ++faults_of_petsc;
      std::printf("PETSc's own factor fails in sequence %llu, which is left out: %s\n%s\n", record->seed, how.c_str(),
                  s.progress || s.keep_going ? record->trace : "");
    } else {
      ++faults;
      PrintFault(s, how.c_str());
      done = !s.keep_going;
    }
    first = record->seed + 1;
    done = done || (long long)first >= (long long)s.first + s.sequences;
  }
  std::printf(
      "%lld sequences from seed %llu: %lld calls on both, %lld results judged row by row, %lld only for which rows are "
      "finite, %lld calls refused by both, "
      "%lld sequences left out for faults of PETSc's own; at most %.2g of an allowed difference was taken\n",
      record->sequences, s.first, record->calls, record->judged, record->not_judged, record->refused, faults_of_petsc,
      record->nearest);
  return faults ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Settings s;
  if (!Read(argc, argv, &s)) return std::fputs(usage, stderr), 2;
  if (!ShareRecord()) return std::perror("mmap"), 2;
  record->verbose = s.single;
  if (s.single) return RunMany(s, s.first, argc, argv) ? 1 : 0;
  return Supervise(s, argc, argv);
}
