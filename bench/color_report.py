# SPDX-License-Identifier: Apache-2.0
"""Measures what the ordering `color` gains per solve and costs in iterations, which ordering wins in total time, and
how
well the performance model of Suchoski's thesis predicts the solves. Runs bench_color, with a process and a time limit
per matrix.

    color_report.py BINARIES RESULTS [--matrices FOLDER] [--only PATTERN...] [--specs SPEC...] [--limit SECONDS]
                    [--total SECONDS]
                    [--options OPTIONS] [--plugin FILE] [--no-run]

BINARIES has bench_color and libsptrsv_petsc.so; RESULTS gets logs, JSON files and color.md; FOLDER: Matrix Market files
(.mtx, .mtx.gz, .mtx.xz). With JSON files there already, --no-run only makes the tables. Exits nonzero if a run of
sptrsv's types failed."""
import argparse
import fnmatch
import json
import lzma
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

FAMILIES = ["lap2d:1000", "lap3d:100", "stencil27:80", "fem2d:700", "fem3:32", "road:2000", "kkt2:1000000",
            "lap2d:1000,nonsym", "lap3d:100,nonsym"]


def run_all(args):
    """Runs all matrices. Returns True if no type of sptrsv failed."""
    jobs = [(spec, spec) for spec in FAMILIES]
    if args.matrices:
        jobs += [(re.sub(r"\.mtx.*", "", name), os.path.join(args.matrices, name))
                 for name in sorted(os.listdir(args.matrices)) if ".mtx" in name]
    jobs = args.only_specs or [job for job in jobs if any(fnmatch.fnmatch(job[0], only) for only in args.only)]
    begin, good = time.monotonic(), True
    env = dict(os.environ, OMP_PROC_BIND="false", OMP_WAIT_POLICY="passive")
    env.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))
    env["LD_LIBRARY_PATH"] = os.pathsep.join([args.binaries, env.get("LD_LIBRARY_PATH", ""), "/usr/local/cuda/lib64"])
    for name, what in jobs:
        if time.monotonic() - begin > args.total:
            print(f"{name}: LEFT OUT, the time for all is used up")
            good = False
            continue
        with tempfile.TemporaryDirectory() as folder:
            if what.endswith(".xz"):
                plain = os.path.join(folder, name + ".mtx")
                with lzma.open(what) as packed, open(plain, "wb") as out:
                    shutil.copyfileobj(packed, out)
                what = plain
            good = run_one(args, env, name, what) and good
    return good


def run_one(args, env, name, what):
    base = os.path.join(args.results, re.sub(r"[:,]", "_", name))
    command = [os.path.join(args.binaries, "bench_color"), "-matrix", what, "-json", base + ".json", "-dll_append",
               args.plugin or os.path.join(args.binaries, "libsptrsv_petsc.so"), "-use_gpu_aware_mpi",
               "0"] + args.options.split()
    begin = time.monotonic()
    with open(base + ".log", "w") as log:
        try:
            status = subprocess.run(command, env=env, stdout=log, stderr=subprocess.STDOUT, timeout=args.limit,
                                    stdin=subprocess.DEVNULL).returncode
        except subprocess.TimeoutExpired:
            status = "time limit"
    print(f"{name}: {'done' if status == 0 else f'FAILED ({status})'}, {time.monotonic() - begin:.0f} s", flush=True)
    if status != 0:
        with open(base + ".log") as log:
            print("".join(log.readlines()[-3:]))
    elif os.path.exists(base + ".json"):  # a file unpacked for the run has another name
        with open(base + ".json") as file:
            run = json.load(file)
        with open(base + ".json", "w") as file:
            json.dump(dict(run, matrix=name), file)
    return status == 0


def converged(case):
    return not case["error"]


def best(run, orderings, with_setup=False):
    """Returns the fastest KSPSolve, or PCSetUp and KSPSolve, of a type that converged in one of these orderings."""
    cases = [c for c in run["cases"] if c["ordering"] in orderings and converged(c)]
    if with_setup:
        cases = [dict(c, solve=c["solve"] + c["setup"]) for c in cases]
    return min(cases, key=lambda c: c["solve"]) if cases else None


def winner(natural, color):
    """Returns the name of the faster ordering and its factor; "even" if they differ by less than 2 %."""
    if not natural or not color:
        return "color" if color else "natural" if natural else "neither converged"
    factor = natural["solve"] / color["solve"]
    if abs(math.log(factor)) < 0.02:
        return "even"
    return f"color by {factor:.2f}" if factor > 1 else f"natural by {1 / factor:.2f}"


def shown(case):
    if not case:
        return "- | - | -"
    return f"{case['iterations']} | {1e6 * case['apply']:.0f} | {1e3 * case['solve']:.1f} {case['type']}"


def total_table(runs):
    lines = ["| matrix | n | factor | sets | its | MatSolve us | KSPSolve ms | its | MatSolve us | KSPSolve ms | A x "
             "us natural | color | wins |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
             "| | | | | natural | | | color | | | | | |"]
    for run in runs:
        natural, color = best(run, ["natural"]), best(run, ["color", "balanced"])
        sets = [s["sets"] for s in solves(run) if s["type"] == "colorset" and s["ordering"] == "color"]
        lines.append(f"| {run['matrix']} | {run['n']} | {run['factor']} | {sets[0] / 2 if sets else float('nan'):.0f} "
                     f"| {shown(natural)} | {shown(color)} | "
                     f"{1e6 * run['product_natural']:.0f} | {1e6 * run['product_color']:.0f} | "
                     f"{winner(natural, color)} |")
    return lines


def solves(run):
    """Returns the applications of colorset and levelset: sets and rows of both triangles, and measured seconds."""
    for case in run["cases"]:
        if case["type"] == "colorset":
            sets = [int(m) for t in ("lower", "upper") for m in re.findall(r", (\d+) sets of", case[t])]
        elif case["type"] == "levelset":
            sets = [int(m) for t in ("lower", "upper") for m in re.findall(r"; (\d+) levels", case[t])]
        else:
            continue
        if len(sets) == 2 and case["apply"] > 0:
            yield {"type": case["type"], "ordering": case["ordering"], "rows": run["n"], "entries": run["entries"],
                   "sets": sum(sets), "both": sets, "seconds": case["apply"]}


def predicted(s, row_seconds, capacity):
    """Returns the time that the thesis' equation 3.1 predicts for both triangles."""
    return sum(row_seconds * s["rows"] / min(s["rows"] / sets, capacity) for sets in s["both"])


def fit(points):
    """Returns (1 / alpha, capacity, factors of error) for the capacity with the least squares of the logarithms."""
    choices = []
    for step in range(0, 91):
        capacity = 2 ** (step / 4)
        ratios = [math.log(s["seconds"] / predicted(s, 1, capacity)) for s in points]
        row_seconds = math.exp(statistics.fmean(ratios))
        choices.append((statistics.pvariance(ratios), row_seconds, capacity))
    _, row_seconds, capacity = min(choices)
    errors = sorted(math.exp(abs(math.log(s["seconds"] / predicted(s, row_seconds, capacity)))) for s in points)
    return row_seconds, capacity, errors


def model_lines(runs):
    lines = []
    points = [s for run in runs for s in solves(run)]
    for what, chosen in [("colorset and levelset, as in the thesis", points),
                         ("colorset alone", [s for s in points if s["type"] == "colorset"])]:
        if len(chosen) < 3:
            continue
        row_seconds, capacity, errors = fit(chosen)
        lines.append(f"- {what}: {len(chosen)} applications, fitted 1/alpha {1e6 * row_seconds:.3g} us, P "
                     f"{capacity:.0f} rows; "
                     f"off by a factor of {statistics.median(errors):.2f} in the median, "
                     f"{errors[int(0.9 * (len(errors) - 1))]:.2f} for nine in ten, {errors[-1]:.2f} at worst")
    return lines


def report(runs):
    def wins(with_setup):
        words = [winner(best(run, ["natural"], with_setup), best(run, ["color", "balanced"], with_setup)).split()[0]
                 for run in runs]
        return f"color wins on {words.count('color')} of {len(runs)} matrices, natural on {words.count('natural')}"

    text = ["## Which ordering wins in total time", ""] + total_table(runs)
    text += ["",
             f"Fastest type in each ordering. In total time {wins(False)}; with a PCSetUp for each KSPSolve, "
             f"{wins(True)}."]
    products = [run["product_color"] / run["product_natural"] for run in runs]
    text += [f"A x with A itself in the color ordering takes {statistics.geometric_mean(products):.2f} times as long "
             f"(geometric mean); "
             "PETSc reorders the factor alone, so that a user does not pay it."]
    ratios = [best(run, ["color", "balanced"])["iterations"] / max(best(run, ["natural"])["iterations"], 1)
              for run in runs if best(run, ["natural"]) and best(run, ["color", "balanced"])]
    if ratios:
        text += [f"Iterations: {statistics.geometric_mean(max(r, 1e-9) for r in ratios):.2f} times as many (geometric "
                 f"mean), {max(ratios):.2f} at most."]
    text += ["", "## The thesis' model", ""] + (model_lines(runs) or ["Too few applications to fit it."])
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries")
    parser.add_argument("results")
    parser.add_argument("--plugin", help="libsptrsv_petsc.so, where it is not in BINARIES")
    parser.add_argument("--matrices")
    parser.add_argument("--only", nargs="+", default=["*"])
    parser.add_argument("--specs", nargs="+", default=[], help="these generated matrices instead of all")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--total", type=float, default=540)
    parser.add_argument("--options", default="", help="more options for bench_color, in one word")
    parser.add_argument("--no-run", action="store_true")
    args = parser.parse_args()
    args.only_specs = [(spec, spec) for spec in args.specs]
    os.makedirs(args.results, exist_ok=True)
    good = args.no_run or run_all(args)
    runs = []
    for name in sorted(os.listdir(args.results)):
        if name.endswith(".json"):
            with open(os.path.join(args.results, name)) as file:
                runs.append(json.load(file))
    if not runs:
        print("no measurements: nothing to report")
        return 1
    text = report(runs)
    with open(os.path.join(args.results, "color.md"), "w") as file:
        file.write(text)
    print(text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
