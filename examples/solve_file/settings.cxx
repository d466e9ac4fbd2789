// SPDX-License-Identifier: Apache-2.0
// Reads the options with PETSc, so that -help lists them, and chooses defaults.
#include "settings.hpp"

#include <petscksp.h>

#include <algorithm>
#include <sstream>

#include "sptrsv_support/petsc_success.hpp"

const char help_text[] =
    "Solves A x = b with a matrix from a file and shows how long the triangular solves of the preconditioner take.\n"
    "  solve_file FILE [options]           Matrix Market (.mtx, .mtx.gz) or PETSc binary\n"
    "  solve_file -generate lap2d:300      a generated matrix; a wrong name lists them\n"
    "Options of KSP, PC and Mat work as ever. With the plugin of sptrsv, compare its solver types by\n"
    "  solve_file FILE -compare -dll_append <path>/libsptrsv_petsc.so\n\n";

namespace {

// Types to compare; without colorset, whose incomplete factors have another ordering and are another preconditioner
constexpr const char* compared_types = "sptrsv,sequential,levelset,syncfree,threadlevel,fused,tiled,blocked";

PetscErrorCode get_string(const char* name, std::string* value, PetscBool* set) {
  char text[PETSC_MAX_PATH_LEN] = "";
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, name, text, sizeof(text), set));
  if (*set) *value = text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Lists the options for -help and reads those that need no parsing.
PetscErrorCode read_options(Settings* settings, std::string* types) {
  char text[PETSC_MAX_PATH_LEN] = "";
  PetscBool set = PETSC_FALSE;
  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "solve_file", nullptr);
  PetscCall(PetscOptionsString("-f", "matrix file, as FILE alone", nullptr, "", text, sizeof(text), &set));
  if (set) settings->file = text;
  PetscCall(PetscOptionsString("-generate", "family:parameters, for example lap3d:50", nullptr, "", text, sizeof(text),
                               &set));
  if (set) settings->generate = text;
  PetscCall(PetscOptionsString("-types", "solver types to run beside petsc", nullptr, "", text, sizeof(text), &set));
  if (set) *types = text;
  PetscCall(PetscOptionsString("-compare", "short table of times, of all solver types unless -types names some",
                               nullptr, "", text, sizeof(text), &set));
  const std::string word = text;
  settings->compare = set && word != "0" && word != "false" && word != "no" && word != "off";
  // `-compare FILE`: PETSc takes the file as the option's value.
  if (settings->compare && !word.empty() && word != "1" && word != "true" && word != "yes" && word != "on") {
    settings->file = word;
  }
  PetscCall(PetscOptionsString("-rhs", "b: product (A times ones), ones or random", nullptr, "product", text,
                               sizeof(text), &set));
  if (set) settings->rhs = text;
  PetscCall(PetscOptionsInt("-repeat_numeric", "factor and solve again, that many times, with scaled values", nullptr,
                            settings->repeat_numeric, &settings->repeat_numeric, nullptr));
  settings->runs = settings->compare ? 5 : 1;
  PetscCall(PetscOptionsInt("-runs", "after a first one, run each type that many times, in turns, and show medians",
                            nullptr, settings->runs, &settings->runs, nullptr));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Lists PETSc's own type first, then each named type once.
std::vector<std::string> list_types(const std::string& names) {
  std::vector<std::string> types = {MATSOLVERPETSC};
  std::stringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) {
    if (!name.empty() && std::find(types.begin(), types.end(), name) == types.end()) types.push_back(name);
  }
  return types;
}

std::string find_error(const Settings& s) {
  if (s.file.empty() && s.generate.empty()) {
    return "no matrix: give a file, as in `solve_file matrix.mtx`, or a family, as in `solve_file -generate lap2d:300`";
  }
  if (!s.file.empty() && !s.generate.empty()) return "both a file and -generate: leave one of them out";
  if (s.rhs != "product" && s.rhs != "ones" && s.rhs != "random") {
    return "-rhs " + s.rhs + " is not known: use product, ones or random";
  }
  if (s.repeat_numeric < 0) return "-repeat_numeric is negative: give 0 or more";
  if (s.runs < 1) return "-runs is below 1: give 1 or more";
  return "";
}

/// Lists the arguments that are neither options nor their values, but files.
std::vector<std::string> list_files(int argc, char** argv) {
  std::vector<std::string> files;
  const auto is_plain = [argv](int k) { return argv[k][0] != '-'; };
  for (int k = 1; k < argc; ++k) {
    if (is_plain(k) && (k == 1 || is_plain(k - 1))) files.emplace_back(argv[k]);
  }
  return files;
}

PetscErrorCode set_if_unset(const char* name, const char* value) {
  PetscBool set = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(nullptr, nullptr, name, &set));
  if (!set) PetscCall(PetscOptionsSetValue(nullptr, name, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells whether conjugate gradients may be tried: A is symmetric, and its diagonal is positive.
PetscErrorCode suits_cg(Mat A, PetscBool* suits) {
  Vec diagonal;
  PetscReal smallest = 0;
  PetscFunctionBegin;
  PetscCall(MatIsSymmetric(A, 0, suits));
  if (*suits) {
    PetscCall(MatCreateVecs(A, &diagonal, nullptr));
    PetscCall(MatGetDiagonal(A, diagonal));
    PetscCall(VecRealPart(diagonal));
    PetscCall(VecMin(diagonal, nullptr, &smallest));
    PetscCall(VecDestroy(&diagonal));
    *suits = smallest > 0 ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode get_settings(int argc, char** argv, Settings* settings, std::string* error) {
  std::string types, picked;
  PetscBool set = PETSC_FALSE, help = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(read_options(settings, &types));
  const std::vector<std::string> files = list_files(argc, argv);
  const bool one_file = files.size() + (settings->file.empty() ? 0 : 1) <= 1;
  if (!files.empty()) settings->file = files.front();
  if (settings->compare && types.empty()) types = compared_types;
  if (types.empty()) {
    for (const char* option : {"-sub_pc_factor_mat_solver_type", "-pc_factor_mat_solver_type"}) {
      PetscCall(get_string(option, &picked, &set));
      if (set) types = picked;
    }
  }
  settings->types = list_types(types);
  *error = one_file ? find_error(*settings) : "more than one file: give one matrix";
  PetscCall(PetscOptionsHasHelp(nullptr, &help));
  settings->only_help = help && settings->file.empty() && settings->generate.empty();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_default_options(Mat A, std::string* type_option) {
  PetscMPIInt num_ranks = 1;
  PetscBool symmetric = PETSC_FALSE, set = PETSC_FALSE;
  std::string pc_type;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &num_ranks));
  PetscCall(suits_cg(A, &symmetric));
  const char* factor_pc = symmetric ? PCICC : PCILU;
  PetscCall(set_if_unset("-ksp_type", symmetric ? KSPCG : KSPBCGS));
  PetscCall(set_if_unset("-ksp_rtol", "1e-8"));
  PetscCall(set_if_unset("-pc_type", num_ranks > 1 ? PCBJACOBI : factor_pc));
  PetscCall(get_string("-pc_type", &pc_type, &set));
  const bool by_blocks = pc_type == PCBJACOBI || pc_type == PCASM;
  if (by_blocks) PetscCall(set_if_unset("-sub_pc_type", factor_pc));
  *type_option = by_blocks ? "-sub_pc_factor_mat_solver_type" : "-pc_factor_mat_solver_type";
  PetscFunctionReturn(PETSC_SUCCESS);
}
