// SPDX-License-Identifier: Apache-2.0
// The table of preconditioners.
#include "solution_recipes.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "case_words.hpp"

namespace sptrsv::bench {
namespace {

std::string const factor = "-pc_type {ilu} -pc_factor_mat_solver_type ";
std::string const ordering = " -pc_factor_mat_ordering_type ";
std::string const jacobi_levels = "-pc_type gamg -mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi ";
std::string const kept_estimates = "-pc_gamg_recompute_esteig false ";
// two damped sweeps before and two after the coarse correction, without estimates of eigenvalues
std::string const damped_levels =
    "-pc_type gamg -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 2 -mg_levels_ksp_richardson_scale 0.6 "
    "-mg_levels_pc_type jacobi ";
// one undamped step on the finest level
std::string const damped_below =
    damped_levels + "-mg_levels_{finest}_ksp_max_it 1 -mg_levels_{finest}_ksp_richardson_scale 1 ";
std::string const sor_levels = "-pc_type gamg -mg_levels_ksp_type chebyshev -mg_levels_pc_type sor ";
// one symmetric sweep before and one after the coarse correction, without estimates of eigenvalues
std::string const ssor_levels =
    "-pc_type gamg -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 1 -mg_levels_pc_type sor ";
std::string const two_stage_levels =
    ssor_levels + "-mg_levels_pc_sor_sptrsv iterated -mg_levels_mat_sptrsv_iterated_sweeps 1 ";
std::string const sor_color = "-mg_levels_{finest}_pc_sor_ordering color ";
std::string const exact_finest = "-mg_levels_{finest}_pc_sor_sptrsv sptrsv " + sor_color;
std::string const mixed_levels = two_stage_levels + exact_finest;
// the sweeps of damped_levels, one kernel each
std::string const fused_levels =
    ssor_levels +
    "-mg_levels_pc_sor_sptrsv iterated -mg_levels_mat_sptrsv_iterated_sweeps 0 -mg_levels_pc_sor_omega 0.6 ";
std::string const undamped_finest = exact_finest + "-mg_levels_{finest}_pc_sor_omega 1 ";
// with PETSc's own factor, the coarsest level would be solved on the host
std::string const coarse_lu = "-mg_coarse_sub_pc_factor_mat_solver_type sptrsv ";
std::string const ilu_levels =
    "-pc_type gamg -mg_levels_ksp_type chebyshev -mg_levels_pc_type ilu -mg_levels_pc_factor_mat_solver_type ";
std::string const ilu_on_finest =
    "-mg_levels_{finest}_pc_type ilu -mg_levels_{finest}_pc_factor_mat_solver_type sptrsv ";
std::string const sor_on_finest = "-mg_levels_{finest}_pc_type sor ";
std::string const ilu_color = "-mg_levels_{finest}_pc_factor_mat_ordering_type color";
std::string const damped_ssor_color = damped_below + sor_on_finest + sor_color;
std::string const sor_finest = jacobi_levels + sor_on_finest;
std::string const ssor_finest =
    sor_finest + "-mg_levels_{finest}_ksp_type richardson -mg_levels_{finest}_ksp_max_it 1 ";

std::string const& name_of(For where) {
  static std::string const names[] = {"", "hosts", "devices", "aijcusparse", "aijkokkos, may fail"};
  return names[static_cast<int>(where)];
}

bool suits(Recipe const& recipe, std::string const& mat_type, bool on_device) {
  switch (recipe.where) {
    case For::all: return true;
    case For::host: return !on_device;
    case For::device: return on_device;
    case For::cusparse: return mat_type.find("cusparse") != std::string::npos;
    case For::kokkos: return mat_type.find("kokkos") != std::string::npos;
  }
  return false;
}

}  // namespace

std::vector<Recipe> const& all_recipes() {
  static std::vector<Recipe> const recipes = {
      {"jacobi", "-pc_type jacobi", Uses::petsc},
      {"sor:petsc", "-pc_type sor -pc_sor_sptrsv off", Uses::petsc, For::device},
      {"sor", "-pc_type sor", Uses::on_device},
      {"sor:sptrsv", "-pc_type sor -pc_sor_sptrsv sptrsv", Uses::plugin, For::host},
      {"sor:color", "-pc_type sor -pc_sor_ordering color"},
      {"sor:blockcolor", "-pc_type sor -pc_sor_ordering blockcolor"},
      {"ilu:petsc", factor + "petsc", Uses::petsc, For::host},
      {"ilu:cusparse", factor + "cusparse", Uses::petsc, For::cusparse},
      // kokkos_icc_stale in docs/dev/petsc_faults.md
      {"ilu:kokkos", factor + "kokkos", Uses::petsc, For::kokkos, true},
      {"ilu:sptrsv", factor + "sptrsv" + ordering + "natural"},
      {"ilu:color", factor + "sptrsv" + ordering + "color"},
      {"ilu:blockcolor", factor + "sptrsv" + ordering + "blockcolor"},
      {"ilu:iterated", factor + "iterated" + ordering + "natural"},
      {"gamg:jacobi", jacobi_levels, Uses::petsc},
      // PETSc 3.18 has no such option
      {"gamg:jacobi:kept", jacobi_levels + kept_estimates, Uses::petsc, For::all, true},
      {"gamg:damped", damped_levels, Uses::petsc},
      {"gamg:damped:lu", damped_levels + coarse_lu},
      {"gamg:damped:sptrsv", fused_levels + coarse_lu},
      {"gamg:damped:sptrsv:color", fused_levels + undamped_finest + coarse_lu},
      {"gamg:sor:petsc", sor_levels + "-mg_levels_pc_sor_sptrsv off", Uses::petsc, For::device},
      {"gamg:sor", sor_levels, Uses::on_device},
      {"gamg:sor:color", sor_levels + "-mg_levels_pc_sor_ordering color"},
      {"gamg:ssor:petsc", ssor_levels + "-mg_levels_pc_sor_sptrsv off", Uses::petsc, For::device},
      {"gamg:ssor", ssor_levels, Uses::on_device},
      {"gamg:ssor:color", ssor_levels + "-mg_levels_pc_sor_ordering color"},
      // with two or more unknowns per node, Jacobi sweeps with a triangle of the finest level may diverge
      {"gamg:ssor:twostage", two_stage_levels, Uses::plugin, For::all, true},
      {"gamg:ssor:mixed", mixed_levels},
      {"gamg:ssor:mixed:lu", mixed_levels + coarse_lu},
      {"gamg:ilu:sptrsv", ilu_levels + "sptrsv -mg_levels_pc_factor_mat_ordering_type natural"},
      {"gamg:ilu:color", ilu_levels + "sptrsv -mg_levels_pc_factor_mat_ordering_type color"},
      {"gamg:ilu:blockcolor", ilu_levels + "sptrsv -mg_levels_pc_factor_mat_ordering_type blockcolor"},
      {"gamg:ilu:iterated", ilu_levels + "iterated -mg_levels_pc_factor_mat_ordering_type natural"},
      {"gamg:damped:ssor:color", damped_ssor_color},
      {"gamg:damped:ssor:color:lu", damped_ssor_color + coarse_lu},
      {"gamg:damped:ilu:color", damped_below + ilu_on_finest + ilu_color},
      {"gamg:finest:sor", sor_finest, Uses::on_device},
      {"gamg:finest:sor:color", sor_finest + sor_color},
      {"gamg:finest:ssor:color", ssor_finest + sor_color},
      {"gamg:finest:ilu:color", jacobi_levels + ilu_on_finest + ilu_color},
  };
  return recipes;
}

std::string describe_recipes() {
  std::ostringstream out;
  for (auto const& recipe : all_recipes()) {
    out << "  " << recipe.name << std::string(26 - std::min<std::size_t>(25, recipe.name.size()), ' ')
        << recipe.options;
    if (recipe.where != For::all) out << "  (by default: " << name_of(recipe.where) << ")";
    out << '\n';
  }
  return out.str();
}

std::vector<Recipe> default_recipes(std::string const& mat_type, bool on_device) {
  std::vector<Recipe> chosen;
  for (auto const& recipe : all_recipes())
    if (suits(recipe, mat_type, on_device)) chosen.push_back(recipe);
  return chosen;
}

std::vector<Recipe> find_recipes(std::string const& names) {
  std::vector<Recipe> chosen;
  for (auto word : split(names, ',')) {
    bool const may_fail = take_may_fail(word);
    auto const& all = all_recipes();
    auto const found = std::find_if(all.begin(), all.end(), [&](Recipe const& recipe) { return recipe.name == word; });
    if (found == all.end()) throw std::runtime_error("-recipes: '" + word + "' is none of\n" + describe_recipes());
    chosen.push_back(*found);
    chosen.back().may_fail = may_fail;
  }
  return chosen;
}

std::vector<Recipe> parse_recipes(std::string const& text) {
  std::vector<Recipe> recipes;
  for (auto const& part : split(text, ';')) {
    auto const equals = part.find('=');
    Recipe recipe;
    if (equals != std::string::npos) {
      recipe.name = part.substr(0, equals);
      recipe.options = part.substr(equals + 1);
    }
    recipe.name.erase(0, recipe.name.find_first_not_of(' '));
    recipe.may_fail = take_may_fail(recipe.name);
    if (recipe.name.empty() || recipe.options.empty())
      throw std::runtime_error("-extra: '" + part + "' is not NAME=OPTIONS");
    if (recipe.name.rfind("petsc:", 0) == 0) recipe.uses = Uses::petsc;
    recipes.push_back(recipe);
  }
  return recipes;
}

}  // namespace sptrsv::bench
