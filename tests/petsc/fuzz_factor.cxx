// SPDX-License-Identifier: Apache-2.0
// Creates the two factors and runs their phases.
#include "fuzz_factor.hpp"

#include <cmath>
#include <cstring>
#include <sstream>

namespace fuzz {
namespace {

constexpr Variant all_variants[] = {{"sequential", ""},
                                    {"levelset", ""},
                                    {"syncfree", ""},
                                    {"threadlevel", ""},
                                    {"fused", ""},
                                    {"tiled", ""},
                                    {"blocked", ""},
                                    {"colorset", ""},
                                    {"sptrsv", ""},
                                    {"levelset", "levelset_wide_rows 1"},
                                    {"levelset", "levelset_analysis root_candidates"},
                                    {"levelset", "levelset_analysis sweep levelset_wide_rows 3"},
                                    {"syncfree", "syncfree_form csc"},
                                    {"syncfree", "syncfree_rows_per_ticket 1"},
                                    {"syncfree", "syncfree_form csc syncfree_rows_per_ticket 3"},
                                    {"threadlevel", "threadlevel_form two_phase"},
                                    {"threadlevel", "threadlevel_rows_per_ticket 2"},
                                    {"fused", "fused_threshold 1"},
                                    {"fused", "fused_threshold 1000000"},
                                    {"fused", "fused_threshold 2"},
                                    {"tiled", "tiled_variant syncfree"},
                                    {"tiled", "tiled_variant levelset tiled_wide_rows 2"},
                                    {"blocked", "blocked_levels 3"},
                                    {"blocked", "blocked_rows 7"},
                                    {"colorset", "colorset_form cpls"},
                                    {"colorset", "colorset_wide_rows 1"},
                                    {"sptrsv", "plan measure"}};

}  // namespace

std::string type_forced, backend_forced;

int num_variants() { return static_cast<int>(sizeof all_variants / sizeof *all_variants); }
Variant const& variant(int index) { return all_variants[index]; }
std::string prefix_of(int index) { return "fuzz" + std::to_string(index) + "_"; }

PetscErrorCode SetVariantOptions() {
  for (int v = 0; v < num_variants(); ++v) {
    std::istringstream words(variant(v).options);
    std::string name, value;
    while (words >> name >> value)
      PetscCall(PetscOptionsSetValue(NULL, ("-" + prefix_of(v) + "mat_sptrsv_" + name).c_str(), value.c_str()));
    std::string const backend = "-" + prefix_of(v) + "mat_sptrsv_backend";
    if (!backend_forced.empty()) PetscCall(PetscOptionsSetValue(NULL, backend.c_str(), backend_forced.c_str()));
    std::string const factor = "-" + prefix_of(v) + "mat_sptrsv_factor";
    if (!factor_forced.empty()) PetscCall(PetscOptionsSetValue(NULL, factor.c_str(), factor_forced.c_str()));
  }
  return PETSC_SUCCESS;
}

void Judge::read(Dense const& E, IS row_is, IS col_is, PetscInt n, PetscInt bs) {
  auto const expand = [&](IS is) {
    PetscInt size;
    PetscInt const* at;
    std::vector<PetscInt> all;
    FUZZ_MUST(ISGetLocalSize(is, &size));
    FUZZ_MUST(ISGetIndices(is, &at));
    PetscInt const each = size ? n / size : 1;  // rows, or block rows
    for (PetscInt i = 0; i < size; ++i)
      for (PetscInt k = 0; k < each; ++k) all.push_back(at[i] * each + k);
    FUZZ_MUST(ISRestoreIndices(is, &at));
    return all;
  };
  *this = Judge{};
  rows = expand(row_is);
  cols = expand(col_is);
  Dense ordered((int)n);
  for (int i = 0; i < (int)n; ++i)
    for (int j = 0; j < (int)n; ++j) ordered(i, j) = E((int)cols[(std::size_t)i], (int)rows[(std::size_t)j]);
  split = SplitInverse(ordered, (int)bs, &upper, &lower);
  if (split) plain = Bound(lower, upper, (int)bs, rounds_otherwise()), block_size = (int)bs;
}

std::vector<PetscReal> Judge::of(PetscScalar const* b, PetscScalar const* x, bool transpose) {
  if (!split) return {};
  if (transpose && !transposed_ready) {
    transposed = Bound(Transposed(upper), Transposed(lower), block_size, rounds_otherwise());
    transposed_ready = true;
  }
  Bound const& bound = transpose ? transposed : plain;
  if (!bound.usable()) return {};
  auto const &in = transpose ? cols : rows, &out = transpose ? rows : cols;
  std::size_t const n = in.size();
  std::vector<PetscScalar> from(n), to(n);
  for (std::size_t i = 0; i < n; ++i) from[i] = b[in[i]], to[i] = x[out[i]];
  auto const ordered = bound.of(from.data(), to.data());
  std::vector<PetscReal> result(n);
  PetscReal largest = 0, roughly = 0;
  for (std::size_t i = 0; i < n; ++i) {
    result[(std::size_t)out[i]] = ordered[i];
    roughly = PetscMax(roughly, ordered[i]);
    largest = PetscMax(largest, PetscAbsScalar(to[i]));
  }
  if (!(roughly <= roughest * largest) && largest > 0) return {};
  return result;
}

PetscReal Judge::pivots() const {
  if (!rounds_otherwise()) return 8 * PETSC_MACHINE_EPSILON;
  return split && plain.usable() ? plain.of_pivots() : PETSC_INFINITY;
}

PetscReal Judge::relative(bool transpose) {
  std::size_t const n = rows.size();
  std::vector<PetscScalar> b(n, 1), x(n, 0);
  PetscReal largest = 0, tolerance = 0;

  if (!split) return PETSC_INFINITY;
  for (std::size_t i = 0; i < n; ++i) {
    PetscScalar sum = 0;  // E = U^-1 L^-1, or its transpose
    for (std::size_t k = 0; k < n; ++k) {
      PetscScalar s = 0;
      for (std::size_t j = 0; j < n; ++j) s += transpose ? upper((int)j, (int)k) : lower((int)k, (int)j);
      sum += s * (transpose ? lower((int)k, (int)i) : upper((int)i, (int)k));
    }
    auto const& out = transpose ? rows : cols;
    x[(std::size_t)out[i]] = sum;
    largest = PetscMax(largest, PetscAbsScalar(sum));
  }
  auto const all = of(b.data(), x.data(), transpose);
  if (all.empty()) return PETSC_INFINITY;
  for (PetscReal t : all) tolerance = PetscMax(tolerance, t);
  return tolerance / largest;
}

FactorPair::~FactorPair() {
  for (Mat& f : F_) (void)MatDestroy(&f);
  (void)ISDestroy(&rows_);
  (void)ISDestroy(&cols_);
}

void FactorPair::destroy() {
  Trace("  MatDestroy of the factors\n");
  for (Mat& f : F_) FUZZ_MUST(MatDestroy(&f));
  symbolic_ = numeric_ = false;
}

void FactorPair::draw_setup() {
  constexpr MatFactorType kinds[] = {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC};
  constexpr MatFactorShiftType shifts[] = {MAT_SHIFT_NONZERO, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_INBLOCKS};
  PetscBool available;

  do {
    ftype_ = draw_.pick(kinds);
    FUZZ_MUST(MatGetFactorAvailable(m_.of(by_petsc), MATSOLVERPETSC, ftype_, &available));
    if (m_.is(MATSEQSBAIJ) && ftype_ <= MAT_FACTOR_ILU && ftype_ != MAT_FACTOR_CHOLESKY) available = PETSC_FALSE;
    if (!m_.symmetric() && (ftype_ == MAT_FACTOR_CHOLESKY || ftype_ == MAT_FACTOR_ICC) && draw_.chance(80))
      available = PETSC_FALSE;
  } while (!available);
  FUZZ_MUST(MatFactorInfoInitialize(&info_));
  info_.levels = draw_.chance(50) ? 0 : draw_.from(1, 3);
  // docs/dev/petsc_faults.md, icc_leftovers
  if (own_values() && m_.blocks() && ftype_ == MAT_FACTOR_ICC) info_.levels = 0;
  info_.fill = draw_.chance(50) ? 5 : 1 + 2 * std::fabs((double)draw_.unit());
  info_.dtcol = 1e-6;
  info_.zeropivot = draw_.chance(80) ? 100 * PETSC_MACHINE_EPSILON : draw_.chance(70) ? 0 : 0.5;
  info_.shifttype = (PetscReal)(draw_.chance(60) ? MAT_SHIFT_NONE : draw_.pick(shifts));
  info_.shiftamount = draw_.chance(50) ? 100 * PETSC_MACHINE_EPSILON : draw_.chance(50) ? 1e-3 : 0.7;
  info_.diagonal_fill = draw_.chance(10);
}

void FactorPair::create() {
  for (Mat& f : F_) FUZZ_MUST(MatDestroy(&f));
  symbolic_ = numeric_ = false;
  draw_setup();
  variant_ = draw_.from(0, num_variants() - 1);
  Trace("  MatGetFactor %s, the plugin's %s %s, levels %g, fill %g, zero pivot %g, shift %s %g, diagonal fill %g\n",
        MatFactorTypes[ftype_], type_of(variant_), variant(variant_).options, (double)info_.levels, (double)info_.fill,
        (double)info_.zeropivot, MatFactorShiftTypes[(int)info_.shifttype], (double)info_.shiftamount,
        (double)info_.diagonal_fill);
  bool const both = Both("MatGetFactor", [&](Side s) {
    PetscCall(MatGetFactor(m_.of(s), s == by_petsc ? MATSOLVERPETSC : type_of(variant_), ftype_, &F_[s]));
    PetscCheck(F_[s], PETSC_COMM_SELF, PETSC_ERR_SUP, "No factor");
    return MatSetOptionsPrefix(F_[s], prefix_of(variant_).c_str());
  });
  if (!both)
    for (Mat& f : F_) FUZZ_MUST(MatDestroy(&f));
}

void FactorPair::draw_ordering() {
  static char const* const all[] = {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND, MATORDERINGQMD,
                                    MATORDERING1WD,     "color",        "blockcolor"};
  bool const lu = ftype_ == MAT_FACTOR_LU || ftype_ == MAT_FACTOR_ILU;
  bool const only_natural = m_.is(MATSEQSBAIJ) || (m_.is(MATSEQBAIJ) && !lu);  // PETSc refuses others or crashes

  ordering_ = only_natural && !(m_.is(MATSEQSBAIJ) && draw_.chance(5)) ? MATORDERINGNATURAL : draw_.pick(all);
  nonzero_diagonal_ = lu && m_.is(MATSEQAIJ) && !m_.inodes() && draw_.chance(15);
  if (ftype_ == MAT_FACTOR_ILU && info_.diagonal_fill != 0)
    nonzero_diagonal_ = false;  // PETSc may add these entries twice: docs/dev/petsc_faults.md
  FUZZ_MUST(DestroyAll(&rows_, &cols_));
  Outcome outcome = Quietly([&] { return MatGetOrdering(m_.of(by_petsc), ordering_.c_str(), &rows_, &cols_); });
  if (outcome.code) {
    Trace("    (PETSc has no ordering %s here: %.80s)\n", ordering_.c_str(), outcome.message.c_str());
    ordering_ = MATORDERINGNATURAL;
    rows_ = cols_ = nullptr;
    FUZZ_MUST(MatGetOrdering(m_.of(by_petsc), ordering_.c_str(), &rows_, &cols_));
  }
  if (nonzero_diagonal_) {
    PetscReal const least = draw_.chance(50) ? 1e-10 : m_.size();
    outcome = Quietly([&] { return MatReorderForNonzeroDiagonal(m_.of(by_petsc), least, rows_, cols_); });
    if (outcome.code) {
      FUZZ_MUST(DestroyAll(&rows_, &cols_));
      FUZZ_MUST(MatGetOrdering(m_.of(by_petsc), ordering_.c_str(), &rows_, &cols_));
      nonzero_diagonal_ = false;
    }
  }
  if (!m_.inodes() && m_.is(MATSEQAIJ) && lu && draw_.chance(10)) {  // any permutation
    std::vector<PetscInt> p;
    for (PetscInt i = 0; i < m_.n(); ++i) p.push_back(i);
    for (PetscInt i = m_.n() - 1; i > 0; --i) std::swap(p[(std::size_t)i], p[(std::size_t)draw_.from(0, (int)i)]);
    FUZZ_MUST(DestroyAll(&rows_, &cols_));
    FUZZ_MUST(ISCreateGeneral(PETSC_COMM_SELF, m_.n(), p.data(), PETSC_COPY_VALUES, &rows_));
    FUZZ_MUST(ISSetPermutation(rows_));
    FUZZ_MUST(ISDuplicate(rows_, &cols_));
    FUZZ_MUST(ISSetPermutation(cols_));
    ordering_ = "random";
    nonzero_diagonal_ = false;
  }
}

/// Runs the symbolic phase of one side. PETSc's own side gets a new factor each time, since a second symbolic phase
/// keeps the inodes of the first; and a copy of a matrix of blocks, which would keep the pattern of the first symmetric
/// one.
PetscErrorCode FactorPair::symbolic_of(Side s) {
  bool const cholesky = ftype_ == MAT_FACTOR_CHOLESKY || ftype_ == MAT_FACTOR_ICC;
  Mat A = m_.of(s);
  if (s == by_petsc && cholesky && m_.is(MATSEQBAIJ)) PetscCall(Duplicate(m_.of(s), &A));
  else PetscCall(PetscObjectReference((PetscObject)A));
  if (s == by_petsc || type_forced == MATSOLVERPETSC) {
    PetscCall(MatDestroy(&F_[s]));
    PetscCall(MatGetFactor(m_.of(s), MATSOLVERPETSC, ftype_, &F_[s]));
  }
  PetscErrorCode code;
  if (ftype_ == MAT_FACTOR_LU) code = MatLUFactorSymbolic(F_[s], A, rows_, cols_, &info_);
  else if (ftype_ == MAT_FACTOR_ILU) code = MatILUFactorSymbolic(F_[s], A, rows_, cols_, &info_);
  else if (ftype_ == MAT_FACTOR_CHOLESKY) code = MatCholeskyFactorSymbolic(F_[s], A, rows_, &info_);
  else code = MatICCFactorSymbolic(F_[s], A, rows_, &info_);
  PetscCall(MatDestroy(&A));
  return code;
}

void FactorPair::symbolic() {
  draw_ordering();
  Trace("  symbolic, ordering %s%s\n", ordering_.c_str(),
        nonzero_diagonal_ ? ", reordered for a nonzero diagonal" : "");
  numeric_ = false;
  if (lu_and_aij() && !m_.keep_inodes(rows_)) {  // PETSc's numeric phase gives NaN or crashes: docs/dev/petsc_faults.md
    FUZZ_MUST(ISDestroy(&rows_));
    FUZZ_MUST(ISDestroy(&cols_));
    FUZZ_MUST(ISCreateStride(PETSC_COMM_SELF, m_.n(), 0, 1, &rows_));
    FUZZ_MUST(ISSetIdentity(rows_));
    FUZZ_MUST(PetscObjectReference((PetscObject)rows_));
    cols_ = rows_;
    Trace("    (which splits inodes: natural instead)\n");
  }
  symbolic_ = Both("the symbolic phase", [&](Side s) { return symbolic_of(s); });
  if (!symbolic_) {  // a factor whose symbolic phase failed must not be used
    create();
    return;
  }
  symbolic_changes_ = m_.changes();
  symbolic_pattern_ = m_.pattern_changes();
  numeric_since_symbolic_ = false;
}

/// Tells whether PETSc's own numeric phase crashes without a symbolic phase, or works on a copy of the old matrix.
bool FactorPair::needs_symbolic() const {
  bool const cholesky = ftype_ == MAT_FACTOR_CHOLESKY || ftype_ == MAT_FACTOR_ICC;
  if (!symbolic_) return true;
  if (m_.pattern_changes() != symbolic_pattern_) return true;  // LU of seqaij carries values over to the next row
  return m_.is(MATSEQBAIJ) && cholesky && !numeric_since_symbolic_ && m_.changes() != symbolic_changes_;
}

void FactorPair::numeric() {
  bool const cholesky = ftype_ == MAT_FACTOR_CHOLESKY || ftype_ == MAT_FACTOR_ICC;
  bool const positive = info_.shifttype == (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE;
  if (positive && (!m_.shift_ends() || nonzero_diagonal_ || (cholesky && !m_.symmetric()) || m_.blocks()))
    info_.shifttype = (PetscReal)MAT_SHIFT_NONZERO;
  if (needs_symbolic()) symbolic();
  if (!symbolic_) return;
  Trace("  numeric%s\n",
        m_.pattern_changes() != symbolic_pattern_ ? ", the pattern may be another one than in the symbolic phase" : "");
  if (positive && m_.is(MATSEQAIJ)) {  // 3.25 and later crash otherwise: docs/dev/petsc_faults.md
    Vec diagonal;
    FUZZ_MUST(MatCreateVecs(m_.of(by_petsc), &diagonal, NULL));
    FUZZ_MUST(MatGetDiagonal(m_.of(by_petsc), diagonal));
    FUZZ_MUST(VecDestroy(&diagonal));
  }
  numeric_ = Both("the numeric phase", [&](Side s) {
    return cholesky ? MatCholeskyFactorNumeric(F_[s], m_.of(s), &info_) : MatLUFactorNumeric(F_[s], m_.of(s), &info_);
  });
  numeric_since_symbolic_ = true;
  m_.check_same();
  if (!numeric_) return;
  compare_errors();
  read_judge();
}

void FactorPair::compare_errors() {
  MatFactorError error[2];
  PetscReal value[2] = {0, 0};
  PetscInt row[2] = {0, 0};

  for (Side s : {by_petsc, by_plugin}) {
    FUZZ_MUST(MatFactorGetError(F_[s], &error[s]));
    FUZZ_MUST(MatFactorGetErrorZeroPivot(F_[s], &value[s], &row[s]));
  }
  if (error[by_petsc] != error[by_plugin])
    Fail("MatFactorGetError: PETSc's own %d, the plugin's %d", (int)error[by_petsc], (int)error[by_plugin]);
  comparable_ = !error[by_petsc] || !rounds_otherwise();
  if (error[by_petsc]) Trace("    (factor error %d, row %d)\n", (int)error[by_petsc], (int)row[by_petsc]);
  PetscReal const rounding = rounds_otherwise() ? 1e-10 * (std::abs(value[by_petsc]) + m_.size()) : 0;
  bool const same = value[by_petsc] == value[by_plugin] || std::abs(value[by_petsc] - value[by_plugin]) <= rounding ||
                    (std::isnan(value[by_petsc]) && std::isnan(value[by_plugin]));
  // After a zero pivot there may be others, and the last one is named: the factors are noise by then.
  if (rounds_otherwise() && row[by_petsc] != row[by_plugin]) return;
  // PETSc names another row: docs/dev/petsc_faults.md, cholesky_pivot_row
  bool const other_row = own_values() && (ftype_ == MAT_FACTOR_CHOLESKY || ftype_ == MAT_FACTOR_ICC);
  if (error[by_petsc] && (!same || (row[by_petsc] != row[by_plugin] && !other_row)))
    Fail("MatFactorGetErrorZeroPivot: PETSc's own %.17g in row %d, the plugin's %.17g in row %d",
         (double)value[by_petsc], (int)row[by_petsc], (double)value[by_plugin], (int)row[by_plugin]);
}

void FactorPair::read_judge() {
  PetscInt const n = m_.n();
  Dense E((int)n);
  Vec b, x;
  PetscScalar const* a;

  record->petsc_at_work = true;
  FUZZ_MUST(VecCreateSeq(PETSC_COMM_SELF, n, &b));
  FUZZ_MUST(VecDuplicate(b, &x));
  for (PetscInt j = 0; j < n; ++j) {
    FUZZ_MUST(VecSet(b, 0));
    FUZZ_MUST(VecSetValue(b, j, 1, INSERT_VALUES));
    FUZZ_MUST(MatSolve(F_[by_petsc], b, x));
    FUZZ_MUST(VecGetArrayRead(x, &a));
    for (PetscInt i = 0; i < n; ++i) E((int)i, (int)j) = a[i];
    FUZZ_MUST(VecRestoreArrayRead(x, &a));
  }
  FUZZ_MUST(DestroyAll(&b, &x));
  record->petsc_at_work = false;
  bool const cholesky = ftype_ == MAT_FACTOR_CHOLESKY || ftype_ == MAT_FACTOR_ICC;
  judge_.read(E, rows_, cholesky ? rows_ : cols_, n, m_.block_size());
}

void run_factors(Draw& draw) {
  Matrices matrices(draw);
  FactorPair factors(draw, matrices);

  for (int steps = draw.from(3, 14); steps > 0; --steps) {
    int const kind = draw.from(0, 99);
    if (!factors.exists()) factors.create();
    if (!factors.exists()) continue;
    if (kind < 30) matrices.change();
    else if (kind < 33) {
      if (matrices.convert()) factors.create();
    } else if (kind < 42) factors.symbolic();
    else if (kind < 70) factors.numeric();
    else if (kind < 74) factors.create();
    else if (kind < 76) factors.destroy();
    else if (!factors.has_numeric()) factors.numeric();
    if (factors.has_numeric())
      for (int k = draw.from(1, 3); k > 0; --k) factors.operate();
    else if (factors.exists() && draw.chance(10)) factors.look();
  }
}

}  // namespace fuzz
