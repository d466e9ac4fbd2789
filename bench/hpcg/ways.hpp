// SPDX-License-Identifier: Apache-2.0
// Ways to perform HPCG's sweeps, by name.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <sptrsv/solver.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "smoother.hpp"

namespace sptrsv::bench::hpcg {

/// Way to sweep, before anything is made.
template <class Space>
struct Way {
  std::string name;
  Order order = Order::natural;
  bool peer = false;    ///< a wrong answer is reported, but does not fail the program
  std::string refusal;  ///< why it cannot run; empty if it can
  std::function<std::unique_ptr<Smoother<Space>>(Space const&, Level<Space> const&)> make;
};

/// Returns the names of all ways that are run if none is named.
inline std::vector<std::string> default_ways() {
  std::vector<std::string> out{"cusparse", "sptrsv"};
  for (auto const& info : algorithm_infos())
    if (info.capabilities.exact) out.push_back(info.name);
  out.push_back("colored");
  out.push_back("blockcolored");
  return out;
}

template <class Space>
Way<Space> cusparse_way([[maybe_unused]] Libraries<Space> const& libraries) {
  Way<Space> way;
  way.name = "cusparse";
  way.peer = true;
#if defined(SPTRSV_BENCH_CUSPARSE)
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>)
    way.make = [libraries](Space const& exec, Level<Space> const& level) {
      return std::make_unique<CusparseSmoother>(libraries, exec, level);
    };
  else way.refusal = "for the space cuda alone";
#else
  way.refusal = "NOT BUILT: no CUDA, or CMake found no cuSPARSE";
#endif
  return way;
}

/// Returns the way with a name: cusparse, a type, or colored or blockcolored, to which a colon may add a type.
/// @throws std::runtime_error for an unknown name
template <class Space>
Way<Space> make_way(std::string const& name, Libraries<Space> const& libraries, OptionValues const& options) {
  if (name == "cusparse") return cusparse_way<Space>(libraries);
  Way<Space> way;
  way.name = name;
  auto const colon = name.find(':');
  std::string const head = name.substr(0, colon);
  if (head == "colored") way.order = Order::color;
  if (head == "blockcolored") way.order = Order::block_color;
  bool const in_colors = way.order != Order::natural;
  std::string const type = !in_colors ? name : colon == std::string::npos ? "sptrsv" : name.substr(colon + 1);
  if (type != "sptrsv" && !find_algorithm(type)) {
    std::string known;
    for (auto const& other : default_ways()) known += (known.empty() ? "" : ", ") + other;
    throw std::runtime_error("there is no " + name + "; known are " + known +
                             ", and colored or blockcolored with a type, such as colored:levelset");
  }
  way.make = [type, options](Space const& exec, Level<Space> const& level) {
    return std::make_unique<SweepsSmoother<Space>>(type, options, exec, level);
  };
  return way;
}

}  // namespace sptrsv::bench::hpcg
