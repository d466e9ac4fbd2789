// SPDX-License-Identifier: Apache-2.0
// Calls every operation of a factor on both sides and compares the results row by row.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "fuzz_factor.hpp"

namespace fuzz {
namespace {

/// Vectors for one call. Each call has its own, since an error inside PETSc may leave one locked.
struct Vectors {
  Vec b = nullptr, y = nullptr, x[2] = {nullptr, nullptr};
  Vectors(std::vector<PetscScalar> const& b_values, std::vector<PetscScalar> const& y_values, PetscScalar fill)
      : b(MakeVec(b_values)), y(MakeVec(y_values)) {
    for (Vec& v : x) v = MakeVec(std::vector<PetscScalar>(b_values.size(), fill));
  }
  Vectors(Vectors const&) = delete;
  Vectors& operator=(Vectors const&) = delete;
  ~Vectors() {
    for (Vec* v : {&b, &y, &x[by_petsc], &x[by_plugin]}) (void)VecDestroy(v);
  }
  std::vector<PetscScalar> result(Side s) const { return ReadVec(x[s]); }
};

PetscScalar NotANumber() { return std::numeric_limits<PetscReal>::quiet_NaN(); }

}  // namespace

Vec MakeVec(std::vector<PetscScalar> const& values) {
  Vec v;
  FUZZ_MUST(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)values.size(), &v));
  FillVec(v, values);
  return v;
}

void FillVec(Vec v, std::vector<PetscScalar> const& values) {
  PetscScalar* a;
  FUZZ_MUST(VecGetArrayWrite(v, &a));
  std::copy(values.begin(), values.end(), a);
  FUZZ_MUST(VecRestoreArrayWrite(v, &a));
}

std::vector<PetscScalar> ReadVec(Vec v) {
  PetscScalar const* a;
  PetscInt n;
  FUZZ_MUST(VecGetSize(v, &n));
  FUZZ_MUST(VecGetArrayRead(v, &a));
  std::vector<PetscScalar> values(a, a + n);
  FUZZ_MUST(VecRestoreArrayRead(v, &a));
  return values;
}

std::vector<PetscScalar> draw_vector(Draw& draw, PetscInt n) {
  std::vector<PetscScalar> v(static_cast<std::size_t>(n), 0);
  int const kind = draw.from(0, 5), unit = draw.from(0, (int)n - 1);
  PetscReal const size = kind == 4 ? std::pow((PetscReal)10, draw.from(-12, 12)) : 1;
  for (PetscInt i = 0; i < n; ++i) {
    PetscScalar const r = draw.scalar();
    v[static_cast<std::size_t>(i)] = kind == 0                           ? (i == unit ? PetscScalar(1) : PetscScalar(0))
                                     : kind == 1                         ? PetscScalar(1)
                                     : kind == 2 && PetscRealPart(r) < 0 ? PetscScalar(0)
                                                                         : size * r;
  }
  return v;
}

void CompareRows(char const* what, PetscInt n, PetscScalar const* expected, PetscScalar const* actual,
                 std::vector<PetscReal> const& tolerance) {
  bool finite = true;
  PetscReal least = 0;  // smallest allowed difference
  for (PetscInt i = 0; i < n; ++i) finite = finite && IsFinite(expected[i]);
  for (PetscInt i = 0; i < n && own_rounding; ++i) least = PetscMax(least, PetscAbsScalar(expected[i]) / 4);
  if (finite && !tolerance.empty()) ++record->judged;
  else ++record->not_judged;
  for (PetscInt i = 0; i < n; ++i) {
    bool const same = IsFinite(expected[i]) == IsFinite(actual[i]);
    bool const judged = finite && !tolerance.empty();
    PetscReal const difference = judged ? PetscAbsScalar(expected[i] - actual[i]) : 0,
                    allowed = judged ? PetscMax(tolerance[static_cast<std::size_t>(i)], least) : 0;
    bool const near = difference <= allowed;
    if (near && difference > 0) record->nearest = PetscMax(record->nearest, (double)(difference / allowed));
    if (same && near) continue;
    Fail("%s: row %d of %d is %.17g%+.17gi, PETSc's own %.17g%+.17gi, allowed difference %g", what, (int)i, (int)n,
         (double)PetscRealPart(actual[i]), (double)PetscImaginaryPart(actual[i]), (double)PetscRealPart(expected[i]),
         (double)PetscImaginaryPart(expected[i]),
         tolerance.empty() ? -1.0 : (double)tolerance[static_cast<std::size_t>(i)]);
  }
}

PetscErrorCode FactorPair::apply(Side s, int kind, Vec b, Vec y, Vec x) const {
  switch (kind) {
    case 0: return MatSolve(F_[s], b, x);
    case 1: return MatSolveTranspose(F_[s], b, x);
    case 2: return MatSolveAdd(F_[s], b, y, x);
    case 3: return MatSolveTransposeAdd(F_[s], b, y, x);
    case 4: return MatSolveAdd(F_[s], b, x, x);
    default: return MatSolveTransposeAdd(F_[s], b, x, x);
  }
}

void FactorPair::solve_vector(int kind) {
  static char const* const names[] = {"MatSolve",
                                      "MatSolveTranspose",
                                      "MatSolveAdd",
                                      "MatSolveTransposeAdd",
                                      "MatSolveAdd with x == y",
                                      "MatSolveTransposeAdd with x == y"};
  bool const transpose = kind % 2, add = kind >= 2;
  auto const b = draw_vector(draw_, m_.n()), y = draw_vector(draw_, m_.n());
  Vectors v(b, y, NotANumber());

  Trace("  %s\n", names[kind]);
  if (kind >= 4)
    for (Vec x : v.x) FUZZ_MUST(VecCopy(v.y, x));
  if (!Both(names[kind], [&](Side s) { return apply(s, kind, v.b, v.y, v.x[s]); }, true)) return;
  auto const expected = v.result(by_petsc), actual = v.result(by_plugin);
  std::vector<PetscScalar> solution = expected;
  if (add)
    for (std::size_t i = 0; i < y.size(); ++i) solution[i] -= y[i];
  auto tolerance = numeric_ ? judge_.of(b.data(), solution.data(), transpose) : std::vector<PetscReal>{};
  if (add)
    for (std::size_t i = 0; i < tolerance.size(); ++i)
      tolerance[i] += 8 * PETSC_MACHINE_EPSILON * (PetscAbsScalar(y[i]) + PetscAbsScalar(expected[i]));
  CompareRows(names[kind], m_.n(), expected.data(), actual.data(), tolerance);
}

void FactorPair::solve_columns(bool transpose) {
  char const* const name = transpose ? "MatMatSolveTranspose" : "MatMatSolve";
  PetscInt const n = m_.n(), columns = draw_.chance(80) ? draw_.from(1, 6) : draw_.from(7, 37),
                 spare_b = draw_.chance(50) ? 0 : draw_.from(1, 3), spare_x = draw_.chance(50) ? 0 : draw_.from(1, 3);
  std::vector<PetscScalar> b;
  for (PetscInt c = 0; c < columns; ++c) {
    auto const column = draw_vector(draw_, n);
    b.insert(b.end(), column.begin(), column.end());
  }
  Block B(n, columns, spare_b);
  std::unique_ptr<Block> X[2];
  B.put(b.data());
  for (auto& block : X) block = std::make_unique<Block>(n, columns, spare_x), block->put(nullptr);
  Trace("  %s, %d columns, %d and %d spare rows\n", name, (int)columns, (int)spare_b, (int)spare_x);
  if (!Both(
          name,
          [&](Side s) {
            return transpose ? MatMatSolveTranspose(F_[s], B.m, X[s]->m) : MatMatSolve(F_[s], B.m, X[s]->m);
          },
          true))
    return;
  auto const expected = X[by_petsc]->get(), actual = X[by_plugin]->get();
  for (PetscInt c = 0; c < columns; ++c)
    CompareRows(name, n, &expected[(std::size_t)(c * n)], &actual[(std::size_t)(c * n)],
                numeric_ ? judge_.of(&b[(std::size_t)(c * n)], &expected[(std::size_t)(c * n)], transpose)
                         : std::vector<PetscReal>{});
  auto const after = B.get();
  if (std::memcmp(after.data(), b.data(), b.size() * sizeof(PetscScalar)))
    Fail("%s has changed the right-hand sides", name);
}

void FactorPair::half_solve(bool forward) {
  char const* const name = forward ? "MatForwardSolve" : "MatBackwardSolve";
  PetscInt const n = m_.n();
  auto const call = [&](Side s, Vec b, Vec x) {
    return forward ? MatForwardSolve(F_[s], b, x) : MatBackwardSolve(F_[s], b, x);
  };
  auto const b = draw_vector(draw_, n);
  Vectors v(b, b, NotANumber());

  Trace("  %s\n", name);
  if (!Both(name, [&](Side s) { return call(s, v.b, v.x[s]); }, true)) return;
  auto const expected = v.result(by_petsc), actual = v.result(by_plugin);
  Dense T((int)n);  // the operation, column by column
  if (numeric_) {
    record->petsc_at_work = true;
    for (PetscInt j = 0; j < n; ++j) {
      std::vector<PetscScalar> e((std::size_t)n, 0);
      e[(std::size_t)j] = 1;
      Vectors u(e, e, 0);
      FUZZ_MUST(call(by_petsc, u.b, u.x[by_petsc]));
      auto const column = u.result(by_petsc);
      for (PetscInt i = 0; i < n; ++i) T((int)i, (int)j) = column[(std::size_t)i];
    }
    record->petsc_at_work = false;
  }
  Bound const bound(T);
  CompareRows(name, n, expected.data(), actual.data(),
              numeric_ && bound.usable() ? bound.of(b.data(), expected.data()) : std::vector<PetscReal>{});
}

void FactorPair::solve_collection() {
  PetscInt const n = m_.n(), columns = draw_.from(1, 4);
  Vecs b, x[2];
  PetscScalar *a, *results[2];

  Trace("  MatSolves, %d vectors\n", (int)columns);
  FUZZ_MUST(VecsCreateSeq(PETSC_COMM_SELF, n, columns, &b));
  for (Vecs& all : x) FUZZ_MUST(VecsCreateSeq(PETSC_COMM_SELF, n, columns, &all));
  std::vector<PetscScalar> given;
  for (PetscInt c = 0; c < columns; ++c) {
    auto const column = draw_vector(draw_, n);
    given.insert(given.end(), column.begin(), column.end());
  }
  FUZZ_MUST(VecGetArray(b->v, &a));
  std::memcpy(a, given.data(), given.size() * sizeof(PetscScalar));
  FUZZ_MUST(VecRestoreArray(b->v, &a));
  bool const done = Both("MatSolves", [&](Side s) { return MatSolves(F_[s], b, x[s]); }, true);
  if (done) {
    for (Side s : {by_petsc, by_plugin}) FUZZ_MUST(VecGetArray(x[s]->v, &results[s]));
    for (PetscInt c = 0; c < columns; ++c) {
      if (c > 0) {  // PETSc's own solves for the first vector only (docs/support.md)
        Vec one, solved;
        MatFactorError error;
        FUZZ_MUST(MatFactorGetError(F_[by_petsc], &error));
        if (error) continue;  // MatSolve() would give only infinities
        FUZZ_MUST(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, &given[(std::size_t)(c * n)], &one));
        FUZZ_MUST(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, results[by_petsc] + c * n, &solved));
        FUZZ_MUST(MatSolve(F_[by_petsc], one, solved));
        FUZZ_MUST(DestroyAll(&one, &solved));
      }
      CompareRows("MatSolves", n, results[by_petsc] + c * n, results[by_plugin] + c * n,
                  numeric_ ? judge_.of(&given[(std::size_t)(c * n)], results[by_petsc] + c * n, false)
                           : std::vector<PetscReal>{});
    }
    for (Side s : {by_petsc, by_plugin}) FUZZ_MUST(VecRestoreArray(x[s]->v, &results[s]));
  }
  FUZZ_MUST(VecsDestroy(b));
  for (Vecs all : x) FUZZ_MUST(VecsDestroy(all));
}

namespace {

PetscErrorCode View(Mat F, PetscViewerFormat format, bool to_string) {
  PetscViewer viewer;
  static char text[100000];
  if (to_string) PetscCall(PetscViewerStringOpen(PETSC_COMM_SELF, text, sizeof text, &viewer));
  else PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, "/dev/null", &viewer));
  PetscCall(PetscViewerPushFormat(viewer, format));
  PetscErrorCode const code = MatView(F, viewer);
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  return code;
}

/// Compares the members of MatInfo that are not about memory.
void CompareInfo(MatInfo const& expected, MatInfo const& actual) {
  struct {
    char const* name;
    PetscLogDouble expected, actual;
  } const all[] = {{"nz_used", expected.nz_used, actual.nz_used},
                   {"block_size", expected.block_size, actual.block_size},
                   {"fill_ratio_given", expected.fill_ratio_given, actual.fill_ratio_given},
                   {"fill_ratio_needed", expected.fill_ratio_needed, actual.fill_ratio_needed},
                   {"factor_mallocs", expected.factor_mallocs, actual.factor_mallocs}};
  for (auto const& field : all)
    if (field.expected != field.actual && !(own_values() && field.name == std::string("factor_mallocs")))
      Fail("MatGetInfo: %s is %g, PETSc's own %g", field.name, field.actual, field.expected);
}

}  // namespace

/// Calls operations that only read a factor.
void FactorPair::look() {
  constexpr PetscViewerFormat formats[] = {PETSC_VIEWER_DEFAULT, PETSC_VIEWER_ASCII_INFO,
                                           PETSC_VIEWER_ASCII_INFO_DETAIL};
  int const kind = draw_.from(0, 5);
  // PETSc's own factor from seqbaij with blocks of 1 reads a null pointer
  bool const no_diagonal =
      m_.is(MATSEQBAIJ) && m_.block_size() == 1 && (ftype_ == MAT_FACTOR_CHOLESKY || ftype_ == MAT_FACTOR_ICC);

  if ((kind == 1 || kind == 2) && (no_diagonal || !comparable_)) return;
  if (kind == 0) {
    MatInfo info[2];
    Trace("  MatGetInfo\n");
    if (Both("MatGetInfo", [&](Side s) { return MatGetInfo(F_[s], MAT_LOCAL, &info[s]); }, true) && symbolic_)
      CompareInfo(info[by_petsc], info[by_plugin]);
  } else if (kind == 1 && numeric_) {
    PetscInt count[2][3];
    Trace("  MatGetInertia\n");
    if (Both(
            "MatGetInertia", [&](Side s) { return MatGetInertia(F_[s], &count[s][0], &count[s][1], &count[s][2]); },
            true))
      for (int k = 0; k < 3; ++k)
        if (count[by_petsc][k] != count[by_plugin][k])
          Fail("MatGetInertia: count %d is %d, PETSc's own %d", k, (int)count[by_plugin][k], (int)count[by_petsc][k]);
  } else if (kind == 2 && numeric_ && !m_.is(MATSEQBAIJ)) {  // for seqbaij the plugin tells more than PETSc's own
    std::vector<PetscScalar> const zero((std::size_t)m_.n(), 0);
    Vectors v(zero, zero, 0);
    Trace("  MatGetDiagonal of the factor\n");
    if (!Both("MatGetDiagonal of the factor", [&](Side s) { return MatGetDiagonal(F_[s], v.x[s]); }, true)) return;
    auto const expected = v.result(by_petsc), actual = v.result(by_plugin);
    PetscReal const relative = judge_.pivots();
    std::vector<PetscReal> tolerance;
    if (relative <= roughest)
      for (PetscScalar e : expected) tolerance.push_back(relative * PetscAbsScalar(e));
    CompareRows("MatGetDiagonal of the factor", m_.n(), expected.data(), actual.data(), tolerance);
  } else if (kind == 3 && numeric_) {
    Trace("  MatFactorClearError\n");
    for (Mat f : F_) FUZZ_MUST(MatFactorClearError(f));
  } else if (symbolic_) {
    PetscViewerFormat const format = draw_.pick(formats);
    bool const string = draw_.chance(50);
    if (!string && format == PETSC_VIEWER_DEFAULT && !numeric_) return;
    Trace("  MatView, format %s, to a %s\n", PetscViewerFormats[format], string ? "string" : "file");
    Both("MatView", [&](Side s) { return View(F_[s], format, string); }, true);
  }
}

void FactorPair::operate() {
  int const kind = draw_.from(0, 99);

  if (kind < 60) solve_vector(kind / 10);
  else if (kind < 70) solve_columns(false);
  else if (kind < 76) solve_columns(true);
  else if (kind < 84) half_solve(kind % 2);
  else if (kind < 88) solve_collection();
  else look();
}

}  // namespace fuzz
