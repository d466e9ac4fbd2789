# SPDX-License-Identifier: Apache-2.0
"""Checks that more solves of an unmodified program make no more allocations, copies or fences, counted by a Kokkos
Tools
library, which sees the Kokkos that is hidden in the plugin."""
import unittest

from petsc_runs import TYPES, count, program

# sptrsv chooses by measured times, which differ from run to run: see test_sptrsv_analyzes_once
SOLVERS = TYPES[:-1] + ["colorset -mat_sptrsv_colorset_wide_rows 1", "levelset -mat_sptrsv_levelset_wide_rows 1",
                        "syncfree -mat_sptrsv_syncfree_form csc", "threadlevel -mat_sptrsv_threadlevel_form two_phase"]
ENDLESS = "-m 30 -n 30 -ksp_rtol 1e-300 -ksp_atol 1e-300"  # until -ksp_max_it
FACTORS = ["-pc_type ilu", "-pc_type icc -ksp_type cg", "-pc_type ilu -pc_factor_mat_ordering_type rcm"]


class Counters(unittest.TestCase):
    def test_solves_are_quiet(self):
        num_with_kernels = num_with_memory = 0
        for solver in SOLVERS:
            for factor in FACTORS:
                with self.subTest(solver=solver, factor=factor):
                    base = f"{ENDLESS} {factor} -pc_factor_mat_solver_type {solver} -ksp_max_it "
                    few, many = (count("ex2", f"{base}{its}") for its in (5, 40))
                    for what in ["allocations", "ours", "copies", "fences"]:
                        self.assertEqual(few[what], many[what], f"{what}: {few} and {many}")
                    self.assertEqual(many["ours"], many["ours_ended"], "memory was not given back before Kokkos ended")
                    self.assertGreater(many["solves"], few["solves"])
                    # the first solve may make Kokkos enlarge its teams' scratch memory
                    for what in ["solve_allocations", "solve_copies", "solve_fences"]:
                        self.assertEqual(few[what], many[what], f"{what}: {few} and {many}")
                    num_with_memory += many["ours"] > 0
                    num_with_kernels += many["kernels"] > few["kernels"]
        # otherwise the counters saw nothing: sequential allocates nothing for LU on a host, in PETSc's order
        self.assertGreater(num_with_memory, len(SOLVERS))
        # sequential may solve without kernels; the others show that more iterations are more solves
        self.assertGreater(num_with_kernels, 2 * len(FACTORS))

    def test_sptrsv_analyzes_once(self):
        for plan in ["automatic", "estimate"]:
            for factor in FACTORS:
                with self.subTest(plan=plan, factor=factor):
                    counts = count("ex2", f"{ENDLESS} {factor} -ksp_type richardson -ksp_max_it 1000 "
                                   f"-pc_factor_mat_solver_type sptrsv -mat_sptrsv_plan {plan}")
                    self.assertGreater(counts["solves"], 900)
                    self.assertEqual(counts["ours"], counts["ours_ended"])
                    # the analysis of one type for each of two triangles; a solve that allocated would add 1000
                    for what in ["solve_allocations", "solve_copies"]:
                        self.assertLess(counts[what], 250, f"{what}: {counts}")

    def test_new_values_take_no_memory(self):
        for solver in SOLVERS:
            with self.subTest(solver=solver):
                few, many = (count("lifecycle", f"updates {FACTORS[1]} -pc_factor_mat_solver_type {solver} "
                                   f"-updates {updates}")
                             for updates in (2, 9))
                self.assertGreater(few["ours"], 0, "the counters saw nothing")
                for what in ["allocations", "ours", "copies"]:
                    self.assertEqual(few[what], many[what], f"{what}: {few} and {many}")
                # at most one fence in the numeric phase of each triangle
                self.assertLessEqual(many["fences"] - few["fences"], 2 * 7)


if __name__ == "__main__":
    program("ex2")
    unittest.main()
