// SPDX-License-Identifier: Apache-2.0
// Riluk and Ifpack2::RILUK of one matrix, and the comparison of their answers.
#pragma once

#include <algorithm>

#include "sptrsv/ifpack2/riluk.hpp"
#include "tpetra_problem.hpp"

namespace sptrsv::test {

using Ours = ifpack2::Riluk<Row<double>>;
using Theirs = Ifpack2::RILUK<Row<double>>;

inline Teuchos::ParameterList parameters(int k, std::string const& algorithm = "sptrsv") {
  Teuchos::ParameterList list;
  list.set("fact: iluk level-of-fill", k);
  list.set("sptrsv: algorithm", algorithm);
  return list;
}

template <class P>
RCP<P> computed(RCP<Crs<double>> const& A, Teuchos::ParameterList const& list) {
  auto const made = rcp(new P(RCP<Row<double> const>(A)));
  made->setParameters(list);
  made->initialize();
  made->compute();
  return made;
}

/// Compares the results of apply(). @param with_guess  whether Y has numbers on entry, rather than NaN
inline void expect_alike(Preconditioner const& ours, Preconditioner const& theirs, Teuchos::ETransp mode,
                         RCP<Map const> const& map, int columns = 3, bool with_guess = false) {
  auto const X = right_hand_side(*map, columns);
  auto const on_entry = [&] {
    return with_guess ? right_hand_side(*map, columns + 1)->subViewNonConst(Teuchos::Range1D(1, columns))
                      : not_a_number<double>(map, columns);
  };
  auto const Y = on_entry(), Z = on_entry();
  ours.apply(*X, *Y, mode);
  theirs.apply(*X, *Z, mode);
  auto const y = columns_of(*Y), z = columns_of(*Z);
  for (int c = 0; c < columns; ++c) {
    double largest = 0;
    for (double const v : z[c]) largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < z[c].size(); ++i)
      ASSERT_NEAR(y[c][i], z[c][i], 1e-12 * largest) << "row " << i << ", column " << c;
  }
}

}  // namespace sptrsv::test
