#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the papers' claims with the measurements of one run of scripts/gpu-bench: the tables of docs/algorithms.md.

    bench/paper_tables.py RESULTS                              # all tables
    bench/paper_tables.py RESULTS --into docs/algorithms.md    # between `<!-- table: NAME -->` and `<!-- end -->` there

RESULTS is a folder, or the files of bench_solve.

The run needs the types with options that the tables name: set EXTRA to the output of `bench/paper_tables.py --extra`.
A case without a time is shown as `-`, WRONG or FAILED, and is in no average. Files of different runs are refused.
"""
import argparse
import math
import re
import sys
from collections import namedtuple

import gpu_table

ALL, GRANULAR = "all", "granular"
GRANULARITY = 0.7  # the 2021 paper's matrices have a higher granularity

# Classes of the generated and real matrices, for tables without classes of their own
CLASSES = {
    "kkt2:1000000": "two levels", "kkt_BOYD1": "two levels, rows of up to 93,000 entries",
    "kkt_BOYD2": "two levels, a few long rows",
    "road:2000": "road-like", "luxembourg_osm": "road network", "powerlaw:1000000": "power law",
    "rmat:20,16": "social graph",
    "fem3:32": "FEM, 3D, 3 unknowns a node", "fem2d:700,rcm": "FEM, 2D, banded order", "mdual": "dual graph of a mesh",
    "brack2": "FEM mesh, levels of few rows", "ship_001_pattern": "FEM, dense blocks",
    "stencil27:80": "grid, 3D, 27 points",
    "lap2d:1000": "grid, 2D", "lap3d:100": "grid, 3D", "lap2d:1000,random": "grid, random order",
    "lap3d:100,color": "grid, red-black",
    "G3_circuit": "circuit simulation", "dense:2000": "dense", "band:500000,16,2000": "random band",
    "chain:200000": "chain",
    "lap2d:1000,color": "grid, red-black", "stencil27:80,color": "grid, color by color",
    "fem3:32,color": "FEM, color by color"}

# over / ours is a speedup. claims: the paper's speedup for a matrix' class, by matrix; average and most: over all of
# the paper's matrices
Ratio = namedtuple("Ratio", "over ours claims average most", defaults=({}, "-", "-"))
# times: contenders; NAME@ORDER is NAME on the same matrix in another order. average: kinds of average_of(), the paper's
# own last. rows: ALL, GRANULAR (all, split by granularity), or (the paper's matrices, the measured ones of that
# class); others: further measured matrices, which are in no average
Table = namedtuple("Table", "phase times ratios rows average others",
                   defaults=(("geometric mean", "arithmetic mean"), ()))

CSC = "syncfree:form=csc"
MATRICES_2016 = [
    ("nlpkkt160", "kkt2:1000000"), ("road_central, road_usa", "road:2000"),
    ("road_central, road_usa", "luxembourg_osm"),
    ("webbase-1M, wiki-Talk", "powerlaw:1000000"), ("hollywood-2009", "rmat:20,16"), ("chipcool0", "stencil27:80"),
    ("FEM/Cantilever", "fem3:32"), ("FEM/ship_003, crankseg_1", "ship_001_pattern"), ("Dense", "dense:2000")]
TABLES = {
    "levelset": Table(
        "solve", ["one_core", "kokkoskernels_rp", "cusparse", "levelset"],
        [Ratio("one_core", "levelset", average="over 2, of whole iterations"), Ratio("kokkoskernels_rp", "levelset"),
         Ratio("cusparse", "levelset", {"kkt2:1000000": "1.35 (2021)", "powerlaw:1000000": "0.92 (2021)",
                                        "fem3:32": "0.27 (2021)"})], ALL),
    "colorset": Table(
        "solve", ["cusparse", "cusparse@color", "colorset@color", "colorset:form=cpls@color"],
        [Ratio("cusparse", "colorset@color", average="5.41", most="63"),
         Ratio("cusparse", "colorset:form=cpls@color", average="7.23"), Ratio("cusparse@color", "colorset@color")],
        [("model grid, ecology2", "lap2d:1000"), ("apache2", "lap3d:100"), ("-", "stencil27:80"),
         ("boneS01, Fault_639", "fem3:32")],
        ("geometric mean",)),
    "syncfree": Table(
        "solve", ["cusparse", CSC, "syncfree"],
        [Ratio("cusparse", CSC, {"kkt2:1000000": "about 1", "fem3:32": "3.65", "rmat:20,16": "2.52"}, "2.14", "3.65"),
         Ratio("cusparse", "syncfree"), Ratio(CSC, "syncfree")], MATRICES_2016,
        others=[("-", "lap2d:1000"), ("-", "lap3d:100"), ("-", "brack2"), ("-", "chain:200000"), ("-", "kkt_BOYD1"),
                ("-", "kkt_BOYD2")]),
    "syncfree-analysis": Table(
        "analyze", ["cusparse", CSC, "syncfree"],
        [Ratio("cusparse", CSC, {
            "kkt2:1000000": "2.2", "road:2000": "6.1, 24.9", "luxembourg_osm": "6.1, 24.9",
            "powerlaw:1000000": "42.2, 52.5",
            "rmat:20,16": "42.3", "stencil27:80": "70.5", "fem3:32": "51.8", "ship_001_pattern": "16.7, 14.3",
            "dense:2000": "24.9"},
               "43.7", "70.5"), Ratio("cusparse", "syncfree")], MATRICES_2016, ("ratio of harmonic means",)),
    "threadlevel": Table(
        "solve", ["cusparse", CSC, "threadlevel:form=two_phase", "threadlevel"],
        [Ratio("cusparse", "threadlevel", {"luxembourg_osm": "1.58", "kkt2:1000000": "1.79, 2.20",
                                           "G3_circuit": "4.03, 8.37"}, "2.49"),
         Ratio(CSC, "threadlevel", {"luxembourg_osm": "2.34", "kkt2:1000000": "1.10, 1.38", "G3_circuit": "12.4, 7.07"},
               "2.97"),
         Ratio("threadlevel:form=two_phase", "threadlevel", average="55.05")], GRANULAR),
    "fused": Table(
        "solve", ["cusparse", CSC, "threadlevel", "syncfree", "fused"],
        [Ratio("cusparse", "fused", {"luxembourg_osm": "2.30", "kkt2:1000000": "2.56, 3.18",
                                     "G3_circuit": "4.88, 11.6"}, "3.12", "25.83"),
         Ratio(CSC, "fused", {"luxembourg_osm": "3.41", "kkt2:1000000": "1.58, 2.00", "G3_circuit": "15.1, 9.76"},
               "4.14", "36.50"),
         Ratio("threadlevel", "fused", {"luxembourg_osm": "1.46", "kkt2:1000000": "1.43, 1.45",
                                        "G3_circuit": "1.21, 1.38"}, "1.77",
               "22.13"), Ratio("syncfree", "fused")], GRANULAR),
    "tiled": Table(
        "solve", ["cusparse", CSC, "tiled:variant=levelset", "tiled:variant=syncfree", "tiled"],
        [Ratio("cusparse", "tiled:variant=levelset", average="5.29", most="38.10"),
         Ratio(CSC, "tiled:variant=levelset", average="5.33", most="21.32"),
         Ratio("cusparse", "tiled:variant=syncfree"),
         Ratio("cusparse", "tiled")], ALL),
}
PHASES = {"solve": (1e6, "us"), "analyze": (1e3, "ms")}


def extra():
    """Returns the types with options, which a run of all types leaves out."""
    names = {name.split("@")[0] for t in TABLES.values() for name in t.times + [n for r in t.ratios
                                                                                for n in (r.over, r.ours)]}
    return sorted(n for n in names if ":" in n)


def granularity(case):
    """Returns the granularity by equation (1) of the 2021 paper, with its constants."""
    return math.log10(math.log10(case["rows"] / case["levels"]) / math.log10(case["entries"] / case["rows"] + 0.01)
                      + 0.01)


def average_of(kind, pairs):
    """Returns the average of a kind. pairs: times of the other and of sptrsv."""
    ratios = [other / ours for other, ours in pairs]
    if kind == "geometric mean":
        return gpu_table.geometric_mean(ratios)
    if kind == "arithmetic mean":
        return sum(ratios) / len(ratios)
    return sum(1 / ours for _, ours in pairs) / sum(1 / other for other, _ in pairs)


class Measured:
    """Matrices of the run by name, and a contender's time on one of them."""

    def __init__(self, runs):
        self.matrices = {m.name: m for m in gpu_table.collect(runs)[0]}

    def find(self, matrix, contender):
        name, _, order = contender.partition("@")
        return self.matrices.get(matrix + "," * bool(order) + order), name

    def cell(self, matrix, contender, phase):
        where, name = self.find(matrix, contender)
        return gpu_table.cell(where, name, phase, PHASES[phase][0]) if where else "-"

    def seconds(self, matrix, contender, phase):
        where, name = self.find(matrix, contender)
        return where.timed[name][phase]["median"] if where and name in where.timed else None

    def levels(self, matrix, orders):
        """Returns the levels in the order of 1999, and after a slash those in each other order."""
        found = [self.find(matrix, f"@{order}" if order else "")[0] for order in orders]
        return " / ".join(str(m.case["levels"]) if m else "-" for m in found)


def pairs_of(measured, phase, ratio, matrices):
    pairs = [(measured.seconds(m, ratio.over, phase), measured.seconds(m, ratio.ours, phase)) for m in matrices]
    return [p for p in pairs if None not in p]


def has_claims(ratio):
    return bool(ratio.claims) or (ratio.average, ratio.most) != ("-", "-")


def averages(table, measured, title, matrices, claimed):
    """Returns the rows below a group: averages and largest ratio, each with the number of matrices in parentheses."""
    counted = [pairs_of(measured, table.phase, r, matrices) for r in table.ratios]
    rows = []
    for kind in (*table.average, "largest") if any(counted) else ():
        row = [kind + title] + [""] * (len(head(table)) - 1)
        for ratio, pairs in zip(table.ratios, counted):
            value = None if not pairs else max(o / u for o, u in pairs) if kind == "largest" else average_of(kind,
                                                                                                             pairs)
            row.append(f"{gpu_table.number(value)} ({len(pairs)})")
            if has_claims(ratio):
                claim = ratio.most if kind == "largest" else ratio.average if kind == table.average[-1] else ""
                row.append(claim if claimed else "")
        rows.append(row)
    return rows


def groups(table, measured):
    """Returns (title of the averages, [(class, matrix)], whether the paper's averages are over such matrices); without
    title: no averages."""
    if table.rows not in (ALL, GRANULAR):
        return [("", table.rows, True), (None, table.others, False)]
    ordered = sorted(measured.matrices.values(), key=lambda m: m.case["levels"])
    if table.rows == ALL:
        return [("", [(CLASSES.get(m.name, "-"), m.name) for m in ordered], True)]
    parts = []
    for over, title in ((True, f", granularity over {GRANULARITY}"), (False, ", others")):
        part = [m for m in ordered if (granularity(m.case) > GRANULARITY) == over]
        parts.append((title, [(f"{CLASSES.get(m.name, '-')}, {granularity(m.case):.2f}", m.name) for m in part], over))
    return parts


def head(table):
    """Returns the headings of the columns before the ratios."""
    first = "class" if table.rows == ALL else "class, granularity" if table.rows == GRANULAR else "the paper's"
    return [first, "matrix", "levels"] + [f"{shown(t)} {PHASES[table.phase][1]}" for t in table.times]


def shown(contender):
    return contender.replace("@", ", in order ")


def render(table, measured):
    orders = [""] + sorted({t.partition("@")[2] for t in table.times} - {""})
    header = head(table)
    for r in table.ratios:
        header += [f"{shown(r.over)} / {shown(r.ours)}"] + ["paper"] * has_claims(r)
    body = []
    for title, rows, claimed in groups(table, measured):
        for kind, m in rows:
            row = [kind, m, measured.levels(m, orders)] + [measured.cell(m, t, table.phase) for t in table.times]
            for r in table.ratios:
                pairs = pairs_of(measured, table.phase, r, [m])
                row.append(gpu_table.number(pairs[0][0] / pairs[0][1] if pairs else None))
                row += [r.claims.get(m, "-")] * has_claims(r)
            body.append(row)
        if title is not None:
            body += averages(table, measured, title, [m for _, m in rows], claimed)
    return "\n".join(gpu_table.table(header, body)) + "\n"


def read(names):
    runs = gpu_table.read(names)[0]
    if not runs:
        raise ValueError("no JSON files of bench_solve there")
    if len({(r["device"], r["commit"], r["space"]) for r in runs}) > 1:
        raise ValueError("files of different devices, commits or spaces")
    return runs


def documents(runs):
    measured = Measured(runs)
    return {"run": gpu_table.run_line(runs[0]) + "\n", **{name: render(table, measured)
                                                          for name, table in TABLES.items()}}


def put_into(text, tables):
    """Returns `text` with each table between its marks; every table needs exactly one mark, and every mark a table."""
    place = re.compile(r"^(<!-- table: ([^\n]*) -->\n)(.*?)^(<!-- end -->)$", re.M | re.S)
    names, marks = [m[2] for m in place.finditer(text)], re.findall(r"^<!-- table: (.*) -->$", text, re.M)
    if sorted(marks) != sorted(tables):
        raise ValueError(f"places are for {', '.join(sorted(marks)) or 'nothing'}; tables are "
                         f"{', '.join(sorted(tables))}")
    if names != marks:
        raise ValueError("a table's place has no <!-- end --> of its own")
    return place.sub(lambda m: f"{m[1]}\n{tables[m[2]]}\n{m[4]}", text)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", help="a folder, or JSON files of bench_solve")
    parser.add_argument("--into", metavar="FILE", help="replaces the tables in this file")
    parser.add_argument("--extra", action="store_true", help="prints what EXTRA of scripts/gpu-bench is to be")
    arguments = parser.parse_args(argv)
    if arguments.extra:
        print(",".join(extra()))
        return 0
    try:
        tables = documents(read(arguments.results))
        if arguments.into:
            with open(arguments.into, encoding="utf-8") as file:
                text = put_into(file.read(), tables)
            with open(arguments.into, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            print("\n".join(f"### {name}\n\n{table}" for name, table in tables.items()), end="")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        parser.error(f"not results of one run: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
