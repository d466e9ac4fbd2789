// SPDX-License-Identifier: Apache-2.0
// Finds the structure of the pattern on the host: one function for each part of the findings.
#pragma once

#include <sptrsv/types.hpp>
#include <sptrsv_support/csr_matrix.hpp>

#include "findings.hpp"

namespace sptrsv::bench {
struct System;
}

namespace sptrsv::tools {

/// Describes the triangle and its diagonal in the given matrix, before entries are added or changed.
Source describe_source(support::CsrMatrix const& matrix, std::string const& name, Shape shape);

/// Returns text such as "lower triangle, transposed".
std::string describe_shape(Shape shape);

/// Adds sizes, levels, row lengths and granularity of op(T).
void add_structure(bench::System const& system, Report& report);

/// Colors the graph of T + T^T.
Colors count_colors(bench::System const& system);

/// Cuts op(T) into tiles of 16 x 16, and selects the format of each.
Tiles count_tiles(bench::System const& system);

/// Returns the parallel granularity, log10(log10(rows per level) / log10(entries per row + 0.01) + 0.01): high for wide
/// levels of short rows; NaN if a logarithm has no value. Source: F. Zhang, J. Su, W. Liu et al., YuenyeungSpTRSV,
/// 2021, equation (1).
double parallel_granularity(double rows_per_level, double entries_per_row);

}  // namespace sptrsv::tools
