// SPDX-License-Identifier: Apache-2.0
// Implements LocalCopy on one execution space.
#include "subdomains/local_copy.hpp"

#include <optional>
#include <type_traits>

#include "solver/matrix_pattern.hpp"
#include "sptrsv/types.hpp"

namespace sptrsv_petsc {
namespace {

template <class Exec, class Indices, class Values>
void CopyValues(Exec const& exec, Indices sources, Indices targets, Values from, Scalar* to)
{
  bool const in_order = targets.extent(0) == 0;
  Kokkos::parallel_for(
      "sptrsv::petsc::copy_values", Kokkos::RangePolicy<Exec, Kokkos::IndexType<PetscInt>>(exec, 0, sources.extent(0)),
      KOKKOS_LAMBDA(PetscInt k) { to[in_order ? k : targets(k)] = from(sources(k)); });
}

template <class Exec>
class CopyOnSpace final : public LocalCopy {
 public:
  using Memory = typename Exec::memory_space;
  using T = sptrsv::Types<Scalar, PetscInt, PetscInt, Exec>;

  CopyOnSpace(std::vector<PetscInt> const& sources, std::vector<PetscInt> const& targets)
      : state_(State{Copied(sources), Copied(targets), {}})
  {
  }
  void release() override { state_.reset(); }
  void run(Stream stream, MatrixValues const& from, Scalar* to) override
  {
    if (!state_) throw sptrsv::NotReady("Kokkos has ended, and the copy of submatrices' values with it");
    Exec exec;
    if constexpr (!std::is_same_v<Memory, Kokkos::HostSpace>) exec = instance_on(stream);
    CopyValues(exec, state_->sources, state_->targets, ValuesOfMatrix<T>(exec, state_->staging, from), to);
    if constexpr (std::is_same_v<Memory, Kokkos::HostSpace>) exec.fence("sptrsv::petsc: the values are copied");
  }

 private:
  using Indices = Kokkos::View<PetscInt*, Kokkos::Device<Exec, Memory>>;
  struct State {
    Indices sources, targets;
    sptrsv::StagedValues<Scalar, Exec> staging;
  };

  static Indices Copied(std::vector<PetscInt> const& numbers)
  {
    Indices const own(Kokkos::view_alloc("sptrsv::petsc::value_numbers", Kokkos::WithoutInitializing), numbers.size());
    Kokkos::deep_copy(own, Kokkos::View<PetscInt const*, Kokkos::HostSpace>(numbers.data(), numbers.size()));
    return own;
  }

  std::optional<State> state_;
};

}  // namespace

std::unique_ptr<LocalCopy> MakeLocalCopy(bool device, std::vector<PetscInt> const& sources,
                                         std::vector<PetscInt> const& targets)
{
  if (device) return std::make_unique<CopyOnSpace<DeviceExec>>(sources, targets);
  return std::make_unique<CopyOnSpace<Kokkos::DefaultHostExecutionSpace>>(sources, targets);
}

}  // namespace sptrsv_petsc
