// SPDX-License-Identifier: Apache-2.0
// Blocks of rows, each solved by one team: most dependencies stay within a team's scratch memory.
#pragma once

#include <type_traits>

#include "sptrsv/algorithm/blocked/device_blocked.hpp"
#include "sptrsv/algorithm/blocked/host_blocked.hpp"
#include "sptrsv/device/host_threads.hpp"

namespace sptrsv {

/// Solver by blocks of rows, each in one team: a dependency in scratch memory takes a third of the time of one through
/// global memory. Blocks never wait for later blocks, since they are ranges of numbers that do not decrease along a
/// dependency: strips of successive levels, or boxes of a matrix numbered like a grid. See docs/dev/blocks.md. Bitwise
/// reproducible.
template <class T>
using Blocked =
    std::conditional_t<detail::runs_inline<typename T::exec_space>, detail::HostBlocked<T>, detail::DeviceBlocked<T>>;

}  // namespace sptrsv
