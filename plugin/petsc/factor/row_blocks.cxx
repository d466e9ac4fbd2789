// SPDX-License-Identifier: Apache-2.0
// -mat_sptrsv_blocks: factors that leave out the entries of a matrix between blocks of consecutive rows.
#include <algorithm>

#include "access/matrix_checks.hpp"
#include "factor/factor_state.hpp"

namespace sptrsv_petsc {
namespace {

/// Creates F's filtered copy of A, with columns that ascend in each row, and values 0.
PetscErrorCode MakeFiltered(Mat F, Mat A)
{
  Mat_SpTRSV* f = Get(F);
  FilteredMatrix& to = f->filtered;
  PetscBool aij;
  PetscInt bs, n, num_inodes = 0;
  std::vector<PetscInt> row_ptr, col_idx;

  PetscFunctionBegin;
  PetscCall(ReleaseFiltered(to));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  PetscCall(MatGetBlockSize(A, &bs));
  sptrsv::RowRules rules;  // no column twice
  if (!aij) rules.block_size = (int)bs;
  PetscCall(RequireProperRows(A, rules));
  PetscCall(WithMatrixPattern(A, false, [&](MatrixArrays const& m) {
    return Guarded(F, [&] {
      row_ptr.assign(1, 0);
      for (PetscInt i = 0; i < m.n; ++i) {
        auto const first = static_cast<std::ptrdiff_t>(to.places.size());
        for (PetscInt k = m.row_ptr[i]; k < m.row_ptr[i + 1]; ++k)
          if (f->partition.couples(i, m.col_idx[k], m.n)) to.places.push_back(k);
        std::sort(to.places.begin() + first, to.places.end(),
                  [&](PetscInt a, PetscInt b) { return m.col_idx[a] < m.col_idx[b]; });
        row_ptr.push_back(static_cast<PetscInt>(to.places.size()));
      }
      for (PetscInt place : to.places) col_idx.push_back(m.col_idx[place]);
    });
  }));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  if (aij) PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));
  PetscCall(MatCreate(PETSC_COMM_SELF, &to.matrix));
  PetscCall(MatSetOptionsPrefix(to.matrix, "sptrsv_blocks_"));  // so that the program's -mat_view does not print it
  PetscCall(MatSetSizes(to.matrix, n, n, n, n));
  PetscCall(MatSetBlockSize(to.matrix, bs));
  PetscCall(MatSetType(to.matrix, f->matrix_type));
  if (aij && num_inodes == 0)
    PetscCall(MatSetOption(to.matrix, MAT_USE_INODES, PETSC_FALSE));  // A has none, maybe by MatSetOption()
  // each of these does nothing to matrices of the other types
  PetscCall(MatSeqAIJSetPreallocationCSR(to.matrix, row_ptr.data(), col_idx.data(), NULL));
  PetscCall(MatSeqBAIJSetPreallocationCSR(to.matrix, bs, row_ptr.data(), col_idx.data(), NULL));
  PetscCall(MatSeqSBAIJSetPreallocationCSR(to.matrix, bs, row_ptr.data(), col_idx.data(), NULL));
  to.value_size = aij ? 1 : (std::size_t)(bs * bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Copies the values of A to a filtered copy of it, with the properties that PETSc's factorizations look at.
PetscErrorCode CopyValues(Mat A, FilteredMatrix& to)
{
  PetscFunctionBegin;
  PetscCall(WithMatrixValues(A, false, 0, [&](MatrixValues const& from) {
    return WithMatrixValues(to.matrix, false, 0, [&](MatrixValues const& values) {
      auto* out = const_cast<Scalar*>(values.data);
      for (PetscInt place : to.places)
        out = std::copy_n(from.data + static_cast<std::size_t>(place) * to.value_size, to.value_size, out);
      return PETSC_SUCCESS;
    });
  }));
  PetscCall(PetscObjectStateIncrease((PetscObject)to.matrix));
  PetscCall(MatPropagateSymmetryOptions(A, to.matrix));
  PetscCall(MatSetErrorIfFailure(to.matrix, A->erroriffailure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode ReadRowBlocks(Mat F, Mat A)
{
  Mat_SpTRSV* f = Get(F);
  char const* const name = "-mat_sptrsv_blocks";
  char const* const prefix = ((PetscObject)F)->prefix;
  PetscInt blocks = 1, bs;
  bool const aij = !std::strcmp(f->matrix_type, MATSEQAIJ);

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
  f->partition.parts = blocks;
  f->partition.unit = aij ? bs : 1;  // patterns of matrices with blocks are those of their block rows
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatrixForPetsc(Mat F, Mat A, Mat* matrix)
{
  Mat_SpTRSV* f = Get(F);
  PatternStamp now;

  PetscFunctionBegin;
  *matrix = A;
  if (f->partition.couples_all()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StampPattern(A, false, &now));
  if (!f->filtered.matrix || !(now == f->filtered.of)) PetscCall(MakeFiltered(F, A));
  f->filtered.of = now;
  PetscCall(CopyValues(A, f->filtered));
  *matrix = f->filtered.matrix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReleaseFiltered(FilteredMatrix& filtered)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&filtered.matrix));
  filtered = FilteredMatrix{};
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
