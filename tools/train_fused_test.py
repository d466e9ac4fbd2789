#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the rules of train_fused.py on cases made by hand. With the path of bench_solve as argument, tests all steps on
a tiny sample."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import scatter_svg
import train_fused

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent / "kokkos_backend/include/sptrsv/algorithm/sync_free/fused_table.hpp"
BENCH_SOLVE = None


def case(mean, warp, thread, family="rmat", **fused):
    return {"matrix": f"{family}:{mean}", "rows": 1000, "entries": 1000 + 1000 * mean, "levels": 10,
            "seconds": {"warp": warp, "thread": thread, **{name[1:]: t for name, t in fused.items()}}}


class Rules(unittest.TestCase):
    def test_parallel_granularity_is_the_papers(self):
        # table 8 of the paper
        for delta, alpha, beta in [(0.73, 4.00, 2000.00), (0.76, 4.00, 3000.00), (0.87, 3.39, 9622.5),
                                   (0.92, 3.02, 12812.06)]:
            rows = 10 ** 6
            self.assertAlmostEqual(train_fused.granularity(rows, alpha * rows, rows / beta), delta, delta=0.02)

    def test_paper_rule_parts_where_the_better_solve_changes(self):
        cases = [case(2, 4, 1), case(4, 3, 1), case(10, 1, 2), case(20, 1, 5)]
        threshold, loss = train_fused.fit_paper(cases)
        self.assertEqual((threshold, loss), (8, 1.0))  # the middle of 5 to 10

    def test_paper_rule_weighs_what_a_wrong_choice_costs(self):
        threshold, loss = train_fused.fit_paper([case(2, 1, 1.1), case(4, 3, 1), case(10, 1, 2)])
        self.assertGreater(threshold, 4)
        self.assertAlmostEqual(loss, 1.1 ** (1 / 3))

    def test_paper_rule_where_one_is_always_better(self):
        self.assertEqual(train_fused.fit_paper([case(5, 1, 2), case(9, 1, 2)])[0], 3)  # 1 to 5 give warps to all
        self.assertEqual(train_fused.fit_paper([case(5, 2, 1), case(9, 2, 1)])[0], 10)

    def test_fused_rule_takes_the_fastest_by_geometric_mean(self):
        cases = [case(2, 4, 1, t2=1, t8=1.2), case(9, 1, 4, t2=4, t8=1)]
        threshold, losses = train_fused.fit_fused(cases, [2, 8])
        self.assertEqual(threshold, 8)
        self.assertAlmostEqual(losses[2], 2)
        self.assertAlmostEqual(losses[8], 1.2 ** 0.5)

    def test_fused_rule_weighs_rmat_and_families_alike(self):
        cases = [case(2, 1, 1, t2=1, t8=1.5)] * 9 + [case(2, 1, 1, family="road", t2=2, t8=1)]
        threshold, losses = train_fused.fit_fused(cases, [2, 8])
        self.assertEqual(threshold, 8)
        self.assertAlmostEqual(losses[2], 2 ** 0.5)

    def test_files_of_one_device_are_fitted_together(self):
        one = {"device": "X1", "space": "Cuda", "thresholds": [2], "cases": ["a"]}
        self.assertEqual(train_fused.merged([one, dict(one, cases=["b"])])["cases"], ["a", "b"])
        with self.assertRaises(RuntimeError):
            train_fused.merged([one, dict(one, device="X2")])

    def test_entries_of_the_table_are_replaced_or_added(self):
        text = TABLE.read_text()
        once = train_fused.with_entry(text, "NVIDIA X1", 7, "first")
        self.assertIn('    {"NVIDIA X1", 7},  // first\n', once)
        again = train_fused.with_entry(once, "NVIDIA X1", 9, "second")
        self.assertEqual(again, once.replace("7},  // first", "9},  // second"))
        for entry in train_fused.ENTRY.finditer(text):
            self.assertIn(entry[0], again)
        with self.assertRaises(RuntimeError):
            train_fused.with_entry("something else", "NVIDIA X1", 7, "")

    def test_only_complete_matrices_count(self):
        def timed(matrix, how):
            return {"matrix": matrix, "rows": 4, "entries": 8, "levels": 2, "algorithm": how,
                    "solve": {"median": 1.0}}
        report = {"space": "Cuda", "device": "X1", "date": "d", "commit": "c",
                  "seconds": [timed("a", "syncfree"), timed("a", "threadlevel"), timed("a", "fused:threshold=3"),
                              timed("b", "syncfree")]}
        found = train_fused.cases_of(report, 3)
        self.assertEqual([c["seconds"] for _, c in found], [{"warp": 1.0, "thread": 1.0, "3": 1.0}])
        self.assertEqual(train_fused.device_key(found[0][0]), "X1")

    def test_ticks_cover_what_is_drawn(self):
        self.assertEqual(scatter_svg.log_ticks(0.3, 4), [0.2, 0.5, 1, 2, 5])
        self.assertEqual(scatter_svg.log_ticks(1, 1), [1, 2])
        self.assertEqual(scatter_svg.log_ticks(0.001, 0.001)[0], 0.001)
        for low, high in [(-1.7, 1.3), (0.2, 0.2), (0.31, 0.33)]:
            ticks = scatter_svg.nice_steps(low, high)
            self.assertTrue(ticks[0] <= low and high <= ticks[-1] + 1e-12 and len(ticks) >= 2, ticks)

    def test_plots_are_well_formed(self):
        svg = scatter_svg.scatter({"a < b": [(-1.5, 0.01), (0.7, 3)], "c": [(0.2, 40)]}, "t & u", "x", "y")
        root = xml.etree.ElementTree.fromstring(svg)
        self.assertEqual(len(root.findall("{*}circle")), 3)
        for text in ("a < b", "t & u"):
            self.assertIn(text, [t.text for t in root.findall("{*}text")])
        for circle in root.findall("{*}circle"):
            self.assertTrue(scatter_svg.LEFT <= float(circle.get("cx")) <= scatter_svg.WIDTH - scatter_svg.RIGHT)
            self.assertTrue(scatter_svg.TOP <= float(circle.get("cy")) <= scatter_svg.HEIGHT - scatter_svg.BOTTOM)


class WholeWay(unittest.TestCase):
    def run_script(self, *arguments):
        done = subprocess.run([sys.executable, HERE / "train_fused.py", *map(str, arguments)], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_a_tiny_sample_becomes_table_and_plot(self):
        if not BENCH_SOLVE:
            self.skipTest("no bench_solve given")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            measured, table, plot = folder / "times.json", folder / "table.hpp", folder / "plot.svg"
            table.write_text(TABLE.read_text())
            done = self.run_script("--bench-solve", BENCH_SOLVE, "--space", "openmp", "--families",
                                   "road:20 lap2d:20,random", "--scales", "8,9,11", "--edge-factors", "1,8",
                                   "--thresholds", "2,6,16", "--most-edges", 2048, "--repeat", 3, "--budget", 0.01,
                                   "--measure", measured)
            for progress in ("[1/4] families", "lap2d:20,random", "[2/4] scale 8", "rmat:8,1", "rmat:8,8", "[4/4]",
                             "6 matrices measured"):
                self.assertIn(progress, done.stderr)
            self.assertNotIn("rmat:9,8", done.stderr)
            done = self.run_script("--fit", measured, "--table", table, "--plot", plot)
            self.assertIn("rule paper:", done.stdout)
            chosen = re.search(r"rule fused: (\d+)", done.stdout)[1]
            self.assertIn(f'{{"host", {chosen}}},  //', table.read_text())
            self.assertEqual(len(xml.etree.ElementTree.parse(plot).getroot().findall("{*}circle")), 3 * 6)

    def test_time_that_is_up_is_said(self):
        if not BENCH_SOLVE:
            self.skipTest("no bench_solve given")
        with tempfile.TemporaryDirectory() as name:
            out = pathlib.Path(name) / "times.json"
            done = self.run_script("--bench-solve", BENCH_SOLVE, "--space", "openmp", "--families", "", "--scales",
                                   "8,9", "--edge-factors", "1,2",
                                   "--thresholds", "4", "--repeat", 3, "--budget", 0.01, "--seconds", 0.001,
                                   "--measure", out)
            self.assertIn("TIME IS UP: ['scale 8', 'scale 9']", done.stderr)
            self.assertEqual([c["matrix"] for c in json.loads(out.read_text())["cases"]], ["rmat:8,1"])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BENCH_SOLVE = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
