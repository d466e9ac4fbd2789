#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a PETSc program with several solver types, and prints the part of README.md that shows it.

    tools/readme_run.py --program ./ex45 --plugin libsptrsv_petsc.so --types cusparse,sptrsv [--runs 3] \\
        [--markdown FILE] -- -da_grid_x 100 ...

The program takes PETSc's options; what follows -- goes to it. Times are those of -log_view, the least of several runs:
the set-up of the preconditioner (PCSetUp) and the Krylov method after it (KSPSolve). The lines of -ksp_view are those
of the last type. Standard library only.
"""
import argparse
import os
import re
import subprocess
import sys
import textwrap

WIDTH = 112  # of a line of -ksp_view in the page

EVENT = re.compile(r"^(PCSetUp|KSPSolve)\s+(\d+)\s+[\d.]+\s+([\d.e+-]+)\s", re.MULTILINE)
ITERATIONS = re.compile(r"Linear solve converged due to \w+ iterations (\d+)")
VIEW = re.compile(r"^\s*sptrsv \S+: type .*(?:\n.*?)*?numeric updates?, .*$", re.MULTILINE)


def read_run(text):
    """Returns iterations, and the seconds of PCSetUp and KSPSolve, of a run's output."""
    found = ITERATIONS.search(text)
    if not found:
        raise ValueError("the solve has not converged, or the output has no line of -ksp_converged_reason")
    seconds = {name: float(time) for name, _, time in EVENT.findall(text)}
    missing = {"PCSetUp", "KSPSolve"} - seconds.keys()
    if missing:
        raise ValueError(f"the output has no event {' and '.join(sorted(missing))} of -log_view")
    return int(found[1]), seconds["PCSetUp"], seconds["KSPSolve"]


def read_view(text):
    """Returns the lines of -ksp_view about a factor of the plugin, without their indentation."""
    found = VIEW.search(text)
    if not found:
        raise ValueError("the output has no lines of -ksp_view about the plugin")
    lines = found[0].strip("\n").split("\n")
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    wrapped = []
    for line in (line[margin:].rstrip() for line in lines):
        indent = " " * (len(line) - len(line.lstrip()) + 3)
        wrapped += textwrap.wrap(line, WIDTH, subsequent_indent=indent, drop_whitespace=True,
                                 break_on_hyphens=False) or [""]
    return wrapped


def markdown(options, runs, view):
    """Returns the text for README.md. @param runs  {type: (iterations, seconds of set-up, seconds of KSPSolve)}"""
    first = next(iter(runs))
    lines = [f"    $ ./{options[0]} {' '.join(options[1:])} \\",
             f"        -pc_factor_mat_solver_type {list(runs)[-1]} -ksp_view", ""]
    lines += ["    " + line for line in view] + [""]
    lines += ["| type | set-up, ms | KSPSolve, ms | iterations | set-up and KSPSolve |",
              "| --- | ---: | ---: | ---: | ---: |"]
    base = sum(runs[first][1:])
    for name, (iterations, set_up, solve) in runs.items():
        ratio = base / (set_up + solve)
        lines.append(f"| `{name}` | {1e3 * set_up:.1f} | {1e3 * solve:.1f} | {iterations} | "
                     + ("1" if name == first else f"{ratio:.2g} times as fast") + " |")
    return "\n".join(lines) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", required=True, help="a program that takes PETSc's options")
    p.add_argument("--plugin", required=True, help="libsptrsv_petsc.so")
    p.add_argument("--types", default="petsc,sptrsv", help="solver types; the last is viewed (default: %(default)s)")
    p.add_argument("--runs", type=int, default=3, help="runs of each type (default: %(default)s)")
    p.add_argument("--markdown", help="file for the text (default: standard output)")
    p.add_argument("options", nargs="+", help="options of the program, behind --")
    arguments = p.parse_args()
    environment = dict(os.environ, PETSC_OPTIONS=f"-dll_append {os.path.abspath(arguments.plugin)}")
    runs, text = {}, ""
    for name in arguments.types.split(","):
        command = [os.path.abspath(arguments.program), *arguments.options, "-pc_factor_mat_solver_type", name,
                   "-ksp_view", "-ksp_converged_reason", "-log_view"]
        results = []
        for _ in range(arguments.runs):
            done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            text = done.stdout
            if done.returncode:
                sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{text}")
            results.append(read_run(text))
        runs[name] = (results[0][0], min(r[1] for r in results), min(r[2] for r in results))
    shown = markdown([os.path.basename(arguments.program), *arguments.options], runs, read_view(text))
    if arguments.markdown:
        with open(arguments.markdown, "w") as file:
            file.write(shown)
    else:
        print(shown, end="")


if __name__ == "__main__":
    main()
