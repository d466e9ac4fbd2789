// SPDX-License-Identifier: Apache-2.0
// Calls KokkosSparse::sptrsv, whose symbolic phase computes levels on the host.
#include "kokkos_kernels.hpp"

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_sptrsv.hpp>

namespace sptrsv::bench {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, Space, Memory, Memory>;
using Algorithm = KokkosSparse::Experimental::SPTRSVAlgorithm;

class KokkosKernelsSolve final : public Contender<Space> {
 public:
  explicit KokkosKernelsSolve(Algorithm algorithm) : algorithm_(algorithm) {}

  void analyze(Problem<Space> const& p) override {
    handle_ = std::make_unique<Handle>();
    handle_->create_sptrsv_handle(algorithm_, p.num_rows(), p.system.shape.triangle == Triangle::lower);
    if (algorithm_ == Algorithm::SEQLVLSCHD_TP1CHAIN) {
      // one team of `threads` threads solves the levels of at most that number of rows
      int const threads = std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace> ? 1 : 32;
      handle_->get_sptrsv_handle()->reset_chain_threshold(threads);
    }
    KokkosSparse::Experimental::sptrsv_symbolic(p.exec, handle_.get(), p.row_ptr, p.col_idx);
  }
  void forget() override { handle_.reset(); }
  /// Does nothing: the values are an argument of the solve.
  void update(Problem<Space> const&) override {}
  void solve(Problem<Space> const& p) override {
    auto const b = Kokkos::subview(p.b, Kokkos::ALL(), 0);
    auto const x = Kokkos::subview(p.x, Kokkos::ALL(), 0);
    auto exec = p.exec;
    if (algorithm_ == Algorithm::SEQLVLSCHD_RP) Kokkos::deep_copy(exec, x, 0.0);  // the solve adds to x
    KokkosSparse::Experimental::sptrsv_solve(exec, handle_.get(), p.row_ptr, p.col_idx, p.values, b, x);
  }
  std::string parameters() const override {
    return std::to_string(handle_->get_sptrsv_handle()->get_num_levels()) + " levels";
  }

 private:
  Algorithm algorithm_;
  std::unique_ptr<Handle> handle_;
};

}  // namespace

std::unique_ptr<Contender<Space>> make_kokkos_kernels(std::string const& algorithm) {
  if (algorithm == "rp") return std::make_unique<KokkosKernelsSolve>(Algorithm::SEQLVLSCHD_RP);
  if (algorithm == "tp1") return std::make_unique<KokkosKernelsSolve>(Algorithm::SEQLVLSCHD_TP1);
  if (algorithm == "tp1chain") return std::make_unique<KokkosKernelsSolve>(Algorithm::SEQLVLSCHD_TP1CHAIN);
  throw std::invalid_argument("Kokkos Kernels has no algorithm " + algorithm);
}

}  // namespace sptrsv::bench
