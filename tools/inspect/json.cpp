// SPDX-License-Identifier: Apache-2.0
// Collects the findings as JSON, section by section.
#include "json.hpp"

namespace sptrsv::tools {
namespace {

using bench::Json;

Json row_lengths(Report const& r) {
  Json rows = Json::array();
  for (std::size_t length = 0; length < r.length_rows.size(); ++length)
    if (r.length_rows[length] > 0) rows.push_back(Json::array({length, r.length_rows[length]}));
  return {{"longest", r.structure.longest_row}, {"mean", r.structure.mean_row}, {"rows_of_length", rows}};
}

Json tiles(Tiles const& t) {
  Json formats = Json::array();
  for (auto const& f : t.formats) formats.push_back({{"name", f.name}, {"tiles", f.tiles}, {"entries", f.entries}});
  return {{"side", t.side}, {"count", t.count}, {"formats", formats}};
}

Json result(bench::Result const& r, double predicted) {
  Json json = {{"name", r.algorithm}, {"refusal", r.refusal}, {"error", r.error}, {"predicted_solve", predicted}};
  if (r.error.empty() && r.refusal.empty())
    json.update(
        {{"used", r.used}, {"reason", r.reason}, {"parameters", r.parameters}, {"memory_bytes", r.memory_bytes}});
  if (r.timed) json.update({{"analyze", r.analyze}, {"update", r.update}, {"solve", r.solve}});
  return json;
}

}  // namespace

Json json_of(Report const& r) {
  Json json = {{"matrix", r.source.name},
               {"shape", r.source.shape},
               {"matrix_entries", r.source.matrix_entries},
               {"missing_diagonals", r.source.missing_diagonals},
               {"zero_diagonals", r.source.zero_diagonals},
               {"not_finite", r.source.not_finite},
               {"rows", r.structure.rows},
               {"entries", r.structure.entries},
               {"bandwidth", r.bandwidth},
               {"matrix_bytes", r.matrix_bytes},
               {"parallel_granularity", r.granularity},
               {"levels",
                {{"count", r.structure.levels},
                 {"least_rows", r.structure.narrowest_level},
                 {"most_rows", r.structure.widest_level},
                 {"mean_rows", r.structure.mean_level},
                 {"rows", r.level_rows}}},
               {"row_lengths", row_lengths(r)},
               {"colors", nullptr},
               {"tiles", nullptr},
               {"library", r.place.version},
               {"kokkos", r.place.kokkos},
               {"space", r.place.space},
               {"device", r.place.device},
               {"threads", r.place.threads},
               {"columns", r.columns},
               {"algorithms", Json::array()},
               {"planner", result(r.planned, std::nan(""))}};
  if (r.colors)
    json["colors"] = {{"method", r.colors->method}, {"count", r.colors->rows.size()}, {"rows", r.colors->rows}};
  if (r.tiles) json["tiles"] = tiles(*r.tiles);
  for (auto const& a : r.algorithms) json["algorithms"].push_back(result(a.result, a.predicted));
  return json;
}

}  // namespace sptrsv::tools
