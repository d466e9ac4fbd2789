// SPDX-License-Identifier: Apache-2.0
// Products with the matrix: one code for all ways to smooth, cuSPARSE's where it is built.
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>

#include "cusparse_calls.hpp"
#include "level.hpp"

namespace sptrsv::bench::hpcg {

/// Computes y = alpha A x + beta y. With beta = 0 the contents of y are ignored. x and y do not overlap.
template <class Space>
void multiply_by_rows(Space const& exec, Level<Space> const& a, double alpha, Vector<Space> const& x, double beta,
                      Vector<Space> const& y) {
  constexpr bool host = is_host_space<Space>;
  int const rows = host ? 64 : 32, threads = host ? 1 : rows, lanes = host ? 1 : 8;
  int const n = a.num_rows();
  auto const row_ptr = a.row_ptr, col_idx = a.col_idx;
  auto const values = a.values;
  using Policy = Kokkos::TeamPolicy<Space>;
  Kokkos::parallel_for(
      "hpcg::multiply", Policy(exec, (n + rows - 1) / rows, threads, lanes),
      KOKKOS_LAMBDA(typename Policy::member_type const& team) {
        int const first = team.league_rank() * rows, last = first + rows < n ? first + rows : n;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](int i) {
          double sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, row_ptr(i), row_ptr(i + 1)),
              [&](int k, double& mine) { mine += values(k) * x(col_idx(k)); }, sum);
          Kokkos::single(Kokkos::PerThread(team), [&] { y(i) = beta == 0 ? alpha * sum : alpha * sum + beta * y(i); });
        });
      });
}

/// Libraries that all grids share; without cuSPARSE there are none.
template <class Space>
struct Libraries {
  explicit Libraries(Space const&) {}
};

/// Product with the matrix of one grid.
template <class Space>
class Product {
 public:
  Product(Libraries<Space> const&, Space const&, Level<Space> const& level) : level_(level) {}
  /// Computes y = alpha A x + beta y as multiply_by_rows() does.
  void multiply(Space const& exec, double alpha, Vector<Space> const& x, double beta, Vector<Space> const& y) const {
    multiply_by_rows(exec, level_, alpha, x, beta, y);
  }

 private:
  Level<Space> const& level_;
};

#if defined(SPTRSV_BENCH_CUSPARSE)

template <>
struct Libraries<Kokkos::Cuda> {
  std::shared_ptr<CusparseHandle> cusparse;
  explicit Libraries(Kokkos::Cuda const& exec) : cusparse(std::make_shared<CusparseHandle>(exec)) {}
};

/// Product by cusparseSpMV.
template <>
class Product<Kokkos::Cuda> {
 public:
  using Space = Kokkos::Cuda;

  Product(Libraries<Space> const& libraries, Space const&, Level<Space> const& level)
      : libraries_(libraries), matrix_(level), x_(level.x), y_(level.r) {
    double const one = 1;
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_.get(), x_.get(), &one,
                                  y_.get(), CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
          "cusparseSpMV_bufferSize");
    buffer_.allocate(bytes);
  }
  void multiply(Space const&, double alpha, Vector<Space> const& x, double beta, Vector<Space> const& y) const {
    x_.set(x);
    y_.set(y);
    check(cusparseSpMV(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix_.get(), x_.get(), &beta, y_.get(),
                       CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, buffer_.get()),
          "cusparseSpMV");
  }

 private:
  cusparseHandle_t handle() const { return libraries_.cusparse->get(); }

  Libraries<Space> libraries_;
  CusparseMatrix matrix_;
  CusparseVector x_, y_;
  CudaBuffer buffer_;
};

#endif

}  // namespace sptrsv::bench::hpcg
