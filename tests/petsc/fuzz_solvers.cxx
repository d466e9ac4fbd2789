// SPDX-License-Identifier: Apache-2.0
// Runs a sequence on KSP and PC: a pair of solvers, one with PETSc's own factor and one with the plugin's.
#include <cmath>
#include <cstring>

#include "fuzz_factor.hpp"

namespace fuzz {
namespace {

using Values = std::vector<PetscScalar>;

PetscReal Largest(Values const& v) {
  PetscReal largest = 0;
  for (PetscScalar s : v) largest = PetscMax(largest, PetscAbsScalar(s));
  return largest;
}

class SolverPair {
 public:
  explicit SolverPair(Draw& draw) : draw_(draw), m_(draw) { create(); }
  SolverPair(SolverPair const&) = delete;
  SolverPair& operator=(SolverPair const&) = delete;
  ~SolverPair() {
    for (KSP& k : ksp_) (void)KSPDestroy(&k);
    (void)ISDestroy(&rows_);
    (void)ISDestroy(&cols_);
  }
  void step();

 private:
  void create();
  void set_factor_options();
  void draw_ordering();
  void draw_shift();
  PC pc(Side s) const {
    PC p;
    FUZZ_MUST(KSPGetPC(ksp_[s], &p));
    return p;
  }
  template <class Body>
  void on_both(char const* what, Body const& body);
  bool ready();
  void note_factor();
  void read_judge(bool transpose);
  void apply(bool transpose);
  void apply_columns();
  void solve(bool transpose);
  void other_step(int kind);
  bool cholesky() const { return pc_type_ == PCCHOLESKY || pc_type_ == PCICC; }

  Draw& draw_;
  Matrices m_;
  KSP ksp_[2] = {nullptr, nullptr};
  std::string pc_type_, ordering_ = MATORDERINGNATURAL;
  MatFactorShiftType shift_ = MAT_SHIFT_NONE;
  int variant_ = 0;
  bool refused_ = false;
  IS rows_ = nullptr, cols_ = nullptr;  // ordering of PETSc's own factor
  PetscObjectId factor_ = 0;            // id of PETSc's own factor
  PetscInt replacements_ = 0;           // replacements of the matrix when that factor was made
  Judge judge_;
};

template <class Body>
void SolverPair::on_both(char const* what, Body const& body) {
  Trace("  %s\n", what);
  refused_ = !Both(what, body);
  note_factor();
}

void SolverPair::create() {
  constexpr char const* methods[] = {KSPPREONLY, KSPPREONLY, KSPGMRES, KSPCG, KSPBCGS, KSPRICHARDSON};
  char const* const pcs[] = {PCLU, PCILU, PCCHOLESKY, PCICC};
  char const* const method = draw_.pick(methods);
  PetscInt const most = draw_.from(1, 5);

  do pc_type_ = draw_.pick(pcs);
  while (m_.is(MATSEQSBAIJ) ? !cholesky() : cholesky() && !m_.symmetric());
  variant_ = draw_.from(0, num_variants() - 1);
  Trace("  KSP %s, PC %s, at most %d iterations, the plugin's %s %s\n", method, pc_type_.c_str(), (int)most,
        type_of(variant_), variant(variant_).options);
  FUZZ_MUST(DestroyAll(&rows_, &cols_));
  for (Side s : {by_petsc, by_plugin}) {
    FUZZ_MUST(KSPDestroy(&ksp_[s]));
    FUZZ_MUST(KSPCreate(PETSC_COMM_SELF, &ksp_[s]));
    FUZZ_MUST(KSPSetOptionsPrefix(ksp_[s], prefix_of(variant_).c_str()));
    FUZZ_MUST(KSPSetType(ksp_[s], method));
    FUZZ_MUST(KSPSetTolerances(ksp_[s], 1e-10, 1e-300, 1e10, most));
    FUZZ_MUST(KSPSetOperators(ksp_[s], m_.of(s), m_.of(s)));
    FUZZ_MUST(PCSetType(pc(s), pc_type_.c_str()));
    FUZZ_MUST(PCFactorSetMatSolverType(pc(s), s == by_petsc ? MATSOLVERPETSC : type_of(variant_)));
  }
  set_factor_options();
}

/// Draws a shift; PETSc's own ICC would shift by default, and may never end.
void SolverPair::draw_shift() {
  constexpr MatFactorShiftType shifts[] = {MAT_SHIFT_NONE, MAT_SHIFT_NONE, MAT_SHIFT_NONZERO, MAT_SHIFT_INBLOCKS,
                                           MAT_SHIFT_POSITIVE_DEFINITE};
  shift_ = draw_.pick(shifts);
  if (shift_ == MAT_SHIFT_POSITIVE_DEFINITE && (!m_.shift_ends() || m_.blocks())) shift_ = MAT_SHIFT_NONE;
  Trace("  PCFactorSetShiftType %s\n", MatFactorShiftTypes[(int)shift_]);
  for (Side s : {by_petsc, by_plugin}) FUZZ_MUST(PCFactorSetShiftType(pc(s), shift_));
}

void SolverPair::draw_ordering() {
  static char const* const all[] = {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND, MATORDERINGQMD,
                                    MATORDERING1WD,     "color",        "blockcolor"};
  bool const natural = m_.is(MATSEQSBAIJ) || (m_.blocks() && cholesky());
  ordering_ = natural ? MATORDERINGNATURAL : draw_.pick(all);
  Trace("  PCFactorSetMatOrderingType %s\n", ordering_.c_str());
  for (Side s : {by_petsc, by_plugin}) FUZZ_MUST(PCFactorSetMatOrderingType(pc(s), ordering_.c_str()));
}

void SolverPair::set_factor_options() {
  PetscInt levels = draw_.chance(50) ? 0 : draw_.from(1, 3);
  if (own_values() && m_.blocks() && cholesky()) levels = 0;  // docs/dev/petsc_faults.md, icc_leftovers
  PetscReal const fill = draw_.chance(50) ? 5 : 1 + 2 * std::fabs(draw_.unit());
  Trace("  PCFactorSetLevels %d, PCFactorSetFill %g\n", (int)levels, (double)fill);
  for (Side s : {by_petsc, by_plugin}) {
    FUZZ_MUST(PCFactorSetLevels(pc(s), levels));
    FUZZ_MUST(PCFactorSetFill(pc(s), fill));
  }
  draw_shift();
  draw_ordering();
}

/// Excludes cases that crash PETSc's own factor, before calls that may set the PC up.
bool SolverPair::ready() {
  if (shift_ == MAT_SHIFT_POSITIVE_DEFINITE && (!m_.shift_ends() || m_.blocks())) draw_shift();
  if (own_values() && rows_ && m_.replacements() != replacements_) {  // docs/dev/petsc_faults.md, replace_keeps_factor
    Trace("    (PETSc may take this for the old pattern)\n");
    return false;
  }
  if (!m_.is(MATSEQAIJ) || cholesky()) return true;
  PetscInt count = 0, *sizes = nullptr;
  FUZZ_MUST(MatInodeGetInodeSizes(m_.of(by_petsc), &count, &sizes, NULL));
  if (rows_ && m_.replacements() != replacements_ && (m_.inodes() || (count && sizes))) {
    Trace("    (PETSc may take this for the old pattern, and go on with the old inodes)\n");
    return false;
  }
  IS rows = nullptr, cols = nullptr;
  bool kept = true;
  if (!Quietly([&] { return MatGetOrdering(m_.of(by_petsc), ordering_.c_str(), &rows, &cols); }).code)
    kept = m_.keep_inodes(rows);
  FUZZ_MUST(DestroyAll(&rows, &cols));
  if (kept) return true;
  Trace("    (the ordering splits inodes)\n");
  return false;
}

/// Records that a new factor has been made with the ordering of the present matrix.
void SolverPair::note_factor() {
  Mat factor = nullptr;
  PetscObjectId id;

  if (Quietly([&] { return PCFactorGetMatrix(pc(by_petsc), &factor); }).code || !factor) return;
  FUZZ_MUST(PetscObjectGetId((PetscObject)factor, &id));
  if (id == factor_ && rows_) return;
  factor_ = id;
  FUZZ_MUST(DestroyAll(&rows_, &cols_));
  FUZZ_MUST(MatGetOrdering(m_.of(by_petsc), ordering_.c_str(), &rows_, &cols_));
  replacements_ = m_.replacements();
}

void SolverPair::read_judge(bool transpose) {
  PetscInt const n = m_.n();
  Dense E((int)n);

  note_factor();
  record->petsc_at_work = true;
  for (PetscInt j = 0; j < n; ++j) {
    Values e((std::size_t)n, 0);
    e[(std::size_t)j] = 1;
    Vec unit = MakeVec(e), column = MakeVec(e);
    FUZZ_MUST(transpose ? PCApplyTranspose(pc(by_petsc), unit, column) : PCApply(pc(by_petsc), unit, column));
    Values const values = ReadVec(column);
    for (PetscInt i = 0; i < n; ++i) E((int)(transpose ? j : i), (int)(transpose ? i : j)) = values[(std::size_t)i];
    FUZZ_MUST(DestroyAll(&unit, &column));
  }
  record->petsc_at_work = false;
  judge_.read(E, rows_, cholesky() ? rows_ : cols_, n, m_.block_size());
}

void SolverPair::apply(bool transpose) {
  char const* const name = transpose ? "PCApplyTranspose" : "PCApply";
  PetscInt const n = m_.n();
  Values const b = draw_vector(draw_, n);
  Vec from = MakeVec(b), x[2];

  for (Vec& v : x) v = MakeVec(b);
  Trace("  %s\n", name);
  refused_ =
      !Both(name, [&](Side s) { return transpose ? PCApplyTranspose(pc(s), from, x[s]) : PCApply(pc(s), from, x[s]); });
  if (!refused_) {
    read_judge(transpose);
    Values const expected = ReadVec(x[by_petsc]), actual = ReadVec(x[by_plugin]);
    CompareRows(name, n, expected.data(), actual.data(), judge_.of(b.data(), expected.data(), transpose));
  }
  FUZZ_MUST(VecDestroy(&from));
  for (Vec& v : x) FUZZ_MUST(VecDestroy(&v));
}

void SolverPair::apply_columns() {
  PetscInt const n = m_.n(), columns = draw_.from(1, 5);
  Block B(n, columns, 0), of_petsc(n, columns, 0), of_plugin(n, columns, 0);
  Mat const X[2] = {of_petsc.m, of_plugin.m};
  Values b;

  for (PetscInt i = 0; i < n * columns; ++i) b.push_back(draw_.scalar());
  B.put(b.data());
  Trace("  PCMatApply, %d columns\n", (int)columns);
  refused_ = !Both("PCMatApply", [&](Side s) { return PCMatApply(pc(s), B.m, X[s]); }, true);
  if (refused_) return;
  read_judge(false);
  Values const expected = of_petsc.get(), actual = of_plugin.get();
  for (PetscInt c = 0; c < columns; ++c)
    CompareRows("PCMatApply", n, &expected[(std::size_t)(c * n)], &actual[(std::size_t)(c * n)],
                judge_.of(&b[(std::size_t)(c * n)], &expected[(std::size_t)(c * n)], false));
}

/// Solves on both sides. A slightly different right-hand side shows how much rounding may change.
void SolverPair::solve(bool transpose) {
  char const* const name = transpose ? "KSPSolveTranspose" : "KSPSolve";
  PetscInt const n = m_.n();
  Values const b = draw_vector(draw_, n);
  Values other = b;
  for (PetscScalar& v : other) v += (PetscReal)1e-12 * Largest(b) * draw_.scalar();
  Vec from[2] = {MakeVec(b), MakeVec(other)}, x[3];
  KSPConvergedReason reason[3] = {};
  PetscInt iterations[3] = {};
  auto const call = [&](Side s, int to, Vec in) {
    PetscCall(VecSet(x[to], 0));
    PetscCall(transpose ? KSPSolveTranspose(ksp_[s], in, x[to]) : KSPSolve(ksp_[s], in, x[to]));
    PetscCall(KSPGetConvergedReason(ksp_[s], &reason[to]));
    return KSPGetIterationNumber(ksp_[s], &iterations[to]);
  };

  for (Vec& v : x) v = MakeVec(b);
  Trace("  %s\n", name);
  refused_ = !Both(name, [&](Side s) { return call(s, s, from[0]); });
  if (!refused_) {
    if ((reason[by_petsc] == KSP_DIVERGED_PC_FAILED) != (reason[by_plugin] == KSP_DIVERGED_PC_FAILED))
      Fail("%s: PETSc's own ends with reason %s, the plugin's with %s", name, KSPConvergedReasons[reason[by_petsc]],
           KSPConvergedReasons[reason[by_plugin]]);
    record->petsc_at_work = true;
    FUZZ_MUST(call(by_petsc, 2, from[1]));
    record->petsc_at_work = false;
    Values const expected = ReadVec(x[by_petsc]), actual = ReadVec(x[by_plugin]), near = ReadVec(x[2]);
    bool const alike = reason[by_petsc] == reason[by_plugin] && reason[by_petsc] == reason[2] &&
                       iterations[by_petsc] == iterations[by_plugin] && iterations[by_petsc] == iterations[2] &&
                       (reason[by_petsc] > 0 || reason[by_petsc] == KSP_DIVERGED_ITS);
    PetscReal moved = 0;
    for (std::size_t i = 0; i < near.size(); ++i) moved = PetscMax(moved, PetscAbsScalar(near[i] - expected[i]));
    read_judge(transpose);
    Dense inverse;  // with a singular matrix a Krylov method divides by rounding errors once it has converged
    bool const judged = alike && Invert(m_.dense(), &inverse) && std::isfinite(moved) &&
                        moved <= 1e-8 * Largest(expected) && judge_.relative(transpose) < 1e-9;
    std::vector<PetscReal> const tolerance((std::size_t)n, 1e3 * moved + 1e-6 * Largest(expected));
    if (judged) CompareRows(name, n, expected.data(), actual.data(), tolerance);
    else ++record->not_judged;
  }
  for (Vec& v : from) FUZZ_MUST(VecDestroy(&v));
  for (Vec& v : x) FUZZ_MUST(VecDestroy(&v));
}

void SolverPair::other_step(int kind) {
  PetscBool const yes = (PetscBool)draw_.chance(50);

  if (kind < 20) on_both("KSPSetOperators", [&](Side s) { return KSPSetOperators(ksp_[s], m_.of(s), m_.of(s)); });
  else if (kind < 35) {
    if (ready()) on_both("PCSetUp", [&](Side s) { return PCSetUp(pc(s)); });
  } else if (kind < 45) {
    on_both("PCReset and KSPSetOperators", [&](Side s) {
      PetscCall(PCReset(pc(s)));
      return KSPSetOperators(ksp_[s], m_.of(s), m_.of(s));
    });
  } else if (kind < 55) {
    on_both("KSPReset and KSPSetOperators", [&](Side s) {
      PetscCall(KSPReset(ksp_[s]));
      return KSPSetOperators(ksp_[s], m_.of(s), m_.of(s));
    });
  } else if (kind < 65)
    on_both(yes ? "PCSetReusePreconditioner true" : "PCSetReusePreconditioner false",
            [&](Side s) { return PCSetReusePreconditioner(pc(s), yes); });
  else if (kind < 75) draw_shift();
  else if (kind < 80)
    on_both("PCFactorSetZeroPivot", [&](Side s) { return PCFactorSetZeroPivot(pc(s), yes ? 1e-3 : 1e-14); });
  else if (kind < 85) on_both("PCFactorSetReuseFill", [&](Side s) { return PCFactorSetReuseFill(pc(s), yes); });
  else if (kind < 92) {
    MatSolverType type;
    on_both("PCFactorGetMatSolverType", [&](Side s) { return PCFactorGetMatSolverType(pc(s), &type); });
  } else create();
}

void SolverPair::step() {
  int const kind = draw_.from(0, 99);

  if (kind < 30) {
    PetscInt const before = m_.pattern_changes();
    m_.change();
    if (m_.is(MATSEQBAIJ) && cholesky() &&
        m_.pattern_changes() != before) {  // PETSc keeps the pattern otherwise: docs/dev/petsc_faults.md
      m_.copy_both();
      other_step(50);
    }
  } else if (kind < 60) other_step(draw_.from(0, 99));
  if (refused_) create();  // PETSc promises nothing about objects after an error
  refused_ = false;
  if (!ready()) {  // a new pair, in natural order
    create();
    ordering_ = MATORDERINGNATURAL;
    for (Side s : {by_petsc, by_plugin}) FUZZ_MUST(PCFactorSetMatOrderingType(pc(s), ordering_.c_str()));
  }
  int const operation = draw_.from(0, 99);
  if (operation < 35) apply(draw_.chance(30));
  else if (operation < 50) apply_columns();
  else solve(draw_.chance(15));
  m_.check_same();
  if (refused_) create();
  refused_ = false;
}

}  // namespace

void run_solvers(Draw& draw) {
  SolverPair solvers(draw);
  for (int steps = draw.from(3, 12); steps > 0; --steps) solvers.step();
}

}  // namespace fuzz
