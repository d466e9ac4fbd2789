// SPDX-License-Identifier: Apache-2.0
// Findings about one triangle. A part that was not requested, or does not exist, is empty.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <sptrsv/structure.hpp>

#include "bench/report.hpp"

namespace sptrsv::tools {

/// Contents of the file or the generated matrix, before values are changed for the timing.
struct Source {
  std::string name;
  std::string shape;                ///< such as "lower triangle, transposed"
  long long matrix_entries = 0;     ///< entries of the whole matrix
  long long missing_diagonals = 0;  ///< rows without a diagonal entry
  long long zero_diagonals = 0;     ///< rows with a stored zero on the diagonal
  long long bad_row = -1;           ///< first row with a missing or zero diagonal
  long long not_finite = 0;         ///< entries of the triangle that are not finite
};

/// Coloring of the graph of T + T^T; rows of one color are independent.
struct Colors {
  std::string method;
  std::vector<long long> rows;  ///< rows of each color
};

/// Square tiles of op(T) in solve order.
struct Tiles {
  int side = 0;         ///< rows and columns of a tile
  long long count = 0;  ///< tiles that hold an entry
  struct Format {
    std::string name;
    long long tiles = 0, entries = 0;
  };
  std::vector<Format> formats;
};

/// Space and device of the solvers.
struct Place {
  std::string space, device, version, kokkos;
  int threads = 0;
};

/// Results of one type of the library on this triangle.
struct Algorithm {
  bench::Result result;
  double predicted = std::numeric_limits<double>::quiet_NaN();  ///< seconds of a solve, if there is a model
};

struct Report {
  Source source;
  Structure structure;      ///< structure of op(T)
  long long bandwidth = 0;  ///< largest distance of an entry from the diagonal
  double granularity = std::numeric_limits<double>::quiet_NaN();
  std::vector<long long> level_rows;   ///< rows of each level
  std::vector<long long> length_rows;  ///< number of rows by number of off-diagonal entries, from 0 on
  std::optional<Colors> colors;
  std::optional<Tiles> tiles;
  Place place;
  int columns = 1;  ///< right-hand sides of the timed solves
  bool timed = false;
  double matrix_bytes = 0;            ///< bytes of T's pattern and values
  std::vector<Algorithm> algorithms;  ///< in the order of the library's list
  bench::Result planned;              ///< plan of `sptrsv`: the type that it uses, and why
};

/// Returns the fastest measured type; null if nothing was timed.
inline Algorithm const* fastest(Report const& report) {
  Algorithm const* best = nullptr;
  for (auto const& a : report.algorithms)
    if (a.result.timed && (!best || a.result.solve.median < best->result.solve.median)) best = &a;
  return best;
}

}  // namespace sptrsv::tools
