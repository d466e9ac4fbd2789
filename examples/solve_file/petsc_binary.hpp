// SPDX-License-Identifier: Apache-2.0
// A look at a PETSc binary file before PETSc itself trusts it.
#pragma once

#include <string>

/// Whether the file starts as a PETSc binary matrix does, with indices of 32 or 64 bits.
bool is_petsc_binary(const std::string& path);

/// Checks that the matrix at the start of a PETSc binary file can be loaded by this PETSc: width of its indices and
/// numbers, counts against the size of the file, row lengths, columns.
/// @throws sptrsv::support::ReadError that says what is wrong and what to do about it.
void check_petsc_binary(const std::string& path);
