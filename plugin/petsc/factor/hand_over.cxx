// SPDX-License-Identifier: Apache-2.0
// Makes a factor of the replaced type, and gives its contents to the factor that the program has.
#include "factor/hand_over.hpp"

#include <memory>
#include <string>
#include <utility>

#include "base/composed_state.hpp"
#include "factor/factor_source.hpp"
#include "kokkos/guarded.hpp"

namespace sptrsv_petsc {
namespace {

/// Why the plugin refused the matrix, and the view of the type that made the factor.
struct Refusal {
  std::string reason;
  PetscErrorCode (*view)(Mat, PetscViewer);
};
constexpr char name_of_refusal[] = "SpTRSVRefusal";

PetscErrorCode ViewRefused(Mat F, PetscViewer viewer)
{
  Refusal* refusal = nullptr;
  PetscBool ascii;
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(FindState((PetscObject)F, name_of_refusal, &refusal));
  if (!refusal) PetscFunctionReturn(PETSC_SUCCESS);  // never: ShowReason() sets it with this view
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (ascii && (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL))
    PetscCall(PetscViewerASCIIPrintf(viewer, "not by sptrsv (-mat_sptrsv_replace), after a refusal: %s\n",
                                     refusal->reason.c_str()));
  if (refusal->view) PetscCall(refusal->view(F, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells whether an error means that the plugin has no factor of a matrix for which other types may have one.
bool IsRefusal(PetscErrorCode code)
{
  return code == PETSC_ERR_SUP || code == PETSC_ERR_ARG_WRONG || code == PETSC_ERR_MEM || code == PETSC_ERR_FP ||
         code == PETSC_ERR_PLIB;
}

/// Does the symbolic phase of N, and the numeric one if `numeric` is not null.
PetscErrorCode DoPhases(Mat N, Mat A, PhaseInput const& input, MatFactorInfo const* numeric)
{
  bool const symmetric = IsSymmetric(input.kind);

  PetscFunctionBegin;
  switch (input.kind) {
    case MAT_FACTOR_LU: PetscCall(MatLUFactorSymbolic(N, A, input.rows, input.cols, input.info)); break;
    case MAT_FACTOR_ILU: PetscCall(MatILUFactorSymbolic(N, A, input.rows, input.cols, input.info)); break;
    case MAT_FACTOR_CHOLESKY: PetscCall(MatCholeskyFactorSymbolic(N, A, input.rows, input.info)); break;
    default: PetscCall(MatICCFactorSymbolic(N, A, input.rows, input.info));
  }
  if (numeric && symmetric) PetscCall(MatCholeskyFactorNumeric(N, A, numeric));
  if (numeric && !symmetric) PetscCall(MatLUFactorNumeric(N, A, numeric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gives N what the program may have set for F: prefix, name, options, tab level, composed objects.
PetscErrorCode CopyState(Mat F, Mat N)
{
  PetscObject const from = (PetscObject)F, to = (PetscObject)N;

  PetscFunctionBegin;
  PetscCall(PetscObjectSetOptions(to, from->options));
  PetscCall(PetscObjectSetOptionsPrefix(to, from->prefix));
  if (from->name) PetscCall(PetscObjectSetName(to, from->name));
  to->tablevel = from->tablevel;
  if (!to->olist) std::swap(to->olist, from->olist);
  N->erroriffailure = F->erroriffailure;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Composes the reason with N, to be shown before N's own view.
PetscErrorCode ShowReason(Mat N, char const* reason)
{
  std::unique_ptr<Refusal> refusal;

  PetscFunctionBegin;
  PetscCall(CaughtOn(PETSC_COMM_SELF, [&] { refusal = std::make_unique<Refusal>(Refusal{reason, N->ops->view}); }));
  PetscCall(ComposeState((PetscObject)N, name_of_refusal, std::move(refusal)));
  N->ops->view = ViewRefused;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode HandOver(Mat F, Mat A, PhaseInput const& input, MatFactorInfo const* numeric, ReplacedType const& type,
                        QuietError const& error)
{
  Mat N = nullptr;
  NativeFactors const native;

  PetscFunctionBegin;
  PetscCheck(IsRefusal(error.code), PetscObjectComm((PetscObject)F), error.code, "%s", error.message);
  PetscCall(PetscInfo(F, "The factor is made by type %s, not by sptrsv: %s\n", type.name, error.message));
  PetscCall(type.create(A, F->factortype, &N));
  PetscCheck(N, PetscObjectComm((PetscObject)F), error.code, "%s", error.message);
  PetscCall(MatSetOptionsPrefix(N, ((PetscObject)F)->prefix));
  N->erroriffailure = F->erroriffailure;
  PetscErrorCode const code = DoPhases(N, A, input, numeric);
  if (code) PetscCall(MatDestroy(&N));
  PetscCall(code);
  PetscCall(CopyState(F, N));
  PetscCall(ShowReason(N, error.message));
  PetscObjectId const id = ((PetscObject)F)->id;
  PetscCall(MatHeaderReplace(F, &N));  // destroys the plugin's data
  ((PetscObject)F)->id = id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
