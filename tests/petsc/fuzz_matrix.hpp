// SPDX-License-Identifier: Apache-2.0
// Two equal random small matrices of a random type, one for PETSc's own factor and one for the plugin's; and changes of
// both.
#pragma once

#include <string>
#include <vector>

#include "fuzz_judge.hpp"
#include "fuzz_record.hpp"

namespace fuzz {

/// Matrix types that may be drawn.
extern std::vector<std::string> types_allowed;

extern std::string factor_forced;  ///< -mat_sptrsv_factor of all variants, if not empty
/// Tells whether the backend computes the values of factors.
inline bool own_values() { return factor_forced == "device"; }
/// Tells whether the plugin rounds differently from PETSc when it factors: real factors are equal to the bit, complex
/// ones are not.
inline bool rounds_otherwise() { return PetscDefined(USE_COMPLEX) && own_values(); }
/// Whether factors differ from PETSc's by rounding, as those by blocks do: near singular blocks few digits agree.
extern bool own_rounding;

struct Entry {
  PetscInt row, col;
  PetscScalar value;
};

/// Returns the size of inode k from MatInodeGetInodeSizes(): `sizes` has sizes, or in newer versions the first rows.
PetscInt inode_size(PetscInt const* sizes, PetscInt k);

class Matrices {
 public:
  explicit Matrices(Draw& draw);
  Matrices(Matrices const&) = delete;
  Matrices& operator=(Matrices const&) = delete;
  ~Matrices();

  Mat of(Side side) const { return mat_[side]; }
  PetscInt n() const { return n_; }
  PetscInt block_size() const { return bs_; }
  PetscReal size() const { return size_; }  ///< magnitude of the entries
  bool symmetric() const { return symmetric_; }
  bool blocks() const { return type_ == MATSEQBAIJ || type_ == MATSEQSBAIJ; }
  bool is(char const* type) const { return type_ == type; }
  /// Tells whether PETSc may find inodes; without them orderings and patterns are free.
  bool inodes() const { return inodes_; }

  /// Makes one random change of both matrices.
  void change();
  /// Converts both to another random type, in place. @return false if that failed, or the type is the same.
  bool convert();
  /// Replaces each side by a copy of itself, without data that factors have left in it.
  void copy_both();
  /// Returns the number of changes of values.
  PetscInt changes() const { return changes_; }
  /// Returns the number of changes that may affect the pattern.
  PetscInt pattern_changes() const { return pattern_changes_; }
  /// Returns the number of replacements of all contents, which may keep the nonzero state.
  PetscInt replacements() const { return replacements_; }

  /// Returns the present matrix of PETSc's side.
  Dense dense() const;
  /// Checks that both sides have the same entries, to the bit.
  void check_same() const;
  /// Tells whether rows in this order keep the inodes that PETSc has found contiguous. PETSc's orderings do so, but not
  /// always after MatCopy() or MatAXPY() with another pattern, which also reset MAT_USE_INODES.
  bool keep_inodes(IS rows) const;
  /// Tells whether PETSc's search for a shift that makes the factor positive definite ends (docs/dev/petsc_faults.md).
  bool shift_ends() const;

 private:
  void draw_pattern();
  PetscScalar draw_diagonal(PetscReal row_sum);
  std::vector<Entry> draw_entries();
  std::vector<Entry> some_entries(bool in_pattern);
  Mat build(std::vector<Entry> const& entries, bool of_change);
  PetscErrorCode set(Mat A, std::vector<Entry> const& entries, InsertMode mode) const;
  template <class Body>
  bool on_both(char const* what, Body const& body);
  void change_values();
  void change_rows();
  void change_whole();
  std::vector<PetscInt> some_rows();

  Draw& draw_;
  Mat mat_[2] = {nullptr, nullptr};
  std::string type_;
  PetscInt bs_ = 1, block_rows_ = 1, n_ = 1, changes_ = 0, pattern_changes_ = 0, replacements_ = 0;
  bool symmetric_ = false, inodes_ = true;
  int dominance_ = 0;   // 0: dominant, 1: not, 2: with zeros on the diagonal
  PetscReal size_ = 1;  // magnitude of the entries
  std::vector<bool> pattern_;
};

/// Copies A with its symmetry flags; MatDuplicate() does not copy the flag that A is not symmetric.
PetscErrorCode Duplicate(Mat A, Mat* copy);

}  // namespace fuzz
