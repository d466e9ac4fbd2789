// SPDX-License-Identifier: Apache-2.0
// Loads the matrix of the run, from a file or a generator, distributed by rows.
#pragma once

#include <petscmat.h>

#include <string>

#include "settings.hpp"

/// Reads or generates the matrix; collective.
/// @param A      an AIJ matrix; not set if there is an error.
/// @param error  on rank 0 what is wrong, with the remedy; on the others not empty if there is an error.
PetscErrorCode load_matrix(const Settings& settings, Mat* A, std::string* error);

/// Converts A to the type that `-mat_type` asks for, if any.
PetscErrorCode convert_matrix(Mat* A);
