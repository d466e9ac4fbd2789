// SPDX-License-Identifier: Apache-2.0
// Makes matrices and factors, and compares rows, for the tests of the plugin's factors.
#include "factor_pair.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace petsc_test {
namespace {

/// Returns a number in [-1, 1] that depends only on the arguments.
PetscReal RealNoise(PetscInt i, PetscInt j, unsigned seed) {
  unsigned h = 2166136261u ^ seed;
  for (unsigned part : {(unsigned)i, (unsigned)j, seed}) h = (h ^ part) * 16777619u, h ^= h >> 13;
  return (PetscReal)(h % 20001) / 10000 - 1;
}

PetscScalar Noise(PetscInt i, PetscInt j, unsigned seed) {
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(RealNoise(i, j, seed), RealNoise(i, j, seed + 1000));
#else
  return RealNoise(i, j, seed);
#endif
}

bool Neighbors(Grid const& g, PetscInt p, PetscInt q) {
  PetscInt const dx = std::abs(p % g.side - q % g.side), dy = std::abs(p / g.side - q / g.side);
  if (dx + dy > 1) return false;
  // unsymmetric pattern, except for inodes, which need equal rows
  return g.symmetric || g.dof > 1 || p <= q || (p + q) % 5 != 0;
}

/// Returns what view(viewer) prints. Collective.
template <class View>
std::string Printed(PetscObject object, View const& view) {
  char* buffer = nullptr;
  std::size_t size = 0;
  PetscViewer viewer;
  FILE* file = open_memstream(&buffer, &size);
  MPI_Comm const comm = PetscObjectComm(object);
  EXPECT_EQ((int)PetscViewerASCIIOpenWithFILE(comm, file, &viewer), 0);
  EXPECT_EQ((int)view(viewer), 0);
  EXPECT_EQ((int)PetscViewerDestroy(&viewer), 0);
  std::fclose(file);
  std::string text(buffer, size);
  std::free(buffer);
  int length = (int)size;  // the first rank has written everything
  EXPECT_EQ(MPI_Bcast(&length, 1, MPI_INT, 0, comm), 0);
  text.resize((std::size_t)length);
  EXPECT_EQ(MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm), 0);
  return text;
}

}  // namespace

std::vector<Variant> const& all_variants() {
  static std::vector<Variant> const all = {{"sequential", "sequential"},
                                           {"levelset", "levelset"},
                                           {"levelset_unchained", "levelset", "levelset_wide_rows", "1"},
                                           {"syncfree", "syncfree"},
                                           {"syncfree_csc", "syncfree", "syncfree_form", "csc"},
                                           {"threadlevel", "threadlevel"},
                                           {"threadlevel_two_phase", "threadlevel", "threadlevel_form", "two_phase"},
                                           {"fused", "fused"},
                                           {"tiled", "tiled"},
                                           {"blocked", "blocked"},
                                           {"colorset", "colorset"},
                                           {"colorset_cpls", "colorset", "colorset_form", "cpls"},
                                           {"sptrsv", "sptrsv"}};
  return all;
}

PetscErrorCode Assemble(Mat A) {
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

PetscErrorCode SetGridValues(Grid const& g, Mat A) {
  PetscInt const nodes = g.side * g.side;
  for (PetscInt row = 0; row < nodes * g.dof; ++row) {
    PetscReal sum = 0;
    for (PetscInt q = 0; q < nodes; ++q) {
      if (!Neighbors(g, row / g.dof, q)) continue;
      for (PetscInt col = q * g.dof; col < (q + 1) * g.dof; ++col) {
        if (col == row) continue;
        PetscScalar v = g.symmetric ? Noise(PetscMin(row, col), PetscMax(row, col), g.seed) : Noise(row, col, g.seed);
        sum += PetscAbsScalar(v);
        if (g.comparison) v = -PetscAbsScalar(v);
        PetscCall(MatSetValue(A, row, col, v, INSERT_VALUES));
      }
    }
    PetscCall(MatSetValue(A, row, row, 0.1 + 1.05 * sum, INSERT_VALUES));
  }
  return Assemble(A);
}

PetscErrorCode BuildGrid(Grid const& g, Mat* A) {
  PetscInt const n = g.side * g.side * g.dof;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetBlockSize(*A, g.dof));
  PetscCall(MatSetType(*A, g.type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5 * g.dof, NULL));
  PetscCall(MatSeqBAIJSetPreallocation(*A, g.dof, 5, NULL));
  PetscCall(MatSeqSBAIJSetPreallocation(*A, g.dof, 5, NULL));
  if (std::string(g.type) == MATSEQSBAIJ) PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  PetscCall(SetGridValues(g, *A));
  if (g.symmetric) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  return PETSC_SUCCESS;
}

PetscErrorCode BuildBand(PetscInt n, PetscScalar (*diagonal)(PetscInt), bool symmetric, Mat* A) {
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 7, NULL, A));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(MatSetValue(*A, i, i, diagonal(i), INSERT_VALUES));
    for (PetscInt distance : {1, 9}) {
      if (i + distance >= n) continue;
      PetscScalar const v = distance == 1 ? -1 : 0.4;
      PetscCall(MatSetValue(*A, i, i + distance, v, INSERT_VALUES));
      PetscCall(MatSetValue(*A, i + distance, i, symmetric ? v : 0.7 * v, INSERT_VALUES));
    }
  }
  PetscCall(Assemble(*A));
  if (symmetric) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  return PETSC_SUCCESS;
}

Factor::~Factor() { EXPECT_EQ((int)DestroyAll(&F_, &rows_, &cols_), 0); }

PetscErrorCode Factor::Make(Mat A, char const* type, char const* prefix, MatFactorType ftype) {
  own_ = std::string(type) == MATSOLVERPETSC;
  PetscCall(MatDestroy(&F_));
  PetscCall(MatGetFactor(A, type, ftype, &F_));
  if (prefix) PetscCall(MatSetOptionsPrefix(F_, prefix));
  return PETSC_SUCCESS;
}

PetscErrorCode Factor::Symbolic(Mat A, char const* type, char const* prefix, Factoring const& setup) {
  PetscCall(Make(A, type, prefix, setup.ftype));
  return Symbolic(A, setup);
}

PetscErrorCode Factor::Symbolic(Mat A, Factoring const& setup) {
  setup_ = setup;
  PetscCall(DestroyAll(&rows_, &cols_));
  if (setup.row_perm.empty()) {
    PetscCall(MatGetOrdering(A, setup_.ordering, &rows_, &cols_));
  } else {
    auto const n = (PetscInt)setup.row_perm.size();
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, setup.row_perm.data(), PETSC_COPY_VALUES, &rows_));
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, setup.col_perm.data(), PETSC_COPY_VALUES, &cols_));
    for (IS is : {rows_, cols_}) PetscCall(ISSetPermutation(is));
  }
  if (setup_.nonzero_diagonal_order) PetscCall(MatReorderForNonzeroDiagonal(A, 1e-10, rows_, cols_));
  PetscCall(MatFactorInfoInitialize(&info));
  info.levels = (PetscReal)setup_.levels + setup.part_of_level;
  info.diagonal_fill = setup.diagonal_fill;
  info.fill = 5;
  info.dtcol = 1e-6;
  info.zeropivot = setup.zero_pivot;
  info.shifttype = (PetscReal)setup_.shift;
  info.shiftamount = setup_.shift_amount;
  if (setup_.ftype == MAT_FACTOR_LU) PetscCall(MatLUFactorSymbolic(F_, A, rows_, cols_, &info));
  else if (setup_.ftype == MAT_FACTOR_ILU) PetscCall(MatILUFactorSymbolic(F_, A, rows_, cols_, &info));
  else if (setup_.ftype == MAT_FACTOR_CHOLESKY) PetscCall(MatCholeskyFactorSymbolic(F_, A, rows_, &info));
  else PetscCall(MatICCFactorSymbolic(F_, A, rows_, &info));
  return PETSC_SUCCESS;
}

PetscErrorCode Factor::Numeric(Mat A) {
  if (own_ && setup_.shift == MAT_SHIFT_POSITIVE_DEFINITE) {  // 3.26 crashes otherwise: docs/dev/petsc_faults.md
    Vec diagonal;
    PetscCall(MatCreateVecs(A, &diagonal, NULL));
    PetscCall(MatGetDiagonal(A, diagonal));
    PetscCall(VecDestroy(&diagonal));
  }
  if (setup_.symmetric()) PetscCall(MatCholeskyFactorNumeric(F_, A, &info));
  else PetscCall(MatLUFactorNumeric(F_, A, &info));
  return PETSC_SUCCESS;
}

PetscErrorCode GetPivotStatus(Mat F, PivotStatus* v) {
  PetscCall(MatFactorGetError(F, &v->error));
  return MatFactorGetErrorZeroPivot(F, &v->value, &v->row);
}

std::string MatTypeOfRun() {
  char type[64] = MATAIJ;
  (void)PetscOptionsGetString(NULL, NULL, "-run_mat_type", type, sizeof type, NULL);
  return type;
}

PetscErrorCode ExpectRows(std::string const& what, Vec expected, Vec actual, Vec scale, PetscReal tolerance) {
  PetscScalar const *e, *a, *s;
  PetscInt n;
  PetscCall(VecGetLocalSize(expected, &n));
  PetscCall(VecGetArrayRead(expected, &e));
  PetscCall(VecGetArrayRead(actual, &a));
  PetscCall(VecGetArrayRead(scale, &s));
  for (PetscInt i = 0; i < n; ++i) {
    bool const nan = PetscIsNanScalar(e[i]), same_nan = nan && PetscIsNanScalar(a[i]);
    // written so that a NaN on one side only, or in the scale, fails
    if (same_nan || PetscAbsScalar(a[i] - e[i]) <= tolerance * PetscAbsScalar(s[i])) continue;
    ADD_FAILURE() << what << ": row " << i << " of " << n << " is " << a[i] << ", PETSc's own " << e[i] << ", scale "
                  << s[i];
    break;
  }
  PetscCall(VecRestoreArrayRead(expected, &e));
  PetscCall(VecRestoreArrayRead(actual, &a));
  return VecRestoreArrayRead(scale, &s);
}

std::string ViewText(PC pc) {
  return Printed((PetscObject)pc, [&](PetscViewer viewer) { return PCView(pc, viewer); });
}

std::string ViewText(Mat F) {
  return Printed((PetscObject)F, [&](PetscViewer viewer) -> PetscErrorCode {
    PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
    PetscCall(MatView(F, viewer));
    return PetscViewerPopFormat(viewer);
  });
}

PetscErrorCode FillVec(Vec v, unsigned seed) {
  PetscScalar* a;
  PetscInt n;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayWrite(v, &a));
  for (PetscInt i = 0; i < n; ++i) a[i] = Noise(i, 77, seed);
  return VecRestoreArrayWrite(v, &a);
}

PetscErrorCode MakeDense(PetscInt n, PetscInt columns, PetscInt lda, Mat* B) {
  PetscCall(MatCreate(PETSC_COMM_SELF, B));
  PetscCall(MatSetSizes(*B, n, columns, n, columns));
  PetscCall(MatSetType(*B, MATSEQDENSE));
  PetscCall(MatDenseSetLDA(*B, lda));
  PetscCall(MatSeqDenseSetPreallocation(*B, NULL));
  return Assemble(*B);
}

PetscErrorCode KeepError(MPI_Comm, int, char const*, char const*, PetscErrorCode code, PetscErrorType kind,
                         char const* text, void* context) {
  auto* caught = static_cast<CaughtError*>(context);
  if (kind == PETSC_ERROR_INITIAL && !caught->code) {
    caught->code = code;
    caught->message = text ? text : "";
  }
  return code;
}

}  // namespace petsc_test
