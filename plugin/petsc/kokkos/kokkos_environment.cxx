// SPDX-License-Identifier: Apache-2.0
// Checks the environment variables and PETSc options that configure Kokkos, before Kokkos reads them.
#include "kokkos/kokkos_environment.hpp"

#include <Kokkos_Core.hpp>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <initializer_list>
#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

namespace sptrsv_petsc {
namespace {

constexpr int most_threads = 512;  // size of Kokkos' pool with OpenMP, Kokkos::Impl::OpenMPTraits::MAX_THREAD_COUNT

char const* SkipBlanks(char const* text)
{
  while (std::isspace((unsigned char)*text)) ++text;
  return text;
}

/// Reads an integer between low and high at the beginning of the text. Returns the text after the integer and blanks,
/// or null if there is no such integer.
char const* ParseInteger(char const* text, long long low, long long high, long long* value)
{
  char* end = nullptr;
  errno = 0;
  *value = std::strtoll(text, &end, 10);
  return end == text || errno || *value < low || *value > high ? nullptr : SkipBlanks(end);
}

bool IsInteger(char const* text, long long low, long long high)
{
  long long value;
  char const* const rest = ParseInteger(text, low, high, &value);
  return rest && !*rest;
}

/// Tells whether the text is a list for OMP_NUM_THREADS, with a number for each level of nested regions. Kokkos uses
/// the first number.
bool IsListOfThreads(char const* text)
{
  long long value;
  char const* rest = ParseInteger(text, 1, most_threads, &value);
  while (rest && *rest == ',') rest = ParseInteger(rest + 1, 1, INT_MAX, &value);
  return rest && !*rest;
}

PetscErrorCode IsOneOf(char const* text, std::initializer_list<char const*> words, bool cases_differ, bool* is)
{
  PetscFunctionBegin;
  *is = false;
  for (char const* word : words) {
    PetscBool same;
    PetscCall(cases_differ ? PetscStrcmp(text, word, &same) : PetscStrcasecmp(text, word, &same));
    *is = *is || same;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckVariable(char const* name, bool (*valid)(char const*), char const* remedy)
{
  char const* const value = std::getenv(name);

  PetscFunctionBegin;
  PetscCheck(!value || valid(value), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Environment variable %s is '%s'; %s, or unset it", name, value, remedy);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckWord(char const* name, std::initializer_list<char const*> words, bool cases_differ,
                         char const* remedy)
{
  char const* const value = std::getenv(name);
  bool known = true;

  PetscFunctionBegin;
  if (value) PetscCall(IsOneOf(value, words, cases_differ, &known));
  PetscCheck(known, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Environment variable %s is '%s'; %s, or unset it", name,
             value, remedy);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks the variables that Kokkos reads in every build, except for numbers of threads.
PetscErrorCode CheckOthers()
{
  PetscFunctionBegin;
  PetscCall(CheckVariable(
      "KOKKOS_DEVICE_ID", [](char const* text) { return IsInteger(text, 0, INT_MAX); },
      "give the number of a GPU, from 0"));
  PetscCall(CheckWord("KOKKOS_MAP_DEVICE_ID_BY", {"mpi_rank", "random"}, true, "choose one of mpi_rank, random"));
  for (char const* name : {"KOKKOS_DISABLE_WARNINGS", "KOKKOS_PRINT_CONFIGURATION", "KOKKOS_TUNE_INTERNALS"})
    PetscCall(CheckWord(name, {"yes", "true", "1", "no", "false", "0"}, false, "choose one of true, false"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(KOKKOS_ENABLE_OPENMP)
/// Checks that OpenMP gives Kokkos the number of threads that Kokkos counts on. With fewer threads, a part of each
/// kernel would not be executed.
/// @param told  whether Kokkos is given the number; otherwise Kokkos asks OpenMP for it
PetscErrorCode CheckGranted(int threads, bool told)
{
  PetscFunctionBegin;
  if (threads == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
      !omp_get_dynamic(), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
      "OpenMP may give fewer threads than the %d asked for (OMP_DYNAMIC, or omp_set_dynamic()), and Kokkos needs "
      "all of them; set OMP_DYNAMIC=false, or ask for one thread",
      threads);
  if (!told) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(threads <= omp_get_thread_limit(), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Kokkos is to have %d threads, and OpenMP gives %d at most (OMP_THREAD_LIMIT); ask for no more, or raise "
             "the limit",
             threads, omp_get_thread_limit());
  PetscCheck(
      omp_get_max_active_levels() > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
      "Kokkos is to have %d threads, and OpenMP gives one (OMP_MAX_ACTIVE_LEVELS is 0); ask for one, or unset it",
      threads);
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

}  // namespace

PetscErrorCode ReadKokkosEnvironment(int* threads)
{
  char const* const omp = std::getenv("OMP_NUM_THREADS");
  char const* const own = std::getenv("KOKKOS_NUM_THREADS");
  char const* const remedy = "give a number of threads from 1 to 512, which is all that Kokkos has room for";
  bool const omp_says = omp && *SkipBlanks(omp);  // an empty variable counts as unset
  PetscInt option = 1;
  PetscBool set;
  static_assert(most_threads == 512, "the remedy says so");

  PetscFunctionBegin;
  PetscCall(CheckOthers());
  PetscCall(
      CheckVariable("KOKKOS_NUM_THREADS", [](char const* text) { return IsInteger(text, 1, most_threads); }, remedy));
  if (omp_says) PetscCall(CheckVariable("OMP_NUM_THREADS", IsListOfThreads, remedy));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-omp_num_threads", &option, &set));  // an option of PETSc itself
  PetscCheck(option >= 1 && option <= most_threads, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Option -omp_num_threads is %" PetscInt_FMT "; %s", option, remedy);
  if (set) *threads = (int)option;
  else if (own) *threads = std::atoi(own);
  else *threads = omp_says ? 0 : 1;
#if defined(KOKKOS_ENABLE_OPENMP)
  int const asked = *threads ? *threads : omp_get_max_threads();  // the program may have called omp_set_num_threads()
  PetscCheck(asked <= most_threads, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The OpenMP runtime has %d threads, set by the program; %s", asked, remedy);
  PetscCall(CheckGranted(asked, *threads > 0));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
