# SPDX-License-Identifier: Apache-2.0
"""Tests the rules of color_report.py on made-up measurements."""
import unittest

import color_report


def case(ordering, kind, solve, iterations=10, apply=1e-4, error="", sets=2):
    text = f"levelset (asked for), 1 kernels; {sets} levels, rows"
    if kind == "colorset":
        text = f"colorset (asked for), {sets} sets of 50.0 rows"
    return {"ordering": ordering, "type": kind, "error": error, "iterations": iterations, "setup": 1e-3, "solve": solve,
            "apply": apply,
            "lower": text, "upper": text}


def run(cases, n=100):
    return {"matrix": "m", "n": n, "entries": 5 * n, "factor": "icc0", "product_natural": 1e-5, "product_color": 2e-5,
            "cases": cases}


class Winner(unittest.TestCase):
    def test_total_time_decides_not_iterations_or_applications(self):
        one = run([case("natural", "levelset", 0.1, 10, 1e-3), case("color", "colorset", 0.2, 30, 1e-5)])
        self.assertEqual(color_report.winner(color_report.best(one, ["natural"]), color_report.best(one, ["color"])),
                         "natural by 2.00")
        text = color_report.report([one])
        self.assertIn("color wins on 0 of 1 matrices, natural on 1", text)
        self.assertIn("| 10 | 1000 | 100.0 levelset | 30 | 10 | 200.0 colorset |", text)
        self.assertIn("Iterations: 3.00 times as many", text)
        self.assertIn("takes 2.00 times as long", text)

    def test_what_does_not_converge_does_not_win(self):
        one = run([case("natural", "levelset", 0.1, error="did not converge"), case("color", "colorset", 0.2)])
        self.assertEqual(color_report.winner(color_report.best(one, ["natural"]), color_report.best(one, ["color"])),
                         "color")

    def test_even(self):
        self.assertEqual(color_report.winner({"solve": 1.0}, {"solve": 1.01}), "even")
        self.assertEqual(color_report.winner(None, None), "neither converged")


class Model(unittest.TestCase):
    def test_fit_finds_the_figures_that_made_the_times(self):
        row_seconds, capacity = 3e-6, 1024
        points = []
        for rows in (1000, 100000, 1000000):
            for sets in (1, 2, 50, 900):
                one = {"type": "colorset", "rows": rows, "both": [sets, sets]}
                points.append(dict(one, seconds=color_report.predicted(one, row_seconds, capacity)))
        found = color_report.fit(points)
        self.assertAlmostEqual(found[0] / row_seconds, 1, places=6)
        self.assertAlmostEqual(found[1], capacity)
        self.assertLess(found[2][-1], 1.000001)

    def test_sets_are_read_from_the_view(self):
        one = run([case("color", "colorset", 0.1, sets=7), case("color", "levelset", 0.1, sets=9),
                   case("color", "petsc", 0.1)])
        self.assertEqual([s["sets"] for s in color_report.solves(one)], [14, 18])


if __name__ == "__main__":
    unittest.main()
