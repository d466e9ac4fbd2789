// SPDX-License-Identifier: Apache-2.0
// The PC types sor and eisenstat with the sweeps of sptrsv.
#include "relaxation/pc_relaxation.hpp"

#include "kokkos/guarded.hpp"
#include "relaxation/local_sweeps.hpp"

namespace sptrsv_petsc {
namespace {

/// A PC type of PETSc's that sweeps by MatSOR(). PETSc creates PCs by a function without further data, so each type has
/// one of its own.
struct RelaxationType {
  PCType name;
  PetscErrorCode (*get_omega)(PC, PetscReal*);
  PetscErrorCode (*create)(PC);             ///< PETSc's
  PetscErrorCode (*set_up)(PC);             ///< PETSc's; null: none
  PetscErrorCode (*view)(PC, PetscViewer);  ///< PETSc's; null: none
};
RelaxationType sor{PCSOR, PCSORGetOmega, nullptr, nullptr, nullptr};
RelaxationType eisenstat{PCEISENSTAT, PCEisenstatGetOmega, nullptr, nullptr, nullptr};

/// Finds this rank's block of the matrix that the PC sweeps with; null if sptrsv has no sweeps for its type.
PetscErrorCode FindLocalMatrix(PC pc, Mat* A)
{
  PetscBool known;

  PetscFunctionBegin;
  *A = nullptr;
  if (!pc->pmat) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)pc->pmat, &known, MATSEQAIJ, MATMPIAIJ, ""));
  if (known) PetscCall(MatGetDiagonalBlock(pc->pmat, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <RelaxationType const& type>
PetscErrorCode SetUp(PC pc)
{
  Mat A;
  PetscReal omega;

  PetscFunctionBegin;
  if (type.set_up) PetscCall(type.set_up(pc));
  PetscCall(FindLocalMatrix(pc, &A));
  if (!A) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(type.get_omega(pc, &omega));
  PetscCall(UseSweeps(pc, A, omega));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <RelaxationType const& type>
PetscErrorCode View(PC pc, PetscViewer viewer)
{
  Mat A;

  PetscFunctionBegin;
  if (type.view) PetscCall(type.view(pc, viewer));
  PetscCall(FindLocalMatrix(pc, &A));
  if (A) PetscCall(ViewSweeps(A, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <RelaxationType& type>
PetscErrorCode Create(PC pc)
{
  PetscFunctionBegin;
  PetscCall(type.create(pc));
  type.set_up = pc->ops->setup;
  type.view = pc->ops->view;
  pc->ops->setup = SetUp<type>;
  pc->ops->view = View<type>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <RelaxationType& type>
PetscErrorCode Register()
{
  PetscErrorCode (*registered)(PC) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(PCList, type.name, &registered));
  if (!registered || registered == Create<type>) PetscFunctionReturn(PETSC_SUCCESS);
  type.create = registered;
  PetscCall(PCRegister(type.name, Create<type>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode RegisterRelaxations()
{
  PetscFunctionBegin;
  PetscCall(PCInitializePackage());  // otherwise the first registration replaces PETSc's list
  PetscCall(Register<sor>());
  PetscCall(Register<eisenstat>());
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
