// SPDX-License-Identifier: Apache-2.0
// Triangles L and U that a program made, for a PC: finds changes, and solves with them.
#include "shell/triangles.hpp"

#include <algorithm>

#include "base/events.hpp"
#include "kokkos/guarded.hpp"
#include "kokkos/kokkos_session.hpp"
#include "options/factor_options.hpp"
#include "solver/view_triangle.hpp"

namespace sptrsv_petsc {
namespace {

/// Runs code as Guarded() does, and describes faults of a row in PETSc's terms.
template <class Call>
PetscErrorCode GuardedRows(PC pc, UserTriangle const& t, Call const& call)
{
  bool const unit = t.diagonal == sptrsv::Diagonal::unit, lower = t.triangle == sptrsv::Triangle::lower;
  std::string message;
  PetscErrorCode code = PETSC_ERR_ARG_WRONG;

  PetscFunctionBegin;
  PetscCall(Guarded(pc, [&] {
    std::string const of = std::string(" of ") + t.name;
    try {
      call();
    } catch (sptrsv::NotTriangular const& e) {
      message = "Row " + std::to_string(e.row()) + of + " has an entry in column " + std::to_string(e.col()) + ", " +
                (lower ? "above" : "below") + " the diagonal; give the " + (lower ? "lower" : "upper") +
                " triangle alone";
    } catch (sptrsv::MissingDiagonal const& e) {
      code = PETSC_ERR_ARG_WRONGSTATE;
      message = "Row " + std::to_string(e.row()) + of + " stores no diagonal entry" +
                (unit ? ", though other rows do; with a unit diagonal, store it in all rows or in none"
                      : "; store it in every row, or say that the diagonal is unit");
    } catch (sptrsv::ZeroPivot const& e) {
      code = PETSC_ERR_MAT_LU_ZRPVT;
      message = "Row " + std::to_string(e.row()) + of +
                " has a zero on its diagonal; give nonzero values, or say that the diagonal is unit";
    } catch (sptrsv::SingleRange const& e) {
      code = PETSC_ERR_ARG_OUTOFRANGE;
      message = std::string(t.name) + ": " + e.what();
    } catch (sptrsv::InvalidPattern const& e) {
      message = std::string(t.name) + ": " + e.what();
    }
  }));
  PetscCheck(message.empty(), PetscObjectComm((PetscObject)pc), code, "%s", message.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells whether these are the n rows that t keeps.
bool SamePattern(UserTriangle const& t, PetscInt n, PetscInt const* i, PetscInt const* j)
{
  if (t.row_ptr.size() != static_cast<std::size_t>(n) + 1) return false;
  if (n == 0) return t.col_idx.empty();
  return std::equal(t.row_ptr.begin(), t.row_ptr.end(), i) &&
         std::equal(t.col_idx.begin(), t.col_idx.end(), j);  // equal sizes: the last offsets are equal
}

/// Copies the pattern, and drops the solver for the previous one.
PetscErrorCode KeepPattern(UserTriangle& t, PetscInt n, PetscInt const* i, PetscInt const* j)
{
  PetscFunctionBegin;
  t.solver.reset();
  t.row_ptr.clear();
  PetscCall(Guarded(t.mat, [&] {
    t.col_idx.assign(j, j + (n ? i[n] : 0));
    if (n) t.row_ptr.assign(i, i + n + 1);
    else t.row_ptr.assign(1, 0);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Copies the matrix' pattern, and drops the solver, if the pattern is not the kept one.
PetscErrorCode RefreshPattern(UserTriangle& t)
{
  PetscInt n;
  PetscInt const *i, *j;
  PetscBool done;
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(t.mat, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)t.mat), PETSC_ERR_SUP,
             "%s, of type %s, does not show its pattern; convert it to %s", t.name, ((PetscObject)t.mat)->type_name,
             MATSEQAIJ);
  if (!SamePattern(t, n, i, j)) code = KeepPattern(t, n, i, j);
  PetscCall(MatRestoreRowIJ(t.mat, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Drops the solver if the pattern has changed, and clears numeric_done if values may be new.
PetscErrorCode RefreshTriangle(UserTriangle& t)
{
  PetscObjectState state;
  PetscBool aij;

  PetscFunctionBegin;
  if (!t.mat) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(t.mat->assembled, PetscObjectComm((PetscObject)t.mat), PETSC_ERR_ARG_WRONGSTATE,
             "%s is not assembled; call MatAssemblyBegin() and MatAssemblyEnd()", t.name);
  PetscCall(PetscObjectStateGet((PetscObject)t.mat, &state));
  if (t.solver && t.numeric_done && state == t.state) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)t.mat, MATSEQAIJ, &aij));
  PetscCheck(aij, PetscObjectComm((PetscObject)t.mat), PETSC_ERR_SUP, "%s has become of type %s; convert it back to %s",
             t.name, ((PetscObject)t.mat)->type_name, MATSEQAIJ);
  t.numeric_done = PETSC_FALSE;
  PetscCall(RefreshPattern(t));
  t.state = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AnalyzeOne(PC pc, UserTriangle& t, UserTriangles const& all, Stream stream,
                          sptrsv::Options const& options)
{
  bool const lower = t.triangle == sptrsv::Triangle::lower;
  FactorArrays arrays;

  PetscFunctionBegin;
  t.solver.reset();
  t.numeric_done = PETSC_FALSE;
  if (!t.mat) PetscFunctionReturn(PETSC_SUCCESS);
  arrays.kind = FactorKind::triangle;
  arrays.diagonal = t.diagonal;
  arrays.n = static_cast<PetscInt>(t.row_ptr.size() - 1);
  arrays.num_entries = t.col_idx.size();
  (lower ? arrays.row_ptr_lower : arrays.row_ptr_upper) = t.row_ptr.data();
  arrays.col_idx = t.col_idx.data();
  PetscCall(GuardedRows(
      pc, t, [&] { t.solver = MakeFactorSolver(all.backend.device, stream, all.requested, arrays, options); }));
  // two flops per off-diagonal entry, one per diagonal entry unless it is unit
  auto const n = static_cast<std::size_t>(arrays.n), end = lower ? 0 : n - 1;  // a row that has only its diagonal
  bool const stored = n > 0 && t.row_ptr[end + 1] > t.row_ptr[end];
  t.flops = 2 * (PetscLogDouble)(t.col_idx.size() - (stored ? n : 0)) +
            (t.diagonal == sptrsv::Diagonal::unit ? 0 : (PetscLogDouble)n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyzes both triangles with the same options. By default they run where the operator's vectors are.
PetscErrorCode Analyze(PC pc, UserTriangles& all)
{
  sptrsv::Options options;
  Mat A, P;
  Stream stream;

  PetscFunctionBegin;
  PetscCall(Guarded(pc, [&] { all.requested = all.asked; }));
  PetscCall(ReadAlgorithm((PetscObject)pc, all.requested));
  PetscCall(ReadOptions((PetscObject)pc, all.requested.c_str(), options));
  PetscCall(PCGetOperators(pc, &A, &P));
  PetscCall(ChooseBackend((PetscObject)pc, P, all.backend));
  PetscCall(EnsureKokkos());
  PetscCall(CurrentStream(all.backend.kokkos, &stream));
  PetscCall(Logged(events.analysis, (PetscObject)pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    for (UserTriangle* t : {&all.lower, &all.upper}) PetscCall(AnalyzeOne(pc, *t, all, stream, options));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  ++all.num_analysis;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeValues(PC pc, Backend const& backend, UserTriangle& t)
{
  PetscScalar const* a;
  Stream stream;

  PetscFunctionBegin;
  PetscCall(CurrentStream(backend.kokkos, &stream));
  PetscCall(MatSeqAIJGetArrayRead(t.mat, &a));
  PetscErrorCode const code = GuardedRows(pc, t, [&] {
    t.solver->follow(stream);
    t.solver->update(scalars(a));
  });
  PetscCall(MatSeqAIJRestoreArrayRead(t.mat, &a));
  PetscCall(code);
  if (backend.device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(t.col_idx.size() * sizeof(Scalar))));
  t.numeric_done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool Ready(UserTriangle const& t) { return !t.mat || (t.solver && t.numeric_done); }

}  // namespace

PetscErrorCode SetTriangle(PC pc, UserTriangle& t, Mat T, PetscBool unit)
{
  MPI_Comm const comm = PetscObjectComm((PetscObject)pc);
  PetscBool aij;
  PetscMPIInt size;
  MatFactorType factored;
  PetscInt rows, columns;

  PetscFunctionBegin;
  t.diagonal = unit ? sptrsv::Diagonal::unit : sptrsv::Diagonal::stored;
  if (!T) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)T), &size));
  PetscCheck(size == 1, comm, PETSC_ERR_SUP,
             "%s lies on %d processes; give a sequential matrix, with PCBJACOBI or PCASM one for each block's PC",
             t.name, (int)size);
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)T, MATSEQAIJ, &aij));
  PetscCheck(aij, comm, PETSC_ERR_SUP, "%s is of type %s; convert it with MatConvert(..., %s, ...)", t.name,
             ((PetscObject)T)->type_name ? ((PetscObject)T)->type_name : "not set", MATSEQAIJ);
  PetscCall(MatGetFactorType(T, &factored));
  PetscCheck(factored == MAT_FACTOR_NONE, comm, PETSC_ERR_ARG_WRONG,
             "%s is a factor made by PETSc; choose our solves for it with -pc_factor_mat_solver_type", t.name);
  PetscCall(MatGetSize(T, &rows, &columns));
  PetscCheck(rows == columns, comm, PETSC_ERR_ARG_SIZ,
             "%s is %" PetscInt_FMT " by %" PetscInt_FMT "; give a square matrix", t.name, rows, columns);
  PetscCall(PetscObjectReference((PetscObject)T));
  t.mat = T;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RefreshTriangles(PC pc, UserTriangles& all)
{
  PetscFunctionBegin;
  for (UserTriangle* t : {&all.lower, &all.upper}) PetscCall(RefreshTriangle(*t));
  if (Ready(all.lower) && Ready(all.upper)) PetscFunctionReturn(PETSC_SUCCESS);
  if ((all.lower.mat && !all.lower.solver) || (all.upper.mat && !all.upper.solver)) PetscCall(Analyze(pc, all));
  PetscCall(Logged(events.numeric, (PetscObject)pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    for (UserTriangle* t : {&all.lower, &all.upper})
      if (!Ready(*t)) PetscCall(TakeValues(pc, all.backend, *t));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  ++all.num_numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveTriangles(PC pc, UserTriangles& all, TriangleOrder const& order, bool transposed,
                              Operands const& operands)
{
  PetscLogDouble flops = 0;
  Stream stream;

  PetscFunctionBegin;
  for (UserTriangle const* t : order) flops += t->flops * (PetscLogDouble)operands.x.columns;
  PetscCall(CurrentStream(operands.kokkos, &stream));
  auto const solve = [&](Columns<Scalar const> from, Columns<Scalar> x) {
    for (UserTriangle* t : order) {
      t->solver->follow(stream);
      t->solver->solve(transposed ? sptrsv::Op::transpose : sptrsv::Op::none, from, x);
      from = {x.data, x.rows, x.columns, x.stride};
    }
  };
  PetscCall(Logged(events.solve, (PetscObject)pc,
                   [&] { return SolveAt((PetscObject)pc, *(*order.begin())->solver, operands, flops, solve); }));
  ++all.num_solves;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewTriangles(PC pc, UserTriangles const& all, PetscViewer viewer)
{
  PetscBool ascii;
  std::size_t bytes = 0;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ViewHeading(viewer, all.requested.empty() ? all.asked.c_str() : all.requested.c_str(), all.backend));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  for (UserTriangle const* t : {&all.lower, &all.upper}) {
    if (!t->solver) continue;
    PetscCall(ViewTriangle(viewer, pc, t->name, [&] { return t->solver->report(t->triangle); }));
    PetscCall(Guarded(pc, [&] { bytes += t->solver->memory_bytes() + t->pattern_bytes(); }));
  }
  PetscCall(ViewCounts(viewer, bytes, "the matrices", all.num_analysis, all.num_numeric, all.num_solves));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
