// SPDX-License-Identifier: Apache-2.0
// How a solver keeps the values that it copies, and the options that all algorithms have.
#pragma once

#include "sptrsv/options.hpp"

namespace sptrsv {

/// Precision of off-diagonal values. Vectors, sums and pivots are in the scalar's in any case.
enum class Storage {
  full,    ///< as given
  single,  ///< rounded to single precision, |error| <= 2^-24 |value|; values beyond its range are refused
};

/// Options that go with every algorithm, though not all can do all choices; `sptrsv_<name>` among OptionValues.
struct CommonOptions {
  Storage storage = Storage::full;
  template <class V>
  void visit(V& v) {
    v.choice("storage", storage, {"full", "single"},
             "precision of the off-diagonal values that levelset and blocked keep; other types refuse single");
  }
};

}  // namespace sptrsv
