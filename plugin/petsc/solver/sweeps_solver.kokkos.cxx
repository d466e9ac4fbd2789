// SPDX-License-Identifier: Apache-2.0
// Implements AnySweeps with the backend's Sweeps on one execution space.
#include "solver/any_sweeps.hpp"

namespace sptrsv_petsc {
namespace {

template <class Exec>
struct SweepsState {
  sptrsv::Sweeps<Scalar, PetscInt, PetscInt, Exec> sweeps;  // holds the order
  sptrsv::StagedValues<Scalar, Exec> staging;               // for values of A in host memory
  std::size_t order_size;
};

template <class Exec>
class SweepsSolver final : public OnSpace<AnySweeps, Exec, SweepsState<Exec>> {
 public:
  using Base = OnSpace<AnySweeps, Exec, SweepsState<Exec>>;
  using Sweeps = sptrsv::Sweeps<Scalar, PetscInt, PetscInt, Exec>;
  using T = typename Sweeps::types;

  SweepsSolver(Stream stream, std::string const& algorithm, MatrixArrays const& matrix, SweptRowArrays const& rows,
               sptrsv::Options const& options)
      : Base(stream)
  {
    auto const n = static_cast<std::size_t>(matrix.n);
    auto const order = this->copied(rows.order, n), block_first = this->copied(rows.block_first, n);
    this->set_state(
        {Sweeps(algorithm, exec(), PatternOfMatrix<T>(matrix), {order, block_first}, options), {}, order.span()});
  }

  long long update(MatrixValues const& values, sptrsv::Relaxation const& relaxation) override
  {
    auto& s = state();
    return s.sweeps.update(exec(), ValuesOfMatrix<T>(exec(), s.staging, values), relaxation);
  }
  void sweep(sptrsv::Sweep kind, Columns<Scalar const> b, Columns<Scalar> x, bool zero_guess, int times) override
  {
    state().sweeps.sweep(exec(), kind, as_view(b), as_view(x), zero_guess, times);
  }
  void eisenstat(Columns<Scalar const> b, Columns<Scalar> x) override
  {
    state().sweeps.eisenstat(exec(), as_view(b), as_view(x));
  }
  void apply_upper(Columns<Scalar const> b, Columns<Scalar> x) override
  {
    state().sweeps.apply_upper(exec(), as_view(b), as_view(x));
  }
  long long num_passes() const override { return state().sweeps.solver(sptrsv::Triangle::lower).num_passes(); }
  TriangleReport report(sptrsv::Triangle triangle) const override
  {
    auto const& solver = state().sweeps.solver(triangle);
    return {solver.algorithm(), solver.reason(), solver.parameters(), solver.structure(exec()), solver.timings()};
  }
  std::size_t memory_bytes() const override
  {
    auto const& s = state();
    return s.sweeps.memory_bytes() + s.staging.memory_bytes() + s.order_size * sizeof(PetscInt) + this->copy_bytes();
  }

 private:
  using Base::as_view;
  using Base::exec;
  using Base::state;
};

}  // namespace

std::unique_ptr<AnySweeps> MakeSweeps(bool device, Stream stream, std::string const& algorithm,
                                      MatrixArrays const& matrix, SweptRowArrays const& rows,
                                      sptrsv::Options const& options)
{
  using Host = Kokkos::DefaultHostExecutionSpace;
  if (device) return std::make_unique<SweepsSolver<DeviceExec>>(stream, algorithm, matrix, rows, options);
  return std::make_unique<SweepsSolver<Host>>(stream, algorithm, matrix, rows, options);
}

}  // namespace sptrsv_petsc
