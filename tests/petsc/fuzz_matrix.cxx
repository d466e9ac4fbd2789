// SPDX-License-Identifier: Apache-2.0
// Draws random matrices, and checks that both sides stay equal.
#include "fuzz_matrix.hpp"

#include <cmath>
#include <cstring>

namespace fuzz {

std::vector<std::string> types_allowed = {MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ};

namespace {

constexpr int block_sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 11};

}  // namespace

std::string factor_forced;
bool own_rounding = false;

Matrices::Matrices(Draw& draw) : draw_(draw) {
  type_ = types_allowed[static_cast<std::size_t>(draw_.from(0, static_cast<int>(types_allowed.size()) - 1))];
  bs_ = blocks() ? draw_.pick(block_sizes) : 1;
  inodes_ = draw_.chance(50);
  block_rows_ = draw_.from(1, PetscMax(40 / (int)bs_, 2));
  if (draw_.chance(50)) block_rows_ = PetscMin(block_rows_, draw_.from(1, 8));
  n_ = block_rows_ * bs_;
  symmetric_ = type_ == MATSEQSBAIJ || draw_.chance(40);
  dominance_ = draw_.chance(75) ? 0 : draw_.chance(85) ? 1 : 2;
  size_ = draw_.chance(85) ? 1 : std::pow((PetscReal)10, draw_.from(-8, 8));
  draw_pattern();
  std::vector<Entry> const entries = draw_entries();
  Trace("matrix %s, %d rows, block size %d,%s%s dominance %d, size %g, %d entries given\n", type_.c_str(), (int)n_,
        (int)bs_, symmetric_ ? " symmetric," : "", inodes_ ? "" : " no inodes,", dominance_, (double)size_,
        (int)entries.size());
  for (Mat& m : mat_) m = build(entries, false);
  own_rounding = own_values() && bs_ > 1;
}

Matrices::~Matrices() {
  for (Mat& m : mat_) (void)MatDestroy(&m);
}

/// Draws the pattern by blocks, with the diagonal. For aij without blocks some rows are equal, so that PETSc finds
/// inodes.
void Matrices::draw_pattern() {
  int const rows = (int)block_rows_, shape = draw_.from(0, 4), band = draw_.from(1, 4), percent = draw_.from(2, 60);
  int const node = !blocks() && draw_.chance(50) ? draw_.from(2, 6) : 1;
  auto const at = [&](int i, int j) -> std::vector<bool>::reference {
    return pattern_[static_cast<std::size_t>(i * rows + j)];
  };

  pattern_.assign(static_cast<std::size_t>(rows * rows), false);
  for (int i = 0; i < rows; i += node)
    for (int j = 0; j < rows; j += node) {
      bool const near = std::abs(i - j) <= band * node;
      bool const there = shape == 0   ? near
                         : shape == 1 ? i == 0 || j == 0
                         : shape == 2 ? i + node >= rows || j + node >= rows
                         : shape == 3 ? near && draw_.chance(70)
                                      : draw_.chance(percent);
      for (int k = i; k < i + node && k < rows; ++k)
        for (int l = j; l < j + node && l < rows; ++l) {
          if (there || i == j) at(k, l) = true;
          if (there && symmetric_) at(l, k) = true;
        }
    }
}

PetscScalar Matrices::draw_diagonal(PetscReal row_sum) {
  PetscReal const sign = dominance_ && draw_.chance(30) ? -1 : 1;
  if (dominance_ == 2 && draw_.chance(15)) return 0;
  if (dominance_) return sign * size_ * (PetscReal)(1.5 + draw_.unit()) * 2;
  return 0.1 * size_ + (PetscReal)1.05 * row_sum;
}

/// Draws entries for the present pattern; a symmetric matrix has both entries of a pair.
std::vector<Entry> Matrices::draw_entries() {
  std::vector<Entry> entries;
  std::vector<PetscReal> sums(static_cast<std::size_t>(n_), 0);
  auto const add = [&](PetscInt i, PetscInt j, PetscScalar v) {
    entries.push_back({i, j, v});
    sums[static_cast<std::size_t>(i)] += PetscAbsScalar(v);
  };
  for (PetscInt i = 0; i < n_; ++i)
    for (PetscInt j = 0; j < n_; ++j) {
      if (i == j || !pattern_[static_cast<std::size_t>(i / bs_ * block_rows_ + j / bs_)]) continue;
      if (symmetric_ && j < i) continue;
      PetscScalar const v = size_ * draw_.scalar();
      add(i, j, v);
      if (symmetric_) add(j, i, v);
    }
  for (PetscInt i = 0; i < n_; ++i) entries.push_back({i, i, draw_diagonal(sums[static_cast<std::size_t>(i)])});
  return entries;
}

PetscErrorCode Matrices::set(Mat A, std::vector<Entry> const& entries, InsertMode mode) const {
  PetscBool sbaij;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
  for (Entry const& e : entries)
    if (!sbaij || e.row <= e.col) PetscCall(MatSetValues(A, 1, &e.row, 1, &e.col, &e.value, mode));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

Mat Matrices::build(std::vector<Entry> const& entries, bool of_change) {
  Mat A;

  FUZZ_MUST(MatCreate(PETSC_COMM_SELF, &A));
  FUZZ_MUST(MatSetSizes(A, n_, n_, n_, n_));
  FUZZ_MUST(MatSetBlockSize(A, bs_));
  FUZZ_MUST(MatSetType(A, type_.c_str()));
  FUZZ_MUST(MatSeqAIJSetPreallocation(A, n_, NULL));
  FUZZ_MUST(MatSeqBAIJSetPreallocation(A, bs_, block_rows_, NULL));
  FUZZ_MUST(MatSeqSBAIJSetPreallocation(A, bs_, block_rows_, NULL));
  FUZZ_MUST(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (!inodes_ && !blocks()) FUZZ_MUST(MatSetOption(A, MAT_USE_INODES, PETSC_FALSE));
  FUZZ_MUST(set(A, entries, INSERT_VALUES));
  if (symmetric_ && !of_change) FUZZ_MUST(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  return A;
}

PetscErrorCode Duplicate(Mat A, Mat* copy) {
  PetscBool known, symmetric;
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, copy));
  if (known) PetscCall(MatSetOption(*copy, MAT_SYMMETRIC, symmetric));
  return PETSC_SUCCESS;
}

void Matrices::copy_both() {
  for (Mat& A : mat_) {
    Mat copy;
    FUZZ_MUST(Duplicate(A, &copy));
    FUZZ_MUST(MatSetOption(copy, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    FUZZ_MUST(MatDestroy(&A));
    A = copy;
  }
}

Dense Matrices::dense() const {
  Dense d(static_cast<int>(n_));
  PetscBool sbaij;

  FUZZ_MUST(PetscObjectTypeCompare((PetscObject)mat_[by_petsc], MATSEQSBAIJ, &sbaij));
  for (PetscInt i = 0; i < n_; ++i)
    for (PetscInt j = 0; j < n_; ++j) {
      PetscInt const row = sbaij ? PetscMin(i, j) : i, col = sbaij ? PetscMax(i, j) : j;
      FUZZ_MUST(MatGetValues(mat_[by_petsc], 1, &row, 1, &col, &d((int)i, (int)j)));
    }
  return d;
}

void Matrices::check_same() const {
  PetscBool sbaij;

  FUZZ_MUST(PetscObjectTypeCompare((PetscObject)mat_[by_petsc], MATSEQSBAIJ, &sbaij));
  for (PetscInt i = 0; i < n_; ++i)
    for (PetscInt j = sbaij ? i : 0; j < n_; ++j) {
      PetscScalar v[2];
      for (Side s : {by_petsc, by_plugin}) FUZZ_MUST(MatGetValues(mat_[s], 1, &i, 1, &j, &v[s]));
      if (std::memcmp(&v[by_petsc], &v[by_plugin], sizeof v[by_petsc]))
        Fail("the matrix that was factored has changed: entry (%d, %d) is %g, was %g", (int)i, (int)j,
             (double)PetscRealPart(v[by_plugin]), (double)PetscRealPart(v[by_petsc]));
    }
}

PetscInt inode_size(PetscInt const* sizes, PetscInt k) { return sizes[0] == 0 ? sizes[k + 1] - sizes[k] : sizes[k]; }

bool Matrices::keep_inodes(IS rows) const {
  PetscInt count = 0, *sizes = nullptr;
  PetscInt const* order;
  std::vector<PetscInt> size_at(static_cast<std::size_t>(n_), 0);  // size of the inode that starts at a row
  bool kept = true;

  FUZZ_MUST(ISGetLocalSize(rows, &count));
  if (count != n_) return false;  // the matrix has kept only the number of its inodes
  for (Mat m : mat_) {
    FUZZ_MUST(MatInodeGetInodeSizes(m, &count, &sizes, NULL));
    if (!count || !sizes) continue;
    for (PetscInt k = 0, row = 0; k < count; ++k) {
      size_at[static_cast<std::size_t>(row)] = inode_size(sizes, k);
      row += inode_size(sizes, k);
    }
    FUZZ_MUST(ISGetIndices(rows, &order));
    for (PetscInt p = 0; p < n_ && kept;) {
      PetscInt const size = size_at[static_cast<std::size_t>(order[p])];
      kept = size > 0 && p + size <= n_;
      for (PetscInt k = 1; k < size && kept; ++k) kept = order[p + k] == order[p] + k;
      p += size;
    }
    FUZZ_MUST(ISRestoreIndices(rows, &order));
  }
  return kept;
}

bool Matrices::shift_ends() const {
  Dense const d = dense();
  PetscReal least = PETSC_MAX_REAL, largest = 0, norm = 0;
  for (int i = 0; i < d.n; ++i) {
    PetscReal off = 0;
    for (int j = 0; j < d.n; ++j) {
      if (j != i) off += PetscMax(PetscAbsScalar(d(i, j)), PetscAbsScalar(d(j, i)));
      norm = PetscMax(norm, PetscAbsScalar(d(i, j)));
    }
    PetscReal const missing = off - PetscRealPart(d(i, i));
    largest = PetscMax(largest, missing);
    least = PetscMin(least, -missing);
  }
  return norm > 0 && (largest > 0.05 * norm || least > 0.05 * norm);
}

}  // namespace fuzz
