// SPDX-License-Identifier: Apache-2.0
// What a solve costs by device and algorithm, in nanoseconds per unit of each feature (plan_model.hpp). Written by
// tools/fit_planner.py, which says how; only the comment of a device is for people.
#pragma once

#include "sptrsv/planner/plan_model.hpp"

namespace sptrsv::detail {

// NVIDIA H200: fitted to 77 systems
inline constexpr PlanCost plan_nvidia_h200[] = {
    {"sequential", {{{Feature::solve, 6350}, {Feature::bytes, 6.114}, {Feature::rows, 188.9}}}},
    {"levelset",
     {{{Feature::solve, 2872},
       {Feature::bytes, 0.0006901},
       {Feature::levels, 393.5},
       {Feature::level_rows, 30.25},
       {Feature::longest_lane, 89.73},
       {Feature::level_lanes, 22.29},
       {Feature::narrow_steps, 1.17}}}},
    {"syncfree",
     {{{Feature::solve, 2748},
       {Feature::bytes, 0.0009403},
       {Feature::rows, 0.5832},
       {Feature::warp_window, 992.5},
       {Feature::longest_row, 3.089}}}},
    {"threadlevel",
     {{{Feature::solve, 998.9},
       {Feature::bytes, 0.000231},
       {Feature::rows, 0.02853},
       {Feature::thread_window, 463.1},
       {Feature::level_rows, 90.18},
       {Feature::level_entries, 92.63},
       {Feature::longest_row, 191.7}}}},
    {"fused",
     {{{Feature::solve, 4415},
       {Feature::bytes, 0.001277},
       {Feature::warp_window, 28.87},
       {Feature::thread_window, 490.7},
       {Feature::level_rows, 90.82},
       {Feature::level_entries, 68.42},
       {Feature::longest_row, 3.188}}}},
    {"tiled",
     {{{Feature::solve, 5673},
       {Feature::bytes, 0.0008052},
       {Feature::tile_levels, 1366},
       {Feature::tile_entries, 2.006},
       {Feature::level_rows, 32.4},
       {Feature::longest_row, 6.863},
       {Feature::wide_longest, 244.1}}}},
    {"colorset",
     {{{Feature::bytes, 0.0003021},
       {Feature::sets, 967.8},
       {Feature::level_rows, 517.3},
       {Feature::longest_row, 102.2}}}},
    {"blocked",
     {{{Feature::solve, 7836},
       {Feature::bytes, 0.001742},
       {Feature::levels, 17.44},
       {Feature::block_levels, 218.2},
       {Feature::level_entries, 60.56},
       {Feature::longest_row, 1.316}}}},
};

inline constexpr PlanDevice plan_devices[] = {
    {"NVIDIA H200", plan_nvidia_h200, std::size(plan_nvidia_h200)},
};

}  // namespace sptrsv::detail
