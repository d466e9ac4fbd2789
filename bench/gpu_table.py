#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the JSON files of one run of scripts/gpu-bench into the tables of docs/performance.md.

    bench/gpu_table.py RESULTS > table.md        # a folder, or the files

The files have no times of wrong answers; such cases are shown as WRONG or FAILED and listed below the tables.
"""
import argparse
import json
import math
import os
import sys

HOST = "one_core"  # a peer that is not a GPU solver
FEW_LEVELS = 2000
SOLVES = 3  # limit of an analysis in solves of cuSPARSE, for matrices with few levels
EXPLAIN = ("Microseconds per solve: lower triangle, double, 32-bit indices, one right-hand side, median of up to 50 "
           "warm solves, every "
           "answer checked row by row. `limit` = max(bytes / bandwidth, levels x hop). \\* cut short: a phase takes "
           "over a "
           "second and ran once. `-`: not run.")


class Matrix:
    """All measurements of one matrix."""

    def __init__(self, case):
        self.name = os.path.basename(case["matrix"]).split(".mtx")[0]
        self.case = case
        self.timed, self.rest = {}, {}

    def own(self):
        """Returns the names of sptrsv's types with a time, fastest first, without types whose options were set by hand,
        such as fused:threshold=2."""
        return self.sorted(r for r in self.timed.values() if not r["peer"] and ":" not in r["algorithm"])

    def gpu_peers(self):
        return self.sorted(r for r in self.timed.values() if r["peer"] and r["algorithm"] != HOST)

    @staticmethod
    def sorted(results):
        return [r["algorithm"] for r in sorted(results, key=lambda r: r["solve"]["median"])]

    def solve(self, name):
        return self.timed[name]["solve"]["median"]

    def speedup(self, over):
        """Returns the speedup of the fastest type of sptrsv over `over`; None if one of both is missing."""
        return self.solve(over) / self.solve(self.own()[0]) if over in self.timed and self.own() else None


def read(names):
    """Reads the files, and returns those of bench_solve and those of bench_petsc."""
    files = []
    for name in names:
        if os.path.isdir(name):
            files += sorted(os.path.join(name, f) for f in os.listdir(name) if f.endswith(".json"))
        else:
            files.append(name)
    solve, petsc = [], []
    for name in files:
        with open(name, encoding="utf-8") as file:
            data = json.load(file)
        (petsc if data.get("program") == "bench_petsc" else solve).append(data)
    return solve, petsc


def collect(data):
    """Returns the matrices, generated ones first, and all names, sptrsv's first, in the order in which they ran."""
    matrices, names = {}, {}
    for d in data:
        for case in d["seconds"] + d.get("not_timed", []):
            matrix = matrices.setdefault(case["matrix"], Matrix(case))
            (matrix.timed if "solve" in case else matrix.rest)[case["algorithm"]] = case
            names.setdefault(case["algorithm"], case["peer"])
    return sorted(matrices.values(), key=lambda m: "/" in m.case["matrix"]), sorted(names, key=names.get)


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def number(value):
    """Formats a number with three digits, or all before the point, for columns of different magnitudes."""
    if value is None:
        return "-"
    if value >= 100 or value < 1e-4:
        return f"{value:.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"


def cell(matrix, name, phase, factor):
    if name in matrix.timed:
        case = matrix.timed[name]
        return number(case[phase]["median"] * factor) + ("\\*" if case["cut_short"] else "")
    error = matrix.rest.get(name, {}).get("error", "")
    return "-" if not error else "WRONG" if error.startswith("wrong") else "FAILED"


def phase_table(matrices, names, phase, factor):
    return table(["matrix"] + names, [[m.name] + [cell(m, n, phase, factor) for n in names] for m in matrices])


def overview(matrices):
    rows = []
    for m in matrices:
        own, peers = m.own(), m.gpu_peers()
        best = m.timed[own[0]] if own else None
        limit = m.case["limit"]
        rows.append([
            m.name, str(m.case["rows"]), str(m.case["entries"]), str(m.case["levels"]),
            number(limit * 1e6) if limit else "-",
            f"{number(m.solve(own[0]) * 1e6)} {own[0]}" if own else "-", f"{best['gb_per_s']:.0f}" if best else "-",
            number(m.solve(own[0]) / limit) if own and limit else "-", cell(m, "cusparse", "solve", 1e6),
            number(m.speedup("cusparse")), f"{number(m.solve(peers[0]) * 1e6)} {peers[0]}" if peers else "-",
            number(m.speedup(peers[0])) if peers else "-", cell(m, HOST, "solve", 1e6)])
    return table(["matrix", "n", "nnz", "levels", "limit us", "best of ours us", "GB/s", "x limit", "cuSPARSE us",
                  "cuSPARSE / ours", "best peer us", "best peer / ours", "one host core us"], rows)


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else None


def comparison(label, pairs):
    """Lists geometric mean and losses. pairs: (name of the matrix, speedup)."""
    pairs = [(name, s) for name, s in pairs if s is not None]
    if not pairs:
        return [f"- Compared with {label}: nothing to compare."]
    losses = [f"{name} ({number(s)})" for name, s in pairs if s < 1]
    return [f"- Compared with {label}: {number(geometric_mean([s for _, s in pairs]))} times as fast in geometric mean "
            f"over {len(pairs)} matrices. Losses: {', '.join(losses) or 'none'}."]


def within(matrix, name):
    return matrix.timed[name]["analyze"]["median"] <= SOLVES * matrix.solve("cusparse")


def analysis_summary(matrices, names):
    few = [m for m in matrices if m.case["levels"] < FEW_LEVELS and "cusparse" in m.timed and m.own()]
    if not few:
        return [f"- No matrix with fewer than {FEW_LEVELS} levels has both a time of cuSPARSE and of ours."]
    late = [f"{m.name} ({m.own()[0]}, {number(m.timed[m.own()[0]]['analyze']['median'] / m.solve('cusparse'))})"
            for m in few if not within(m, m.own()[0])]
    lines = [f"- Analysis within {SOLVES} of cuSPARSE's solves, matrices with fewer than {FEW_LEVELS} levels: the "
             f"fastest type "
             f"on {len(few) - len(late)} of {len(few)}; not: {', '.join(late) or 'none'}."]
    for name in names:
        timed = [m for m in few if name in m.timed]
        if timed and not timed[0].timed[name]["peer"]:
            lines.append(f"  - `{name}`: {sum(within(m, name) for m in timed)} of {len(timed)}")
    return lines


def planner_summary(matrices):
    both = [m for m in matrices if "sptrsv" in m.timed and len(m.own()) > 1]
    if not both:
        return []
    ratios = [m.solve("sptrsv") / m.solve([n for n in m.own() if n != "sptrsv"][0]) for m in both]
    return [f"- `sptrsv` takes {number(geometric_mean(ratios))} of the fastest type's time in geometric mean over "
            f"{len(both)} matrices; "
            f"worst: {both[ratios.index(max(ratios))].name} ({number(max(ratios))})."]


def summary(matrices, names):
    lines = comparison("cuSPARSE", [(m.name, m.speedup("cusparse")) for m in matrices])
    lines += comparison("the best peer of each matrix",
                        [(m.name, m.speedup(m.gpu_peers()[0]) if m.gpu_peers() else None)
                         for m in matrices])
    lines += comparison("one core of the host", [(m.name, m.speedup(HOST)) for m in matrices])
    lines += analysis_summary(matrices, names) + planner_summary(matrices)
    for m in matrices:
        lines += [f"- {m.name}, `{name}` has no time: {case['error']}"
                  for name, case in m.rest.items() if case["error"]]
    refusals = {}
    for m in matrices:
        for name, case in m.rest.items():
            if case["refusal"]:
                refusals.setdefault((name, case["refusal"]), []).append(m.name)
    return lines + [f"- `{name}` not run on {len(where)} matrices: {why}." for (name, why), where in refusals.items()]


def petsc_tables(data):
    """Lists MatSolve of PETSc's own types and the plugin's: L and U, on the device."""
    cases = [c for d in data for c in d["cases"]]
    if not cases:
        return []
    columns, matrices = [], []
    for c in cases:
        if (column := f"{c['mat_type']} {c['type']}") not in columns:
            columns.append(column)
        if (row := (c["matrix"], c["factor"])) not in matrices:
            matrices.append(row)
    by_key = {(c["matrix"], c["factor"], f"{c['mat_type']} {c['type']}"): c for c in cases}

    def text(row, column, phase, factor):
        c = by_key.get((*row, column))
        if c is None:
            return "-"
        if "solve" not in c:
            return "WRONG" if c["error"].startswith("wrong") else "FAILED"
        return number((c[phase]["median"] if isinstance(c[phase], dict) else c[phase]) * factor)

    lines = []
    for phase, factor, title in (("solve", 1e6, "microseconds per MatSolve, L and U"),
                                 ("setup", 1e3, "symbolic, numeric and first MatSolve, ms"),
                                 ("renewal", 1e3, "numeric phase with other values and one MatSolve, ms")):
        lines += ["", f"### In PETSc {data[0]['petsc']}: {title}", ""]
        lines += table(["matrix", "factor"] + columns,
                       [[os.path.basename(m).split(".mtx")[0], f] + [text((m, f), c, phase, factor) for c in columns]
                        for m, f in matrices])
    failed = [f"- {os.path.basename(c['matrix'])} {c['factor']}, {c['mat_type']} {c['type']}: {c['error']}"
              for c in cases if "solve" not in c]
    return lines + [""] + failed


def run_line(run):
    return (f"Device: {run['device']}. Commit {run['commit']}, {run['compiler']}, Kokkos {run['kokkos']}, "
            f"{run['space']}. "
            f"Date: {run.get('date', 'unknown')}.")


def document(solve, petsc):
    lines = []
    if solve:
        matrices, names = collect(solve)
        lines += [run_line(solve[0]), "", EXPLAIN, ""]
        lines += overview(matrices) + [""] + summary(matrices, names)
        for phase, factor, title in (("solve", 1e6, "Solve, microseconds"), ("analyze", 1e3, "Analysis, ms"),
                                     ("update", 1e3, "Update of values, ms")):
            lines += ["", f"### {title}", ""] + phase_table(matrices, names, phase, factor)
    return "\n".join(lines + petsc_tables(petsc)).rstrip() + "\n"


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", help="a folder, or JSON files of bench_solve and bench_petsc")
    arguments = parser.parse_args(argv)
    try:
        solve, petsc = read(arguments.results)
        if not solve and not petsc:
            parser.error("no JSON files there")
        print(document(solve, petsc), end="")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        parser.error(f"not results of one run: {error!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
