// SPDX-License-Identifier: Apache-2.0
// Kernels that each read one member of a View: the PTX of each has one load, which shows the member's offset.
#include SPTRSV_VIEWS

extern "C" {
__global__ void sptrsv_vector_data(Vector const* v, double** to) { *to = v->data(); }
__global__ void sptrsv_vector_extent(Vector const* v, std::size_t* to) { *to = v->extent(0); }
__global__ void sptrsv_indices_data(Indices const* v, int const** to) { *to = v->data(); }
__global__ void sptrsv_indices_extent(Indices const* v, std::size_t* to) { *to = v->extent(0); }
__global__ void sptrsv_columns_data(Columns const* v, double** to) { *to = v->data(); }
__global__ void sptrsv_columns_extent(Columns const* v, std::size_t* to) { *to = v->extent(0); }
__global__ void sptrsv_columns_extent1(Columns const* v, std::size_t* to) { *to = v->extent(1); }
__global__ void sptrsv_columns_stride(Columns const* v, std::size_t* to) { *to = v->stride(0); }
__global__ void sptrsv_columns_stride1(Columns const* v, std::size_t* to) { *to = v->stride(1); }

struct BehindVector {
  Vector vector;
  std::size_t behind;
};
struct BehindColumns {
  Columns columns;
  std::size_t behind;
};
__global__ void sptrsv_vector_behind(BehindVector const* v, std::size_t* to) { *to = v->behind; }
__global__ void sptrsv_columns_behind(BehindColumns const* v, std::size_t* to) { *to = v->behind; }
}
