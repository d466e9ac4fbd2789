// SPDX-License-Identifier: Apache-2.0
// Checks of the views given to solve(): their extents, and whether output overlaps input.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "sptrsv/device/row_io.hpp"
#include "sptrsv/error.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv::detail {

template <class View>
std::string size_text(View const& v) {
  return std::to_string(v.extent(0)) + " by " + std::to_string(v.extent(1));
}

/// Address range of an n-by-k view. Strides along an extent of 1 are meaningless and set to 0.
template <class S>
struct Placement {
  S const* data;
  std::ptrdiff_t row, column;  ///< strides, in scalars
  std::ptrdiff_t n, k;

  template <class View>
  explicit Placement(View const& v)
      : data(v.data()),
        row(v.extent(0) > 1 ? static_cast<std::ptrdiff_t>(v.stride(0)) : 0),
        column(v.extent(1) > 1 ? static_cast<std::ptrdiff_t>(v.stride(1)) : 0),
        n(static_cast<std::ptrdiff_t>(v.extent(0))),
        k(static_cast<std::ptrdiff_t>(v.extent(1))) {}

  S const* last() const { return data + (n - 1) * row + (k - 1) * column; }
  bool repeats() const { return (n > 1 && row == 0) || (k > 1 && column == 0); }
  bool same_as(Placement const& o) const { return data == o.data && row == o.row && column == o.column; }

  /// Tells whether two views of equal extents share an element. If their strides differ, only the first elements are
  /// compared: the views then certainly overlap if the answer is true, but may overlap even if it is false.
  bool meets(Placement const& o) const {
    if (same_as(o)) return true;
    std::less<S const*> const before;
    if (before(last(), o.data) || before(o.last(), data)) return false;
    if (row != o.row || column != o.column) return data == o.data;
    std::ptrdiff_t const distance = o.data - data;
    for (std::ptrdiff_t c = 1 - k; c < k; ++c) {
      std::ptrdiff_t const left = distance - c * column;
      if (row == 0 ? left == 0 : left % row == 0 && left / row < n && left / row > -n) return true;
    }
    return false;
  }
};

/// Checks that b and x are n-by-k.
/// @param matrix  name of the matrix of n rows, for the message
/// @throws DimensionMismatch
template <class B, class X>
void check_extents(char const* matrix, std::size_t n, B const& b, X const& x) {
  if (b.extent(0) != n || x.extent(0) != n || b.extent(1) != x.extent(1))
    throw DimensionMismatch(std::string(matrix) + " has " + std::to_string(n) + " rows, b is " + size_text(b) +
                            " and x " + size_text(x) + "; give n-by-k views with the same k");
}

template <class T>
void check_extents(std::size_t n, typename T::rhs const& b, typename T::solution const& x,
                   PermuteScale<T> const& permute_scale) {
  check_extents("T", n, b, x);
  auto const check = [n](char const* name, std::size_t given) {
    if (given != 0 && given < n)
      throw DimensionMismatch("permute_scale." + std::string(name) + " has " + std::to_string(given) + " entries, T " +
                              std::to_string(n) + " rows; give one for each row, or an empty view");
  };
  check("b_rows", permute_scale.b_rows.extent(0));
  check("b_scale", permute_scale.b_scale.extent(0));
  check("out_rows", permute_scale.out_rows.extent(0));
  if (permute_scale.has_out() && (permute_scale.out.extent(0) != n || permute_scale.out.extent(1) != x.extent(1)))
    throw DimensionMismatch("permute_scale.out is " + size_text(permute_scale.out) + " and x " + size_text(x) +
                            "; give views of the same size, or leave `out` empty");
}

template <class T>
void check_overlap(typename T::rhs const& b_view, typename T::solution const& x_view,
                   PermuteScale<T> const& permute_scale) {
  using placement = Placement<typename T::scalar>;
  placement const b(b_view), x(x_view);
  char const* const repeated = " has a stride of 0, so that several of its rows or columns are one; give each its own";
  if (x.repeats()) throw Overlap(std::string("x") + repeated);
  if (x.meets(b) && (!x.same_as(b) || permute_scale.b_rows.extent(0) > 0))
    throw Overlap(x.same_as(b)
                      ? "b and x are the same array, while permute_scale.b_rows permutes b; give x an array of its own"
                      : "b and x overlap; give the very same view for both, or arrays apart");
  if (!permute_scale.has_out()) return;
  placement const out(permute_scale.out);
  if (out.repeats()) throw Overlap(std::string("permute_scale.out") + repeated);
  if (out.meets(x)) throw Overlap("permute_scale.out and x overlap; give `out` an array of its own");
  bool const alike = data_or_null(permute_scale.b_rows) == data_or_null(permute_scale.out_rows);
  if (out.meets(b) && !(out.same_as(b) && alike))
    throw Overlap(
        "permute_scale.out and b overlap; give `out` an array of its own, or b itself and the same "
        "permute_scale.b_rows and "
        "permute_scale.out_rows, or neither");
}

}  // namespace sptrsv::detail
