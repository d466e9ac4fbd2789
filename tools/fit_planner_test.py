#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests fit_planner.py on made-up runs whose times follow known prices."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import fit_planner

HEADER = """#pragma once
namespace sptrsv::detail {

// Other GPU: fitted to 3 systems
inline constexpr PlanCost plan_other_gpu[] = {
    {"levelset",
     {{{"solve", 7}, {"levels",
       2.5e-05}}}},
};

inline constexpr PlanDevice plan_devices[] = {
    {"Other GPU", plan_other_gpu, std::size(plan_other_gpu)},
};

}  // namespace sptrsv::detail
"""
PRICES = {"sequential": {"rows": 150.0, "bytes": 4.0},
          "levelset": {"solve": 4000.0, "levels": 500.0, "narrow_steps": 3.0},
          "syncfree": {"solve": 5000.0, "warp_window": 700.0, "longest_row": 5.0}}
MATRICES = {"a": (100, 20, 0, 30, 5), "b": (100000, 40, 1, 300, 9), "c": (100000, 3, 2, 12, 20000),
            "d": (50000, 50000, 0, 50000, 1),
            "e": (200000, 900, 0, 1000, 40), "f": (3000000, 7, 3, 400, 90), "g": (1000, 1000, 0, 1000, 999)}


def features_of(rows, levels, steps, window, longest):
    values = dict.fromkeys(["solve", *fit_planner.OTHERS, *sum(fit_planner.TERMS.values(), [])], 0)
    values.update(solve=1, rows=rows, bytes=40 * rows + 7 * longest, levels=levels, narrow_steps=steps,
                  warp_window=window, longest_row=longest)
    return values


def run_of(device="My GPU 1", matrices=MATRICES, planner="levelset"):
    seconds = []
    for matrix, numbers in matrices.items():
        features = features_of(*numbers)
        times = {name: 1e-9 * sum(price * features[f] for f, price in prices.items())
                 for name, prices in PRICES.items()}
        for name, time in [*times.items(), ("sptrsv", times[planner])]:
            seconds.append({"matrix": matrix, "shape": "lower stored", "columns": 1, "peer": False, "algorithm": name,
                            "used": planner if name == "sptrsv" else name, "solve": {"median": time},
                            "analyze": {"median": 0.004 if name == "sptrsv" else 0.003}, "features": features,
                            "candidates": list(PRICES)})
        seconds.append({"matrix": matrix, "shape": "lower stored", "columns": 1, "peer": True, "algorithm": "cusparse",
                        "used": "", "solve": {"median": 1e-12}, "analyze": {"median": 1.0}})
    return {"device": device, "seconds": seconds}


class FitPlanner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.header = self.folder / "plan_table.hpp"
        self.header.write_text(HEADER, encoding="utf-8")

    def files(self, *runs):
        for number, run in enumerate(runs):
            (self.folder / f"{number}.json").write_text(json.dumps(run), encoding="utf-8")
        return [str(path) for path in sorted(self.folder.glob("*.json"))]

    def main(self, runs, *options):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            fit_planner.main([*self.files(*runs), "--table", str(self.header), *options])
        return out.getvalue()

    def test_least_squares_stay_positive(self):
        self.assertEqual([round(x, 9) for x in fit_planner.nnls([[0.6, 0.8], [0.8, -0.6]], [2.0, 1.0])], [2.0, 1.0])
        # without the bound, x = (2, -1)
        self.assertEqual([round(x, 9) for x in fit_planner.nnls([[1.0, 0.0], [0.0, 1.0]], [2.0, -1.0])], [2.0, 0.0])

    def test_prices_are_found_again(self):
        _, cases = fit_planner.load_cases(self.files(run_of()))
        table = fit_planner.fit(cases)
        self.assertEqual(sorted(table), sorted(PRICES))
        for name, prices in PRICES.items():
            for feature, price in prices.items():
                self.assertAlmostEqual(table[name][feature] / price, 1, places=3, msg=f"{name} {feature}")
            self.assertLess(max([price for f, price in table[name].items() if f not in prices], default=0), 0.01,
                            table[name])
        self.assertEqual([fit_planner.choose(table, case) for case in cases],
                         [fit_planner.best_of(case) for case in cases])

    def test_a_type_that_is_no_candidate_counts_but_is_not_chosen(self):
        run = run_of(matrices={"a": MATRICES["a"]})
        for row in run["seconds"]:
            row["candidates"] = ["syncfree"]
        _, cases = fit_planner.load_cases(self.files(run))
        self.assertEqual(fit_planner.choose(PRICES, cases[0]), "syncfree")
        best = min(cases[0]["seconds"].values())
        self.assertAlmostEqual(fit_planner.regret(cases[0], "syncfree"), cases[0]["seconds"]["syncfree"] / best - 1)

    def test_report_of_a_fit(self):
        text = self.main([run_of()])
        self.assertIn("Regret, fitted: median 0.0%, worst 0.0%, over 7 systems.", text)
        self.assertRegex(text, r"Regret, family left out of the fit: median \d+\.\d%, worst \d+\.\d%, over 7 systems\.")
        self.assertIn("The planner's own part of the analysis: median 1 ms, at most 1 ms.", text)
        self.assertIn("| a | lower stored | levelset | 14 | levelset | 14 | 0.0% |", text)
        self.assertEqual(self.header.read_text(encoding="utf-8"), HEADER)

    def test_families(self):
        for matrix, family in [("lap3d:60,rcm", "lap3d,rcm"), ("lap3d:100,rcm", "lap3d,rcm"), ("lap3d:100", "lap3d"),
                               ("lap3d:40,nd,lu", "lap3d,nd,lu"),
                               ("band:500000,16,2000", "band"), ("G3_circuit", "G3_circuit")]:
            self.assertEqual(fit_planner.family(matrix), family)
        # levelset is slow on one family only, which a fit without that family does not know
        matrices = {f"wide:{k}": (100000 + k, 3, 2, 12, 20000 + k) for k in range(3)}
        run = run_of(matrices={**MATRICES, **matrices})
        for row in run["seconds"]:
            if row["matrix"].startswith("wide") and row["algorithm"] == "levelset":
                row["solve"]["median"] *= 1000
        _, cases = fit_planner.load_cases(self.files(run))
        choices = dict(zip((case["matrix"] for case in cases), fit_planner.left_out_choices(cases)))
        self.assertEqual({choices[name] for name in matrices}, {"levelset"})

    def test_types_with_an_own_estimate_are_left_out(self):
        run = run_of()
        reasons = {"a": "its own estimate, 73.6 us", "b": "chains, which it solves by scans"}
        for row in run["seconds"]:
            row["reason"] = reasons.get(row["matrix"], "estimated 4 us")
        _, cases = fit_planner.load_cases(self.files(run))
        self.assertEqual([case["matrix"] for case in cases], list("cdefg"))

    def test_table_is_written_and_read_back(self):
        self.main([run_of()], "--write")
        written = self.header.read_text(encoding="utf-8")
        self.assertIn("// My GPU 1: fitted to 7 systems\ninline constexpr PlanCost plan_my_gpu_1[] = {", written)
        self.assertIn('    {"My GPU 1", plan_my_gpu_1, std::size(plan_my_gpu_1)},\n};', written)
        table = fit_planner.read_table(written)
        self.assertEqual(table["Other GPU"], {"levelset": {"solve": 7, "levels": 2.5e-05}})
        _, cases = fit_planner.load_cases(self.files(run_of()))
        self.assertEqual(table["My GPU 1"], fit_planner.fit(cases))
        self.main([run_of()], "--write")
        self.assertEqual(self.header.read_text(encoding="utf-8"), written)
        self.main([run_of()], "--write", "--device", "Other GPU")
        again = self.header.read_text(encoding="utf-8")
        self.assertNotIn("fitted to 3 systems", again)
        self.assertEqual(again.count("std::size("), 2)

    def test_some_algorithms_are_fitted(self):
        self.main([run_of()], "--write")
        before = fit_planner.read_table(self.header.read_text(encoding="utf-8"))["My GPU 1"]
        run = run_of()
        for row in run["seconds"]:
            if row["algorithm"] in PRICES:
                row["solve"]["median"] *= 2
        self.main([run], "--only", "levelset", "--write")
        written = self.header.read_text(encoding="utf-8")
        self.assertIn("// My GPU 1: levelset fitted to 7 systems, the others before\n", written)
        after = fit_planner.read_table(written)["My GPU 1"]
        for name, prices in PRICES.items():
            for feature, price in before[name].items():
                if feature in prices:
                    self.assertAlmostEqual(after[name][feature] / price, 2 if name == "levelset" else 1, places=3)
        with self.assertRaisesRegex(SystemExit, "no times of levelsets as a candidate"):
            self.main([run], "--only", "levelsets")
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as error:
            self.main([run], "--only", "levelset", "--report")
        self.assertIn("leave out --only", error.getvalue())
        with self.assertRaisesRegex(SystemExit, "no prices for My GPU 2"):
            self.main([run_of(device="My GPU 2")], "--only", "levelset")

    def test_some_terms_are_fitted(self):
        # the price of levels alone is wrong, and alone is fitted again
        kept = {"levelset": {"solve": 4000.0, "narrow_steps": 3.0, "levels": 1.0, "of an earlier model": 2.0}}
        self.header.write_text(fit_planner.table_text(HEADER, "My GPU 1", kept, "before"), encoding="utf-8")
        self.main([run_of()], "--only", "levelset", "--terms", "levels", "--write")
        written = self.header.read_text(encoding="utf-8")
        self.assertIn("// My GPU 1: levels fitted to 7 systems, others before\n", written)
        self.assertEqual(fit_planner.read_table(written)["My GPU 1"], {"levelset": PRICES["levelset"]})
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as error:
            self.main([run_of()], "--terms", "levels")
        self.assertIn("--terms needs --only", error.getvalue())

    def test_prices_stay_without_candidates(self):
        # without family a, no system has levelset as a candidate
        run = run_of()
        for row in run["seconds"]:
            if row["matrix"] != "a":
                row["candidates"] = ["syncfree"]
        _, cases = fit_planner.load_cases(self.files(run))
        choices = fit_planner.left_out_choices(cases, PRICES, ["levelset"])
        self.assertIn(choices[0], PRICES)
        rest = [case for case in cases if case["matrix"] != "a"]
        self.assertEqual(fit_planner.fit(rest, PRICES, ["levelset"]), PRICES)

    def test_prices_fit_candidates(self):
        run = run_of()
        for row in run["seconds"]:
            if row["matrix"] == "a":
                row["candidates"] = ["syncfree"]
                if row["algorithm"] == "levelset":
                    row["solve"]["median"] *= 1000
        _, cases = fit_planner.load_cases(self.files(run))
        prices = fit_planner.fit(cases)["levelset"]
        for feature, price in PRICES["levelset"].items():
            self.assertAlmostEqual(prices[feature] / price, 1, places=3, msg=feature)

    def test_report_of_the_table(self):
        run = run_of()
        _, cases = fit_planner.load_cases(self.files(run))
        worst = max(fit_planner.regret(case, "levelset") for case in cases)
        self.assertIn(f"Regret, as it ran: median 0.0%, worst {worst:.1%}, over 7 systems.",
                      self.main([run], "--report"))
        self.main([run], "--write")
        self.assertIn("Regret, by the table: median 0.0%, worst 0.0%, over 7 systems.",
                      self.main([run], "--report", "--write"))

    def test_the_librarys_table_is_read(self):
        for device, table in fit_planner.read_table(fit_planner.TABLE.read_text(encoding="utf-8")).items():
            with self.subTest(device):
                self.assertTrue(table)
                self.assertTrue(all(table.values()))
                self.assertGreaterEqual(min(min(prices.values()) for prices in table.values()), 0)

    def test_other_files(self):
        petsc = {"program": "bench_petsc", "cases": []}
        self.assertEqual(fit_planner.load_cases(self.files(run_of(), petsc))[0], "My GPU 1")
        for runs, words in [([run_of(), run_of("B")], "several devices"), ([petsc, petsc], "no times")]:
            with self.assertRaisesRegex(SystemExit, words):
                self.main(runs)
        old = run_of()
        del old["seconds"][0]["features"]["late_longest"]
        with self.assertRaisesRegex(SystemExit, "no features"):
            self.main([old, petsc])


if __name__ == "__main__":
    unittest.main()
