// SPDX-License-Identifier: Apache-2.0
// Reads PETSc's factors with dense blocks as two unit triangles, stored by scalar rows, and a block diagonal.
#pragma once

#include <algorithm>
#include <vector>

#include "base/petsc_compat.hpp"
#include "solver/any_solver.hpp"
#include "sptrsv/factorization/block_inverse.hpp"

namespace sptrsv_petsc {

/// Factor with dense blocks of bs by bs. LU, ILU: A = L D U with unit triangles L and U. Cholesky, ICC: A = U^T D U. D
/// is block diagonal, and stored inverted.
///
/// PETSc stores each dense block by columns. Its factors have one of three layouts:
///   LU, ILU            L's block rows, then those of D U, last row first, each ending in its inverted diagonal block
///   Cholesky, bs > 1   the inverted diagonal blocks, then the block rows of -U without them (modified sparse rows)
///   Cholesky, bs = 1   the rows of -U, each beginning with its inverted diagonal entry
struct BlockFactor {
  PetscInt bs = 0;        ///< side of the dense blocks; 0: the factor has none
  PetscInt num_rows = 0;  ///< number of block rows
  bool symmetric = false;
  std::vector<PetscInt> row_ptr_lower, row_ptr_upper;  ///< n + 1 offsets of scalar rows in col_idx; lower: LU only
  std::vector<PetscInt> col_idx;
  std::vector<Scalar> values;  ///< values for col_idx, then the inverted diagonal blocks, each by columns

  // positions of blocks in PETSc's arrays:
  PetscInt const* block_columns = nullptr;  ///< PETSc's column indices of blocks
  std::vector<PetscInt> lower_begin, lower_end, upper_begin, upper_end, diagonal;
};

inline std::size_t MemoryBytes(BlockFactor const& f)
{
  std::size_t const rows =
      f.lower_begin.size() + f.lower_end.size() + f.upper_begin.size() + f.upper_end.size() + f.diagonal.size();
  return (rows + f.row_ptr_lower.size() + f.row_ptr_upper.size() + f.col_idx.size()) * sizeof(PetscInt) +
         f.values.size() * sizeof(Scalar);
}

namespace detail {

inline std::size_t index(PetscInt i) { return static_cast<std::size_t>(i); }

/// Appends the scalar rows of all block rows. Block row r has the block columns j[begin[r]] to j[end[r] - 1].
inline void AppendRows(BlockFactor& f, PetscInt const* j, std::vector<PetscInt> const& begin,
                       std::vector<PetscInt> const& end, std::vector<PetscInt>& row_ptr)
{
  row_ptr.reserve(index(f.num_rows) * index(f.bs) + 1);
  row_ptr.push_back(static_cast<PetscInt>(f.col_idx.size()));
  for (std::size_t row = 0; row < begin.size(); ++row)
    for (PetscInt r = 0; r < f.bs; ++r) {
      for (PetscInt k = begin[row]; k < end[row]; ++k)
        for (PetscInt c = 0; c < f.bs; ++c) f.col_idx.push_back(j[k] * f.bs + c);
      row_ptr.push_back(static_cast<PetscInt>(f.col_idx.size()));
    }
}

/// Finds the block rows of an LU or ILU factor. Returns false if a row of U does not end in its diagonal block.
inline bool FindLURows(BlockFactor& f, PetscInt const* i, PetscInt const* j)
{
  PetscInt const n = f.num_rows;
  f.lower_begin.assign(i, i + n);
  f.lower_end.assign(i + 1, i + n + 1);
  f.upper_begin.resize(index(n));
  PetscInt k = i[n];
  for (PetscInt row = n - 1; row >= 0; --row, ++k) {
    f.upper_begin[index(row)] = k;
    for (; j[k] != row; ++k)
      if (j[k] < row || j[k] >= n) return false;
    f.diagonal[index(row)] = k;
  }
  f.upper_end = f.diagonal;
  return true;
}

/// Finds the block rows of a Cholesky or ICC factor. Returns false if they are not stored as BlockFactor says.
inline bool FindCholeskyRows(BlockFactor& f, PetscInt const* i, PetscInt const* j)
{
  PetscInt const n = f.num_rows;
  bool const apart = f.bs > 1;  // the diagonal blocks precede all rows
  if (apart && i[0] != n + 1) return false;
  f.upper_begin.assign(i, i + n);
  f.upper_end.assign(i + 1, i + n + 1);
  for (PetscInt row = 0; row < n; ++row) {
    f.diagonal[index(row)] = apart ? row : i[row];
    if (apart) continue;
    if (i[row + 1] <= i[row] || j[i[row]] != row) return false;
    ++f.upper_begin[index(row)];
  }
  return true;
}

/// Stores a block of bs by bs with the entries entry(r, c) among a triangle's values: row r begins at to[r * stride].
template <class Entry>
void StoreBlock(PetscInt bs, Entry const& entry, Scalar* to, std::size_t stride)
{
  for (PetscInt r = 0; r < bs; ++r)
    for (PetscInt c = 0; c < bs; ++c) to[index(r) * stride + index(c)] = entry(r, c);
}

}  // namespace detail

/// Reads the pattern after PETSc's symbolic phase.
/// @param i, j       PETSc's offsets and columns of block rows
/// @param symmetric  whether this is a Cholesky or ICC factor
inline PetscErrorCode AccessBlockPattern(Mat inner, PetscInt bs, PetscInt num_rows, PetscInt const* i,
                                         PetscInt const* j, bool symmetric, BlockFactor& f)
{
  using detail::index;
  MPI_Comm const comm = PetscObjectComm((PetscObject)inner);

  PetscFunctionBegin;
  f = BlockFactor{};
  f.bs = bs;
  f.num_rows = num_rows;
  f.symmetric = symmetric;
  f.block_columns = j;
  bool found = true;
  PetscCallCXX(f.diagonal.resize(index(num_rows)));
  if (num_rows) PetscCallCXX(found = symmetric ? detail::FindCholeskyRows(f, i, j) : detail::FindLURows(f, i, j));
  PetscCheck(found, comm, PETSC_ERR_PLIB,
             "This PETSc keeps its %s factor of type %s with blocks of %" PetscInt_FMT
             " in a way that is not known; convert the matrix to %s",
             MatFactorTypes[inner->factortype], ((PetscObject)inner)->type_name, bs, MATSEQAIJ);
  std::size_t blocks = 0;
  for (std::size_t r = 0; r < f.lower_begin.size(); ++r) blocks += index(f.lower_end[r] - f.lower_begin[r]);
  for (std::size_t r = 0; r < f.upper_begin.size(); ++r) blocks += index(f.upper_end[r] - f.upper_begin[r]);
  PetscCheck(blocks <= index(PETSC_MAX_INT) / (index(bs) * index(bs)), comm, PETSC_ERR_SUP,
             "The factor's %zu blocks of %" PetscInt_FMT " by %" PetscInt_FMT
             " have more entries than PetscInt counts; use a PETSc with 64-bit indices, or more ranks",
             blocks, bs, bs);
  PetscCallCXX(f.col_idx.reserve(blocks * index(bs) * index(bs)));
  if (!symmetric) PetscCallCXX(detail::AppendRows(f, j, f.lower_begin, f.lower_end, f.row_ptr_lower));
  PetscCallCXX(detail::AppendRows(f, j, f.upper_begin, f.upper_end, f.row_ptr_upper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Allocates f.values, which are needed only if PETSc computes them.
inline void AllocateBlockValues(BlockFactor& f)
{
  f.values.resize(f.col_idx.size() + detail::index(f.num_rows) * detail::index(f.bs) * detail::index(f.bs));
}

/// Fills f.values after PETSc's numeric phase.
/// @param a  PETSc's blocks
/// @return the first block row in which an entry of D^-1 U overflows or loses its precision by underflow, or -1
///
/// For LU, multiplies each block row of U by its inverted diagonal block, so that x_i = D^-1 (t_i - sum U_ij x_j)
/// becomes D^-1 t_i - sum (D^-1 U_ij) x_j. As long as the products stay in range, the rounding error has the same bound
/// as before, of the order of bs u |D^-1| (|t_i| + sum |U_ij| |x_j|).
inline PetscInt TakeBlockValues(BlockFactor& f, Scalar const* a)
{
  using detail::index;
  std::size_t const bs = index(f.bs), area = bs * bs, rows = index(f.num_rows);
  Scalar* to = f.values.data();
  Scalar* diagonal = to + f.col_idx.size();
  PetscInt out_of_range = -1;

  for (std::size_t row = 0; row < f.lower_begin.size(); ++row) {
    std::size_t const stride = index(f.lower_end[row] - f.lower_begin[row]) * bs;
    for (PetscInt k = f.lower_begin[row]; k < f.lower_end[row]; ++k) {
      Scalar const* v = a + index(k) * area;
      detail::StoreBlock(
          f.bs, [&](PetscInt r, PetscInt c) { return v[index(c) * bs + index(r)]; },
          to + index(k - f.lower_begin[row]) * bs, stride);
    }
    to += stride * bs;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    Scalar const* const inverse = a + index(f.diagonal[row]) * area;
    std::size_t const stride = index(f.upper_end[row] - f.upper_begin[row]) * bs;
    std::copy_n(inverse, area, diagonal + row * area);
    for (PetscInt k = f.upper_begin[row]; k < f.upper_end[row]; ++k) {
      Scalar const* v = a + index(k) * area;
      auto const negated = [&](PetscInt r, PetscInt c) { return -v[index(c) * bs + index(r)]; };
      Scalar* const block = to + index(k - f.upper_begin[row]) * bs;
      if (f.symmetric) {
        detail::StoreBlock(f.bs, negated, block, stride);
        continue;
      }
      Scalar const* const next = a + index(f.diagonal[index(f.block_columns[k])]) * area;
      sptrsv::detail::BlockProduct<Scalar> const product{static_cast<int>(bs), inverse, v, next, block, stride};
      auto const computed = [&](PetscInt r, PetscInt c) {
        return product.entry(static_cast<int>(r), static_cast<int>(c));
      };
      detail::StoreBlock(f.bs, computed, block, stride);
      if (out_of_range < 0 && !product.holds()) out_of_range = static_cast<PetscInt>(row);
    }
    to += stride * bs;
  }
  return out_of_range;
}

}  // namespace sptrsv_petsc
