// SPDX-License-Identifier: Apache-2.0
// MatCreateSubMatrices() that takes new values where they are. The state is composed with the matrix.
#include "subdomains/submatrix_values.hpp"

#include <petscsf.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "access/matrix_arrays.hpp"
#include "access/matrix_values_to_write.hpp"
#include "kokkos/guarded.hpp"

namespace sptrsv_petsc {
namespace {

using CutFunction = PetscErrorCode (*)(Mat, PetscInt, IS const[], IS const[], MatReuse, Mat*[]);

char const* const composed_name = "SpTRSVSubmatrices";
constexpr std::size_t most_cuts = 8;  // sets of submatrices of one matrix that are known at a time

/// Submatrices of one call, and where their values come from. All ranks of A have the same number of these.
struct Cut {
  std::vector<PetscObjectId> ids;          // of the index sets and the submatrices
  std::vector<PetscObjectState> nonzeros;  // nonzero states of A and the submatrices
  std::vector<PetscSF> diagonal,
      remainder;         // for each submatrix: from the values of A's diagonal and off-diagonal block
  std::string obstacle;  // why new values are taken by PETSc; empty: they are not

  ~Cut()
  {
    for (PetscSF& sf : diagonal) (void)PetscSFDestroy(&sf);
    for (PetscSF& sf : remainder) (void)PetscSFDestroy(&sf);
  }
};

struct Submatrices {
  CutFunction petscs = nullptr;
  WhereToCut where = WhereToCut::on_device;
  std::vector<std::unique_ptr<Cut>> cuts;
  PetscInt num_updates = 0;
};

PetscErrorCode Destroy(void* pointer)
{
  PetscFunctionBegin;
  delete static_cast<Submatrices*>(pointer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets A's state, or null.
PetscErrorCode Find(Mat A, Submatrices** s)
{
  PetscContainer container = nullptr;
  void* pointer = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)A, composed_name, (PetscObject*)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, &pointer));
  *s = static_cast<Submatrices*>(pointer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Add(Mat A, Submatrices** s)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)A), &container));
  PetscErrorCode code = Guarded(A, [&] { *s = new Submatrices; });
  if (!code) {
    PetscCall(PetscContainerSetPointer(container, *s));
    PetscCall(ContainerSetDestroy<Destroy>(container));
    code = PetscObjectCompose((PetscObject)A, composed_name, (PetscObject)container);
  }
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets A's values on this rank: those of one matrix, or of a diagonal and an off-diagonal block.
PetscErrorCode GetBlocks(Mat A, Mat blocks[2])
{
  PetscBool parallel;

  PetscFunctionBegin;
  blocks[0] = A;
  blocks[1] = nullptr;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
  if (parallel) PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CountEntries(Mat A, PetscInt* count)
{
  PetscFunctionBegin;
  *count = 0;
  if (A)
    PetscCall(WithMatrixPattern(A, false, [&](MatrixArrays const& m) {
      *count = (PetscInt)m.num_entries;
      return PETSC_SUCCESS;
    }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Describes a call by what has to be the same in the next one.
PetscErrorCode Describe(Mat A, PetscInt n, IS const rows[], IS const cols[], Mat const submat[], Cut& cut)
{
  PetscObjectState state;
  auto const add_id = [&](PetscObject object) -> PetscErrorCode {
    PetscObjectId id;
    PetscFunctionBegin;
    PetscCall(PetscObjectGetId(object, &id));
    PetscCall(Guarded(A, [&] { cut.ids.push_back(id); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  };

  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(A, &state));
  PetscCall(Guarded(A, [&] { cut.nonzeros.push_back(state); }));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(add_id((PetscObject)rows[k]));
    PetscCall(add_id((PetscObject)cols[k]));
    PetscCall(add_id((PetscObject)submat[k]));
    PetscCall(MatGetNonzeroState(submat[k], &state));
    PetscCall(Guarded(A, [&] { cut.nonzeros.push_back(state); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes a copy of A's pattern whose values are the numbers of A's entries: those of a rank follow each other, its
/// diagonal block's first.
PetscErrorCode NumberEntries(Mat A, PetscInt64 first, Mat* numbered)
{
  Mat blocks[2];

  PetscFunctionBegin;
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, numbered));
  PetscCheck(*numbered, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "MatDuplicate() has made no matrix");
  PetscCall(GetBlocks(*numbered, blocks));
  for (int b = 0; b < 2 && blocks[b]; ++b) {
    Mat const block = blocks[b];
    PetscInt count;
    PetscScalar* a;
    PetscCall(CountEntries(block, &count));
    PetscCall(MatSeqAIJGetArrayWrite(block, &a));
    for (PetscInt k = 0; k < count; ++k) a[k] = (PetscScalar)(PetscReal)(first + k);
    PetscCall(MatSeqAIJRestoreArrayWrite(block, &a));
    PetscCall(PetscObjectStateIncrease((PetscObject)block));
    first += count;
  }
  (*numbered)->submat_singleis = A->submat_singleis;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells whether two matrices have the same entries in the same order.
PetscErrorCode SamePattern(Mat A, Mat B, bool* same)
{
  PetscFunctionBegin;
  PetscCall(WithMatrixPattern(A, false, [&](MatrixArrays const& a) {
    return WithMatrixPattern(B, false, [&](MatrixArrays const& b) {
      *same = a.n == b.n && a.num_entries == b.num_entries &&
              (!a.n || (std::equal(a.row_ptr, a.row_ptr + a.n + 1, b.row_ptr) &&
                        std::equal(a.col_idx, a.col_idx + a.num_entries, b.col_idx)));
      return PETSC_SUCCESS;
    });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the star forests of one submatrix, whose values are numbers of A's entries; null: this rank has fewer.
/// @param firsts  the number of each rank's first entry, and of the entry behind the last one
/// @param counts  the number of entries of this rank's blocks
PetscErrorCode MakeForests(Mat A, Mat numbers, std::vector<PetscInt64> const& firsts,
                           std::vector<PetscInt64> const& diagonal_counts, PetscInt const counts[2], PetscSF forests[2])
{
  PetscInt* leaves[2];
  PetscSFNode* roots[2];
  PetscInt num_leaves[2] = {0, 0}, num_values;
  PetscScalar const* a = nullptr;

  PetscFunctionBegin;
  PetscCall(CountEntries(numbers, &num_values));
  for (int block = 0; block < 2; ++block)
    PetscCall(PetscMalloc2(num_values, &leaves[block], num_values, &roots[block]));
  if (numbers) PetscCall(MatSeqAIJGetArrayRead(numbers, &a));
  for (PetscInt k = 0; k < num_values; ++k) {
    auto const number = (PetscInt64)PetscRealPart(a[k]);
    auto const rank = std::upper_bound(firsts.begin(), firsts.end(), number) - firsts.begin() - 1;
    PetscInt64 const at = number - firsts[(std::size_t)rank], inside = diagonal_counts[(std::size_t)rank];
    int const block = at >= inside;
    PetscInt const leaf = num_leaves[block]++;
    leaves[block][leaf] = k;
    roots[block][leaf].rank = (PetscInt)rank;
    roots[block][leaf].index = (PetscInt)(block ? at - inside : at);
  }
  if (numbers) PetscCall(MatSeqAIJRestoreArrayRead(numbers, &a));
  for (int block = 0; block < 2; ++block) {
    PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &forests[block]));
    PetscCall(PetscSFSetGraph(forests[block], counts[block], num_leaves[block], leaves[block], PETSC_COPY_VALUES,
                              roots[block], PETSC_COPY_VALUES));
    PetscCall(PetscSFSetUp(forests[block]));
    PetscCall(PetscFree2(leaves[block], roots[block]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds where the values of submatrices come from: cuts submatrices out of a matrix whose values are the numbers of
/// A's entries. Collective.
PetscErrorCode FindSources(Mat A, Submatrices const& s, PetscInt n, IS const rows[], IS const cols[],
                           Mat const submat[], Cut& cut)
{
  MPI_Comm const comm = PetscObjectComm((PetscObject)A);
  constexpr double most = PetscDefined(USE_REAL_SINGLE) ? 1 << 24 : 9007199254740992.0;  // exact as a scalar
  std::vector<PetscInt64> firsts, diagonal_counts;
  Mat blocks[2], numbered, *numbers = nullptr;
  PetscInt counts[2], most_cut = n;
  PetscMPIInt size, rank;
  int same = 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(GetBlocks(A, blocks));
  for (int b = 0; b < 2; ++b) PetscCall(CountEntries(blocks[b], &counts[b]));
  PetscCall(Guarded(A, [&] {
    firsts.assign((std::size_t)size + 1, 0);
    diagonal_counts.assign((std::size_t)size, 0);
  }));
  PetscInt64 const mine = (PetscInt64)counts[0] + counts[1], inside = counts[0];
  PetscCallMPI(MPI_Allgather(&mine, 1, MPIU_INT64, firsts.data() + 1, 1, MPIU_INT64, comm));
  PetscCallMPI(MPI_Allgather(&inside, 1, MPIU_INT64, diagonal_counts.data(), 1, MPIU_INT64, comm));
  for (std::size_t r = 0; r < (std::size_t)size; ++r) firsts[r + 1] += firsts[r];
  if ((double)firsts.back() > most) {
    PetscCall(Guarded(A, [&] { cut.obstacle = "numbers of entries are not exact in single precision"; }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(NumberEntries(A, firsts[(std::size_t)rank], &numbered));
  PetscCall(s.petscs(numbered, n, rows, cols, MAT_INITIAL_MATRIX, &numbers));
  for (PetscInt k = 0; k < n; ++k) {
    bool equal = false;
    PetscCall(SamePattern(numbers[k], submat[k], &equal));
    same = same && equal;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most_cut, 1, MPIU_INT, MPI_MAX, comm));
  if (!same) PetscCall(Guarded(A, [&] { cut.obstacle = "the submatrices have other patterns than those cut now"; }));
  for (PetscInt k = 0; same && k < most_cut; ++k) {
    PetscSF forests[2] = {nullptr, nullptr};
    PetscCall(MakeForests(A, k < n ? numbers[k] : nullptr, firsts, diagonal_counts, counts, forests));
    PetscCall(Guarded(A, [&] {
      cut.diagonal.push_back(forests[0]);
      cut.remainder.push_back(forests[1]);
    }));
  }
  PetscCall(MatDestroySubMatrices(n, &numbers));
  PetscCall(MatDestroy(&numbered));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds the set of submatrices to which this call belongs on all ranks, or null. Collective.
PetscErrorCode FindCut(Mat A, Submatrices const& s, Cut const& wanted, Cut** found)
{
  unsigned matches = 0;

  PetscFunctionBegin;
  for (std::size_t k = 0; k < s.cuts.size(); ++k)
    if (s.cuts[k]->ids == wanted.ids && s.cuts[k]->nonzeros == wanted.nonzeros) matches |= 1u << k;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &matches, 1, MPI_UNSIGNED, MPI_BAND, PetscObjectComm((PetscObject)A)));
  *found = nullptr;
  for (std::size_t k = 0; k < s.cuts.size() && !*found; ++k)
    if (matches & (1u << k)) *found = s.cuts[k].get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Broadcasts A's values to those of the submatrices, both in the memory in which they are. Collective.
PetscErrorCode TakeValues(Mat A, Cut const& cut, PetscInt n, Mat const submat[])
{
  Mat blocks[2];

  PetscFunctionBegin;
  PetscCall(GetBlocks(A, blocks));
  auto const take = [&](PetscSF sf, Mat block, PetscScalar* to, PetscMemType there) -> PetscErrorCode {
    PetscInt num_roots;
    PetscFunctionBegin;
    PetscCall(PetscSFGetGraph(sf, &num_roots, NULL, NULL, NULL));
    if (!block) PetscFunctionReturn(PETSC_SUCCESS);  // on all ranks: A is sequential
    PetscCall(WithMatrixValues(block, true, (std::size_t)num_roots, [&](MatrixValues const& values) -> PetscErrorCode {
      PetscMemType const here = values.on_device ? there : PETSC_MEMTYPE_HOST;
      PetscFunctionBegin;
      PetscCall(PetscSFBcastWithMemTypeBegin(sf, MPIU_SCALAR, here, values.data, there, to, MPI_REPLACE));
      PetscCall(PetscSFBcastEnd(sf, MPIU_SCALAR, values.data, to, MPI_REPLACE));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  for (std::size_t k = 0; k < cut.diagonal.size(); ++k) {
    auto const both = [&](PetscScalar* to, PetscMemType there) -> PetscErrorCode {
      PetscFunctionBegin;
      PetscCall(take(cut.diagonal[k], blocks[0], to, there));
      PetscCall(take(cut.remainder[k], blocks[1], to, there));
      PetscFunctionReturn(PETSC_SUCCESS);
    };
    if ((PetscInt)k < n) PetscCall(WithMatrixValuesToWrite(submat[k], both));
    else PetscCall(both(nullptr, device_memory_of(blocks[0])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells why PETSc's own function has to serve; null on all ranks if it need not. Collective.
PetscErrorCode FindObstacle(Mat A, WhereToCut where, PetscInt n, Mat const submat[], char const** why)
{
  Mat blocks[2];
  VecType type;
  int worst = 0;
  char const* const reasons[] = {nullptr, "the matrix is on a host", "it or a submatrix is bound to the host",
                                 "a submatrix has another type than the matrix", "asked for"};

  PetscFunctionBegin;
  PetscCall(GetBlocks(A, blocks));
  PetscCall(MatGetVecType(A, &type));
  std::string const name = type;
  bool const on_host = name == VECSTANDARD || name == VECSEQ || name == VECMPI;
  if (on_host && where != WhereToCut::everywhere) worst = 1;
  if (where == WhereToCut::nowhere) worst = 4;
  PetscBool bound;
  PetscCall(MatBoundToCPU(A, &bound));
  for (PetscInt k = 0; k < n; ++k) {
    PetscBool same, too;
    PetscCall(MatBoundToCPU(submat[k], &too));
    bound = (PetscBool)(bound || too);
    PetscCall(PetscObjectTypeCompare((PetscObject)submat[k], ((PetscObject)blocks[0])->type_name, &same));
    if (!same) worst = std::max(worst, 3);
  }
  if (bound && !on_host) worst = std::max(worst, 2);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)A)));
  *why = reasons[worst];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets PETSc's own MatCreateSubMatrices() of A's type.
PetscErrorCode FindPetscs(Mat A, CutFunction* petscs)
{
  Mat other;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &other));
  PetscCall(MatSetType(other, ((PetscObject)A)->type_name));
  *petscs = other->ops->createsubmatrices;
  PetscCall(MatDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CutBySptrsv(Mat A, PetscInt n, IS const rows[], IS const cols[], MatReuse reuse, Mat* submat[])
{
  Submatrices* s = nullptr;
  Cut* cut = nullptr;
  std::unique_ptr<Cut> wanted;
  char const* why = nullptr;

  PetscFunctionBegin;
  PetscCall(Find(A, &s));
  if (!s) {  // MatAXPY(), MatCopy() and others may keep A's functions, but not what is composed with it
    CutFunction petscs;
    PetscCall(FindPetscs(A, &petscs));
    A->ops->createsubmatrices = petscs;
    PetscCall(petscs(A, n, rows, cols, reuse, submat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_REUSE_MATRIX) PetscCall(FindObstacle(A, s->where, n, n ? *submat : nullptr, &why));
  if (reuse != MAT_REUSE_MATRIX || why) {
    if (why) PetscCall(PetscInfo(A, "New values of submatrices by PETSc's own MatCreateSubMatrices(): %s\n", why));
    PetscCall(s->petscs(A, n, rows, cols, reuse, submat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Guarded(A, [&] { wanted = std::make_unique<Cut>(); }));
  PetscCall(Describe(A, n, rows, cols, n ? *submat : nullptr, *wanted));
  PetscCall(FindCut(A, *s, *wanted, &cut));
  if (!cut) {
    PetscCall(FindSources(A, *s, n, rows, cols, n ? *submat : nullptr, *wanted));
    PetscCall(Guarded(A, [&] {
      if (s->cuts.size() == most_cuts) s->cuts.erase(s->cuts.begin());
      s->cuts.push_back(std::move(wanted));
      cut = s->cuts.back().get();
    }));
  }
  if (!cut->obstacle.empty()) {
    PetscCall(
        PetscInfo(A, "New values of submatrices by PETSc's own MatCreateSubMatrices(): %s\n", cut->obstacle.c_str()));
    PetscCall(s->petscs(A, n, rows, cols, reuse, submat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(TakeValues(A, *cut, n, n ? *submat : nullptr));
  ++s->num_updates;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode UseSubmatrixValues(Mat A, WhereToCut where)
{
  Submatrices* s = nullptr;
  VecType type;

  PetscFunctionBegin;
  PetscCall(Find(A, &s));
  PetscCall(MatGetVecType(A, &type));
  std::string const name = type;
  bool const on_host = name == VECSTANDARD || name == VECSEQ || name == VECMPI;
  if (!s && (where == WhereToCut::nowhere || (on_host && where == WhereToCut::on_device)))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (!s) PetscCall(Add(A, &s));
  s->where = where;
  if (A->ops->createsubmatrices != CutBySptrsv) s->petscs = A->ops->createsubmatrices;
  if (!s->petscs) PetscCall(FindPetscs(A, &s->petscs));
  A->ops->createsubmatrices = CutBySptrsv;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewSubmatrixValues(Mat A, PetscViewer viewer)
{
  Submatrices* s = nullptr;
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCall(Find(A, &s));
  if (ascii && s && s->num_updates)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  new values of submatrices by sptrsv: %" PetscInt_FMT " times\n",
                                     s->num_updates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
