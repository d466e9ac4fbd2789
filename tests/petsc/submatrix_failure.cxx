// SPDX-License-Identifier: Apache-2.0
// Tests memory that runs out on the last rank alone while the sources of submatrices' values are found: all ranks have
// to fail, none may wait for the others, and the next call has to succeed.
#include <petscksp.h>

#include <cstdlib>
#include <new>

#include "sptrsv_support/petsc_success.hpp"

namespace {
std::size_t refused_from = 0;  // bytes of the allocations that fail; 0: none
}

void* operator new(std::size_t size) {
  void* const p = refused_from && size >= refused_from ? nullptr : std::malloc(size ? size : 1);
  if (!p) throw std::bad_alloc();
  return p;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

PetscErrorCode FillMatrix(Mat A, PetscScalar diagonal) {
  PetscInt first, last, n;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    for (PetscInt j = PetscMax(0, i - 1); j <= PetscMin(n - 1, i + 1); ++j)
      PetscCall(MatSetValue(A, i, j, i == j ? diagonal : -1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

PetscErrorCode Run() {
  PetscInt const n = 20000;
  PetscMPIInt rank, size;
  Mat A, *submatrix = NULL;
  PC pc;
  IS rows;
  PetscScalar value;
  PetscInt first, last;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 1, NULL, &A));
  PetscCall(FillMatrix(A, 3));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCASM));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_submatrices_sptrsv", "1"));
  PetscCall(PCSetUp(pc));  // from now on the plugin takes the values
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, last - first, first, 1, &rows));
  PetscCall(MatCreateSubMatrices(A, 1, &rows, &rows, MAT_INITIAL_MATRIX, &submatrix));
  PetscCall(MatCreateSubMatrices(A, 1, &rows, &rows, MAT_REUSE_MATRIX, &submatrix));
  PetscCall(FillMatrix(A, 5));
  if (rank == size - 1) refused_from = 10000;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscErrorCode const code = MatCreateSubMatrices(A, 1, &rows, &rows, MAT_REUSE_MATRIX, &submatrix);
  PetscCall(PetscPopErrorHandler());
  refused_from = 0;
  PetscCheck(code == (rank == size - 1 ? PETSC_ERR_MEM : PETSC_ERR_LIB), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Rank %d ended with code %d", (int)rank, (int)code);
  PetscCall(MatCreateSubMatrices(A, 1, &rows, &rows, MAT_REUSE_MATRIX, &submatrix));
  PetscCall(MatGetValue(submatrix[0], 7, 7, &value));
  PetscCheck(value == PetscScalar(5), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The value is old");
  PetscCall(MatDestroySubMatrices(1, &submatrix));
  PetscCall(ISDestroy(&rows));
  PetscCall(PCDestroy(&pc));
  return MatDestroy(&A);
}

}  // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 2;
  PetscErrorCode const code = Run();
  if (code) MPI_Abort(PETSC_COMM_WORLD, 1);
  return PetscFinalize() ? 2 : 0;
}
