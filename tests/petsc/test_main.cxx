// SPDX-License-Identifier: Apache-2.0
// Starts PETSc for gtest. PETSC_OPTIONS loads the plugin, as in any program.
#include "factor_pair.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 2;
  if (PetscOptionsInsertString(NULL, "-host_mat_sptrsv_factor host -device_mat_sptrsv_factor device")) return 2;
  for (petsc_test::Variant const& v : petsc_test::all_variants()) {
    std::string const name = "-" + v.prefix() + "mat_sptrsv_";
    if (v.option && PetscOptionsSetValue(NULL, (name + v.option).c_str(), v.value)) return 2;
  }
  int const failed = RUN_ALL_TESTS();
  return PetscFinalize() ? 2 : failed;
}
