// SPDX-License-Identifier: Apache-2.0
// Random small system and a random way to solve it, both drawn only from a seed.
#pragma once

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "solve_cases.hpp"

namespace sptrsv::test {

/// Parameters that decide whether row i depends on row j < i; each structure uses some of them.
struct PatternChoice {
  std::uint64_t seed;
  int n;
  double density;
  int width;
  double chance(int i, int j) const { return unit_random(~seed, static_cast<std::uint64_t>(i) * 4096 + j); }
};
struct RandomStructure {
  char const* name;
  bool (*needs)(PatternChoice const&, int i, int j);
};
inline constexpr std::array<RandomStructure, 9> random_structures{{
    {"diagonal", [](PatternChoice const&, int, int) { return false; }},
    {"uniform", [](PatternChoice const& p, int i, int j) { return p.chance(i, j) < p.density; }},
    {"band", [](PatternChoice const& p, int i, int j) { return i - j <= p.width && p.chance(i, j) < p.density; }},
    {"chain", [](PatternChoice const& p, int i, int j) { return j == i - 1 || p.chance(i, j) < p.density / 8; }},
    {"lines", [](PatternChoice const& p, int i, int j) { return j == i - p.width && p.chance(i, j) < 0.95; }},
    {"arrow",
     [](PatternChoice const& p, int i, int j) { return (j < p.width || i >= p.n - p.width) && p.chance(i, j) < 0.9; }},
    // rows of a group have equal columns, like PETSc's inodes
    {"groups", [](PatternChoice const& p, int i,
                  int j) { return i / p.width == j / p.width || p.chance(i / p.width, j) < p.density; }},
    // node i + 1 of a Fenwick tree has the subtree of the nodes j + 1 behind i + 1 - (its lowest bit): a complete
    // factor
    {"tree", [](PatternChoice const& p, int i,
                int j) { return j >= i + 1 - ((i + 1) & -(i + 1)) && (p.width > 4 || p.chance(i, j) < 0.9); }},
    {"layers", [](PatternChoice const& p, int i,
                  int j) { return i * p.width / p.n > j * p.width / p.n && p.chance(i, j) < p.density; }},
}};

/// System as it is passed to a solver, and the calls that are made with it.
struct RandomSystem {
  std::uint64_t seed = 0;
  std::string structure;
  Problem<double> problem;  ///< rows in natural order; columns of a row in any order; the diagonal first, last or
                            ///< absent
  Variant way;
  RowOrder row_order = RowOrder::natural;
  bool sum_backward = false;
  bool wild = false;       ///< solutions may grow from row to row without bound
  int entries_before = 0;  ///< entries of another matrix earlier in the same arrays, as PETSc stores L before U
  int columns = 1, updates = 1;
  int row_stride = 1, x_row_stride = 1;  ///< strides of b and x; 0: columns of a row are contiguous
  int spare_rows = 0, x_spare_rows = 0;
  bool in_place = false;
  bool permute_b = false, scale_b = false, permute_out = false, out = false,
       accumulate = false;  ///< parts of the PermuteScale
  bool out_is_b = false;    ///< the second output is the array of b

  explicit RandomSystem(std::uint64_t seed);
  /// Draws new values for the same pattern; `round` counts updates.
  void draw_values(int round);
  /// Returns the arrays for the solver: rows in row_order, after entries_before entries of junk.
  std::vector<int> stored_row_ptr() const;
  template <class V>
  std::vector<V> stored(std::vector<V> const& entries, V junk) const;
  /// Returns everything that was drawn, in one line.
  std::string text() const;

 private:
  void draw_pattern(Draw& draw);
  void draw_way(Draw& draw);
  void draw_layout(Draw& draw);
};

inline RandomSystem::RandomSystem(std::uint64_t seed_in) : seed(seed_in) {
  Draw draw(seed);
  draw_pattern(draw);
  draw_way(draw);
  draw_layout(draw);
}

inline void RandomSystem::draw_pattern(Draw& draw) {
  int const n = draw.one_in(200) ? 0 : draw.one_in(40) ? draw.from(41, 300) : draw.from(1, 40);
  auto const& chosen = draw.one_of(random_structures);
  double const root = draw.real();
  PatternChoice const choice{seed, n, root * root, draw.from(1, 8)};
  structure = chosen.name;
  problem.shape = draw.one_of(all_shapes());
  bool const lower = problem.shape.triangle == Triangle::lower;
  enum { first, last, nowhere };
  int const place = draw.from(first, problem.is_unit() ? nowhere : last);
  bool const sorted = draw.one_in(2);
  std::vector<int> row;
  for (int i = 0; i < n; ++i) {
    int const step = lower ? i : n - 1 - i;
    row.clear();
    for (int j = 0; j < step; ++j)
      if (chosen.needs(choice, step, j)) row.push_back(lower ? j : n - 1 - j);
    std::sort(row.begin(), row.end());
    if (!sorted)
      for (std::size_t k = row.size(); k > 1; --k) std::swap(row[k - 1], row[draw.from(0, static_cast<int>(k) - 1)]);
    if (place == first) row.insert(row.begin(), i);
    if (place == last) row.push_back(i);
    problem.col_idx.insert(problem.col_idx.end(), row.begin(), row.end());
    problem.row_ptr.push_back(static_cast<int>(problem.col_idx.size()));
  }
  wild = draw.one_in(4);
}

inline void RandomSystem::draw_way(Draw& draw) {
  auto const& infos = algorithm_infos();
  std::size_t which = draw.from(0, static_cast<int>(infos.size()));
  bool const chains = structure == "lines" || structure == "diagonal";
  if (which < infos.size() && !infos[which].capabilities.any_pattern && !chains) which = infos.size();
  way.algorithm = which < infos.size() ? infos[which].name : "sptrsv";
  auto const& can = which < infos.size() ? infos[which].capabilities : planner_info().capabilities;
  if (can.single_storage && draw.one_in(4)) way.options["sptrsv_storage"] = "single";
  if (which == infos.size()) return;
  if (!can.exact) {
    way.options = exact_options(infos[which]);
    return;
  }
  for (auto const& option : infos[which].options) {
    if (draw.one_in(2)) continue;
    std::string const name = way.algorithm + "_" + option.name;
    if (!option.choices.empty()) way.options[name] = draw.one_of(option.choices);
    else if (option.name == "lanes_per_row") way.options[name] = std::to_string(1 << draw.from(0, 6));
    else way.options[name] = std::to_string(std::clamp<long long>(draw.from(1, 8), option.low, option.high));
  }
  auto const form = way.options.find("syncfree_form");
  way.reproducible = form == way.options.end() || form->second != "csc";
  way.like_substitution = way.reproducible && sums_in_order(infos[which]) && can.any_pattern;
}

inline void RandomSystem::draw_layout(Draw& draw) {
  row_order = draw.one_in(2) ? RowOrder::natural : RowOrder::reversed;
  sum_backward = draw.one_in(4);
  entries_before = draw.one_in(3) ? draw.from(1, 9) : 0;
  columns = draw.one_in(2) ? 1 : draw.from(2, 9);
  updates = draw.one_in(4) ? 2 : 1;
  for (int* const stride : {&row_stride, &x_row_stride}) *stride = draw.one_in(4) ? draw.of<int>({0, 2}) : 1;
  for (int* const spare : {&spare_rows, &x_spare_rows}) *spare = draw.one_in(4) ? draw.from(1, 5) : 0;
  if (draw.one_in(3)) {
    permute_b = draw.one_in(2);
    scale_b = draw.one_in(2);
    out = draw.one_in(2);
    permute_out = out && draw.one_in(2);
    accumulate = out && draw.one_in(2);
  }
  in_place = !permute_b && draw.one_in(4);
  out_is_b = out && !permute_b && !permute_out && !in_place && draw.one_in(2);
}

inline void RandomSystem::draw_values(int round) {
  std::uint64_t const from = seed * 2 + round;
  set_values(problem, from);
  bool const single = way.options.count("sptrsv_storage") > 0;
  if (!wild && !single) return;
  int const n = problem.num_rows();
  for (int i = 0; i < n; ++i)
    for (int k = problem.row_ptr[i]; k < problem.row_ptr[i + 1]; ++k) {
      double& value = problem.values[k];
      if (problem.col_idx[k] == i) continue;
      if (wild) value = random_scalar<double>(from + 1, k);
      if (single) value = static_cast<float>(value);  // the storage represents it exactly
    }
  problem.make_op();
}

inline std::vector<int> RandomSystem::stored_row_ptr() const {
  int const n = problem.num_rows();
  std::vector<int> ptr{entries_before};
  for (int r = 0; r < n; ++r) {
    int const i = row_order == RowOrder::natural ? r : n - 1 - r;
    ptr.push_back(ptr.back() + problem.row_ptr[i + 1] - problem.row_ptr[i]);
  }
  return ptr;
}

template <class V>
std::vector<V> RandomSystem::stored(std::vector<V> const& entries, V junk) const {
  int const n = problem.num_rows();
  std::vector<V> all(entries_before, junk);
  for (int r = 0; r < n; ++r) {
    int const i = row_order == RowOrder::natural ? r : n - 1 - r;
    all.insert(all.end(), entries.begin() + problem.row_ptr[i], entries.begin() + problem.row_ptr[i + 1]);
  }
  return all;
}

inline std::string RandomSystem::text() const {
  using sptrsv::test::text;
  std::ostringstream line;
  line << way.algorithm;
  for (auto const& [name, value] : way.options) line << " " << name << "=" << value;
  line << ": " << structure << ", " << problem.num_rows() << " rows, " << problem.col_idx.size() << " entries, "
       << text(problem.shape.triangle) << " " << text(problem.shape.op) << " " << text(problem.shape.diagonal) << ", "
       << columns << " columns, " << updates << " updates" << (row_order == RowOrder::reversed ? ", rows reversed" : "")
       << (sum_backward ? ", sums backward" : "") << (wild ? ", wild values" : "") << (in_place ? ", in place" : "")
       << ", strides " << row_stride << " and " << x_row_stride << (permute_b ? ", b permuted" : "")
       << (scale_b ? ", b scaled" : "") << (out ? ", second output" : "") << (permute_out ? " permuted" : "")
       << (accumulate ? " added" : "") << (out_is_b ? " to b" : "");
  return line.str();
}

}  // namespace sptrsv::test
