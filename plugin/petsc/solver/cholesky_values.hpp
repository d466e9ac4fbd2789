// SPDX-License-Identifier: Apache-2.0
// Values of PETSc's Cholesky and ICC factors without dense blocks, converted for the backend.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>

#include "base/petsc_scalar.hpp"
#include "sptrsv/device/small_range.hpp"
#include "sptrsv/factor.hpp"

namespace sptrsv_petsc {

/// Splits PETSc's values into U/D and 1/D. PETSc stores -U/D off the diagonal, and 1/D at the end of each of U's rows.
template <class Exec, class Offsets, class Values, class Out>
void SplitCholesky(Exec const& exec, std::size_t n, Offsets row_ptr, Values stored, Out negated, Out diagonal)
{
  auto const split = KOKKOS_LAMBDA(std::size_t i)
  {
    auto const last = row_ptr(i + 1) - 1;
    for (auto k = row_ptr(i); k < last; ++k) negated(k) = -stored(k);
    diagonal(i) = stored(last);
  };
  sptrsv::detail::with_range(exec, n, static_cast<long long>(stored.extent(0)), [&](auto const& rows) {
    Kokkos::parallel_for("sptrsv::petsc::split_cholesky", rows, split);
  });
}

/// U/D and 1/D in the memory of Exec. The entries of U/D where PETSc stores 1/D are not written; solves with a unit
/// diagonal do not read them.
template <class Exec>
class CholeskyValues {
 public:
  using Staging = sptrsv::StagedValues<Scalar, Exec>;
  using Values = typename Staging::values;

  /// Takes PETSc's values. The first call allocates.
  /// @param row_ptr  n + 1 offsets of U's rows
  /// @param values   `size` values in host memory
  template <class Offsets>
  sptrsv::FactorValues<Scalar, typename Exec::memory_space> take(Exec const& exec, Offsets row_ptr,
                                                                 Scalar const* values, std::size_t size)
  {
    std::size_t const n = row_ptr.extent(0) - 1;
    auto const stored = staging_.stage(exec, values, size);
    if (diagonal_.extent(0) != n) diagonal_ = Fresh(exec, "sptrsv::petsc::diagonal", n);
    Values negated = staging_.copy();
    if constexpr (Staging::in_place) {
      if (negated_.extent(0) != size) negated_ = Fresh(exec, "sptrsv::petsc::values", size);
      negated = negated_;
    }
    SplitCholesky(exec, n, row_ptr, stored, negated, diagonal_);
    return {negated, negated, diagonal_};
  }

  std::size_t memory_bytes() const
  {
    return staging_.memory_bytes() + (negated_.span() + diagonal_.span()) * sizeof(Scalar);
  }

 private:
  static Values Fresh(Exec const& exec, char const* label, std::size_t size)
  {
    return Values(Kokkos::view_alloc(exec, std::string(label), Kokkos::WithoutInitializing), size);
  }

  Staging staging_;
  Values negated_, diagonal_;
};

}  // namespace sptrsv_petsc
