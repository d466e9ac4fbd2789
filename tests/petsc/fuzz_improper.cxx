// SPDX-License-Identifier: Apache-2.0
// Runs a sequence on a matrix whose rows are out of order, or store a column twice: the plugin's factor is refused, or
// equals that of the proper matrix.
#include <utility>

#include "fuzz_factor.hpp"
#include "improper_rows.hpp"

namespace fuzz {
namespace {

using petsc_test::ArrayMatrix;
using petsc_test::Rows;

/// How the rows of a matrix were spoiled.
struct Disorder {
  bool unsorted = false, repeated = false;
  bool repeated_above = false;  ///< on the diagonal or right of it
};

/// Returns the rows of A in the order in which seqaij stores them.
Rows RowsOf(Mat A, PetscInt n) {
  Mat aij;
  Rows rows((std::size_t)n);
  FUZZ_MUST(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &aij));
  for (PetscInt i = 0; i < n; ++i) {
    PetscInt count;
    PetscInt const* columns;
    PetscScalar const* values;
    FUZZ_MUST(MatGetRow(aij, i, &count, &columns, &values));
    for (PetscInt k = 0; k < count; ++k) rows[(std::size_t)i].push_back({columns[k], values[k]});
    FUZZ_MUST(MatRestoreRow(aij, i, &count, &columns, &values));
  }
  FUZZ_MUST(MatDestroy(&aij));
  return rows;
}

/// Splits entries into two halves, and shuffles rows.
Disorder Spoil(Draw& draw, Rows& rows) {
  Disorder found;
  bool const repeats = draw.chance(50), shuffles = !repeats || draw.chance(50);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& row = rows[i];
    if (repeats && !row.empty() && draw.chance(20)) {
      auto const at = (std::size_t)draw.from(0, (int)row.size() - 1);
      row[at].value /= 2;
      auto const half = row[at];
      row.insert(row.begin() + (std::ptrdiff_t)at, half);
      found.repeated = true;
      found.repeated_above = found.repeated_above || half.col >= (PetscInt)i;
    }
    if (!shuffles || draw.chance(50)) continue;
    for (int k = (int)row.size() - 1; k > 0; --k) std::swap(row[(std::size_t)k], row[(std::size_t)draw.from(0, k)]);
    for (std::size_t k = 1; k < row.size(); ++k) found.unsorted = found.unsorted || row[k - 1].col > row[k].col;
  }
  return found;
}

/// Phases of a factor on one matrix, and its answer.
struct Phases {
  MatFactorType ftype = MAT_FACTOR_LU;
  MatFactorInfo info{};
  IS rows = nullptr, cols = nullptr;
  std::string solver, prefix;

  bool symmetric() const { return ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC; }
  PetscErrorCode Factor(Mat A, Mat* F) const {
    PetscCall(MatGetFactor(A, solver.c_str(), ftype, F));
    PetscCall(MatSetOptionsPrefix(*F, prefix.c_str()));
    switch (ftype) {
      case MAT_FACTOR_LU: PetscCall(MatLUFactorSymbolic(*F, A, rows, cols, &info)); break;
      case MAT_FACTOR_ILU: PetscCall(MatILUFactorSymbolic(*F, A, rows, cols, &info)); break;
      case MAT_FACTOR_CHOLESKY: PetscCall(MatCholeskyFactorSymbolic(*F, A, rows, &info)); break;
      default: PetscCall(MatICCFactorSymbolic(*F, A, rows, &info));
    }
    if (symmetric()) PetscCall(MatCholeskyFactorNumeric(*F, A, &info));
    else PetscCall(MatLUFactorNumeric(*F, A, &info));
    return PETSC_SUCCESS;
  }
};

std::vector<PetscScalar> SolveWith(Mat F, std::vector<PetscScalar> const& b) {
  Vec from = MakeVec(b), to = MakeVec(b);
  FUZZ_MUST(MatSolve(F, from, to));
  auto const x = ReadVec(to);
  FUZZ_MUST(DestroyAll(&from, &to));
  return x;
}

Dense InverseBy(Mat F, PetscInt n) {
  Dense E((int)n);
  for (PetscInt j = 0; j < n; ++j) {
    std::vector<PetscScalar> b((std::size_t)n, 0);
    b[(std::size_t)j] = 1;
    auto const x = SolveWith(F, b);
    for (PetscInt i = 0; i < n; ++i) E((int)i, (int)j) = x[(std::size_t)i];
  }
  return E;
}

/// Draws a kind of factor for the proper matrix A.
Phases DrawPhases(Draw& draw, Mat A, MatType type, bool symmetric, int variant) {
  static char const* const orderings[] = {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND, MATORDERINGQMD};
  Phases p;
  bool const aij = std::string(type) == MATSEQAIJ;
  bool const lu = !symmetric || (std::string(type) != MATSEQSBAIJ && draw.chance(50)), complete = draw.chance(30);
  p.ftype = lu ? (complete ? MAT_FACTOR_LU : MAT_FACTOR_ILU) : complete ? MAT_FACTOR_CHOLESKY : MAT_FACTOR_ICC;
  FUZZ_MUST(MatFactorInfoInitialize(&p.info));
  p.info.levels = draw.chance(50) ? 0 : draw.from(1, 2);
  if (own_values() && !aij && !lu) p.info.levels = 0;  // docs/dev/petsc_faults.md, icc_leftovers
  p.info.fill = 5;
  p.info.zeropivot = 100 * PETSC_MACHINE_EPSILON;
  char const* const ordering = (lu || aij) && draw.chance(50) ? draw.pick(orderings) : MATORDERINGNATURAL;
  FUZZ_MUST(MatGetOrdering(A, ordering, &p.rows, &p.cols));
  p.prefix = prefix_of(variant);
  Trace("  %s of %s, levels %g, ordering %s, the plugin's %s %s\n", MatFactorTypes[p.ftype], type,
        (double)p.info.levels, ordering, type_of(variant), fuzz::variant(variant).options);
  return p;
}

/// Tells whether PETSc reads rows in place, so that they have to be sorted.
bool ReadsInPlace(Phases const& p) {
  PetscBool rows, cols = PETSC_TRUE;
  FUZZ_MUST(ISIdentity(p.rows, &rows));
  if (!p.symmetric()) FUZZ_MUST(ISIdentity(p.cols, &cols));
  return (p.ftype == MAT_FACTOR_ILU || p.ftype == MAT_FACTOR_ICC) && p.info.levels == 0 && rows && cols;
}

/// Fails if the plugin's factor is refused and should not be, or is accepted and should not be.
void JudgeOutcome(Outcome const& outcome, Phases const& p, Disorder const& how) {
  PetscBool natural;
  FUZZ_MUST(ISIdentity(p.rows, &natural));
  bool const named = outcome.message.find("stores column") != std::string::npos;
  if (outcome.code && !named)
    Fail("a matrix out of order ends with error %d: %s", (int)outcome.code, outcome.message.c_str());
  if (outcome.code && !how.repeated && !(how.unsorted && ReadsInPlace(p)))
    Fail("PETSc's own does it, the plugin's ends with error %d: %s", (int)outcome.code, outcome.message.c_str());
  bool const is_read = how.repeated_above || (how.repeated && !(p.symmetric() && natural));
  if (!outcome.code && is_read) Fail("a column that is stored twice was taken");
  if (outcome.code) Trace("    (refused: %.100s)\n", outcome.message.c_str());
}

void Compare(Draw& draw, Phases const& phases, Mat proper, Mat improper, Disorder const& how, int variant) {
  Mat F[2] = {nullptr, nullptr};
  MatFactorError failed = MAT_FACTOR_NOERROR;
  PetscInt n;
  Phases p = phases;
  FUZZ_MUST(MatGetSize(proper, &n, NULL));
  p.solver = MATSOLVERPETSC;
  record->petsc_at_work = true;
  bool done = !Quietly([&] { return p.Factor(proper, &F[by_petsc]); }).code;
  if (done) FUZZ_MUST(MatFactorGetError(F[by_petsc], &failed));
  record->petsc_at_work = false;
  if (done && !failed) {
    ++record->calls;
    p.solver = type_of(variant);
    Outcome const outcome = Quietly([&] { return p.Factor(improper, &F[by_plugin]); });
    JudgeOutcome(outcome, p, how);
    if (!outcome.code) {
      Judge judge;
      auto const b = draw_vector(draw, n);
      judge.read(InverseBy(F[by_petsc], n), p.rows, p.symmetric() ? p.rows : p.cols, n, 1);
      auto const expected = SolveWith(F[by_petsc], b), actual = SolveWith(F[by_plugin], b);
      CompareRows("MatSolve, of a matrix out of order", n, expected.data(), actual.data(),
                  judge.of(b.data(), expected.data(), false));
    }
  }
  for (Mat& f : F) FUZZ_MUST(MatDestroy(&f));
}

}  // namespace

void run_improper(Draw& draw) {
  static MatType const types[] = {MATSEQAIJ, MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ};
  Matrices matrices(draw);
  Rows const all = RowsOf(matrices.of(by_petsc), matrices.n());
  bool const symmetric = matrices.symmetric();

  for (int steps = draw.from(1, 4); steps > 0; --steps) {
    MatType const drawn = draw.pick(types);
    MatType const type = std::string(drawn) == MATSEQSBAIJ && !symmetric ? MATSEQAIJ : drawn;
    Rows rows = std::string(type) == MATSEQSBAIJ ? petsc_test::UpperRows(all) : all;
    ArrayMatrix const proper(rows, type);
    Disorder const how = Spoil(draw, rows);
    ArrayMatrix const improper(rows, type);
    for (Mat A : {proper.mat(), improper.mat()}) {
      if (symmetric) FUZZ_MUST(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
      if (std::string(type) == MATSEQAIJ) FUZZ_MUST(MatSetOption(A, MAT_USE_INODES, PETSC_FALSE));
    }
    int const variant = draw.from(0, num_variants() - 1);
    Trace("  rows%s%s\n", how.unsorted ? " out of order" : "", how.repeated ? ", columns twice" : "");
    Phases p = DrawPhases(draw, proper.mat(), type, symmetric, variant);
    Compare(draw, p, proper.mat(), improper.mat(), how, variant);
    FUZZ_MUST(DestroyAll(&p.rows, &p.cols));
  }
}

}  // namespace fuzz
