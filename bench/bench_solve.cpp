// SPDX-License-Identifier: Apache-2.0
// Times analyze, update and solve of each algorithm on one triangle, beside `sequential`.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <iostream>
#include <sptrsv/solver.hpp>

#include "commit.hpp"
#include "report.hpp"
#include "system.hpp"

namespace {

using namespace sptrsv;
using namespace sptrsv::bench;

struct Settings {
  std::vector<std::string> matrices;
  std::vector<std::string> algorithms;
  std::vector<std::string> options;  // key=value
  std::string space = "openmp", json, diagonal = "stored";
  int repeat = 20, columns = 1;
  bool upper = false, transpose = false;

  Shape shape() const {
    return {upper ? Triangle::upper : Triangle::lower,
            diagonal == "stored" ? Diagonal::stored : diagonal == "unit" ? Diagonal::unit : Diagonal::inverted,
            transpose ? Op::transpose : Op::none};
  }
  std::string shape_text() const {
    return std::string(upper ? "upper" : "lower") + " " + diagonal + (transpose ? " transposed" : "");
  }
  OptionValues option_values() const {
    OptionValues out;
    for (auto const& option : options) {
      auto const at = option.find('=');
      out[option.substr(0, at)] = at == std::string::npos ? "" : option.substr(at + 1);
    }
    return out;
  }
};

/// Wrong answer: no time is printed.
struct WrongAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class V>
auto to_device(std::vector<typename V::non_const_value_type> const& from) {
  Kokkos::View<typename V::non_const_value_type*, typename V::device_type> to("bench", from.size());
  auto const mirror = Kokkos::create_mirror_view(to);
  std::copy(from.begin(), from.end(), mirror.data());
  Kokkos::deep_copy(to, mirror);
  return to;
}

/// b, x and T where the kernels run.
template <class T>
struct DeviceSystem {
  typename T::pattern pattern;
  Kokkos::View<double*, typename T::device> values;
  Kokkos::View<double**, Kokkos::LayoutLeft, typename T::device> b, x;

  DeviceSystem(System const& s, int columns)
      : pattern{to_device<decltype(pattern.row_ptr)>(s.row_ptr), to_device<decltype(pattern.col_idx)>(s.col_idx),
                RowOrder::natural},
        values(to_device<typename T::values>(s.values)),
        b("b", s.num_rows(), columns),
        x("x", s.num_rows(), columns) {
    auto const mirror = Kokkos::create_mirror_view(b);
    for (int c = 0; c < columns; ++c)
      for (int i = 0; i < s.num_rows(); ++i) mirror(i, c) = 1 + (i * 7LL + c) % 10;
    Kokkos::deep_copy(b, mirror);
  }
  /// @throws WrongAnswer naming the row
  void check(System const& s, std::string const& algorithm) const {
    auto const host_b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
    auto const host_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    for (std::size_t c = 0; c < b.extent(1); ++c) {
      auto const column = [&](auto const& v) { return std::vector<double>(&v(0, c), &v(0, c) + v.extent(0)); };
      int const row = s.num_rows() ? first_wrong_row(s, column(host_x), column(host_b)) : -1;
      if (row >= 0)
        throw WrongAnswer(algorithm + " on " + s.name + ": row " + std::to_string(row) + " of column " + std::to_string(c) +
                          " is wrong");
    }
  }
};

template <class Space>
Result time_algorithm(std::string const& algorithm, Settings const& settings, System const& system,
                      DeviceSystem<Types<double, int, int, Space>> const& device, Structure& structure) {
  using Solver = TriangularSolver<double, int, int, Space>;
  Space const exec;
  auto const fence = [&] { exec.fence(); };
  auto const analyze = [&] { return Solver(algorithm, exec, device.pattern, settings.shape(), settings.option_values()); };
  Result r;
  auto solver = analyze();
  solver.update(exec, device.values);
  Kokkos::deep_copy(device.x, std::numeric_limits<double>::quiet_NaN());
  solver.solve(exec, device.b, device.x);
  fence();
  device.check(system, algorithm);
  r.algorithm = algorithm;
  r.used = solver.algorithm();
  r.parameters = solver.parameters();
  r.reason = solver.reason();
  r.bytes = system.least_bytes(settings.columns);
  r.analyze = measure(settings.repeat, analyze, fence);
  r.update = measure(settings.repeat, [&] { solver.update(exec, device.values); }, fence);
  r.solve = measure(settings.repeat, [&] { solver.solve(exec, device.b, device.x); }, fence);
  device.check(system, algorithm);
  structure = solver.structure(exec);
  return r;
}

template <class Space>
Group time_system(std::string const& matrix, Settings const& settings) {
  auto const system = make_system(matrix, settings.shape());
  DeviceSystem<Types<double, int, int, Space>> const device(system, settings.columns);
  Group group{matrix, settings.shape_text(), settings.columns, {}, {}};
  std::vector<std::string> names{"sequential"};
  for (auto const& name : settings.algorithms)
    if (name != "sequential") names.push_back(name);
  for (auto const& name : names)
    group.results.push_back(time_algorithm<Space>(name, settings, system, device, group.structure));
  return group;
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

template <class Space>
Environment environment() {
  Environment e;
  e.library = version();
  e.commit = SPTRSV_BENCH_COMMIT;
  e.compiler = SPTRSV_BENCH_COMPILER;
  e.kokkos = std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
             std::to_string(KOKKOS_VERSION % 100);
  std::ostringstream configuration;
  Kokkos::print_configuration(configuration);
  e.configuration = configuration.str();
  e.space = Space::name();
  e.device = cpu_model();
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) e.device = Kokkos::Cuda().cuda_device_prop().name;
#endif
  e.concurrency = Space().concurrency();
  return e;
}

template <class Space>
void run(Settings const& settings) {
  auto const e = environment<Space>();
  std::printf("sptrsv %s (%s), %s, Kokkos %s %s, %d threads, %s\n", e.library.c_str(), e.commit.c_str(), e.compiler.c_str(),
              e.kokkos.c_str(), e.space.c_str(), e.concurrency, e.device.c_str());
  std::vector<Group> groups;
  for (auto const& matrix : settings.matrices) {
    groups.push_back(time_system<Space>(matrix, settings));
    print_group(groups.back());
    std::fflush(stdout);
  }
  if (settings.json.empty()) return;
  std::ofstream out(settings.json);
  write_json(out, e, groups);
  if (!out.flush()) throw std::runtime_error("cannot write " + settings.json);
}

void run_on_space(Settings const& settings) {
#if defined(KOKKOS_ENABLE_SERIAL)
  if (settings.space == "serial") return run<Kokkos::Serial>(settings);
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  if (settings.space == "openmp") return run<Kokkos::OpenMP>(settings);
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  if (settings.space == "cuda") return run<Kokkos::Cuda>(settings);
#endif
  throw std::runtime_error("this Kokkos has no space '" + settings.space + "'");
}

void declare(CLI::App& app, Settings& s) {
  for (auto const& info : algorithm_infos()) s.algorithms.push_back(info.name);
  s.algorithms.push_back("sptrsv");
  app.add_option("--matrix", s.matrices, "generated family such as lap2d:1000, or a Matrix Market file")->required();
  app.add_option("--algorithms", s.algorithms, "comma-separated; sequential is always among them")->delimiter(',');
  app.add_option("--option", s.options, "option of an algorithm, such as levelset_chain_rows=100");
  app.add_option("--space", s.space, "openmp, serial or cuda")->capture_default_str();
  app.add_option("--repeat", s.repeat, "runs of each phase")->check(CLI::Range(20, 100000))->capture_default_str();
  app.add_option("--columns", s.columns, "right-hand sides")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--diagonal", s.diagonal, "how it is given")
      ->check(CLI::IsMember({"stored", "unit", "inverted"}))
      ->capture_default_str();
  app.add_option("--json", s.json, "file to write all figures to");
  app.add_flag("--upper", s.upper, "the upper triangle");
  app.add_flag("--transpose", s.transpose, "solve with the transpose");
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Times the phases of sptrsv's algorithms, after checking their answers row by row.");
  declare(app, settings);
  app.footer([] { return "Families:\n" + support::families_help(); });
  CLI11_PARSE(app, argc, argv);
  try {
    Kokkos::ScopeGuard const kokkos;
    run_on_space(settings);
  } catch (std::exception const& e) {
    std::cerr << "bench_solve: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
