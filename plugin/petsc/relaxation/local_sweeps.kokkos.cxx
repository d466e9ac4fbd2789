// SPDX-License-Identifier: Apache-2.0
// MatSOR() of one rank's matrix by sptrsv. The state is composed with the PC and, since MatSOR() does not know the PC,
// with the matrix while that PC is applied.
#include "relaxation/local_sweeps.hpp"

#include <algorithm>
#include <climits>
#include <memory>
#include <string>
#include <vector>

#include "access/matrix_arrays.hpp"
#include "access/vec_access.hpp"
#include "base/composed_state.hpp"
#include "base/events.hpp"
#include "base/petscs_operations.hpp"
#include "options/backend_choice.hpp"
#include "relaxation/sweep_options.hpp"
#include "solver/any_sweeps.hpp"
#include "solver/view_triangle.hpp"

namespace sptrsv_petsc {
namespace {

using SorFunction = PetscErrorCode (*)(Mat, Vec, PetscReal, MatSORType, PetscReal, PetscInt, PetscInt, Vec);

char const* const composed_name = "SpTRSVSweeps";

/// Sweeps with one matrix, and the options and values they are valid for.
struct LocalSweeps {
  SorFunction petscs = nullptr;  // PETSc's own MatSOR()
  SweepChoice choice;
  Backend backend;
  std::string type;               // type of the matrix for which the backend was chosen
  char const* refused = nullptr;  // why PETSc's own MatSOR() has to run for the PC; null: no reason
  std::string petscs_reason;      // why PETSc's own MatSOR() ran last; empty: ours ran, or none yet

  std::unique_ptr<AnySweeps> sweeps;  // null: to be analyzed
  bool by_blocks = false;             // whether the sweeps are by inodes
  PetscObjectId matrix = 0;           // the matrix that was analyzed
  PatternStamp stamp;
  PetscObjectState state = 0;  // object state of the values that were read
  bool has_values = false;
  PetscReal omega = 1, shift = 0;  // arguments of MatSOR() for which the values were read
  PetscLogDouble entries = 0;
  bool exact = true;  // whether the algorithm solves exactly
  PetscInt num_analysis = 0, num_numeric = 0, num_solves = 0;
};

/// Gets the sweeps that are composed with a PC or a matrix, or null.
PetscErrorCode Find(PetscObject object, LocalSweeps** s)
{
  PetscFunctionBegin;
  PetscCall(FindState(object, composed_name, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells whether PETSc sweeps by inodes: over blocks of rows with equal columns.
PetscErrorCode SweepsByInodes(Mat A, LocalSweeps const& s, PetscReal omega, PetscReal shift, bool* by_inodes)
{
  PetscInt num_inodes = 0;
  PetscBool has_inodes;

  PetscFunctionBegin;
  *by_inodes = false;
  if (omega != 1 || shift != 0 || !s.choice.ordering.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &has_inodes, MATSEQAIJ, MATSEQAIJKOKKOS, ""));
  if (has_inodes) PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));
  *by_inodes = num_inodes > 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells why PETSc's own MatSOR() has to run; null if sptrsv's can.
PetscErrorCode FindObstacle(Mat A, LocalSweeps const& s, PetscReal omega, PetscReal shift, MatSORType flag,
                            char const** why)
{
  int const sweeps = SOR_SYMMETRIC_SWEEP | SOR_LOCAL_SYMMETRIC_SWEEP | SOR_EISENSTAT | SOR_APPLY_UPPER;

  PetscFunctionBegin;
  *why = nullptr;
  if (s.refused) *why = s.refused;
  else if (s.choice.off) *why = "asked for";
  else if (!s.backend.device && !s.choice.asked) *why = "the vectors are on a host";
  else if (s.type != ((PetscObject)A)->type_name) *why = "the matrix has changed its type since the PC's set-up";
  else if (!(flag & sweeps) || (flag & SOR_APPLY_LOWER) || ((flag & SOR_APPLY_UPPER) && flag != SOR_APPLY_UPPER))
    *why = "sptrsv has no such sweep";
  else if (flag == SOR_APPLY_UPPER && omega == 1 && shift < 0) *why = "sptrsv has no such product";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds the first row of each row's inode as PETSc does: successive rows with equal columns, up to PETSc's limit.
/// MatInodeGetInodeSizes() gives sizes or offsets, depending on PETSc's version.
PetscErrorCode FindInodes(Mat A, std::vector<PetscInt>* first)
{
  PetscInt n, limit = 1;
  PetscInt const *i, *j;
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatInodeGetInodeSizes(A, NULL, NULL, &limit));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix, of type %s, does not show its pattern",
             ((PetscObject)A)->type_name);
  PetscErrorCode const code = Guarded(A, [&] {
    first->assign(static_cast<std::size_t>(n), 0);
    PetscInt f = 0;
    for (PetscInt row = 0; row < n; ++row) {
      bool const joins = row > 0 && row - f < limit && i[row + 1] - i[row] == i[f + 1] - i[f] &&
                         std::equal(j + i[row], j + i[row + 1], j + i[f]);
      if (!joins) f = row;
      (*first)[static_cast<std::size_t>(row)] = f;
    }
  });
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyzes A's pattern. Leaves s.sweeps null, and a text in `wrong`, where A has no sweeps.
PetscErrorCode Analyze(Mat A, LocalSweeps& s, std::string* wrong)
{
  IS rows = nullptr, cols = nullptr;
  SweptRowArrays swept;
  std::vector<PetscInt> first;
  Stream stream;

  PetscFunctionBegin;
  s.sweeps.reset();
  s.has_values = false;
  if (!s.choice.ordering.empty()) {
    PetscCall(MatGetOrdering(A, s.choice.ordering.c_str(), &rows, &cols));
    PetscCheck(rows, PETSC_COMM_SELF, PETSC_ERR_SUP, "Ordering '%s' of -pc_sor_ordering orders no rows; choose another",
               s.choice.ordering.c_str());
    PetscCall(ISGetIndices(rows, &swept.order));
  }
  if (s.by_blocks) {
    PetscCall(FindInodes(A, &first));
    swept.block_first = first.data();
  }
  PetscCall(CurrentStream(s.backend.kokkos, &stream));
  PetscErrorCode const code = WithMatrixPattern(A, s.backend.device, [&](MatrixArrays const& arrays) {
    return Guarded(A, [&] {
      try {
        s.sweeps = MakeSweeps(s.backend.device, stream, s.choice.algorithm, arrays, swept, s.choice.options);
      } catch (sptrsv::InvalidPattern const& error) {
        *wrong = error.what();
      }
    });
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

/// Takes A's values. Gives the first row with a zero on the diagonal, or the first row of a singular block, or -1.
PetscErrorCode Update(Mat A, LocalSweeps& s, PetscReal omega, PetscReal shift, long long* zero)
{
  bool const plain = omega == 1 && shift <= 0;  // PETSc then leaves out the shift
  double const zero_pivot = 100 * PETSC_MACHINE_EPSILON * (1 - PETSC_MACHINE_EPSILON);  // PETSc's, by inodes

  PetscFunctionBegin;
  s.has_values = false;
  PetscCall(WithMatrixValues(A, s.backend.device, s.stamp.entries, [&](MatrixValues const& values) {
    sptrsv::Relaxation const relaxation{(double)omega, plain ? 0.0 : (double)shift, zero_pivot};
    return Guarded(A, [&] { *zero = s.sweeps->update(values, relaxation); });
  }));
  if (!plain) *zero = -1;
  PetscCall(PetscObjectStateGet((PetscObject)A, &s.state));
  s.omega = omega;
  s.shift = shift;
  ++s.num_numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyzes A if its pattern is new, and takes its values if they, omega or the shift have changed. A set-up reports no
/// errors of the pattern or the values: both may change before MatSOR().
PetscErrorCode Refresh(Mat A, LocalSweeps& s, PetscReal omega, PetscReal shift, bool set_up)
{
  std::string wrong;
  long long zero = -1;
  PetscObjectState state;
  PetscObjectId id;
  PatternStamp stamp;
  bool by_blocks;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  bool const same_values = s.has_values && id == s.matrix && state == s.state;
  if (same_values && omega == s.omega && shift == s.shift) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SweepsByInodes(A, s, omega, shift, &by_blocks));
  if (!same_values || by_blocks != s.by_blocks) {
    PetscCall(StampPattern(A, s.backend.device, &stamp));
    if (!s.sweeps || id != s.matrix || !(stamp == s.stamp) || by_blocks != s.by_blocks) {
      s.by_blocks = by_blocks;
      s.matrix = id;
      PetscCall(Logged(events.analysis, (PetscObject)A, [&] { return Analyze(A, s, &wrong); }));
      if (!s.sweeps && set_up) PetscFunctionReturn(PETSC_SUCCESS);
      PetscCheck(s.sweeps, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "MatSOR() by sptrsv: %s", wrong.c_str());
      s.stamp = stamp;
      s.entries = (PetscLogDouble)stamp.entries;
      s.exact = sptrsv::solves_exactly(s.choice.algorithm);
    }
  }
  PetscCall(Logged(events.numeric, (PetscObject)A, [&] { return Update(A, s, omega, shift, &zero); }));
  s.has_values = zero < 0;
  if (zero < 0 || set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReportZero(A, s, zero, shift));
  s.has_values = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs one MatSOR() by sptrsv.
PetscErrorCode Run(Mat A, LocalSweeps& s, Vec b, MatSORType flag, PetscInt its, PetscInt lits, Vec x)
{
  bool const forward = flag & (SOR_FORWARD_SWEEP | SOR_LOCAL_FORWARD_SWEEP);
  bool const backward = flag & (SOR_BACKWARD_SWEEP | SOR_LOCAL_BACKWARD_SWEEP);
  bool const product = flag == SOR_APPLY_UPPER, eisenstat = !product && (flag & SOR_EISENSTAT);
  bool const zero_guess = product || eisenstat || (flag & SOR_ZERO_INITIAL_GUESS);
  auto const kind = forward && backward ? sptrsv::Sweep::symmetric
                    : forward           ? sptrsv::Sweep::forward
                                        : sptrsv::Sweep::backward;
  int const directions = forward && backward ? 2 : 1;

  PetscFunctionBegin;
  if (s.by_blocks) lits = 1;  // PETSc's sweeps by inodes leave them out
  PetscCheck(its <= INT_MAX / lits, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " times %" PetscInt_FMT " sweeps; give at most %d in all", its, lits, INT_MAX);
  int const times = (int)(its * lits);
  PetscLogDouble const rows = A->rmap->n, solves = (PetscLogDouble)times * directions;
  // products with a triangle
  PetscLogDouble const products = !s.exact          ? 2 * (solves - zero_guess)
                                  : directions == 2 ? (times > 0 && !zero_guess)
                                                    : times - zero_guess;
  PetscLogDouble const of_solve = s.entries * (PetscLogDouble)s.sweeps->num_passes() + (s.exact ? 0 : rows);
  PetscLogDouble const flops = product     ? s.entries
                               : eisenstat ? 2 * s.entries + 6 * rows
                                           : solves * of_solve + products * s.entries;
  PetscCall(WithVecs(s.backend.device, b, x, !zero_guess, [&](Operands const& operands) {
    return Logged(events.solve, (PetscObject)A, [&] {
      return SolveAt((PetscObject)A, *s.sweeps, operands, flops, [&](auto from, auto to) {
        if (product) s.sweeps->apply_upper(from, to);
        else if (eisenstat) s.sweeps->eisenstat(from, to);
        else s.sweeps->sweep(kind, from, to, zero_guess, times);
      });
    });
  }));
  ++s.num_solves;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets PETSc's own MatSOR() of A's type.
PetscErrorCode FindPetscs(Mat A, SorFunction* petscs)
{
  _MatOps operations{};

  PetscFunctionBegin;
  PetscCall(GetPetscsOperations(A, &operations));
  *petscs = operations.sor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSOR_SPTRSV(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its,
                             PetscInt lits, Vec x)
{
  LocalSweeps* s;
  char const* why;

  PetscFunctionBegin;
  PetscCall(Find((PetscObject)A, &s));
  if (!s) {  // MatAXPY(), MatCopy() and others may keep A's functions, but not what is composed with it
    SorFunction petscs;
    PetscCall(FindPetscs(A, &petscs));
    A->ops->sor = petscs;
    PetscCall(MatSOR(A, b, omega, flag, shift, its, lits, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FindObstacle(A, *s, omega, shift, flag, &why));
  PetscCall(Guarded(A, [&] { s->petscs_reason = why ? why : ""; }));
  if (why) {
    PetscScalar const* values;
    // its sweeps by inodes read the host's values without bringing them up to date
    PetscCall(MatSeqAIJGetArrayRead(A, &values));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
    PetscCall(s->petscs(A, b, omega, flag, shift, its, lits, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Refresh(A, *s, omega, shift, false));
  PetscCall(Run(A, *s, b, flag, its, lits, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode SelectSweeps(PC pc, Mat A)
{
  PetscObject of_pc, of_matrix;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)pc, composed_name, &of_pc));
  PetscCall(PetscObjectQuery((PetscObject)A, composed_name, &of_matrix));
  if (of_pc == of_matrix) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectCompose((PetscObject)A, composed_name, of_pc));
  if (of_pc) A->ops->sor = MatSOR_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UseSweeps(PC pc, Mat A, PetscReal omega, bool by_inodes_too)
{
  LocalSweeps *s, *of_matrix;
  std::unique_ptr<LocalSweeps> added;
  SorFunction petscs = nullptr;
  PetscObject container;
  PetscObjectId id;
  SweepChoice choice;
  Backend backend;

  PetscFunctionBegin;
  PetscCall(ReadSweepOptions(pc, choice));
  // before the solve, since PETSc's eisenstat leaves b changed after an error
  PetscCheck(by_inodes_too || choice.off || sptrsv::solves_exactly(choice.algorithm), PetscObjectComm((PetscObject)pc),
             PETSC_ERR_SUP, "-%spc_sor_sptrsv %s: Eisenstat's form needs exact solves; choose another type, or off",
             ((PetscObject)pc)->prefix ? ((PetscObject)pc)->prefix : "", choice.algorithm.c_str());
  PetscCall(ChooseBackend((PetscObject)pc, A, backend));
  PetscCall(Find((PetscObject)pc, &s));
  PetscCall(Find((PetscObject)A, &of_matrix));
  if (!s && !of_matrix && !backend.device && !choice.asked) PetscFunctionReturn(PETSC_SUCCESS);
  if (of_matrix && A->ops->sor == MatSOR_SPTRSV) petscs = of_matrix->petscs;
  else PetscCall(FindPetscs(A, &petscs));
  if (A->ops->sor != MatSOR_SPTRSV && A->ops->sor != petscs) PetscFunctionReturn(PETSC_SUCCESS);  // a program's own
  PetscCall(EnsureKokkos());
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  auto const serves = [&](LocalSweeps const* sweeps) {
    return sweeps && sweeps->matrix == id && sweeps->choice == choice && sweeps->backend.device == backend.device &&
           sweeps->backend.kokkos == backend.kokkos;
  };
  if (!serves(s) && serves(of_matrix)) {
    PetscCall(PetscObjectQuery((PetscObject)A, composed_name, &container));
    PetscCall(PetscObjectCompose((PetscObject)pc, composed_name, container));
    s = of_matrix;
  } else if (!serves(s)) {
    PetscCall(Guarded(A, [&] {
      added = std::make_unique<LocalSweeps>();
      added->choice = choice;
      added->backend = backend;
    }));
    s = added.get();
    s->matrix = id;
    PetscCall(ComposeState((PetscObject)pc, composed_name, std::move(added)));
  }
  PetscCall(Guarded(A, [&] { s->type = ((PetscObject)A)->type_name; }));
  s->petscs = petscs;
  PetscCall(SelectSweeps(pc, A));
  A->ops->sor = MatSOR_SPTRSV;
  bool by_inodes = false;
  if (!by_inodes_too) PetscCall(SweepsByInodes(A, *s, omega, 0, &by_inodes));
  s->refused = by_inodes ? "PETSc's eisenstat of a matrix with inodes needs data of its own sweeps" : nullptr;
  bool const sweeps = !s->refused && !choice.off && (backend.device || choice.asked) && A->assembled;
  if (sweeps) PetscCall(Refresh(A, *s, omega, s->shift, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewSweeps(PC pc, Mat A, PetscViewer viewer)
{
  LocalSweeps* s;
  PetscBool ascii;
  std::size_t bytes = 0;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCall(Find((PetscObject)pc, &s));
  if (!ascii || !s || A->ops->sor != MatSOR_SPTRSV) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(ViewHeading(viewer, s->choice.algorithm.c_str(), s->backend));
  if (!s->petscs_reason.empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  swept by PETSc on the host: %s\n", s->petscs_reason.c_str()));
  if (s->sweeps) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  sweeps over %s in %s order\n",
                                     s->by_blocks ? "inodes, rows with equal columns," : "rows",
                                     s->choice.ordering.empty() ? "natural" : s->choice.ordering.c_str()));
    PetscCall(PetscViewerASCIIPushTab(viewer));
    PetscCall(ViewTriangle(viewer, A, "D + L", [&] { return s->sweeps->report(sptrsv::Triangle::lower); }));
    PetscCall(ViewTriangle(viewer, A, "D + U", [&] { return s->sweeps->report(sptrsv::Triangle::upper); }));
    PetscCall(Guarded(A, [&] { bytes = s->sweeps->memory_bytes(); }));
    PetscCall(ViewCounts(viewer, bytes, "the matrix", s->num_analysis, s->num_numeric, s->num_solves));
    PetscCall(PetscViewerASCIIPopTab(viewer));
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
