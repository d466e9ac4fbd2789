// SPDX-License-Identifier: Apache-2.0
// Draws the findings as a picture with matplotlib.
#pragma once

#include <string>

#include "findings.hpp"

namespace sptrsv::tools {

/// Runs plot.py, which is next to the program or in its share folder.
/// @param path    output file; its ending is a format of matplotlib, such as .png, .pdf or .svg.
/// @param python  the interpreter; empty: the first of python3 on PATH and /usr/bin/python3 that has matplotlib.
/// @throws std::runtime_error that says what is missing and how to install it.
void draw(std::string const& path, std::string const& python, Report const& report);

}  // namespace sptrsv::tools
