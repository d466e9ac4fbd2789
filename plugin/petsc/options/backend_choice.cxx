// SPDX-License-Identifier: Apache-2.0
// The option -mat_sptrsv_backend: whether solves run on the host or on the GPU.
#include "options/backend_choice.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "kokkos/device_stream.hpp"
#include "kokkos/guarded.hpp"
#include "options/factor_options.hpp"

namespace sptrsv_petsc {
namespace {

bool IsOneOf(char const* type, std::initializer_list<char const*> names)
{
  return std::any_of(names.begin(), names.end(), [&](char const* name) { return !std::strcmp(type, name); });
}

/// Chooses the device if A's vectors are there, otherwise the host, and states the reason.
PetscErrorCode ChooseByVectors(Mat A, Backend& backend)
{
  VecType type;
  PetscBool host = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatGetVecType(A, &type));
  PetscCall(MatBoundToCPU(A, &host));
  backend.kokkos = IsOneOf(type, {VECKOKKOS, VECSEQKOKKOS, VECMPIKOKKOS});
  bool const there =
      has_device && (backend.kokkos || IsOneOf(type, {VECCUDA, VECSEQCUDA, VECMPICUDA, VECHIP, VECSEQHIP, VECMPIHIP}));
  // PETSc's Kokkos matrices cannot be bound to the CPU, even if a DM has asked for that. PETSc also reports matrices
  // that never go to a GPU as bound
  host = (PetscBool)(host && !backend.kokkos);
  backend.device = there && !host;
  PetscCall(Caught(A, [&] {
    backend.reason = there && host ? "the matrix is bound to the CPU" : "its vectors are of type " + std::string(type);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode ReadBackendChoice(PetscObject object, BackendChoice* choice)
{
  BackendOptions options;

  PetscFunctionBegin;
  PetscCall(ReadGiven(object, options));
  PetscCheck(options.backend != BackendChoice::device || has_device, PetscObjectComm(object), PETSC_ERR_SUP,
             "Option -%smat_sptrsv_backend is 'device', but %s", object->prefix ? object->prefix : "", WithoutDevice());
  *choice = options.backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseBackend(Mat A, BackendChoice choice, Backend& backend)
{
  PetscFunctionBegin;
  PetscCall(ChooseByVectors(A, backend));
  if (choice == BackendChoice::by_vectors) PetscFunctionReturn(PETSC_SUCCESS);
  backend.device = choice == BackendChoice::device;
  PetscCall(Caught(A, [&] { backend.reason = "asked for"; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseBackend(PetscObject object, Mat A, Backend& backend)
{
  BackendChoice choice;

  PetscFunctionBegin;
  PetscCall(ReadBackendChoice(object, &choice));
  PetscCall(ChooseBackend(A, choice, backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
