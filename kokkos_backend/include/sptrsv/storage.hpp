// SPDX-License-Identifier: Apache-2.0
// Precision of the values that a solver copies, and the options of all algorithms.
#pragma once

#include "sptrsv/options.hpp"

namespace sptrsv {

/// Precision of off-diagonal values. Vectors, sums and pivots always have the scalar's precision.
enum class Storage {
  full,    ///< unchanged
  single,  ///< rounded to single precision, |error| <= 2^-24 |value|; values beyond its range are refused
};

/// Options of every algorithm, though not all support all choices; `sptrsv_<name>` in OptionValues.
struct CommonOptions {
  Storage storage = Storage::full;
  template <class V>
  void visit(V& v) {
    v.choice("storage", storage, {"full", "single"},
             "precision of the off-diagonal values that levelset and blocked keep; other types refuse single");
  }
};

}  // namespace sptrsv
