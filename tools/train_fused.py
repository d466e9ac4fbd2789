#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the threshold of `fused` for a GPU: measures R-MAT matrices, fits, writes the table that the code reads, and
plots.

    tools/train_fused.py --bench-solve build/bench/bench_solve --space cuda --measure fused.json
    tools/train_fused.py --fit fused.json --plot fused.svg \\
        --table kokkos_backend/include/sptrsv/algorithm/sync_free/fused_table.hpp

Both steps may be one command, or run on two machines: each needs only Python. After --table, build again. Matrices are
the lower triangles of Graph500 R-MAT graphs over scale and edge factor, and of a few families of other classes. Each is
solved with a warp for every row (`syncfree`), with a thread for every row (`threadlevel`), and fused with each of a
list of thresholds. Two rules then choose a threshold:

  paper  the threshold that best predicts, by an R-MAT matrix' mean row, whether its warp or its thread solve is faster
         (F. Zhang, J. Su, W. Liu et al., TPDS 2021, section 6.2)
  fused  the threshold of the list with the fastest fused solves, by the geometric mean, with weight 1/2 for R-MAT and
         1/2 for the families (the default: R-MAT matrices always have long rows, so warps always win, which loses on
         matrices without long rows)
"""
import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import scatter_svg

KINDS = {"syncfree": "warp", "threadlevel": "thread"}  # types with a warp, or a thread, for every row
FAMILIES = ("road:1000 lap2d:700 lap3d:80 stencil27:60 fem3:24 kkt2:500000 powerlaw:500000 lap2d:700,random "
            "lap3d:80,color band:100000,16,2000")


def numbers(text):
    return [int(part) for part in text.split(",") if part]


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--measure", metavar="JSON", help="measure, and write the times to this file")
    p.add_argument("--bench-solve", help="the program (with --measure)")
    p.add_argument("--space", default="cuda", help="cuda, openmp or serial (default: %(default)s)")
    p.add_argument("--scales", type=numbers, default="12,20,16,18,14,19,17,10,15",
                   help="log2 of the rows; should time be up, the last are left out (default: %(default)s)")
    p.add_argument("--edge-factors", type=numbers, default="1,2,3,4,6,8,12,16,24,32,64",
                   help="edges per row (default: %(default)s)")
    p.add_argument("--families", type=str.split, default=FAMILIES,
                   help="of other classes, with spaces between (default: %(default)s)")
    p.add_argument("--thresholds", type=numbers, default="1,2,3,4,6,8,12,16,24,32,64",
                   help="to fuse with (default: %(default)s)")
    p.add_argument("--most-edges", type=int, default=1 << 23,
                   help="larger matrices are left out (default: %(default)s)")
    p.add_argument("--repeat", type=int, default=20, help="runs of each solve, at most (default: %(default)s)")
    p.add_argument("--budget", type=float, default=0.05, help="seconds of each solve's runs (default: %(default)s)")
    p.add_argument("--seconds", type=float, default=230,
                   help="for all; matrices left then are left out (default: %(default)s)")
    p.add_argument("--fit", metavar="JSON", nargs="+", help="fit the times of these files, of one device")
    p.add_argument("--rule", choices=["fused", "paper"], default="fused", help="see above (default: %(default)s)")
    p.add_argument("--table", help="header whose entry for the measured device is to be replaced or added")
    p.add_argument("--plot", help="SVG file for speed against parallel granularity")
    args = p.parse_args()
    if not args.measure and not args.fit:
        p.error("nothing to do; give --measure, --fit or both")
    if args.measure and not args.bench_solve:
        p.error("--measure needs --bench-solve")
    if (args.table or args.plot) and not args.fit:
        p.error("--table and --plot need --fit")
    return args


# --- matrices ---


def mean_row(case):
    """Returns the off-diagonal entries per row, as the code counts them."""
    return (case["entries"] - case["rows"]) / case["rows"]


def granularity(rows, entries, levels):
    """Returns equation (1) of the paper, with its default bases and bias; entries include the diagonal."""
    return math.log10(math.log10(rows / levels) / math.log10(entries / rows + 0.01) + 0.01)


def speed(case, how):
    """Returns the GFLOP/s of a solve."""
    return 2e-9 * case["entries"] / case["seconds"][how]


# --- measuring ---


def groups_of(args):
    """Returns the matrices that are measured together, by name."""
    groups = {"families": args.families} if args.families else {}
    for scale in args.scales:
        specs = [f"rmat:{scale},{factor}" for factor in args.edge_factors if (factor << scale) <= args.most_edges]
        if specs:
            groups[f"scale {scale}"] = specs
    return groups


def measure_group(args, specs, thresholds, deadline):
    """Returns the cases of one group, and whether it was ended at the deadline. One process starts the GPU once."""
    types = list(KINDS) + [f"fused:threshold={t}" for t in thresholds]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        command = [args.bench_solve, "--space", args.space, "--algorithms", ",".join(types), "--repeat",
                   str(args.repeat),
                   "--budget", str(args.budget), "--json", str(out)]
        for spec in specs:
            command += ["--matrix", spec]
        late = False
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            last, messages = None, []
            for line in process.stderr:
                if not line.startswith("running "):
                    messages.append(line)
                    continue
                spec = line.split()[1]
                if spec != last:
                    print(f"  {time.strftime('%H:%M:%S')} {spec}", file=sys.stderr, flush=True)
                    if last and time.monotonic() > deadline:  # the matrices before this one are complete
                        late = True
                        process.terminate()
                        break
                last = spec
            if not late and process.wait() != 0:
                raise RuntimeError(f"{args.bench_solve} failed at {last}: {''.join(messages)[-2000:]}")
        report = json.loads(out.read_text())
    return cases_of(report, len(types)), late


def cases_of(report, types):
    """Returns the complete matrices of a report of bench_solve."""
    cases = {}
    for r in report["seconds"]:
        how = KINDS.get(r["algorithm"]) or r["algorithm"].split("=")[1]
        case = cases.setdefault(r["matrix"], dict({key: r[key] for key in ("matrix", "rows", "entries", "levels")},
                                                  seconds={}))
        case["seconds"][how] = r["solve"]["median"]
    header = {key: report[key] for key in ("space", "device", "date", "commit")}
    return [(header, case) for case in cases.values() if len(case["seconds"]) == types]


def measure(args):
    deadline = time.monotonic() + args.seconds
    found, left_out = [], []
    groups = groups_of(args)
    for number, (name, specs) in enumerate(groups.items(), 1):
        if found and time.monotonic() > deadline:
            left_out.append(name)
            continue
        print(f"[{number}/{len(groups)}] {name}, {deadline - time.monotonic():.0f} s left", file=sys.stderr, flush=True)
        cases, late = measure_group(args, specs, args.thresholds, deadline)
        found += cases
        if late:
            left_out.append(name)
    if not found:
        raise RuntimeError("nothing was measured; give more --seconds or more --most-edges")
    if left_out:
        print(f"TIME IS UP: {left_out} are left out or not complete (--seconds)", file=sys.stderr)
    result = dict(found[0][0], thresholds=args.thresholds, cases=[case for _, case in found])
    pathlib.Path(args.measure).write_text(json.dumps(result, indent=1) + "\n")
    print(f"{len(found)} matrices measured, written to {args.measure}", file=sys.stderr)


# --- fitting ---


def fit_paper(cases):
    """Returns (threshold, geometric mean of the chosen solve's time over the faster one's), with the middle of equally
    good thresholds."""
    means = sorted({mean_row(c) for c in cases})
    candidates = range(1, math.ceil(means[-1]) + 2)

    def loss(threshold):
        logs = [math.log(c["seconds"]["warp" if mean_row(c) >= threshold else "thread"] /
                         min(c["seconds"][kind] for kind in KINDS.values())) for c in cases]
        return math.exp(sum(logs) / len(logs))

    losses = {t: loss(t) for t in candidates}
    least = min(losses.values())
    best = [t for t in candidates if losses[t] <= least * (1 + 1e-12)]
    return best[len(best) // 2], least


def is_rmat(case):
    return case["matrix"].startswith("rmat:")


def fit_fused(cases, thresholds):
    """Returns (threshold, {threshold: geometric mean of the fused solve's time over that with the best threshold of
    each matrix}), where R-MAT and all others have weight 1/2 each."""
    halves = [half for half in ([c for c in cases if is_rmat(c)], [c for c in cases if not is_rmat(c)]) if half]
    losses = {}
    for t in thresholds:
        means = [statistics.mean(math.log(c["seconds"][str(t)] / min(c["seconds"][str(u)] for u in thresholds))
                                 for c in half) for half in halves]
        losses[t] = math.exp(statistics.mean(means))
    return min(thresholds, key=lambda t: losses[t]), losses


def fit(measured, rule):
    """Returns the threshold, and prints how good it is."""
    cases, thresholds = measured["cases"], measured["thresholds"]
    paper, paper_loss = fit_paper([c for c in cases if is_rmat(c)] or cases)
    fused, losses = fit_fused(cases, thresholds)
    print(f"{measured['device']}, {len(cases)} matrices, {sum(map(is_rmat, cases))} of them R-MAT")
    print(f"rule paper: {paper}; the solve that it chooses takes {paper_loss:.3f} of the better one's time")
    print(f"rule fused: {fused}; time over that of the best threshold of each matrix:")
    print("  " + ", ".join(f"{t}: {loss:.3f}" for t, loss in losses.items()))
    chosen = fused if rule == "fused" else paper
    near = min(thresholds, key=lambda t: abs(math.log(t / chosen)))
    for kind in KINDS.values():
        logs = [math.log(c["seconds"][kind] / c["seconds"][str(near)]) for c in cases]
        print(f"fused with {near} is {math.exp(sum(logs) / len(logs)):.2f} times as fast as {kind} alone (geometric "
              f"mean)")
    return chosen, near


def merged(parts):
    """Joins the measurements of one device."""
    for key in ("device", "space", "thresholds"):
        if any(part[key] != parts[0][key] for part in parts):
            raise RuntimeError(f"the files differ in {key}; fit those of one device alone")
    return dict(parts[0], cases=[case for part in parts for case in part["cases"]])


def device_key(measured):
    """Returns the name by which the code finds the device in the table."""
    return measured["device"] if measured["space"] == "Cuda" else "host"


ENTRY = re.compile(r'^    \{"(?P<device>[^"]*)", \d+\},.*\n', re.MULTILINE)


def with_entry(text, device, threshold, remark):
    """Returns the table's text with that device's entry replaced or added."""
    line = f'    {{"{device}", {threshold}}},  // {remark}\n'
    for entry in ENTRY.finditer(text):
        if entry["device"] == device:
            return text[:entry.start()] + line + text[entry.end():]
    head = re.search(r"fused_table\[\] = \{\n", text)
    if not head:
        raise RuntimeError("this is not the table: it has no line with fused_table[] = {")
    return text[:head.end()] + line + text[head.end():]


def plot(measured, near, path):
    series = {"warp-level": "warp", "thread-level": "thread", f"fused, warps from {near} entries per row on": str(near)}
    points = {name: [(granularity(c["rows"], c["entries"], c["levels"]), speed(c, how)) for c in measured["cases"]]
              for name, how in series.items()}
    title = f"{measured['device']}, {measured['date']}: R-MAT and families, double precision, lower triangle"
    pathlib.Path(path).write_text(scatter_svg.scatter(points, title, "parallel granularity", "GFLOP/s"))


def main():
    args = parse_arguments()
    if args.measure:
        measure(args)
    if not args.fit:
        return
    measured = merged([json.loads(pathlib.Path(file).read_text()) for file in args.fit])
    threshold, near = fit(measured, args.rule)
    if args.table:
        path = pathlib.Path(args.table)
        remark = f"{measured['date']}, {len(measured['cases'])} matrices, rule {args.rule}"
        path.write_text(with_entry(path.read_text(), device_key(measured), threshold, remark))
        print(f"{args.table}: {device_key(measured)} has {threshold}; build again")
    if args.plot:
        plot(measured, near, args.plot)


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, OSError) as error:
        sys.exit(f"train_fused: {error}")
