// SPDX-License-Identifier: Apache-2.0
#include "pc_blocks.hpp"

#include <petsc/private/kspimpl.h>

#include <algorithm>

#include "guarded.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv_petsc {
namespace {

/// Something that KSPSolve() would print or compute for the block.
bool HasViews(KSP ksp)
{
  return ksp->numbermonitors || ksp->numberreasonviews || ksp->view || ksp->viewPre || ksp->viewRate || ksp->viewMat ||
         ksp->viewPMat || ksp->viewRhs || ksp->viewSol || ksp->viewMatExp || ksp->viewEV || ksp->viewSV ||
         ksp->viewEVExp || ksp->viewFinalRes || ksp->viewPOpExp;
}

/// What the block does beside a solve with a factor, or null.
PetscErrorCode BesideSolve(KSP ksp, char const** what)
{
  PetscBool preonly, factored;
  Mat A, P;
  MatNullSpace null_spaces[4] = {};
  PC pc;

  PetscFunctionBegin;
  *what = nullptr;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &preonly, KSPPREONLY, "none", ""));  // two names of one type
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factored, PCILU, PCICC, PCLU, PCCHOLESKY, ""));
  PetscCall(KSPGetOperators(ksp, &A, &P));
  PetscCall(MatGetNullSpace(A, &null_spaces[0]));
  PetscCall(MatGetNullSpace(P, &null_spaces[1]));
  PetscCall(MatGetTransposeNullSpace(A, &null_spaces[2]));
  PetscCall(MatGetTransposeNullSpace(P, &null_spaces[3]));
  if (!preonly) *what = "has a KSP of another type than preonly";
  else if (!factored) *what = "has a PC of another type than ilu, icc, lu and cholesky";
  else if (null_spaces[0] || null_spaces[1] || null_spaces[2] || null_spaces[3]) *what = "has a null space";
  else if (!ksp->guess_zero || ksp->guess) *what = "has an initial guess";
  else if (IsScaled(ksp, 0)) *what = "is scaled by its diagonal";
  else if (ksp->presolve || ksp->postsolve || HasPreSolve(pc, 0)) *what = "calls the program before or after its solve";
  else if (HasViews(ksp)) *what = "has monitors or views of its own";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Name(std::size_t block, char const* what, std::string* obstacle)
{
  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { *obstacle = "block " + std::to_string(block) + " " + what; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode AsksForOurs(std::vector<KSP> const& blocks, bool* ours)
{
  PC pc;
  MatSolverType type = nullptr;

  PetscFunctionBegin;
  *ours = false;
  PetscCall(KSPGetPC(blocks.front(), &pc));
  PetscCall(PCFactorGetMatSolverType(pc, &type));
  if (!type) PetscFunctionReturn(PETSC_SUCCESS);
  auto const& infos = sptrsv::algorithm_infos();
  *ours = !std::strcmp(type, "sptrsv") ||
          std::any_of(infos.begin(), infos.end(), [&](auto const& info) { return info.name == type; });
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckSolves(std::vector<KSP> const& blocks, std::string* obstacle)
{
  char const* what;

  PetscFunctionBegin;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    PetscCall(BesideSolve(blocks[b], &what));
    if (!what) continue;
    PetscCall(Name(b, what, obstacle));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckOptions(std::vector<KSP> const& blocks, std::string* obstacle)
{
  PetscBool in_place, reason, along_diagonal;
  PC pc;

  PetscFunctionBegin;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    PetscObject const object = (PetscObject)blocks[b];
    PetscCall(KSPGetPC(blocks[b], &pc));
    PetscCall(PCFactorGetUseInPlace(pc, &in_place));
    PetscCall(PetscOptionsHasName(object->options, object->prefix, "-ksp_converged_reason", &reason));
    PetscCall(
        PetscOptionsHasName(object->options, object->prefix, "-pc_factor_nonzeros_along_diagonal", &along_diagonal));
    if (along_diagonal) PetscCall(Name(b, "is reordered for nonzeros along its diagonal", obstacle));
    if (in_place) PetscCall(Name(b, "is factored in place", obstacle));
    if (reason) PetscCall(Name(b, "reports why it converged", obstacle));
    if (!obstacle->empty()) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetUpForSolve(std::vector<KSP> const& blocks)
{
  PetscFunctionBegin;
  for (KSP ksp : blocks) {
    PetscCall(KSPSetUp(ksp));
    PetscCall(PCSetUp(ksp->pc));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void NoteSolves(std::vector<KSP> const& blocks, PetscInt count)
{
  if (!count) return;
  for (KSP ksp : blocks) {
    ksp->totalits += count;
    ksp->its = 1;
    ksp->reason = KSP_CONVERGED_ITS;
  }
}

PetscErrorCode GetFactors(std::vector<KSP> const& blocks, std::vector<Mat>* factors)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { factors->assign(blocks.size(), nullptr); }));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    PetscCall(KSPGetPC(blocks[b], &pc));
    if (pc->setupcalled && pc->ops->getfactoredmatrix) PetscCall(PCFactorGetMatrix(pc, &(*factors)[b]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
