// SPDX-License-Identifier: Apache-2.0
// Structure of a triangle in a few numbers.
#pragma once

#include <ostream>

namespace sptrsv {

/// Structure of op(T). Entries include the diagonal if stored.
struct Structure {
  long long rows = 0;
  long long entries = 0;
  long long longest_row = 0;  ///< off-diagonal entries of one row
  double mean_row = 0;        ///< off-diagonal entries per row
  long long levels = 0;
  long long narrowest_level = 0;  ///< rows
  long long widest_level = 0;     ///< rows
  double mean_level = 0;          ///< rows per level
};

inline std::ostream& operator<<(std::ostream& out, Structure const& s) {
  return out << "rows " << s.rows << ", entries " << s.entries << ", entries per row mean " << s.mean_row << " longest "
             << s.longest_row << ", levels " << s.levels << ", rows per level mean " << s.mean_level << " min "
             << s.narrowest_level << " max " << s.widest_level;
}

}  // namespace sptrsv
