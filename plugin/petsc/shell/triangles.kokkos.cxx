// SPDX-License-Identifier: Apache-2.0
// A program's triangles L and U for a PC: finds their changes, and solves with them.
#include "shell/triangles.hpp"

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

/// If the matrix' pattern differs from the kept copy, copies the pattern and drops the solver.
/// @param n  rows that the matrix had when it was given
PetscErrorCode RefreshPattern(UserTriangle& t, PetscInt n)
{
  PatternStamp now;
  PatternAccess m;

  PetscFunctionBegin;
  PetscCall(StampPattern(t.mat, false, &now));
  if (!t.row_ptr.empty() && now == t.stamp) PetscFunctionReturn(PETSC_SUCCESS);
  t.solver.reset();
  t.row_ptr.clear();
  PetscCall(m.Get(t.mat, false));
  PetscCheck(m.n == n, PetscObjectComm((PetscObject)t.mat), PETSC_ERR_ARG_SIZ,
             "%s has %" PetscInt_FMT " rows, and had %" PetscInt_FMT
             " when it was given; call SpTRSVPCShellSetTriangles() again",
             t.name, m.n, n);
  PetscCall(Guarded(t.mat, [&] {
    t.col_idx.assign(m.col_idx, m.col_idx + m.num_entries);
    if (m.n) t.row_ptr.assign(m.row_ptr, m.row_ptr + m.n + 1);
    else t.row_ptr.assign(1, 0);
  }));
  t.stamp = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Drops the solver if the pattern has changed, and clears numeric_done if values may be new.
PetscErrorCode RefreshTriangle(UserTriangle& t, PetscInt n)
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
  PetscCall(RefreshPattern(t, n));
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
  arrays.n = all.n;
  (lower ? arrays.lower : arrays.upper) = TriangleArrays{t.row_ptr.data(), t.col_idx.data(), t.col_idx.size()};
  PetscCall(GuardedRows(
      pc, t, [&] { t.solver = MakeFactorSolver(all.backend.device, stream, all.requested, arrays, options); }));
  // two flops per off-diagonal entry, one per diagonal entry unless it is unit
  auto const n = static_cast<std::size_t>(arrays.n), end = lower ? 0 : n - 1;  // a row that can only have its diagonal
  bool const stored = n > 0 && t.row_ptr[end + 1] > t.row_ptr[end];
  t.flops = 2 * (PetscLogDouble)(t.col_idx.size() - (stored ? n : 0)) +
            (t.diagonal == sptrsv::Diagonal::unit ? 0 : (PetscLogDouble)n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyzes both triangles with the same options. By default their solves run where the operator's vectors are.
PetscErrorCode Analyze(PC pc, UserTriangles& all)
{
  sptrsv::Options options;
  Mat A, P;
  Stream stream;
  LoggedEvent event(events.analysis, (PetscObject)pc);

  PetscFunctionBegin;
  PetscCall(Guarded(pc, [&] { all.requested = all.asked; }));
  PetscCall(ReadAlgorithm((PetscObject)pc, all.requested));
  PetscCall(ReadOptions((PetscObject)pc, all.requested.c_str(), options));
  PetscCall(PCGetOperators(pc, &A, &P));
  PetscCall(ChooseBackend((PetscObject)pc, P, all.backend));
  PetscCall(EnsureKokkos());
  PetscCall(CurrentStream(all.backend.kokkos, &stream));
  PetscCall(event.Begin());
  for (UserTriangle* t : {&all.lower, &all.upper}) PetscCall(AnalyzeOne(pc, *t, all, stream, options));
  event.End();
  ++all.num_analysis;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeValues(PC pc, Backend const& backend, UserTriangle& t)
{
  ValueAccess a;
  Stream stream;

  PetscFunctionBegin;
  PetscCall(CurrentStream(backend.kokkos, &stream));
  PetscCall(a.Get(t.mat, false, t.col_idx.size()));
  PetscCall(GuardedRows(pc, t, [&] {
    t.solver->follow(stream);
    t.solver->update({a.data, a.data});
  }));
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
  LoggedEvent event(events.numeric, (PetscObject)pc);

  PetscFunctionBegin;
  for (UserTriangle* t : {&all.lower, &all.upper}) PetscCall(RefreshTriangle(*t, all.n));
  if (Ready(all.lower) && Ready(all.upper)) PetscFunctionReturn(PETSC_SUCCESS);
  if ((all.lower.mat && !all.lower.solver) || (all.upper.mat && !all.upper.solver)) PetscCall(Analyze(pc, all));
  PetscCall(event.Begin());
  for (UserTriangle* t : {&all.lower, &all.upper})
    if (!Ready(*t)) PetscCall(TakeValues(pc, all.backend, *t));
  event.End();
  ++all.num_numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveTriangles(PC pc, UserTriangles& all, TriangleOrder const& order, bool transposed,
                              VectorAccess const& v)
{
  PetscLogDouble flops = 0;
  Stream stream;

  PetscFunctionBegin;
  for (UserTriangle const* t : order) flops += t->flops * (PetscLogDouble)v.x.columns;
  PetscCall(CurrentStream(v.kokkos, &stream));
  auto const solve = [&](Columns<Scalar const> from, Columns<Scalar> x) {
    for (UserTriangle* t : order) {
      t->solver->follow(stream);
      t->solver->solve(transposed ? sptrsv::Op::transpose : sptrsv::Op::none, from, x);
      from = {x.data, x.rows, x.columns, x.stride};
    }
  };
  PetscCall(LoggedSolve((PetscObject)pc, *(*order.begin())->solver, v, flops, solve));
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
