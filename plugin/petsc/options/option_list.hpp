// SPDX-License-Identifier: Apache-2.0
// List of the plugin's option groups, for the printed pages.
#pragma once

#include <utility>
#include <vector>

#include "options/option_table.hpp"
#include "sptrsv/ordering/block_coloring.hpp"
#include "sptrsv/ordering/coloring.hpp"

namespace sptrsv_petsc {

using DescribedGroup = std::pair<OptionGroup, std::vector<sptrsv::OptionInfo>>;

template <class Options>
DescribedGroup Described(OptionGroup const& group = Options::group)
{
  return {group, sptrsv::describe_options<Options>().options};
}

inline std::vector<DescribedGroup> OwnOptions()
{
  return {Described<BackendOptions>(),
          Described<FactorOptions>(),
          Described<ReplaceOptions>(),
          Described<ShellOptions>(),
          Described<SweepOptions>(),
          Described<SubmatrixOptions>(),
          Described<sptrsv::ColorOptions>(color_group),
          Described<sptrsv::BlockColorOptions<int>>(block_color_group)};
}

}  // namespace sptrsv_petsc
