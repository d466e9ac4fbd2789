// SPDX-License-Identifier: Apache-2.0
// What a solve costs by device and algorithm, in nanoseconds per unit of each feature (plan_model.hpp). Written by
// tools/fit_planner.py, which says how; only the comment of a device is for people.
#pragma once

#include "sptrsv/planner/plan_model.hpp"

namespace sptrsv::detail {

// NVIDIA H200: fitted to 72 systems
inline constexpr PlanCost plan_nvidia_h200[] = {
    {"sequential", {{{Feature::solve, 5509}, {Feature::bytes, 6.828}, {Feature::rows, 152.2}}}},
    {"levelset",
     {{{Feature::solve, 3272},
       {Feature::bytes, 0.0006783},
       {Feature::levels, 369.4},
       {Feature::level_rows, 37.37},
       {Feature::longest_lane, 87.12},
       {Feature::level_lanes, 24.57},
       {Feature::narrow_steps, 1.169}}}},
    {"syncfree",
     {{{Feature::solve, 2597},
       {Feature::bytes, 0.001075},
       {Feature::rows, 0.5838},
       {Feature::warp_window, 1023},
       {Feature::longest_row, 3.158}}}},
    {"threadlevel",
     {{{Feature::solve, 1529},
       {Feature::bytes, 0.0001442},
       {Feature::rows, 0.03123},
       {Feature::thread_window, 484.5},
       {Feature::level_rows, 96.96},
       {Feature::level_entries, 59.5},
       {Feature::longest_row, 194.9}}}},
    {"fused",
     {{{Feature::solve, 5537},
       {Feature::bytes, 0.001245},
       {Feature::warp_window, 75.83},
       {Feature::thread_window, 402.1},
       {Feature::level_rows, 73.7},
       {Feature::level_entries, 95.52},
       {Feature::longest_row, 3.219}}}},
    {"tiled",
     {{{Feature::solve, 4218},
       {Feature::bytes, 0.000868},
       {Feature::tile_levels, 1435},
       {Feature::tile_entries, 1.705},
       {Feature::level_rows, 30.77},
       {Feature::longest_row, 10.46},
       {Feature::wide_longest, 239.5}}}},
    {"colorset",
     {{{Feature::bytes, 0.0003001},
       {Feature::sets, 1003},
       {Feature::level_rows, 471.1},
       {Feature::longest_row, 110.9}}}},
};

inline constexpr PlanDevice plan_devices[] = {
    {"NVIDIA H200", plan_nvidia_h200, std::size(plan_nvidia_h200)},
};

}  // namespace sptrsv::detail
