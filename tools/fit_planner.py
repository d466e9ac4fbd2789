#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the planner's prices (kokkos_backend/include/sptrsv/planner/plan_table.hpp) to JSON files of `bench_solve
--json`.

    tools/fit_planner.py results/*.json             # fits, and prints the regret of each family by a fit without it
    tools/fit_planner.py results/*.json --write     # puts the prices into the table, which scripts/format then lays out
    tools/fit_planner.py results/*.json --only blocked --write    # new prices of `blocked`; the others keep theirs
    tools/fit_planner.py results/*.json --only tiled --terms late_tiles --write    # this price of `tiled` alone
    tools/fit_planner.py results/*.json --report    # the regret of the table as it is, in Markdown; fits nothing

Leaves out chains, for which the planner chooses the type `chain` by its own estimate, without prices.

An algorithm's time is a sum of features of the structure, as bench_solve wrote them from the library, each times a
price >= 0, fitted by least squares of relative errors. The `model` in an algorithm's header lists its features: few, so
that few matrices suffice to determine their prices. A matrix's regret is the time of the chosen type relative to the
fastest type of sptrsv, even if the planner may not choose that type.

The files name the device; --device replaces the name. Only the standard library is needed.
"""
import argparse
import json
import pathlib
import re
import statistics
import sys
import textwrap

TABLE = pathlib.Path(__file__).resolve().parent.parent / "kokkos_backend/include/sptrsv/planner/plan_table.hpp"
PLANNER = "sptrsv"
OWN_ESTIMATE = "its own estimate", "chains,"  # beginnings of the planner's reason, now and until 2026-11-25
ALWAYS = ["solve", "bytes"]
OTHERS = ["rows", "levels", "level_entries", "longest_row", "late_longest"]  # for a type without a model
FIT_ROUNDS = 12  # each uses the estimates of the round before


def read_models():
    """Returns the features of each algorithm's model, as its header lists them in addition to ALWAYS."""
    models = {}
    for header in sorted(TABLE.parent.parent.glob("algorithm/*/*.hpp")):
        text = header.read_text(encoding="utf-8")
        name = re.search(r'string_view name = "(\w+)"', text)
        model = re.search(r"auto model = features_of\(\{(.*?)\}\);", text, re.S)
        if name and model:
            models[name[1]] = re.findall(r'\{"(\w+)"', model[1])
    return models


TERMS = read_models()


# --- measurements

def load_cases(paths):
    """Returns the device, and by matrix and shape: features, candidates, median seconds of sptrsv's types."""
    devices, cases = set(), {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
        if not isinstance(run, dict) or "seconds" not in run:
            continue  # such as a file of bench_petsc
        devices.add(run["device"])
        for row in run["seconds"]:
            if row["peer"] or row["columns"] != 1 or ":" in row["algorithm"]:
                continue  # a colon: options set by hand, which the planner does not set
            if not {*ALWAYS, *sum(TERMS.values(), OTHERS)} <= row.get("features", {}).keys():
                sys.exit(f"{path} has no features, or not all; write it with a newer bench_solve")
            name = row["matrix"].split("/")[-1].split(".mtx")[0]
            empty = {"matrix": name, "shape": row["shape"], "features": row["features"],
                     "candidates": row["candidates"], "seconds": {}, "analyze": {}, "used": None, "own": False}
            case = cases.setdefault((name, row["shape"]), empty)
            if row["algorithm"] == PLANNER:
                case["used"] = row["used"]
                case["own"] = row.get("reason", "").startswith(OWN_ESTIMATE)
            else:
                case["seconds"][row["algorithm"]] = row["solve"]["median"]
            case["analyze"][row["algorithm"]] = row["analyze"]["median"]
    cases = [case for case in cases.values() if case["seconds"] and not case["own"]]
    if not cases:
        sys.exit("no times in these files")
    if len(devices) > 1:
        sys.exit("the files are of several devices: " + ", ".join(sorted(devices)))
    return devices.pop(), sorted(cases, key=lambda case: (case["matrix"], case["shape"]))


def best_of(case):
    return min(case["seconds"], key=case["seconds"].get)


# --- the fit

def solve_linear(a, b):
    """Solves a x = b by Gaussian elimination with pivoting; the unknown of a tiny pivot is 0."""
    n = len(b)
    rows = [list(a[i]) + [b[i]] for i in range(n)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        if abs(rows[k][k]) < 1e-13:
            rows[k] = [0.0] * (n + 1)
            rows[k][k] = 1.0
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            if factor:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return x


def nnls(a, b):
    """Returns the x >= 0 of least |a x - b| (Lawson and Hanson, Solving Least Squares Problems, chapter 23). Columns of
    a have norm 1."""
    n = len(a[0])
    gram = [[sum(row[i] * row[j] for row in a) for j in range(n)] for i in range(n)]
    right = [sum(row[i] * y for row, y in zip(a, b)) for i in range(n)]
    x, free = [0.0] * n, []
    for _ in range(10 * n):
        gradient = [right[i] - sum(gram[i][j] * x[j] for j in free) for i in range(n)]
        enter = max((i for i in range(n) if i not in free), key=lambda i: gradient[i], default=None)
        if enter is None or gradient[enter] < 1e-9:
            break
        free.append(enter)
        while True:
            z = solve_linear([[gram[i][j] for j in free] for i in free], [right[i] for i in free])
            if min(z) > 0:
                break
            step = min(x[i] / (x[i] - v) for i, v in zip(free, z) if v <= 0)
            for i, v in zip(free, z):
                x[i] += step * (v - x[i])
            free = [i for i in free if x[i] > 1e-12]
            x = [v if i in free else 0.0 for i, v in enumerate(x)]
            if not free:
                break
        for i, v in zip(free, z):
            x[i] = v
    return x


def rounded(value):
    return float(f"{value:.4g}")


def fitted_cases(cases, algorithm):
    """Returns the systems that the algorithm's prices are fitted to: those for which the planner may choose it."""
    return [case for case in cases if algorithm in case["seconds"] and algorithm in case["candidates"]]


def fit_algorithm(cases, algorithm, kept=(), only_terms=()):
    """Returns nanoseconds per unit of each feature; with `only_terms`, fits these and takes others from `kept`. Least
    squares of errors relative to the measured time would underestimate all times to avoid overestimating one; therefore
    errors are relative to the geometric mean of measured and estimated time."""
    cases = fitted_cases(cases, algorithm)
    all_names = ALWAYS + TERMS.get(algorithm, OTHERS)
    names = [name for name in all_names if name in only_terms or not only_terms]
    held = {name: price for name, price in dict(kept).items() if name in all_names and name not in names}
    times = [case["seconds"][algorithm] for case in cases]
    scales, prices = times, {}
    for _ in range(FIT_ROUNDS):
        rows = [[1e-9 * case["features"][name] / scale for name in names] for case, scale in zip(cases, scales)]
        norms = [sum(row[i] ** 2 for row in rows) ** 0.5 for i in range(len(names))]
        used = [i for i, norm in enumerate(norms) if norm > 0]
        x = nnls([[row[i] / norms[i] for i in used] for row in rows],
                 [(time - estimate(held, case)) / scale for time, scale, case in zip(times, scales, cases)])
        prices = {**held, **{names[i]: rounded(value / norms[i]) for i, value in zip(used, x) if value > 0}}
        scales = [(time * max(estimate(prices, case), 0.01 * time)) ** 0.5 for time, case in zip(times, cases)]
    return prices


def fit(cases, kept=(), only=(), only_terms=()):
    """Returns prices by algorithm, for those that are candidates on some matrix. With `only`, fits these algorithms (or
    `only_terms` of them), and takes the prices of the others from `kept`."""
    if only:
        return {**dict(kept), **{name: fit_algorithm(cases, name, dict(kept).get(name, ()), only_terms)
                                 for name in only if fitted_cases(cases, name)}}
    algorithms = []
    for case in cases:
        algorithms += [name for name in case["candidates"] if name in case["seconds"] and name not in algorithms]
    return {name: fit_algorithm(cases, name) for name in algorithms}


def estimate(prices, case):
    return 1e-9 * sum(price * case["features"][name] for name, price in prices.items())


def choose(table, case):
    """Returns the choice of choose_by_table() in planner.hpp, among the types that have a time."""
    return min((name for name in table if name in case["candidates"] and name in case["seconds"]),
               key=lambda name: estimate(table[name], case), default=None)


def regret(case, chosen):
    return case["seconds"][chosen] / case["seconds"][best_of(case)] - 1


def family(matrix):
    """Returns a generated matrix's family with its keywords: lap3d:60,rcm is in lap3d,rcm; otherwise the name."""
    name, *rest = matrix.split(":", 1)
    return name + "".join(re.findall(r",[a-z]+", rest[0]) if rest else [])


def left_out_choices(cases, *how):
    """Returns for each case the choice of a fit without the case's family; `how`: see fit()."""
    tables = {}
    for name in {family(case["matrix"]) for case in cases}:
        rest = [other for other in cases if family(other["matrix"]) != name]
        tables[name] = fit(rest, *how) if rest else None
    return [tables[family(case["matrix"])] and choose(tables[family(case["matrix"])], case) for case in cases]


# --- the library's table

def identifier(device):
    return "plan_" + re.sub(r"[^a-z0-9]+", "_", device.lower()).strip("_")


def read_table(text):
    """Returns prices by device and algorithm."""
    names = dict(re.findall(r'\{"([^"]+)", (plan_\w+),', text))
    arrays = {}
    for array, body in re.findall(r"PlanCost (plan_\w+)\[\] = \{\n(.*?)\n\};", text, re.S):
        arrays[array] = {}
        for algorithm, terms in re.findall(r'\{"(\w+)",\s*\{\{(.*?)\}\}\}', body, re.S):
            arrays[array][algorithm] = {name: float(price)
                                        for name, price in re.findall(r'"(\w+)",\s+([-+.e\d]+)', terms)}
    return {device: arrays[array] for device, array in names.items()}


def table_text(text, device, table, note):
    """Returns the header with this device's prices in place of earlier ones, or after those of other devices."""
    blocks = re.findall(r"(?:^// [^\n]*\n)*^inline constexpr PlanCost (plan_\w+)\[\] = \{\n.*?\n\};\n", text,
                        re.S | re.M)
    lines = [f"// {device}: {note}", f"inline constexpr PlanCost {identifier(device)}[] = {{"]
    for algorithm, prices in table.items():
        terms = [f'{{"{name}",\0{price:g}}}' for name, price in prices.items()] or ["{}"]
        lines.append(f'    {{"{algorithm}",')
        wrapped = textwrap.wrap("{{" + ", ".join(terms) + "}}},", 120, initial_indent="     ",
                                subsequent_indent="       ")
        lines += [line.replace("\0", " ") for line in wrapped]
    block = "\n".join(lines + ["};", ""])
    if identifier(device) in blocks:
        return re.sub(r"(?:^// [^\n]*\n)*^inline constexpr PlanCost " + identifier(device) + r"\[\] = \{\n.*?\n\};\n",
                      lambda _: block, text, flags=re.S | re.M)
    text = text.replace("inline constexpr PlanDevice", block + "\ninline constexpr PlanDevice", 1)
    entry = f'    {{"{device}", {identifier(device)}, std::size({identifier(device)})}},\n'
    return re.sub(r"(PlanDevice plan_devices\[\] = \{\n(?:.*\n)*?)\};", lambda m: m[1] + entry + "};", text, count=1)


# --- reports

def summary(regrets):
    return f"median {statistics.median(regrets):.1%}, worst {max(regrets):.1%}, over {len(regrets)} systems"


def print_regrets(cases, columns):
    """Prints a table. columns: the choices for all cases, by heading."""
    print("| matrix | shape | best | us | " + " | ".join(f"{heading} | us | regret" for heading in columns) + " |")
    print("| --- " * (4 + 3 * len(columns)) + "|")
    for number, case in enumerate(cases):
        best = best_of(case)
        cells = [case["matrix"], case["shape"], best, f"{1e6 * case['seconds'][best]:.4g}"]
        for choices in columns.values():
            chosen = choices[number]
            known = chosen in case["seconds"]
            cells += [chosen or "-", f"{1e6 * case['seconds'][chosen]:.4g}" if known else "-",
                      f"{regret(case, chosen):.1%}" if known else "-"]
        print("| " + " | ".join(cells) + " |")
    print()
    for heading, choices in columns.items():
        regrets = [regret(case, chosen) for case, chosen in zip(cases, choices) if chosen in case["seconds"]]
        if regrets:
            print(f"- Regret, {heading}: {summary(regrets)}.")


def print_errors(cases, table):
    for algorithm, prices in table.items():
        ratios = [estimate(prices, case) / case["seconds"][algorithm] for case in cases if algorithm in case["seconds"]]
        if ratios:
            print(f"- `{algorithm}`: estimated over measured time {min(ratios):.2f} to {max(ratios):.2f}, median "
                  f"{statistics.median(ratios):.2f}; ns: "
                  + ", ".join(f"{name} {price:g}" for name, price in prices.items()))


def print_analysis(cases):
    """Prints the cost of the estimate: the time beyond the analysis of the chosen type."""
    extra = [case["analyze"][PLANNER] - case["analyze"][case["used"]]
             for case in cases if case["used"] in case["analyze"]]
    if extra:
        print(f"- The planner's own part of the analysis: median {1e3 * statistics.median(extra):.3g} ms, at most "
              f"{1e3 * max(extra):.3g} ms.")


def main(arguments=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("results", nargs="+", help="JSON files of bench_solve")
    p.add_argument("--device", help="its name in the table (default: as in the files)")
    p.add_argument("--table", type=pathlib.Path, default=TABLE, help="the header (default: the library's)")
    names = {"type": lambda text: [name.strip() for name in text.split(",")], "default": [], "metavar": "NAMES"}
    p.add_argument("--only", **names, help="fit these algorithms; the others keep their prices")
    p.add_argument("--terms", **names, help="with --only: fit these features; the others keep their prices")
    p.add_argument("--write", action="store_true", help="put the fitted prices into the header")
    p.add_argument("--report", action="store_true",
                   help="do not fit: the regret of what the header has and of what ran")
    args = p.parse_args(arguments)
    if args.report and args.only:
        p.error("--report fits nothing; leave out --only")
    device, cases = load_cases(args.results)
    device = args.device or device
    text = args.table.read_text(encoding="utf-8")
    columns = {}
    kept = read_table(text).get(device, {})
    if args.terms and not args.only:
        p.error("--terms needs --only")
    if args.only and not kept:
        sys.exit(f"--only: the table has no prices for {device} that the others could keep")
    unknown = [name for name in args.only if not fitted_cases(cases, name)]
    if unknown:
        sys.exit(f"--only: no times of {', '.join(unknown)} as a candidate in these files")
    if args.report:
        table = kept
        if table:
            columns["by the table"] = [choose(table, case) for case in cases]
        if any(case["used"] for case in cases):
            columns["as it ran"] = [case["used"] for case in cases]
    else:
        table = fit(cases, kept, args.only, args.terms)
        columns["fitted"] = [choose(table, case) for case in cases]
        columns["family left out of the fit"] = left_out_choices(cases, kept, args.only, args.terms)
    print(f"{device}\n")
    print_regrets(cases, columns)
    print_analysis(cases)
    print_errors(cases, table)
    if args.write and not args.report:
        note = f"fitted to {len(cases)} systems"
        if args.terms:
            note = f"{', '.join(args.terms)} fitted to {len(cases)} systems, others before"
        elif args.only:
            note = ", ".join(f"{name} fitted to {len(fitted_cases(cases, name))} systems" for name in args.only)
            note += ", the others before"
        args.table.write_text(table_text(text, device, table, note), encoding="utf-8")


if __name__ == "__main__":
    main()
