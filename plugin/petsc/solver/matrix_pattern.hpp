// SPDX-License-Identifier: Apache-2.0
// Views of a matrix' arrays for kernels of an execution space.
#pragma once

#include "solver/any_solver.hpp"
#include "sptrsv/staging.hpp"

namespace sptrsv_petsc {

/// Returns A's pattern in the memory of T's execution space: in place if it is there, otherwise a copy.
template <class T>
typename T::pattern PatternOfMatrix(MatrixArrays const& m)
{
  using Exec = typename T::exec_space;
  auto const n = static_cast<std::size_t>(m.n);
  typename T::pattern matrix;
  if (m.on_device) {
    matrix.row_ptr = decltype(matrix.row_ptr)(m.row_ptr, n + 1);
    matrix.col_idx = decltype(matrix.col_idx)(m.col_idx, m.num_entries);
  } else {
    matrix.row_ptr = sptrsv::in_memory_of<Exec>(m.row_ptr, n + 1);
    matrix.col_idx = sptrsv::in_memory_of<Exec>(m.col_idx, m.num_entries);
  }
  return matrix;
}

/// Returns A's values in the memory of T's execution space: in place if they are there, otherwise copied by `staging`.
template <class T>
typename T::values ValuesOfMatrix(typename T::exec_space const& exec,
                                  sptrsv::StagedValues<typename T::scalar, typename T::exec_space>& staging,
                                  MatrixValues const& values)
{
  return values.on_device ? typename T::values(values.data, values.size)
                          : typename T::values(staging.stage(exec, values.data, values.size));
}

}  // namespace sptrsv_petsc
