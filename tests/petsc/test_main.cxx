// SPDX-License-Identifier: Apache-2.0
// Starts PETSc for gtest. PETSC_OPTIONS loads the plugin, as in any program.
#include <gtest/gtest.h>
#include <petscsys.h>

int main(int argc, char** argv)
{
  testing::InitGoogleTest(&argc, argv);
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 2;
  char const* const options[][2] = {{"-unchained_mat_sptrsv_levelset_wide_rows", "1"},
                                    {"-csc_mat_sptrsv_syncfree_form", "csc"},
                                    {"-twophase_mat_sptrsv_threadlevel_form", "two_phase"},
                                    {"-cpls_mat_sptrsv_colorset_form", "cpls"},
                                    {"-host_mat_sptrsv_factor", "host"},
                                    {"-device_mat_sptrsv_factor", "device"},
                                    {"-wrong_mat_sptrsv_factor", "gpu"},
                                    {"-sweeps_pc_sor_sptrsv", "sptrsv"},
                                    {"-sequential_sweeps_pc_sor_sptrsv", "sequential"},
                                    {"-syncfree_sweeps_pc_sor_sptrsv", "syncfree"},
                                    {"-tiled_sweeps_pc_sor_sptrsv", "tiled"},
                                    {"-twostage_pc_sor_sptrsv", "iterated"},
                                    {"-twostage_mat_sptrsv_iterated_sweeps", "3"},
                                    {"-jacobi_pc_sor_sptrsv", "iterated"},
                                    {"-jacobi_mat_sptrsv_iterated_sweeps", "0"},
                                    {"-jacobi_pc_sor_omega", "0.6"},
                                    {"-color_sweeps_pc_sor_ordering", "color"},
                                    {"-petscs_pc_sor_sptrsv", "off"},
                                    {"-apart_sub_pc_factor_mat_solver_type", "levelset"}};
  for (auto const& [name, value] : options)
    if (PetscOptionsSetValue(NULL, name, value)) return 2;
  int const failed = RUN_ALL_TESTS();
  return PetscFinalize() ? 2 : failed;
}
