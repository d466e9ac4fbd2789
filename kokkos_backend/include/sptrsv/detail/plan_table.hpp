// SPDX-License-Identifier: Apache-2.0
// What a solve costs by device and algorithm, in nanoseconds per unit of each feature (plan_model.hpp). Written by
// tools/fit_planner.py, which says how; only the comment of a device is for people.
#pragma once

#include "sptrsv/detail/plan_model.hpp"

namespace sptrsv::detail {

// NVIDIA H200: fitted to 21 systems
inline constexpr PlanCost plan_nvidia_h200[] = {
    {"levelset",
     {{{Feature::rows, 0.01008}, {Feature::bytes, 0.0003978}, {Feature::levels, 455.8}, {Feature::wide_levels, 4141},
       {Feature::level_rows, 36.8}, {Feature::level_entries, 14.31}, {Feature::longest_lane, 63.81}, {Feature::level_lanes, 20.83}}}},
    {"syncfree",
     {{{Feature::solve, 191000}, {Feature::rows, 0.174}, {Feature::levels, 622.3}, {Feature::warp_window, 905.6},
       {Feature::longest_row, 2.959}, {Feature::level_longest, 0.1286}}}},
    {"threadlevel",
     {{{Feature::rows, 0.001387}, {Feature::bytes, 0.0007094}, {Feature::level_entries, 66.74}, {Feature::thread_window, 618.3},
       {Feature::near_rows, 0.7409}, {Feature::longest_row, 146.9}}}},
    {"sequential",
     {{{Feature::rows, 191.2}, {Feature::bytes, 7.041}}}},
};

inline constexpr PlanDevice plan_devices[] = {
    {"NVIDIA H200", plan_nvidia_h200, std::size(plan_nvidia_h200)},
};

}  // namespace sptrsv::detail
