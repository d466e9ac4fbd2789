# SPDX-License-Identifier: Apache-2.0
"""Tests orders of events: PETSc started again, programs that exit early, solvers alive at the same time, and changed
matrices. See lifecycle.cxx."""
import itertools
import unittest

from petsc_runs import TYPES, program, run

FACTORS = ["-pc_type ilu", "-pc_type icc -ksp_type cg", "-pc_type lu -pc_factor_mat_ordering_type rcm"]


class LifeCycle(unittest.TestCase):
    def runs(self, mode, factors=FACTORS, types=TYPES, threads=2, quiet=True):
        for kind, factor in zip(types, itertools.cycle(factors)):
            with self.subTest(kind=kind, factor=factor):
                done = run(program("lifecycle"), f"{mode} {factor} -pc_factor_mat_solver_type {kind}", threads=threads)
                lines = done.text.splitlines()
                self.assertEqual(lines[-1:], ["done"], str(done))
                if quiet:  # no warning by Kokkos, PETSc or MPI
                    self.assertEqual(lines, ["done"], str(done))

    def test_petsc_started_three_times(self):
        self.runs("twice")

    def test_exit_without_finalize(self):
        self.runs("exit", factors=FACTORS[:1], quiet=False)

    def test_exit_with_solvers_alive(self):
        self.runs("exit_alive", factors=FACTORS[1:], types=["levelset", "syncfree"], quiet=False)

    def test_several_solvers_in_odd_orders(self):
        self.runs("several")

    def test_leaked_solvers(self):
        self.runs("leak", factors=FACTORS[1:], types=["levelset", "threadlevel"])

    def test_fork(self):
        for kind in ["levelset", "syncfree", "sequential"]:
            for threads, error in [(1, 0), (2, 56)]:  # PETSC_ERR_SUP
                with self.subTest(kind=kind, threads=threads):
                    done = run(program("lifecycle"), f"fork -pc_type ilu -pc_factor_mat_solver_type {kind}",
                               threads=threads)
                    self.assertEqual(done.text.splitlines()[-2:], [f"child: error {error}", "done"], str(done))
                    self.assertNotIn("PETSc's own", done.text, str(done))
                    if error:
                        self.assertIn("forked after Kokkos had started 2 threads, which only the parent has; fork "
                                      "before", done.text)

    def test_changed_values_and_patterns(self):
        self.runs("changes")

    def test_changed_matrices_with_blocks(self):
        self.runs("changes", factors=["-pc_type ilu -mat_type seqbaij",
                                      "-pc_type lu -pc_factor_mat_ordering_type rcm -mat_type seqbaij",
                                      "-pc_type icc -ksp_type cg -mat_type seqsbaij"])


if __name__ == "__main__":
    unittest.main()
