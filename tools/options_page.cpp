// SPDX-License-Identifier: Apache-2.0
// Prints docs/options.md from the algorithms' lists of options; with --manual-pages, manual pages in PETSc's format.
#include <iostream>
#include <sptrsv/solver.hpp>
#include <string>

#include "manual_pages.hpp"
#include "petsc_options.hpp"

namespace {

/// Returns words in the code's font, between commas.
std::string quoted_words(std::vector<std::string> const& words) {
  std::string out;
  for (auto const& word : words) out += (out.empty() ? "`" : ", `") + word + "`";
  return out;
}

std::string accepted(sptrsv::OptionInfo const& info) {
  return info.choices.empty() ? accepted_numbers(info) : quoted_words(info.choices);
}

std::string preset(sptrsv::OptionInfo const& info) {
  return info.choices.empty() ? default_of(info) : "`" + default_of(info) + "`";
}

void print_rows(std::vector<PetscOption> const& options) {
  for (auto const& option : options) {
    bool const words = !option.choices.empty();
    std::cout << "| `" << option.name << "` | " << (words ? quoted_words(option.choices) : option.values) << " | "
              << (words && !option.preset.empty() ? "`" + option.preset + "`" : option.preset) << " | " << option.help
              << option.more << " |\n";
  }
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

Options of orderings, `-mat_ordering_...`, have the prefix of the matrix, since PETSc tells an ordering nothing else:
`-sub_mat_ordering_color_distance 2` for the blocks of `bjacobi` and `asm`, but `-mat_ordering_color_distance 2` on the
levels of `gamg` and `mg`, and for every matrix whose prefix the program has not set.

PETSc has these as well, for all types:

| option | values | default | what it does |
| --- | --- | --- | --- |
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
  print_rows(factor_options());
  print_rows(color_options());
  print_rows(block_color_options());
  std::cout << after_rows;
  print_table(sptrsv::planner_info(), "");
  for (auto const& algorithm : sptrsv::algorithm_infos()) print_table(algorithm, algorithm.name + "_");
}
