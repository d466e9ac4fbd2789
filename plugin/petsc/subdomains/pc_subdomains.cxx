// SPDX-License-Identifier: Apache-2.0
// The PC types asm, gasm, bjacobi, fieldsplit and redistribute, whose submatrices take new values without copies
// through the host.
#include "subdomains/pc_subdomains.hpp"

#include "base/wrapped_pc.hpp"
#include "kokkos/guarded.hpp"
#include "options/factor_options.hpp"
#include "subdomains/submatrix_values.hpp"
#include "subdomains/value_sources.hpp"

namespace sptrsv_petsc {
namespace {

/// Finds the matrix from which the PC takes submatrices: for bjacobi this rank's diagonal block. Null if
/// HasPlainValues() is false for the PC's matrix.
template <bool local>
PetscErrorCode FindWhole(PC pc, Mat* A)
{
  bool plain;

  PetscFunctionBegin;
  *A = nullptr;
  if (!pc->pmat) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HasPlainValues(pc->pmat, &plain));
  if (!plain) PetscFunctionReturn(PETSC_SUCCESS);
  *A = pc->pmat;
  if (local) PetscCall(MatGetDiagonalBlock(pc->pmat, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool local>
PetscErrorCode Prepare(PC pc)
{
  Mat A;
  SubmatrixOptions options;

  PetscFunctionBegin;
  PetscCall(FindWhole<local>(pc, &A));
  if (!A) {
    if (pc->pmat)
      PetscCall(PetscInfo(pc, "New values of submatrices by PETSc's own function: the matrix is of type %s\n",
                          ((PetscObject)pc->pmat)->type_name));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ReadGiven((PetscObject)pc, options));
  PetscCall(UseSubmatrixValues(A, options.sptrsv < 0    ? Selection::on_device
                                  : options.sptrsv == 0 ? Selection::nowhere
                                                        : Selection::everywhere));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool local>
PetscErrorCode Show(PC pc, PetscViewer viewer)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(FindWhole<local>(pc, &A));
  if (A) PetscCall(ViewSubmatrixValues(A, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

WrappedPc additive{PCASM, Prepare<false>, nullptr, Show<false>};
WrappedPc general{PCGASM, Prepare<false>, nullptr, Show<false>};
WrappedPc blocks{PCBJACOBI, Prepare<true>, nullptr, Show<true>};
WrappedPc fields{PCFIELDSPLIT, Prepare<false>, nullptr, Show<false>};
WrappedPc redistributed{PCREDISTRIBUTE, Prepare<false>, nullptr, Show<false>};

}  // namespace

PetscErrorCode RegisterSubdomains()
{
  PetscFunctionBegin;
  PetscCall(RegisterWrapped<additive>());
  PetscCall(RegisterWrapped<general>());
  PetscCall(RegisterWrapped<blocks>());
  PetscCall(RegisterWrapped<fields>());
  PetscCall(RegisterWrapped<redistributed>());
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
