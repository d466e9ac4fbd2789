/* SPDX-License-Identifier: Apache-2.0
   Solves a convection-diffusion problem twice: with the given options (a matrix of a GPU's type, a solver type of the
   plugin), and with those of the prefix ref_ (PETSc's own on the host). Prints iterations of both, plain and
   transposed, and compares every row of the preconditioners' results, plain, transposed and, on one rank, for several
   columns at once; then repeats it with new values. gpu_check.py runs this program.

     gpu_ksp [-side N] [-dims 2|3] [-convection C] [-only_iterations] [-own_context] OPTIONS -ref_OPTIONS

   With -own_context the first solves are on the stream of a PetscDeviceContext that is destroyed before the second
   ones.

   Exit status 0 if all rows agree. The caller judges the iterations. */
#include <math.h>
#include <petscdevice.h>
#include <petscksp.h>
#include <string.h>

#include "sptrsv_petsc.h"

typedef struct {
  const char* prefix;
  Mat A;
  KSP ksp;
  PC pc;
  Vec b, x, scale;
} Side;

typedef struct {
  PetscInt dims, side, n;
  PetscReal convection;
} Problem;

static int failures = 0;
static PetscReal tolerance;
static PetscBool only_iterations = PETSC_FALSE; /* the solver type need not be the plugin's */

/* Returns a number in [-1, 1] that depends only on the global row and the seed, so that both sides have the same. */
static PetscScalar Noise(PetscInt row, PetscInt seed) {
  unsigned h = 2166136261u ^ (unsigned)seed;

  for (int k = 0; k < 2; ++k) h = (h ^ (unsigned)row) * 16777619u, h ^= h >> 13;
  return (PetscReal)(h % 20001) / 10000 - 1;
}

static PetscErrorCode FillVec(Vec v, PetscInt seed, PetscBool positive) {
  PetscScalar* a;
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(v, &begin, &end));
  PetscCall(VecGetArrayWrite(v, &a));
  for (PetscInt i = begin; i < end; ++i) a[i - begin] = positive ? PetscAbsScalar(Noise(i, seed)) : Noise(i, seed);
  PetscCall(VecRestoreArrayWrite(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills an M-matrix, symmetric without convection; `shift` changes the values. */
static PetscErrorCode FillMatrix(const Problem* p, PetscReal shift, Mat A) {
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) {
    PetscInt stride = 1;
    PetscCall(MatSetValue(A, i, i, 2 * p->dims + shift, INSERT_VALUES));
    for (PetscInt d = 0; d < p->dims; ++d, stride *= p->side) {
      PetscInt at = i / stride % p->side;
      if (at > 0) PetscCall(MatSetValue(A, i, i - stride, -1 - p->convection, INSERT_VALUES));
      if (at + 1 < p->side) PetscCall(MatSetValue(A, i, i + stride, -1 + p->convection, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const Problem* p, Side* s) {
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &s->A));
  PetscCall(MatSetOptionsPrefix(s->A, s->prefix));
  PetscCall(MatSetSizes(s->A, PETSC_DECIDE, PETSC_DECIDE, p->n, p->n));
  PetscCall(MatSetFromOptions(s->A));
  PetscCall(MatSeqAIJSetPreallocation(s->A, 2 * p->dims + 1, NULL));
  PetscCall(MatMPIAIJSetPreallocation(s->A, 2 * p->dims + 1, NULL, 2 * p->dims, NULL));
  if (p->convection == 0) PetscCall(MatSetOption(s->A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(FillMatrix(p, 0.001, s->A));
  PetscCall(MatCreateVecs(s->A, &s->x, &s->b));
  PetscCall(VecDuplicate(s->x, &s->scale));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &s->ksp));
  PetscCall(KSPSetOptionsPrefix(s->ksp, s->prefix));
  PetscCall(KSPSetOperators(s->ksp, s->A, s->A));
  PetscCall(KSPSetTolerances(s->ksp, 1e-8, 1e-50, 1e5, 1000));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscCall(KSPGetPC(s->ksp, &s->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(Side* s) {
  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(MatDestroy(&s->A));
  PetscCall(VecDestroy(&s->b));
  PetscCall(VecDestroy(&s->x));
  PetscCall(VecDestroy(&s->scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Returns the factor, or that of this rank's first block. */
static PetscErrorCode FirstFactor(PC pc, Mat* F) {
  PetscBool bjacobi, assembled;
  KSP* blocks = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCBJACOBI, &bjacobi));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCASM, &assembled));
  if (bjacobi) PetscCall(PCBJacobiGetSubKSP(pc, NULL, NULL, &blocks));
  if (assembled) PetscCall(PCASMGetSubKSP(pc, NULL, NULL, &blocks));
  if (blocks) PetscCall(KSPGetPC(blocks[0], &pc));
  PetscCall(PCFactorGetMatrix(pc, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterations(const char* what, Side sides[2], PetscBool transposed) {
  PetscInt its[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; ++k) {
    KSPConvergedReason reason;
    PetscCall(FillVec(sides[k].b, 1, PETSC_FALSE));
    PetscCall((transposed ? KSPSolveTranspose : KSPSolve)(sides[k].ksp, sides[k].b, sides[k].x));
    PetscCall(KSPGetIterationNumber(sides[k].ksp, &its[k]));
    PetscCall(KSPGetConvergedReason(sides[k].ksp, &reason));
    if (reason <= 0) {
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "FAILED %s with prefix '%s' did not converge: %s\n", what,
                            sides[k].prefix, KSPConvergedReasons[reason]));
      ++failures;
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "iterations %s %" PetscInt_FMT " reference %" PetscInt_FMT "\n", what, its[0],
                        its[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compares rows as test_matrix_types.cxx does: substitution errs by c u (|T^-1|) |b| in each row, and for an M-matrix
   |T^-1| |b| is the reference's solution for |b|. */
static PetscErrorCode CompareRows(const char* what, Vec ours, Vec expected, Vec scale, PetscBool show) {
  const PetscScalar *o, *e, *s;
  PetscInt begin, end, row = -1;
  PetscReal worst = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(expected, &begin, &end));
  PetscCall(VecGetArrayRead(ours, &o));
  PetscCall(VecGetArrayRead(expected, &e));
  PetscCall(VecGetArrayRead(scale, &s));
  for (PetscInt i = 0; i < end - begin; ++i) {
    PetscReal ratio = PetscAbsScalar(o[i] - e[i]) / (tolerance * PetscAbsScalar(s[i]));
    if (!(ratio <= worst)) worst = ratio, row = begin + i;
  }
  PetscCall(VecRestoreArrayRead(ours, &o));
  PetscCall(VecRestoreArrayRead(expected, &e));
  PetscCall(VecRestoreArrayRead(scale, &s));
  if (!(worst <= 1)) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "FAILED %s: row %" PetscInt_FMT " is off by %g times what is allowed\n",
                          what, row, (double)worst));
    ++failures;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  if (show) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "rows %s %.1e of what is allowed\n", what, (double)worst));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply(const char* what, Side sides[2], PetscBool transposed) {
  PetscErrorCode (*apply)(PC, Vec, Vec) = transposed ? PCApplyTranspose : PCApply;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; ++k) {
    PetscCall(FillVec(sides[k].b, 2, PETSC_FALSE));
    PetscCall(VecSet(sides[k].x, NAN)); /* output only */
    PetscCall(apply(sides[k].pc, sides[k].b, sides[k].x));
  }
  PetscCall(FillVec(sides[1].b, 2, PETSC_TRUE));
  PetscCall(apply(sides[1].pc, sides[1].b, sides[1].scale));
  PetscCall(CompareRows(what, sides[0].x, sides[1].x, sides[1].scale, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Applies several columns at once, on one rank, and compares each with the reference. */
static PetscErrorCode ApplyColumns(Side sides[2], PetscInt columns, PetscBool transposed) {
  Mat F, B, X;
  Vec v;
  VecType type;

  PetscFunctionBeginUser;
  PetscCall(FirstFactor(sides[0].pc, &F));
  PetscCall(VecGetType(sides[0].x, &type));
  for (int k = 0; k < 2; ++k) {
    PetscInt n;
    PetscCall(VecGetLocalSize(sides[0].x, &n));
    PetscCall(
        MatCreateDenseFromVecType(PETSC_COMM_SELF, type, n, columns, n, columns, PETSC_DEFAULT, NULL, k ? &X : &B));
    PetscCall(MatAssemblyBegin(k ? X : B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(k ? X : B, MAT_FINAL_ASSEMBLY));
  }
  for (PetscInt c = 0; c < columns; ++c) {
    PetscCall(MatDenseGetColumnVecWrite(B, c, &v));
    PetscCall(FillVec(v, 10 + c, PETSC_FALSE));
    PetscCall(MatDenseRestoreColumnVecWrite(B, c, &v));
  }
  PetscCall((transposed ? MatMatSolveTranspose : MatMatSolve)(F, B, X));
  PetscCall(FirstFactor(sides[1].pc, &F));
  for (PetscInt c = 0; c < columns; ++c) {
    char name[64];
    PetscErrorCode (*solve)(Mat, Vec, Vec) = transposed ? MatSolveTranspose : MatSolve;
    PetscCall(FillVec(sides[1].b, 10 + c, PETSC_FALSE));
    PetscCall(solve(F, sides[1].b, sides[1].x));
    PetscCall(FillVec(sides[1].b, 10 + c, PETSC_TRUE));
    PetscCall(solve(F, sides[1].b, sides[1].scale));
    PetscCall(PetscSNPrintf(name, sizeof name, "%s column %d of %d",
                            transposed ? "MatMatSolveTranspose" : "MatMatSolve", (int)c + 1, (int)columns));
    PetscCall(MatDenseGetColumnVecRead(X, c, &v));
    PetscCall(CompareRows(name, v, sides[1].x, sides[1].scale, (PetscBool)(c == 0)));
    PetscCall(MatDenseRestoreColumnVecRead(X, c, &v));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checks where the plugin's factor runs, and that nothing was analyzed twice; sets the tolerance to 4 levels (k + 2) u
   for rows of k < 30 entries. */
static PetscErrorCode LookAtFactor(Side* ours, PetscInt rounds) {
  Mat F;
  MatSpTRSVInfo info;

  PetscFunctionBeginUser;
  PetscCall(FirstFactor(ours->pc, &F));
  PetscCall(MatSpTRSVGetInfo(F, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "backend %s algorithms %s %s levels %d %d\n", info.backend,
                        info.algorithm_lower, info.algorithm_upper, (int)info.levels_lower, (int)info.levels_upper));
  if (info.num_analysis != 1 || info.num_numeric != rounds) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "FAILED %d analyses and %d numeric updates instead of 1 and %d\n",
                          (int)info.num_analysis, (int)info.num_numeric, (int)rounds));
    ++failures;
  }
  tolerance = 4 * (PetscReal)(info.levels_lower + info.levels_upper) * 32 * PETSC_MACHINE_EPSILON / 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes all comparisons with a factor of the plugin, after a first solve. */
static PetscErrorCode AllRows(Side sides[2], PetscInt round, PetscBool transposes) {
  PetscMPIInt ranks;
  PetscInt rows, n;
  Mat F;

  PetscFunctionBeginUser;
  PetscCall(LookAtFactor(&sides[0], round));
  PetscCall(Apply("PCApply", sides, PETSC_FALSE));
  if (transposes) PetscCall(Apply("PCApplyTranspose", sides, PETSC_TRUE));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FirstFactor(sides[0].pc, &F));
  PetscCall(MatGetSize(F, &rows, NULL));
  PetscCall(VecGetSize(sides[0].x, &n));
  if (rows < n) PetscFunctionReturn(PETSC_SUCCESS); /* factor of one of several blocks */
  PetscCall(ApplyColumns(sides, 1, PETSC_FALSE));
  PetscCall(ApplyColumns(sides, 5, PETSC_FALSE));
  PetscCall(ApplyColumns(sides, 3, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Round(PetscInt round, const Problem* p, Side sides[2]) {
  PetscBool transposes = PETSC_TRUE;

  PetscFunctionBeginUser;
  if (round > 1)
    for (int k = 0; k < 2; ++k) PetscCall(FillMatrix(p, 0.001 + 0.1 * (PetscReal)round, sides[k].A));
  PetscCall(Iterations("solve", sides, PETSC_FALSE));
  for (int k = 0; k < 2; ++k) {
    PetscBool exists;
    PetscCall(PCApplyTransposeExists(sides[k].pc, &exists));
    transposes = (PetscBool)(transposes && exists);
  }
  if (!only_iterations) PetscCall(AllRows(sides, round, transposes));
  if (transposes) PetscCall(Iterations("transpose", sides, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a context of the program's own the current one; its options have the prefix own_. */
static PetscErrorCode EnterContext(PetscDeviceContext* context) {
  PetscFunctionBeginUser;
  PetscCall(PetscDeviceContextCreate(context));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)*context, "own_"));
  PetscCall(PetscDeviceContextSetFromOptions(PETSC_COMM_SELF, *context));
  PetscCall(PetscDeviceContextSetUp(*context));
  PetscCall(PetscDeviceContextSetCurrentContext(*context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char** argv) {
  Side sides[2] = {{"", NULL, NULL, NULL, NULL, NULL, NULL}, {"ref_", NULL, NULL, NULL, NULL, NULL, NULL}};
  Problem p = {2, 150, 0, 0.3};
  PetscBool own_context = PETSC_FALSE;
  PetscDeviceContext context = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dims", &p.dims, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-side", &p.side, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-convection", &p.convection, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-only_iterations", &only_iterations, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-own_context", &own_context, NULL));
  p.n = p.side * p.side * (p.dims == 3 ? p.side : 1);
  for (int k = 0; k < 2; ++k) PetscCall(Create(&p, &sides[k]));
  if (own_context) PetscCall(EnterContext(&context));
  for (PetscInt round = 1; round <= 2; ++round) {
    PetscCall(Round(round, &p, sides));
    if (!context) continue;
    PetscCall(PetscDeviceContextSetCurrentContext(NULL));
    PetscCall(PetscDeviceContextDestroy(&context));
  }
  for (int k = 0; k < 2; ++k) PetscCall(Destroy(&sides[k]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, failures ? "%d failures\n" : "all rows agree\n", failures));
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
