// SPDX-License-Identifier: Apache-2.0
// What the pattern says, found on the host: one function for each part of the findings.
#pragma once

#include <sptrsv/types.hpp>
#include <sptrsv_support/csr_matrix.hpp>

#include "findings.hpp"

namespace sptrsv::bench {
struct System;
}

namespace sptrsv::tools {

/// What the given matrix has on T's diagonal and in T, before anything is put in or changed.
Source describe_source(support::CsrMatrix const& matrix, std::string const& name, Shape shape);

/// "lower triangle, transposed"
std::string describe_shape(Shape shape);

/// Sizes, levels, row lengths, granularity and density of op(T).
void add_structure(bench::System const& system, Report& report);

/// Colors the graph of T + T^T.
Colors count_colors(bench::System const& system);

/// Cuts op(T) into tiles of 16 x 16, and gives each the format that suits it.
Tiles count_tiles(bench::System const& system);

/// How much finer than a warp the work is that a level offers: log(log(rows per level) / log(entries per row + 0.01) +
/// 0.01), all logarithms common ones. Not a number where a logarithm has no value. Source: F. Zhang, J. Su, W. Liu et
/// al., YuenyeungSpTRSV, 2021, equation (1).
double parallel_granularity(double rows_per_level, double entries_per_row);

}  // namespace sptrsv::tools
