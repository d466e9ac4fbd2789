// SPDX-License-Identifier: Apache-2.0
// MatCreateSubMatrices() and MatCreateSubMatrix() that take new values where they are. The state is composed with the
// matrix.
#include "subdomains/submatrix_values.hpp"

#include <petscsf.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "access/matrix_arrays.hpp"
#include "access/matrix_values_to_write.hpp"
#include "kokkos/guarded.hpp"

namespace sptrsv_petsc {
namespace {

/// PETSc's own functions of a matrix type. One rank's matrices have no `one`: MatCreateSubMatrix() then uses `several`.
struct CutFunctions {
  PetscErrorCode (*several)(Mat, PetscInt, IS const[], IS const[], MatReuse, Mat*[]) = nullptr;
  PetscErrorCode (*one)(Mat, IS, IS, MatReuse, Mat*) = nullptr;
};

char const* const composed_name = "SpTRSVSubmatrices";
char const* const watch_name = "SpTRSVSubmatrix";  // composed with submatrices
constexpr std::size_t most_cuts = 32;  // sets of submatrices of one matrix that are known at a time, a bit for each

/// Submatrices of one call and, if found, where their values come from. All ranks of A have the same number of these.
struct Cut {
  std::vector<PetscObjectId> leaves;  // this rank's parts of the submatrices: one, or a diagonal and another block
  std::vector<std::uint64_t> call;  // of the index sets, A's blocks and the submatrices: what has to be the same again
  bool found = false;               // whether it is known where the values come from
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);  // false after the first leaf has been destroyed
  std::vector<PetscSF> diagonal,
      remainder;         // for each leaf: from the values of A's diagonal and off-diagonal block
  std::string obstacle;  // why new values are taken by PETSc; empty: they are not

  ~Cut()
  {
    for (PetscSF& sf : diagonal) (void)PetscSFDestroy(&sf);
    for (PetscSF& sf : remainder) (void)PetscSFDestroy(&sf);
  }
};

/// State that is composed with a matrix.
struct Submatrices {
  CutFunctions petscs;
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

/// Erases the sets whose bits are set.
void Erase(Submatrices& s, unsigned sets)
{
  for (std::size_t k = s.cuts.size(); k-- > 0;)
    if (sets & (1u << k)) s.cuts.erase(s.cuts.begin() + (std::ptrdiff_t)k);
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

/// Gets this rank's parts of submatrices.
PetscErrorCode GetLeaves(PetscInt n, Mat const submat[], std::vector<Mat>* leaves)
{
  Mat blocks[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(GetBlocks(submat[k], blocks));
    PetscCall(GuardedOn(PETSC_COMM_SELF, [&] { leaves->insert(leaves->end(), blocks, blocks + (blocks[1] ? 2 : 1)); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Describes a call by what has to be the same in the next one. Index sets are compared by their contents, which a
/// program may change in place.
/// @param sets  of rows and columns, in pairs
PetscErrorCode Describe(Mat A, std::vector<IS> const& sets, std::vector<Mat> const& leaves, Cut& cut)
{
  Mat blocks[2];
  auto const add = [&](auto... numbers) {
    return Guarded(A, [&] { (cut.call.push_back(static_cast<std::uint64_t>(numbers)), ...); });
  };
  auto const add_set = [&](IS set) -> PetscErrorCode {
    PetscInt size, shape[2] = {0, 0};
    PetscBool stride;
    PetscInt const* indices;
    PetscFunctionBegin;
    PetscCall(ISGetLocalSize(set, &size));
    PetscCall(PetscObjectTypeCompare((PetscObject)set, ISSTRIDE, &stride));
    if (stride) PetscCall(ISStrideGetInfo(set, &shape[0], &shape[1]));
    std::uint64_t hash = HashOf(shape, 2);
    if (!stride) {
      PetscCall(ISGetIndices(set, &indices));
      hash = HashOf(indices, (std::size_t)size);
      PetscCall(ISRestoreIndices(set, &indices));
    }
    PetscCall(add(size, hash));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  auto const add_matrix = [&](Mat M) -> PetscErrorCode {
    PatternStamp stamp;
    PetscFunctionBegin;
    PetscCall(StampPattern(M, true, &stamp));
    PetscCall(add(stamp.id, stamp.nonzeros, stamp.entries, stamp.hash));
    PetscFunctionReturn(PETSC_SUCCESS);
  };

  PetscFunctionBegin;
  cut.call.clear();
  cut.leaves.clear();
  PetscCall(GetBlocks(A, blocks));
  for (Mat block : blocks)
    if (block) PetscCall(add_matrix(block));
  for (std::size_t k = 0; k < sets.size(); ++k)
    if (k % 2 == 0 || sets[k] != sets[k - 1]) PetscCall(add_set(sets[k]));
  for (Mat leaf : leaves) {
    PetscObjectId id;
    PetscCall(PetscObjectGetId((PetscObject)leaf, &id));
    PetscCall(Guarded(A, [&] { cut.leaves.push_back(id); }));
    PetscCall(add_matrix(leaf));
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

/// Makes the star forests of one leaf, whose values are numbers of A's entries; null: this rank has fewer leaves.
/// @param firsts  the number of each rank's first entry, and of the entry behind the last one
/// @param counts  the number of entries of this rank's blocks, one if A is sequential
PetscErrorCode MakeForests(Mat A, Mat numbers, std::vector<PetscInt64> const& firsts,
                           std::vector<PetscInt64> const& diagonal_counts, PetscInt const counts[2], int num_blocks,
                           PetscSF forests[2])
{
  PetscInt* leaves[2];
  PetscSFNode* roots[2];
  PetscInt num_leaves[2] = {0, 0}, num_values;
  PetscScalar const* a = nullptr;

  PetscFunctionBegin;
  PetscCall(CountEntries(numbers, &num_values));
  for (int block = 0; block < num_blocks; ++block)
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
  for (int block = 0; block < num_blocks; ++block) {
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
/// @param with_cut  with_cut(numbered, use) cuts them out of `numbered`, and calls use(their number, submatrices)
template <class WithCut>
PetscErrorCode FindSources(Mat A, std::vector<Mat> const& leaves, WithCut const& with_cut, Cut& cut)
{
  MPI_Comm const comm = PetscObjectComm((PetscObject)A);
  constexpr double most = PetscDefined(USE_REAL_SINGLE) ? 1 << 24 : 9007199254740992.0;  // exact as a scalar
  std::vector<PetscInt64> firsts, diagonal_counts;
  std::vector<Mat> numbers;
  Mat blocks[2], numbered;
  PetscInt counts[2], most_leaves = (PetscInt)leaves.size();
  PetscMPIInt size, rank;
  int same = 1;

  PetscFunctionBegin;
  cut.found = true;
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
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most_leaves, 1, MPIU_INT, MPI_MAX, comm));
  PetscCall(with_cut(numbered, [&](PetscInt n, Mat const submat[]) -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(GetLeaves(n, submat, &numbers));
    same = numbers.size() == leaves.size();
    for (std::size_t k = 0; same && k < leaves.size(); ++k) {
      bool equal = false;
      PetscCall(SamePattern(numbers[k], leaves[k], &equal));
      same = equal;
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm));
    if (!same) PetscCall(Guarded(A, [&] { cut.obstacle = "the submatrices have other patterns than those cut now"; }));
    for (std::size_t k = 0; same && k < (std::size_t)most_leaves; ++k) {
      PetscSF forests[2] = {nullptr, nullptr};
      PetscCall(MakeForests(A, k < numbers.size() ? numbers[k] : nullptr, firsts, diagonal_counts, counts,
                            blocks[1] ? 2 : 1, forests));
      PetscCall(Guarded(A, [&] {
        cut.diagonal.push_back(forests[0]);
        cut.remainder.push_back(forests[1]);
      }));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(MatDestroy(&numbered));
  PetscFunctionReturn(PETSC_SUCCESS);
}

using Watched = std::shared_ptr<bool>;

PetscErrorCode NoteDestroyed(void* pointer)
{
  PetscFunctionBegin;
  **static_cast<Watched*>(pointer) = false;
  delete static_cast<Watched*>(pointer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Lets `alive` become false when the leaf is destroyed.
PetscErrorCode Watch(Mat leaf, Watched const& alive)
{
  PetscContainer container;
  Watched* watched = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscErrorCode code = GuardedOn(PETSC_COMM_SELF, [&] { watched = new Watched(alive); });
  if (!code) {
    PetscCall(PetscContainerSetPointer(container, watched));
    PetscCall(ContainerSetDestroy<NoteDestroyed>(container));
    code = PetscObjectCompose((PetscObject)leaf, watch_name, (PetscObject)container);
  }
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Forgets sets whose submatrices have been destroyed on some rank. Collective.
PetscErrorCode ForgetDestroyed(Mat A, Submatrices& s)
{
  unsigned gone = 0;

  PetscFunctionBegin;
  if (s.cuts.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  for (std::size_t k = 0; k < s.cuts.size(); ++k)
    if (!*s.cuts[k]->alive) gone |= 1u << k;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &gone, 1, MPI_UNSIGNED, MPI_BOR, PetscObjectComm((PetscObject)A)));
  Erase(s, gone);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds the set of submatrices to which this call belongs on all ranks, or null, and makes it the last one: that used
/// last. Collective.
PetscErrorCode FindCut(Mat A, Submatrices& s, Cut const& wanted, Cut** found)
{
  unsigned matches = 0;

  PetscFunctionBegin;
  for (std::size_t k = 0; k < s.cuts.size(); ++k)
    if (s.cuts[k]->call == wanted.call) matches |= 1u << k;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &matches, 1, MPI_UNSIGNED, MPI_BAND, PetscObjectComm((PetscObject)A)));
  *found = nullptr;
  for (std::size_t k = 0; k < s.cuts.size() && !*found; ++k)
    if (matches & (1u << k)) {
      *found = s.cuts[k].get();
      std::rotate(s.cuts.begin() + (std::ptrdiff_t)k, s.cuts.begin() + (std::ptrdiff_t)k + 1, s.cuts.end());
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Forgets sets, except for one, that have one of these leaves: PETSc may write another pattern into it. Collective.
PetscErrorCode Forget(Mat A, Submatrices& s, std::vector<PetscObjectId> const& leaves, Cut const* except)
{
  unsigned shared = 0;

  PetscFunctionBegin;
  for (std::size_t k = 0; k < s.cuts.size(); ++k)
    for (PetscObjectId id : s.cuts[k]->leaves)
      if (s.cuts[k].get() != except && std::find(leaves.begin(), leaves.end(), id) != leaves.end()) shared |= 1u << k;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_UNSIGNED, MPI_BOR, PetscObjectComm((PetscObject)A)));
  Erase(s, shared);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Remembers a set. If there are too many, that one is forgotten which was used least recently, first of those whose
/// values have not been found.
PetscErrorCode Remember(Mat A, Submatrices& s, std::unique_ptr<Cut> cut)
{
  PetscFunctionBegin;
  PetscCall(Guarded(A, [&] {
    if (s.cuts.size() == most_cuts) {
      auto const unused = std::find_if(s.cuts.begin(), s.cuts.end(), [](auto const& c) { return !c->found; });
      s.cuts.erase(unused == s.cuts.end() ? s.cuts.begin() : unused);
    }
    s.cuts.push_back(std::move(cut));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Broadcasts A's values to those of the submatrices, both in the memory in which they are. Collective.
PetscErrorCode TakeValues(Mat A, Cut const& cut, std::vector<Mat> const& leaves)
{
  Mat blocks[2];

  PetscFunctionBegin;
  PetscCall(GetBlocks(A, blocks));
  auto const take = [&](PetscSF sf, Mat block, PetscScalar* to, PetscMemType there) -> PetscErrorCode {
    PetscInt num_roots;
    PetscFunctionBegin;
    if (!block) PetscFunctionReturn(PETSC_SUCCESS);  // on all ranks: A is sequential
    PetscCall(PetscSFGetGraph(sf, &num_roots, NULL, NULL, NULL));
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
    if (k < leaves.size()) PetscCall(WithMatrixValuesToWrite(leaves[k], both));
    else PetscCall(both(nullptr, device_memory_of(blocks[0])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells why PETSc's own function has to serve; null on all ranks if it need not. Collective.
PetscErrorCode FindObstacle(Mat A, WhereToCut where, std::vector<Mat> const& leaves, char const** why)
{
  Mat blocks[2];
  VecType type;
  int worst = 0;
  char const* const reasons[] = {nullptr,
                                 "the matrix is on a host",
                                 "it or a submatrix is bound to the host",
                                 "a submatrix has another type than the matrix",
                                 "a submatrix is not assembled",
                                 "asked for"};

  PetscFunctionBegin;
  PetscCall(GetBlocks(A, blocks));
  PetscCall(MatGetVecType(A, &type));
  std::string const name = type;
  bool const on_host = name == VECSTANDARD || name == VECSEQ || name == VECMPI;
  if (on_host && where != WhereToCut::everywhere) worst = 1;
  if (where == WhereToCut::nowhere) worst = 5;
  PetscBool bound;
  PetscCall(MatBoundToCPU(A, &bound));
  for (Mat leaf : leaves) {
    PetscBool same, too;
    PetscCall(MatBoundToCPU(leaf, &too));
    bound = (PetscBool)(bound || too);
    PetscCall(PetscObjectTypeCompare((PetscObject)leaf, ((PetscObject)blocks[0])->type_name, &same));
    if (!same) worst = std::max(worst, 3);
    if (!leaf->assembled || leaf->factortype != MAT_FACTOR_NONE) worst = std::max(worst, 4);
  }
  if (bound && !on_host) worst = std::max(worst, 2);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)A)));
  *why = reasons[worst];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets PETSc's own functions of A's type.
PetscErrorCode FindPetscs(Mat A, CutFunctions* petscs)
{
  Mat other;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &other));
  PetscCall(MatSetType(other, ((PetscObject)A)->type_name));
  petscs->several = other->ops->createsubmatrices;
  petscs->one = other->ops->createsubmatrix;
  PetscCall(MatDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets A's state, or gives A PETSc's functions back: MatAXPY(), MatCopy() and others may keep A's functions, but not
/// what is composed with it.
PetscErrorCode FindOrRestore(Mat A, Submatrices** s, CutFunctions* petscs)
{
  PetscFunctionBegin;
  PetscCall(Find(A, s));
  if (*s) {
    *petscs = (*s)->petscs;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FindPetscs(A, petscs));
  A->ops->createsubmatrices = petscs->several;
  A->ops->createsubmatrix = petscs->one;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Brings the leaves' values on the host up to date, and lets those on a device count as old. PETSc writes into several
/// submatrices of a rank on the host, and does not note that the values on a device are old then.
PetscErrorCode MarkHostAsNewest(std::vector<Mat> const& leaves)
{
  PetscFunctionBegin;
  for (Mat leaf : leaves) {
    PetscBool known;
    PetscScalar* a;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)leaf, MATSEQAIJ, &known));
    if (!known) continue;
    PetscCall(MatSeqAIJGetArray(leaf, &a));
    PetscCall(MatSeqAIJRestoreArray(leaf, &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Takes new values into n submatrices, by PETSc's function if sptrsv cannot.
/// @param sets    of rows and columns, in pairs
/// @param petscs  petscs() takes them by PETSc's function
/// @param with_cut  as for FindSources()
template <class Petscs, class WithCut>
PetscErrorCode TakeNewValues(Mat A, Submatrices& s, std::vector<IS> const& sets, PetscInt n, Mat const submat[],
                             Petscs const& petscs, WithCut const& with_cut)
{
  std::vector<Mat> leaves;
  std::unique_ptr<Cut> wanted;
  Cut* cut = nullptr;
  char const* why = nullptr;
  bool remember = false;

  PetscFunctionBegin;
  PetscCall(GetLeaves(n, submat, &leaves));
  PetscCall(Guarded(A, [&] { wanted = std::make_unique<Cut>(); }));
  if (!s.cuts.empty()) PetscCall(Describe(A, sets, leaves, *wanted));
  PetscCall(FindObstacle(A, s.where, leaves, &why));
  if (!why) {
    PetscCall(FindCut(A, s, *wanted, &cut));
    if (cut && !cut->found) PetscCall(FindSources(A, leaves, with_cut, *cut));
    if (cut && !cut->obstacle.empty()) why = cut->obstacle.c_str();
    if (!cut) why = "the first ones of these submatrices";
    remember = !cut;
  }
  if (!why) {
    PetscCall(TakeValues(A, *cut, leaves));
    ++s.num_updates;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscInfo(A, "New values of submatrices by PETSc's own function: %s\n", why));
  PetscCall(Forget(A, s, wanted->leaves, cut));
  PetscCall(MarkHostAsNewest(leaves));
  PetscCall(petscs());
  if (remember) {
    PetscCall(Describe(A, sets, leaves, *wanted));
    if (!leaves.empty()) PetscCall(Watch(leaves[0], wanted->alive));
    PetscCall(Remember(A, s, std::move(wanted)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatCreateSubMatrices() by sptrsv.
PetscErrorCode CutSeveral(Mat A, PetscInt n, IS const rows[], IS const cols[], MatReuse reuse, Mat* submat[])
{
  Submatrices* s = nullptr;
  CutFunctions petscs;
  std::vector<IS> sets;

  PetscFunctionBegin;
  PetscCall(FindOrRestore(A, &s, &petscs));
  if (s) PetscCall(ForgetDestroyed(A, *s));
  if (!s || reuse != MAT_REUSE_MATRIX) {
    PetscCall(petscs.several(A, n, rows, cols, reuse, submat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Guarded(A, [&] {
    for (PetscInt k = 0; k < n; ++k) sets.insert(sets.end(), {rows[k], cols[k]});
  }));
  PetscCall(TakeNewValues(
      A, *s, sets, n, n ? *submat : nullptr, [&] { return petscs.several(A, n, rows, cols, reuse, submat); },
      [&](Mat numbered, auto const& use) -> PetscErrorCode {
        Mat* cut = nullptr;
        PetscFunctionBegin;
        PetscCall(petscs.several(numbered, n, rows, cols, MAT_INITIAL_MATRIX, &cut));
        PetscErrorCode const code = use(n, cut);
        PetscCall(MatDestroySubMatrices(n, &cut));
        PetscCall(code);
        PetscFunctionReturn(PETSC_SUCCESS);
      }));
  A->submat_singleis = PETSC_FALSE;  // as PETSc does
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatCreateSubMatrix() of a matrix on several ranks by sptrsv.
PetscErrorCode CutOne(Mat A, IS rows, IS cols, MatReuse reuse, Mat* submat)
{
  Submatrices* s = nullptr;
  CutFunctions petscs;

  PetscFunctionBegin;
  PetscCall(FindOrRestore(A, &s, &petscs));
  if (s) PetscCall(ForgetDestroyed(A, *s));
  if (!s || reuse != MAT_REUSE_MATRIX) {
    PetscCall(petscs.one(A, rows, cols, reuse, submat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(TakeNewValues(
      A, *s, {rows, cols}, 1, submat, [&] { return petscs.one(A, rows, cols, reuse, submat); },
      [&](Mat numbered, auto const& use) -> PetscErrorCode {
        Mat cut = nullptr;
        PetscFunctionBegin;
        PetscCall(petscs.one(numbered, rows, cols, MAT_INITIAL_MATRIX, &cut));
        PetscErrorCode const code = use(1, &cut);
        PetscCall(MatDestroy(&cut));
        PetscCall(code);
        PetscFunctionReturn(PETSC_SUCCESS);
      }));
  PetscCall(PetscObjectStateIncrease((PetscObject)*submat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode UseSubmatrixValues(Mat A, WhereToCut where)
{
  Submatrices* s = nullptr;
  CutFunctions petscs;
  VecType type;

  PetscFunctionBegin;
  PetscCall(Find(A, &s));
  PetscCall(MatGetVecType(A, &type));
  std::string const name = type;
  bool const on_host = name == VECSTANDARD || name == VECSEQ || name == VECMPI;
  if (!s && (where == WhereToCut::nowhere || (on_host && where == WhereToCut::on_device)))
    PetscFunctionReturn(PETSC_SUCCESS);
  bool const ours = A->ops->createsubmatrices == CutSeveral;
  if (!s || !ours) PetscCall(FindPetscs(A, &petscs));
  else petscs = s->petscs;
  if (!ours && A->ops->createsubmatrices != petscs.several)
    PetscFunctionReturn(PETSC_SUCCESS);  // a program's own function, for instance that of PCHPDDM
  if (!s) PetscCall(Add(A, &s));
  s->where = where;
  s->petscs = petscs;
  A->ops->createsubmatrices = CutSeveral;
  if (petscs.one && A->ops->createsubmatrix == petscs.one) A->ops->createsubmatrix = CutOne;
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
