// SPDX-License-Identifier: Apache-2.0
// Implements LocalCopy on one execution space.
#include "subdomains/local_copy.hpp"

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
struct CopyState {
  Kokkos::View<PetscInt*, Kokkos::Device<Exec, typename Exec::memory_space>> sources, targets;
  sptrsv::StagedValues<Scalar, Exec> staging;
};

template <class Exec>
class CopyOnSpace final : public OnSpace<LocalCopy, Exec, CopyState<Exec>> {
 public:
  using Base = OnSpace<LocalCopy, Exec, CopyState<Exec>>;
  using T = sptrsv::Types<Scalar, PetscInt, PetscInt, Exec>;

  CopyOnSpace(Stream stream, std::vector<PetscInt> const& sources, std::vector<PetscInt> const& targets) : Base(stream)
  {
    this->set_state({this->copied(sources.data(), sources.size()), this->copied(targets.data(), targets.size()), {}});
  }
  void run(MatrixValues const& from, Scalar* to) override
  {
    auto& s = this->state();
    CopyValues(this->exec(), s.sources, s.targets, ValuesOfMatrix<T>(this->exec(), s.staging, from), to);
    if constexpr (Base::host) this->exec().fence("sptrsv::petsc: the values are copied");
  }
};

}  // namespace

std::unique_ptr<LocalCopy> MakeLocalCopy(bool device, Stream stream, std::vector<PetscInt> const& sources,
                                         std::vector<PetscInt> const& targets)
{
  if (device) return std::make_unique<CopyOnSpace<DeviceExec>>(stream, sources, targets);
  return std::make_unique<CopyOnSpace<Kokkos::DefaultHostExecutionSpace>>(stream, sources, targets);
}

}  // namespace sptrsv_petsc
