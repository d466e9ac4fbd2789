// SPDX-License-Identifier: Apache-2.0
// Results of bench_solve as JSON.
#pragma once

#include "json.hpp"
#include "report.hpp"

namespace sptrsv::bench {

inline Json json_of(Group const& g, Result const& r) {
  Json json = {{"matrix", g.matrix},
               {"shape", g.shape},
               {"columns", g.columns},
               {"rows", g.structure.rows},
               {"entries", g.structure.entries},
               {"levels", g.structure.levels},
               {"rows_per_level", g.structure.mean_level},
               {"longest_row", g.structure.longest_row},
               {"bytes", g.bytes},
               {"limit", g.limit()},
               {"features", Json::object()},
               {"candidates", g.plan.candidates},
               {"algorithm", r.algorithm},
               {"peer", r.peer}};
  for (auto const& [name, value] : g.plan.features) json["features"][name] = value;
  if (!r.timed) {
    json.update({{"error", r.error}, {"refusal", r.refusal}});
    return json;
  }
  json.update({{"used", r.used},
               {"parameters", r.parameters},
               {"reason", r.reason},
               {"memory_bytes", r.memory_bytes},
               {"deviation", r.deviation},
               {"analyze", r.analyze},
               {"update", r.update},
               {"solve", r.solve},
               {"cut_short", r.cut_short},
               {"gb_per_s", g.gigabytes_per_second(r)},
               {"analysis_in_solves", r.analyze.median / r.solve.median}});
  if (auto const* base = g.baseline())
    json.update({{"baseline", base->algorithm}, {"pays_off_after", r.pays_off_after(*base)}});
  return json;
}

/// Returns all cases: those with a time in "seconds", the others in "not_timed".
inline Json json_of(Environment const& e, std::vector<Group> const& groups) {
  Json json = {{"library", e.version},
               {"commit", e.commit},
               {"compiler", e.compiler},
               {"kokkos", e.kokkos},
               {"kokkos_configuration", e.configuration},
               {"space", e.space},
               {"device", e.device},
               {"date", e.date},
               {"concurrency", e.concurrency},
               {"seconds", Json::array()},
               {"not_timed", Json::array()}};
  for (auto const& g : groups)
    for (auto const& r : g.results) json[r.timed ? "seconds" : "not_timed"].push_back(json_of(g, r));
  return json;
}

}  // namespace sptrsv::bench
