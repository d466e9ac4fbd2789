// SPDX-License-Identifier: Apache-2.0
// What a solve costs by device and algorithm, in nanoseconds per unit of each feature (plan_model.hpp). Written by
// tools/fit_planner.py, which says how; only the comment of a device is for people.
#pragma once

#include "sptrsv/detail/plan_model.hpp"

namespace sptrsv::detail {

// NVIDIA H200: fitted to 65 systems
inline constexpr PlanCost plan_nvidia_h200[] = {
    {"sequential",
     {{{Feature::solve, 5447}, {Feature::bytes, 6.562}, {Feature::rows, 164.7}}}},
    {"levelset",
     {{{Feature::solve, 3293}, {Feature::bytes, 0.0005524}, {Feature::rows, 0.009299}, {Feature::levels, 213.9},
       {Feature::level_rows, 30.49}, {Feature::level_entries, 64.56}, {Feature::longest_lane, 95.34}, {Feature::level_lanes, 17.96},
       {Feature::narrow_steps, 1.743}}}},
    {"syncfree",
     {{{Feature::solve, 3053}, {Feature::bytes, 0.00386}, {Feature::rows, 0.3881}, {Feature::warp_window, 1001},
       {Feature::longest_row, 3.294}}}},
    {"threadlevel",
     {{{Feature::solve, 1324}, {Feature::bytes, 0.000635}, {Feature::thread_window, 482.8}, {Feature::level_rows, 94.67},
       {Feature::level_entries, 57.27}, {Feature::longest_row, 190.6}}}},
    {"fused",
     {{{Feature::solve, 3406}, {Feature::bytes, 0.001096}, {Feature::warp_window, 2.591}, {Feature::thread_window, 437.1},
       {Feature::level_rows, 89.45}, {Feature::level_entries, 118.3}, {Feature::longest_row, 3.152}}}},
    {"tiled",
     {{{Feature::solve, 4084}, {Feature::bytes, 0.0007537}, {Feature::tile_levels, 1670}, {Feature::tile_entries, 1.62},
       {Feature::longest_row, 7.718}, {Feature::wide_longest, 248.9}}}},
    {"colorset",
     {{{Feature::bytes, 0.0005475}, {Feature::sets, 4688}, {Feature::longest_row, 194.4}}}},
};

inline constexpr PlanDevice plan_devices[] = {
    {"NVIDIA H200", plan_nvidia_h200, std::size(plan_nvidia_h200)},
};

}  // namespace sptrsv::detail
