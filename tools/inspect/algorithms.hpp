// SPDX-License-Identifier: Apache-2.0
// Runs the types of the library on one triangle: memory, parameters, times, and the planner's choice.
#pragma once

#include <string>

#include "findings.hpp"
#include "progress.hpp"
#include "settings.hpp"

namespace sptrsv::bench {
struct System;
}

namespace sptrsv::tools {

/// Returns the spaces that can be requested, such as "serial, openmp".
std::string known_spaces();

/// Checks the command line before any long work.
/// @throws std::runtime_error, InvalidOption.
void check(Settings const& settings);

/// Makes solvers of each type of the list and of the planner on the requested space. Checks their answers and times
/// their phases unless the settings say not to. The result of a type reports its failure.
/// @pre check() has passed.
void add_algorithms(bench::System const& system, Settings const& settings, Progress& progress, Report& report);

}  // namespace sptrsv::tools
