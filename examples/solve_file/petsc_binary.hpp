// SPDX-License-Identifier: Apache-2.0
// Checks a PETSc binary file before PETSc itself reads it.
#pragma once

#include <string>

/// Tells whether the file starts like a PETSc binary matrix, with indices of 32 or 64 bits.
bool is_petsc_binary(const std::string& path);

/// Checks that the matrix at the start of a PETSc binary file can be loaded by this PETSc: width of its indices and
/// numbers, counts against the size of the file, row lengths, columns.
/// @throws sptrsv::support::ReadError with the fault and the remedy.
void check_petsc_binary(const std::string& path);
