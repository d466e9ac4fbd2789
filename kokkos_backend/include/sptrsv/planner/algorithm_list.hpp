// SPDX-License-Identifier: Apache-2.0
// The only list of algorithms. CMake also reads its includes and entries.
#pragma once

#include "sptrsv/algorithm/blocked/blocked.hpp"
#include "sptrsv/algorithm/chain/chain.hpp"
#include "sptrsv/algorithm/colorset/color_set.hpp"
#include "sptrsv/algorithm/inverted/inverted.hpp"
#include "sptrsv/algorithm/iterated/iterated.hpp"
#include "sptrsv/algorithm/levelset/level_set.hpp"
#include "sptrsv/algorithm/sequential/sequential.hpp"
#include "sptrsv/algorithm/sync_free/fused.hpp"
#include "sptrsv/algorithm/sync_free/sync_free.hpp"
#include "sptrsv/algorithm/sync_free/thread_level.hpp"
#include "sptrsv/algorithm/tiled/tiled.hpp"

namespace sptrsv {

template <class... A>
struct TypeList {};

template <class T>  // the one line to edit
using Algorithms = TypeList<Sequential<T>, LevelSet<T>, SyncFree<T>, ThreadLevel<T>, Fused<T>, Tiled<T>, ColorSet<T>,
                            Blocked<T>, Chain<T>, Iterated<T>, Inverted<T>>;

}  // namespace sptrsv
