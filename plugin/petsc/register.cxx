// SPDX-License-Identifier: Apache-2.0
// Runs when PETSc loads the plugin. Registers `sptrsv` and each algorithm as a MatSolverType, other solver types again
// (for -mat_sptrsv_replace), and the orderings `color`, `blockcolor` and, with SuiteSparse, `metis`. Wraps PETSc's PC
// types `sor` and `eisenstat` (for sweeps), `asm`, `gasm`, `bjacobi`, `fieldsplit` and `redistribute` (for values of
// submatrices).
#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "base/events.hpp"
#include "factor/matfactor.hpp"
#include "kokkos/guarded.hpp"
#include "ordering/color_ordering.hpp"
#include "ordering/metis_ordering.hpp"
#include "relaxation/pc_relaxation.hpp"
#include "replace/replace.hpp"
#include "sptrsv/solver.hpp"
#include "sptrsv_petsc.h"
#include "subdomains/pc_subdomains.hpp"

namespace sptrsv_petsc {
namespace {

constexpr std::size_t max_types = 16;
bool registered = false;

std::string const& TypeName(std::size_t index)
{
  static std::vector<std::string> const names = [] {
    std::vector<std::string> all;
    for (auto const& info : sptrsv::algorithm_infos()) all.push_back(info.name);
    all.push_back("sptrsv");
    return all;
  }();
  return names[index];
}
std::size_t NumTypes() { return sptrsv::algorithm_infos().size() + 1; }

/// Checks A's type. PETSc also asks the plugin for factors of other types whose names begin with the name of a
/// registered type.
PetscErrorCode CheckMatType(Mat A)
{
  PetscBool supported, baij;

  PetscFunctionBegin;
  PetscCall(SupportsMatType(A, &supported));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQBAIJ, &baij));
  PetscCheck(supported, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "The sptrsv plugin has no factors for matrices of type %s; convert it to %s", ((PetscObject)A)->type_name,
             baij ? MATSEQBAIJ : MATSEQSBAIJ);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc passes the kind of factor to createfactor, but not the solver type, so each solver type has its own function.
template <std::size_t I>
PetscErrorCode Create(Mat A, MatFactorType ftype, Mat* F)
{
  PetscFunctionBegin;
  PetscCall(CheckMatType(A));
  PetscCall(CreateFactor(A, ftype, TypeName(I).c_str(), F));
  PetscFunctionReturn(PETSC_SUCCESS);
}
template <std::size_t... I>
constexpr std::array<PetscErrorCode (*)(Mat, MatFactorType, Mat*), sizeof...(I)> Creators(std::index_sequence<I...>)
{
  return {Create<I>...};
}

PetscErrorCode Reset(void)
{
  PetscFunctionBegin;
  registered = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

char const* FileOf(void const* address)
{
  Dl_info about;
  return dladdr(address, &about) && about.dli_fname ? about.dli_fname : "a file without a name";
}

/// Checks that the PETSc to which this library is bound has started. (While PETSc loads plugins, PetscInitialized()
/// does not tell that.) A program that keeps the symbols of its libraries local, such as Python, may have started
/// another PETSc. The PETSc to which this library is bound then cannot even report an error, so the message is printed.
/// @param caller  address in the calling code, which may be another PETSc that has loaded the plugin
PetscErrorCode CheckStarted(void const* caller)
{
  char const* const ours = FileOf((void const*)&PetscInitialize);
  char const* const theirs = FileOf(caller);

  if (PETSC_COMM_WORLD != MPI_COMM_NULL) return PETSC_SUCCESS;
  if (!std::strcmp(ours, theirs))
    std::fprintf(stderr, "sptrsv: PETSc (%s) has not started; call PetscInitialize() first\n", ours);
  else
    std::fprintf(stderr,
                 "sptrsv: libsptrsv_petsc was built for the PETSc in %s, which has not started, and was called from "
                 "%s; if that is another PETSc, rebuild the plugin with this program's PETSC_DIR and PETSC_ARCH, else "
                 "call PetscInitialize() first\n",
                 ours, theirs);
  return PETSC_ERR_SUP;
}

PetscErrorCode CheckVersion()
{
  PetscInt room[4][4] = {};  // the loaded PETSc may write wider integers

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(room[0], room[1], room[2], room[3]));
  PetscInt const major = room[0][0], minor = room[1][0];
  PetscCheck(major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "libsptrsv_petsc was built for PETSc %d.%d and loaded into PETSc %d.%d; rebuild it with this program's "
             "PETSC_DIR and PETSC_ARCH",
             PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, (int)major, (int)minor);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks the sizes of PETSc's scalars and integers. PETSc has no function for that, but parsing a number shows how
/// many bytes it writes.
PetscErrorCode CheckTypes()
{
  alignas(std::max_align_t) unsigned char scalar[64], integer[64];
  std::size_t scalar_bytes = 0, integer_bytes = 0;

  PetscFunctionBegin;
  std::memset(scalar, 0xA5, sizeof scalar);
  std::memset(integer, 0xA5, sizeof integer);
  PetscCall(PetscOptionsStringToScalar("1.5", (PetscScalar*)scalar));
  PetscCall(PetscOptionsStringToInt("5", (PetscInt*)integer));
  while (scalar_bytes < sizeof scalar && scalar[scalar_bytes] != 0xA5) ++scalar_bytes;
  while (integer_bytes < sizeof integer && integer[integer_bytes] != 0xA5) ++integer_bytes;
  PetscCheck(scalar_bytes == sizeof(PetscScalar), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "libsptrsv_petsc was built for a PETSc with %d-byte scalars, and this program's PETSc has %d-byte "
             "scalars; rebuild it with this program's PETSC_DIR and PETSC_ARCH",
             (int)sizeof(PetscScalar), (int)scalar_bytes);
  PetscCheck(integer_bytes == sizeof(PetscInt), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "libsptrsv_petsc was built for a PETSc with %d-byte indices, and this program's PETSc has %d-byte "
             "indices; rebuild it with this program's PETSC_DIR and PETSC_ARCH",
             (int)sizeof(PetscInt), (int)integer_bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that the plugin is not loaded from another file, too: functions of the two files would call each other.
PetscErrorCode CheckAlone()
{
  PetscErrorCode (*create)(Mat, MatFactorType, Mat*) = nullptr;

  PetscFunctionBegin;
  PetscCall(MatSolverTypeGet("sptrsv", MATSEQAIJ, MAT_FACTOR_ILU, NULL, NULL, &create));
  PetscCheck(!create, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The sptrsv plugin is loaded from two files, %s and now %s; leave one out of -dll_append, or remove the "
             "link libpetscsptrsv from the library folder of a PETSc that was configured with --download-sptrsv",
             FileOf((void const*)create), FileOf((void const*)&CheckTypes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RegisterTypes()
{
  MatFactorType const kinds[] = {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC};
  static constexpr auto creators = Creators(std::make_index_sequence<max_types>{});
  std::size_t count = 0;

  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] {
    count = NumTypes();
    (void)TypeName(0);  // allocates in its first call
  }));
  PetscCheck(count <= max_types, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More algorithms than max_types in register.cxx");
  // PETSc takes the first registered type that is a prefix of the matrix' type: seqaij also serves seqaijkokkos
  for (std::size_t t = 0; t < count; ++t)
    for (MatType matrix : {MATSEQSBAIJ, MATSEQBAIJ, MATSEQAIJ})
      for (MatFactorType kind : kinds) {
        bool const symmetric = kind == MAT_FACTOR_CHOLESKY || kind == MAT_FACTOR_ICC;
        if (!symmetric && !std::strcmp(matrix, MATSEQSBAIJ)) continue;  // PETSc has no such factor, and reports that
        PetscCall(MatSolverTypeRegister(TypeName(t).c_str(), matrix, kind, creators[t]));
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Register(void const* caller)
{
  PetscErrorCode const started = registered ? PETSC_SUCCESS : CheckStarted(caller);

  if (registered || started) return started;
  PetscFunctionBegin;
  PetscCall(CheckVersion());
  PetscCall(CheckTypes());
  PetscCall(MatInitializePackage());  // events are registered with its class
  PetscCall(CheckAlone());
  PetscCall(PetscLogEventRegister("SpTRSVAnalysis", MAT_CLASSID, &events.analysis));
  PetscCall(PetscLogEventRegister("SpTRSVNumeric", MAT_CLASSID, &events.numeric));
  PetscCall(PetscLogEventRegister("SpTRSVSolve", MAT_CLASSID, &events.solve));
  PetscCall(RegisterTypes());
  PetscCall(RegisterReplacements());
  PetscCall(MatOrderingRegister(color_ordering, MatGetOrdering_Color));
  PetscCall(MatOrderingRegister(block_color_ordering, MatGetOrdering_BlockColor));
#if defined(SPTRSV_HAVE_METIS)
  PetscCall(MatOrderingRegister(metis_ordering, MatGetOrdering_Metis));
#endif
  PetscCall(PCInitializePackage());  // before that, PCList lacks the types whose functions are wrapped
  PetscCall(RegisterRelaxations());
  PetscCall(RegisterSubdomains());
  PetscCall(PetscRegisterFinalize(Reset));
  registered = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

Events events;

}  // namespace sptrsv_petsc

PetscErrorCode SpTRSVRegister(void) { return sptrsv_petsc::Register(__builtin_return_address(0)); }

/* PETSc finds each by the file's name: libsptrsv_petsc.so, or libpetscsptrsv.so, which a PETSc configured with
   --download-sptrsv loads at its start */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_sptrsv_petsc(void);
PetscErrorCode PetscDLLibraryRegister_sptrsv_petsc(void) { return sptrsv_petsc::Register(__builtin_return_address(0)); }
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_petscsptrsv(void);
PetscErrorCode PetscDLLibraryRegister_petscsptrsv(void) { return sptrsv_petsc::Register(__builtin_return_address(0)); }
