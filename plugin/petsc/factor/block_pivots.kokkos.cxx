// SPDX-License-Identifier: Apache-2.0
// Factors of seqaij matrices with dense blocks as pivots: the matrix of blocks, and the copy of its values.
#include "factor/block_pivots.hpp"

#include <algorithm>

#include "access/orderings.hpp"
#include "factor/petsc_factor.hpp"

namespace sptrsv_petsc {
namespace {

template <class Exec>
struct BlockCopyState {
  using device = Kokkos::Device<Exec, typename Exec::memory_space>;
  Kokkos::View<PetscInt*, device> entry_of;
  Kokkos::View<Scalar*, device> values;
  sptrsv::StagedValues<Scalar, Exec> staging;
};

template <class Exec, class Indices, class From, class To>
void CopyToBlocks(Exec const& exec, Indices entry_of, From from, To to)
{
  Kokkos::parallel_for(
      "sptrsv::petsc::copy_to_blocks", sptrsv::detail::range_of<std::size_t>(exec, entry_of.extent(0)),
      KOKKOS_LAMBDA(std::size_t k) { to(k) = entry_of(k) < 0 ? Scalar(0) : from(entry_of(k)); });
}

template <class Exec>
class BlockValuesOn final : public OnSpace<BlockValues, Exec, BlockCopyState<Exec>> {
 public:
  using Base = OnSpace<BlockValues, Exec, BlockCopyState<Exec>>;
  using T = sptrsv::Types<Scalar, PetscInt, PetscInt, Exec>;

  BlockValuesOn(Stream stream, std::vector<PetscInt> const& entry_of) : Base(stream)
  {
    using values = decltype(BlockCopyState<Exec>::values);
    this->set_state({this->copied(entry_of.data(), entry_of.size()),
                     sptrsv::detail::raw_view<values>(this->exec(), "sptrsv::petsc::blocks", entry_of.size()),
                     {}});
  }
  MatrixValues run(MatrixValues const& from) override
  {
    auto& s = this->state();
    CopyToBlocks(this->exec(), s.entry_of, ValuesOfMatrix<T>(this->exec(), s.staging, from), s.values);
    if constexpr (Base::host) this->exec().fence("sptrsv::petsc: the values are copied");
    return {s.values.data(), s.values.extent(0), !Base::host};
  }
};

/// Makes a BlockValues on the GPU, where its work first goes to `stream`, or in host memory.
/// @param entry_of  entry of the matrix for each value of the blocks; -1: none
std::unique_ptr<BlockValues> MakeBlockValues(bool device, Stream stream, std::vector<PetscInt> const& entry_of)
{
  if (device) return std::make_unique<BlockValuesOn<DeviceExec>>(stream, entry_of);
  return std::make_unique<BlockValuesOn<Kokkos::DefaultHostExecutionSpace>>(stream, entry_of);
}

/// Finds the pattern of A's dense blocks, columns ascending, and the entry of A for each value of the blocks.
/// @param entry_of  by block, then by columns; -1: A has no such entry
/// @return the first row that has two entries in a column, or -1
PetscInt FindBlocks(MatrixArrays const& A, PetscInt bs, std::vector<PetscInt>& row_ptr, std::vector<PetscInt>& col_idx,
                    std::vector<PetscInt>& entry_of)
{
  auto const at = [](auto i) { return static_cast<std::size_t>(i); };
  PetscInt const n = A.n / bs;
  std::vector<PetscInt> position(at(n), -1);  // of a block column in the current block row
  row_ptr.assign(1, 0);
  col_idx.clear();
  entry_of.clear();
  for (PetscInt block = 0; block < n; ++block) {
    std::size_t const first = col_idx.size();
    for (PetscInt k = A.row_ptr[block * bs]; k < A.row_ptr[(block + 1) * bs]; ++k) {
      PetscInt const column = A.col_idx[k] / bs;
      if (position[at(column)] >= 0) continue;
      position[at(column)] = 0;
      col_idx.push_back(column);
    }
    std::sort(col_idx.begin() + static_cast<std::ptrdiff_t>(first), col_idx.end());
    for (std::size_t b = first; b < col_idx.size(); ++b) position[at(col_idx[b])] = static_cast<PetscInt>(b);
    entry_of.resize(col_idx.size() * at(bs) * at(bs), -1);
    for (PetscInt r = 0; r < bs; ++r)
      for (PetscInt k = A.row_ptr[block * bs + r]; k < A.row_ptr[block * bs + r + 1]; ++k) {
        auto const b = at(position[at(A.col_idx[k] / bs)]);
        PetscInt& entry = entry_of[(b * at(bs) + at(A.col_idx[k] % bs)) * at(bs) + at(r)];
        if (entry >= 0) return block * bs + r;
        entry = k;
      }
    for (std::size_t b = first; b < col_idx.size(); ++b) position[at(col_idx[b])] = -1;
    row_ptr.push_back(static_cast<PetscInt>(col_idx.size()));
  }
  return -1;
}

}  // namespace

BlockPivots::~BlockPivots()
{
  (void)ISDestroy(&task_.rows);
  (void)ISDestroy(&task_.cols);
  (void)MatDestroy(&blocks_);
}

/// Reads an ordering of rows as one of blocks, which the caller destroys.
PetscErrorCode BlockPivots::ReadOrdering(IS is, PetscInt bs, IS* blocks)
{
  PetscInt size, k = 0;
  PetscInt const* rows;
  std::vector<PetscInt> order;

  PetscFunctionBegin;
  *blocks = nullptr;
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(is, &size));
  PetscCall(ISGetIndices(is, &rows));
  while (k < size && rows[k] == rows[k - k % bs] + k % bs && rows[k - k % bs] % bs == 0) ++k;
  PetscErrorCode const code = Guarded(is, [&] {
    for (PetscInt b = 0; k == size && b < size / bs; ++b) order.push_back(rows[b * bs] / bs);
  });
  PetscCall(ISRestoreIndices(is, &rows));
  PetscCall(code);
  PetscCheck(k == size, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The ordering separates the rows of block %" PetscInt_FMT " of %" PetscInt_FMT
             " rows, which -mat_sptrsv_block_pivots takes as one; use -pc_factor_mat_ordering_type natural",
             k / bs, bs);
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, (PetscInt)order.size(), order.data(), PETSC_COPY_VALUES, blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the matrix of blocks, without values.
PetscErrorCode BlockPivots::MakeBlocks(FactorTask const& task, Mat A)
{
  PetscInt const bs = block_size_;
  PetscInt twice = -1;
  PatternAccess arrays;
  PetscBool known, is;
  std::vector<PetscInt> row_ptr, col_idx;
  MPI_Comm const comm = PetscObjectComm((PetscObject)task.F);

  PetscFunctionBegin;
  stamp_ = PatternStamp{};  // so that the next numeric phase makes them again if this one fails
  copy_.reset();
  PetscCall(MatDestroy(&blocks_));
  PetscCall(arrays.Get(A, false));
  PetscCall(Guarded(task.F, [&] { twice = FindBlocks(arrays, bs, row_ptr, col_idx, entry_of_); }));
  PetscCheck(twice < 0, comm, PETSC_ERR_ARG_WRONG,
             "Row %" PetscInt_FMT " of the matrix has two entries in one column; assemble it with MatSetValues()",
             twice);
  PetscCheck(entry_of_.size() <= (std::size_t)PETSC_MAX_INT, comm, PETSC_ERR_SUP,
             "The matrix has %zu values in dense blocks of %" PetscInt_FMT
             " rows, more than PetscInt counts; use a PETSc with 64-bit indices, or more ranks",
             entry_of_.size(), bs);
  PetscCall(MatCreate(PETSC_COMM_SELF, &blocks_));
  PetscCall(MatSetOptionsPrefix(blocks_, "sptrsv_blocks_"));  // -mat_view is for matrices of the program
  PetscCall(MatSetSizes(blocks_, A->rmap->n, A->cmap->n, A->rmap->n, A->cmap->n));
  PetscCall(MatSetType(blocks_, MATSEQBAIJ));
  PetscCall(MatSeqBAIJSetPreallocationCSR(blocks_, bs, row_ptr.data(), col_idx.data(), NULL));
  PetscCall(MatIsSymmetricKnown(A, &known, &is));
  if (known) PetscCall(MatSetOption(blocks_, MAT_SYMMETRIC, is));
  PetscCall(MatIsHermitianKnown(A, &known, &is));
  if (known) PetscCall(MatSetOption(blocks_, MAT_HERMITIAN, is));
  PetscCall(StampPattern(A, task.backend.device, &stamp_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockPivots::Analyze(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                                    FactorArrays* pattern, std::unique_ptr<FactorSource>*)
{
  PetscInt bs;
  IS rows, cols;
  std::unique_ptr<FactorSource> next;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCheck(bs > 1, PetscObjectComm((PetscObject)task.F), PETSC_ERR_ARG_WRONG,
             "Option -%smat_sptrsv_block_pivots needs a matrix with a block size, and this one has 1; call "
             "MatSetBlockSize()",
             task.prefix());
  block_size_ = bs;
  PetscCall(MakeBlocks(task, A));
  task_ = task;
  task_.matrix_type = MATSEQBAIJ;
  task_.rows = task_.cols = nullptr;
  PetscCall(ReadOrdering(task.rows, bs, &rows));
  PetscErrorCode const of_rows = FitOrdering(blocks_, task.kind, rows, &task_.rows);
  PetscCall(ISDestroy(&rows));
  PetscCall(of_rows);
  PetscCall(ReadOrdering(task.cols, bs, &cols));
  PetscErrorCode const of_cols = FitOrdering(blocks_, task.kind, cols, &task_.cols);
  PetscCall(ISDestroy(&cols));
  PetscCall(of_cols);
  for (;;) {
    PetscCall(source_->Analyze(task_, blocks_, info, event, pattern, &next));
    if (!next) break;
    source_ = std::move(next);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockPivots::Prepare(FactorTask const&, Mat, AnyFactorSolver const& solver,
                                    std::unique_ptr<FactorSource>*)
{
  std::unique_ptr<FactorSource> next;

  PetscFunctionBegin;
  PetscCall(source_->Prepare(task_, blocks_, solver, &next));
  if (next) source_ = std::move(next);  // analyzed already: PETSc's symbolic phase has found the pattern of the blocks
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Copies A's values to the blocks.
PetscErrorCode BlockPivots::CopyValues(FactorTask const& task, Mat A)
{
  Stream stream;
  ValueAccess a;
  PatternStamp now;
  bool const by_petsc = dynamic_cast<PetscFactor*>(source_.get()) != nullptr;

  PetscFunctionBegin;
  PetscCall(StampPattern(A, task.backend.device, &now));
  if (!blocks_ || !(now == stamp_)) PetscCall(MakeBlocks(task, A));
  PetscCall(MatSetErrorIfFailure(blocks_, A->erroriffailure));
  PetscCall(a.Get(A, task.backend.device && !by_petsc, stamp_.entries));
  if (by_petsc) {
    PetscScalar* to;
    PetscCall(MatSeqBAIJGetArray(blocks_, &to));
    for (std::size_t k = 0; k < entry_of_.size(); ++k)
      scalars(to)[k] = entry_of_[k] < 0 ? Scalar(0) : a.data[entry_of_[k]];
    PetscCall(MatSeqBAIJRestoreArray(blocks_, &to));
    PetscCall(PetscObjectStateIncrease((PetscObject)blocks_));
    task_.values = nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (task.backend.device && !a.on_device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(a.size * sizeof(Scalar))));
  PetscCall(CurrentStream(task.backend.kokkos, &stream));
  PetscCall(Guarded(task.F, [&] {
    if (!copy_) copy_ = MakeBlockValues(task.backend.device, stream, entry_of_);
    copy_->follow(stream);
    copied_ = copy_->run(a);
  }));
  task_.values = &copied_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockPivots::Compute(FactorTask const& task, Mat A, MatFactorInfo const* info, LoggedEvent& event,
                                    std::optional<FactorArrays>* pattern, FactorValueArrays* values)
{
  PetscFunctionBegin;
  PetscCall(CopyValues(task, A));
  PetscCall(source_->Compute(task_, blocks_, info, event, pattern, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlockPivots::View(FactorTask const&, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  pivots are blocks of %" PetscInt_FMT " x %" PetscInt_FMT "\n",
                                   block_size_, block_size_));
  PetscCall(source_->View(task_, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::size_t BlockPivots::memory_bytes() const
{
  // entry_of_ and the values of blocks_, and copy_ has both once more
  return source_->memory_bytes() + (copy_ ? 2 : 1) * entry_of_.size() * (sizeof(PetscInt) + sizeof(Scalar));
}

}  // namespace sptrsv_petsc
