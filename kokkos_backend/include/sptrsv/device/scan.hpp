// SPDX-License-Identifier: Apache-2.0
// Exclusive prefix sums.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "sptrsv/device/cuda_error.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/device/workspace.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>
#endif

namespace sptrsv::detail {

/// Term of position p in a scan: of(p), or 0 for p >= n.
template <class Sum, class Index, class Of>
struct Added {
  Of of;
  Index n;
  KOKKOS_FORCEINLINE_FUNCTION Sum operator()(Index p) const { return p < n ? static_cast<Sum>(of(p)) : Sum(0); }
};

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
template <class T, class Sum, class Of>
void scan_before_by_cub(char const* label, typename T::exec_space const& exec, Workspace<T>& work, typename T::index n,
                        Kokkos::View<Sum*, typename T::device> const& begin, Of const& of) {
  using index = typename T::index;
  auto const added = thrust::make_transform_iterator(thrust::counting_iterator<index>(0), Added<Sum, index, Of>{of, n});
  index const positions = n + 1;
  std::size_t bytes = 0;
  check_cuda(cub::DeviceScan::ExclusiveSum(nullptr, bytes, added, begin.data(), positions, exec.cuda_stream()), label);
  typename Workspace<T>::Scope const scope(work);
  auto const memory = work.template take<char>(bytes);
  check_cuda(cub::DeviceScan::ExclusiveSum(memory.data(), bytes, added, begin.data(), positions, exec.cuda_stream()),
             label);
}
#endif

/// Sets begin(p) to the sum of of(q) over q < p, for p = 0 to n. Does not fence. With CUDA, CUB scans in one pass: 12
/// microseconds for a million positions on an NVIDIA H200, where Kokkos' scan calls `of` twice and takes 60 to 100.
/// @param begin  out, n + 1
template <class T, class Sum, class Of>
void scan_before(char const* label, typename T::exec_space const& exec, [[maybe_unused]] Workspace<T>& work,
                 typename T::index n, Kokkos::View<Sum*, typename T::device> const& begin, Of const& of) {
  using index = typename T::index;
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
  if constexpr (std::is_same_v<typename T::exec_space, Kokkos::Cuda>)
    if (static_cast<long long>(n) < std::numeric_limits<int>::max()) {  // older versions of CUB count in int
      scan_before_by_cub<T, Sum>(label, exec, work, n, begin, of);
      return;
    }
#endif
  Added<Sum, index, Of> const added{of, n};
  Kokkos::parallel_scan(
      label, row_range<T>(exec, n + 1), KOKKOS_LAMBDA(index p, Sum & sum, bool final) {
        if (final) begin(p) = sum;
        sum += added(p);
      });
}

/// Sets begin(p) to the sum of of(q) over q < p, for p = 0 to n.
/// @return the total. Fences.
template <class T, class Sum, class Of>
Sum sum_before(char const* label, typename T::exec_space const& exec, Workspace<T>& work, typename T::index n,
               Kokkos::View<Sum*, typename T::device> const& begin, Of const& of) {
  scan_before<T, Sum>(label, exec, work, n, begin, of);
  Sum all = 0;
  Kokkos::deep_copy(exec, all, Kokkos::subview(begin, n));
  exec.fence("sptrsv::scan: the sum of all is needed on the host");
  return all;
}

}  // namespace sptrsv::detail
