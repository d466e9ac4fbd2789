// SPDX-License-Identifier: Apache-2.0
// Runs a sequence on the program's own triangles in a PC of type shell, compared with substitution by dense copies.
#include <cmath>

#include "fuzz_factor.hpp"
#include "sptrsv_petsc.h"

namespace fuzz {

std::string operator_type = MATSEQAIJ;

namespace {

using Values = std::vector<PetscScalar>;

/// Returns T^-1 b or T^-T b by dense substitution.
Values Substitute(Dense const& t, bool lower, bool unit, bool transpose, Values b) {
  int const n = t.n;
  bool const ascending = lower != transpose;
  for (int k = 0; k < n; ++k) {
    int const i = ascending ? k : n - 1 - k;
    for (int m = 0; m < k; ++m) {
      int const j = ascending ? m : n - 1 - m;
      b[(std::size_t)i] -= (transpose ? t(j, i) : t(i, j)) * b[(std::size_t)j];
    }
    if (!unit) b[(std::size_t)i] /= t(i, i);
  }
  return b;
}

struct Triangle {
  Mat mat = nullptr;
  bool lower = true, unit = false, stored = true;
};

class Shell {
 public:
  explicit Shell(Draw& draw);
  Shell(Shell const&) = delete;
  Shell& operator=(Shell const&) = delete;
  ~Shell() {
    (void)PCDestroy(&pc_);
    for (Triangle& t : t_) (void)MatDestroy(&t.mat);
    (void)MatDestroy(&A_);
  }
  void step();

 private:
  Mat make(Triangle const& t);
  Mat make_moved(Triangle const& t);
  void give();
  void change(Triangle& t);
  void apply(int kind);
  void apply_columns();
  void spoil(Triangle& t);
  void must(char const* what, Outcome const& outcome);
  Dense dense(Triangle const& t) const;
  Values reference(Values const& b, int kind, std::vector<PetscReal>* tolerance) const;

  Draw& draw_;
  PetscInt n_;
  PC pc_ = nullptr;
  Mat A_ = nullptr;
  Triangle t_[2];
  bool used_[2] = {true, true};
};

Shell::Shell(Draw& draw) : draw_(draw), n_(draw.from(1, 40)) {
  FUZZ_MUST(MatCreate(PETSC_COMM_SELF, &A_));
  FUZZ_MUST(MatSetSizes(A_, n_, n_, n_, n_));
  FUZZ_MUST(MatSetType(A_, operator_type.c_str()));
  FUZZ_MUST(MatSeqAIJSetPreallocation(A_, 1, NULL));
  for (PetscInt i = 0; i < n_; ++i) FUZZ_MUST(MatSetValue(A_, i, i, 1, INSERT_VALUES));
  FUZZ_MUST(MatAssemblyBegin(A_, MAT_FINAL_ASSEMBLY));
  FUZZ_MUST(MatAssemblyEnd(A_, MAT_FINAL_ASSEMBLY));
  t_[1].lower = false;
  for (Triangle& t : t_) {
    t.unit = draw.chance(40);
    t.stored = !t.unit || draw.chance(50);
    t.mat = make(t);
  }
  give();
}

/// Makes a triangle with entries so small that solutions do not grow without bound.
Mat Shell::make(Triangle const& t) {
  Mat m;
  int const percent = draw_.from(0, 60);
  PetscReal const size = 2.0 / (1 + 0.01 * percent * (double)n_);

  FUZZ_MUST(MatCreateSeqAIJ(PETSC_COMM_SELF, n_, n_, n_, NULL, &m));
  FUZZ_MUST(MatSetOption(m, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < n_; ++i) {
    if (t.stored)
      FUZZ_MUST(MatSetValue(m, i, i,
                            t.unit && draw_.chance(50) ? PetscScalar(7) : PetscScalar(1 + PetscAbsReal(draw_.unit())),
                            INSERT_VALUES));
    for (PetscInt j = 0; j < n_; ++j)
      if (t.lower ? j < i : j > i)
        if (draw_.chance(percent)) FUZZ_MUST(MatSetValue(m, i, j, size * draw_.scalar(), INSERT_VALUES));
  }
  FUZZ_MUST(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
  FUZZ_MUST(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
  return m;
}

/// Makes a triangle with the same number of entries per row in other columns.
Mat Shell::make_moved(Triangle const& t) {
  Mat m;
  PetscInt count, most = 0;

  for (PetscInt i = 0; i < n_; ++i) {
    FUZZ_MUST(MatGetRow(t.mat, i, &count, NULL, NULL));
    most = PetscMax(most, count);
    FUZZ_MUST(MatRestoreRow(t.mat, i, &count, NULL, NULL));
  }
  FUZZ_MUST(MatCreateSeqAIJ(PETSC_COMM_SELF, n_, n_, most, NULL, &m));
  for (PetscInt i = 0; i < n_; ++i) {
    FUZZ_MUST(MatGetRow(t.mat, i, &count, NULL, NULL));
    FUZZ_MUST(MatRestoreRow(t.mat, i, &count, NULL, NULL));
    PetscInt const first = t.lower ? 0 : i + 1, room = t.lower ? i : n_ - 1 - i;
    if (t.stored) FUZZ_MUST(MatSetValue(m, i, i, 1 + PetscAbsReal(draw_.unit()), INSERT_VALUES));
    PetscInt const shift = room ? draw_.from(0, (int)room - 1) : 0;
    for (PetscInt k = 0; k < count - (t.stored ? 1 : 0) && k < room; ++k)
      FUZZ_MUST(MatSetValue(m, i, first + (shift + k) % room, (PetscReal)0.2 * draw_.scalar(), INSERT_VALUES));
  }
  FUZZ_MUST(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
  FUZZ_MUST(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
  return m;
}

void Shell::must(char const* what, Outcome const& outcome) {
  ++record->calls;
  if (outcome.code) Fail("%s ends with error %d: %s", what, (int)outcome.code, outcome.message.c_str());
}

void Shell::give() {
  int const which = draw_.from(0, 9), v = draw_.from(0, num_variants() - 1);
  char const* const type = type_forced.empty() || type_forced == MATSOLVERPETSC ? variant(v).type : type_forced.c_str();

  if (!pc_ || draw_.chance(30)) {
    FUZZ_MUST(PCDestroy(&pc_));
    FUZZ_MUST(PCCreate(PETSC_COMM_SELF, &pc_));
    FUZZ_MUST(PCSetOptionsPrefix(pc_, prefix_of(v).c_str()));
    FUZZ_MUST(PCSetType(pc_, PCSHELL));
    FUZZ_MUST(PCSetOperators(pc_, A_, A_));
  }
  used_[0] = which != 0;
  used_[1] = which != 1;
  Trace("  SpTRSVPCShellSetTriangles: %d rows, %s%s%s, %s%s%s, %s, options of %s\n", (int)n_, used_[0] ? "L" : "no L",
        t_[0].unit ? " unit" : "", t_[0].stored ? " stored" : "", used_[1] ? "U" : "no U", t_[1].unit ? " unit" : "",
        t_[1].stored ? " stored" : "", type, variant(v).options);
  must("SpTRSVPCShellSetTriangles", Quietly([&] {
         return SpTRSVPCShellSetTrianglesDynamic(pc_, used_[0] ? t_[0].mat : NULL, (PetscBool)t_[0].unit,
                                                 used_[1] ? t_[1].mat : NULL, (PetscBool)t_[1].unit, type);
       }));
}

void Shell::change(Triangle& t) {
  int const kind = draw_.from(0, 5);
  Mat other;
  char const* const name = t.lower ? "L" : "U";

  if (kind == 0) {
    PetscScalar const factor = 1 + (PetscReal)0.3 * draw_.unit();
    Trace("  MatScale of %s\n", name);
    FUZZ_MUST(MatScale(t.mat, factor));
    return;
  }
  FUZZ_MUST(MatSetOption(t.mat, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));  // the new contents lack this option
  other = make(t);
  if (kind == 5) {  // possibly into the same memory
    FUZZ_MUST(MatDestroy(&other));
    for (int k = 0; k < 3; ++k) {
      Trace("  MatHeaderReplace of %s, as many entries in other places\n", name);
      other = make_moved(t);
      FUZZ_MUST(MatHeaderReplace(t.mat, &other));
      if (k == 0) apply(0);
    }
    return;
  }
  if (kind == 1) {
    Trace("  MatHeaderReplace of %s\n", name);
    FUZZ_MUST(MatHeaderReplace(t.mat, &other));
    return;
  }
  if (kind == 2) {
    Trace("  MatCopy to %s, another pattern\n", name);
    FUZZ_MUST(MatCopy(other, t.mat, DIFFERENT_NONZERO_PATTERN));
  } else if (kind == 3) {
    Trace("  MatAXPY to %s, another pattern\n", name);
    FUZZ_MUST(MatAXPY(t.mat, 0.5, other, DIFFERENT_NONZERO_PATTERN));
  } else {
    PetscInt const i = draw_.from(0, (int)n_ - 1), j = draw_.from(0, (int)n_ - 1);
    PetscInt const row = t.lower ? PetscMax(i, j) : PetscMin(i, j), col = t.lower ? PetscMin(i, j) : PetscMax(i, j);
    Trace("  MatSetValue of %s\n", name);
    if (row != col) FUZZ_MUST(MatSetValue(t.mat, row, col, (PetscReal)0.2 * draw_.scalar(), INSERT_VALUES));
    FUZZ_MUST(MatAssemblyBegin(t.mat, MAT_FINAL_ASSEMBLY));
    FUZZ_MUST(MatAssemblyEnd(t.mat, MAT_FINAL_ASSEMBLY));
  }
  FUZZ_MUST(MatDestroy(&other));
}

Dense Shell::dense(Triangle const& t) const {
  Dense d((int)n_);
  for (PetscInt i = 0; i < n_; ++i)
    for (PetscInt j = 0; j < n_; ++j) FUZZ_MUST(MatGetValues(t.mat, 1, &i, 1, &j, &d((int)i, (int)j)));
  if (t.unit)
    for (int i = 0; i < d.n; ++i) d(i, i) = 1;
  return d;
}

/// Returns the expected solution. kind: 0 both, 1 both transposed, 2 the left one, 3 the right one.
Values Shell::reference(Values const& b, int kind, std::vector<PetscReal>* tolerance) const {
  Dense one((int)n_), inverse[2];
  Values x = b;
  bool const transpose = kind == 1, with[2] = {used_[0] && kind != 3, used_[1] && kind != 2};

  for (int i = 0; i < one.n; ++i) one(i, i) = 1;
  for (int k : {0, 1}) {
    int const which = transpose ? 1 - k : k;
    inverse[k] = one;
    if (!with[which]) continue;
    Dense const t = dense(t_[which]);
    x = Substitute(t, t_[which].lower, t_[which].unit, transpose, x);
    if (!Invert(transpose ? Transposed(t) : t, &inverse[k])) return {};
  }
  Bound const bound(inverse[0], inverse[1]);
  if (bound.usable()) *tolerance = bound.of(b.data(), x.data());
  return x;
}

void Shell::apply(int kind) {
  static char const* const names[] = {"PCApply", "PCApplyTranspose", "PCApplySymmetricLeft", "PCApplySymmetricRight"};
  Values const b = draw_vector(draw_, n_);
  Vec from, to;
  std::vector<PetscReal> tolerance;

  FUZZ_MUST(MatCreateVecs(A_, &to, &from));
  FUZZ_MUST(VecSet(to, std::nan("")));  // output only
  FillVec(from, b);
  Trace("  %s\n", names[kind]);
  must(names[kind], Quietly([&] {
         switch (kind) {
           case 0: return PCApply(pc_, from, to);
           case 1: return PCApplyTranspose(pc_, from, to);
           case 2: return PCApplySymmetricLeft(pc_, from, to);
           default: return PCApplySymmetricRight(pc_, from, to);
         }
       }));
  Values const expected = reference(b, kind, &tolerance);
  if (!expected.empty()) CompareRows(names[kind], n_, expected.data(), ReadVec(to).data(), tolerance);
  FUZZ_MUST(DestroyAll(&from, &to));
}

void Shell::apply_columns() {
  PetscInt const columns = draw_.from(1, 5);
#if PETSC_VERSION_GE(3, 24, 0)
  int const kind = draw_.chance(30);
  auto const apply = kind ? PCMatApplyTranspose : PCMatApply;
#else
  int const kind = 0;
  auto const apply = PCMatApply;
#endif
  char const* const name = kind ? "PCMatApplyTranspose" : "PCMatApply";
  Block B(n_, columns, 0), X(n_, columns, 0);
  Values all;

  for (PetscInt c = 0; c < columns; ++c) {
    Values const b = draw_vector(draw_, n_);
    all.insert(all.end(), b.begin(), b.end());
  }
  B.put(all.data());
  Trace("  %s, %d columns\n", name, (int)columns);
  must(name, Quietly([&] { return apply(pc_, B.m, X.m); }));
  Values const actual = X.get();
  for (PetscInt c = 0; c < columns; ++c) {
    std::vector<PetscReal> tolerance;
    Values const expected = reference(Values(all.begin() + c * n_, all.begin() + (c + 1) * n_), kind, &tolerance);
    if (!expected.empty()) CompareRows(name, n_, expected.data(), actual.data() + c * n_, tolerance);
  }
}

/// Checks that a zero on the diagonal, or an entry on the wrong side, is refused, and a good matrix is accepted again.
void Shell::spoil(Triangle& t) {
  PetscInt const row = draw_.from(0, (int)n_ - 1);
  bool const zero = !t.unit && draw_.chance(50);
  Vec from, to;

  if (!zero && n_ < 2) return;
  PetscInt const i = zero ? row : t.lower ? 0 : n_ - 1, j = zero ? row : t.lower ? n_ - 1 : 0;
  Trace("  %s in %s, then PCApply\n", zero ? "a zero on the diagonal" : "an entry on the wrong side",
        t.lower ? "L" : "U");
  FUZZ_MUST(MatSetOption(t.mat, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  FUZZ_MUST(MatSetValue(t.mat, i, j, zero ? 0 : 1, INSERT_VALUES));
  FUZZ_MUST(MatAssemblyBegin(t.mat, MAT_FINAL_ASSEMBLY));
  FUZZ_MUST(MatAssemblyEnd(t.mat, MAT_FINAL_ASSEMBLY));
  FUZZ_MUST(MatCreateVecs(A_, &to, &from));
  FUZZ_MUST(VecSet(from, 1));
  bool const used = used_[t.lower ? 0 : 1];
  Outcome const outcome = Quietly([&] { return PCApply(pc_, from, to); });
  if (used != (outcome.code != 0))
    Fail("PCApply with a bad triangle that is%s used ends with error %d: %s", used ? "" : " not", (int)outcome.code,
         outcome.message.c_str());
  FUZZ_MUST(DestroyAll(&from, &to));
  Mat good = make(t);
  Trace("  MatHeaderReplace of it\n");
  FUZZ_MUST(MatHeaderReplace(t.mat, &good));
}

void Shell::step() {
  int const kind = draw_.from(0, 99);
  PetscBool const yes = (PetscBool)draw_.chance(50);

  if (kind < 45)
    for (int k = draw_.from(1, 3); k > 0; --k) change(t_[draw_.from(0, 1)]);
  else if (kind < 50) spoil(t_[draw_.from(0, 1)]);
  else if (kind < 58) give();
  else if (kind < 65) must("PCSetUp", Quietly([&] { return PCSetUp(pc_); }));
  else if (kind < 70) FUZZ_MUST(PCSetReusePreconditioner(pc_, yes));
  else if (kind < 75) FUZZ_MUST(PCSetOperators(pc_, A_, A_));
  if (draw_.chance(25)) apply_columns();
  else if (draw_.chance(90)) apply(draw_.from(0, 3));
}

}  // namespace

void run_triangles(Draw& draw) {
  Shell shell(draw);
  for (int steps = draw.from(3, 14); steps > 0; --steps) shell.step();
}

}  // namespace fuzz
