// SPDX-License-Identifier: Apache-2.0
// Numbers with their nouns in the singular or plural, for reports.
#pragma once

#include <string>

namespace sptrsv::detail {

/// Returns "1 kernel", "2 kernels".
template <class Integer>
std::string plural(Integer number, char const* noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

}  // namespace sptrsv::detail
