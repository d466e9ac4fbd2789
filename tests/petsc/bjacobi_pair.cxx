// SPDX-License-Identifier: Apache-2.0
#include "bjacobi_pair.hpp"

#include <unistd.h>

#include <fstream>
#include <iterator>

namespace petsc_test {
namespace {

PetscErrorCode FillSeeded(Vec v, int seed)
{
  PetscInt first, last;
  PetscScalar* a;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  PetscCall(VecGetArrayWrite(v, &a));
  for (PetscInt i = first; i < last; ++i) a[i - first] = (PetscReal)((i * 37 + seed * 11) % 101) / 50 - 1;
  PetscCall(VecRestoreArrayWrite(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectRows(std::string const& what, Vec expected, Vec actual, PetscReal tolerance)
{
  PetscReal largest;
  PetscInt n;
  PetscScalar const *e, *a;

  PetscFunctionBegin;
  PetscCall(VecNorm(expected, NORM_INFINITY, &largest));
  PetscCall(VecGetLocalSize(expected, &n));
  PetscCall(VecGetArrayRead(expected, &e));
  PetscCall(VecGetArrayRead(actual, &a));
  PetscInt wrong = 0, first = -1;
  for (PetscInt i = 0; i < n; ++i)
    if (!(PetscAbsScalar(e[i] - a[i]) <= tolerance * largest) && !wrong++) first = i;
  EXPECT_EQ(wrong, 0) << what << ": first in row " << first << " of this rank, "
                      << (first < 0 ? 0 : (double)PetscAbsScalar(e[first] - a[first])) << " beside " << (double)largest;
  PetscCall(VecRestoreArrayRead(expected, &e));
  PetscCall(VecRestoreArrayRead(actual, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectSameDense(std::string const& what, PC expected, PC actual, PetscReal tolerance)
{
  Mat A, B, X[2];
  PetscInt n, N;
  PetscInt const columns = 3;
  Vec e, a;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(actual, &A, NULL));
  MPI_Comm const comm = PetscObjectComm((PetscObject)A);
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatGetSize(A, &N, NULL));
  PetscCall(MatCreateDense(comm, n, PETSC_DECIDE, N, columns, NULL, &B));
  for (PetscInt k = 0; k < columns; ++k) {
    PetscCall(MatDenseGetColumnVecWrite(B, k, &e));
    PetscCall(FillSeeded(e, (int)k + 5));
    PetscCall(MatDenseRestoreColumnVecWrite(B, k, &e));
  }
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  for (Mat& M : X) PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &M));
  PetscCall(PCMatApply(expected, B, X[0]));
  PetscCall(PCMatApply(actual, B, X[1]));
  for (PetscInt k = 0; k < columns; ++k) {
    PetscCall(MatDenseGetColumnVecRead(X[0], k, &e));
    PetscCall(MatDenseGetColumnVecRead(X[1], k, &a));
    PetscCall(ExpectRows(what + ", PCMatApply, column " + std::to_string(k), e, a, tolerance));
    PetscCall(MatDenseRestoreColumnVecRead(X[0], k, &e));
    PetscCall(MatDenseRestoreColumnVecRead(X[1], k, &a));
  }
  PetscCall(MatDestroy(&B));
  for (Mat& M : X) PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode BuildParallelGrid(PetscInt side, BlockWay const& way, Mat* A)
{
  PetscMPIInt rank, size;
  PetscInt const dof = way.dof;
  PetscReal const wind = way.symmetric() ? 0 : (PetscReal)0.4;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscInt const nodes = side * side, own = nodes / size + (nodes % size > rank);
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, own * dof, own * dof, nodes * dof, nodes * dof));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetFromOptions(*A));  // -mat_type: a GPU's
  PetscCall(MatSeqAIJSetPreallocation(*A, 5 * dof, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 5 * dof, NULL, 5 * dof, NULL));
  PetscInt first, last;
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    PetscInt const node = row / dof, part = row % dof, x = node % side, y = node / side;
    PetscInt const neighbors[][2] = {{x, y}, {x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}};
    for (int k = 0; k < 5; ++k) {
      auto const [nx, ny] = neighbors[k];
      if (nx < 0 || ny < 0 || nx >= side || ny >= side) continue;
      for (PetscInt other = 0; other < dof; ++other) {
        PetscReal const here = part == other ? 1 : (PetscReal)0.1;
        PetscReal const value = k == 0 ? 4 * here + (part == other ? (PetscReal)(node % 7) / 20 : 0)
                                       : -here + (k == 1   ? -wind
                                                  : k == 2 ? wind
                                                           : 0) *
                                                     here;
        PetscCall(MatSetValue(*A, row, (ny * side + nx) * dof + other, value, INSERT_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChangeValues(Mat A, int round)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    PetscCall(MatSetValue(A, i, i, (PetscReal)((i * 13 + round) % 5) / 4 + (PetscReal)0.1, ADD_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetEntry(Mat A, PetscInt row, PetscInt col, PetscReal value)
{
  PetscFunctionBegin;
  PetscCall(MatSetValue(A, row, col, value, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AddEntry(Mat A)
{
  PetscInt first;

  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(SetEntry(A, first + 1, first + 6, -0.2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CountOf(char const* event, PetscInt* count)
{
  PetscLogEvent id;
  PetscEventPerfInfo info;

  PetscFunctionBegin;
  PetscCall(PetscLogEventGetId(event, &id));
  PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, id, &info));
  *count = info.count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetPivot(Mat A, PetscReal value)
{
  PetscInt first, n;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscInt const row = first + n / 3 + (n % 3 > 0);
  PetscCall(SetEntry(A, row, row, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveOnce(KSP ksp)
{
  Mat A;
  Vec b, x;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetSubdomains(PC pc, Mat A, PetscInt blocks)
{
  PetscInt first, last;
  std::vector<IS> is((std::size_t)blocks);

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt b = 0; b < blocks; ++b) {
    PetscInt const rows = (last - first) / blocks, begin = first + b * rows;
    PetscCall(ISCreateStride(PETSC_COMM_SELF, b + 1 < blocks ? rows : last - begin, begin, 1, &is[(std::size_t)b]));
  }
  PetscCall(PCASMSetLocalSubdomains(pc, blocks, is.data(), NULL));
  for (IS& i : is) PetscCall(ISDestroy(&i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeBlockKsp(Mat A, BlockWay const& way, std::string const& prefix, PetscInt blocks,
                            std::vector<PetscInt> const& lens, KSP* ksp)
{
  PC pc;
  std::string const sub = "-" + prefix + "sub_pc_";

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, (sub + "type").c_str(), way.pc));
  PetscCall(PetscOptionsSetValue(NULL, (sub + "factor_levels").c_str(), std::to_string(way.levels).c_str()));
  PetscCall(PetscOptionsSetValue(NULL, (sub + "factor_mat_ordering_type").c_str(), way.ordering));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix.c_str()));
  PetscCall(KSPSetType(*ksp, way.ksp));
  PetscCall(KSPSetTolerances(*ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, way.type));
  PetscCall(PCBJacobiSetLocalBlocks(pc, blocks, lens.empty() ? NULL : lens.data()));  // each of its own type alone
  PetscCall(SetSubdomains(pc, A, blocks));
  PetscCall(PCASMSetOverlap(pc, way.overlap));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectSameApplications(std::string const& what, KSP expected, KSP actual, PetscReal tolerance)
{
  PC pc[2];
  Vec b, x[2];
  Mat A;
  KSPType type;
  PetscInt steps[2];
  KSPConvergedReason reason[2];
  PetscBool preconditions_symmetrically = PETSC_FALSE, overlaps;

  PetscFunctionBegin;
  SCOPED_TRACE(what);
  KSP const ksp[2] = {expected, actual};
  PetscCall(KSPGetOperators(actual, &A, NULL));
  PetscCall(MatCreateVecs(A, &b, &x[0]));
  PetscCall(VecDuplicate(x[0], &x[1]));
  PetscCall(FillSeeded(b, 1));
  PetscCall(KSPGetType(actual, &type));
  for (int k = 0; k < 2; ++k) {
    PetscCall(VecSet(x[k], 0));
    PetscCall(KSPSolve(ksp[k], b, x[k]));
    PetscCall(KSPGetIterationNumber(ksp[k], &steps[k]));
    PetscCall(KSPGetConvergedReason(ksp[k], &reason[k]));
    PetscCall(KSPGetPC(ksp[k], &pc[k]));
  }
  EXPECT_EQ(steps[1], steps[0]);
  EXPECT_EQ(reason[1], reason[0]);
  for (int k = 0; k < 2; ++k) PetscCall(PCApply(pc[k], b, x[k]));
  PetscCall(ExpectRows("PCApply", x[0], x[1], tolerance));
  for (int k = 0; k < 2; ++k) PetscCall(PCApplyTranspose(pc[k], b, x[k]));
  PetscCall(ExpectRows("PCApplyTranspose", x[0], x[1], tolerance));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc[0], PCASM, &overlaps));  // which has no other ways in PETSc
  preconditions_symmetrically = (PetscBool)(!overlaps && type == std::string(KSPCG) && !PetscDefined(USE_COMPLEX));
  if (preconditions_symmetrically) {  // the ways with ICC
    for (int k = 0; k < 2; ++k) PetscCall(PCApplySymmetricLeft(pc[k], b, x[k]));
    PetscCall(ExpectRows("PCApplySymmetricLeft", x[0], x[1], tolerance));
    for (int k = 0; k < 2; ++k) PetscCall(PCApplySymmetricRight(pc[k], b, x[k]));
    PetscCall(ExpectRows("PCApplySymmetricRight", x[0], x[1], tolerance));
  }
  if (!overlaps) PetscCall(ExpectSameDense(what, pc[0], pc[1], tolerance));
  PetscCall(VecDestroy(&b));
  for (Vec& v : x) PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewText(KSP ksp, std::string* text)
{
  char const name[] = "bjacobi_view.txt";
  PetscViewer viewer;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  std::string const file_name = name + std::to_string(getpid());  // of rank 0, which alone writes
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, file_name.c_str(), &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  text->clear();
  if (rank == 0) {
    std::ifstream file(file_name);
    text->assign(std::istreambuf_iterator<char>(file), {});
    std::remove(file_name.c_str());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExpectView(KSP ksp, std::string const& wanted)
{
  std::string text;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(ViewText(ksp, &text));
  if (rank == 0) {
    EXPECT_NE(text.find(wanted), std::string::npos) << "no '" << wanted << "' in\n" << text;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace petsc_test
