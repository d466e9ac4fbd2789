// SPDX-License-Identifier: Apache-2.0
// Finds the sources of the values of submatrices, with submatrices extracted from a matrix whose values are numbers of
// entries. Copies values of this rank, and broadcasts values of other ranks along star forests.
#include "subdomains/value_sources.hpp"

#include <algorithm>
#include <numeric>

#include "access/matrix_arrays.hpp"
#include "access/matrix_values_to_write.hpp"
#include "kokkos/guarded.hpp"

namespace sptrsv_petsc {
namespace {

PetscErrorCode CountEntries(Mat A, PetscInt* count)
{
  PatternAccess m;

  PetscFunctionBegin;
  if (A) PetscCall(m.Get(A, false));
  *count = (PetscInt)m.num_entries;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells whether two matrices have the same entries in the same order.
PetscErrorCode SamePattern(Mat A, Mat B, bool* same)
{
  PatternAccess a, b;

  PetscFunctionBegin;
  PetscCall(a.Get(A, false));
  PetscCall(b.Get(B, false));
  *same = a.n == b.n && a.num_entries == b.num_entries &&
          (!a.n || (std::equal(a.row_ptr, a.row_ptr + a.n + 1, b.row_ptr) &&
                    std::equal(a.col_idx, a.col_idx + a.num_entries, b.col_idx)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds the stream for copies of A's values; null on a host.
PetscErrorCode StreamFor(Mat A, Stream* stream)
{
  Mat blocks[2];
  PetscBool kokkos = PETSC_FALSE;

  PetscFunctionBegin;
  *stream = nullptr;
  PetscCall(GetBlocks(A, blocks));
#if defined(PETSC_HAVE_KOKKOS_KERNELS)
  PetscCall(PetscObjectTypeCompare((PetscObject)blocks[0], MATSEQAIJKOKKOS, &kokkos));
#endif
  if (has_device && device_memory_of(blocks[0]) != PETSC_MEMTYPE_HOST) PetscCall(CurrentStream(kokkos, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Exec, class Indices, class Values>
void CopyValues(Exec const& exec, Indices sources, Indices targets, Values from, Scalar* to)
{
  bool const in_order = targets.extent(0) == 0;
  Kokkos::parallel_for(
      "sptrsv::petsc::copy_values", Kokkos::RangePolicy<Exec, Kokkos::IndexType<PetscInt>>(exec, 0, sources.extent(0)),
      KOKKOS_LAMBDA(PetscInt k) { to[in_order ? k : targets(k)] = from(sources(k)); });
}

template <class Exec>
struct CopyState {
  Kokkos::View<PetscInt*, Kokkos::Device<Exec, typename Exec::memory_space>> sources, targets;
  sptrsv::StagedValues<Scalar, Exec> staging;
};

template <class Exec>
class CopyOnSpace final : public OnSpace<LocalCopy, Exec, CopyState<Exec>> {
 public:
  using Base = OnSpace<LocalCopy, Exec, CopyState<Exec>>;
  using T = sptrsv::Types<Scalar, PetscInt, PetscInt, Exec>;

  CopyOnSpace(Stream stream, std::vector<PetscInt> const& sources, std::vector<PetscInt> const& targets) : Base(stream)
  {
    this->set_state({this->copied(sources.data(), sources.size()), this->copied(targets.data(), targets.size()), {}});
  }
  void run(MatrixValues const& from, Scalar* to) override
  {
    auto& s = this->state();
    CopyValues(this->exec(), s.sources, s.targets, ValuesOfMatrix<T>(this->exec(), s.staging, from), to);
    if constexpr (Base::host) this->exec().fence("sptrsv::petsc: the values are copied");
  }
};

/// Makes a LocalCopy in host memory, or on the GPU, where its work first goes to `stream`.
/// @param targets  positions in the submatrix' values; empty: 0, 1, ...
std::unique_ptr<LocalCopy> MakeLocalCopy(bool device, Stream stream, std::vector<PetscInt> const& sources,
                                         std::vector<PetscInt> const& targets)
{
  if (device) return std::make_unique<CopyOnSpace<DeviceExec>>(stream, sources, targets);
  return std::make_unique<CopyOnSpace<Kokkos::DefaultHostExecutionSpace>>(stream, sources, targets);
}

/// Values of a submatrix that come from one of A's blocks.
struct Found {
  std::vector<PetscInt> own, own_targets;       // value own_targets[j] is own value own[j]; empty targets: 0, 1, ...
  std::vector<PetscInt> ranks, roots, targets;  // value targets[j] is value roots[j] of the other rank ranks[j]

  void add_own(PetscInt source, PetscInt target)
  {
    if (in_order_ && own.size() != (std::size_t)target) {
      in_order_ = false;
      own_targets.resize(own.size());
      std::iota(own_targets.begin(), own_targets.end(), 0);
    }
    own.push_back(source);
    if (!in_order_) own_targets.push_back(target);
  }

 private:
  bool in_order_ = true;
};

/// Makes the index-valued copy of a sequential A: a matrix in host memory that uses A's pattern.
PetscErrorCode NumberOnHost(Mat A, EntryNumbers const& numbers, IndexValuedCopy* numbered)
{
  PetscInt num_rows, num_cols;
  PatternAccess m;

  PetscFunctionBegin;
  PetscCall(Guarded(A, [&] {
    numbered->values.resize((std::size_t)numbers.counts[0]);
    for (std::size_t k = 0; k < numbered->values.size(); ++k) numbered->values[k] = (PetscScalar)(PetscReal)k;
  }));
  PetscCall(MatGetSize(A, &num_rows, &num_cols));
  PetscCall(m.Get(A, false));
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, num_rows, num_cols, const_cast<PetscInt*>(m.row_ptr),
                                      const_cast<PetscInt*>(m.col_idx), numbered->values.data(), &numbered->matrix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the index-valued copy of a parallel A, by MatDuplicate().
PetscErrorCode NumberBlocks(Mat A, EntryNumbers const& numbers, IndexValuedCopy* numbered)
{
  Mat blocks[2];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscInt64 first = numbers.firsts[(std::size_t)rank];
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &numbered->matrix));
  PetscCheck(numbered->matrix, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "MatDuplicate() has made no matrix");
  PetscCall(GetBlocks(numbered->matrix, blocks));
  for (int b = 0; b < 2 && blocks[b]; ++b) {
    PetscScalar* a;
    PetscCall(MatSeqAIJGetArrayWrite(blocks[b], &a));
    for (PetscInt k = 0; k < numbers.counts[b]; ++k) a[k] = (PetscScalar)(PetscReal)(first + k);
    PetscCall(MatSeqAIJRestoreArrayWrite(blocks[b], &a));
    PetscCall(PetscObjectStateIncrease((PetscObject)blocks[b]));
    first += numbers.counts[b];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Returns this rank's error, or an error if another rank has failed. No rank then waits for the one that has failed.
PetscErrorCode OnAllRanks(MPI_Comm comm, PetscErrorCode code)
{
  int failed = code != PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm));
  PetscCall(code);
  PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_LIB, "Another rank could not find the values of its submatrices");
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

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

PetscErrorCode NumberEntries(Mat A, EntryNumbers* numbers)
{
  MPI_Comm const comm = PetscObjectComm((PetscObject)A);
  Mat blocks[2];
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(GetBlocks(A, blocks));
  numbers->num_blocks = blocks[1] ? 2 : 1;
  for (int b = 0; b < 2; ++b) PetscCall(CountEntries(blocks[b], &numbers->counts[b]));
  PetscCall(Guarded(A, [&] {
    numbers->firsts.assign((std::size_t)size + 1, 0);
    numbers->diagonal_counts.assign((std::size_t)size, 0);
  }));
  PetscInt64 const mine = (PetscInt64)numbers->counts[0] + numbers->counts[1], inside = numbers->counts[0];
  PetscCallMPI(MPI_Allgather(&mine, 1, MPIU_INT64, numbers->firsts.data() + 1, 1, MPIU_INT64, comm));
  PetscCallMPI(MPI_Allgather(&inside, 1, MPIU_INT64, numbers->diagonal_counts.data(), 1, MPIU_INT64, comm));
  for (std::size_t r = 0; r < (std::size_t)size; ++r) numbers->firsts[r + 1] += numbers->firsts[r];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HasPlainValues(Mat A, bool* plain)
{
  PetscBool known;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &known, MATSEQAIJ, MATMPIAIJ, MATSEQAIJKOKKOS, MATMPIAIJKOKKOS,
                                      MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, "seqaijhipsparse", "mpiaijhipsparse", ""));
  *plain = known;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeIndexValuedCopy(Mat A, EntryNumbers const& numbers, IndexValuedCopy* numbered)
{
  Mat blocks[2];

  PetscFunctionBegin;
  PetscCall(GetBlocks(A, blocks));
  if (blocks[1]) PetscCall(NumberBlocks(A, numbers, numbered));
  else PetscCall(NumberOnHost(A, numbers, numbered));
  numbered->matrix->submat_singleis = A->submat_singleis;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Adds the sources of a submatrix. Collective on A.
/// @param numbered  copy of the submatrix whose values are numbers of A's entries
/// @param submatrix      null, like `numbered`, if this rank has fewer submatrices than others
PetscErrorCode ValueSources::Add(Mat A, EntryNumbers const& numbers, Mat numbered, Mat submatrix)
{
  MPI_Comm const comm = PetscObjectComm((PetscObject)A);
  Found found[2];
  PetscInt num_values;
  PetscMPIInt size, self;
  PetscScalar const* a = nullptr;
  Stream stream;
  bool const device = submatrix && device_memory_of(submatrix) != PETSC_MEMTYPE_HOST;
  bool const local = has_device || !device;  // false: only PETSc can access the device

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &self));
  PetscCall(CountEntries(numbered, &num_values));
  PetscCall(EnsureKokkos());
  PetscCall(StreamFor(A, &stream));
  if (numbered) PetscCall(MatSeqAIJGetArrayRead(numbered, &a));
  PetscErrorCode const code = Guarded(A, [&] {
    std::size_t rank = (std::size_t)self;
    sources_.resize(sources_.size() + 2);
    found[0].own.reserve((std::size_t)num_values);
    for (PetscInt k = 0; k < num_values; ++k) {
      auto const number = (PetscInt64)PetscRealPart(a[k]);
      if (number < numbers.firsts[rank] || number >= numbers.firsts[rank + 1])
        rank = (std::size_t)(std::upper_bound(numbers.firsts.begin(), numbers.firsts.end(), number) -
                             numbers.firsts.begin() - 1);
      PetscInt64 const at = number - numbers.firsts[rank], inside = numbers.diagonal_counts[rank];
      int const block = at >= inside;
      Found& f = found[block];
      auto const root = (PetscInt)(block ? at - inside : at);
      if (local && rank == (std::size_t)self) {
        f.add_own(root, k);
      } else {
        f.ranks.push_back((PetscInt)rank);
        f.roots.push_back(root);
        f.targets.push_back(k);
      }
    }
    for (int block = 0; block < numbers.num_blocks; ++block) {
      Found& f = found[block];
      BlockSource& source = *(sources_.end() - 2 + block);
      if (!f.own.empty()) source.own = MakeLocalCopy(device, stream, f.own, f.own_targets);
    }
  });
  if (numbered) PetscCall(MatSeqAIJRestoreArrayRead(numbered, &a));
  PetscCall(OnAllRanks(comm, code));
  if (size == 1 && local) PetscFunctionReturn(PETSC_SUCCESS);
  for (int block = 0; block < numbers.num_blocks; ++block) {
    Found& f = found[block];
    PetscSF& forest = (sources_.end() - 2 + block)->others;
    auto const count = (PetscInt)f.roots.size();
    PetscSFNode* nodes;  // no std::vector: nvcc 13.0 ends with an internal error
    PetscCall(PetscMalloc1(count, &nodes));
    for (PetscInt k = 0; k < count; ++k) {
      nodes[k].rank = f.ranks[(std::size_t)k];
      nodes[k].index = f.roots[(std::size_t)k];
    }
    PetscCall(PetscSFCreate(comm, &forest));
    PetscCall(PetscSFSetGraph(forest, numbers.counts[block], count, f.targets.data(), PETSC_COPY_VALUES, nodes,
                              PETSC_OWN_POINTER));
    PetscCall(PetscSFSetUp(forest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ValueSources::Find(Mat A, EntryNumbers const& numbers, std::vector<Mat> const& numbered,
                                  std::vector<Mat> const& submatrices, bool* same)
{
  MPI_Comm const comm = PetscObjectComm((PetscObject)A);
  PetscInt most_submatrices = (PetscInt)submatrices.size();
  int equal = numbered.size() == submatrices.size();

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most_submatrices, 1, MPIU_INT, MPI_MAX, comm));
  for (std::size_t k = 0; equal && k < submatrices.size(); ++k) {
    bool of_submatrix = false;
    PetscCall(SamePattern(numbered[k], submatrices[k], &of_submatrix));
    equal = of_submatrix;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_MIN, comm));
  *same = equal;
  std::copy_n(numbers.counts, 2, counts_);
  for (std::size_t k = 0; equal && k < (std::size_t)most_submatrices; ++k) {
    bool const here = k < submatrices.size();
    PetscCall(Add(A, numbers, here ? numbered[k] : nullptr, here ? submatrices[k] : nullptr));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Takes the values of one of A's blocks into a submatrix. Collective on A.
/// @param to     the submatrix's values, in memory `there`; null: this rank has fewer submatrices than others
/// @param count  number of entries of the block
PetscErrorCode ValueSources::Take(BlockSource const& source, Stream stream, Mat block, PetscInt count, PetscScalar* to,
                                  PetscMemType there) const
{
  PetscErrorCode code = PETSC_SUCCESS;
  ValueAccess values;

  PetscFunctionBegin;
  if (!source.own && !source.others) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(values.Get(block, there != PETSC_MEMTYPE_HOST, (std::size_t)count));
  PetscMemType const here = values.on_device ? there : PETSC_MEMTYPE_HOST;
  if (source.others)
    PetscCall(PetscSFBcastWithMemTypeBegin(source.others, MPIU_SCALAR, here, values.data, there, to, MPI_REPLACE));
  if (source.own)
    code = Guarded(block, [&] {
      source.own->follow(stream);
      source.own->run(values, scalars(to));
    });
  if (source.others) PetscCall(PetscSFBcastEnd(source.others, MPIU_SCALAR, values.data, to, MPI_REPLACE));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ValueSources::TakeValues(Mat A, std::vector<Mat> const& submatrices) const
{
  Mat blocks[2];
  Stream stream;

  PetscFunctionBegin;
  PetscCall(GetBlocks(A, blocks));
  PetscCall(StreamFor(A, &stream));
  for (std::size_t k = 0; k < sources_.size() / 2; ++k) {
    Mat const submatrix = k < submatrices.size() ? submatrices[k] : nullptr;
    auto const both = [&](PetscScalar* to, PetscMemType there) -> PetscErrorCode {
      PetscFunctionBegin;
      PetscCall(Take(sources_[2 * k], stream, blocks[0], counts_[0], to, there));
      PetscCall(Take(sources_[2 * k + 1], stream, blocks[1], counts_[1], to, there));
      PetscFunctionReturn(PETSC_SUCCESS);
    };
    if (submatrix) PetscCall(WithMatrixValuesToWrite(submatrix, both));
    else PetscCall(both(nullptr, device_memory_of(blocks[0])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
