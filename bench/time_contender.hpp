// SPDX-License-Identifier: Apache-2.0
// Checks the answer of one contender on one problem, then times its phases separately.
#pragma once

#include <algorithm>
#include <cmath>
#include <sptrsv/solver.hpp>

#include "contender.hpp"
#include "report.hpp"

namespace sptrsv::bench {

/// Tells whether `e` is no error: a type that does not solve all patterns refuses this one.
inline bool may_refuse(std::exception const& e, std::string const& name) {
  auto const* info = find_algorithm(name.substr(0, name.find(':')));
  return dynamic_cast<Unsupported const*>(&e) && info && !info->capabilities.any_pattern;
}

/// Checks the answer of a first solve, then times the phases.
/// @return the result: with `error` instead of times if the answer is wrong or a phase throws, with `refusal` instead
/// if the type refuses the pattern.
template <class Space>
Result time_contender(Entry<Space> const& entry, Limits const& limits, Problem<Space> const& p) try {
  Result r;
  r.algorithm = entry.name;
  r.peer = entry.peer;
  auto const contender = entry.make();
  auto const fence = [&] { p.fence(); };
  auto const forget = [&] { contender->forget(); };
  auto const analyze = [&] { contender->analyze(p); };
  auto const update = [&] { contender->update(p); };
  auto const solve = [&] { contender->solve(p); };
  auto const check = [&] {
    contender->deliver(p);
    if (!contender->exact()) {
      r.deviation = p.deviation();
      if (std::isnan(r.deviation)) r.error = "wrong answer: NaN";
      return r.error.empty();
    }
    r.error = p.find_error(contender->rounding());
    return r.error.empty();
  };
  p.set_values(2);  // the second update has to restore the original values
  double const first_analyze = seconds_of(analyze, fence);
  update();
  p.fence();
  p.set_values(1);
  double const first_update = seconds_of(update, fence);
  p.spoil_x();
  double const first_solve = seconds_of(solve, fence);
  if (!check()) return r;
  p.spoil_x();
  r.solve = measure(limits, first_solve, solve, fence);
  if (first_solve <= limits.cut_short && !check()) return r;
  r.used = contender->used();
  r.parameters = contender->parameters();
  r.reason = contender->reason();
  r.memory_bytes = contender->memory_bytes();
  r.update = measure(limits, first_update, update, fence);
  r.analyze = measure_prepared(limits, first_analyze, forget, analyze, fence);
  r.cut_short = std::max({first_solve, first_update, first_analyze}) > limits.cut_short;
  r.timed = true;
  return r;
} catch (std::exception const& e) {
  Result r;
  r.algorithm = entry.name;
  r.peer = entry.peer;
  (may_refuse(e, entry.name) ? r.refusal : r.error) = e.what();
  return r;
}

}  // namespace sptrsv::bench
