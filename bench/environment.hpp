// SPDX-License-Identifier: Apache-2.0
// Environment of the measurements: device, versions, date.
#pragma once

#include <Kokkos_Core.hpp>
#include <ctime>
#include <sptrsv/solver.hpp>
#include <sptrsv/space.hpp>
#include <sstream>

#include "cpu_model.hpp"
#include "report.hpp"
#include "sptrsv_commit.hpp"

namespace sptrsv::bench {

template <class Space>
Environment environment() {
  Environment e;
  e.version = version();
  e.commit = SPTRSV_COMMIT;
  e.compiler = SPTRSV_BENCH_COMPILER;
  e.kokkos = std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
             std::to_string(KOKKOS_VERSION % 100);
  std::ostringstream configuration;
  Kokkos::print_configuration(configuration);
  e.configuration = configuration.str();
  e.space = Space::name();
  e.device = cpu_model();
  if constexpr (!is_host_space<Space>) e.device = device_name(Space());
  e.concurrency = Space().concurrency();
  char date[32] = "";
  std::time_t const now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  e.date = date;
  return e;
}

}  // namespace sptrsv::bench
