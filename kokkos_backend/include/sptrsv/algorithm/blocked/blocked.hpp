// SPDX-License-Identifier: Apache-2.0
// Blocks of rows, each solved by one team: most dependencies stay within a team's scratch memory.
#pragma once

#include <type_traits>

#include "sptrsv/algorithm/blocked/device_blocked.hpp"
#include "sptrsv/algorithm/blocked/host_blocked.hpp"
#include "sptrsv/device/host_threads.hpp"

namespace sptrsv {

/// Solver in which each team solves a block of rows: a value passes from row to row through scratch memory, not through
/// global memory. A block is part of a strip of successive levels, or of a box of a matrix numbered like a grid. The
/// numbers of strips and boxes do not decrease along a dependency, so blocks never wait for later blocks. See
/// docs/dev/blocks.md. Bitwise reproducible.
template <class T>
using Blocked =
    std::conditional_t<detail::runs_inline<typename T::exec_space>, detail::HostBlocked<T>, detail::DeviceBlocked<T>>;

}  // namespace sptrsv
