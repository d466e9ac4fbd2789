// SPDX-License-Identifier: Apache-2.0
// Writes the findings as JSON, section by section.
#include "json.hpp"

#include <cmath>

#include "bench/json.hpp"

namespace sptrsv::tools {
namespace {

/// Writes commas and names between values; the caller opens and closes brackets in pairs.
class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) { out_.precision(12); }
  Writer& open(char bracket) {
    separate();
    out_ << bracket;
    first_ = true;
    return *this;
  }
  Writer& close(char bracket) {
    out_ << bracket;
    first_ = false;
    return *this;
  }
  Writer& key(char const* name) {
    if (!first_) out_ << ",";
    out_ << "\n\"" << name << "\": ";
    first_ = true;  // no comma before the value
    return *this;
  }
  Writer& value(std::string const& text) { return raw(bench::quoted(text)); }
  Writer& value(char const* text) { return value(std::string(text)); }
  Writer& value(bool b) { return raw(b ? "true" : "false"); }
  Writer& value(double number) { return std::isfinite(number) ? raw(number) : raw("null"); }
  template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
  Writer& value(Integer number) {
    return raw(number);
  }
  Writer& value(bench::Times const& times) { return raw(bench::json_of(times)); }
  template <class Number>
  Writer& value(std::vector<Number> const& numbers) {
    open('[');
    for (auto const n : numbers) value(n);
    return close(']');
  }

 private:
  void separate() {
    if (!first_) out_ << ", ";
    first_ = false;
  }
  template <class Text>
  Writer& raw(Text const& text) {
    separate();
    out_ << text;
    return *this;
  }

  std::ostream& out_;
  bool first_ = true;
};

void write_levels(Writer& w, Report const& r) {
  w.key("levels").open('{');
  w.key("count").value(r.structure.levels);
  w.key("least_rows").value(r.structure.narrowest_level);
  w.key("most_rows").value(r.structure.widest_level);
  w.key("mean_rows").value(r.structure.mean_level);
  w.key("rows").value(r.level_rows).close('}');
}

void write_row_lengths(Writer& w, Report const& r) {
  w.key("row_lengths").open('{');
  w.key("longest").value(r.structure.longest_row);
  w.key("mean").value(r.structure.mean_row);
  w.key("rows_of_length").open('[');
  for (std::size_t length = 0; length < r.length_rows.size(); ++length)
    if (r.length_rows[length] > 0) w.open('[').value(length).value(r.length_rows[length]).close(']');
  w.close(']').close('}');
}

void write_colors(Writer& w, Report const& r) {
  w.key("colors");
  if (!r.colors) return void(w.value(std::nan("")));
  w.open('{');
  w.key("method").value(r.colors->method);
  w.key("count").value(r.colors->rows.size());
  w.key("rows").value(r.colors->rows).close('}');
}

void write_tiles(Writer& w, Report const& r) {
  w.key("tiles");
  if (!r.tiles) return void(w.value(std::nan("")));
  w.open('{');
  w.key("side").value(r.tiles->side);
  w.key("count").value(r.tiles->count);
  w.key("formats").open('[');
  for (auto const& f : r.tiles->formats) {
    w.open('{');
    w.key("name").value(f.name);
    w.key("tiles").value(f.tiles);
    w.key("entries").value(f.entries).close('}');
  }
  w.close(']').close('}');
}

void write_result(Writer& w, bench::Result const& r, double predicted) {
  w.open('{');
  w.key("name").value(r.algorithm);
  w.key("refusal").value(r.refusal);
  w.key("error").value(r.error);
  if (r.error.empty() && r.refusal.empty()) {
    w.key("used").value(r.used);
    w.key("reason").value(r.reason);
    w.key("parameters").value(r.parameters);
    w.key("memory_bytes").value(r.memory_bytes);
  }
  w.key("predicted_solve").value(predicted);
  if (r.timed) {
    w.key("analyze").value(r.analyze);
    w.key("update").value(r.update);
    w.key("solve").value(r.solve);
  }
  w.close('}');
}

}  // namespace

void write_json(std::ostream& out, Report const& r) {
  Writer w(out);
  w.open('{');
  w.key("matrix").value(r.source.name);
  w.key("shape").value(r.source.shape);
  w.key("matrix_entries").value(r.source.matrix_entries);
  w.key("missing_diagonals").value(r.source.missing_diagonals);
  w.key("zero_diagonals").value(r.source.zero_diagonals);
  w.key("not_finite").value(r.source.not_finite);
  w.key("rows").value(r.structure.rows);
  w.key("entries").value(r.structure.entries);
  w.key("bandwidth").value(r.bandwidth);
  w.key("matrix_bytes").value(r.matrix_bytes);
  w.key("parallel_granularity").value(r.granularity);
  write_levels(w, r);
  write_row_lengths(w, r);
  write_colors(w, r);
  write_tiles(w, r);
  w.key("library").value(r.place.version);
  w.key("kokkos").value(r.place.kokkos);
  w.key("space").value(r.place.space);
  w.key("device").value(r.place.device);
  w.key("threads").value(r.place.threads);
  w.key("columns").value(r.columns);
  w.key("algorithms").open('[');
  for (auto const& a : r.algorithms) write_result(w, a.result, a.predicted);
  w.close(']');
  w.key("planner");
  write_result(w, r.planned, std::nan(""));
  w.close('}');
  out << '\n';
}

}  // namespace sptrsv::tools
