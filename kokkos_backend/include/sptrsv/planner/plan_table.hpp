// SPDX-License-Identifier: Apache-2.0
// What a solve costs by device and algorithm, in nanoseconds per unit of each feature (plan_model.hpp). Written by
// tools/fit_planner.py, which says how; only the comment of a device is for people.
#pragma once

#include "sptrsv/planner/plan_model.hpp"

namespace sptrsv::detail {

// NVIDIA H200: fitted to 76 systems
inline constexpr PlanCost plan_nvidia_h200[] = {
    {"sequential", {{{Feature::bytes, 6.177}, {Feature::rows, 205.6}}}},
    {"levelset",
     {{{Feature::solve, 3221},
       {Feature::bytes, 0.0006982},
       {Feature::levels, 454.9},
       {Feature::level_rows, 24.87},
       {Feature::longest_lane, 128},
       {Feature::level_lanes, 26.35},
       {Feature::narrow_steps, 0.8954}}}},
    {"syncfree",
     {{{Feature::solve, 2529},
       {Feature::bytes, 0.0006403},
       {Feature::rows, 0.6142},
       {Feature::warp_window, 1016},
       {Feature::longest_row, 3.056}}}},
    {"threadlevel",
     {{{Feature::solve, 707.1},
       {Feature::bytes, 0.0001978},
       {Feature::rows, 0.02893},
       {Feature::thread_window, 661.3},
       {Feature::level_rows, 66.34},
       {Feature::level_entries, 60.81},
       {Feature::longest_row, 191.7}}}},
    {"fused",
     {{{Feature::solve, 4660},
       {Feature::bytes, 0.001211},
       {Feature::warp_window, 29.57},
       {Feature::thread_window, 658.8},
       {Feature::level_rows, 74.04},
       {Feature::level_entries, 44.22},
       {Feature::longest_row, 3.37}}}},
    {"tiled",
     {{{Feature::solve, 5734},
       {Feature::bytes, 0.0007887},
       {Feature::tile_levels, 1730},
       {Feature::tile_entries, 1.524},
       {Feature::longest_row, 9.161},
       {Feature::wide_longest, 240.6}}}},
    {"colorset",
     {{{Feature::bytes, 5.829e-05},
       {Feature::sets, 343.7},
       {Feature::level_rows, 799.9},
       {Feature::longest_row, 150.5}}}},
    {"blocked",
     {{{Feature::solve, 7751},
       {Feature::bytes, 0.001832},
       {Feature::levels, 187.9},
       {Feature::block_levels, 338.6},
       {Feature::longest_row, 0.6038}}}},
};

inline constexpr PlanDevice plan_devices[] = {
    {"NVIDIA H200", plan_nvidia_h200, std::size(plan_nvidia_h200)},
};

}  // namespace sptrsv::detail
