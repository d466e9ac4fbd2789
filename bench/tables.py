#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the results of one run of scripts/gpu-bench or scripts/gpu-scale into tables.

    bench/tables.py RESULTS > table.md

RESULTS is the folder of the run. JSON files of bench_solve and bench_petsc become times by matrix and type; files that
runs.tsv names become times by number of GPUs or ranks. Wrong answers have no times: WRONG or FAILED, and are listed.
"""
import argparse
import json
import math
import os
import pathlib
import sys

HOST = "one_core"  # a peer that is not a GPU solver
EXPLAIN = ("Microseconds per solve, median of warm solves, every answer checked row by row. `limit` = max(bytes / "
           "bandwidth, levels x hop). \\* cut short: a phase takes over a second and ran once. `-`: not run.")
# title of a group's table of gpu-scale, and the unit that its columns count
TITLES = {"check": ("{check_size}^3 rows on each rank: iterations to 1e-8", "rank"),
          "gpus_rank": ("{size}^3 rows on each {unit}", "{unit}"),
          "gpus_all": ("{size}^3 rows in all", "{unit}"),
          "ranks": ("{size}^3 rows in all on one GPU, shared by ranks, without MPS", "rank"),
          "ranks_mps": ("{size}^3 rows in all on one GPU, shared by ranks, with MPS", "rank")}


def number(value):
    """Formats a number with three significant digits, or with all digits before the point."""
    if not value:
        return "-"
    return f"{value:.{min(6, max(0, 2 - math.floor(math.log10(value))))}f}"


def table(header, rows):
    return [""] + ["| " + " | ".join(line) + " |" for line in [header, ["---"] * len(header)] + rows]


def seconds(case, phase):
    """Returns the median of a phase, or its only time; None if the case has none."""
    value = None if case is None or case.get("error") else case.get(phase)
    return value["median"] if isinstance(value, dict) else value


def cell(case, phase, factor):
    if case is not None and case.get("error"):
        return "WRONG" if case["error"].startswith("wrong") else "FAILED"
    time = seconds(case, phase)
    return number(time and time * factor) + ("\\*" if time and case.get("cut_short") else "")


def ratio(a, b):
    return a / b if a and b else None


def base_name(matrix):
    return os.path.basename(matrix).split(".mtx")[0]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def comparison(label, pairs):
    """Describes the geometric mean and the losses of pairs (name of the matrix, speedup or None)."""
    pairs = [(name, speedup) for name, speedup in pairs if speedup]
    if not pairs:
        return f"- Compared with {label}: nothing to compare."
    losses = [f"{name} ({number(speedup)})" for name, speedup in pairs if speedup < 1]
    return (f"- Compared with {label}: {number(mean([s for _, s in pairs]))} times as fast in geometric mean over "
            f"{len(pairs)} matrices. Losses: {', '.join(losses) or 'none'}.")


def fastest(cases, wanted):
    """Returns the fastest of the cases that are wanted, or None."""
    return min(filter(lambda c: seconds(c, "solve") and wanted(c), cases.values()),
               key=lambda c: seconds(c, "solve"), default=None)


def is_own(case):
    """Tells whether a case is a type of sptrsv whose options were not set by hand, as in fused:threshold=2."""
    return not case["peer"] and ":" not in case["algorithm"]


def planner_line(matrices):
    ratios = {}
    for name, cases in matrices.items():
        other = fastest(cases, lambda c: is_own(c) and c["algorithm"] != "sptrsv")
        ratios[name] = ratio(seconds(cases.get("sptrsv"), "solve"), seconds(other, "solve"))
    ratios = {name: r for name, r in ratios.items() if r}
    if not ratios:
        return []
    worst = max(ratios, key=ratios.get)
    return [f"- `sptrsv` takes {number(mean(ratios.values()))} of the fastest type's time in geometric mean over "
            f"{len(ratios)} matrices; worst: {worst} ({number(ratios[worst])})."]


def solve_tables(runs):
    """Lists the times of bench_solve: best types and peers, then all types by phase."""
    matrices, names = {}, {}
    for case in sorted((c for run in runs for c in run["seconds"] + run.get("not_timed", [])),
                       key=lambda c: "/" in c["matrix"]):  # generated matrices first
        matrices.setdefault(base_name(case["matrix"]), {})[case["algorithm"]] = case
        names.setdefault(case["algorithm"], case["peer"])
    names = sorted(names, key=names.get)
    rows, speedups = [], {"cuSPARSE": [], "the best peer of each matrix": [], "one core of the host": []}
    for name, cases in matrices.items():
        any_case = next(iter(cases.values()))
        best, peer = fastest(cases, is_own), fastest(cases, lambda c: c["peer"] and c["algorithm"] != HOST)
        over = [ratio(seconds(c, "solve"), seconds(best, "solve"))
                for c in (cases.get("cusparse"), peer, cases.get(HOST))]
        for pairs, speedup in zip(speedups.values(), over):
            pairs.append((name, speedup))
        limit = any_case["limit"]
        rows.append([name] + [str(any_case[key]) for key in ("rows", "entries", "levels")] +
                    [number(limit and limit * 1e6),
                     cell(best, "solve", 1e6) + (f" {best['algorithm']}" if best else ""),
                     number(best and best["gb_per_s"]), number(ratio(seconds(best, "solve"), limit)),
                     cell(cases.get("cusparse"), "solve", 1e6), number(over[0]),
                     cell(peer, "solve", 1e6) + (f" {peer['algorithm']}" if peer else ""), number(over[1]),
                     cell(cases.get(HOST), "solve", 1e6)])
    run = runs[0]
    lines = [f"Device: {run['device']}. Commit {run['commit']}, {run['compiler']}, Kokkos {run['kokkos']}, "
             f"{run['space']}. Date: {run.get('date', 'unknown')}.", "", EXPLAIN]
    lines += table(["matrix", "n", "nnz", "levels", "limit us", "best of ours us", "GB/s", "x limit", "cuSPARSE us",
                    "cuSPARSE / ours", "best peer us", "best peer / ours", "one host core us"], rows) + [""]
    lines += [comparison(label, pairs) for label, pairs in speedups.items()] + planner_line(matrices)
    untimed = {}
    for name, cases in matrices.items():
        for case in cases.values():
            if why := case.get("error") or case.get("refusal"):
                untimed.setdefault((case["algorithm"], why), []).append(name)
    lines += [f"- `{name}` has no time on {', '.join(where)}: {why}" for (name, why), where in untimed.items()]
    for phase, factor, title in (("solve", 1e6, "Solve, microseconds"), ("analyze", 1e3, "Analysis, ms"),
                                 ("update", 1e3, "Update of values, ms")):
        lines += ["", f"### {title}"] + table(
            ["matrix"] + names,
            [[m] + [cell(cases.get(n), phase, factor) for n in names] for m, cases in matrices.items()])
    return lines


def petsc_tables(runs):
    """Lists the times of bench_petsc, of PETSc's own types and the plugin's: L and U."""
    rows, columns = {}, {}
    for case in (c for run in runs for c in run["cases"]):
        column = f"{case['mat_type']} {case['type']}"
        rows.setdefault((base_name(case["matrix"]), case["factor"]), {})[column] = columns[column] = case
    lines = []
    for phase, factor, title in (("solve", 1e6, "microseconds per MatSolve, L and U"),
                                 ("setup", 1e3, "symbolic, numeric and first MatSolve, ms"),
                                 ("renewal", 1e3, "numeric phase with other values and one MatSolve, ms")):
        lines += ["", f"### In PETSc {runs[0]['petsc']}: {title}"] + table(
            ["matrix", "factor"] + list(columns),
            [[*key] + [cell(cases.get(c), phase, factor) for c in columns] for key, cases in rows.items()])
    return lines + [""] + [f"- {matrix} {factor}, {column}: {case['error']}" for (matrix, factor), cases in rows.items()
                           for column, case in cases.items() if case.get("error")]


def read_scale(folder):
    """Returns the settings of a run of gpu-scale, and its lines with the contents of their JSON files."""
    settings, runs = {}, []
    for text in (folder / "runs.tsv").read_text(encoding="utf-8").splitlines():
        words = text.split("\t")
        if text.startswith("#"):
            settings[words[0][1:]] = words[1]
            continue
        run = {"cases": [], "devices": []}
        if words[4] != "-" and (folder / words[4]).exists():
            run.update(json.loads((folder / words[4]).read_text(encoding="utf-8")))
        run.update(zip(("group", "problem", "column", "outcome", "file"), words))
        run["by_name"] = {case["case"]: case for case in run["cases"]}
        runs.append(run)
    return settings, runs


def scale_table(group, runs, unit):
    """Lists cases by number of GPUs or ranks: ms per iteration, growth over the first column, and set-ups; for
    the group `check`, iterations."""
    def text(run, name, key):
        case = run["by_name"].get(name)
        if case is None:
            return next((word for word in ("LEFT OUT", "not run") if run["outcome"].startswith(word)), "-")
        if key == "iterations":
            return f"{case.get(key, '')} FAILED".strip() if case["error"] else str(case[key])
        return cell(case, key, 1e3)

    def growth(run, name):
        time, first = (seconds(r["by_name"].get(name), "per_iteration") for r in (run, runs[0]))
        return number(ratio(time, first))

    counts = [f"{run['column']} {unit}{'' if run['column'] == '1' else 's'}" for run in runs]
    keys = {"iterations": ""} if group == "check" else {"per_iteration": "", "first_setup": "first set-up, ",
                                                        "setup": "new values, "}
    header = ["case"] + [what + count for what in keys.values() for count in counts]
    rows = [[name] + [text(run, name, key) for key in keys for run in runs]
            for name in dict.fromkeys(name for run in runs for name in run["by_name"])]
    if group != "check":
        header += [f"growth, {count}" for count in counts[1:]]
        rows = [row + [growth(run, row[0]) for run in runs[1:]] for row in rows]
    return table(header, rows)


def scale_document(settings, runs):
    ran = next((run for run in runs if "petsc" in run), None)
    if ran is None:
        return ["Nothing has run."]
    lines = [f"PETSc {ran['petsc']}; host: {ran['host']}; GPU-aware MPI: {settings.get('aware', 'no')}. "
             "Milliseconds on the slowest rank: per iteration, and of set-ups; growth is that of an iteration over the "
             "first column."]
    unit = "rank" if settings.get("space") == "host" else "GPU"
    groups, devices, faults = {}, {}, {}
    for run in runs:
        groups.setdefault((run["group"], run["problem"]), []).append(run)
        devices.setdefault(tuple(run["devices"]), {})[run["group"]] = None
        where = f"{run['problem']} {run['group']} {run['column']}"
        if not run["outcome"].startswith("done"):
            faults[where] = f"- {where}: {run['outcome']}"
        for case in run["cases"]:
            if case["error"]:
                faults[run["file"], case["case"]] = (f"- {where}, `{case['case']}` failed"
                                                     f"{', as it may' if case['may_fail'] else ''}: {case['error']}")
    for (group, problem), own in groups.items():
        name, size = problem.split(":")
        title, columns = (text.format(size=size, unit=unit, **settings) for text in TITLES[group])
        lines += ["", f"### {name}, {title}"]
        skipped = all(run["outcome"].startswith("not run") for run in own)
        lines += ["", own[0]["outcome"]] if skipped else scale_table(group, own, columns)
    lines += ["", "### Devices", ""]
    for texts in filter(None, devices):
        lines += [f"- {len(texts)} rank{'' if len(texts) == 1 else 's'} ({', '.join(devices[texts])}):"]
        lines += [f"  - rank {k}: {text}" for k, text in enumerate(texts)]
    return lines + (["", "### Not as it should be", ""] + list(faults.values()) if faults else [])


def document(folder):
    if (folder / "runs.tsv").exists():
        return scale_document(*read_scale(folder))
    runs = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]
    petsc = [run for run in runs if run.get("program") == "bench_petsc"]
    solve = [run for run in runs if run.get("program") != "bench_petsc"]
    if not runs:
        raise ValueError("no JSON files there")
    return (solve_tables(solve) if solve else []) + (petsc_tables(petsc) if petsc else [])


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, help="the folder")
    arguments = parser.parse_args(argv)
    try:
        print("\n".join(document(arguments.results)).strip())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        parser.error(f"not results of one run: {error!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
