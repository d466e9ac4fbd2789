// SPDX-License-Identifier: Apache-2.0
// The types of the library on one triangle: memory, parameters, times, and the planner's choice.
#pragma once

#include <string>

#include "findings.hpp"
#include "progress.hpp"
#include "settings.hpp"

namespace sptrsv::bench {
struct System;
}

namespace sptrsv::tools {

/// The spaces that can be asked for: "serial, openmp".
std::string known_spaces();

/// Looks at what can be wrong on the command line before any long work.
/// @throws std::runtime_error, InvalidOption.
void check(Settings const& settings);

/// Makes each type of the list and the planner on the space that was asked for; checks their answers and times their
/// phases unless the settings say not to. What fails is said in its result.
/// @pre check() has passed.
void add_algorithms(bench::System const& system, Settings const& settings, Progress& progress, Report& report);

}  // namespace sptrsv::tools
