// SPDX-License-Identifier: Apache-2.0
// Converts matrices and vectors of the other tests to Tpetra's.
#pragma once

#include <gtest/gtest.h>

#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <limits>
#include <sptrsv_support/csr_matrix.hpp>
#include <string>
#include <vector>

#include "problem.hpp"

namespace sptrsv::test {

using Map = Tpetra::Map<>;
using GO = Map::global_ordinal_type;
using LO = Map::local_ordinal_type;
using Node = Map::node_type;
template <class S>
using Crs = Tpetra::CrsMatrix<S, LO, GO, Node>;
template <class S>
using Row = Tpetra::RowMatrix<S, LO, GO, Node>;
template <class S>
using Vectors = Tpetra::MultiVector<S, LO, GO, Node>;
using Teuchos::RCP;
using Teuchos::rcp;

inline int rank_here() { return Tpetra::getDefaultComm()->getRank(); }

/// Returns a map with `local_rows` rows on this rank.
inline RCP<Map const> map_of(int local_rows) {
  return rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), static_cast<std::size_t>(local_rows), 0,
                     Tpetra::getDefaultComm()));
}

/// Returns the problem without the entries that a Tpetra matrix may leave out: those of a unit diagonal.
template <class S>
Problem<S> without_unit_diagonal(Problem<S> const& p) {
  if (!p.is_unit()) return p;
  Problem<S> out;
  out.shape = p.shape;
  for (int i = 0; i < p.num_rows(); ++i) {
    for (int k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k)
      if (p.col_idx[k] != i) {
        out.col_idx.push_back(p.col_idx[k]);
        out.values.push_back(p.values[k]);
      }
    out.row_ptr.push_back(static_cast<int>(out.col_idx.size()));
  }
  out.make_op();
  return out;
}

/// Returns the problem as this rank's local matrix, with rows and columns numbered alike.
template <class S>
RCP<Crs<S>> tpetra_matrix(Problem<typename Crs<S>::impl_scalar_type> const& p, RCP<Map const> const& map) {
  using local = typename Crs<S>::local_matrix_device_type;
  typename local::row_map_type::non_const_type row_ptr("row_ptr", p.row_ptr.size());
  typename local::index_type::non_const_type col_idx("col_idx", p.col_idx.size());
  typename local::values_type::non_const_type values("values", p.values.size());
  auto const r = Kokkos::create_mirror_view(row_ptr);
  auto const c = Kokkos::create_mirror_view(col_idx);
  auto const v = Kokkos::create_mirror_view(values);
  std::copy(p.row_ptr.begin(), p.row_ptr.end(), r.data());
  std::copy(p.col_idx.begin(), p.col_idx.end(), c.data());
  std::copy(p.values.begin(), p.values.end(), v.data());
  Kokkos::deep_copy(row_ptr, r);
  Kokkos::deep_copy(col_idx, c);
  Kokkos::deep_copy(values, v);
  auto const made = rcp(new Crs<S>(map, map, row_ptr, col_idx, values));
  made->expertStaticFillComplete(map, map);
  return made;
}

template <class S>
RCP<Vectors<S>> tpetra_vectors(RCP<Map const> const& map, Columns<typename Crs<S>::impl_scalar_type> const& columns) {
  auto const made = rcp(new Vectors<S>(map, columns.size()));
  auto const view = made->getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t i = 0; i < columns[c].size(); ++i) view(i, c) = columns[c][i];
  return made;
}

template <class S>
RCP<Vectors<S>> not_a_number(RCP<Map const> const& map, std::size_t columns) {
  auto const made = rcp(new Vectors<S>(map, columns));
  made->putScalar(S(std::numeric_limits<typename Teuchos::ScalarTraits<S>::magnitudeType>::quiet_NaN()));
  return made;
}

template <class S>
Columns<typename Crs<S>::impl_scalar_type> columns_of(Vectors<S> const& x) {
  auto const copy = Vectors<S>(x, Teuchos::Copy);
  auto const view = copy.getLocalViewHost(Tpetra::Access::ReadOnly);
  Columns<typename Crs<S>::impl_scalar_type> out(view.extent(1));
  for (std::size_t c = 0; c < out.size(); ++c)
    for (std::size_t i = 0; i < view.extent(0); ++i) out[c].push_back(view(i, c));
  return out;
}

/// Returns the matrix distributed over all ranks in equal shares of rows.
inline RCP<Crs<double>> distributed(support::CsrMatrix const& a) {
  auto const map = rcp(new Map(static_cast<Tpetra::global_size_t>(a.num_rows), 0, Tpetra::getDefaultComm()));
  std::vector<std::size_t> lengths;
  for (std::size_t l = 0; l < map->getLocalNumElements(); ++l) {
    GO const i = map->getGlobalElement(static_cast<LO>(l));
    lengths.push_back(static_cast<std::size_t>(a.row_ptr[i + 1] - a.row_ptr[i]));
  }
  auto const made = rcp(new Crs<double>(map, Teuchos::ArrayView<std::size_t const>(lengths.data(), lengths.size())));
  for (std::size_t l = 0; l < map->getLocalNumElements(); ++l) {
    GO const i = map->getGlobalElement(static_cast<LO>(l));
    std::vector<GO> cols(a.col_idx.begin() + a.row_ptr[i], a.col_idx.begin() + a.row_ptr[i + 1]);
    made->insertGlobalValues(i, Teuchos::ArrayView<GO const>(cols.data(), cols.size()),
                             Teuchos::ArrayView<double const>(a.values.data() + a.row_ptr[i], cols.size()));
  }
  made->fillComplete();
  return made;
}

/// Sets other values in the same pattern: multiplies off-diagonal entries by `factor`.
inline void scale_off_diagonals(Crs<double>& a, double factor) {
  a.resumeFill();
  auto const graph = a.getCrsGraph();
  for (std::size_t i = 0; i < a.getLocalNumRows(); ++i) {
    typename Crs<double>::local_inds_host_view_type cols;
    typename Crs<double>::values_host_view_type values;
    a.getLocalRowView(static_cast<LO>(i), cols, values);
    std::vector<LO> at;
    std::vector<double> now;
    for (std::size_t k = 0; k < cols.extent(0); ++k) {
      bool const diagonal =
          a.getColMap()->getGlobalElement(cols(k)) == a.getRowMap()->getGlobalElement(static_cast<LO>(i));
      at.push_back(cols(k));
      now.push_back(values(k) * (diagonal ? 1.0 : factor));
    }
    a.replaceLocalValues(static_cast<LO>(i), Teuchos::ArrayView<LO const>(at.data(), at.size()),
                         Teuchos::ArrayView<double const>(now.data(), now.size()));
  }
  a.fillComplete();
}

}  // namespace sptrsv::test
