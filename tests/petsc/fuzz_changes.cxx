// SPDX-License-Identifier: Apache-2.0
// Changes a matrix between two factorizations in the ways in which programs do.
#include "fuzz_matrix.hpp"

#include <cstring>

namespace fuzz {

/// Makes a change on both sides, which must have the same outcome, since only PETSc is called. @return false if PETSc
/// refused.
template <class Body>
bool Matrices::on_both(char const* what, Body const& body) {
  Outcome outcome[2];
  Trace("  %s\n", what);
  record->petsc_at_work = true;
  for (Side s : {by_petsc, by_plugin}) outcome[s] = Quietly([&] { return body(mat_[s]); });
  record->petsc_at_work = false;
  ++changes_;
  if (outcome[by_petsc].code != outcome[by_plugin].code)
    Fail("%s ends differently on the matrix that the plugin has factored: error %d, not %d: %s", what,
         (int)outcome[by_plugin].code, (int)outcome[by_petsc].code, outcome[by_plugin].message.c_str());
  if (outcome[by_petsc].code) {
    for (Mat A : mat_) {  // the change may be incomplete
      FUZZ_MUST(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      FUZZ_MUST(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
      FUZZ_MUST(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    }
    ++pattern_changes_;
  }
  if (outcome[by_petsc].code)
    Trace("    (PETSc refuses: error %d, %.100s)\n", (int)outcome[by_petsc].code, outcome[by_petsc].message.c_str());
  return !outcome[by_petsc].code;
}

std::vector<PetscInt> Matrices::some_rows() {
  std::vector<PetscInt> rows;
  for (PetscInt i = 0; i < n_; ++i)
    if (draw_.chance(15)) rows.push_back(i);
  return rows;
}

/// Draws a few entries, with the mirrored ones of a symmetric matrix.
/// @param in_pattern  draw entries that the matrix already has
std::vector<Entry> Matrices::some_entries(bool in_pattern) {
  std::vector<Entry> entries;
  for (int count = draw_.from(1, 6); count > 0; --count) {
    PetscInt const i = draw_.from(0, (int)n_ - 1), j = draw_.from(0, (int)n_ - 1);
    if (in_pattern && !pattern_[static_cast<std::size_t>(i / bs_ * block_rows_ + j / bs_)]) continue;
    for (bool mirrored : {false, true}) {
      PetscInt const r = (mirrored ? j : i) / bs_, c = (mirrored ? i : j) / bs_;
      if (!mirrored || symmetric_) pattern_[static_cast<std::size_t>(r * block_rows_ + c)] = true;
    }
    PetscScalar const v = size_ * draw_.scalar() * (PetscReal)0.5;
    entries.push_back({i, j, v});
    if (symmetric_ && i != j) entries.push_back({j, i, v});
  }
  return entries;
}

void Matrices::change_values() {
  PetscScalar const factor = (PetscReal)(1.5 + draw_.unit());
  int const kind = draw_.from(0, 6);

  if (kind == 0) {
    auto const entries = draw_entries();
    on_both("new values, same pattern", [&](Mat A) { return set(A, entries, INSERT_VALUES); });
  } else if (kind == 1) {
    auto const entries = some_entries(true);
    InsertMode const mode = draw_.chance(50) ? INSERT_VALUES : ADD_VALUES;
    on_both(mode == INSERT_VALUES ? "MatSetValues INSERT_VALUES" : "MatSetValues ADD_VALUES",
            [&](Mat A) { return set(A, entries, mode); });
  } else if (kind == 2) {
    on_both("MatScale", [&](Mat A) { return MatScale(A, factor); });
  } else if (kind == 3) {
    on_both("MatShift", [&](Mat A) { return MatShift(A, size_ * factor); });
  } else if (kind == 4) {
    std::vector<PetscScalar> l;
    for (PetscInt i = 0; i < n_; ++i) l.push_back((PetscReal)(1.5 + draw_.unit()));
    bool const left = symmetric_ || draw_.chance(60), right = symmetric_ || draw_.chance(60);
    on_both("MatDiagonalScale", [&](Mat A) {
      Vec v;
      PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n_, l.data(), &v));
      PetscCall(MatDiagonalScale(A, left ? v : NULL, right ? v : NULL));
      return VecDestroy(&v);
    });
  } else if (kind == 5) {
    PetscInt const row = draw_.from(0, (int)n_ - 1);
    PetscScalar const v = draw_.chance(50) ? 0 : size_ * 1e-14;
    if (!draw_.chance(30)) return;
    on_both("a (nearly) zero diagonal entry", [&](Mat A) { return set(A, {{row, row, v}}, INSERT_VALUES); });
  } else {
    auto const entries = draw_entries();
    on_both("MatZeroEntries and new values", [&](Mat A) {
      PetscCall(MatZeroEntries(A));
      return set(A, entries, INSERT_VALUES);
    });
  }
}

void Matrices::change_rows() {
  std::vector<PetscInt> const rows = some_rows();
  PetscBool const keep = (PetscBool)draw_.chance(50), columns = (PetscBool)(symmetric_ || draw_.chance(40));
  PetscScalar const diagonal = draw_.chance(90) ? size_ : 0;
  std::string const what = std::string(columns ? "MatZeroRowsColumns, " : "MatZeroRows, ") +
                           (keep ? "pattern kept, " : "pattern not kept, ") + std::to_string(rows.size()) + " rows";
  if (!keep) ++pattern_changes_;
  on_both(what.c_str(), [&](Mat A) {
    PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, keep));
    if (columns) PetscCall(MatZeroRowsColumns(A, (PetscInt)rows.size(), rows.data(), diagonal, NULL, NULL));
    else PetscCall(MatZeroRows(A, (PetscInt)rows.size(), rows.data(), diagonal, NULL, NULL));
    return PETSC_SUCCESS;
  });
}

void Matrices::change_whole() {
  int const kind = draw_.from(0, 4);

  ++pattern_changes_;
  replacements_ += kind != 1;
  if (kind == 0) {
    on_both("MatTranspose in place", [&](Mat& A) { return MatTranspose(A, MAT_INPLACE_MATRIX, &A); });
    auto const before = pattern_;
    for (PetscInt i = 0; i < block_rows_; ++i)
      for (PetscInt j = 0; j < block_rows_; ++j)
        pattern_[static_cast<std::size_t>(i * block_rows_ + j)] = before[static_cast<std::size_t>(j * block_rows_ + i)];
    return;
  }
  if (kind == 1) {
    auto const entries = some_entries(false);
    on_both("MatSetValues, new nonzeros", [&](Mat A) { return set(A, entries, ADD_VALUES); });
    return;
  }
  draw_pattern();
  auto const entries = draw_entries();
  on_both(kind == 2   ? "MatHeaderReplace by a new matrix"
          : kind == 3 ? "MatCopy, another pattern"
                      : "MatAXPY, another pattern",
          [&](Mat A) {
            Mat other = build(entries, true);
            if (kind == 2) return MatHeaderReplace(A, &other);
            PetscErrorCode const code = kind == 3 ? MatCopy(other, A, DIFFERENT_NONZERO_PATTERN)
                                                  : MatAXPY(A, 1, other, DIFFERENT_NONZERO_PATTERN);
            PetscCall(MatDestroy(&other));
            return code;
          });
}

void Matrices::change() {
  int const kind = draw_.from(0, 99);

  if (kind < 60) change_values();
  else if (kind < 75) change_rows();
  else if (kind < 95) change_whole();
  else {
    PetscBool const stop = (PetscBool)draw_.chance(50);
    on_both(stop ? "MatSetErrorIfFailure true" : "MatSetErrorIfFailure false",
            [&](Mat A) { return MatSetErrorIfFailure(A, stop); });
  }
}

bool Matrices::convert() {
  std::string const to = types_allowed[static_cast<std::size_t>(draw_.from(0, (int)types_allowed.size() - 1))];
  if (to == type_ || (to == MATSEQSBAIJ && !symmetric_)) return false;
  ++pattern_changes_;
  if (!on_both(("MatConvert in place to " + to).c_str(), [&](Mat& A) {
        PetscCall(MatConvert(A, to.c_str(), MAT_INPLACE_MATRIX, &A));
        PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        if (!inodes_ && to == MATSEQAIJ) PetscCall(MatSetOption(A, MAT_USE_INODES, PETSC_FALSE));
        return PETSC_SUCCESS;
      }))
    return false;
  PetscInt before = bs_, bs;
  type_ = to;
  FUZZ_MUST(MatGetBlockSize(mat_[by_petsc], &bs));
  if (to == MATSEQAIJ) bs = 1;
  own_rounding = own_values() && bs > 1;
  if (bs == before) return true;
  // the pattern by blocks of the new size
  auto const old = pattern_;
  PetscInt const old_rows = block_rows_;
  bs_ = bs;
  block_rows_ = n_ / bs;
  pattern_.assign(static_cast<std::size_t>(block_rows_ * block_rows_), false);
  for (PetscInt i = 0; i < n_; ++i)
    for (PetscInt j = 0; j < n_; ++j)
      if (old[static_cast<std::size_t>(i / before * old_rows + j / before)])
        pattern_[static_cast<std::size_t>(i / bs * block_rows_ + j / bs)] = true;
  return true;
}

}  // namespace fuzz
