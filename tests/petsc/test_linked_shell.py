# SPDX-License-Identifier: Apache-2.0
"""Tests a program that links the plugin and passes its own triangles to a PC of type shell: linked_shell.c."""
import unittest

from petsc_runs import TYPES, count, plugin, program, run

# sptrsv may analyze another type in any application: see test_counters.py
SOLVERS = TYPES[:-1] + ["levelset -mat_sptrsv_levelset_wide_rows 1", "syncfree -mat_sptrsv_syncfree_form csc",
                   "threadlevel -mat_sptrsv_threadlevel_form two_phase"]


def shell(options="", load=None, **more):
    return run(program("linked_shell"), options, load=load, **more)


class LinkedShell(unittest.TestCase):
    def test_solves_without_and_with_loading(self):
        for kind in TYPES:
            for load in (None, plugin):
                with self.subTest(kind=kind, load=load):
                    done = shell(f"-mat_sptrsv_type {kind}", load=load, threads=2)
                    self.assertEqual(done.text.splitlines(), ["done"], str(done))

    def test_more_applications_take_nothing(self):
        num_with_kernels = 0
        for solver in SOLVERS:
            with self.subTest(solver=solver):
                few, many = (count("linked_shell", f"-applies {applies} -mat_sptrsv_type {solver}", load=None)
                             for applies in (1, 20))
                for what in ["allocations", "ours", "copies", "fences"]:
                    self.assertEqual(few[what], many[what], f"{what}: {few} and {many}")
                self.assertEqual(many["ours"], many["ours_ended"], "memory was not given back before Kokkos ended")
                num_with_kernels += many["kernels"] > few["kernels"]
        # otherwise the counters saw nothing; sequential and one thread for all levels solve without kernels
        self.assertGreater(num_with_kernels, 2)

    def test_nothing_is_left(self):
        text = shell("-malloc_debug -malloc_dump -mat_sptrsv_type levelset").text
        self.assertEqual(text.splitlines(), ["done"], text)

    def test_several_processes_are_refused(self):
        done = shell(ranks=2, check=False)
        self.assertNotEqual(done.status, 0, str(done))
        for word in ["2 processes", "PCBJACOBI"]:
            self.assertIn(word, done.text, str(done))


if __name__ == "__main__":
    unittest.main()
