// SPDX-License-Identifier: Apache-2.0
#include "petsc_options.hpp"

#include <sptrsv/ordering/block_coloring.hpp>
#include <sptrsv/ordering/coloring.hpp>

std::vector<PetscOption> factor_options() {
  return {
      {"-pc_factor_mat_solver_type",
       {},
       "a type below",
       "",
       "solves with it",
       "; `-mat_sptrsv_type` for a PC of type shell with triangles of its own"},
      {"-mat_sptrsv_backend",
       {"host", "device"},
       "",
       "",
       "where the solves run; else where the matrix' vectors are, such as those of `aijkokkos` and `aijcusparse`",
       ""},
      {"-mat_sptrsv_factor",
       {"automatic", "host", "device"},
       "",
       "automatic",
       "who computes the values of a factor: PETSc on the host, or the backend where the solves run",
       "; [the rule](dev/factorization.md)"},
  };
}

std::vector<PetscOption> color_options() {
  sptrsv::ColorOptions const preset;
  std::vector<std::string> const algorithms{"serial", "deterministic", "speculative"};
  return {
      {"-pc_factor_mat_ordering_type color",
       {},
       "",
       "",
       "orders by color; with k levels of fill add `-mat_ordering_color_distance` k+1",
       ""},
      {"-mat_ordering_color_distance",
       {},
       "1 to 10",
       std::to_string(preset.distance),
       "rows of a color are further apart than that",
       ""},
      {"-mat_ordering_color_balance",
       {"true", "false"},
       "",
       preset.balance ? "true" : "false",
       "moves rows from large to small colors",
       ""},
      {"-mat_ordering_color_algorithm", algorithms, "", algorithms[static_cast<std::size_t>(preset.algorithm)],
       "coloring of Kokkos Kernels; `speculative` is not reproducible", ""},
  };
}

std::vector<PetscOption> block_color_options() {
  sptrsv::BlockColorOptions<int> const preset;
  return {
      {"-pc_factor_mat_ordering_type blockcolor",
       {},
       "",
       "",
       "orders by colors of blocks, for nearly the iterations of the natural order",
       ""},
      {"-mat_ordering_blockcolor_size",
       {},
       "from 0 on",
       std::to_string(preset.size),
       "rows of a block, or inodes, at most; 0: 256 where rows have more than 8 neighbors, else 64",
       ""},
      {"-mat_ordering_blockcolor_colors",
       {},
       "0 to 10000",
       std::to_string(preset.colors),
       "colors; 0: 4, or 8 where blocks have more than 8 neighbors; fewer wait less, more keep more of the natural "
       "order",
       ""},
      {"-mat_ordering_blockcolor_distance",
       {},
       "1 to 10",
       std::to_string(preset.distance),
       "blocks of a color are further apart than that: k+1 with k levels of fill",
       ""},
  };
}
