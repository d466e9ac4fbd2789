// SPDX-License-Identifier: Apache-2.0
// The list of algorithms as data, read off the types.
#include "sptrsv/planner/algorithm_list.hpp"
#include "sptrsv/planner/planner.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv {
namespace {

template <class A, class = void>
struct OrderingOf {
  static constexpr std::string_view value = "";
};
template <class A>
struct OrderingOf<A, std::void_t<decltype(A::ordering)>> {
  static constexpr std::string_view value = A::ordering;
};

template <class... A>
std::vector<AlgorithmInfo> infos_of(TypeList<A...>) {
  return {AlgorithmInfo{std::string(A::name), A::summary, A::capabilities, std::string(OrderingOf<A>::value),
                        describe_options<typename A::Options>(), renamed_options<typename A::Options>()}...};
}

}  // namespace

std::vector<AlgorithmInfo> const& algorithm_infos() {
  static std::vector<AlgorithmInfo> const infos =
      infos_of(Algorithms<Types<double, int, int, Kokkos::DefaultHostExecutionSpace>>{});
  return infos;
}

AlgorithmInfo const& planner_info() {
  static AlgorithmInfo const info{"sptrsv",
                                  "chooses one of the others, by the structure or by timing them",
                                  {true, true, true},
                                  "",
                                  describe_options<PlanOptions>(),
                                  {}};
  return info;
}

char const* version() { return SPTRSV_VERSION; }

}  // namespace sptrsv
