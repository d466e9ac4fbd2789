// SPDX-License-Identifier: Apache-2.0
// Numbers with their nouns, for reports.
#pragma once

#include <string>

namespace sptrsv::detail {

/// Returns "1 kernel", "2 kernels".
template <class Integer>
std::string counted(Integer number, char const* noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

}  // namespace sptrsv::detail
