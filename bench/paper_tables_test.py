#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests paper_tables.py on a small made-up run."""
import contextlib
import io
import json
import os
import tempfile
import unittest

import paper_tables
from gpu_table_test import case, missing, run_of

CSC = "syncfree:form=csc"


def sized(result, rows, entries):
    return {**result, "rows": rows, "entries": entries}


def on(matrix, levels, times, rows=1000, entries=3000):
    """Returns the cases of one matrix. times: microseconds by contender."""
    return [sized(case(matrix, levels, name, us * 1e-6, analyze=us * 1e-5, peer=name in ("cusparse", "one_core")), rows,
                  entries)
            for name, us in times.items()]


RUN = run_of(on("kkt2:1000000", 2, {"cusparse": 100, CSC: 400, "syncfree": 200, "threadlevel": 50})
             + on("/t/ship_001_pattern.mtx", 500, {"cusparse": 800, CSC: 200, "syncfree": 100, "threadlevel": 1600,
                                                   "one_core": 20})
             + on("chain:200000", 1000, {"cusparse": 900, CSC: 100, "threadlevel": 450}, entries=1999)
             + on("lap2d:1000", 1999, {"cusparse": 600, "colorset": 5000}, rows=4000,
                  entries=11000) + on("lap2d:1000,color", 2, {"cusparse": 60, "colorset": 30}),
             [missing("chain:200000", 1000, "syncfree", error="wrong answer in row 3 of column 0")])


def lines(name, run=RUN):
    return paper_tables.documents([run])[name].splitlines()


def line(name, start, run=RUN):
    found = [text for text in lines(name, run) if text.startswith(start)]
    assert len(found) == 1, (start, found)
    return found[0]


def call(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
        paper_tables.main(list(arguments))
    return out.getvalue()


class PaperTablesTest(unittest.TestCase):
    def test_a_matrix_of_the_papers_classes(self):
        self.assertEqual(line("syncfree", "| the paper's"),
                         "| the paper's | matrix | levels | cusparse us | syncfree:form=csc us | syncfree us | "
                         "cusparse / syncfree:form=csc "
                         "| paper | cusparse / syncfree | syncfree:form=csc / syncfree |")
        self.assertEqual(line("syncfree", "| nlpkkt160"),
                         "| nlpkkt160 | kkt2:1000000 | 2 | 100 | 400 | 200 | 0.250 | about 1 | 0.500 | 2.00 |")
        # matrices that were not run
        self.assertEqual(line("syncfree", "| Dense"), "| Dense | dense:2000 | - | - | - | - | - | - | - | - |")
        # a matrix that is not in the paper is in the table, but in no average; wrong answers have no time
        self.assertEqual(line("syncfree", "| - | chain"),
                         "| - | chain:200000 | 1000 | 900 | 100 | WRONG | 9.00 | - | - | - |")

    def test_averages(self):
        # 100/400 and 800/200; 100/200 and 800/100; 2 and 2
        self.assertEqual(line("syncfree", "| geometric"),
                         "| geometric mean |  |  |  |  |  | 1.00 (2) |  | 2.00 (2) | 2.00 (2) |")
        self.assertEqual(line("syncfree", "| arithmetic"),
                         "| arithmetic mean |  |  |  |  |  | 2.12 (2) | 2.14 | 4.25 (2) | 2.00 (2) |")
        self.assertEqual(line("syncfree", "| largest"),
                         "| largest |  |  |  |  |  | 4.00 (2) | 3.65 | 8.00 (2) | 2.00 (2) |")

    def test_analysis_has_the_ratio_of_harmonic_means(self):
        self.assertEqual(line("syncfree-analysis", "| nlpkkt160"),
                         "| nlpkkt160 | kkt2:1000000 | 2 | 1.00 | 4.00 | 2.00 | 0.250 | 2.2 | 0.500 |")
        # 2 / (1/1 + 1/8) over 2 / (1/4 + 1/2), and over 2 / (1/2 + 1/1)
        self.assertEqual(line("syncfree-analysis", "| ratio"),
                         "| ratio of harmonic means |  |  |  |  |  | 0.667 (2) | 43.7 | 1.33 (2) |")

    def test_another_order_of_a_matrix(self):
        self.assertEqual(line("colorset", "| model grid"),
                         "| model grid, ecology2 | lap2d:1000 | 1999 / 2 | 600 | 60.0 | 30.0 | - | 20.0 | - | - | - | "
                         "2.00 |")
        self.assertEqual(line("colorset", "| geometric"),
                         "| geometric mean |  |  |  |  |  |  | 20.0 (1) | 5.41 | - (0) | 7.23 | 2.00 (1) |")
        self.assertIn("cusparse, in order color us", lines("colorset")[0])

    def test_all_matrices_by_levels(self):
        rows = [text.split(" | ")[1] for text in lines("tiled")[2:7]]
        self.assertEqual(rows, ["kkt2:1000000", "lap2d:1000,color", "ship_001_pattern", "chain:200000", "lap2d:1000"])
        self.assertEqual(len(lines("tiled")), 7)  # without averages
        self.assertIn("| 20.0 |", line("levelset", "| FEM, dense"))

    def test_granularity_is_the_papers(self):
        # table 8 of the paper: luxembourg_osm has granularity 0.88 with 2.04 entries per row and 268.38 rows per level,
        # cvxbqp1 0.73 with 4 and 2000
        self.assertAlmostEqual(paper_tables.granularity({"rows": 114599, "levels": 427, "entries": 234265}), 0.89,
                               delta=0.01)
        self.assertAlmostEqual(paper_tables.granularity({"rows": 50000, "levels": 25, "entries": 200000}), 0.735,
                               delta=0.01)
        self.assertEqual(paper_tables.granularity({"rows": 9, "levels": 9, "entries": 17}), -2)

    def test_averages_are_parted_by_granularity(self):
        # 500 rows per level, 3 entries per row: log10(2.699 / 0.4786 + 0.01) = 0.752
        self.assertTrue(line("threadlevel",
                             "| two levels, 0.75 |").endswith("| 2.00 | 1.79, 2.20 | 8.00 | 1.10, 1.38 | - | - |"))
        self.assertTrue(line("threadlevel",
                             "| geometric mean, granularity over 0.7").endswith("| 2.00 (1) |  | 8.00 (1) |  | - (0) | "
                                                                                " |"))
        self.assertTrue(line("threadlevel", "| arithmetic mean, granularity over 0.7").endswith(
            "| 2.00 (1) | 2.49 | 8.00 (1) | 2.97 | - (0) | 55.05 |"))
        # 800/1600 and 900/450; the paper's averages are over other matrices
        self.assertTrue(line("threadlevel",
                             "| arithmetic mean, others").endswith("| 1.25 (2) |  | 0.174 (2) |  | - (0) |  |"))

    def test_all_that_the_tables_need_is_asked_for(self):
        names = call("--extra").strip().split(",")
        self.assertIn(CSC, names)
        self.assertIn("colorset:form=cpls", names)
        for table in paper_tables.TABLES.values():
            for ratio in table.ratios:
                self.assertIn(ratio.ours, table.times)
                self.assertIn(ratio.over, table.times)

    def test_tables_go_into_their_places(self):
        tables = {"a": "| 1 |\n", "b": "| 2 |\n"}
        text = "x\n<!-- table: b -->\nold\n<!-- end -->\ny\n<!-- table: a -->\n<!-- end -->\n"
        new = "x\n<!-- table: b -->\n\n| 2 |\n\n<!-- end -->\ny\n<!-- table: a -->\n\n| 1 |\n\n<!-- end -->\n"
        self.assertEqual(paper_tables.put_into(text, tables), new)
        self.assertEqual(paper_tables.put_into(new, tables), new)
        for bad in (text.replace("table: a", "table: c"), text + "<!-- table: a -->\n<!-- end -->\n",
                    text.replace("old\n<!-- end -->\n", ""), "x\n"):
            with self.assertRaises(ValueError):
                paper_tables.put_into(bad, tables)

    def test_the_page_has_all_places(self):
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "algorithms.md")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| nlpkkt160 |", paper_tables.put_into(text, paper_tables.documents([RUN])))
        self.assertIn(f"EXTRA={','.join(paper_tables.extra())}", text.replace(",\\\n    ", ","))

    def test_files_of_one_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, run in enumerate((RUN, {**RUN, "commit": "other"})):
                with open(os.path.join(folder, f"{number}.json"), "w", encoding="utf-8") as file:
                    json.dump(run, file)
            self.assertIn("Device: GPU. Commit c, x, Kokkos 4, Cuda. Date: 2026-01-02.",
                          call(os.path.join(folder, "0.json")))
            for refused in ([folder], []):
                with self.assertRaises(SystemExit):
                    call(*refused)


if __name__ == "__main__":
    unittest.main()
