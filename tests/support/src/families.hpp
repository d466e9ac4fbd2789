// SPDX-License-Identifier: Apache-2.0
// Patterns of the families; arguments as listed in families().
#pragma once

#include "pattern.hpp"

namespace sptrsv::support::detail {

using Arguments = std::vector<std::int64_t>;

LowerPattern lap2d(const Arguments& arguments);
LowerPattern lap3d(const Arguments& arguments);
LowerPattern stencil27(const Arguments& arguments);
LowerPattern fem2d(const Arguments& arguments);
LowerPattern fem3(const Arguments& arguments);
LowerPattern chain(const Arguments& arguments);
LowerPattern diagonal(const Arguments& arguments);
LowerPattern dense(const Arguments& arguments);
LowerPattern blocks(const Arguments& arguments);
LowerPattern arrow_down(const Arguments& arguments);
LowerPattern arrow_up(const Arguments& arguments);

LowerPattern rmat(const Arguments& arguments);
LowerPattern road(const Arguments& arguments);
LowerPattern band(const Arguments& arguments);
LowerPattern kkt2(const Arguments& arguments);
LowerPattern powerlaw(const Arguments& arguments);

}  // namespace sptrsv::support::detail
