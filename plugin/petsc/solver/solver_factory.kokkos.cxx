// SPDX-License-Identifier: Apache-2.0
// Makes solvers: turns the choice between host and device into an execution space.
#include "solver/factor_solver.hpp"

namespace sptrsv_petsc {
namespace {

template <class Exec>
std::unique_ptr<AnyFactorSolver> MakeFill(Stream stream, std::string const& algorithm, FillFactor const& what,
                                          sptrsv::Options const& options)
{
  auto made = std::make_unique<FactorSolver<Exec>>(stream, algorithm, what, options);
  if (made->declined()) return nullptr;
  return made;
}

}  // namespace

std::unique_ptr<AnyFactorSolver> MakeFactorSolver(bool device, Stream stream, std::string const& algorithm,
                                                  FactorArrays const& arrays, sptrsv::Options const& options)
{
  if (device) return std::make_unique<FactorSolver<DeviceExec>>(stream, algorithm, arrays, options);
  return std::make_unique<FactorSolver<Kokkos::DefaultHostExecutionSpace>>(stream, algorithm, arrays, options);
}

std::unique_ptr<AnyFactorSolver> MakeFillSolver(bool device, Stream stream, std::string const& algorithm,
                                                FillFactor const& what, sptrsv::Options const& options)
{
  if (device) return MakeFill<DeviceExec>(stream, algorithm, what, options);
  return MakeFill<Kokkos::DefaultHostExecutionSpace>(stream, algorithm, what, options);
}

}  // namespace sptrsv_petsc
