// SPDX-License-Identifier: Apache-2.0
// PETSc's own factor and ours of the same matrix, taken through the same calls.
#pragma once

#include <string>
#include <vector>

#include "fuzz_judge.hpp"
#include "fuzz_matrix.hpp"
#include "fuzz_record.hpp"

namespace fuzz {

/// A solver type with a variant of its options, which stand under a prefix.
struct Variant {
  char const* type;
  char const* options;  ///< "NAME VALUE NAME VALUE", without -mat_sptrsv_
};
extern std::string type_forced;     ///< instead of all variants' types; with "petsc" both sides are PETSc's own
extern std::string backend_forced;  ///< -mat_sptrsv_backend of all variants, if not empty
int num_variants();
Variant const& variant(int index);
std::string prefix_of(int index);
/// Puts the options of all variants into PETSc's database.
PetscErrorCode SetVariantOptions();
inline char const* type_of(int index) { return type_forced.empty() ? variant(index).type : type_forced.c_str(); }

/// Random right-hand sides, of several kinds.
std::vector<PetscScalar> draw_vector(Draw& draw, PetscInt n);

/// Compares row by row. @param tolerance  empty: results are not judged, but for which rows are finite.
void CompareRows(char const* what, PetscInt n, PetscScalar const* expected, PetscScalar const* actual,
                 std::vector<PetscReal> const& tolerance);

/// The bounds of one numeric phase of PETSc's own factor.
struct Judge {
  bool split = false;
  Bound plain, transposed;
  bool transposed_ready = false;
  int block_size = 1;
  Dense upper, lower;  // inverses, in the order of the factor
  std::vector<PetscInt> rows, cols;

  /// @param E  columns of the factor's solve.
  void read(Dense const& E, IS rows, IS cols, PetscInt n, PetscInt bs);
  /// Tolerances of x = A^-1 b, or transposed; empty where nothing can be said.
  std::vector<PetscReal> of(PetscScalar const* b, PetscScalar const* x, bool transpose);
  /// Tolerance of a solution of ones, relative to the largest entry of it; infinity where nothing can be said.
  PetscReal relative(bool transpose);
  /// Tolerance of the pivots, relative to each; infinity where nothing can be said.
  PetscReal pivots() const;
};

/// Such tolerances are too rough to judge by: the inverse itself is as inexact.
constexpr PetscReal roughest = 1e-5;

class FactorPair {
 public:
  FactorPair(Draw& draw, Matrices& matrices) : draw_(draw), m_(matrices) {}
  FactorPair(FactorPair const&) = delete;
  FactorPair& operator=(FactorPair const&) = delete;
  ~FactorPair();

  /// New factors of a random kind, without phases.
  void create();
  void destroy();
  bool exists() const { return F_[own] != nullptr; }
  bool has_symbolic() const { return symbolic_; }
  bool has_numeric() const { return numeric_; }
  void symbolic();
  /// Does the symbolic phase first where PETSc's own would crash without it.
  void numeric();

  /// One random operation, compared.
  void operate();
  void solve_vector(int kind);  ///< 0 to 5: plain, transposed, added, transposed added, each of the two with x == y
  void solve_columns(bool transpose);
  void half_solve(bool forward);
  void solve_collection();
  void look();

 private:
  void draw_setup();
  bool lu_and_aij() const { return m_.is(MATSEQAIJ) && (ftype_ == MAT_FACTOR_LU || ftype_ == MAT_FACTOR_ILU); }
  void draw_ordering();
  PetscErrorCode symbolic_of(Side s);
  bool needs_symbolic() const;
  void compare_errors();
  void read_judge();
  PetscErrorCode apply(Side s, int kind, Vec b, Vec y, Vec x) const;

  Draw& draw_;
  Matrices& m_;
  Mat F_[2] = {nullptr, nullptr};
  MatFactorType ftype_ = MAT_FACTOR_LU;
  MatFactorInfo info_;
  IS rows_ = nullptr, cols_ = nullptr;
  std::string ordering_ = "natural";
  bool nonzero_diagonal_ = false, symbolic_ = false, numeric_ = false;
  int variant_ = 0;
  PetscInt symbolic_changes_ = -1, symbolic_pattern_ = -1;
  bool numeric_since_symbolic_ = false;
  bool comparable_ = true;  ///< false behind a zero pivot, where the factor is noise, if the two round differently
  Judge judge_;
};

}  // namespace fuzz
