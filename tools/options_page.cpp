// SPDX-License-Identifier: Apache-2.0
// Prints docs/options.md from the algorithms' lists of options.
#include <sptrsv/solver.hpp>

#include <iostream>
#include <string>

namespace {

std::string accepted(sptrsv::OptionInfo const& info) {
  std::string out;
  if (info.choices.empty()) {
    if (info.power_of_two) return "0 or a power of two, to " + std::to_string(info.high);
    return info.high < 2147483647 ? std::to_string(info.low) + " to " + std::to_string(info.high)
                                  : "from " + std::to_string(info.low) + " on";
  }
  for (auto const& choice : info.choices) out += (out.empty() ? "`" : ", `") + choice + "`";
  return out;
}

std::string preset(sptrsv::OptionInfo const& info) {
  if (info.choices.empty()) return std::to_string(info.value);
  return "`" + info.choices[static_cast<std::size_t>(info.value)] + "`";
}

/// Prints the table of an algorithm's options.
/// @param prefix  of the options' names: an algorithm's name and an underscore, or empty for the planner's own.
void print_table(sptrsv::AlgorithmInfo const& algorithm, std::string const& prefix) {
  std::cout << "\n## " << algorithm.name << "\n\n" << algorithm.summary << "\n";
  if (algorithm.options.empty()) {
    std::cout << "\nNo options.\n";
    return;
  }
  std::cout << "\n| option | values | default | what it does |\n| --- | --- | --- | --- |\n";
  for (auto const& info : algorithm.options)
    std::cout << "| `" << prefix << info.name << "` | " << accepted(info) << " | " << preset(info) << " | " << info.help
              << " |\n";
  for (auto const& option : algorithm.renamed)
    std::cout << (&option == &algorithm.renamed.front() ? "\nOptions of earlier versions, which are refused: " : ";\n")
              << "`" << prefix << option.before << "`, now "
              << (option.now.empty() ? "removed" : "`" + prefix + option.now + "`");
  if (!algorithm.renamed.empty()) std::cout << ".\n";
}

char const* const head = R"(<!-- SPDX-License-Identifier: Apache-2.0 -->
# Options of the types

This page is printed by the library itself (`tools/options_page.cpp`; the test `docs.options` compares).
How names are written:

| in | option `form` of `syncfree` |
| --- | --- |
| PETSc | `-mat_sptrsv_syncfree_form csc` |
| Ifpack2 | parameter `"sptrsv: syncfree form"`, a string or an int |
| the C++ library | `{"syncfree_form", "csc"}` among the `OptionValues` of a solver |

In PETSc they have the prefix of their factor, as `-pc_factor_mat_solver_type` has:
`-sub_mat_sptrsv_levelset_wide_rows 64` with `bjacobi` and `asm`, `-mg_levels_mat_sptrsv_...` in a smoother,
`-fieldsplit_u_mat_sptrsv_...` in a split. An option with another prefix is not used, and PETSc says so with
`-options_left` only. `-help` prints those of the type in use, with their prefix.

PETSc has these as well, for all types:

| option | values | what it does |
| --- | --- | --- |
| `-pc_factor_mat_solver_type` | a type below | solves with it; `-mat_sptrsv_type` for a PC of type shell with triangles of its own |
| `-mat_sptrsv_backend` | `host`, `device` | where the solves run; else where the matrix' vectors are, such as those of `aijkokkos` and `aijcusparse` |
| `-mat_sptrsv_factor` | `automatic`, `host`, `device` | who computes the values of a factor: PETSc on the host, or the backend where the solves run; [the rule](factorization.md) |
| `-pc_factor_mat_ordering_type color` | | orders by color; with k levels of fill add `-mat_ordering_color_distance` k+1 |
| `-mat_ordering_color_distance` | 1 to 10 | rows of a color are further apart than that |
| `-mat_ordering_color_balance` | | moves rows from large to small colors |
| `-mat_ordering_color_algorithm` | `serial`, `deterministic`, `speculative` | of Kokkos Kernels; the last one is not reproducible |
| `-pc_factor_mat_ordering_type blockcolor` | | orders by colors of blocks, for nearly the iterations of the natural order |
| `-mat_ordering_blockcolor_size` | from 0 on, 0 | rows of a block, or inodes, at most; 0: 256 where rows have more than 8 neighbors, else 64 |
| `-mat_ordering_blockcolor_colors` | 0 to 10000 | 0: 4, or 8 where blocks have more than 8 neighbors; fewer wait less, more keep more of the natural order |
| `-mat_ordering_blockcolor_distance` | 1 to 10 | blocks of a color are further apart than that: k+1 with k levels of fill |

A value 0 means that the type chooses.
)";

}  // namespace

int main() {
  std::cout << head;
  print_table(sptrsv::planner_info(), "");
  for (auto const& algorithm : sptrsv::algorithm_infos()) print_table(algorithm, algorithm.name + "_");
}
