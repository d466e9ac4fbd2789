// SPDX-License-Identifier: Apache-2.0
// All that is found out about one triangle. A part that was not asked for, or does not exist for it, is left empty.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <sptrsv/structure.hpp>

#include "bench/report.hpp"

namespace sptrsv::tools {

/// What the file or the family holds, before a value is changed for the timing.
struct Source {
  std::string name;
  std::string shape;                ///< "lower triangle, transposed"
  long long matrix_entries = 0;     ///< of the whole matrix
  long long missing_diagonals = 0;  ///< rows without an entry there
  long long zero_diagonals = 0;     ///< rows with a zero stored there
  long long bad_row = -1;           ///< the first of either
  long long not_finite = 0;         ///< entries of the triangle
};

/// How many entries of op(T) lie in each cell of a square grid over it, row by row of the grid.
struct Density {
  int grid = 0;  ///< cells to a side
  std::vector<int> entries;
};

/// A coloring of the graph of T + T^T, whose classes could be solved one after the other.
struct Colors {
  std::string method;
  std::vector<long long> rows;  ///< of each color
};

/// op(T) cut into square tiles, in the order of the solution.
struct Tiles {
  int side = 0;         ///< rows and columns
  long long count = 0;  ///< of tiles that hold an entry
  struct Format {
    std::string name;
    long long tiles = 0, entries = 0;
  };
  std::vector<Format> formats;
};

/// Where the solvers run.
struct Place {
  std::string space, device, version, kokkos;
  int threads = 0;
};

/// One type of the library on this triangle.
struct Algorithm {
  bench::Result result;
  double predicted = std::numeric_limits<double>::quiet_NaN();  ///< seconds of a solve, where a model says
};

struct Report {
  Source source;
  Structure structure;      ///< of op(T)
  long long bandwidth = 0;  ///< greatest distance of an entry from the diagonal
  double granularity = std::numeric_limits<double>::quiet_NaN();
  std::vector<long long> level_rows;   ///< rows of each level
  std::vector<long long> length_rows;  ///< rows with so many off-diagonal entries, from 0 on
  Density density;
  std::optional<Colors> colors;
  std::optional<Tiles> tiles;
  Place place;
  int columns = 1;  ///< right-hand sides of the timed solves
  bool timed = false;
  double matrix_bytes = 0;            ///< of T's pattern and values
  std::vector<Algorithm> algorithms;  ///< as in the list of the library
  bench::Result planned;              ///< the planner `sptrsv`: what it uses, and why
};

/// The fastest in the measurement; null if nothing was timed.
inline Algorithm const* fastest(Report const& report) {
  Algorithm const* best = nullptr;
  for (auto const& a : report.algorithms)
    if (a.result.timed && (!best || a.result.solve.median < best->result.solve.median)) best = &a;
  return best;
}

}  // namespace sptrsv::tools
