// SPDX-License-Identifier: Apache-2.0
// The option -mat_sptrsv_blocks: factors that leave out the entries of a matrix between blocks of consecutive rows.
#include "factor/row_blocks.hpp"

#include <algorithm>

#include "access/matrix_checks.hpp"

namespace sptrsv_petsc {

/// Creates the copy, with columns that ascend in each row, and values 0.
PetscErrorCode FilteredMatrix::Make(Mat A, sptrsv::RowPartition const& partition)
{
  PetscBool aij;
  PetscInt bs, n;
  std::vector<PetscInt> row_ptr, col_idx;

  PetscFunctionBegin;
  release();
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  PetscCall(MatGetBlockSize(A, &bs));
  sptrsv::RowRules rules;  // refuse columns that are stored twice
  if (!aij) rules.block_size = (int)bs;
  PetscCall(RequireProperRows(A, rules));
  PetscCall(WithMatrixPattern(A, false, [&](MatrixArrays const& m) {
    return Guarded(A, [&] {
      row_ptr.assign(1, 0);
      for (PetscInt i = 0; i < m.n; ++i) {
        auto const first = static_cast<std::ptrdiff_t>(positions_.size());
        for (PetscInt k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k)
          if (partition.couples(i, m.col_idx[k], m.n)) positions_.push_back(k);
        std::sort(positions_.begin() + first, positions_.end(),
                  [&](PetscInt a, PetscInt b) { return m.col_idx[a] < m.col_idx[b]; });
        row_ptr.push_back(static_cast<PetscInt>(positions_.size()));
      }
      for (PetscInt k : positions_) col_idx.push_back(m.col_idx[k]);
    });
  }));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatCreate(PETSC_COMM_SELF, &matrix_));
  PetscCall(MatSetOptionsPrefix(matrix_, "sptrsv_blocks_"));  // so that the program's -mat_view does not print it
  PetscCall(MatSetSizes(matrix_, n, n, n, n));
  PetscCall(MatSetBlockSize(matrix_, bs));
  PetscCall(MatSetType(matrix_, BaseType(A)));
  // Rows of an inode have equal columns in the copy, and maybe not in A, so that an ordering of A may part them:
  // PETSc's LU is wrong then, or crashes (docs/petsc_faults.md, ordering_splits_inodes).
  if (aij) PetscCall(MatSetOption(matrix_, MAT_USE_INODES, PETSC_FALSE));
  // each of these does nothing to matrices of the other types
  PetscCall(MatSeqAIJSetPreallocationCSR(matrix_, row_ptr.data(), col_idx.data(), NULL));
  PetscCall(MatSeqBAIJSetPreallocationCSR(matrix_, bs, row_ptr.data(), col_idx.data(), NULL));
  PetscCall(MatSeqSBAIJSetPreallocationCSR(matrix_, bs, row_ptr.data(), col_idx.data(), NULL));
  PetscCall(MarkDiagonal(matrix_));
  value_size_ = aij ? 1 : (std::size_t)(bs * bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Copies A's values to the copy, and the properties of A that PETSc's factorizations read.
PetscErrorCode FilteredMatrix::CopyValues(Mat A)
{
  PetscFunctionBegin;
  PetscCall(WithMatrixValues(A, false, 0, [&](MatrixValues const& from) {
    return WithMatrixValues(matrix_, false, 0, [&](MatrixValues const& values) {
      auto* out = const_cast<Scalar*>(values.data);
      for (PetscInt k : positions_)
        out = std::copy_n(from.data + static_cast<std::size_t>(k) * value_size_, value_size_, out);
      return PETSC_SUCCESS;
    });
  }));
  PetscCall(PetscObjectStateIncrease((PetscObject)matrix_));
  PetscCall(MatPropagateSymmetryOptions(A, matrix_));
  PetscCall(MatSetErrorIfFailure(matrix_, A->erroriffailure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FilteredMatrix::Refresh(Mat A, sptrsv::RowPartition const& partition, Mat* matrix)
{
  PatternStamp now;

  PetscFunctionBegin;
  *matrix = A;
  if (partition.couples_all()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StampPattern(A, false, &now));
  if (!matrix_ || !(now == stamp_)) {
    PetscCall(Make(A, partition));
    stamp_ = now;
  }
  PetscCall(CopyValues(A));
  *matrix = matrix_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadRowBlocks(Mat F, Mat A, sptrsv::RowPartition* partition)
{
  char const* const name = "-mat_sptrsv_blocks";
  char const* const prefix = ((PetscObject)F)->prefix;
  PetscInt blocks = 1, bs;
  bool const aij = BaseType(A) && !std::strcmp(BaseType(A), MATSEQAIJ);

  PetscFunctionBegin;
  PetscOptionsBegin(PetscObjectComm((PetscObject)F), prefix, "Triangular solver, blocks of rows", "MatSolverType");
  PetscCall(PetscOptionsInt(name, "Blocks of consecutive rows; entries of the matrix between two of them are left out",
                            "MatSolverType", blocks, &blocks, NULL));
  PetscOptionsEnd();
  PetscCall(MatGetBlockSize(A, &bs));
  PetscInt const units = A->rmap->n / bs, most = PetscMax(units, 1);
  PetscCheck(blocks >= 1 && blocks <= most, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_OUTOFRANGE,
             "Option -%s%s is %" PetscInt_FMT ", and the matrix has %" PetscInt_FMT " %s; give 1 to %" PetscInt_FMT,
             prefix ? prefix : "", name + 1, blocks, units, bs > 1 ? "block rows" : "rows", most);
  partition->parts = blocks;
  partition->unit = aij ? bs : 1;  // patterns of matrices with blocks are counted in block rows
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
