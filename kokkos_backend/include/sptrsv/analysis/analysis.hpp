// SPDX-License-Identifier: Apache-2.0
// The analysis of one triangle: checks the pattern, and offers its rows, columns and level sets,
// each made when first asked for and then kept.
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>

#include "sptrsv/analysis/level_sets.hpp"
#include "sptrsv/analysis/rows.hpp"
#include "sptrsv/analysis/structure.hpp"
#include "sptrsv/error.hpp"

namespace sptrsv {

namespace detail {

inline char const* name_of(Triangle triangle) { return triangle == Triangle::lower ? "lower" : "upper"; }

/// What one pass over the pattern finds; the first bad row of each kind, or n.
struct PatternFacts {
  long long with_diagonal = 0, diagonal_first = 0, diagonal_last = 0, longest = 0;
  long long bad_offsets = 0, bad_columns = 0, without_diagonal = 0;
};

/// Checks offsets first (so that the second pass reads only valid memory), then columns.
template <class T>
PatternFacts inspect(typename T::exec_space const& exec, typename T::pattern const& p) {
  using index = typename T::index;
  using policy = Kokkos::RangePolicy<typename T::exec_space, index>;
  index const n = p.num_rows();
  auto const row_ptr = p.row_ptr;
  auto const col_idx = p.col_idx;
  auto const capacity = static_cast<long long>(col_idx.extent(0));
  bool const reversed = p.row_order == RowOrder::reversed;
  PatternFacts facts;
  Kokkos::parallel_reduce(
      "sptrsv::analysis::offsets", policy(exec, 0, n),
      KOKKOS_LAMBDA(index r, long long& bad) {
        bool const ok = row_ptr(r) >= 0 && row_ptr(r) <= row_ptr(r + 1) && static_cast<long long>(row_ptr(r + 1)) <= capacity;
        long long const row = reversed ? n - 1 - r : r;
        if (!ok && row < bad) bad = row;
      },
      Kokkos::Min<long long>(facts.bad_offsets));
  exec.fence("sptrsv::analysis: offsets are checked before they are followed");
  if (n == 0 || facts.bad_offsets < n) return facts;
  Kokkos::parallel_reduce(
      "sptrsv::analysis::columns", policy(exec, 0, n),
      KOKKOS_LAMBDA(index r, long long& with, long long& first, long long& last, long long& longest, long long& bad,
                    long long& without) {
        index const i = reversed ? n - 1 - r : r;
        auto const begin = row_ptr(r), end = row_ptr(r + 1);
        bool has = false, valid = true;
        for (auto k = begin; k < end; ++k) {
          valid = valid && col_idx(k) >= 0 && col_idx(k) < n;
          has = has || col_idx(k) == i;
        }
        if (!valid && i < bad) bad = i;
        if (!has && i < without) without = i;
        with += has;
        first += begin < end && col_idx(begin) == i;
        last += begin < end && col_idx(end - 1) == i;
        if (static_cast<long long>(end - begin) > longest) longest = end - begin;
      },
      Kokkos::Sum<long long>(facts.with_diagonal), Kokkos::Sum<long long>(facts.diagonal_first),
      Kokkos::Sum<long long>(facts.diagonal_last), Kokkos::Max<long long>(facts.longest),
      Kokkos::Min<long long>(facts.bad_columns), Kokkos::Min<long long>(facts.without_diagonal));
  exec.fence("sptrsv::analysis: the findings are used on the host");
  return facts;
}

/// First row with an off-diagonal entry on the wrong side (or a second diagonal), or n.
template <class T>
long long first_wrong_side(typename T::exec_space const& exec, OffDiagonals<T> const& rows, bool lower) {
  using index = typename T::index;
  long long bad = rows.num_rows;
  Kokkos::parallel_reduce(
      "sptrsv::analysis::side", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, rows.num_rows),
      KOKKOS_LAMBDA(index i, long long& first) {
        bool wrong = false;
        for (auto k = rows.begin(i); k < rows.end(i); ++k)
          wrong = wrong || (lower ? rows.col_idx(k) >= i : rows.col_idx(k) <= i);
        if (wrong && i < first) first = i;
      },
      Kokkos::Min<long long>(bad));
  exec.fence("sptrsv::analysis: the finding is used on the host");
  return bad;
}

}  // namespace detail

/// Analysis of one triangle. Reads the pattern only; keeps the views of it that it was given.
template <class T>
class Analysis {
 public:
  using index = typename T::index;
  using exec_space = typename T::exec_space;

  /// @throws InvalidPattern, NotTriangular, MissingDiagonal naming the first such row.
  /// Cost: two passes over the pattern; fences.
  Analysis(exec_space const& exec, typename T::pattern const& pattern, Shape shape)
      : pattern_(pattern), shape_(shape) {
    auto const facts = detail::inspect<T>(exec, pattern);
    check_rows(facts);
    place_ = where_is_diagonal(facts);
    stored_.num_rows = pattern.num_rows();
    stored_.row_ptr = pattern.row_ptr;
    stored_.col_idx = pattern.col_idx;
    stored_.reversed = pattern.row_order == RowOrder::reversed;
    stored_.front = place_ == DiagonalPlace::first;
    stored_.back = place_ == DiagonalPlace::last;
    stored_.backward = pattern.sum_backward;
    longest_ = facts.longest - (place_ != DiagonalPlace::none);
    check_side(exec);
    count_entries(exec);
  }

  Shape shape() const { return shape_; }
  index num_rows() const { return stored_.num_rows; }
  /// Values that update() needs at least: one past the last entry.
  std::size_t values_needed() const { return values_needed_; }
  long long num_off_diagonals() const { return entries_ - (place_ == DiagonalPlace::none ? 0 : num_rows()); }

  /// Off-diagonal entries per row.
  double mean_row() const {
    return num_rows() == 0 ? 0.0 : static_cast<double>(num_off_diagonals()) / static_cast<double>(num_rows());
  }

  /// T by rows as stored, in place.
  OffDiagonals<T> const& stored() const { return stored_; }

  /// op(T) by rows: in place, or the transpose, made at the first call (allocates, fences).
  OffDiagonals<T> const& rows(exec_space const& exec) const { return shape_.transposed() ? flipped(exec) : stored_; }
  /// op(T) by columns, likewise: in place for a transposed solve.
  OffDiagonals<T> const& columns(exec_space const& exec) const { return shape_.transposed() ? stored_ : flipped(exec); }

  /// Level sets of op(T), made at the first call (allocates, fences). `automatic` takes the method
  /// that needs no transpose.
  LevelSets<T> const& levels(exec_space const& exec, LevelMethod method = LevelMethod::automatic) const {
    if (levels_) return *levels_;
    bool const by_columns = method == LevelMethod::automatic ? shape_.transposed() && !flipped_
                                                             : method == LevelMethod::root_candidates;
    levels_ = std::make_shared<LevelSets<T> const>(
        by_columns ? level_sets_from_columns<T>(exec, columns(exec))
                   : level_sets_from_rows<T>(exec, rows(exec), shape_.ascending()));
    return *levels_;
  }

  /// Structure with levels; makes the level sets if they are not there yet.
  Structure structure(exec_space const& exec) const {
    Structure s;
    s.rows = num_rows();
    s.entries = entries_;
    s.longest_row = longest_;
    s.mean_row = mean_row();
    auto const& sets = levels(exec);
    s.levels = sets.num_levels();
    s.widest_level = sets.widest();
    s.narrowest_level = s.widest_level;
    for (index l = 0; l < sets.num_levels(); ++l)
      s.narrowest_level = std::min<long long>(s.narrowest_level, sets.rows_in_level(l));
    s.mean_level = sets.mean_rows();
    return s;
  }

  /// How rows end, and where their values are; `off_diagonal` is aligned with `rows`.
  Numbers<T> numbers(typename T::values all, typename T::values off_diagonal) const {
    Numbers<T> out;
    out.off_diagonal = off_diagonal;
    out.all = all;
    out.row_ptr = stored_.row_ptr;
    out.num_rows = num_rows();
    out.reversed = stored_.reversed;
    out.place = place_;
    out.diagonal = shape_.diagonal;
    out.conj = shape_.op == Op::conj_transpose;
    return out;
  }

  /// Bytes that the analysis keeps beyond the caller's pattern.
  std::size_t memory_bytes() const {
    std::size_t bytes = 0;
    if (flipped_)
      bytes += flipped_->row_ptr.span() * sizeof(typename T::offset) + flipped_->col_idx.span() * sizeof(index) +
               flipped_->source.span() * sizeof(typename T::offset);
    if (levels_)
      bytes += (levels_->level_of.span() + levels_->level_rows.span() + levels_->level_ptr.size()) * sizeof(index);
    return bytes;
  }

 private:
  void check_rows(detail::PatternFacts const& facts) const {
    index const n = pattern_.num_rows();
    if (n == 0) return;
    if (facts.bad_offsets < n)
      throw InvalidPattern(facts.bad_offsets, "has row offsets that decrease or leave col_idx; check row_ptr");
    if (facts.bad_columns < n)
      throw InvalidPattern(facts.bad_columns, "has a column index outside 0.." + std::to_string(n - 1) + "; check col_idx");
    bool const none_needed = shape_.diagonal == Diagonal::unit && facts.with_diagonal == 0;
    if (facts.without_diagonal < n && !none_needed)
      throw MissingDiagonal(facts.without_diagonal, detail::name_of(shape_.triangle));
  }

  DiagonalPlace where_is_diagonal(detail::PatternFacts const& facts) const {
    index const n = pattern_.num_rows();
    if (n == 0 || facts.with_diagonal == 0) return DiagonalPlace::none;
    if (facts.diagonal_last == n) return DiagonalPlace::last;
    if (facts.diagonal_first == n) return DiagonalPlace::first;
    // sorted rows of the right triangle have it last (lower) or first (upper): find one that has not
    auto const row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pattern_.row_ptr);
    auto const col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pattern_.col_idx);
    bool const lower = shape_.triangle == Triangle::lower;
    for (index r = 0; r < n; ++r) {
      index const i = pattern_.row_order == RowOrder::reversed ? n - 1 - r : r;
      if (col_idx(lower ? row_ptr(r + 1) - 1 : row_ptr(r)) == i) continue;
      for (auto k = row_ptr(r); k < row_ptr(r + 1); ++k)
        if (lower ? col_idx(k) > i : col_idx(k) < i) throw NotTriangular(i, col_idx(k), detail::name_of(shape_.triangle));
      throw InvalidPattern(i, "has its diagonal entry neither first nor last; sort the row by column");
    }
    throw InvalidPattern(0, "has its diagonal entry elsewhere than other rows; sort the rows by column");
  }

  void check_side(exec_space const& exec) const {
    index const n = num_rows();
    auto const row = detail::first_wrong_side<T>(exec, stored_, shape_.triangle == Triangle::lower);
    if (row >= n) return;
    auto const row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pattern_.row_ptr);
    auto const col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pattern_.col_idx);
    auto const at = stored_.reversed ? n - 1 - row : row;
    long long wrong = row;
    for (auto k = row_ptr(at) + stored_.front; k < row_ptr(at + 1) - stored_.back; ++k)
      if (shape_.triangle == Triangle::lower ? col_idx(k) >= row : col_idx(k) <= row) wrong = col_idx(k);
    throw NotTriangular(row, wrong, detail::name_of(shape_.triangle));
  }

  void count_entries(exec_space const& exec) {
    if (num_rows() == 0) return;
    typename T::offset first = 0, last = 0;
    Kokkos::deep_copy(exec, first, Kokkos::subview(pattern_.row_ptr, 0));
    Kokkos::deep_copy(exec, last, Kokkos::subview(pattern_.row_ptr, num_rows()));
    exec.fence("sptrsv::analysis: the number of entries is used on the host");
    entries_ = static_cast<long long>(last - first);
    values_needed_ = static_cast<std::size_t>(last);
  }

  OffDiagonals<T> const& flipped(exec_space const& exec) const {
    if (!flipped_) flipped_ = std::make_shared<OffDiagonals<T> const>(detail::transpose_off_diagonals<T>(exec, stored_));
    return *flipped_;
  }

  typename T::pattern pattern_;
  Shape shape_;
  DiagonalPlace place_ = DiagonalPlace::none;
  OffDiagonals<T> stored_;
  long long entries_ = 0;
  long long longest_ = 0;
  std::size_t values_needed_ = 0;
  mutable std::shared_ptr<OffDiagonals<T> const> flipped_;
  mutable std::shared_ptr<LevelSets<T> const> levels_;
};

}  // namespace sptrsv
