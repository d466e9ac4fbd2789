// SPDX-License-Identifier: Apache-2.0
// Interface to libraries that compute complete factors on the host: CHOLMOD, UMFPACK, KLU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "base/petsc_compat.hpp"
#include "options/option_table.hpp"

namespace sptrsv_petsc {

/// Array in host memory, not null once it is allocated. Its numbers are not initialized, so that pages are first
/// touched by the threads that write them.
template <class T>
class HostArray {
 public:
  HostArray() = default;
  explicit HostArray(std::size_t size) { allocate(size); }
  void allocate(std::size_t size)
  {
    if (data_ && size == size_) return;
    data_.reset();
    size_ = 0;
    data_.reset(new T[size]);
    size_ = size;
  }
  T* data() const { return data_.get(); }
  template <class I>
  T& operator[](I i) const
  {
    return data_[static_cast<std::size_t>(i)];
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  bool operator==(HostArray const& other) const
  {
    return size_ == other.size_ && std::equal(data(), data() + size_, other.data());
  }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

/// Rows of a square matrix in host memory. For a symmetric matrix a library may read the upper triangle alone.
struct HostMatrix {
  PetscInt n = 0;
  PetscInt const *row_ptr = nullptr, *col_idx = nullptr;  ///< columns ascend in each row
  PetscScalar const* values = nullptr;
  PetscInt const *rows = nullptr, *cols = nullptr;  ///< ordering that the user asks for; null: the library's own
};

/// Rows of a triangle, their columns ascending.
struct FactorRows {
  HostArray<PetscInt> row_ptr, col_idx;
  HostArray<PetscScalar> values;

  bool same_pattern(FactorRows const& other) const { return row_ptr == other.row_ptr && col_idx == other.col_idx; }
  std::size_t bytes() const { return row_ptr.bytes() + col_idx.bytes() + values.bytes(); }
};

/// Complete factor of a matrix in the form of FactorArrays.
///   Cholesky  A(row_perm, row_perm) = U^T D U. `upper` has U without its unit diagonal, `inverse` has 1/D.
///   LU        A(row_perm, col_perm) = L U. `lower` has L without its unit diagonal, `upper` has U's rows, each ending
///             in its inverted diagonal entry.
struct LibraryFactorRows {
  FactorRows lower, upper;
  HostArray<PetscScalar> inverse;
  HostArray<PetscInt> row_perm, col_perm;

  bool same_pattern(LibraryFactorRows const& other) const
  {
    return upper.same_pattern(other.upper) && lower.same_pattern(other.lower) && row_perm == other.row_perm &&
           col_perm == other.col_perm;
  }
  std::size_t bytes() const
  {
    return lower.bytes() + upper.bytes() + inverse.bytes() + row_perm.bytes() + col_perm.bytes();
  }
};

/// Library that orders a matrix and computes its complete factor on the host. Options have the names that PETSc gives
/// them for its own type of the library. Errors: PETSC_ERR_MEM, PETSC_ERR_SUP where 32-bit indices do not suffice, else
/// PETSC_ERR_LIB with the library's status.
class DirectLibrary {
 public:
  virtual ~DirectLibrary() = default;

  /// Reads the options with F's prefix, orders the matrix, and finds the pattern of the factor as far as it does not
  /// depend on values. Forgets an earlier factor.
  virtual PetscErrorCode Analyze(Mat F, HostMatrix const& A) = 0;
  /// Computes the factor.
  /// @pre Analyze() has succeeded for the pattern of A
  /// @param zero_row  out: row of A in whose pivot the factorization failed, or -1
  virtual PetscErrorCode Factor(Mat F, HostMatrix const& A, PetscInt* zero_row) = 0;
  /// Tells whether equal patterns of A give equal patterns of factors.
  virtual bool has_fixed_pattern() const = 0;
  /// Copies the factor.
  /// @param pattern  whether to copy the pattern and the orderings, too
  virtual PetscErrorCode Copy(Mat F, bool pattern, LibraryFactorRows* to) = 0;
  /// Returns the library's name and version.
  virtual std::string name() const = 0;
  /// Returns what the library has chosen, for -ksp_view.
  virtual std::string choice() const = 0;
  /// Returns the bytes of the library's own factor.
  virtual std::size_t memory_bytes() const = 0;
};

/// Tells whether the values of a factor are computed by such a library.
inline bool IsLibrary(FactorChoice choice)
{
  return choice == FactorChoice::cholmod || choice == FactorChoice::umfpack || choice == FactorChoice::klu;
}

/// Makes the library that F's option -mat_sptrsv_factor names. Errors: PETSC_ERR_SUP if the plugin was built without
/// it, or for other numbers; PETSC_ERR_LIB if the process has loaded another version of it.
PetscErrorCode MakeDirectLibrary(Mat F, FactorChoice choice, std::unique_ptr<DirectLibrary>* library);

}  // namespace sptrsv_petsc
