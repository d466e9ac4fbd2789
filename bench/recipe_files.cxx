// SPDX-License-Identifier: Apache-2.0
// Writes the recipes that users are advised to take as files for PETSc's -options_file: examples/recipes.
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "case_words.hpp"
#include "solution_recipes.hpp"

namespace {

using namespace sptrsv::bench;

/// Recipe as a file for -options_file.
struct RecipeFile {
  std::string name, recipe;  ///< the file's name without its ending; the recipe in the table, or its options
  std::string incomplete;    ///< icc or ilu, for {ilu} in the options
  std::string advice;        ///< when to take it: lines for the file's top
};

std::vector<RecipeFile> const& recipe_files() {
  static std::vector<RecipeFile> const files = {
      {"replace", "-mat_sptrsv_replace cusparse,kokkos,petsc", "",
       "For a program that chooses its preconditioner already: all factors are made by sptrsv."},
      {"multigrid", "gamg:damped:sptrsv", "",
       "For several solves with a matrix of a diffusion, elasticity or flow problem, on a GPU: the fewest\n"
       "milliseconds a solve and with new values. The first set-up takes PETSc seconds on the host."},
      {"icc", "ilu:sptrsv", "icc",
       "For a single solve with a symmetric positive definite matrix (-ksp_type cg): a short first set-up."},
      {"ilu", "ilu:sptrsv", "ilu", "For a single solve with any matrix: a short first set-up."},
      {"icc_blockcolor", "ilu:blockcolor", "icc",
       "For many solves with one pattern of a symmetric positive definite matrix (-ksp_type cg), on a GPU, where\n"
       "multigrid fails: shorter solves than icc for scalar problems, and a longer first set-up."},
      {"ilu_blockcolor", "ilu:blockcolor", "ilu",
       "For many solves with one pattern of any matrix, on a GPU, where multigrid fails: shorter solves than ilu\n"
       "for scalar problems, and a longer first set-up."},
  };
  return files;
}

/// Returns the options of a recipe.
std::string options_of(RecipeFile const& file) {
  std::string options = file.recipe[0] == '-' ? file.recipe : find_recipes(file.recipe).front().options;
  std::string const mark = "{ilu}";
  if (auto const at = options.find(mark); at != std::string::npos) options.replace(at, mark.size(), file.incomplete);
  if (options.find('{') != std::string::npos) throw std::runtime_error(file.name + " has a mark in its options");
  return options;
}

/// Writes a file with an option a line.
void write(RecipeFile const& file, std::string const& folder) {
  std::string const path = folder + "/" + file.name + ".petscrc";
  std::ofstream out(path);
  out << "# SPDX-License-Identifier: Apache-2.0\n# sptrsv's recipe " << file.name
      << ", for -options_file. Written by recipe_files.\n";
  for (auto const& line : split(file.advice, '\n')) out << "# " << line << '\n';
  std::istringstream words(options_of(file));
  bool first = true;
  for (std::string word; words >> word; first = false) out << (first ? "" : word[0] == '-' ? "\n" : " ") << word;
  out << '\n';
  if (!out) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: recipe_files FOLDER    writes FOLDER/NAME.petscrc\n";
    return 2;
  }
  try {
    for (auto const& file : recipe_files()) write(file, argv[1]);
  } catch (std::exception const& error) {
    std::cerr << "recipe_files: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
