// SPDX-License-Identifier: Apache-2.0
// What the outer factor holds, for the files that have its operations: phases (matfactor), solves, views.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "access/inner_factor.hpp"
#include "access/matrix_arrays.hpp"
#include "base/events.hpp"
#include "factor/matfactor.hpp"
#include "kokkos/guarded.hpp"
#include "options/backend_choice.hpp"
#include "options/factor_options.hpp"
#include "options/factor_place.hpp"

namespace sptrsv_petsc {

/// Tells whether a matrix still has the pattern that it had. PETSc changes patterns in host memory in place, with the
/// nonzero state that they had (docs/petsc_faults.md, pattern_in_place), so that these are read.
struct PatternStamp {
  PetscObjectId id = 0;
  PetscObjectState nonzeros = 0;
  std::size_t entries = 0;
  std::uint64_t hash = 0;  // of a pattern in host memory

  bool operator==(PatternStamp const& other) const
  {
    return id == other.id && nonzeros == other.nonzeros && entries == other.entries && hash == other.hash;
  }
};

/// Holds a copy of a matrix in host memory, without the entries that a partition leaves out, which PETSc factors
/// instead of the matrix itself.
struct FilteredMatrix {
  Mat matrix = nullptr;
  PatternStamp of;               // stamp of the pattern that was copied
  std::vector<PetscInt> places;  // entry (or block) k of the copy is entry (or block) places[k] of the matrix
  std::size_t value_size = 1;    // values of an entry (or block)

  std::size_t memory_bytes() const { return places.size() * (2 * sizeof(PetscInt) + value_size * sizeof(PetscScalar)); }
};

struct Mat_SpTRSV {
  Mat inner = nullptr;  // PETSc's factor, in host memory, where the solver did not find the pattern itself
  IS rows = nullptr, cols = nullptr;  // the orderings of the symbolic phase, as FitOrdering() has them
  std::string requested;
  MatFactorType kind = MAT_FACTOR_NONE;  // of the symbolic phase
  Backend backend;
  sptrsv::RowPartition partition;  // -mat_sptrsv_blocks: of rows, or of block rows of a matrix with blocks
  FilteredMatrix filtered;         // empty where the backend factors, and where the partition has one part
  InnerPattern pattern;
  PetscBool numeric_done = PETSC_FALSE;
  MatType matrix_type = nullptr;  // of the symbolic phase's matrix: seqaij, seqbaij or seqsbaij
  PetscLogDouble seconds_analysis = 0, seconds_numeric = 0, flops = 0;
  PetscInt num_analysis = 0, num_numeric = 0, num_solves = 0;

  std::unique_ptr<AnyFactorSolver> solver;

  FactorPlace place;                          // who computes the factor's values
  PatternStamp factored;                      // of the matrix that the solver's factorization is made for
  std::size_t matrix_entries = 0;             // and their number
  PetscObjectId checked_id = 0;               // of the matrix whose rows PETSc's factorization was last checked for
  PetscObjectState checked_nonzeros = 0;      // and its nonzero state then
  PetscBool own_values = PETSC_FALSE;         // the values are the solver's: the inner factor has none, or old ones
  PetscReal fill_given = 0, fill_needed = 0;  // for MatGetInfo(), where there is no inner factor
  long long num_shifts = 0;                   // of pivots, in the solver's last factorization
  sptrsv::FactorizationReport factorization;  // of the solver's
  PetscLogDouble factor_flops = 0;            // of a pass of the solver's factorization
};

inline Mat_SpTRSV* Get(Mat F) { return static_cast<Mat_SpTRSV*>(F->data); }

inline bool IsSymmetric(MatFactorType ftype) { return ftype == MAT_FACTOR_CHOLESKY || ftype == MAT_FACTOR_ICC; }

/// Sets what PETSc's own factors of F's kind have. @param by_blocks  of a seqbaij or seqsbaij matrix.
void SetSolves(Mat F, bool by_blocks);

/// @param device  whether a pattern on a device is looked at there, which takes its nonzero state for it
PetscErrorCode StampPattern(Mat A, bool device, PatternStamp* stamp);

/// Checks that A's rows are such that PETSc factors A right, unless that has been checked for A's nonzero state.
/// @param info  of the symbolic phase; null in a numeric phase
PetscErrorCode CheckRows(Mat F, Mat A, MatFactorInfo const* info);

/// Reads -mat_sptrsv_blocks into F's partition of A's rows. Error PETSC_ERR_ARG_OUTOFRANGE, with the option's name and
/// range, for less than one block and for more blocks than (block) rows.
PetscErrorCode ReadRowBlocks(Mat F, Mat A);
/// Finds what PETSc factors for A: A itself, or the copy without entries between blocks of rows, which is brought up to
/// date. @param matrix  out: not to be destroyed
PetscErrorCode MatrixForPetsc(Mat F, Mat A, Mat* matrix);
PetscErrorCode ReleaseFiltered(FilteredMatrix& filtered);

/// The type by which PETSc factors A: one of three names, which can be compared by their addresses.
MatType BaseType(Mat A);

/// F took its sizes from the matrix that it was made with.
PetscErrorCode CheckSizes(Mat F, Mat A);

/// Reads who is to compute the factor's values, and what speaks against the backend, if anything does.
PetscErrorCode ReadFactorPlace(Mat F, MatFactorInfo const* info);
/// Once the solver has been made: prepares it for that, unless the host is estimated to be faster.
PetscErrorCode ChooseFactorPlace(Mat F, Mat A);

/// The numeric phase of F's kind.
PetscErrorCode MatLUFactorNumeric_SPTRSV(Mat F, Mat A, MatFactorInfo const* info);
PetscErrorCode MatCholeskyFactorNumeric_SPTRSV(Mat F, Mat A, MatFactorInfo const* info);

/// Sets view, MatGetInfo() and MatSpTRSVGetInfo().
PetscErrorCode SetViews(Mat F);

}  // namespace sptrsv_petsc
