// SPDX-License-Identifier: Apache-2.0
// Runs code that may throw inside functions that PETSc calls, and turns exceptions into PETSc errors.
#pragma once

#include <cstdio>
#include <cstring>
#include <new>

#include "kokkos/kokkos_session.hpp"
#include "sptrsv/error.hpp"

namespace sptrsv_petsc {

/// Error code and message of an exception. Does not allocate, since memory may have run out.
struct CaughtException {
  PetscErrorCode code = PETSC_ERR_LIB;
  char message[1000] = "";

  void set(PetscErrorCode c, char const* text)
  {
    code = c;
    std::snprintf(message, sizeof message, "%s", text);
  }
};

/// Describes the exception that is being handled.
inline void DescribeException(CaughtException& caught) noexcept
{
  try {
    throw;
  } catch (sptrsv::Unsupported const& e) {
    caught.set(PETSC_ERR_SUP, e.what());
  } catch (sptrsv::TooLarge const& e) {
    caught.set(PETSC_ERR_SUP, e.what());
  } catch (sptrsv::ImproperRow const& e) {
    caught.set(PETSC_ERR_ARG_WRONG, e.what());
    std::size_t const length = std::strlen(caught.message);
    std::snprintf(caught.message + length, sizeof caught.message - length, "%s",
                  e.repeated()
                      ? "; MatSetValues() with ADD_VALUES does that"
                      : "; PetscSortIntWithScalarArray() does that for a row, and MatSetValues() for a matrix");
  } catch (sptrsv::NotReady const& e) {
    caught.set(PETSC_ERR_ORDER, e.what());
  } catch (sptrsv::InvalidOption const& e) {
    caught.set(PETSC_ERR_ARG_OUTOFRANGE, e.what());
  } catch (sptrsv::SingleRange const& e) {
    caught.set(PETSC_ERR_ARG_OUTOFRANGE, e.what());
  } catch (std::bad_alloc const&) {
    caught.set(
        PETSC_ERR_MEM,
        "not enough memory; factors take less if they are incomplete, with fewer levels of fill, or on more ranks");
  } catch (std::exception const& e) {
    // Kokkos has no exception type for lack of memory
    caught.set(std::strstr(e.what(), "failed to allocate") ? PETSC_ERR_MEM : PETSC_ERR_LIB, e.what());
  } catch (...) {
    caught.set(PETSC_ERR_LIB, "an exception that is no std::exception");
  }
}

/// Runs code that may throw and does not use Kokkos, also in a forked child, which cannot use Kokkos. An exception
/// becomes a PETSc error on the communicator.
template <class Call>
PetscErrorCode CaughtOn(MPI_Comm comm, Call const& call)
{
  CaughtException caught;

  PetscFunctionBegin;
  try {
    call();
    PetscFunctionReturn(PETSC_SUCCESS);
  } catch (...) {
    DescribeException(caught);
  }
  SETERRQ(comm, caught.code, "sptrsv: %s", caught.message);
}

/// Runs code that may throw and does not use Kokkos, as CaughtOn() does, with the object's communicator.
template <class Object, class Call>
PetscErrorCode Caught(Object object, Call const& call)
{
  PetscFunctionBegin;
  PetscCall(CaughtOn(PetscObjectComm((PetscObject)object), call));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Checks that this process can use Kokkos. Fails with PETSC_ERR_SUP in a process that was forked after Kokkos had
/// started threads or taken a GPU: the child has neither, and would wait forever for their work.
inline PetscErrorCode CheckProcess()
{
  PetscFunctionBegin;
  PetscCheck(!lost_device, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "This process was forked after Kokkos had taken a GPU, which a child cannot use; fork before the first "
             "solver is set up, or let the child call exec");
  PetscCheck(!lost_threads, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "This process was forked after Kokkos had started %d threads, which only the parent has; fork before the "
             "first solver is set up, let the child call exec, or use one thread (OMP_NUM_THREADS=1)",
             lost_threads);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs code that may throw, if CheckProcess() succeeds. An exception becomes a PETSc error on the communicator.
template <class Call>
PetscErrorCode GuardedOn(MPI_Comm comm, Call const& call)
{
  PetscFunctionBegin;
  PetscCall(CheckProcess());
  PetscCall(CaughtOn(comm, call));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs code that may throw, as GuardedOn() does, with the object's communicator.
template <class Object, class Call>
PetscErrorCode Guarded(Object object, Call const& call)
{
  PetscFunctionBegin;
  PetscCall(GuardedOn(PetscObjectComm((PetscObject)object), call));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
