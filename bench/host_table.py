#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs bench_host on matrices, numbers of threads and wait policies, and writes a table of ratios to PETSc's own type.

    bench/host_table.py --bench-host build/quick/bench/bench_host \\
        --plugin build/quick/plugin/petsc/libsptrsv_petsc.so --threads 1,2 \\
        --json result.json [--markdown table.md] [--files DIR] [--only PATTERN] [-- OPTION ...]

A ratio is the time of `sptrsv` divided by that of PETSc's own type in the same process. Options after -- are passed to
bench_host.
"""
import argparse
import fnmatch
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from measure_matrices import unpacked

SPECS = ["diagonal:100000", "chain:100000", "arrow_down:100000", "arrow_up:10000", "blocks:500,40", "blocks:20000,5",
         "lap2d:100", "lap2d:300", "lap2d:1000", "lap3d:25", "lap3d:40", "lap3d:80", "fem2d:100", "fem3:16", "fem3:20",
         "stencil27:30", "road:300", "kkt2:100000", "powerlaw:100000", "band:100000,16,2000", "lap2d:300,rcm",
         "lap2d:300,color", "lap2d:300,random"]
FILES = ["494_bus", "4elt", "Andrews", "G3_circuit", "SiH4", "bcsstk16", "brack2", "cage10", "copter2", "delaunay_n16",
         "luxembourg_osm", "mdual", "memplus", "norne_tpfa", "olm1000", "orsirr_1", "orsirr_2", "sherman3", "sherman5",
         "ship_001_pattern", "wathenSmall"]
SYMMETRIC = ["494_bus", "4elt", "Andrews", "G3_circuit", "bcsstk16", "brack2", "copter2", "delaunay_n16",
             "luxembourg_osm", "mdual", "norne_tpfa", "ship_001_pattern", "wathenSmall"]
ONE_FACTOR = ["G3_circuit", "mdual", "Andrews", "ship_001_pattern"]  # large matrices, run with ICC only
FIGURES = {"set_up": "set-up", "first": "first KSPSolve", "solve": "MatSolve", "transpose": "transposed",
           "krylov": "KSPSolve"}
LIMITS = {"set_up": 2.0, "first": 1.1, "solve": 1.1, "transpose": 1.1, "krylov": 1.1}


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bench-host", required=True, help="the program")
    p.add_argument("--plugin", required=True, help="libsptrsv_petsc.so")
    p.add_argument("--files", help="folder of .mtx, .mtx.gz or .mtx.xz files")
    p.add_argument("--only", default="*", help="matrices whose name matches this pattern")
    p.add_argument("--threads", default="1,2", help="OMP_NUM_THREADS (default: %(default)s)")
    p.add_argument("--policies", default="unset,passive,active", help="OMP_WAIT_POLICY (default: %(default)s)")
    p.add_argument("--timeout", type=float, default=120, help="seconds for each process (default: %(default)s)")
    p.add_argument("--json", required=True, help="where the figures go")
    p.add_argument("--markdown", help="where the table goes")
    p.add_argument("options", nargs="*", help="for bench_host, behind --")
    return p.parse_args()


def list_cases(arguments, folder):
    """Yields name, argument for -matrix, and factor."""
    for spec in SPECS:
        if fnmatch.fnmatch(spec, arguments.only):
            for pc in ("ilu", "icc"):
                yield spec, spec, pc
    for name in FILES if arguments.files else []:
        found = sorted(pathlib.Path(arguments.files).glob(name + ".mtx*"))
        if not found or not fnmatch.fnmatch(name, arguments.only):
            continue
        path = unpacked(found[0], folder)
        for pc in ("ilu", "icc"):
            if pc == "ilu" and name in ONE_FACTOR or pc == "icc" and name not in SYMMETRIC:
                continue
            yield name, str(path), pc


def settings_of(arguments):
    """Yields threads and policies; one thread never waits, so that one policy suffices for it."""
    for threads in arguments.threads.split(","):
        for policy in arguments.policies.split(",") if int(threads) > 1 else ["unset"]:
            yield int(threads), policy


def run_case(arguments, matrix, pc, threads, policy, folder):
    """Returns bench_host's results by type, or the error."""
    out = os.path.join(folder, "result.json")
    environment = {k: v for k, v in os.environ.items() if k not in ("OMP_WAIT_POLICY", "OMP_PROC_BIND")}
    environment["OMP_NUM_THREADS"] = str(threads)
    environment["OPENBLAS_NUM_THREADS"] = "1"  # otherwise its threads compete with those of the solves
                                               # (docs/clusters.md)
    if policy != "unset":
        environment["OMP_WAIT_POLICY"] = policy
    command = [arguments.bench_host, "-matrix", matrix, "-pc", pc, "-json", out, "-dll_append", arguments.plugin]
    command += ["-use_gpu_aware_mpi", "0"] + arguments.options
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=arguments.timeout)
    except subprocess.TimeoutExpired:
        return f"stopped after {arguments.timeout:g} s"
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["no message"])[-1]
    with open(out, encoding="utf-8") as file:
        return {case["type"]: case for case in json.load(file)["cases"]}


def ratio(case, own, figure):
    mine, theirs = case.get(figure), own.get(figure)
    return mine / theirs if mine and theirs else None


def collect(arguments):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, matrix, pc in list_cases(arguments, folder):
            for threads, policy in settings_of(arguments):
                found = run_case(arguments, matrix, pc, threads, policy, folder)
                row = {"matrix": name, "pc": pc, "threads": threads, "policy": policy}
                if isinstance(found, str):
                    row["error"] = found
                else:
                    row["us"] = found
                    row["ratios"] = {f: ratio(found["sptrsv"], found["petsc"], f) for f in FIGURES}
                rows.append(row)
                print_row(row)
                with open(arguments.json, "w", encoding="utf-8") as file:
                    json.dump(rows, file, indent=1)
    return rows


def print_row(row):
    head = f"{row['matrix']:22} {row['pc']} {row['threads']:2} {row['policy']:8}"
    if "error" in row:
        print(head, "FAILED:", row["error"], flush=True)
        return
    texts = [text_of(row, f) for f in FIGURES]
    own = f"{row['us']['petsc']['solve']:10.1f} us"
    print(head, " ".join(f"{t:>7}" for t in texts), own, row["us"]["sptrsv"]["chosen"][:70], flush=True)


def text_of(row, figure):
    value = row["ratios"][figure]
    return "-" if value is None else f"{value:.2f}" + ("!" if value > LIMITS[figure] else "")


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def markdown(rows):
    """Returns the ratios of each setting (geometric mean and worst), the losses against the limits, and all rows."""
    good = [row for row in rows if "ratios" in row]
    lines = ["| threads | policy | " + " | ".join(f"{title}: mean, worst" for title in FIGURES.values()) + " |",
             "| --- | --- |" + " --- |" * len(FIGURES)]
    for threads, policy in sorted({(row["threads"], row["policy"]) for row in good}):
        cells = []
        for figure in FIGURES:
            values = [(row["ratios"][figure], f"{row['matrix']} {row['pc']}") for row in good
                      if (row["threads"], row["policy"]) == (threads, policy) and row["ratios"][figure]]
            if not values:
                cells.append("-")
                continue
            worst = max(values)
            cells.append(f"{geometric_mean([v for v, _ in values]):.2f}, {worst[0]:.2f} ({worst[1]})")
        lines.append(f"| {threads} | {policy} | " + " | ".join(cells) + " |")
    lines += ["", "| matrix | pc | threads | policy | " + " | ".join(FIGURES.values()) + " | chosen |",
              "| --- | --- | --- | --- |" + " --- |" * (len(FIGURES) + 1)]
    for row in rows:
        head = f"| {row['matrix']} | {row['pc']} | {row['threads']} | {row['policy']} | "
        if "error" in row:
            lines.append(head + " | ".join(["-"] * len(FIGURES)) + f" | {row['error']} |")
        else:
            chosen = row["us"]["sptrsv"]["chosen"].split(" (")[0]
            lines.append(head + " | ".join(text_of(row, f) for f in FIGURES) + f" | {chosen} |")
    return "\n".join(lines) + "\n"


def main():
    arguments = parse_arguments()
    rows = collect(arguments)
    if arguments.markdown:
        pathlib.Path(arguments.markdown).write_text(markdown(rows), encoding="utf-8")
    missed = [row for row in rows if "error" in row or
              any(v and v > LIMITS[f] for f, v in row["ratios"].items())]
    print(f"{len(rows) - len(missed)} of {len(rows)} within the limits")
    return 1 if any("error" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
