#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests sptrsv_inspect: inspect_test.py PROGRAM [Findings|Errors]"""
import gzip
import json
import lzma
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""


def example():
    """Returns an unsymmetric matrix of 5 rows; row 1 has a zero on the diagonal, row 3 no diagonal entry."""
    return {(0, 0): 2.0, (1, 0): 1.0, (1, 1): 0.0, (2, 1): -3.0, (2, 2): 4.0, (3, 0): 1.0, (4, 4): 1.0, (0, 4): 5.0}


def matrix_market(entries, rows=5, columns=5):
    lines = [f"{i + 1} {j + 1} {value!r}" for (i, j), value in sorted(entries.items())]
    return "\n".join(["%%MatrixMarket matrix coordinate real general", f"{rows} {columns} {len(lines)}"] + lines
                     + [""]).encode()


def petsc_binary(entries, rows=5):
    order = sorted(entries)
    lengths = [sum(i == row for i, _ in order) for row in range(rows)]
    return (struct.pack(f">{4 + rows + len(order)}i", 1211216, rows, rows, len(order), *lengths, *(j for _, j in order))
            + struct.pack(f">{len(order)}d", *(entries[at] for at in order)))


class ProgramTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)
        return path

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=100, check=False)

    def text(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def findings(self, *arguments):
        path = self.path("out.json")
        self.text(*arguments, "--json", path)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


class Findings(ProgramTest):
    def test_grid(self):
        found = self.findings("lap2d:40", "--repeat", "2")
        self.assertEqual((found["rows"], found["entries"], found["matrix_entries"]), (1600, 4720, 7840))
        self.assertEqual(found["levels"]["rows"], list(range(1, 41)) + list(range(39, 0, -1)))
        self.assertEqual([found["levels"][key] for key in ("count", "least_rows", "most_rows")], [79, 1, 40])
        self.assertEqual(found["row_lengths"]["rows_of_length"], [[0, 1], [1, 78], [2, 1521]])
        self.assertEqual((found["row_lengths"]["longest"], found["bandwidth"]), (2, 40))
        self.assertEqual(found["colors"]["rows"], [800, 800])
        self.assertEqual(found["matrix_bytes"], 12 * 4720 + 4 * 1601)
        self.assertAlmostEqual(found["parallel_granularity"],
                               math.log10(math.log10(1600 / 79) / math.log10(2.95 + 0.01) + 0.01), 9)
        self.assertEqual(sum(f["entries"] for f in found["tiles"]["formats"]), 4720)
        self.assertEqual(sum(f["tiles"] for f in found["tiles"]["formats"]), found["tiles"]["count"])

    def test_types_and_planner(self):
        found = self.findings("lap2d:40", "--repeat", "2")
        names = [a["name"] for a in found["algorithms"]]
        self.assertLessEqual({"sequential", "levelset", "syncfree", "threadlevel"}, set(names))
        self.assertIn(found["planner"]["used"], names)
        self.assertTrue(found["planner"]["reason"])
        for a in found["algorithms"]:
            if a["refusal"]:
                continue
            self.assertEqual(a["error"], "")
            self.assertGreater(a["solve"]["median"], 0)
            self.assertGreaterEqual(a["analyze"]["median"], a["analyze"]["minimum"])
            self.assertEqual(a["used"], a["name"])
        by_name = {a["name"]: a for a in found["algorithms"]}
        if found["space"] in ("openmp", "serial"):
            self.assertGreater(by_name["sequential"]["predicted_solve"], 0)
            self.assertGreater(by_name["levelset"]["predicted_solve"], 0)
            self.assertIsNone(by_name["syncfree"]["predicted_solve"])
        self.assertGreater(by_name["levelset"]["memory_bytes"], 1600 * 4)
        self.assertLess(by_name["sequential"]["memory_bytes"], 1600 * 4)

    def test_known_tiles(self):
        found = self.findings("dense:32", "--no-time")["tiles"]["formats"]
        formats = {f["name"]: (f["tiles"], f["entries"]) for f in found}
        self.assertEqual(formats, {"diagonal": (2, 272), "dense": (1, 256), "ELL": (0, 0), "sparse": (0, 0)})

    def test_shapes(self):
        lengths = {"": [[0, 99], [99, 1]], "--transpose": [[0, 1], [1, 99]], "--upper": [[0, 1], [1, 99]]}
        for option, expected in lengths.items():
            found = self.findings("arrow_down:100", "--no-time", *option.split())
            self.assertEqual(found["row_lengths"]["rows_of_length"], expected)
            self.assertEqual(found["levels"]["rows"], [99, 1] if option == "" else [1, 99])
        self.assertEqual(self.findings("arrow_down:100", "--no-time", "--upper", "--transpose")["levels"]["rows"],
                         [99, 1])

    def test_histogram_in_the_text(self):
        text = self.text("lap2d:40", "--repeat", "2")
        self.assertRegex(text, r"levels +79 +of 20\.3 rows on average, 1 to 40\n")
        # levels of 1, 2-3, .., 32-63 rows and the fraction of rows in them
        for line in (r" 1 +2 +0\.1 %  #+\n", r" 2 - 3 +4 +0\.6 %  ", r" 4 - 7 +8 +2\.8 %  ",
                     r" 16 - 31 +32 +47\.0 %  #{40}\n", r" 32 - 63 +17 +38\.0 %  #{21}\n"):
            self.assertRegex(text, line)
        self.assertRegex(text, r"type +memory MiB +analyze ms +update ms +solve us( +predicted us)? +x fastest\n")
        self.assertRegex(text, r"the fastest measured is \w+")

    def test_no_time(self):
        text = self.text("lap2d:10", "--no-time")
        self.assertNotIn("solve us", text)
        self.assertNotIn("fastest", text)
        self.assertIn("memory MiB", text)
        self.assertNotIn("solve", self.findings("lap2d:10", "--no-time")["algorithms"][0])

    def test_kinds_of_files_agree(self):
        content = matrix_market(example())
        for name, data in (("a.mtx", content), ("a.mtx.gz", gzip.compress(content)),
                           ("a.bin", petsc_binary(example()))):
            found = self.findings(self.path(name, data), "--no-time")
            self.assertEqual((found["matrix_entries"], found["entries"], found["rows"]), (8, 8, 5), name)
            self.assertEqual(found["levels"]["rows"], [2, 2, 1], name)
            self.assertEqual((found["missing_diagonals"], found["zero_diagonals"]), (1, 1), name)
        text = self.text(self.path("a.mtx"), "--repeat", "1")
        self.assertIn("! 1 row without a diagonal entry", text)
        self.assertIn("! 1 row with a zero on the diagonal", text)

    def test_a_name_that_is_not_utf8(self):
        path = os.path.join(os.fsencode(self.folder), b"caf\xe9_\xf0\x9f\x98\x80_\xed\xa0\x80.mtx")
        with open(path, "wb") as file:
            file.write(matrix_market(example()))
        out = self.path("out.json")
        subprocess.run([PROGRAM, path, "--no-time", "--json", out], stdin=subprocess.DEVNULL, capture_output=True,
                       timeout=100, check=True)
        with open(out, encoding="utf-8") as file:
            found = json.load(file)
        self.assertTrue(found["matrix"].endswith("/caf\ufffd_\U0001f600_\ufffd\ufffd\ufffd.mtx"), found["matrix"])

    def test_small_and_empty(self):
        for matrix, rows, levels in (("diagonal:0", 0, 0), ("diagonal:1", 1, 1), ("diagonal:20", 20, 1),
                                     ("chain:20", 20, 20)):
            found = self.findings(matrix, "--repeat", "1")
            self.assertEqual((found["rows"], found["levels"]["count"]), (rows, levels))
        self.assertIsNone(self.findings("diagonal:0", "--no-time")["parallel_granularity"])

    def test_what_is_left_out(self):
        found = self.findings("chain:20", "--space", "serial", "--algorithms", "levelset", "--no-time", "--no-colors",
                              "--no-tiles", "--columns", "3")
        self.assertEqual([a["name"] for a in found["algorithms"]], ["levelset"])
        self.assertEqual((found["space"], found["threads"], found["columns"]), ("serial", 1, 3))
        self.assertIsNone(found["colors"])
        self.assertIsNone(found["tiles"])


class Errors(ProgramTest):
    def assert_refused(self, parts, *arguments):
        result = self.run_program(*arguments)
        self.assertNotEqual(result.returncode, 0)
        for part in parts:
            self.assertIn(part, result.stderr)

    def test_matrices(self):
        self.assert_refused(["no_such.mtx: there is no such file", "check the name"], "no_such.mtx")
        self.assert_refused(["no family 'no_such_family'", "lap2d:side"], "no_such_family:3")
        self.assert_refused(["takes 1 integer parameters"], "lap2d:3,4")
        wide = self.path("wide.mtx", matrix_market({(0, 0): 1.0}, 2, 3))
        self.assert_refused([wide, "2 rows and 3 columns", "square"], wide)
        packed = self.path("a.mtx.xz", lzma.compress(matrix_market(example())))
        self.assert_refused([packed, "packed with xz", "xz -dk"], packed)
        bad = self.path("bad.mtx", matrix_market(example()).replace(b"5 5 1.0", b"5 6 1.0"))
        self.assert_refused([bad + ":10:", "(5, 6) lies outside"], bad)
        cut = self.path("cut.bin", petsc_binary(example())[:-5])
        self.assert_refused([cut, "more than a file of"], cut)

    def test_options(self):
        self.assert_refused(["--space gpu", "serial"], "lap2d:3", "--space", "gpu")
        self.assert_refused(["--algorithms", "'fast'", "levelset"], "lap2d:3", "--algorithms", "fast")
        self.assert_refused(["--option", "x", "levelset"], "lap2d:3", "--option", "x=1")
        self.assert_refused(["--option", "levelset_wide_rows", "integer"], "lap2d:3", "--option",
                            "levelset_wide_rows=many")
        self.assert_refused(["--columns"], "lap2d:3", "--columns", "0")
        self.assert_refused(["matrix"])

    def test_outputs(self):
        nowhere = self.path("nowhere/x")
        self.assert_refused(["--json " + nowhere], "lap2d:3", "--no-time", "--json", nowhere)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
