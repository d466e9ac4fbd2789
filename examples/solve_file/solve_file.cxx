// SPDX-License-Identifier: Apache-2.0
// Solves with a matrix from a file or a generator, and shows the cost of each solver type of the factor.
#include <petscksp.h>

#include <string>
#include <vector>

#include "load.hpp"
#include "run_type.hpp"
#include "settings.hpp"
#include "sptrsv_support/petsc_success.hpp"
#include "table.hpp"

namespace {

/// Exit codes in addition to PETSc's own.
enum ExitCode : int { all_good = 0, bad_input = 1, type_missing = 2, type_failed = 3 };

PetscErrorCode print_error(const std::string& message) {
  PetscFunctionBegin;
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, stderr, "solve_file: %s\n", message.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds the first type that no library has registered.
PetscErrorCode find_missing_type(const std::vector<std::string>& types, std::string* missing) {
  PetscFunctionBegin;
  PetscCall(MatInitializePackage());  // registers PETSc's own types
  for (const std::string& type : types) {
    PetscBool found_type = PETSC_FALSE, found_matrix = PETSC_FALSE;
    PetscErrorCode (*create)(Mat, MatFactorType, Mat*) = nullptr;
    PetscCall(MatSolverTypeGet(type.c_str(), MATSEQAIJ, MAT_FACTOR_ILU, &found_type, &found_matrix, &create));
    if (!found_type && missing->empty()) *missing = type;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode print_header(const Settings& settings, Mat A, const std::string& type_option) {
  PetscInt n = 0;
  PetscMPIInt num_ranks = 1;
  MatInfo info;
  MatType mat_type = nullptr;
  PetscInt major = 0, minor = 0, subminor = 0;
  char ksp[64] = "", pc[64] = "", sub_pc[64] = "";
  PetscBool set = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, nullptr));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatGetType(A, &mat_type));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &num_ranks));
  PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-ksp_type", ksp, sizeof(ksp), &set));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-pc_type", pc, sizeof(pc), &set));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-sub_pc_type", sub_pc, sizeof(sub_pc), &set));
  const bool by_blocks = type_option.rfind("-sub_", 0) == 0;
  const std::string factor = by_blocks ? std::string(" of ") + sub_pc + " (table: rank 0's first block)" : "";
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: n = %lld, %.0f entries; %s, %d rank%s, PETSc %d.%d.%d; ",
                        settings.name().c_str(), static_cast<long long>(n), info.nz_used, mat_type, num_ranks,
                        num_ranks == 1 ? "" : "s", static_cast<int>(major), static_cast<int>(minor),
                        static_cast<int>(subminor)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s%s, b = %s\n", ksp, pc, factor.c_str(), settings.rhs.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Times all types in turns, so that other load on the machine affects all of them. A type that is much slower than
/// PETSc's own gets fewer turns; rank 0 decides.
PetscErrorCode time_in_turns(const Settings& settings, Mat A, Vec b, const std::string& type_option,
                             std::vector<Row>* rows) {
  constexpr double slow_seconds = 0.5, slow_factor = 1.5;
  PetscFunctionBegin;
  for (PetscInt run = 0; run < settings.runs; ++run) {
    for (Row& row : *rows) {
      int has_turn = row.seconds <= slow_seconds + slow_factor * rows->front().seconds;
      PetscCallMPI(MPI_Bcast(&has_turn, 1, MPI_INT, 0, PETSC_COMM_WORLD));
      if (has_turn) PetscCall(time_type(settings, A, b, type_option, &row));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs all types with the matrix and prints the table.
PetscErrorCode run_all(const Settings& settings, Mat* A, int* exit_code) {
  std::string type_option;
  Vec b = nullptr;
  std::vector<Row> rows(settings.types.size());
  PetscFunctionBegin;
  PetscCall(set_default_options(*A, &type_option));
  PetscCall(convert_matrix(A));
  PetscCall(make_rhs(*A, settings.rhs, &b));
  PetscCall(print_header(settings, *A, type_option));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    PetscCall(run_type(settings, *A, b, settings.types[k], type_option, k == 0 ? nullptr : &rows[0], &rows[k]));
  }
  PetscCall(time_in_turns(settings, *A, b, type_option, &rows));
  for (const Row& row : rows) {
    if (!row.good()) *exit_code = type_failed;
  }
  const std::string table = settings.compare ? format_comparison(rows) : format_table(rows);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", table.c_str()));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode run(int argc, char** argv, int* exit_code) {
  Settings settings;
  std::string error, missing;
  Mat A = nullptr;
  PetscFunctionBegin;
  PetscCall(get_settings(argc, argv, &settings, &error));
  if (settings.only_help) PetscFunctionReturn(PETSC_SUCCESS);
  *exit_code = bad_input;
  if (error.empty()) {
    PetscCall(find_missing_type(settings.types, &missing));
    if (!missing.empty()) {
      *exit_code = type_missing;
      error = "no solver type '" + missing + "' is registered; load the plugin with -dll_append " +
              "<path>/libsptrsv_petsc.so, or by PETSC_OPTIONS, and check the name";
    } else {
      PetscCall(load_matrix(settings, &A, &error));
    }
  }
  if (!error.empty()) {
    PetscCall(print_error(error));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *exit_code = all_good;
  PetscCall(run_all(settings, &A, exit_code));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  int exit_code = all_good;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help_text));
  PetscCall(PetscLogDefaultBegin());  // the times of the phases are taken from PETSc's log
  PetscCall(run(argc, argv, &exit_code));
  PetscCall(PetscFinalize());
  return exit_code;
}
