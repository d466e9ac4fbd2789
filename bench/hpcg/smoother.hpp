// SPDX-License-Identifier: Apache-2.0
// Symmetric Gauss-Seidel sweeps on one grid: by sptrsv::Sweeps, and by cuSPARSE's triangular solves.
#pragma once

#include <memory>
#include <sptrsv/sweeps.hpp>
#include <string>

#include "product.hpp"

namespace sptrsv::bench::hpcg {

/// One way to sweep over one grid. The constructor is the analysis. The level outlives the smoother.
template <class Space>
class Smoother {
 public:
  virtual ~Smoother() = default;
  /// Takes the level's values.
  virtual void update(Space const& exec) = 0;
  /// Performs one symmetric sweep, a forward and a backward one.
  /// @param zero_guess  starts from x = 0, and ignores the contents of x
  virtual void smooth(Space const& exec, Vector<Space> const& b, Vector<Space> const& x, bool zero_guess) = 0;
  /// Describes the algorithm that was chosen, for people.
  virtual std::string description() const = 0;
};

template <class Space>
class SweepsSmoother final : public Smoother<Space> {
 public:
  SweepsSmoother(std::string const& algorithm, OptionValues const& options, Space const& exec,
                 Level<Space> const& level)
      : level_(level), sweeps_(algorithm, exec, level.pattern(), {}, options) {}
  void update(Space const& exec) override { sweeps_.update(exec, level_.values); }
  void smooth(Space const& exec, Vector<Space> const& b, Vector<Space> const& x, bool zero_guess) override {
    auto const n = b.extent(0);
    Kokkos::LayoutStride const column(n, 1, 1, n);
    sweeps_.sweep(exec, Sweep::symmetric, typename types::rhs(b.data(), column),
                  typename types::solution(x.data(), column), zero_guess);
  }
  std::string description() const override {
    auto const& solver = sweeps_.solver(Triangle::lower);
    return solver.algorithm() + ", " + solver.parameters() + "; " + solver.reason();
  }

 private:
  using types = Types<double, int, int, Space>;

  Level<Space> const& level_;
  Sweeps<double, int, int, Space> sweeps_;
};

#if defined(SPTRSV_BENCH_CUSPARSE)

/// Solver of one triangle of a matrix by SpSV.
class CusparseTriangle {
 public:
  CusparseTriangle(cusparseHandle_t handle, Level<Kokkos::Cuda> const& level, cusparseFillMode_t fill)
      : handle_(handle), matrix_(level), b_(level.b), x_(level.x) {
    matrix_.take_triangle(fill);
    check(cusparseSpSV_createDescr(&solver_), "cusparseSpSV_createDescr");
    std::size_t bytes = 0;
    check(cusparseSpSV_bufferSize(handle_, op, &one_, matrix_.get(), b_.get(), x_.get(), CUDA_R_64F,
                                  CUSPARSE_SPSV_ALG_DEFAULT, solver_, &bytes),
          "cusparseSpSV_bufferSize");
    buffer_.allocate(bytes);
    check(cusparseSpSV_analysis(handle_, op, &one_, matrix_.get(), b_.get(), x_.get(), CUDA_R_64F,
                                CUSPARSE_SPSV_ALG_DEFAULT, solver_, buffer_.get()),
          "cusparseSpSV_analysis");
  }
  ~CusparseTriangle() { cusparseSpSV_destroyDescr(solver_); }
  CusparseTriangle(CusparseTriangle const&) = delete;
  CusparseTriangle& operator=(CusparseTriangle const&) = delete;

  void update(Level<Kokkos::Cuda> const& level) {
    check(cusparseSpSV_updateMatrix(handle_, solver_, level.values.data(), CUSPARSE_SPSV_UPDATE_GENERAL),
          "cusparseSpSV_updateMatrix");
  }
  void solve(Vector<Kokkos::Cuda> const& b, Vector<Kokkos::Cuda> const& x) {
    b_.set(b);
    x_.set(x);
    check(cusparseSpSV_solve(handle_, op, &one_, matrix_.get(), b_.get(), x_.get(), CUDA_R_64F,
                             CUSPARSE_SPSV_ALG_DEFAULT, solver_),
          "cusparseSpSV_solve");
  }

 private:
  static constexpr cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;

  cusparseHandle_t handle_;
  CusparseMatrix matrix_;
  CusparseVector b_, x_;
  cusparseSpSVDescr_t solver_ = nullptr;
  CudaBuffer buffer_;  ///< needed from analysis to the last solve
  double one_ = 1;
};

/// Copies the diagonal of a level's matrix.
inline void take_diagonal(Kokkos::Cuda const& exec, Level<Kokkos::Cuda> const& level,
                          Vector<Kokkos::Cuda> const& diagonal) {
  auto const row_ptr = level.row_ptr, col_idx = level.col_idx;
  auto const values = level.values;
  Kokkos::parallel_for(
      "hpcg::take_diagonal", all_of(exec, diagonal), KOKKOS_LAMBDA(int i) {
        for (int k = row_ptr(i); k < row_ptr(i + 1); ++k)
          if (col_idx(k) == i) diagonal(i) = values(k);
      });
}

/// Computes z = D z.
inline void scale(Kokkos::Cuda const& exec, Vector<Kokkos::Cuda> const& diagonal, Vector<Kokkos::Cuda> const& z) {
  Kokkos::parallel_for("hpcg::scale", all_of(exec, z), KOKKOS_LAMBDA(int i) { z(i) *= diagonal(i); });
}

/// Sweeps by SpSV: x = (D + U)^-1 D (D + L)^-1 b, for a guess x the same for the residual, and added to x.
class CusparseSmoother final : public Smoother<Kokkos::Cuda> {
 public:
  using Space = Kokkos::Cuda;

  CusparseSmoother(Libraries<Space> const& libraries, Space const& exec, Level<Space> const& level)
      : libraries_(libraries),
        level_(level),
        product_(libraries, exec, level),
        lower_(libraries.cusparse->get(), level, CUSPARSE_FILL_MODE_LOWER),
        upper_(libraries.cusparse->get(), level, CUSPARSE_FILL_MODE_UPPER) {
    for (auto* v : {&diagonal_, &r_, &z_, &dx_}) *v = Vector<Space>("hpcg::cusparse", level.num_rows());
  }
  void update(Space const& exec) override {
    take_diagonal(exec, level_, diagonal_);
    lower_.update(level_);
    upper_.update(level_);
  }
  void smooth(Space const& exec, Vector<Space> const& b, Vector<Space> const& x, bool zero_guess) override {
    if (zero_guess) return solve(exec, b, x);
    combine(exec, 1.0, b, 0.0, r_);
    product_.multiply(exec, -1.0, x, 1.0, r_);
    solve(exec, r_, dx_);
    combine(exec, 1.0, dx_, 1.0, x);
  }
  std::string description() const override { return "version " + std::to_string(libraries_.cusparse->version()); }

 private:
  void solve(Space const& exec, Vector<Space> const& b, Vector<Space> const& x) {
    lower_.solve(b, z_);
    scale(exec, diagonal_, z_);
    upper_.solve(z_, x);
  }

  Libraries<Space> libraries_;
  Level<Space> const& level_;
  Product<Space> product_;
  CusparseTriangle lower_, upper_;
  Vector<Space> diagonal_, r_, z_, dx_;
};

#endif

}  // namespace sptrsv::bench::hpcg
