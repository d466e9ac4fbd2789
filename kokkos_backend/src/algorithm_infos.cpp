// SPDX-License-Identifier: Apache-2.0
// The list of algorithms as data, derived from the types.
#include "sptrsv/planner/algorithm_list.hpp"
#include "sptrsv/planner/planner.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv {
namespace {

template <class... A>
std::vector<AlgorithmInfo> infos_of(TypeList<A...>) {
  return {AlgorithmInfo{describe_options<typename A::Options>(), std::string(A::name), A::summary, A::capabilities,
                        std::string(A::ordering)}...};
}

/// Type pack of which names and options are read; those of all other type packs are the same.
using AnyTypes = Types<double, int, int, Kokkos::DefaultHostExecutionSpace>;

}  // namespace

std::vector<AlgorithmInfo> const& algorithm_infos() {
  static std::vector<AlgorithmInfo> const infos = infos_of(Algorithms<AnyTypes>{});
  return infos;
}

AlgorithmInfo const* find_algorithm(std::string const& name) {
  for (auto const& info : algorithm_infos())
    if (info.name == name) return &info;
  return nullptr;
}

AlgorithmInfo const& planner_info() {
  static AlgorithmInfo const info{describe_options<PlanOptions>(),
                                  "sptrsv",
                                  "chooses one of the others, by the structure or by timing them",
                                  {true, true, true, true},
                                  ""};
  return info;
}

std::vector<OptionInfo> const& common_options() {
  static std::vector<OptionInfo> const options = describe_options<CommonOptions>().options;
  return options;
}

namespace detail {

void require_algorithm(std::string const& name) {
  if (name == planner_info().name || find_algorithm(name)) return;
  std::string known;
  for (auto const& info : algorithm_infos()) known += info.name + ", ";
  throw UnknownAlgorithm(name, known + planner_info().name);
}

}  // namespace detail

char const* version() { return SPTRSV_VERSION; }

}  // namespace sptrsv
