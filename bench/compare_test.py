#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests compare.py."""
import contextlib
import io
import json
import os
import tempfile
import unittest

import compare


def results(solve):
    """Returns a file's content: one case whose solve takes `solve` seconds, with quartiles 1 % to each side."""
    times = {"median": solve, "minimum": solve, "q1": 0.99 * solve, "q3": 1.01 * solve, "runs": 20}
    case = {"matrix": "m", "shape": "lower", "columns": 1, "algorithm": "a", "analyze": times, "update": times,
            "solve": times}
    return {"library": "0", "commit": "c", "device": "d", "space": "s", "concurrency": 1, "compiler": "x",
            "seconds": [case]}


class CompareTest(unittest.TestCase):
    def run_on(self, old, new, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for name, data in (("old", old), ("new", new)):
                names.append(os.path.join(folder, name))
                with open(names[-1], "w", encoding="utf-8") as file:
                    json.dump(data, file)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                return compare.main(names + list(arguments))

    def test_a_loss_above_the_limit_fails(self):
        self.assertEqual(self.run_on(results(1.0), results(1.2)), 1)

    def test_a_loss_below_the_limit_and_a_gain_pass(self):
        self.assertEqual(self.run_on(results(1.0), results(1.05)), 0)
        self.assertEqual(self.run_on(results(1.0), results(0.5)), 0)
        self.assertEqual(self.run_on(results(1.0), results(1.2), "--max-loss", "0.3"), 0)

    def test_overlapping_quartiles_are_noise(self):
        old = results(1.0)
        old["seconds"][0]["solve"]["q3"] = 1.3
        self.assertEqual(self.run_on(old, results(1.2)), 0)

    def test_nothing_in_common_fails(self):
        new = results(1.0)
        new["seconds"][0]["matrix"] = "other"
        self.assertEqual(self.run_on(results(1.0), new), 1)

    def test_other_files_and_phases_are_refused(self):
        with self.assertRaises(SystemExit):
            self.run_on({"a": 1}, results(1.0))
        with self.assertRaises(SystemExit):
            self.run_on(results(1.0), results(1.0), "--phases", "apply")


if __name__ == "__main__":
    unittest.main()
