# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of docs/dev/petsc_faults.md, which says which PETSc has which fault, with the PETSc in use. A fault
that
is gone fails like a new one: the page, and perhaps a work-around, is then out of date. Environment:
SPTRSV_TEST_FAULTS, the folder of the built programs; SPTRSV_TEST_FAULTS_PAGE, the page, next to which a folder of the
same name has their sources."""
import concurrent.futures
import os
import re
import sys

from petsc_runs import run, skip

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import fault_reports  # noqa: E402

OUTCOMES = {"yes": "fault shown", "no": "no fault", "-": "not here"}


def read_verdicts(path):
    """Returns the versions, and {program: {version: outcome}}, of the page's table."""
    with open(path) as file:
        versions, table = fault_reports.read_table(file.read())
    return versions, {name: {version: OUTCOMES[cell] for version, cell in cells.items()}
                      for name, (_, cells) in table.items()}


class Outcome:
    """Version of PETSc, outcome, and the output line before the outcome, which says what was observed."""

    def __init__(self, path):
        done = run(path, "", load=None, timeout=40, check=False)
        lines = [line for line in done.text.splitlines() if line.strip()]
        self.name = os.path.basename(path)
        self.outcome = lines[-1] if lines else ""
        self.seen = lines[-2] if len(lines) > 1 else ""
        found = re.search(r"^PETSc (\d+\.\d+\.\d+)$", done.text, re.M)
        self.version = found[1] if found else "unknown"
        self.valid = done.status == 0 and self.outcome in OUTCOMES.values()
        self.text = str(done)


def judge(outcome, expected):
    """Returns what is wrong, or None."""
    if not outcome.valid:
        return f"{outcome.name} gave no outcome: {outcome.text}"
    if outcome.outcome in (expected, "not here"):
        return None
    return (f"{outcome.name}: docs/dev/petsc_faults.md says '{expected}' for PETSc {outcome.version}, the program says "
            f"'{outcome.outcome}' ({outcome.seen}). Correct that page, and see whether the work-around it names "
            "is still right")


def main():
    folder = os.environ["SPTRSV_TEST_FAULTS"]
    page = os.environ["SPTRSV_TEST_FAULTS_PAGE"]
    versions, table = read_verdicts(page)
    programs = sorted(name[:-2] for name in os.listdir(page[:-3]) if name.endswith(".c"))
    failures = []
    if sorted(table) != programs:
        failures.append(f"docs/dev/petsc_faults.md has rows for {sorted(table)}, the programs are {programs}; "
                        "make them agree")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(Outcome, [os.path.join(folder, name) for name in programs]))
    known = bool(outcomes) and outcomes[0].version in versions
    for outcome in outcomes:
        print(f"PETSc {outcome.version}, {outcome.name}: {outcome.outcome} ({outcome.seen})")
        expected = table.get(outcome.name, {}).get(outcome.version, outcome.outcome)  # a missing row is reported above
        wrong = judge(outcome, expected)
        failures += [wrong] if wrong else []
    if failures:
        sys.exit("\n".join(failures))
    if not known:
        skip(f"docs/dev/petsc_faults.md has no column for the PETSc in use; it has {', '.join(versions)}. What was "
             "seen stands above")


if __name__ == "__main__":
    main()
