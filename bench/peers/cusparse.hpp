// SPDX-License-Identifier: Apache-2.0
// cuSPARSE's triangular solve by its generic API (SpSV, CSR), if CMake found the library.
#pragma once

#include "../contender.hpp"

#if defined(SPTRSV_BENCH_CUSPARSE)
#include <cuda_runtime_api.h>
#include <cusparse.h>
#endif

namespace sptrsv::bench {

#if defined(SPTRSV_BENCH_CUSPARSE)

/// Contender that solves by SpSV. Analysis includes the query of the buffer's size and its allocation, as for sptrsv.
/// The handle is made once.
class CusparseSpSV final : public Contender<Kokkos::Cuda> {
 public:
  CusparseSpSV() { check(cusparseCreate(&handle_), "cusparseCreate"); }
  ~CusparseSpSV() override {
    forget();
    cusparseDestroy(handle_);
  }
  CusparseSpSV(CusparseSpSV const&) = delete;
  CusparseSpSV& operator=(CusparseSpSV const&) = delete;

  void analyze(Problem<Kokkos::Cuda> const& p) override {
    describe(p);
    std::size_t bytes = 0;
    check(cusparseSpSV_bufferSize(handle_, op_, &alpha_, matrix_, b_, x_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT,
                                  solver_, &bytes),
          "cusparseSpSV_bufferSize");
    // no View, since its data would start 128 bytes into an allocation
    check(cudaMalloc(&buffer_, std::max<std::size_t>(bytes, 1)), "cudaMalloc");
    check(cusparseSpSV_analysis(handle_, op_, &alpha_, matrix_, b_, x_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, solver_,
                                buffer_),
          "cusparseSpSV_analysis");
    bytes_ = bytes;
  }
  void forget() override {
    if (solver_) cusparseSpSV_destroyDescr(solver_);
    if (matrix_) cusparseDestroySpMat(matrix_);
    if (b_) cusparseDestroyDnVec(b_);
    if (x_) cusparseDestroyDnVec(x_);
    cudaFree(buffer_);  // waits for the device; null is allowed
    solver_ = nullptr;
    matrix_ = nullptr;
    b_ = x_ = nullptr;
    buffer_ = nullptr;
  }
  void update(Problem<Kokkos::Cuda> const& p) override {
    check(cusparseSpSV_updateMatrix(handle_, solver_, p.values.data(), CUSPARSE_SPSV_UPDATE_GENERAL),
          "cusparseSpSV_updateMatrix");
  }
  void solve(Problem<Kokkos::Cuda> const&) override {
    check(cusparseSpSV_solve(handle_, op_, &alpha_, matrix_, b_, x_, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, solver_),
          "cusparseSpSV_solve");
  }
  std::string parameters() const override {
    int version = 0;
    cusparseGetVersion(handle_, &version);
    return "version " + std::to_string(version) + ", buffer " + std::to_string(bytes_) + " bytes";
  }

 private:
  static void check(cusparseStatus_t status, char const* call) {
    if (status != CUSPARSE_STATUS_SUCCESS)
      throw std::runtime_error(std::string(call) + ": " + cusparseGetErrorString(status));
  }
  static void check(cudaError_t status, char const* call) {
    if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
  }
  void describe(Problem<Kokkos::Cuda> const& p) {
    auto const shape = p.system.shape;
    cusparseFillMode_t fill = shape.triangle == Triangle::lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
    cusparseDiagType_t diagonal =
        shape.diagonal == Diagonal::unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    op_ = shape.transposed() ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    int const n = p.num_rows();
    check(cusparseSetStream(handle_, p.exec.cuda_stream()), "cusparseSetStream");
    check(cusparseCreateCsr(&matrix_, n, n, p.num_entries(), p.row_ptr.data(), p.col_idx.data(), p.values.data(),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
          "cusparseCreateCsr");
    check(cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
          "cusparseSpMatSetAttribute");
    check(cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
          "cusparseSpMatSetAttribute");
    check(cusparseCreateDnVec(&b_, n, p.b.data(), CUDA_R_64F), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&x_, n, p.x.data(), CUDA_R_64F), "cusparseCreateDnVec");
    check(cusparseSpSV_createDescr(&solver_), "cusparseSpSV_createDescr");
  }

  cusparseHandle_t handle_ = nullptr;
  cusparseOperation_t op_ = CUSPARSE_OPERATION_NON_TRANSPOSE;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t b_ = nullptr, x_ = nullptr;
  cusparseSpSVDescr_t solver_ = nullptr;
  void* buffer_ = nullptr;  ///< needed from analysis to the last solve
  std::size_t bytes_ = 0;
  double alpha_ = 1;
};

#endif

template <class Space>
Entry<Space> cusparse_entry(Shape shape, int columns) {
  Entry<Space> entry{"cusparse", true, "", {}};
  if (shape.diagonal == Diagonal::inverted) entry.refusal = "has no inverted diagonals";
  if (columns != 1) entry.refusal = "SpSV has one right-hand side";
#if defined(SPTRSV_BENCH_CUSPARSE)
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) entry.make = [] { return std::make_unique<CusparseSpSV>(); };
  else entry.refusal = "for the space cuda alone";
#else
  entry.refusal = "NOT BUILT: no CUDA, or CMake found no cuSPARSE";
#endif
  return entry;
}

}  // namespace sptrsv::bench
