// SPDX-License-Identifier: Apache-2.0
// Level-set solve: rows stored level by level; a kernel per wide level, several narrower levels per kernel.
#pragma once

#include <type_traits>

#include "sptrsv/algorithm/levelset/device_level_set.hpp"
#include "sptrsv/algorithm/levelset/host_level_set.hpp"
#include "sptrsv/device/host_threads.hpp"

namespace sptrsv {

/// Solver by level sets. Bitwise reproducible.
/// Source: M. Naumov, NVR-2011-001, algorithms 1 and 2. Differences:
///   - Rows are copied in level order; on a host the rows of a level are sorted by length.
///   - The analysis of an untransposed solve is a sweep by default (option analysis).
///   - Which levels share a kernel depends on their numbers of rows, not on the launch configuration that they need.
template <class T>
using LevelSet =
    std::conditional_t<detail::runs_inline<typename T::exec_space>, detail::HostLevelSet<T>, detail::DeviceLevelSet<T>>;

}  // namespace sptrsv
