#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tables.py on small made-up runs."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import tables


def case(matrix, algorithm, solve=None, **rest):
    times = {phase: {"median": value} for phase, value in
             (("solve", solve), ("analyze", rest.pop("analyze", 1e-3)), ("update", 1e-4)) if solve}
    return {"matrix": matrix, "rows": 10, "entries": 30, "levels": 17, "limit": 1e-5, "algorithm": algorithm,
            "peer": algorithm not in ("levelset", "sptrsv", "sequential", "tiled:variant=levelset"),
            "cut_short": False, "gb_per_s": 12.0, **times, **rest}


def run_of(timed, rest=()):
    return {"device": "GPU", "commit": "c", "compiler": "x", "kokkos": "4", "space": "Cuda", "date": "2026-01-02",
            "seconds": timed, "not_timed": list(rest)}


SAMPLE = run_of([case("lap2d:9", "cusparse", 4e-4), case("lap2d:9", "levelset", 1e-4, analyze=1.1e-3),
                 case("lap2d:9", "sptrsv", 2e-4, analyze=1.3e-3), case("lap2d:9", "kokkoskernels_rp", 3e-4),
                 case("lap2d:9", "one_core", 5e-5), case("lap2d:9", "tiled:variant=levelset", 1e-5),
                 case("/t/brack2.mtx", "cusparse", 1e-4), case("/t/brack2.mtx", "levelset", 4e-4),
                 case("/t/brack2.mtx", "sequential", 2.5, cut_short=True)],
                [case("/t/brack2.mtx", "kokkoskernels_rp", error="wrong answer in row 3 of column 0", refusal=""),
                 case("/t/brack2.mtx", "sptrsv", error="out of memory", refusal=""),
                 case("lap2d:9", "sequential", error="", refusal="too large")])
PETSC = {"program": "bench_petsc", "petsc": "3.26.1", "cases": [
    {"matrix": "lap2d:9", "factor": "ilu", "mat_type": "seqaij", "type": "petsc", "setup": 0.002,
     "renewal": {"median": 1e-3}, "solve": {"median": 5e-4}},
    {"matrix": "lap2d:9", "factor": "ilu", "mat_type": "seqaijkokkos", "type": "kokkos", "error": "spiluk"}]}

OURS, JACOBI = "bjacobi:sptrsv:aijkokkos", "jacobi::aijkokkos"


def scale_case(name, per_iteration, iterations=20, error="", may_fail=False):
    return {"case": name, "may_fail": may_fail, "error": error, "iterations": iterations, "first_setup": 0.5,
            "setup": {"median": 0.25}, "per_iteration": per_iteration}


def scale_run(*cases, ranks=1):
    return {"petsc": "3.26.1", "host": "CPU", "problem": "dmda7", "cases": list(cases),
            "devices": [f"host a, device {k}" for k in range(ranks)]}


SCALE = (("gpus_rank", 1, "done, 3 s", scale_run(scale_case(JACOBI, 1e-4), scale_case(OURS, 1e-3))),
         ("gpus_rank", 2, "done, 4 s", scale_run(scale_case(JACOBI, 2e-4), scale_case(OURS, 1.5e-3), ranks=2)),
         ("gpus_rank", 4, "LEFT OUT: the time for all is used up", None))


def text_of(*runs, lines=None):
    """Returns what tables.py prints for JSON files, and for lines of runs.tsv if there are any."""
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stderr(io.StringIO()):
        folder, out = pathlib.Path(name), io.StringIO()
        for k, run in enumerate(runs):
            (folder / f"{k}.json").write_text(json.dumps(run), encoding="utf-8")
        if lines is not None:
            (folder / "runs.tsv").write_text("\n".join(lines), encoding="utf-8")
        with contextlib.redirect_stdout(out):
            tables.main([name])
        return out.getvalue()


def scale_text(runs):
    lines = ["#space\tcuda", "#aware\tno", "#check_size\t20"]
    lines += [f"{group}\tdmda7:100\t{column}\t{outcome}\t{f'{k}.json' if data else '-'}"
              for k, (group, column, outcome, data) in enumerate(runs)]
    return text_of(*[data for *_, data in runs], lines=lines)


class TablesTest(unittest.TestCase):
    def test_best_type_peers_and_phases(self):
        text = text_of(SAMPLE)
        self.assertIn("| lap2d:9 | 10 | 30 | 17 | 10.0 | 100 levelset | 12.0 | 10.0 | 400 | 4.00 | "
                      "300 kokkoskernels_rp | 3.00 | 50.0 |", text)
        self.assertIn("| brack2 | 400 | FAILED | - | 2500000\\* | 100 | WRONG | - |", text)
        self.assertIn("| lap2d:9 | 1.10 | 1.30 | 1.00 | - | 1.00 | 1.00 | 1.00 |", text)

    def test_means_losses_and_the_planner(self):
        text = text_of(SAMPLE)
        self.assertIn("cuSPARSE: 1.00 times as fast in geometric mean over 2 matrices. Losses: brack2 (0.250).", text)
        # one core is not a GPU solver: 300/100 and 100/400
        self.assertIn("the best peer of each matrix: 0.866 times as fast in geometric mean over 2 matrices.", text)
        self.assertIn("one core of the host: 0.500 times as fast in geometric mean over 1 matrices.", text)
        self.assertIn("takes 2.00 of the fastest type's time in geometric mean over 1 matrices; worst: lap2d:9", text)
        self.assertIn("Compared with cuSPARSE: nothing to compare.", text_of(run_of([case("m", "levelset", 1e-4)])))

    def test_what_has_no_time_is_listed(self):
        text = text_of(SAMPLE)
        self.assertIn("- `kokkoskernels_rp` has no time on brack2: wrong answer in row 3 of column 0", text)
        self.assertIn("- `sequential` has no time on lap2d:9: too large", text)

    def test_petsc(self):
        text = text_of(SAMPLE, PETSC)
        for line in ("| matrix | factor | seqaij petsc | seqaijkokkos kokkos |", "| lap2d:9 | ilu | 500 | FAILED |",
                     "| lap2d:9 | ilu | 2.00 | FAILED |", "- lap2d:9 ilu, seqaijkokkos kokkos: spiluk"):
            self.assertIn(line, text)

    def test_growth_and_devices(self):
        text = scale_text(SCALE)
        self.assertIn("### dmda7, 100^3 rows on each GPU\n\n| case | 1 GPU | 2 GPUs | 4 GPUs | first set-up, 1 GPU |",
                      text)
        self.assertIn(f"| {JACOBI} | 0.100 | 0.200 | LEFT OUT | 500 | 500 | LEFT OUT | 250 | 250 | LEFT OUT | 2.00 | "
                      "- |", text)
        self.assertIn("- 2 ranks (gpus_rank):\n  - rank 0: host a, device 0\n  - rank 1: host a, device 1\n", text)
        self.assertIn("- dmda7:100 gpus_rank 4: LEFT OUT: the time for all is used up", text)

    def test_scale_failures(self):
        text = scale_text([("ranks", 1, "done, 3 s", scale_run(scale_case(OURS, 1, error="no memory", may_fail=True))),
                           ("ranks", 2, "FAILED with exit code 1", scale_run(scale_case(OURS, 1e-4))),
                           ("check", 2, "done, 3 s", scale_run(scale_case("a", 1, 9), scale_case("b", 1, 10, "no"))),
                           ("ranks_mps", 1, "not run: no server", None)])
        for line in (f"| {OURS} | FAILED | 0.100 | FAILED | 500 | FAILED | 250 | - |", "| a | 9 |", "| b | 10 FAILED |",
                     f"- dmda7:100 ranks 1, `{OURS}` failed, as it may: no memory", "with MPS\n\nnot run: no server",
                     "- dmda7:100 ranks 2: FAILED with exit code 1", "20^3 rows on each rank: iterations to 1e-8"):
            self.assertIn(line, text)

    def test_other_folders_are_refused(self):
        for runs in ([{"a": 1}], [[]], []):
            with self.assertRaises(SystemExit):
                text_of(*runs)
        with self.assertRaises(SystemExit):
            text_of(lines=["nothing"])


if __name__ == "__main__":
    unittest.main()
