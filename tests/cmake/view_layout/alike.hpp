// SPDX-License-Identifier: Apache-2.0
// Stand-ins for Views, with 8 * SPTRSV_BETWEEN bytes between the members.
#pragma once
#include <cstddef>

#ifndef SPTRSV_BETWEEN
#define SPTRSV_BETWEEN 1
#endif
#ifndef __CUDACC__
#define __host__
#define __device__
#endif

struct Strides {
  std::size_t extent0, stride0, extent1, stride1;
  Strides(std::size_t n, std::size_t s, std::size_t m, std::size_t t)
      : extent0(n), stride0(s), extent1(m), stride1(t) {}
};

template <class T>
struct StandIn {
  T* pointer;
  char between[8 * SPTRSV_BETWEEN] = {};
  std::size_t rows;
  StandIn(T* p, int n) : pointer(p), rows(static_cast<std::size_t>(n)) {}
  __host__ __device__ T* data() const { return pointer; }
  __host__ __device__ std::size_t extent(int) const { return rows; }
};

struct Columns {
  double* pointer;
  Strides shape;
  Columns(double* p, Strides s) : pointer(p), shape(s) {}
  __host__ __device__ double* data() const { return pointer; }
  __host__ __device__ std::size_t extent(int k) const { return k == 0 ? shape.extent0 : shape.extent1; }
  __host__ __device__ std::size_t stride(int k) const { return k == 0 ? shape.stride0 : shape.stride1; }
};

using Vector = StandIn<double>;
using Indices = StandIn<int const>;
