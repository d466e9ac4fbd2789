#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs solve_file -compare on a folder of matrices and writes tables of iterations and of times per MatSolve.

    bench/measure_matrices.py --solve-file build/quick/examples/solve_file/solve_file \
        --plugin build/quick/plugin/petsc/libsptrsv_petsc.so --matrices DIR --json result.json --markdown tables.md

Reads Matrix Market files (.mtx, .mtx.gz, .mtx.xz). ILU(0) is combined with GMRES, ICC(0) (symmetric matrices) with CG.
Matrices on which PETSc's own factorization or iteration fails are listed with PETSc's reason and left out of the
tables. Files of over a million bytes whose ICC(0) converges are not run with ILU(0).
"""
import argparse
import datetime
import json
import lzma
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

KSP = {"ilu": "gmres", "icc": "cg"}
WITH_MORE_THREADS = ["levelset", "sptrsv"]  # the others do not use threads, or are slower with them on a CPU
SINGLE = ["levelset", "blocked"]  # also run with values in single precision
TYPES = ["petsc", "sequential", "levelset", "syncfree", "threadlevel", "sptrsv"]


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--solve-file", required=True, help="the program")
    p.add_argument("--plugin", required=True, help="libsptrsv_petsc.so")
    p.add_argument("--matrices", required=True, help="folder of .mtx, .mtx.gz or .mtx.xz files")
    p.add_argument("--pc", default="icc,ilu", help="preconditioners (default: %(default)s)")
    p.add_argument("--threads", default="1,2", help="OMP_NUM_THREADS (default: %(default)s)")
    p.add_argument("--max-it", default="500", help="iterations after which PETSc's own counts as not converging")
    p.add_argument("--only", default="", help="matrices whose name contains this")
    p.add_argument("--skip", default="", help="matrix:pc pairs to leave out, comma-separated")
    p.add_argument("--timeout", type=float, default=600, help="seconds per run (default: %(default)s)")
    p.add_argument("--json", required=True, help="where the figures go")
    p.add_argument("--markdown", help="where the tables go")
    return p.parse_args()


def unpacked(path, folder):
    """Returns the path of a file that solve_file reads: `path` itself, or its unpacked copy."""
    if path.suffix != ".xz":
        return path
    out = pathlib.Path(folder) / path.name[: -len(".xz")]
    out.write_bytes(lzma.decompress(path.read_bytes()))
    return out


def is_symmetric(path):
    import gzip

    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
        return "symmetric" in file.readline().split()


def run(args, path, pc, threads, extra=(), types=",".join(TYPES[1:])):
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="true",
               PETSC_OPTIONS=f"-dll_append {args.plugin}")
    command = [args.solve_file, str(path), "-types", types, "-pc_type", pc, "-ksp_type", KSP[pc], "-ksp_max_it",
               args.max_it,
               "-ksp_rtol", "1e-6", *extra]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=args.timeout, check=False)
    except subprocess.TimeoutExpired:
        return {}, f"no result in {args.timeout:.0f} s"
    return parse_table(done.stdout), (done.stderr.strip().splitlines() or [""])[0]


def parse_table(text):
    """Returns the table's rows by type; columns are two spaces or more apart, or right-aligned to their names."""
    rows, header = {}, None
    for line in text.splitlines():
        if line.startswith("type "):
            header = re.split(r"\s{2,}", line.strip())
        elif header and line.split(" ")[0] in TYPES + SINGLE:
            cells = re.split(r"\s{2,}", line.strip())
            if len(cells) == len(header):
                rows[cells[0]] = dict(zip(header, cells))
            else:
                rows[cells[0]] = {"type": cells[0], "failed": " ".join(cells[1:])}
    return rows


def measure(args):
    results = []
    files = sorted(p for p in pathlib.Path(args.matrices).iterdir() if re.search(r"\.mtx(\.gz|\.xz)?$", p.name))
    files = [p for p in files if args.only in p.name]
    with tempfile.TemporaryDirectory() as folder:
        for number, file in enumerate(files, 1):
            name = file.name.split(".mtx")[0]
            path = unpacked(file, folder)
            large_done = False
            for pc in args.pc.split(","):
                if f"{name}:{pc}" in args.skip.split(","):
                    results.append({"matrix": name, "pc": pc, "threads": 0, "converges": False,
                                    "error": "left out by --skip", "rows": {}})
                    continue
                if large_done or (pc == "icc" and not is_symmetric(path)):
                    continue
                for threads in args.threads.split(","):
                    print(f"[{number}/{len(files)}] {name} {pc} threads {threads}", file=sys.stderr, flush=True)
                    first = threads == args.threads.split(",")[0]
                    rows, error = run(args, path, pc, threads,
                                      types=",".join(TYPES[1:] if first else WITH_MORE_THREADS))
                    own = rows.get("petsc", {})
                    good = own.get("reason") in ("RTOL", "ATOL")
                    results.append({"matrix": name, "pc": pc, "threads": int(threads), "converges": good,
                                    "error": error,
                                    "rows": rows})
                    if not good:
                        break
                    large_done = file.stat().st_size > 1000000
                    if first:
                        csc, _ = run(args, path, pc, threads, ["-mat_sptrsv_syncfree_form", "csc"], "syncfree")
                        results[-1]["csc"] = csc.get("syncfree", {})
                        single, _ = run(args, path, pc, threads, ["-mat_sptrsv_storage", "single"], ",".join(SINGLE))
                        results[-1]["single"] = {t: single.get(t, {}) for t in SINGLE}
            if path != file:
                path.unlink()
            save(results, args)
    return results


def save(results, args):
    """Saves the results after every matrix, so that an interrupted run leaves what it has."""
    pathlib.Path(args.json).write_text(json.dumps({"machine": cpu_name(), "date": str(datetime.date.today()),
                                                   "results": results}, indent=1))
    if args.markdown:
        pathlib.Path(args.markdown).write_text(markdown(results, args))


def iterations_table(results, first):
    columns = TYPES[1:] + ["syncfree csc"] + [f"{t} single" for t in SINGLE]
    lines = ["| matrix | pc | petsc | " + " | ".join(columns) + " |", "| --- " * (len(columns) + 3) + "|"]
    for r in results:
        if r["converges"] and r["threads"] == first:
            its = [r["rows"].get(t, {}).get("its", "-") for t in TYPES]
            its.append(r.get("csc", {}).get("its", "-"))
            its += [r.get("single", {}).get(t, {}).get("its", "-") for t in SINGLE]
            lines.append(f"| {r['matrix']} | {r['pc']} | " + " | ".join(its) + " |")
    return lines


def time_table(results, threads):
    lines = [f"| matrix | pc | levels L/U | petsc | " + " | ".join(TYPES[1:]) + " | sptrsv ran | petsc / sptrsv |",
             "| --- " * (len(TYPES) + 5) + "|"]
    for r in results:
        if not r["converges"] or r["threads"] != threads:
            continue
        times = [r["rows"].get(t, {}).get("matsolve us", "-") for t in TYPES]
        sptrsv = r["rows"].get("sptrsv", {})
        levels = sptrsv.get("levels", "-")
        lines.append(f"| {r['matrix']} | {r['pc']} | {levels} | " + " | ".join(times) +
                     f" | {sptrsv.get('algorithm', '-')} | {sptrsv.get('speedup', '-')} |")
    return lines


def markdown(results, args):
    counts = sorted({r["threads"] for r in results if r["rows"]})
    out = ["Command: `" + " ".join(["bench/measure_matrices.py", "--pc", args.pc, "--threads", args.threads]) + " ...`",
           f"Machine: {cpu_name()}, {os.cpu_count()} cores. Date: {datetime.date.today()}.", "", "### Iterations", ""]
    out += iterations_table(results, counts[0])
    for threads in counts:
        out += ["", f"### Microseconds per MatSolve, threads: {threads}", ""] + time_table(results, threads)
    out += ["", "### Left out: PETSc's own does not converge", "", "| matrix | pc | PETSc's reason |",
            "| --- | --- | --- |"]
    for r in results:
        if not r["converges"]:
            own = r["rows"].get("petsc", {})
            reason = own.get("reason") or own.get("failed") or r["error"][:100] or "no result"
            out.append(f"| {r['matrix']} | {r['pc']} | {reason} |")
    return "\n".join(out) + "\n"


def cpu_name():
    try:
        return re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()).group(1)
    except (OSError, AttributeError):
        return platform.processor() or platform.machine()


def main():
    args = parse_arguments()
    results = measure(args)
    save(results, args)
    wrong = [(r["matrix"], t, row.get("verdict")) for r in results if r["converges"] for t, row in r["rows"].items()
             if row.get("verdict") not in ("same", "reference")]
    for matrix, solver_type, verdict in wrong:
        print(f"{matrix}: {solver_type}: {verdict}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
