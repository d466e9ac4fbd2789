#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the results of one run of scripts/gpu-scale into tables.

    bench/scale_table.py RESULTS > table.md

RESULTS holds runs.tsv, which names the runs of each table, and the JSON files of bench_scale.
"""
import argparse
import json
import os
import sys

# title of a group's table, and the unit that its columns count
TITLES = {"gpus_rank": ("{rows} rows on each {unit}", "{unit}"),
          "gpus_all": ("{rows} rows in all", "{unit}"),
          "ranks": ("{rows} rows in all on one GPU, shared by ranks, without MPS", "rank"),
          "ranks_mps": ("{rows} rows in all on one GPU, shared by ranks, with MPS", "rank")}


class Run:
    """Line of runs.tsv with the contents of its JSON file."""

    def __init__(self, folder, words):
        self.group, self.problem, column, self.outcome, name = words
        self.column, self.file = int(column), name
        self.data = {"cases": [], "devices": []}
        path = os.path.join(folder, name)
        if name != "-" and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.data = json.load(file)
        self.cases = {case["case"]: case for case in self.data["cases"]}

    def missing(self):
        """Returns the text that the table shows for a case without a number."""
        return next((word for word in ("LEFT OUT", "not run") if self.outcome.startswith(word)), "-")

    def value(self, case, key):
        """Returns the seconds of a case; None if there are none."""
        value = self.cases.get(case, {}).get(key)
        return value["median"] if isinstance(value, dict) else value

    def text(self, case, key):
        found = self.cases.get(case)
        if found is None:
            return self.missing()
        if found["error"]:
            return "FAILED"
        return number(1e3 * self.value(case, key))

    def good(self, case, key):
        return None if self.cases.get(case, {}).get("error", "missing") else self.value(case, key)


def number(value):
    """Formats a number with three digits, without an exponent."""
    if value is None:
        return "-"
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4
    return f"{value:.{decimals}f}"


def table(header, rows):
    widths = [max(len(row[k]) for row in [header] + rows) for k in range(len(header))]

    def line(row):
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        return "| " + " | ".join(cells) + " |"

    rule = ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]]
    return [line(header), line(rule)] + [line(row) for row in rows]


def read(folder):
    settings, runs = {}, []
    with open(os.path.join(folder, "runs.tsv"), encoding="utf-8") as file:
        for text in file:
            words = text.rstrip("\n").split("\t")
            if words[0].startswith("#"):
                settings[words[0][1:]] = words[1]
            else:
                runs.append(Run(folder, words))
    return settings, runs


def names_of(runs):
    """Returns the cases in the order in which they ran."""
    return list(dict.fromkeys(case for run in runs for case in run.cases))


def jacobi_beside(case, names):
    """Returns jacobi on the same matrix type, otherwise the first jacobi; None if there is none."""
    same = "jacobi::" + case.split(":")[2]
    jacobis = [name for name in names if name.startswith("jacobi:")]
    return same if same in jacobis else jacobis[0] if jacobis else None


def ratio(a, b):
    return a / b if a is not None and b else None


def growth_table(runs, unit):
    """Lists milliseconds per iteration, their growth over the first column, and this growth divided by jacobi's."""
    names, columns = names_of(runs), [run.column for run in runs]
    header = ["case"] + [f"{c} {unit}{'' if c == 1 else 's'}" for c in columns]
    header += [f"growth, {c}" for c in columns[1:]] + [f"over jacobi's, {c}" for c in columns[1:]]

    def growths(case):
        first = runs[0].good(case, "per_iteration")
        return [ratio(run.good(case, "per_iteration"), first) for run in runs[1:]]

    rows = []
    for case in names or ["(no case has run)"]:
        jacobi = jacobi_beside(case, names) if names else None
        own = growths(case)
        beside = growths(jacobi) if jacobi else [None] * len(own)
        rows.append([case] + [run.text(case, "per_iteration") for run in runs] + [number(g) for g in own] +
                    [number(ratio(g, b)) for g, b in zip(own, beside)])
    return table(header, rows)


def setup_table(runs, unit):
    header = ["case"]
    header += [f"{what}, {r.column} {unit}{'' if r.column == 1 else 's'}" for what in ("first", "new values")
               for r in runs]
    rows = [[case] + [run.text(case, key) for key in ("first_setup", "setup") for run in runs]
            for case in names_of(runs)]
    return table(header, rows)


def check_table(runs):
    def text(run, case):
        found = run.cases.get(case)
        if found is None:
            return run.missing()
        iterations = str(found["iterations"]) if "iterations" in found else ""
        return (iterations + " FAILED").strip() if found["error"] else iterations

    header = ["case"] + [f"{r.column} rank{'' if r.column == 1 else 's'}" for r in runs]
    return table(header, [[case] + [text(run, case) for run in runs] for case in names_of(runs) or ["-"]])


def in_order(runs, key):
    groups = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return groups


def head(settings, runs):
    data = next((run.data for run in runs if "petsc" in run.data), None)
    if data is None:
        return ["Nothing has run."]
    lines = [f"PETSc {data['petsc']}; host: {data['host']}; GPU-aware MPI: {settings.get('aware', 'no')}."]
    timed = [run.data for run in runs if run.group != "check" and "iterations" in run.data]
    if timed:
        lines.append(f"Solves of {timed[0]['iterations']} iterations on the slowest rank, medians of "
                     f"{timed[0]['repeat']}. Growth: ms over those of the first column.")
    return lines


def devices(runs):
    """Lists the device of each rank, once for all runs on the same devices."""
    seen = {}
    for run in runs:
        if run.data.get("devices"):
            seen.setdefault(tuple(run.data["devices"]), []).append(run)
    lines = []
    for texts, same in seen.items():
        groups = ", ".join(dict.fromkeys(run.group for run in same))
        lines.append(f"- {len(texts)} rank{'' if len(texts) == 1 else 's'} ({groups}):")
        lines += [f"  - rank {k}: {text}" for k, text in enumerate(texts)]
    return lines


def faults(runs):
    lines, seen = [], set()
    for run in runs:
        where = f"{run.problem} {run.group} {run.column}"
        if not run.outcome.startswith("done"):
            lines.append(f"- {where}: {run.outcome}")
        for case in run.cases.values():
            if case["error"] and (run.file, case["case"]) not in seen:
                seen.add((run.file, case["case"]))
                may = ", as it may" if case["may_fail"] else ""
                lines.append(f"- {where}, `{case['case']}` failed{may}: {case['error']}")
    return lines


def document(settings, runs):
    unit = "rank" if settings.get("space") == "host" else "GPU"
    lines = head(settings, runs)
    for (group, problem), own in in_order(runs, lambda run: (run.group, run.problem)).items():
        name, size = problem.split(":")
        if group == "check":
            lines += ["", f"### {name}, {settings['check_size']}^3 rows on each rank: iterations to 1e-8", ""]
            lines += check_table(own)
            continue
        title, columns = (text.format(rows=f"{size}^3", unit=unit) for text in TITLES[group])
        if all(run.outcome.startswith("not run") for run in own):
            lines += ["", f"### {name}, {title}", "", own[0].outcome]
            continue
        lines += ["", f"### {name}, {title}: ms an iteration", ""] + growth_table(own, columns)
        lines += ["", f"### {name}, {title}: set-up, ms", ""] + setup_table(own, columns)
    for title, found in (("Devices", devices(runs)), ("Not as it should be", faults(runs))):
        lines += ["", f"### {title}", ""] + found if found else []
    return "\n".join(lines) + "\n"


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="the folder")
    arguments = parser.parse_args(argv)
    try:
        settings, runs = read(arguments.results)
        print(document(settings, runs), end="")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        parser.error(f"not results of one run: {error!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
