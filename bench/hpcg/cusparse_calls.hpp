// SPDX-License-Identifier: Apache-2.0
// Owners of cuSPARSE's objects, if CMake found the library.
#pragma once

#include "level.hpp"

#if defined(SPTRSV_BENCH_CUSPARSE)
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <algorithm>
#include <stdexcept>

namespace sptrsv::bench::hpcg {

inline void check(cusparseStatus_t status, char const* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cusparseGetErrorString(status));
}
inline void check(cudaError_t status, char const* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

class CusparseHandle {
 public:
  explicit CusparseHandle(Kokkos::Cuda const& exec) {
    check(cusparseCreate(&handle_), "cusparseCreate");
    check(cusparseSetStream(handle_, exec.cuda_stream()), "cusparseSetStream");
  }
  ~CusparseHandle() { cusparseDestroy(handle_); }
  CusparseHandle(CusparseHandle const&) = delete;
  CusparseHandle& operator=(CusparseHandle const&) = delete;
  cusparseHandle_t get() const { return handle_; }
  int version() const {
    int number = 0;
    check(cusparseGetVersion(handle_, &number), "cusparseGetVersion");
    return number;
  }

 private:
  cusparseHandle_t handle_ = nullptr;
};

/// Memory by cudaMalloc, unlike a View's aligned to 256 bytes.
class CudaBuffer {
 public:
  CudaBuffer() = default;
  ~CudaBuffer() { cudaFree(data_); }
  CudaBuffer(CudaBuffer const&) = delete;
  CudaBuffer& operator=(CudaBuffer const&) = delete;
  /// Allocates; called once.
  void allocate(std::size_t bytes) { check(cudaMalloc(&data_, std::max<std::size_t>(bytes, 1)), "cudaMalloc"); }
  void* get() const { return data_; }

 private:
  void* data_ = nullptr;
};

class CusparseVector {
 public:
  explicit CusparseVector(Vector<Kokkos::Cuda> const& v) {
    check(cusparseCreateDnVec(&vector_, v.extent_int(0), v.data(), CUDA_R_64F), "cusparseCreateDnVec");
  }
  ~CusparseVector() { cusparseDestroyDnVec(vector_); }
  CusparseVector(CusparseVector const&) = delete;
  CusparseVector& operator=(CusparseVector const&) = delete;
  void set(Vector<Kokkos::Cuda> const& v) const {
    check(cusparseDnVecSetValues(vector_, v.data()), "cusparseDnVecSetValues");
  }
  cusparseDnVecDescr_t get() const { return vector_; }

 private:
  cusparseDnVecDescr_t vector_ = nullptr;
};

/// Matrix of a grid, or a triangle of it.
class CusparseMatrix {
 public:
  explicit CusparseMatrix(Level<Kokkos::Cuda> const& level) {
    check(cusparseCreateCsr(&matrix_, level.num_rows(), level.num_rows(), level.num_entries(), level.row_ptr.data(),
                            level.col_idx.data(), level.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
          "cusparseCreateCsr");
  }
  ~CusparseMatrix() { cusparseDestroySpMat(matrix_); }
  CusparseMatrix(CusparseMatrix const&) = delete;
  CusparseMatrix& operator=(CusparseMatrix const&) = delete;
  /// Makes the matrix stand for one of its triangles, diagonal included.
  void take_triangle(cusparseFillMode_t fill) const {
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    check(cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
          "cusparseSpMatSetAttribute");
    check(cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
          "cusparseSpMatSetAttribute");
  }
  cusparseSpMatDescr_t get() const { return matrix_; }

 private:
  cusparseSpMatDescr_t matrix_ = nullptr;
};

}  // namespace sptrsv::bench::hpcg

#endif
