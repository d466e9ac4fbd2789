// SPDX-License-Identifier: Apache-2.0
// MatSOR() by sptrsv, as the options of a PC say. A PC owns its sweeps. Since MatSOR() does not know the PC, the matrix
// refers to the sweeps of the PC that is being applied.
#include "relaxation/pc_sweeps.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/composed_state.hpp"
#include "base/native_operations.hpp"
#include "kokkos/guarded.hpp"
#include "solver/view_triangle.hpp"

namespace sptrsv_petsc {
namespace {

using SorFunction = PetscErrorCode (*)(Mat, Vec, PetscReal, MatSORType, PetscReal, PetscInt, PetscInt, Vec);

char const* const composed_name = "SpTRSVSweeps";

/// Options of a PC, and its sweeps.
struct SweepsOfPc {
  PetscInt read_at = -1;  // see ReadsOptions()
  SweepChoice choice;
  bool has_algorithm_options = false;
  std::shared_ptr<LocalSweeps> sweeps;  // null: PETSc's own MatSOR() runs
};

/// PETSc's own MatSOR() of a matrix, and the sweeps of the PCs that have swept with it.
struct SweepsOfMatrix {
  SorFunction native = nullptr;
  std::string type;                                // matrix type whose MatSOR() is `native`
  std::weak_ptr<LocalSweeps> selected;             // sweeps of the next MatSOR(); none: PETSc's own
  std::vector<std::weak_ptr<LocalSweeps>> shared;  // sweeps that another PC may share
};

/// Gets PETSc's own MatSOR() of A's type.
PetscErrorCode FindNative(Mat A, SorFunction* native)
{
  _MatOps operations{};

  PetscFunctionBegin;
  PetscCall(GetNativeOperations(A, &operations));
  *native = operations.sor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs PETSc's own MatSOR() of A.
PetscErrorCode RunNative(SorFunction native, Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift,
                         PetscInt its, PetscInt lits, Vec x)
{
  PetscScalar const* values;

  PetscFunctionBegin;
  // PETSc's sweeps by inodes read the host's values without fetching newer ones from a device
  PetscCall(MatSeqAIJGetArrayRead(A, &values));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
  PetscCall(native(A, b, omega, flag, shift, its, lits, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSOR_SPTRSV(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its,
                             PetscInt lits, Vec x)
{
  SweepsOfMatrix* m;
  char const* why;

  PetscFunctionBegin;
  PetscCall(FindState((PetscObject)A, composed_name, &m));
  if (!m) {  // MatAXPY(), MatCopy() and others may keep A's functions, but drop composed objects
    SorFunction native;
    PetscCall(FindNative(A, &native));
    A->ops->sor = native;
    PetscCall(MatSOR(A, b, omega, flag, shift, its, lits, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  auto const s = m->selected.lock();  // keeps the sweeps, even if the PC is destroyed
  if (!s) {
    PetscCall(RunNative(m->native, A, b, omega, flag, shift, its, lits, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FindFallbackReason(A, *s, omega, shift, flag, &why));
  PetscCall(Caught(A, [&] { s->native_reason = why ? why : ""; }));
  if (why) {
    PetscCall(RunNative(m->native, A, b, omega, flag, shift, its, lits, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RefreshSweeps(A, *s, omega, shift, false));
  PetscCall(RunSweeps(A, *s, b, flag, its, lits, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Replaces MatSOR() of A by MatSOR_SPTRSV().
/// @param m  out: the state of A; null if A has a MatSOR() of the program's own, which stays
PetscErrorCode Install(Mat A, SweepsOfMatrix** m)
{
  SorFunction native;
  std::unique_ptr<SweepsOfMatrix> added;
  char const* const type = ((PetscObject)A)->type_name;

  PetscFunctionBegin;
  PetscCall(FindState((PetscObject)A, composed_name, m));
  if (*m && A->ops->sor == MatSOR_SPTRSV && (*m)->type == type) PetscFunctionReturn(PETSC_SUCCESS);
  *m = nullptr;
  PetscCall(FindNative(A, &native));
  if (A->ops->sor != MatSOR_SPTRSV && A->ops->sor != native) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Caught(A, [&] {
    added = std::make_unique<SweepsOfMatrix>();
    added->type = type;
  }));
  added->native = native;
  *m = added.get();
  PetscCall(ComposeState((PetscObject)A, composed_name, std::move(added)));
  A->ops->sor = MatSOR_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets the state of a PC of type sor or eisenstat. First reads the PC's options if ReadsOptions() says so.
PetscErrorCode OptionsOf(PC pc, SweepsOfPc** of_pc)
{
  std::unique_ptr<SweepsOfPc> added;

  PetscFunctionBegin;
  PetscCall(FindState((PetscObject)pc, composed_name, of_pc));
  if (!*of_pc) {
    PetscCall(Caught(pc, [&] { added = std::make_unique<SweepsOfPc>(); }));
    *of_pc = added.get();
    PetscCall(ComposeState((PetscObject)pc, composed_name, std::move(added)));
  }
  if (!ReadsOptions(pc, (*of_pc)->read_at)) PetscFunctionReturn(PETSC_SUCCESS);
  (*of_pc)->read_at = -1;  // after an error the options count as unread
  PetscCall(ReadSweepOptions(pc, (*of_pc)->choice));
  (*of_pc)->has_algorithm_options = false;
  (*of_pc)->read_at = pc->setfromoptionscalled;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds the sweeps with this key: the PC's own, those of another PC of the matrix, or new ones.
PetscErrorCode FindSweeps(Mat A, SweepsOfMatrix& m, SweepKey& key, std::shared_ptr<LocalSweeps>& sweeps)
{
  PetscFunctionBegin;
  if (sweeps && sweeps.use_count() == 1) sweeps->key.omega = key.omega;  // no other PC needs values for the old omega
  if (sweeps && sweeps->key == key) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Caught(A, [&] {
    sweeps.reset();
    auto& shared = m.shared;
    shared.erase(std::remove_if(shared.begin(), shared.end(), [](auto const& known) { return known.expired(); }),
                 shared.end());
    for (auto const& known : shared) {
      auto const other = known.lock();
      if (other->key == key) sweeps = other;
    }
    if (sweeps) return;
    auto added = std::make_shared<LocalSweeps>();
    added->key = key;
    shared.push_back(added);
    sweeps = std::move(added);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode SelectSweeps(PC pc, Mat A)
{
  SweepsOfPc* of_pc = nullptr;
  SweepsOfMatrix* m;

  PetscFunctionBegin;
  PetscCall(FindState((PetscObject)pc, composed_name, &of_pc));
  if (of_pc && of_pc->sweeps) {
    PetscCall(Install(A, &m));
    if (m) m->selected = of_pc->sweeps;
  } else {
    PetscCall(FindState((PetscObject)A, composed_name, &m));
    if (m) m->selected.reset();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UseSweeps(PC pc, Mat A, PetscReal omega, SweptBy by)
{
  SweepsOfPc* of_pc = nullptr;
  SweepsOfMatrix* m;
  SweepKey key;
  char const* why;

  PetscFunctionBegin;
  PetscCall(OptionsOf(pc, &of_pc));
  SweepChoice& choice = of_pc->choice;
  PetscCall(ChooseBackend(A, choice.where, key.backend));
  if (!key.backend.device && !choice.asked) {
    of_pc->sweeps.reset();
    PetscCall(SelectSweeps(pc, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!of_pc->has_algorithm_options) PetscCall(ReadSweepAlgorithmOptions(pc, choice));
  of_pc->has_algorithm_options = true;
  // checked before the solve, since PETSc's eisenstat leaves b changed after an error
  PetscCheck(by != SweptBy::eisenstat || choice.off || sptrsv::solves_exactly(choice.algorithm),
             PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "-%spc_sor_sptrsv %s: Eisenstat's form needs exact solves; choose another type, or off",
             ((PetscObject)pc)->prefix ? ((PetscObject)pc)->prefix : "", choice.algorithm.c_str());
  PetscCall(EnsureKokkos());
  PetscCall(Install(A, &m));
  if (!m) {
    of_pc->sweeps.reset();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  key.by = by;
  key.omega = omega;
  PetscCall(PetscObjectGetId((PetscObject)A, &key.matrix));
  PetscCall(Caught(A, [&] {
    key.choice = choice;
    key.type = ((PetscObject)A)->type_name;
  }));
  PetscCall(FindSweeps(A, *m, key, of_pc->sweeps));
  m->selected = of_pc->sweeps;
  LocalSweeps& s = *of_pc->sweeps;
  PetscCall(FindFallbackReason(A, s, omega, s.shift, SOR_LOCAL_SYMMETRIC_SWEEP, &why));
  if (!why && A->assembled) PetscCall(RefreshSweeps(A, s, omega, s.shift, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReleaseSweeps(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose((PetscObject)pc, composed_name, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewSweeps(PC pc, Mat A, PetscViewer viewer)
{
  SweepsOfPc* of_pc = nullptr;
  PetscBool ascii;
  std::size_t bytes = 0;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCall(FindState((PetscObject)pc, composed_name, &of_pc));
  LocalSweeps const* const s = of_pc ? of_pc->sweeps.get() : nullptr;
  if (!ascii || !s || A->ops->sor != MatSOR_SPTRSV) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(ViewHeading(viewer, s->key.choice.algorithm.c_str(), s->key.backend));
  if (!s->native_reason.empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  swept by PETSc on the host: %s\n", s->native_reason.c_str()));
  if (s->sweeps) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  sweeps over %s in %s order\n",
                                     s->by_blocks ? "inodes, rows with equal columns," : "rows",
                                     s->key.choice.ordering.empty() ? "natural" : s->key.choice.ordering.c_str()));
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
