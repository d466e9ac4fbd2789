// SPDX-License-Identifier: Apache-2.0
// List of families, parser of specs, and the values of the matrices.
#include "sptrsv_support/generators.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "families.hpp"
#include "random.hpp"

namespace sptrsv::support {
namespace {

using detail::Arguments;

/// Parsed spec.
struct Spec {
  const Family* family = nullptr;
  Arguments arguments;
  bool nonsymmetric = false;
  bool complete = false;  ///< with the fill of complete factors
  std::string ordering;   ///< empty: natural

  /// Returns the diagonal that all rows have, or 0: from the row sums.
  double fixed_diagonal() const { return nonsymmetric || complete ? 0 : family->diagonal; }
};

[[noreturn]] void fail(const std::string& spec, const std::string& what) {
  throw SpecError("'" + spec + "': " + what + "; the families are\n" + families_help());
}

void parse_keyword(const std::string& spec, std::string_view word, Spec& parsed) {
  if (word == "nonsym") {
    parsed.nonsymmetric = true;
  } else if (word == "lu") {
    parsed.complete = true;
  } else if (word == "random" || word == "rcm" || word == "color" || word == "nd") {
    if (!parsed.ordering.empty()) fail(spec, "more than one ordering");
    parsed.ordering = word;
  } else {
    fail(spec, "'" + std::string(word) + "' is neither an integer nor a keyword");
  }
}

void parse_parameter(const std::string& spec, std::string_view word, Spec& parsed) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = end == word.data() + word.size();
  if (whole && error == std::errc()) return parsed.arguments.push_back(value);
  if (whole && error == std::errc::result_out_of_range) fail(spec, "'" + std::string(word) + "' is out of range");
  parse_keyword(spec, word, parsed);
}

void check_arguments(const std::string& spec, const Spec& parsed) {
  const auto& parameters = parsed.family->parameters;
  if (parsed.arguments.size() != parameters.size()) {
    fail(spec, parsed.family->name + " takes " + std::to_string(parameters.size()) + " integer parameters, not " +
                   std::to_string(parsed.arguments.size()));
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const std::int64_t value = parsed.arguments[k];
    if (value < parameters[k].lowest || value > parameters[k].highest) {
      fail(spec, parameters[k].name + " = " + std::to_string(value) + " is not between " +
                     std::to_string(parameters[k].lowest) + " and " + std::to_string(parameters[k].highest));
    }
  }
}

LowerPattern make_pattern(const std::string& spec, const Spec& parsed) {
  try {
    LowerPattern pattern = parsed.family->make(parsed.arguments);
    if (!parsed.ordering.empty()) pattern = detail::renumber(pattern, detail::ordering(pattern, parsed.ordering));
    return parsed.complete ? detail::complete_factor(pattern) : pattern;
  } catch (const std::invalid_argument& error) {
    fail(spec, error.what());
  }
}

Spec parse(const std::string& spec) {
  Spec parsed;
  const std::size_t colon = spec.find(':');
  const std::string name = spec.substr(0, colon);
  for (const Family& family : families())
    if (family.name == name) parsed.family = &family;
  if (parsed.family == nullptr) fail(spec, "there is no family '" + name + "'");
  for (std::size_t begin = colon; begin != std::string::npos;) {
    const std::size_t end = spec.find(',', begin + 1);
    parse_parameter(spec, std::string_view(spec).substr(begin + 1, end == std::string::npos ? end : end - begin - 1),
                    parsed);
    begin = end;
  }
  check_arguments(spec, parsed);
  return parsed;
}

/// Returns the full pattern, strictly lower part, diagonal and transpose; its rows are sorted.
CsrMatrix full_pattern(const LowerPattern& lower) {
  CsrMatrix a;
  const std::int64_t n = lower.num_rows;
  a.num_rows = a.num_cols = n;
  a.row_ptr.assign(n + 1, 0);
  for (std::int64_t i = 0; i < n; ++i) a.row_ptr[i + 1] += lower.row_ptr[i + 1] - lower.row_ptr[i] + 1;
  for (std::int64_t j : lower.col_idx) ++a.row_ptr[j + 1];
  for (std::int64_t i = 0; i < n; ++i) a.row_ptr[i + 1] += a.row_ptr[i];
  a.col_idx.resize(a.num_entries());
  a.values.resize(a.num_entries());
  std::vector<std::int64_t> next(a.row_ptr.begin(), a.row_ptr.end() - 1);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = lower.row_ptr[i]; k < lower.row_ptr[i + 1]; ++k) {
      const std::int64_t j = lower.col_idx[k];
      a.col_idx[next[i]++] = j;
      a.col_idx[next[j]++] = i;  // row j < i already has its own lower entries and its diagonal
    }
    a.col_idx[next[i]++] = i;
  }
  return a;
}

/// Returns an off-diagonal value: -1 in families with a fixed diagonal, otherwise between -1.5 and -0.5 by a hash of
/// the position.
double off_diagonal(std::int64_t i, std::int64_t j, const Spec& spec) {
  if (spec.fixed_diagonal() != 0) return -1;
  if (!spec.nonsymmetric && i < j) std::swap(i, j);
  const auto position = static_cast<std::uint64_t>(i) << 32 ^ static_cast<std::uint64_t>(j);
  return -0.5 - detail::to_unit(detail::mix(position));
}

void fill_values(CsrMatrix& a, const Spec& spec) {
  for (std::int64_t i = 0; i < a.num_rows; ++i) {
    double row_sum = 0;
    std::int64_t diagonal = -1;
    for (std::int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (a.col_idx[k] == i) {
        diagonal = k;
      } else {
        a.values[k] = off_diagonal(i, a.col_idx[k], spec);
        row_sum -= a.values[k];
      }
    }
    a.values[diagonal] = spec.fixed_diagonal() != 0 ? spec.fixed_diagonal() : 0.1 + 1.01 * row_sum;
  }
}

}  // namespace

const std::vector<Family>& families() {
  constexpr std::int64_t large = std::int64_t{1} << 28;
  const auto size = [](std::int64_t lowest) { return Parameter{"n", lowest, large}; };
  static const std::vector<Family> list = {
      {"lap2d", {{"side", 1, 16384}}, "5-point Laplacian on a square grid, natural order", 4, detail::lap2d},
      {"lap3d", {{"side", 1, 640}}, "7-point Laplacian on a cube", 6, detail::lap3d},
      {"stencil27", {{"side", 1, 400}}, "27-point stencil on a cube", 26, detail::stencil27},
      {"fem2d", {{"side", 1, 8192}}, "9-point stencil on a square, 2 coupled unknowns a node", 0, detail::fem2d},
      {"fem3", {{"side", 1, 200}}, "27-point stencil on a cube, 3 coupled unknowns a node", 0, detail::fem3},
      {"chain", {size(1)}, "tridiagonal: every row waits for the one before", 0, detail::chain},
      {"diagonal", {size(0)}, "diagonal only: no row waits", 0, detail::diagonal},
      {"dense", {{"n", 1, 46340}}, "every entry", 0, detail::dense},
      {"blocks", {{"blocks", 1, 1 << 24}, {"size", 1, 4096}}, "dense blocks along the diagonal", 0, detail::blocks},
      {"arrow_down", {size(1)}, "diagonal, dense last row and column", 0, detail::arrow_down},
      {"arrow_up", {size(1)}, "diagonal, dense first row and column", 0, detail::arrow_up},
      {"rmat",
       {{"scale", 1, 28}, {"edges_per_vertex", 1, 1024}},
       "Graph500 R-MAT, 2^scale rows, labels scrambled",
       0,
       detail::rmat},
      {"road", {{"side", 1, 16384}}, "square grid without 60 % of its edges, renumbered locally", 0, detail::road},
      {"band",
       {size(1), {"entries_per_row", 1, 65536}, {"half_width", 1, large}},
       "random entries near the diagonal",
       0,
       detail::band},
      {"kkt2", {size(2)}, "two levels: diagonal half, half with 13 entries a row into it", 0, detail::kkt2},
      {"powerlaw", {size(1)}, "2 or 3 entries a row, one row of 4,000 has thousands", 0, detail::powerlaw},
  };
  return list;
}

std::string families_help() {
  std::string text;
  for (const Family& family : families()) {
    std::string usage = family.name;
    for (const Parameter& p : family.parameters) usage += (&p == &family.parameters.front() ? ":" : ",") + p.name;
    usage.resize(std::max<std::size_t>(usage.size() + 2, 40), ' ');
    text += "  " + usage + family.help + "\n";
  }
  return text +
         "  keywords: nonsym (unsymmetric values); random, rcm, color or nd (ordering), as in lap2d:1000,rcm; lu (with "
         "the fill of complete factors)\n";
}

CsrMatrix generate(const std::string& spec) {
  const Spec parsed = parse(spec);
  CsrMatrix a = full_pattern(make_pattern(spec, parsed));
  fill_values(a, parsed);
  return a;
}

}  // namespace sptrsv::support
