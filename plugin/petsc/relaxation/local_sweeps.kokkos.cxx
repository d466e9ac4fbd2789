// SPDX-License-Identifier: Apache-2.0
// Sweeps of MatSOR() with one rank's matrix: analysis, values, sweeps.
#include "relaxation/local_sweeps.hpp"

#include <algorithm>
#include <climits>
#include <vector>

#include "access/vec_access.hpp"
#include "kokkos/guarded.hpp"

namespace sptrsv_petsc {
namespace {

/// Tells whether PETSc sweeps by inodes: over blocks of rows with equal columns.
PetscErrorCode SweepsByInodes(Mat A, LocalSweeps const& s, PetscReal omega, PetscReal shift, bool* by_inodes)
{
  PetscInt num_inodes = 0;
  PetscBool has_inodes;

  PetscFunctionBegin;
  *by_inodes = false;
  if (omega != 1 || shift != 0 || !s.key.choice.ordering.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &has_inodes, MATSEQAIJ, MATSEQAIJKOKKOS, MATSEQAIJPERM,
                                      MATSEQAIJCRL, ""));
  if (has_inodes) PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));
  *by_inodes = num_inodes > 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode FindFallbackReason(Mat A, LocalSweeps const& s, PetscReal omega, PetscReal shift, MatSORType flag,
                                  char const** why)
{
  int const sweeps = SOR_SYMMETRIC_SWEEP | SOR_LOCAL_SYMMETRIC_SWEEP | SOR_EISENSTAT | SOR_APPLY_UPPER;
  bool by_inodes = false;

  PetscFunctionBegin;
  *why = nullptr;
  if (s.key.by == SweptBy::eisenstat) PetscCall(SweepsByInodes(A, s, omega, shift, &by_inodes));
  // PCApply() of eisenstat multiplies by diagonal blocks that only PETSc's sweeps over inodes make
  if (by_inodes) *why = "PETSc's eisenstat of a matrix with inodes needs data of its own sweeps";
  else if (s.key.choice.off) *why = "asked for";
  else if (s.key.type != ((PetscObject)A)->type_name) *why = "the matrix has changed its type since the PC's set-up";
  else if (!(flag & sweeps) || (flag & SOR_APPLY_LOWER) || ((flag & SOR_APPLY_UPPER) && flag != SOR_APPLY_UPPER))
    *why = "sptrsv has no such sweep";
  else if (flag == SOR_APPLY_UPPER && omega == 1 && shift < 0) *why = "sptrsv has no such product";
  else if (PetscAbsReal(omega) < 1 / PETSC_MAX_REAL) *why = "sptrsv divides by omega, and 1 / omega overflows";
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace {

/// Finds the first row of each row's inode. As in PETSc, an inode is a run of rows with equal columns, up to PETSc's
/// limit. Does not use the sizes of MatInodeGetInodeSizes(), which in some versions of PETSc are offsets.
PetscErrorCode FindInodes(Mat A, std::vector<PetscInt>* first)
{
  PetscInt limit = 1;
  PatternAccess m;

  PetscFunctionBegin;
  PetscCall(MatInodeGetInodeSizes(A, NULL, NULL, &limit));
  PetscCall(m.Get(A, false));
  PetscCall(Guarded(A, [&] {
    PetscInt const *const i = m.row_ptr, *const j = m.col_idx;
    first->assign(static_cast<std::size_t>(m.n), 0);
    PetscInt f = 0;
    for (PetscInt row = 0; row < m.n; ++row) {
      bool const joins = row > 0 && row - f < limit && i[row + 1] - i[row] == i[f + 1] - i[f] &&
                         std::equal(j + i[row], j + i[row + 1], j + i[f]);
      if (!joins) f = row;
      (*first)[static_cast<std::size_t>(row)] = f;
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyzes A's pattern. If sweeps with A are impossible, s.sweeps stays null, and `wrong` says why.
PetscErrorCode Analyze(Mat A, LocalSweeps& s, std::string* wrong)
{
  IS rows = nullptr, cols = nullptr;
  SweptRowArrays swept;
  std::vector<PetscInt> first;
  Stream stream;
  PatternAccess arrays;

  PetscFunctionBegin;
  s.sweeps.reset();
  s.has_values = false;
  if (!s.key.choice.ordering.empty()) {
    PetscCall(MatGetOrdering(A, s.key.choice.ordering.c_str(), &rows, &cols));
    PetscCheck(rows, PETSC_COMM_SELF, PETSC_ERR_SUP, "Ordering '%s' of -pc_sor_ordering orders no rows; choose another",
               s.key.choice.ordering.c_str());
    PetscCall(ISGetIndices(rows, &swept.order));
  }
  if (s.by_blocks) {
    PetscCall(FindInodes(A, &first));
    swept.block_first = first.data();
  }
  PetscCall(CurrentStream(s.key.backend.kokkos, &stream));
  PetscCall(arrays.Get(A, s.key.backend.device));
  PetscErrorCode const code = Guarded(A, [&] {
    try {
      s.sweeps = MakeSweeps(s.key.backend.device, stream, s.key.choice.algorithm, arrays, swept, s.key.choice.options);
    } catch (sptrsv::InvalidPattern const& error) {
      *wrong = error.what();
    }
  });
  if (swept.order) PetscCall(ISRestoreIndices(rows, &swept.order));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  PetscCall(code);
  s.num_analysis += s.sweeps != nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Treats a zero on the diagonal, or a singular block, as PETSc does.
PetscErrorCode ReportZero(Mat A, LocalSweeps const& s, long long row, PetscReal shift)
{
  PetscFunctionBegin;
  if (s.by_blocks)
    PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT, "Zero pivot on row %lld", row);
  else PetscCheck(shift != 0, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "Zero diagonal on row %lld", row);
  PetscCall(PetscInfo(A, "Zero pivot, row %lld\n", row));
  A->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
  A->factorerror_zeropivot_value = 0.0;
  A->factorerror_zeropivot_row = (PetscInt)row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Takes A's values. Sets `zero` to the first row with a zero on the diagonal or of a singular block, or to -1.
PetscErrorCode Update(Mat A, LocalSweeps& s, PetscReal omega, PetscReal shift, long long* zero)
{
  bool const plain = omega == 1 && shift <= 0;  // as in PETSc, which then ignores the shift
  double const zero_pivot = 100 * PETSC_MACHINE_EPSILON * (1 - PETSC_MACHINE_EPSILON);  // PETSc's value for inodes
  sptrsv::Relaxation const relaxation{(double)omega, plain ? 0.0 : (double)shift, zero_pivot};
  ValueAccess values;

  PetscFunctionBegin;
  s.has_values = false;
  PetscCall(values.Get(A, s.key.backend.device, s.stamp.entries));
  PetscCall(Guarded(A, [&] { *zero = s.sweeps->update(values, relaxation); }));
  if (!plain) *zero = -1;
  PetscCall(PetscObjectStateGet((PetscObject)A, &s.state));
  s.omega = omega;
  s.shift = shift;
  ++s.num_numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode RefreshSweeps(Mat A, LocalSweeps& s, PetscReal omega, PetscReal shift, bool set_up)
{
  std::string wrong;
  long long zero = -1;
  PetscObjectState state;
  PatternStamp stamp;
  bool by_blocks;
  LoggedEvent analysis(events.analysis, (PetscObject)A), numeric(events.numeric, (PetscObject)A);

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  bool const same_values = s.has_values && state == s.state;
  if (same_values && omega == s.omega && shift == s.shift) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SweepsByInodes(A, s, omega, shift, &by_blocks));
  if (!same_values || by_blocks != s.by_blocks) {
    PetscCall(StampPattern(A, s.key.backend.device, &stamp));
    if (!s.sweeps || !(stamp == s.stamp) || by_blocks != s.by_blocks) {
      s.by_blocks = by_blocks;
      PetscCall(analysis.Begin());
      PetscCall(Analyze(A, s, &wrong));
      analysis.End();
      if (!s.sweeps && set_up) PetscFunctionReturn(PETSC_SUCCESS);
      PetscCheck(s.sweeps, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "MatSOR() by sptrsv: %s", wrong.c_str());
      s.stamp = stamp;
      s.entries = (PetscLogDouble)stamp.entries;
      s.exact = sptrsv::solves_exactly(s.key.choice.algorithm);
    }
  }
  PetscCall(numeric.Begin());
  PetscCall(Update(A, s, omega, shift, &zero));
  numeric.End();
  s.has_values = zero < 0;
  if (zero < 0 || set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReportZero(A, s, zero, shift));
  s.has_values = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunSweeps(Mat A, LocalSweeps& s, Vec b, MatSORType flag, PetscInt its, PetscInt lits, Vec x)
{
  bool const forward = flag & (SOR_FORWARD_SWEEP | SOR_LOCAL_FORWARD_SWEEP);
  bool const backward = flag & (SOR_BACKWARD_SWEEP | SOR_LOCAL_BACKWARD_SWEEP);
  bool const product = flag == SOR_APPLY_UPPER, eisenstat = !product && (flag & SOR_EISENSTAT);
  bool const zero_guess = product || eisenstat || (flag & SOR_ZERO_INITIAL_GUESS);
  auto const kind = forward && backward ? sptrsv::Sweep::symmetric
                    : forward           ? sptrsv::Sweep::forward
                                        : sptrsv::Sweep::backward;
  int const directions = forward && backward ? 2 : 1;
  VectorAccess v;

  PetscFunctionBegin;
  if (s.by_blocks) lits = 1;  // PETSc's sweeps by inodes ignore lits
  PetscCheck(its <= INT_MAX / lits, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " times %" PetscInt_FMT " sweeps; give at most %d in all", its, lits, INT_MAX);
  int const times = (int)(its * lits);
  PetscLogDouble const rows = A->rmap->n, solves = (PetscLogDouble)times * directions;
  // number of products with a triangle
  PetscLogDouble const products = !s.exact          ? 2 * (solves - zero_guess)
                                  : directions == 2 ? (times > 0 && !zero_guess)
                                                    : times - zero_guess;
  PetscLogDouble const of_solve = s.entries * (PetscLogDouble)s.sweeps->num_passes() + (s.exact ? 0 : rows);
  PetscLogDouble const flops = product     ? s.entries
                               : eisenstat ? 2 * s.entries + 6 * rows
                                           : solves * of_solve + products * s.entries;
  PetscCall(v.Get(s.key.backend.device, b, x, !zero_guess));
  PetscCall(LoggedSolve((PetscObject)A, *s.sweeps, v, flops, [&](auto from, auto to) {
    if (product) s.sweeps->apply_upper(from, to);
    else if (eisenstat) s.sweeps->eisenstat(from, to);
    else s.sweeps->sweep(kind, from, to, zero_guess, times);
  }));
  ++s.num_solves;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
