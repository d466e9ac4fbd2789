// SPDX-License-Identifier: Apache-2.0
// Up to two triangles that a program made itself, L and U, behind a PC: kept, watched for changes, solved.
#include "triangles.hpp"

#include <algorithm>

#include "factor_options.hpp"
#include "guarded.hpp"
#include "kokkos_session.hpp"
#include "matfactor.hpp"
#include "view_triangle.hpp"

namespace sptrsv_petsc {
namespace {

/// As Guarded(); what is wrong with a row is said in PETSc's terms.
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
    } catch (sptrsv::InvalidPattern const& e) {
      message = std::string(t.name) + ": " + e.what();
    }
  }));
  PetscCheck(message.empty(), PetscObjectComm((PetscObject)pc), code, "%s", message.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool SamePattern(TrianglePattern<PetscInt> const& a, TrianglePattern<PetscInt> const& b)
{
  if (!a.row_ptr || !b.row_ptr || a.n != b.n || a.num_entries != b.num_entries) return false;
  return std::equal(a.row_ptr, a.row_ptr + a.n + 1, b.row_ptr) &&
         std::equal(a.col_idx, a.col_idx + a.num_entries, b.col_idx);
}

/// Copies the pattern `now`; what is made for the one before goes.
PetscErrorCode KeepPattern(UserTriangle& t, TrianglePattern<PetscInt> const& now)
{
  PetscFunctionBegin;
  t.solver.reset();
  t.pattern = {};
  PetscCall(Guarded(t.mat, [&] {
    if (now.n) t.row_ptr.assign(now.row_ptr, now.row_ptr + now.n + 1);
    else t.row_ptr.assign(1, 0);
    t.col_idx.assign(now.col_idx, now.col_idx + now.num_entries);
  }));
  t.pattern = now;
  t.pattern.row_ptr = t.row_ptr.data();
  t.pattern.col_idx = t.col_idx.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Drops the solver if the matrix has another pattern than the one kept.
PetscErrorCode LookAtPattern(UserTriangle& t)
{
  TrianglePattern<PetscInt> now;
  PetscBool done;
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(t.mat, 0, PETSC_FALSE, PETSC_FALSE, &now.n, &now.row_ptr, &now.col_idx, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)t.mat), PETSC_ERR_SUP,
             "%s, of type %s, does not show its pattern; convert it to %s", t.name, ((PetscObject)t.mat)->type_name,
             MATSEQAIJ);
  now.num_entries = now.n ? static_cast<std::size_t>(now.row_ptr[now.n]) : 0;
  if (!SamePattern(now, t.pattern)) code = KeepPattern(t, now);
  PetscCall(MatRestoreRowIJ(t.mat, 0, PETSC_FALSE, PETSC_FALSE, &now.n, &now.row_ptr, &now.col_idx, &done));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Drops the solver if the pattern is another one, and notes that values are to be taken if they may be new.
PetscErrorCode LookAt(UserTriangle& t)
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
  PetscCall(LookAtPattern(t));
  t.state = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AnalyzeOne(PC pc, UserTriangle& t, UserTriangles const& all, Stream stream,
                          sptrsv::OptionValues const& options)
{
  PetscFunctionBegin;
  t.solver.reset();
  t.numeric_done = PETSC_FALSE;
  if (!t.mat) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GuardedRows(pc, t, [&] {
    t.solver =
        MakeTriangleSolver(all.backend.device, stream, all.requested, t.pattern, t.triangle, t.diagonal, options);
  }));
  // two flops an off-diagonal entry, one a diagonal entry that divides
  auto const& p = t.pattern;
  auto const n = (PetscLogDouble)p.n, entries = (PetscLogDouble)p.num_entries;
  PetscInt const end = t.triangle == sptrsv::Triangle::lower ? 0 : p.n - 1;  // the row that has its diagonal alone
  bool const stored = p.n > 0 && p.row_ptr[end + 1] > p.row_ptr[end];
  t.flops = 2 * (stored ? entries - n : entries) + (t.diagonal == sptrsv::Diagonal::unit ? 0 : n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Both, so that both have the same options. They run where the operator's vectors are.
PetscErrorCode Analyze(PC pc, UserTriangles& all)
{
  sptrsv::OptionValues options;
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
  if (backend.device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(t.pattern.num_entries * sizeof(Scalar))));
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
  for (UserTriangle* t : {&all.lower, &all.upper}) PetscCall(LookAt(*t));
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
      if (transposed) t->solver->solve_transposed(from, x);
      else t->solver->solve(from, x);
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
    PetscCall(ViewTriangle(viewer, pc, t->name, [&] { return t->solver->report(); }));
    PetscCall(Guarded(pc, [&] { bytes += t->solver->memory_bytes() + t->pattern_bytes(); }));
  }
  PetscCall(ViewCounts(viewer, bytes, "the matrices", all.num_analysis, all.num_numeric, all.num_solves));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DestroyTriangles(UserTriangles* all)
{
  PetscFunctionBegin;
  for (UserTriangle* t : {&all->lower, &all->upper}) {
    t->solver.reset();
    PetscCall(MatDestroy(&t->mat));
  }
  delete all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
