#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two JSON files of bench_solve; exits with 1 if a phase got slower than allowed.

Compares medians. A case counts as slower only if its new lower quartile lies above the old upper quartile, so that
noise of a busy machine does not fail a comparison.
"""
import argparse
import json
import sys

PHASES = ("analyze", "update", "solve")


def cases(data):
    """Returns the results by matrix, shape, columns and algorithm."""
    return {(r["matrix"], r["shape"], r["columns"], r["algorithm"]): r for r in data["seconds"]}


def losses(old, new, phases, max_loss):
    """Yields (case, phase, old median, new median, relative change, whether it is a loss) for the common cases."""
    old, new = cases(old), cases(new)
    for key in sorted(old.keys() & new.keys()):
        for phase in phases:
            a, b = old[key][phase], new[key][phase]
            change = b["median"] / a["median"] - 1
            yield key, phase, a["median"], b["median"], change, change > max_loss and b["q1"] > a["q3"]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--max-loss", type=float, default=0.1, help="allowed relative loss, default 0.1")
    parser.add_argument("--phases", default="solve", help="comma-separated, of " + ",".join(PHASES) + "; default solve")
    arguments = parser.parse_args(argv)
    phases = arguments.phases.split(",")
    unknown = [p for p in phases if p not in PHASES]
    if unknown:
        parser.error(f"unknown phase {unknown[0]}; choose of {', '.join(PHASES)}")
    data = []
    for name in (arguments.old, arguments.new):
        try:
            with open(name, encoding="utf-8") as file:
                data.append(json.load(file))
            cases(data[-1])
        except (OSError, ValueError, KeyError, TypeError) as error:
            parser.error(f"{name} is no result of bench_solve: {error!r}")
    old, new = data
    for key in ("device", "space", "concurrency", "compiler"):
        if old[key] != new[key]:
            print(f"note: {key} differs: {old[key]} / {new[key]}")
    print(f"old {old['library']} {old['commit']}, new {new['library']} {new['commit']}")
    compared = list(losses(old, new, phases, arguments.max_loss))
    if not compared:
        print("no case is in both files")
        return 1
    failed = 0
    for (matrix, shape, columns, algorithm), phase, a, b, change, lost in compared:
        failed += lost
        print(f"{matrix:24} {shape:16} {columns:3} {algorithm:12} {phase:8} {a * 1e3:10.4f} ms {b * 1e3:10.4f} ms "
              f"{100 * change:+7.1f} %{'  LOSS' if lost else ''}")
    missing = len(cases(old).keys() - cases(new).keys())
    if missing:
        print(f"{missing} cases of {arguments.old} are not in {arguments.new}")
    print(f"{failed} of {len(compared)} lost more than {100 * arguments.max_loss:g} %")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
