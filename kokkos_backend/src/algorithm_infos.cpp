// SPDX-License-Identifier: Apache-2.0
// The list of algorithms as data, derived from the types.
#include "sptrsv/planner/algorithm_list.hpp"
#include "sptrsv/planner/algorithm_names.hpp"
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

/// Types for which names and options are read; they are the same for all types.
using AnyTypes = Types<double, int, int, Kokkos::DefaultHostExecutionSpace>;

template <class... A>
void check_names_of(TypeList<A...>, std::string const& name, OptionValues const& options) {
  std::string known;
  ((known += std::string(A::name) + ", "), ...);
  known += "sptrsv";
  if (name != "sptrsv" && !((name == A::name) || ...)) throw UnknownAlgorithm(name, known);
  std::size_t matched = 0;
  auto const check = [&](std::string const& algorithm, auto make) {
    auto const own = detail::options_of(algorithm, options);
    matched += own.size();
    make(own, algorithm + "_");
  };
  (check(std::string(A::name),
         [](OptionValues const& own, std::string const& prefix) { make_options<typename A::Options>(own, prefix); }),
   ...);
  check("sptrsv", [](OptionValues const& own, std::string const& prefix) { make_options<PlanOptions>(own, prefix); });
  if (matched == options.size()) return;
  for (auto const& [key, value] : options)
    if (!((key.compare(0, A::name.size() + 1, std::string(A::name) + "_") == 0) || ...) &&
        key.compare(0, 7, "sptrsv_") != 0)
      throw InvalidOption("unknown option " + key + "; options start with an algorithm's name: " + known);
}

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
  static AlgorithmInfo const info{"sptrsv",
                                  "chooses one of the others, by the structure or by timing them",
                                  {true, true, true, true},
                                  "",
                                  describe_options<PlanOptions>(),
                                  {}};
  return info;
}

std::vector<OptionInfo> const& common_options() {
  static std::vector<OptionInfo> const options = describe_options<CommonOptions>();
  return options;
}

namespace detail {

OptionValues options_of(std::string const& algorithm, OptionValues const& all) {
  OptionValues out;
  for (auto const& [key, value] : all)
    if (key.compare(0, algorithm.size() + 1, algorithm + "_") == 0) out[key.substr(algorithm.size() + 1)] = value;
  return out;
}

void check_names(std::string const& name, OptionValues const& options) {
  check_names_of(Algorithms<AnyTypes>{}, name, options);
}

}  // namespace detail

char const* version() { return SPTRSV_VERSION; }

}  // namespace sptrsv
