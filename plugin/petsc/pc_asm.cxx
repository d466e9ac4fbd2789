// SPDX-License-Identifier: Apache-2.0
// PC type asm: PETSc's own operations, and beside them those of several subdomains together.
#include <unordered_map>

#include "pc_wrapped.hpp"

namespace sptrsv_petsc {
namespace {

/// Rows of the subdomains of this rank, and where they lie.
struct Rows {
  std::vector<PetscInt> all;       // rows of the matrix, one subdomain after the other
  std::vector<PetscInt> inner;     // those of this rank that are no overlap
  std::vector<PetscInt> inner_at;  // and where in `all` they are
};

/// @param inner  the part of a subdomain that is no overlap; null where a rank has one: its rows of this rank
PetscErrorCode AddSubdomain(IS subdomain, IS inner, PetscInt first, PetscInt last, Rows& rows)
{
  PetscInt n, num_inner = 0;
  PetscInt const *indices, *inner_indices = nullptr;
  bool inside = true;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(subdomain, &n));
  PetscCall(ISGetIndices(subdomain, &indices));
  if (inner) PetscCall(ISGetLocalSize(inner, &num_inner));
  if (inner) PetscCall(ISGetIndices(inner, &inner_indices));
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] {
    auto const begin = (PetscInt)rows.all.size();
    std::unordered_map<PetscInt, PetscInt> place;
    for (PetscInt k = 0; k < n; ++k) {
      PetscInt const row = indices[k];
      place[row] = begin + k;
      rows.all.push_back(row);
      if (inner || row < first || row >= last) continue;
      rows.inner_at.push_back(begin + k);
      rows.inner.push_back(row);
    }
    for (PetscInt k = 0; k < num_inner; ++k) {
      PetscInt const row = inner_indices[k];
      auto const found = place.find(row);
      inside = inside && found != place.end();
      if (!inside || row < first || row >= last) continue;
      rows.inner_at.push_back(found->second);
      rows.inner.push_back(row);
    }
  }));
  PetscCall(ISRestoreIndices(subdomain, &indices));
  if (inner) PetscCall(ISRestoreIndices(inner, &inner_indices));
  PetscCheck(inside, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "A subdomain without overlap has rows that are not in that with overlap; see PCASMSetLocalSubdomains()");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeScatter(Vec from, std::vector<PetscInt> const& from_at, Vec to, std::vector<PetscInt> const& to_at,
                           VecScatter* scatter)
{
  IS is[2];

  PetscFunctionBegin;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, (PetscInt)from_at.size(), from_at.data(), PETSC_COPY_VALUES, &is[0]));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, (PetscInt)to_at.size(), to_at.data(), PETSC_COPY_VALUES, &is[1]));
  PetscCall(VecScatterCreate(from, is[0], to, is[1], scatter));
  for (IS& i : is) PetscCall(ISDestroy(&i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Collective, like a set-up: a rank whose subdomains are not solved together takes part.
PetscErrorCode MakeOverlap(PC pc, Overlap& o)
{
  PetscInt n, first, last;
  IS *subdomains, *inner;
  Rows rows;
  std::vector<PetscInt> places;
  Vec outside;
  VecType type;

  PetscFunctionBegin;
  PetscCall(o.Reset());  // of a set-up that has failed
  PetscCall(PCASMGetType(pc, &o.type));
  PetscCall(PCASMGetLocalSubdomains(pc, &n, &subdomains, &inner));
  PetscCall(MatGetOwnershipRange(pc->pmat, &first, &last));
  if (o.type == PC_ASM_BASIC) inner = nullptr;  // which adds up the overlap
  for (PetscInt i = 0; i < n; ++i)
    PetscCall(AddSubdomain(subdomains[i], inner ? inner[i] : nullptr, first, last, rows));
  auto const size = (PetscInt)rows.all.size();
  PetscCall(GuardedOn(PETSC_COMM_SELF, [&] {
    places.resize(rows.all.size());
    for (PetscInt k = 0; k < size; ++k) places[(std::size_t)k] = k;
  }));
  PetscCall(MatGetVecType(pc->pmat, &type));
  PetscCall(VecCreate(PETSC_COMM_SELF, &o.b));
  PetscCall(VecSetSizes(o.b, size, size));
  PetscCall(VecSetType(o.b, type));
  PetscCall(VecDuplicate(o.b, &o.x));
  PetscCall(MatCreateVecs(pc->pmat, &outside, NULL));
  PetscCall(MakeScatter(outside, rows.all, o.b, places, &o.all));
  PetscCall(MakeScatter(o.x, rows.inner_at, outside, rows.inner, &o.inner));
  PetscCall(VecDestroy(&outside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Move(VecScatter scatter, Vec from, Vec to, InsertMode mode, ScatterMode direction)
{
  PetscFunctionBegin;
  PetscCall(VecScatterBegin(scatter, from, to, mode, direction));
  PetscCall(VecScatterEnd(scatter, from, to, mode, direction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// As PCApply() of PETSc's: each subdomain by its own KSP.
PetscErrorCode SolveApart(PC pc, Together& t, PetscErrorCode (*solve)(KSP, Vec, Vec))
{
  PetscInt n, begin = 0, rows, num_blocks;
  KSP* blocks;
  Mat P;
  IS is;
  Vec b, x;

  PetscFunctionBegin;
  PetscCall(t.get_blocks(pc, &num_blocks, NULL, &blocks));
  for (n = 0; n < num_blocks; ++n) {
    PetscCall(KSPGetOperators(blocks[n], NULL, &P));
    PetscCall(MatGetLocalSize(P, &rows, NULL));
    PetscCall(ISCreateStride(PETSC_COMM_SELF, rows, begin, 1, &is));
    PetscCall(VecGetSubVector(t.overlap.b, is, &b));
    PetscCall(VecGetSubVector(t.overlap.x, is, &x));
    PetscCall(Logged(PC_ApplyOnBlocks, (PetscObject)blocks[n], [&] { return solve(blocks[n], b, x); }));
    PetscCall(KSPCheckSolve(blocks[n], pc, x));
    PetscCall(VecRestoreSubVector(t.overlap.b, is, &b));
    PetscCall(VecRestoreSubVector(t.overlap.x, is, &x));
    PetscCall(ISDestroy(&is));
    begin += rows;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Of the subdomains' rows in overlap.b, to overlap.x: on each rank as it can, since all exchange rows alike.
PetscErrorCode SolveSubdomains(PC pc, Together& t, bool transposed)
{
  Overlap const& o = t.overlap;

  PetscFunctionBegin;
  if (!t.together) {
    PetscCall(SolveApart(pc, t, transposed ? KSPSolveTranspose : KSPSolve));
  } else if (transposed) {
    PetscCall(LoggedApply(t, MAT_SolveTranspose, [&](Mat F) { return F->ops->solvetranspose(F, o.b, o.x); }));
  } else {
    PetscCall(LoggedApply(t, MAT_Solve, [&](Mat F) { return F->ops->solve(F, o.b, o.x); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the PC still adds up the subdomains as when the exchange was made: what it does else differs from version to
/// version. The same on all ranks.
PetscErrorCode IsAsMade(PC pc, Overlap const& o, bool* is)
{
  PCASMType type;
  PCCompositeType composition;

  PetscFunctionBegin;
  PetscCall(PCASMGetType(pc, &type));
  PetscCall(PCASMGetLocalType(pc, &composition));
  *is = o.all && type == o.type && composition == PC_COMPOSITE_ADDITIVE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One application. Transposes of the restricted type are PETSc's own, which are not the same in all versions either.
PetscErrorCode Apply(PC pc, Vec b, Vec x, bool transposed)
{
  Together* t;
  bool as_made;

  PetscFunctionBegin;
  PetscCall(PrepareApply(pc, &t));
  Overlap const& o = t->overlap;
  bool const basic = o.type == PC_ASM_BASIC;
  PetscCall(IsAsMade(pc, o, &as_made));
  if (!as_made || (transposed && !basic)) {
    PetscCall(ByPetsc(*t, transposed ? t->petsc.applytranspose : t->petsc.apply, pc, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Move(o.all, b, o.b, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(SolveSubdomains(pc, *t, transposed));
  PetscCall(VecSet(x, 0));
  if (basic) PetscCall(Move(o.all, o.x, x, ADD_VALUES, SCATTER_REVERSE));
  else PetscCall(Move(o.inner, o.x, x, ADD_VALUES, SCATTER_FORWARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_ASM_SPTRSV(PC pc, Vec b, Vec x) { return Apply(pc, b, x, false); }
PetscErrorCode PCApplyTranspose_ASM_SPTRSV(PC pc, Vec b, Vec x) { return Apply(pc, b, x, true); }

/// The most on any rank: what is exchanged is the same on all.
PetscErrorCode NumBlocks(PC pc, PetscInt* n)
{
  PetscInt own;

  PetscFunctionBegin;
  PetscCall(PCASMGetLocalSubdomains(pc, &own, NULL, NULL));
  PetscCallMPI(MPI_Allreduce(&own, n, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)pc)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What PETSc makes in a first set-up depends on the types of then.
PetscErrorCode WrapSolves(PC pc, Together& t, _PCOps const&)
{
  _PCOps* const now = pc->ops;
  PCCompositeType composition;
  PCASMType type;

  PetscFunctionBegin;
  PetscCall(PCASMGetLocalType(pc, &composition));
  PetscCall(PCASMGetType(pc, &type));
  bool const ours = now->apply == PCApply_ASM_SPTRSV, petscs = now->apply == t.petsc.apply;
  bool const exchanges = composition == PC_COMPOSITE_ADDITIVE && (type == PC_ASM_BASIC || type == PC_ASM_RESTRICT);
  if (!exchanges || !(ours || petscs)) {
    PetscCall(PetscInfo(pc, "subdomains are solved one after the other: %s\n",
                        ours || petscs ? "only types basic and restrict with additive composition can do otherwise"
                                       : "another library has wrapped the PC"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MakeOverlap(pc, t.overlap));
  now->apply = PCApply_ASM_SPTRSV;
  now->applytranspose = PCApplyTranspose_ASM_SPTRSV;
  now->setuponblocks = PCSetUpOnBlocks_SPTRSV;
  PetscFunctionReturn(PETSC_SUCCESS);
}

BlockType const asm_type{PCASM, "-pc_asm_sptrsv_together", "PCASMGetSubKSP_C", NumBlocks, WrapSolves, false, false};

PetscErrorCode (*CreatePetscs)(PC) = nullptr;

PetscErrorCode PCCreate_ASM_SPTRSV(PC pc)
{
  PetscFunctionBegin;
  PetscCall(CreatePetscs(pc));
  PetscCall(WrapPC(pc, asm_type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode RegisterASM()
{
  PetscFunctionBegin;
  PetscCall(RegisterWrapped(PCASM, PCCreate_ASM_SPTRSV, &CreatePetscs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
