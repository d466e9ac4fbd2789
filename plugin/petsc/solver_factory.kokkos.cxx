// SPDX-License-Identifier: Apache-2.0
// The one place where a backend becomes an execution space.
#include "factor_solver.hpp"
#include "triangle_solver.hpp"

namespace sptrsv_petsc {
namespace {

template <class Interface, template <class> class Solver, class... Arguments>
std::unique_ptr<Interface> Make(bool device, Arguments const&... arguments)
{
  if (device) return std::make_unique<Solver<DeviceExec>>(arguments...);
  return std::make_unique<Solver<Kokkos::DefaultHostExecutionSpace>>(arguments...);
}

}  // namespace

std::unique_ptr<AnyFactorSolver> MakeFactorSolver(bool device, Stream stream, std::string const& algorithm,
                                                  FactorPattern<PetscInt> const& pattern,
                                                  sptrsv::OptionValues const& options)
{
  return Make<AnyFactorSolver, FactorSolver>(device, stream, algorithm, pattern, options);
}

std::unique_ptr<AnyTriangleSolver> MakeTriangleSolver(bool device, Stream stream, std::string const& algorithm,
                                                      TrianglePattern<PetscInt> const& pattern,
                                                      sptrsv::Triangle triangle, sptrsv::Diagonal diagonal,
                                                      sptrsv::OptionValues const& options)
{
  return Make<AnyTriangleSolver, TriangleSolver>(device, stream, algorithm, pattern, triangle, diagonal, options);
}

}  // namespace sptrsv_petsc
