// SPDX-License-Identifier: Apache-2.0
// Execution spaces of this Kokkos, as a list of types for typed tests and by name.
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cctype>
#include <string>
#include <tuple>
#include <vector>

namespace sptrsv::test {

using SerialTuple = std::tuple<
#if defined(KOKKOS_ENABLE_SERIAL) && !(defined(SPTRSV_WITHOUT_SERIAL) && defined(KOKKOS_ENABLE_OPENMP))
    Kokkos::Serial
#endif
    >;
using OtherTuple = decltype(std::tuple_cat(
#if defined(KOKKOS_ENABLE_OPENMP)
    std::declval<std::tuple<Kokkos::OpenMP>>(),
#endif
#if defined(KOKKOS_ENABLE_CUDA)
    std::declval<std::tuple<Kokkos::Cuda>>(),
#endif
    std::declval<std::tuple<>>()));
using SpaceTuple = decltype(std::tuple_cat(std::declval<SerialTuple>(), std::declval<OtherTuple>()));

/// Spaces for which the library is instantiated for float and complex: all but Serial if there is OpenMP.
using FurtherSpaceTuple =
#if defined(KOKKOS_ENABLE_OPENMP)
    OtherTuple;
#else
    SpaceTuple;
#endif

template <class Space, class... Others>
constexpr bool is_among(std::tuple<Others...> const*) {
  return (std::is_same_v<Space, Others> || ...);
}
/// Tells whether the library is instantiated for scalar S on a space.
template <class S, class Space>
inline constexpr bool has_instance =
    std::is_same_v<S, double> || is_among<Space>(static_cast<FurtherSpaceTuple const*>(nullptr));

template <class Tuple>
struct AsTestTypes;
template <class... Space>
struct AsTestTypes<std::tuple<Space...>> {
  using type = ::testing::Types<Space...>;
};
/// List of spaces for TYPED_TEST_SUITE.
using Spaces = AsTestTypes<SpaceTuple>::type;

template <class Space>
std::string space_name() {
  std::string name = Space::name();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

/// Names of the spaces for TYPED_TEST_SUITE.
struct SpaceNames {
  template <class Space>
  static std::string GetName(int) {
    return space_name<Space>();
  }
};

/// Calls f(Space{}) for the enabled space with that name.
template <class F, std::size_t... I>
void with_space_at(std::string const& name, F const& f, std::index_sequence<I...>) {
  auto const attempt = [&](auto* space) {
    using Space = std::remove_pointer_t<decltype(space)>;
    if (space_name<Space>() == name) f(Space{});
  };
  (attempt(static_cast<std::tuple_element_t<I, SpaceTuple>*>(nullptr)), ...);
}
template <class F>
void with_space(std::string const& name, F const& f) {
  with_space_at(name, f, std::make_index_sequence<std::tuple_size_v<SpaceTuple>>());
}

template <class... Space>
std::vector<std::string> names_of(std::tuple<Space...> const*) {
  return {space_name<Space>()...};
}
template <class Tuple = SpaceTuple>
std::vector<std::string> space_names() {
  return names_of(static_cast<Tuple const*>(nullptr));
}

}  // namespace sptrsv::test
