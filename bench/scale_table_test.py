#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests scale_table.py on a small made-up run."""
import contextlib
import io
import json
import os
import tempfile
import unittest

import scale_table


def case(name, per_iteration, iterations=20, **rest):
    pc, solver_type, mat_type = name.split(":")[:3]
    return {"case": name, "pc": pc, "type": solver_type, "mat_type": mat_type, "may_fail": False, "error": "",
            "iterations": iterations, "first_setup": 0.5, "setup": {"median": 0.25},
            "per_iteration": per_iteration, **rest}


def failed(name, error, may_fail=False):
    return {"case": name, "may_fail": may_fail, "error": error}


def run(*cases, ranks=1):
    return {"petsc": "3.26.1", "host": "CPU", "iterations": 20, "repeat": 3,
            "devices": [f"host a, device {k}" for k in range(ranks)], "cases": list(cases)}


OURS, JACOBI = "bjacobi:sptrsv:aijkokkos", "jacobi::aijkokkos"
SAMPLE = (
    ("gpus_rank", 1, "done, 3 s", run(case(JACOBI, 1e-4), case(OURS, 1e-3))),
    ("gpus_rank", 2, "done, 4 s", run(case(JACOBI, 2e-4), case(OURS, 1.5e-3), ranks=2)),
    ("gpus_rank", 4, "LEFT OUT: the time for all is used up", None))


def text_of(runs, settings="#space\tcuda\n#aware\tno\n#check_size\t20\n"):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "runs.tsv"), "w", encoding="utf-8") as file:
            file.write(settings)
            for number, (group, column, outcome, data) in enumerate(runs):
                name = f"{number}.json" if data else "-"
                file.write(f"{group}\tdmda7:100\t{column}\t{outcome}\t{name}\n")
                if data:
                    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                        json.dump(data, out)
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            scale_table.main([folder])
        return out.getvalue()


def row_of(text, name):
    """Returns the cells of the first row with that name."""
    line = next(line for line in text.splitlines() if line.startswith(f"| {name} "))
    return [cell.strip() for cell in line.strip("|").split("|")]


class ScaleTableTest(unittest.TestCase):
    def test_growth_beside_jacobi(self):
        text = text_of(SAMPLE)
        self.assertIn("### dmda7, 100^3 rows on each GPU: ms an iteration", text)
        self.assertEqual(row_of(text, "case"), ["case", "1 GPU", "2 GPUs", "4 GPUs", "growth, 2", "growth, 4",
                                                "over jacobi's, 2", "over jacobi's, 4"])
        self.assertEqual(row_of(text, JACOBI), [JACOBI, "0.100", "0.200", "LEFT OUT", "2.00", "-", "1.00", "-"])
        self.assertEqual(row_of(text, OURS), [OURS, "1.00", "1.50", "LEFT OUT", "1.50", "-", "0.750", "-"])

    def test_rows_are_aligned(self):
        lines = [line for line in text_of(SAMPLE).splitlines() if line.startswith("| ")]
        self.assertEqual(len({len(line) for line in lines[:4]}), 1)

    def test_devices_and_what_is_missing(self):
        text = text_of(SAMPLE)
        self.assertIn("- 2 ranks (gpus_rank):\n  - rank 0: host a, device 0\n  - rank 1: host a, device 1\n", text)
        self.assertIn("- dmda7:100 gpus_rank 4: LEFT OUT: the time for all is used up", text)

    def test_without_mps(self):
        text = text_of([("ranks_mps", count, "not run: no server", None) for count in (1, 2)] + list(SAMPLE))
        self.assertIn("shared by ranks, with MPS\n\nnot run: no server\n", text)

    def test_failures_have_no_growth(self):
        text = text_of([("ranks", 1, "done, 3 s", run(case(JACOBI, 1e-4), failed(OURS, "out of memory", True))),
                        ("ranks", 2, "FAILED with exit code 1", run(case(JACOBI, 1e-4), case(OURS, 1e-4)))])
        self.assertEqual(row_of(text, OURS), [OURS, "FAILED", "0.100", "-", "-"])
        self.assertIn(f"`{OURS}` failed, as it may: out of memory", text)
        self.assertIn("- dmda7:100 ranks 2: FAILED with exit code 1", text)

    def test_iterations(self):
        reference = "bjacobi:petsc:aij:natural"
        text = text_of([("check", 2, "done, 3 s", run(case(reference, 1, 9), case(OURS, 1, 10, error="10, not 9")))])
        self.assertEqual(row_of(text, reference), [reference, "9"])
        self.assertEqual(row_of(text, OURS), [OURS, "10 FAILED"])

    def test_other_folders_are_refused(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
            with self.assertRaises(SystemExit):
                scale_table.main([folder])


if __name__ == "__main__":
    unittest.main()
