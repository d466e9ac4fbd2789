#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests gpu_table.py on small made-up runs."""
import contextlib
import io
import json
import os
import tempfile
import unittest

import gpu_table


def times(seconds):
    return {"median": seconds, "minimum": seconds, "q1": seconds, "q3": seconds, "runs": 20}


def case(matrix, levels, algorithm, solve, analyze=1e-3, peer=False, cut_short=False):
    return {"matrix": matrix, "shape": "lower stored", "columns": 1, "rows": 10, "entries": 30, "levels": levels,
            "limit": 1e-5,
            "algorithm": algorithm, "peer": peer, "analyze": times(analyze), "update": times(1e-4),
            "solve": times(solve),
            "cut_short": cut_short, "gb_per_s": 12.0}


def missing(matrix, levels, algorithm, error="", refusal="", peer=False):
    return {"matrix": matrix, "rows": 10, "entries": 30, "levels": levels, "limit": 1e-5, "algorithm": algorithm,
            "peer": peer,
            "error": error, "refusal": refusal}


def run_of(timed, rest=()):
    return {"device": "GPU", "commit": "c", "compiler": "x", "kokkos": "4", "space": "Cuda", "date": "2026-01-02",
            "seconds": timed, "not_timed": list(rest)}


SAMPLE = run_of([case("lap2d:9", 17, "cusparse", 4e-4, peer=True), case("lap2d:9", 17, "levelset", 1e-4,
                                                                        analyze=1.1e-3),
                 case("lap2d:9", 17, "sptrsv", 2e-4, analyze=1.3e-3), case("lap2d:9", 17, "kokkoskernels_rp", 3e-4,
                                                                           peer=True),
                 case("lap2d:9", 17, "one_core", 5e-5, peer=True),
                 case("/t/brack2.mtx", 5000, "cusparse", 1e-4, peer=True),
                 case("/t/brack2.mtx", 5000, "levelset", 4e-4),
                 case("/t/brack2.mtx", 5000, "sequential", 2.5, cut_short=True)],
                [missing("/t/brack2.mtx", 5000, "kokkoskernels_rp", error="wrong answer in row 3 of column 0",
                         peer=True),
                 missing("/t/brack2.mtx", 5000, "sptrsv", error="out of memory"),
                 missing("lap2d:9", 17, "sequential", refusal="too large")])


def petsc_case(mat_type, solver_type, **results):
    return {"matrix": "lap2d:9", "factor": "ilu", "mat_type": mat_type, "type": solver_type, "peer": False, **results}


PETSC = {"program": "bench_petsc", "petsc": "3.26.1", "cases": [
    petsc_case("seqaij", "petsc", setup=0.002, renewal=times(1e-3), solve=times(5e-4)),
    petsc_case("seqaijkokkos", "kokkos", error="spiluk")]}


def text_of(*runs):
    with tempfile.TemporaryDirectory() as folder:
        for number, run in enumerate(runs):
            with open(os.path.join(folder, f"{number}.json"), "w", encoding="utf-8") as file:
                json.dump(run, file)
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            gpu_table.main([folder])
        return out.getvalue()


class GpuTableTest(unittest.TestCase):
    def test_overview_and_phases(self):
        text = text_of(SAMPLE)
        self.assertIn("| lap2d:9 | 10 | 30 | 17 | 10.0 | 100 levelset | 12 | 10.0 | 400 | 4.00 | 300 kokkoskernels_rp "
                      "| 3.00 | 50.0 |", text)
        self.assertIn("| matrix | levelset | sptrsv | sequential | cusparse | kokkoskernels_rp | one_core |", text)
        self.assertIn("| brack2 | 400 | FAILED | 2500000\\* | 100 | WRONG | - |", text)
        self.assertIn("| lap2d:9 | 1.10 | 1.30 | - | 1.00 | 1.00 | 1.00 |", text)

    def test_means_and_losses(self):
        text = text_of(SAMPLE)
        # 400/100 and 100/400
        self.assertIn("Compared with cuSPARSE: 1.00 times as fast in geometric mean over 2 matrices. Losses: "
                      "brack2 (0.250).", text)
        # one core is not a GPU solver: 300/100 and 100/400
        self.assertIn("Compared with the best peer of each matrix: 0.866 times as fast in geometric mean over "
                      "2 matrices.", text)
        self.assertIn("Compared with one core of the host: 0.500 times as fast in geometric mean over 1 matrices. "
                      "Losses: lap2d:9 (0.500).", text)

    def test_analysis_counts_matrices_with_few_levels(self):
        text = text_of(SAMPLE)
        self.assertIn("the fastest type on 1 of 1; not: none.", text)
        self.assertIn("  - `levelset`: 1 of 1", text)
        self.assertIn("  - `sptrsv`: 0 of 1", text)  # 1.3 ms is more than 3 times 0.4 ms
        self.assertNotIn("  - `cusparse`", text)

    def test_options_set_by_hand_are_not_the_best_of_ours(self):
        text = text_of(run_of([case("m", 17, "levelset", 2e-4), case("m", 17, "tiled:variant=levelset", 1e-4)]))
        self.assertIn("| m | 10 | 30 | 17 | 10.0 | 200 levelset |", text)
        self.assertIn("| m | 200 | 100 |", text)

    def test_what_has_no_time_is_listed(self):
        text = text_of(SAMPLE)
        self.assertIn("- brack2, `kokkoskernels_rp` has no time: wrong answer in row 3 of column 0", text)
        self.assertIn("- `sequential` not run on 1 matrices: too large.", text)
        self.assertIn("`sptrsv` takes 2.00 of the fastest type's time", text)

    def test_petsc(self):
        text = text_of(SAMPLE, PETSC)
        self.assertIn("| matrix | factor | seqaij petsc | seqaijkokkos kokkos |", text)
        self.assertIn("| lap2d:9 | ilu | 500 | FAILED |", text)
        self.assertIn("| lap2d:9 | ilu | 2.00 | FAILED |", text)
        self.assertIn("- lap2d:9 ilu, seqaijkokkos kokkos: spiluk", text)

    def test_a_host_without_peers(self):
        text = text_of(run_of([case("m", 3, "levelset", 1e-4)]))
        self.assertIn("Compared with cuSPARSE: nothing to compare.", text)

    def test_other_files_are_refused(self):
        for run in ({"a": 1}, []):
            with self.assertRaises(SystemExit):
                text_of(run)
        with self.assertRaises(SystemExit):
            text_of()


if __name__ == "__main__":
    unittest.main()
