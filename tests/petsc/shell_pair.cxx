// SPDX-License-Identifier: Apache-2.0
// Compares a program's own triangles in a PC of type shell with plain substitution.
#include "shell_pair.hpp"

#include <regex.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "sptrsv/substitution.hpp"
#include "sptrsv_petsc.h"

namespace petsc_test {
namespace {

using Rows = sptrsv::reference::RowList<PetscScalar>;
using Values = std::vector<PetscScalar>;

/// Reads T's rows, or those of its comparison matrix: |diagonal| and -|off-diagonal|.
PetscErrorCode ReadRows(Mat T, bool comparison, Rows* out)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(T, &n, NULL));
  out->rows.assign((std::size_t)n, {});
  for (PetscInt i = 0; i < n; ++i) {
    PetscInt count;
    PetscInt const* columns;
    PetscScalar const* values;
    PetscCall(MatGetRow(T, i, &count, &columns, &values));
    for (PetscInt k = 0; k < count; ++k) {
      PetscReal const size = PetscAbsScalar(values[k]);
      out->rows[(std::size_t)i].push_back(
          {columns[k], comparison ? PetscScalar(columns[k] == i ? size : -size) : values[k]});
    }
    PetscCall(MatRestoreRow(T, i, &count, &columns, &values));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/// Computes v = T^-1 v or T^-T v; does nothing if T is NULL.
PetscErrorCode Substitute(Mat T, bool lower, Given given, bool transposed, bool comparison, Values& v)
{
  Rows rows;

  PetscFunctionBegin;
  if (!T) PetscFunctionReturn((PetscErrorCode)0);
  PetscCall(ReadRows(T, comparison, &rows));
  if (transposed) rows = sptrsv::reference::transpose(rows, false);
  v = sptrsv::reference::substitute(rows, lower != transposed, IsUnit(given), false, v);
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode Chain(Shell const& s, Which which, bool comparison, Values& v)
{
  PetscFunctionBegin;
  if (which == Which::both || which == Which::left) PetscCall(Substitute(s.L, true, s.given_L, false, comparison, v));
  if (which != Which::left)
    PetscCall(Substitute(s.U, false, s.given_U, which == Which::both_transposed, comparison, v));
  if (which == Which::both_transposed) PetscCall(Substitute(s.L, true, s.given_L, true, comparison, v));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode ReadVec(Vec b, bool absolute, Values* v)
{
  PetscScalar const* a;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecGetArrayRead(b, &a));
  v->assign(a, a + n);
  PetscCall(VecRestoreArrayRead(b, &a));
  if (absolute)
    for (PetscScalar& value : *v) value = PetscAbsScalar(value);
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode WriteVec(Values const& v, Vec x)
{
  PetscScalar* a;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(x, &a));
  std::copy(v.begin(), v.end(), a);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscFunctionReturn((PetscErrorCode)0);
}

}  // namespace

PetscErrorCode SetTriangleValues(Grid const& grid, bool lower, Given given, Mat T)
{
  Mat A;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(BuildGrid(grid, &A));
  PetscCall(MatGetSize(A, &n, NULL));
  for (PetscInt i = 0; i < n; ++i) {
    PetscInt count;
    PetscInt const* columns;
    PetscScalar const* values;
    PetscCall(MatGetRow(A, i, &count, &columns, &values));
    for (PetscInt k = 0; k < count; ++k) {
      PetscScalar v = PetscScalar(0.05) * values[k];
#if defined(PETSC_USE_COMPLEX)
      v *= PetscScalar(0.8, columns[k] < i ? 0.6 : -0.6);
#endif
      if (columns[k] == i) {
        if (given == Given::unit_absent) continue;
        v = PetscScalar(given == Given::stored ? 1.5 + 0.5 * std::sin((double)i + grid.seed) : 1e3);
      }
      if (lower ? columns[k] <= i : columns[k] >= i) PetscCall(MatSetValue(T, i, columns[k], v, INSERT_VALUES));
    }
    PetscCall(MatRestoreRow(A, i, &count, &columns, &values));
  }
  PetscCall(MatAssemblyBegin(T, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(T, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode BuildTriangle(Grid const& grid, bool lower, Given given, Mat* T)
{
  PetscInt const n = grid.side * grid.side * grid.dof;

  PetscFunctionBegin;
  *T = nullptr;
  if (given == Given::no_matrix) PetscFunctionReturn((PetscErrorCode)0);
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 5 * grid.dof, NULL, T));
  PetscCall(MatSetOption(*T, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(SetTriangleValues(grid, lower, given, *T));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode Shell::Create(Grid const& grid, Given lower, Given upper)
{
  PetscFunctionBegin;
  given_L = lower;
  given_U = upper;
  PetscCall(BuildGrid(grid, &A));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(BuildTriangle(grid, true, lower, &L));
  PetscCall(BuildTriangle(grid, false, upper, &U));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode Shell::Attach(char const* algorithm, char const* prefix)
{
  PetscFunctionBegin;
  PetscCall(PCDestroy(&pc));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetOptionsPrefix(pc, prefix));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(SpTRSVPCShellSetTrianglesDynamic(pc, L, IsUnit(given_L), U, IsUnit(given_U), algorithm));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode Shell::Destroy()
{
  PetscFunctionBegin;
  PetscCall(PCDestroy(&pc));
  for (Mat* m : {&A, &L, &U}) PetscCall(MatDestroy(m));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode Expected(Shell const& shell, Which which, Vec b, Vec x, Vec scale)
{
  Values v, bound;

  PetscFunctionBegin;
  PetscCall(ReadVec(b, false, &v));
  PetscCall(ReadVec(b, true, &bound));
  PetscCall(Chain(shell, which, false, v));
  PetscCall(Chain(shell, which, true, bound));
  PetscCall(WriteVec(v, x));
  PetscCall(WriteVec(bound, scale));
  PetscFunctionReturn((PetscErrorCode)0);
}

std::string ViewText(PC pc)
{
  char* buffer = nullptr;
  std::size_t size = 0;
  PetscViewer viewer;
  FILE* file = open_memstream(&buffer, &size);
  EXPECT_EQ((int)PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer), 0);
  EXPECT_EQ((int)PCView(pc, viewer), 0);
  EXPECT_EQ((int)PetscViewerDestroy(&viewer), 0);
  std::fclose(file);
  std::string const text(buffer, size);
  std::free(buffer);
  return text;
}

bool Contains(std::string const& text, std::string const& pattern)
{
  regex_t compiled;  // not std::regex, for whose internals GCC warns with sanitizers
  EXPECT_EQ(regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB), 0) << pattern;
  bool const found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return found;
}

std::string Phases(PC pc)
{
  int analyses, updates, solves;
  std::string const text = ViewText(pc);
  std::size_t const at = text.find("MB beyond the matrices; ");
  if (at == std::string::npos ||
      std::sscanf(text.c_str() + at, "MB beyond the matrices; %d analys%*[ie]s, %d numeric update%*[s,] %d solve",
                  &analyses, &updates, &solves) != 3)
    return "none in " + text;
  return std::to_string(analyses) + " " + std::to_string(updates) + " " + std::to_string(solves);
}

}  // namespace petsc_test
