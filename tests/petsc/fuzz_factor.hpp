// SPDX-License-Identifier: Apache-2.0
// PETSc's own factor and the plugin's of the same matrix, on which the same calls are made.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "fuzz_judge.hpp"
#include "fuzz_matrix.hpp"
#include "fuzz_record.hpp"

namespace fuzz {

/// Solver type with the options of a variant, which are set under a prefix.
struct Variant {
  char const* type;
  char const* options;  ///< "NAME VALUE NAME VALUE", without -mat_sptrsv_
};
extern std::string type_forced;     ///< replaces the types of all variants; with "petsc" both sides are PETSc's own
extern std::string backend_forced;  ///< -mat_sptrsv_backend of all variants, if not empty
int num_variants();
Variant const& variant(int index);
std::string prefix_of(int index);
/// Puts the options of all variants into PETSc's database.
PetscErrorCode SetVariantOptions();
inline char const* type_of(int index) { return type_forced.empty() ? variant(index).type : type_forced.c_str(); }

Vec MakeVec(std::vector<PetscScalar> const& values);
void FillVec(Vec v, std::vector<PetscScalar> const& values);
std::vector<PetscScalar> ReadVec(Vec v);

/// Dense matrix with unused rows between columns.
struct Block {
  Mat m = nullptr;
  PetscInt n, columns, lda;
  Block(PetscInt rows, PetscInt k, PetscInt spare) : n(rows), columns(k), lda(rows + spare) {
    FUZZ_MUST(MatCreate(PETSC_COMM_SELF, &m));
    FUZZ_MUST(MatSetSizes(m, n, k, n, k));
    FUZZ_MUST(MatSetType(m, MATSEQDENSE));
    FUZZ_MUST(MatDenseSetLDA(m, lda));
    FUZZ_MUST(MatSeqDenseSetPreallocation(m, NULL));
    FUZZ_MUST(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
    FUZZ_MUST(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
  }
  Block(Block const&) = delete;
  Block& operator=(Block const&) = delete;
  ~Block() { (void)MatDestroy(&m); }
  void put(PetscScalar const* column_major) {
    PetscScalar* a;
    FUZZ_MUST(MatDenseGetArray(m, &a));
    for (PetscInt c = 0; c < columns; ++c)
      for (PetscInt i = 0; i < n; ++i)
        a[c * lda + i] =
            column_major ? column_major[c * n + i] : PetscScalar(std::numeric_limits<PetscReal>::quiet_NaN());
    FUZZ_MUST(MatDenseRestoreArray(m, &a));
  }
  std::vector<PetscScalar> get() const {
    PetscScalar const* a;
    std::vector<PetscScalar> all;
    FUZZ_MUST(MatDenseGetArrayRead(m, &a));
    for (PetscInt c = 0; c < columns; ++c)
      for (PetscInt i = 0; i < n; ++i) all.push_back(a[c * lda + i]);
    FUZZ_MUST(MatDenseRestoreArrayRead(m, &a));
    return all;
  }
};

/// Draws a right-hand side of one of several kinds.
std::vector<PetscScalar> draw_vector(Draw& draw, PetscInt n);

/// Compares row by row. @param tolerance  empty: only compares which rows are finite
void CompareRows(char const* what, PetscInt n, PetscScalar const* expected, PetscScalar const* actual,
                 std::vector<PetscReal> const& tolerance);

/// Bounds of one numeric phase of PETSc's own factor.
struct Judge {
  bool split = false;
  Bound plain, transposed;
  bool transposed_ready = false;
  int block_size = 1;
  Dense upper, lower;  // inverses, in the order of the factor
  std::vector<PetscInt> rows, cols;

  /// @param E  columns of the factor's inverse.
  void read(Dense const& E, IS rows, IS cols, PetscInt n, PetscInt bs);
  /// Returns tolerances of x = A^-1 b, or transposed; an empty list if there is no bound.
  std::vector<PetscReal> of(PetscScalar const* b, PetscScalar const* x, bool transpose);
  /// Returns the tolerance of a solution for a right-hand side of ones, relative to its largest entry; infinity if
  /// there is no bound.
  PetscReal relative(bool transpose);
  /// Returns the relative tolerance of the pivots; infinity if there is no bound.
  PetscReal pivots() const;
};

/// Tolerance above which results are not judged, since the inverse is as inexact.
constexpr PetscReal roughest = 1e-5;

class FactorPair {
 public:
  FactorPair(Draw& draw, Matrices& matrices) : draw_(draw), m_(matrices) {}
  FactorPair(FactorPair const&) = delete;
  FactorPair& operator=(FactorPair const&) = delete;
  ~FactorPair();

  /// Creates factors of a random kind, without phases.
  void create();
  void destroy();
  bool exists() const { return F_[by_petsc] != nullptr; }
  bool has_numeric() const { return numeric_; }
  void symbolic();
  /// Runs the numeric phase, after the symbolic phase if PETSc's own would crash without it.
  void numeric();

  /// Runs one random operation on both factors and compares the results.
  void operate();
  /// Solves with one vector.
  /// @param kind  0: plain, 1: transposed, 2: added, 3: transposed and added, 4 and 5: as 2 and 3 with x == y
  void solve_vector(int kind);
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
  bool comparable_ = true;  ///< false after a zero pivot, when the factor is noise, if the two sides round differently
  Judge judge_;
};

// whole sequences, one for each way in which programs use the plugin

/// Type of the operator of triangles, which decides where they are solved.
extern std::string operator_type;

void run_factors(Draw& draw);    ///< MatGetFactor() and its phases
void run_solvers(Draw& draw);    ///< KSP and PC
void run_triangles(Draw& draw);  ///< the program's own triangles in a PC of type shell
void run_improper(Draw& draw);   ///< factors of matrices whose rows are out of order or store a column twice

}  // namespace fuzz
