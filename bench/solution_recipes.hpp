// SPDX-License-Identifier: Apache-2.0
// Preconditioners by name: options of PETSc, and which recipes use the plugin.
#pragma once

#include <string>
#include <vector>

namespace sptrsv::bench {

/// Whether a recipe uses the plugin.
enum class Uses {
  petsc,      ///< PETSc alone
  on_device,  ///< the plugin where vectors are on a device, else PETSc alone
  plugin      ///< the plugin
};

/// Matrices that a recipe is for.
enum class For { all, host, device, cusparse, kokkos };

/// Preconditioner as options. In these {ilu} stands for icc if the problem is symmetric, else for ilu, and {finest} for
/// the number of multigrid's finest level.
struct Recipe {
  std::string name, options;
  Uses uses = Uses::plugin;
  For where = For::all;
  bool may_fail = false;  ///< only when it runs by default
  /// @param sweeps  whether the plugin is loaded and vectors are on a device
  bool uses_plugin(bool sweeps) const { return uses == Uses::plugin || (uses == Uses::on_device && sweeps); }
};

/// Returns all recipes.
std::vector<Recipe> const& all_recipes();

/// Returns a line of help for each recipe.
std::string describe_recipes();

/// Returns the recipes that run by default with matrices of this type.
std::vector<Recipe> default_recipes(std::string const& mat_type, bool on_device);

/// Returns the recipes of names between commas; a name that ends with `?` may fail.
/// @throws std::runtime_error if a name is not known
std::vector<Recipe> find_recipes(std::string const& names);

/// Returns the recipes of NAME=OPTIONS;NAME=OPTIONS. A name that begins with `petsc:` counts as PETSc alone; one that
/// ends with `?` may fail. @throws std::runtime_error if a part is not NAME=OPTIONS
std::vector<Recipe> parse_recipes(std::string const& text);

}  // namespace sptrsv::bench
