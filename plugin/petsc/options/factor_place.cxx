// SPDX-License-Identifier: Apache-2.0
// -mat_sptrsv_factor, the rule of its value `automatic`, and how PETSc's compiler rounds.
#include "options/factor_place.hpp"

#include <cstring>

namespace sptrsv_petsc {

PetscErrorCode ReadFactorChoice(PetscObject object, FactorChoice* choice)
{
  char const* const name = "-mat_sptrsv_factor";
  char const* const words[] = {"automatic", "host", "device"};
  char value[64];
  PetscBool set;
  char const* const prefix = object->prefix ? object->prefix : "";

  PetscFunctionBegin;
  *choice = FactorChoice::automatic;
  PetscOptionsBegin(PetscObjectComm(object), object->prefix, "Triangular solver, who factors", "MatSolverType");
  PetscCall(PetscOptionsString(name,
                               "Who computes the factor's values: PETSc on the host, or the backend where the solves "
                               "run (one of automatic host device)",
                               "MatSolverType", words[0], value, sizeof value, &set));
  PetscOptionsEnd();
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 3; ++k)
    if (!std::strcmp(value, words[k])) {
      *choice = static_cast<FactorChoice>(k);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  SETERRQ(PetscObjectComm(object), PETSC_ERR_ARG_OUTOFRANGE,
          "Option -%s%s is '%s'; choose one of automatic, host, device", prefix, name + 1, value);
}

/// Fitted to an NVIDIA H200 and one core of its host (docs/factorization.md).
FactorEstimate EstimateFactor(sptrsv::FactorizationReport const& report, PetscInt block_size)
{
  auto const levels = static_cast<double>(report.levels), entries = static_cast<double>(report.entries),
             updates = static_cast<double>(report.updates), rows = static_cast<double>(report.rows);
  FactorEstimate e;
  if (block_size > 1) {  // PETSc has a kernel for each size; A is copied to the device
    double const of_row = rows > 0 ? entries / rows / static_cast<double>(block_size) : 0;  // blocks of L and U
    e.host = 20e-6 + 4.5e-9 * entries + 0.4e-9 * updates;
    e.device = 40e-6 + 1.6e-9 * entries + levels * (1e-6 + 0.45e-6 * of_row);
    return e;
  }
  e.host = 20e-6 + 10e-9 * entries + 1.2e-9 * updates;
  // a row takes off its pivot rows one after the other
  double const of_level = 1.2e-6 + 30e-9 * (rows > 0 ? entries / rows / 2 : 0);
  e.device = 40e-6 + levels * of_level + 0.03e-9 * entries + 0.02e-9 * updates +
             50e-9 * static_cast<double>(report.longest_row);
  return e;
}

namespace {

/// So that options of the program's own matrices, as -mat_view binary:FILE, do not apply.
constexpr char probe_prefix[] = "sptrsv_probe_";

/// A dense matrix of three rows. Its factor has an entry d - l u, with d the rounded product of l and u: zero where
/// products are rounded.
PetscErrorCode FactorThreeRows(bool symmetric, bool inodes, bool* contracts)
{
  PetscReal eps = 1;
  while ((PetscReal)(1 + eps * eps / 16) != 1) eps /= 2;  // so that eps^2 is lost beside 1
  PetscScalar const l = 1 + eps, u = 1 + eps, d = l * u;
  PetscInt const row_ptr[] = {0, 3, 6, 9}, col_idx[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  PetscScalar const a[] = {1, u, u, l, 9, d, l, d, 9};
  Mat A, F = nullptr;
  IS natural;
  MatFactorInfo info;
  PetscScalar entry;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetOptionsPrefix(A, probe_prefix));
  PetscCall(MatSetSizes(A, 3, 3, 3, 3));
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(MatSetOption(A, MAT_USE_INODES, inodes ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(MatSeqAIJSetPreallocationCSR(A, row_ptr, col_idx, a));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, 3, 0, 1, &natural));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1;
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, symmetric ? MAT_FACTOR_ICC : MAT_FACTOR_ILU, &F));
  PetscCall(MatSetOptionsPrefix(F, probe_prefix));
  if (symmetric) {
    PetscScalar* values;
    PetscCall(MatICCFactorSymbolic(F, A, natural, &info));
    PetscCall(MatCholeskyFactorNumeric(F, A, &info));
    PetscCall(MatSeqSBAIJGetArray(F, &values));
    entry = values[3];  // rows of U, each with its pivot last: row 1 begins here
    PetscCall(MatSeqSBAIJRestoreArray(F, &values));
  } else {
    PetscScalar const* values;
    PetscCall(MatILUFactorSymbolic(F, A, natural, natural, &info));
    PetscCall(MatLUFactorNumeric(F, A, &info));
    PetscCall(MatSeqAIJGetArrayRead(F, &values));
    entry = values[4];  // three entries of L, then row 2 of U, and row 1
    PetscCall(MatSeqAIJRestoreArrayRead(F, &values));
  }
  *contracts = entry != PetscScalar(0);
  PetscCall(ISDestroy(&natural));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode PetscContracts(bool symmetric, bool inodes, bool* contracts)
{
  static int known[3] = {-1, -1, -1};  // PETSc is one and the same for the whole process
  int& answer = known[symmetric ? 2 : inodes];

  PetscFunctionBegin;
  if (answer < 0) {
    PetscCall(FactorThreeRows(symmetric, inodes, contracts));
    answer = *contracts;
  }
  *contracts = answer != 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
