// SPDX-License-Identifier: Apache-2.0
// Analysis of one triangle: checks the pattern, and computes its rows, columns and level sets on first use.
#pragma once

#include <Kokkos_Core.hpp>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>

#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/workspace.hpp"
#include "sptrsv/error.hpp"
#include "sptrsv/storage.hpp"
#include "sptrsv/structure.hpp"
#include "sptrsv/triangle/grid_lines.hpp"
#include "sptrsv/triangle/inspect.hpp"
#include "sptrsv/triangle/level_sets.hpp"
#include "sptrsv/triangle/rows.hpp"

namespace sptrsv {

namespace detail {

inline char const* name_of(Triangle triangle) { return triangle == Triangle::lower ? "lower" : "upper"; }

/// Returns the maximum number of rows, entries or slots for an index or offset type: 2^31 - 2^26 for 32 bits. The rest
/// is headroom. First, threads stop only when their counter has passed the last item, by up to the items that a team
/// takes at a time. Second, Kokkos' scans round up the parts of a range, by up to 1/50 of the range in all.
template <class Number>
constexpr long long most_counted() {
  constexpr Number greatest = std::numeric_limits<Number>::max();
  return static_cast<long long>(greatest - (greatest >> 5));
}
/// @throws TooLarge if `count` exceeds most_counted().
template <class Number>
void require_counted(char const* what, unsigned long long count, char const* type) {
  constexpr auto most = static_cast<unsigned long long>(most_counted<Number>());
  if (count > most) throw TooLarge(what, count, type, static_cast<int>(8 * sizeof(Number)), most);
}

/// @throws TooLarge if the pattern has more rows than its indices can count.
template <class T>
void require_counted_rows(typename T::pattern const& pattern) {
  if (pattern.row_ptr.extent(0) > 0)
    require_counted<typename T::index>("rows", pattern.row_ptr.extent(0) - 1, "indices");
}

/// Returns the number of off-diagonal entries of the longest row. Fences.
template <class T>
long long longest_row(typename T::exec_space const& exec, OffDiagonals<T> const& rows) {
  return max_over_rows<T>(
      "sptrsv::analysis::longest_row", exec, rows.num_rows, 0LL,
      KOKKOS_LAMBDA(typename T::index i) { return static_cast<long long>(rows.count(i)); });
}

/// Returns the number of entries of the longest column, diagonal included. Fences.
/// @param first, count  the entries' positions are first to first + count - 1
template <class T>
long long longest_column(typename T::exec_space const& exec, Workspace<T>& work, typename T::pattern const& pattern,
                         typename T::offset first, typename T::offset count) {
  using index = typename T::index;
  typename Workspace<T>::Scope const scope(work);
  auto const length = work.template take<index>(static_cast<std::size_t>(pattern.num_rows()));
  Kokkos::deep_copy(exec, length, 0);
  auto const col_idx = pattern.col_idx;
  Kokkos::parallel_for(
      "sptrsv::analysis::count_columns", range_of<typename T::offset>(exec, count),
      KOKKOS_LAMBDA(typename T::offset k) { Kokkos::atomic_inc(&length(col_idx(first + k))); });
  return max_over_rows<T>(
      "sptrsv::analysis::longest_column", exec, pattern.num_rows(), 0LL,
      KOKKOS_LAMBDA(index j) { return static_cast<long long>(length(j)); });
}

/// Bytes of workspace that `blocked` needs per row, in addition to an index per entry.
inline constexpr std::size_t workspace_row_bytes = 64;

}  // namespace detail

/// Analysis of one triangle. Reads the pattern only, and keeps the caller's views of it.
template <class T>
class Analysis {
 public:
  using index = typename T::index;
  using exec_space = typename T::exec_space;

  /// @throws InvalidPattern, ImproperRow, NotTriangular, MissingDiagonal for the first such row; TooLarge.
  /// Cost: one pass over the pattern; fences.
  Analysis(exec_space const& exec, typename T::pattern const& pattern, Shape shape)
      : pattern_(pattern), shape_(shape), workspace_(0) {
    detail::require_counted_rows<T>(pattern);
    auto const facts = detail::inspect<T>(exec, workspace_, pattern, shape.triangle == Triangle::lower);
    check_rows(facts);
    auto const stored = static_cast<unsigned long long>(facts.behind_last_entry);
    detail::require_counted<typename T::offset>("entries, with those stored before it", stored, "offsets");
    detail::require_counted<index>("entries in a row", static_cast<unsigned long long>(facts.longest), "indices");
    diagonal_position_ = where_is_diagonal(facts);
    stored_.num_rows = pattern.num_rows();
    stored_.row_ptr = pattern.row_ptr;
    stored_.col_idx = pattern.col_idx;
    stored_.reversed = pattern.row_order == RowOrder::reversed;
    stored_.front = diagonal_position_ == DiagonalPosition::first;
    stored_.back = diagonal_position_ == DiagonalPosition::last;
    stored_.backward = pattern.sum_backward;
    longest_stored_ = facts.longest - (diagonal_position_ != DiagonalPosition::none);
    check_side(facts);
    entries_ = facts.behind_last_entry - facts.first_entry;
    values_needed_ = static_cast<std::size_t>(facts.behind_last_entry);
    workspace_.expect(static_cast<std::size_t>(num_rows()) * detail::workspace_row_bytes +
                      static_cast<std::size_t>(entries_) * sizeof(index));
  }

  Shape shape() const { return shape_; }
  /// Precision of the copies of values that algorithms keep.
  Storage storage() const { return storage_; }
  void set_storage(Storage storage) { storage_ = storage; }
  /// Number of unknowns per row: more than 1 for the graph of nodes, whose entries are dense blocks; see NodeGraph.
  int unknowns() const { return unknowns_; }
  void set_unknowns(int unknowns) { unknowns_ = unknowns; }
  typename T::pattern const& pattern() const { return pattern_; }
  index num_rows() const { return stored_.num_rows; }
  /// Returns the number of stored entries, diagonal included.
  long long num_entries() const { return entries_; }
  /// Returns the number of values that update() needs at least: the offset just past the last entry.
  std::size_t values_needed() const { return values_needed_; }
  long long num_off_diagonals() const {
    return entries_ - (diagonal_position_ == DiagonalPosition::none ? 0 : num_rows());
  }

  /// Returns the mean number of off-diagonal entries per row.
  double mean_row() const {
    return num_rows() == 0 ? 0.0 : static_cast<double>(num_off_diagonals()) / static_cast<double>(num_rows());
  }

  /// Returns the number of off-diagonal entries of the longest stored row, which is a column of op(T) if the solve is
  /// transposed.
  long long longest_stored_row() const { return longest_stored_; }

  /// Returns T by rows as stored, without a copy.
  OffDiagonals<T> const& stored() const { return stored_; }

  /// Returns op(T) by rows; for a transposed solve the transpose, made at the first call (allocates, fences).
  OffDiagonals<T> const& rows(exec_space const& exec) const { return shape_.transposed() ? flipped(exec) : stored_; }
  /// Returns op(T) by columns; made at the first call (allocates, fences) unless the solve is transposed.
  OffDiagonals<T> const& columns(exec_space const& exec) const { return shape_.transposed() ? stored_ : flipped(exec); }

  /// Returns the level sets of op(T), made at the first call (allocates, fences).
  /// @param method  how the first call finds them. It changes the cost, not the sets. `automatic` takes the method that
  /// needs no transpose.
  LevelSets<T> const& levels(exec_space const& exec, LevelMethod method = LevelMethod::automatic) const {
    if (levels_) return *levels_;
    bool const by_columns =
        method == LevelMethod::automatic ? shape_.transposed() && !flipped_ : method == LevelMethod::root_candidates;
    if (by_columns) {
      levels_ = std::make_shared<LevelSets<T> const>(level_sets_from_columns<T>(exec, workspace(), columns(exec)));
      return *levels_;
    }
    detail::GridLines lines;  // on a host, finding a grid takes as long as the sweep for levels
    if (method == LevelMethod::automatic && !is_host_space<exec_space>) lines = grid(exec);
    levels_ = std::make_shared<LevelSets<T> const>(
        level_sets_from_rows<T>(exec, workspace(), rows(exec), shape_.ascending(), longest_row(exec), lines));
    return *levels_;
  }

  /// Returns the number of levels of op(T). Does not keep the level sets if this call has to make them.
  index count_levels(exec_space const& exec) const {
    bool const known = levels_ != nullptr;
    index const count = levels(exec).num_levels();
    if (!known) levels_.reset();
    return count;
  }
  /// Returns the level sets if they have been made, otherwise nullptr.
  LevelSets<T> const* known_levels() const { return levels_.get(); }

  /// Returns the number of off-diagonal entries of the longest row of op(T). For a transposed solve the first call
  /// takes a pass, over the transpose if it exists, and fences.
  long long longest_row(exec_space const& exec) const {
    if (!shape_.transposed()) return longest_stored_;
    if (longest_transposed_ < 0) {
      if (flipped_) {
        longest_transposed_ = detail::longest_row<T>(exec, *flipped_);
      } else {
        auto const first = static_cast<long long>(values_needed_) - entries_;
        longest_transposed_ =
            detail::longest_column<T>(exec, workspace(), pattern_, static_cast<typename T::offset>(first),
                                      static_cast<typename T::offset>(entries_)) -
            (entries_ > num_off_diagonals());
      }
    }
    return longest_transposed_;
  }
  /// Returns the directions of op(T)'s pattern, from a sample; see find_directions().
  detail::Directions const& directions(exec_space const& exec) const {
    return keep<detail::Directions>("directions",
                                    [&] { return detail::find_directions<T>(exec, workspace(), rows(exec)); });
  }
  /// Returns the grid that op(T)'s rows probably form, or none; see find_grid().
  detail::GridLines const& grid(exec_space const& exec) const {
    return keep<detail::GridLines>("grid", [&] {
      if (longest_row(exec) > detail::GridSample::longest_row) return detail::GridLines{};
      return detail::find_grid<T>(exec, workspace(), rows(exec), shape_.ascending(), directions(exec));
    });
  }

  /// Returns memory for arrays that live until drop_kept() at most.
  detail::Workspace<T>& workspace() const { return workspace_; }

  /// Returns a result that the planner and the algorithm that it chooses share: calls make() at the first call for this
  /// V and `what`, and returns the same object until drop_kept().
  /// @param what  name of the result, with all its inputs other than this analysis
  template <class V, class Make>
  V const& keep(std::string const& what, Make const& make) const {
    auto& kept = kept_[{std::type_index(typeid(V)), what}];
    if (!kept) kept = std::make_shared<V const>(make());
    return *static_cast<V const*>(kept.get());
  }
  /// Frees what only the construction of algorithms needs.
  /// @param exec  instance on which the algorithms were made
  void drop_kept(exec_space const& exec) {
    kept_.clear();
    workspace_.clear(exec);
  }

  /// Returns the structure with its levels; makes the level sets if necessary.
  Structure structure(exec_space const& exec) const {
    Structure s;
    s.rows = num_rows();
    s.entries = entries_;
    s.longest_row = longest_row(exec);
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

  /// Returns the values as solves read them: off-diagonals and diagonal entries.
  /// @param off_diagonal  aligned with `rows`
  TriangleValues<T> numbers(typename T::values all, typename T::values off_diagonal) const {
    TriangleValues<T> out;
    out.off_diagonal = off_diagonal;
    out.all = all;
    out.row_ptr = stored_.row_ptr;
    out.num_rows = num_rows();
    out.reversed = stored_.reversed;
    out.diagonal_position = diagonal_position_;
    out.diagonal = shape_.diagonal;
    out.conj = shape_.op == Op::conj_transpose;
    return out;
  }

  /// Returns the bytes that the analysis keeps besides the caller's pattern.
  std::size_t memory_bytes() const {
    std::size_t bytes = 0;
    if (flipped_)
      bytes += flipped_->row_ptr.span() * sizeof(typename T::offset) + flipped_->col_idx.span() * sizeof(index) +
               flipped_->source.span() * sizeof(typename T::offset);
    if (levels_) bytes += levels_->memory_bytes;
    return bytes;
  }

 private:
  void check_rows(detail::PatternFacts const& facts) const {
    index const n = pattern_.num_rows();
    if (n == 0) return;
    if (facts.bad_offsets < n)
      throw InvalidPattern(facts.bad_offsets, "has row offsets that decrease or leave col_idx; check row_ptr");
    if (facts.bad_columns < n)
      throw InvalidPattern(facts.bad_columns,
                           "has a column index outside 0.." + std::to_string(n - 1) + "; check col_idx");
    bool const none_needed = shape_.diagonal == Diagonal::unit && facts.with_diagonal == 0;
    if (facts.without_diagonal < n && !none_needed)
      throw MissingDiagonal(facts.without_diagonal, detail::name_of(shape_.triangle),
                            shape_.diagonal == Diagonal::unit);
  }

  DiagonalPosition where_is_diagonal(detail::PatternFacts const& facts) const {
    index const n = pattern_.num_rows();
    if (n == 0 || facts.with_diagonal == 0) return DiagonalPosition::none;
    if (facts.diagonal_last == n) return DiagonalPosition::last;
    if (facts.diagonal_first == n) return DiagonalPosition::first;
    // sorted rows of a triangle have the diagonal last (lower) or first (upper): find a row that violates this
    auto const row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pattern_.row_ptr);
    auto const col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pattern_.col_idx);
    bool const lower = shape_.triangle == Triangle::lower;
    for (index r = 0; r < n; ++r) {
      index const i = pattern_.row_order == RowOrder::reversed ? n - 1 - r : r;
      if (col_idx(lower ? row_ptr(r + 1) - 1 : row_ptr(r)) == i) continue;
      for (auto k = row_ptr(r); k < row_ptr(r + 1); ++k)
        if (lower ? col_idx(k) > i : col_idx(k) < i)
          throw NotTriangular(i, col_idx(k), detail::name_of(shape_.triangle));
      throw InvalidPattern(i, "has its diagonal entry neither first nor last; sort the row by column");
    }
    throw InvalidPattern(0, "has its diagonal entry elsewhere than other rows; sort the rows by column");
  }

  void check_side(detail::PatternFacts const& facts) const {
    index const n = num_rows();
    if (n == 0 || facts.wrong_side >= n) return;
    auto const row = static_cast<index>(facts.wrong_side);
    auto const row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pattern_.row_ptr);
    auto const col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pattern_.col_idx);
    auto const at = stored_.reversed ? n - 1 - row : row;
    long long wrong = row;
    for (auto k = row_ptr(at) + stored_.front; k < row_ptr(at + 1) - stored_.back; ++k)
      if (shape_.triangle == Triangle::lower ? col_idx(k) >= row : col_idx(k) <= row) wrong = col_idx(k);
    if (wrong == row) throw ImproperRow(row, row, row);  // a second diagonal entry inside the row
    throw NotTriangular(row, wrong, detail::name_of(shape_.triangle));
  }

  /// Returns the transpose. Its rows are summed in the order in which substitution scatters terms, for the same bits.
  OffDiagonals<T> const& flipped(exec_space const& exec) const {
    if (!flipped_) {
      OffDiagonals<T> transpose = detail::transpose_off_diagonals<T>(exec, stored_);
      transpose.backward = shape_.transposed() && !shape_.ascending();
      flipped_ = std::make_shared<OffDiagonals<T> const>(transpose);
    }
    return *flipped_;
  }

  typename T::pattern pattern_;
  Shape shape_;
  Storage storage_ = Storage::full;
  int unknowns_ = 1;
  DiagonalPosition diagonal_position_ = DiagonalPosition::none;
  OffDiagonals<T> stored_;
  long long entries_ = 0;
  long long longest_stored_ = 0;
  mutable long long longest_transposed_ = -1;  // -1: not found yet
  std::size_t values_needed_ = 0;
  mutable std::shared_ptr<OffDiagonals<T> const> flipped_;
  mutable std::shared_ptr<LevelSets<T> const> levels_;
  mutable detail::Workspace<T> workspace_;
  mutable std::map<std::pair<std::type_index, std::string>, std::shared_ptr<void const>> kept_;
};

}  // namespace sptrsv
