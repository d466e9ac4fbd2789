// SPDX-License-Identifier: Apache-2.0
// Prints docs/options.md from the descriptions of the options; with --manual-pages, manual pages in PETSc's format.
#include <iostream>
#include <sptrsv/solver.hpp>
#include <string>

#include "manual_pages.hpp"
#include "options/option_list.hpp"

namespace {

/// Returns the accepted values, with words as code.
std::string accepted(sptrsv::OptionInfo const& info) {
  if (info.is_number()) return accepted_numbers(info);
  if (info.kind == sptrsv::OptionInfo::Kind::word) return info.choices.front();
  std::string out;
  for (auto const& word : info.choices) out += (out.empty() ? "`" : ", `") + word + "`";
  return out;
}

std::string preset(sptrsv::OptionInfo const& info) {
  auto const text = info.text(info.value);
  return info.is_number() || text.empty() ? text : "`" + text + "`";
}

/// Prints the options of the plugin itself.
void print_own() {
  for (auto const& [group, options] : sptrsv_petsc::OwnOptions())
    for (auto const& info : options)
      std::cout << "| `-" << group.start << info.name << "` | " << accepted(info) << " | " << preset(info) << " | "
                << group.holder << " | " << info.help << " |\n";
}

/// Prints the table of an algorithm's options.
/// @param prefix  prefix of the options' names: an algorithm's name and an underscore, or empty for the planner's own.
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
| the C++ library | `{"syncfree_form", "csc"}` among the `Options` of a solver |

In PETSc they have the prefix of their factor, as `-pc_factor_mat_solver_type` has:
`-sub_mat_sptrsv_levelset_wide_rows 64` with `bjacobi` and `asm`, `-mg_levels_mat_sptrsv_...` in a smoother,
`-fieldsplit_u_mat_sptrsv_...` in a split. An option with another prefix is not used, and PETSc says so with
`-options_left` only. `-help` prints those of the type in use, with their prefix.

Options of orderings (`-pc_factor_mat_ordering_type color` or `blockcolor`) have the prefix of the matrix, since PETSc
tells an ordering nothing else:
`-sub_mat_ordering_color_distance 2` for the blocks of `bjacobi` and `asm`, but `-mat_ordering_color_distance 2` on the
levels of `gamg` and `mg`, and for every matrix whose prefix the program has not set.

PETSc has these as well, for all types ([who factors](dev/factorization.md), [sweeps](sweeps.md),
[submatrices](clusters.md#submatrices), [colors](dev/colorset.md)):

| option | values | default | prefix of | what it does |
| --- | --- | --- | --- | --- |
)";

char const* const after_rows = R"(
A value 0 means that the type chooses.
)";

}  // namespace

int main(int argc, char** argv) {
  std::string const choice = argc > 1 ? argv[1] : "";
  if (argc > 2 || (argc == 2 && choice != "--manual-pages")) {
    std::cerr << "usage: options_page [--manual-pages]\n";
    return 1;
  }
  if (argc == 2) {
    print_manual_pages(std::cout);
    return 0;
  }
  std::cout << head;
  print_own();
  std::cout << after_rows;
  print_table(sptrsv::planner_info(), "");
  for (auto const& algorithm : sptrsv::algorithm_infos()) print_table(algorithm, algorithm.name + "_");
}
