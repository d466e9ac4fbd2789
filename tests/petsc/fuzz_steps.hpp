// SPDX-License-Identifier: Apache-2.0
// Whole sequences, one for each way in which programs use the plugin.
#pragma once

#include "fuzz_record.hpp"

namespace fuzz {

/// Type of the operator of triangles, which decides where they are solved.
extern std::string operator_type;

void run_factors(Draw& draw);    ///< MatGetFactor() and its phases
void run_solvers(Draw& draw);    ///< KSP and PC
void run_triangles(Draw& draw);  ///< the program's own triangles in a PC of type shell
void run_improper(Draw& draw);   ///< factors of matrices whose rows are out of order or store a column twice

}  // namespace fuzz
