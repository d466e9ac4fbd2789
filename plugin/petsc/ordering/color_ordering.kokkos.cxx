// SPDX-License-Identifier: Apache-2.0
#include "ordering/color_ordering.hpp"

#include "access/matrix_arrays.hpp"
#include "kokkos/device_stream.hpp"
#include "kokkos/guarded.hpp"
#include "kokkos/kokkos_session.hpp"
#include "options/factor_options.hpp"
#include "ordering/matrix_graph.hpp"
#include "sptrsv/ordering/block_coloring.hpp"
#include "sptrsv/ordering/greedy_colors.hpp"

namespace sptrsv_petsc {
namespace {

/// Colors a matrix on the device if its pattern is there, if it has no inodes or nodes, and if the options ask for the
/// serial coloring at distance 1 without balancing.
/// @param node_size  of FindNodes()
/// @param done  out; false: the matrix has to be colored on the host
PetscErrorCode ColorOnDevice(Mat A, sptrsv::ColorOptions const& options, PetscInt node_size,
                             sptrsv::Coloring<PetscInt>& coloring, bool* done)
{
  using T = sptrsv::Types<Scalar, PetscInt, PetscInt, DeviceExec>;
  PetscBool aij, kokkos;
  PetscInt num_inodes = 0;
  Stream stream;
  std::string fallback_reason;
  PatternAccess arrays;

  PetscFunctionBegin;
  *done = false;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  if (!has_device || !aij || node_size > 1 || options.balance || options.distance > 1 ||
      options.algorithm != sptrsv::ColorAlgorithm::serial)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatInodeGetInodeSizes(A, &num_inodes, NULL, NULL));
  if (num_inodes > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJKOKKOS, &kokkos));
  PetscCall(CurrentStream(kokkos, &stream));
  PetscCall(arrays.Get(A, true));
  if (!arrays.on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded(A, [&] {
    typename T::pattern pattern;
    pattern.row_ptr = decltype(pattern.row_ptr)(arrays.row_ptr, static_cast<std::size_t>(arrays.n) + 1);
    pattern.col_idx = decltype(pattern.col_idx)(arrays.col_idx, arrays.num_entries);
    coloring = sptrsv::color_on_device<T>(instance_on(stream), pattern, fallback_reason);
    *done = fallback_reason.empty();
  }));
  if (!fallback_reason.empty()) PetscCall(PetscInfo(A, "Colored on the host: %s\n", fallback_reason.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeOrdering(Mat A, sptrsv::Coloring<PetscInt> const& coloring, PetscInt node_size, IS* rows, IS* cols)
{
  PetscInt const colors = coloring.num_colors();
  PetscInt largest = 0, smallest = colors ? coloring.size(0) : 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < colors; ++c) {
    largest = std::max(largest, coloring.size(c));
    smallest = std::min(smallest, coloring.size(c));
  }
  PetscCall(PetscInfo(A,
                      "%" PetscInt_FMT " colors for a graph of %" PetscInt_FMT " vertices, %" PetscInt_FMT
                      " in the largest color, %" PetscInt_FMT " in the smallest\n",
                      colors, (PetscInt)coloring.color_rows.size(), largest, smallest));
  PetscCall(MakeOrderings(coloring.color_rows, node_size, rows, cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode MatGetOrdering_Color(Mat A, MatOrderingType, IS* rows, IS* cols)
{
  sptrsv::ColorOptions options;
  sptrsv::Coloring<PetscInt> coloring;
  PetscInt node_size;
  bool done;

  PetscFunctionBegin;
  PetscCall(ReadGiven((PetscObject)A, options, color_group));
  PetscCall(EnsureKokkos());
  PetscCall(FindNodes(A, &node_size));
  PetscCall(ColorOnDevice(A, options, node_size, coloring, &done));
  if (!done)
    PetscCall(OrderGraph(A, color_ordering, node_size, [&](auto const& graph) {
      coloring = sptrsv::color_graph<Kokkos::DefaultHostExecutionSpace>(graph, options);
    }));
  PetscCall(MakeOrdering(A, coloring, node_size, rows, cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetOrdering_BlockColor(Mat A, MatOrderingType, IS* rows, IS* cols)
{
  sptrsv::BlockColorOptions<PetscInt> options;
  sptrsv::Coloring<PetscInt> coloring;
  PetscInt node_size;

  PetscFunctionBegin;
  PetscCall(ReadGiven((PetscObject)A, options, block_color_group));
  PetscCall(FindNodes(A, &node_size));
  PetscCall(OrderGraph(A, block_color_ordering, node_size,
                       [&](auto const& graph) { coloring = sptrsv::color_blocks(graph, options); }));
  PetscCall(MakeOrdering(A, coloring, node_size, rows, cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
