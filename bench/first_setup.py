#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs bench_first_setup on systems and factors, with a time limit per row, and prints one table.

    bench/first_setup.py --bench-first-setup build/quick/bench/bench_first_setup \\
        --plugin build/quick/plugin/petsc/libsptrsv_petsc.so [--files DIR] [--only 'lap* fem3:32'] \\
        [--cases seqaijkokkos:sptrsv] [--limit 60] [--total 540] [--markdown table.md] [-- OPTION ...]

A row is one factor with one type, warm-up and repetitions included. A row that takes longer than --limit ends its
process; the factors behind it get a new one. Rows that would start after --total seconds are left out, and named.
Exits nonzero if the plugin's part of a row is above what is allowed, or a row of ours failed or did not end.
"""
import argparse
import fnmatch
import lzma
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time

SPECS = ["lap2d:1000", "lap3d:50", "fem3:32", "stencil27:40"]
FACTORS = ["ilu0", "ilu1", "ilu2", "ilu3", "ilu4", "icc0", "icc1", "icc2", "icc3", "icc4", "cholesky", "lu"]
COLUMNS = ["matrix", "factor", "type", "symbolic", "numeric", "both", "part", "allowed", ""]


def unpacked(path, folder):
    """Returns the path of a file that the program reads: `path` itself, or its unpacked copy."""
    if path.suffix != ".xz":
        return path
    out = pathlib.Path(folder) / path.name[: -len(".xz")]
    out.write_bytes(lzma.decompress(path.read_bytes()))
    return out


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bench-first-setup", required=True, help="the program")
    p.add_argument("--plugin", required=True, help="libsptrsv_petsc.so")
    p.add_argument("--files", help="folder of .mtx, .mtx.gz or .mtx.xz files")
    p.add_argument("--only", default="*", help="matrices whose name matches one of these patterns")
    p.add_argument("--factors", default=",".join(FACTORS), help="default: %(default)s")
    p.add_argument("--cases", default="seqaij:sptrsv,seqaij:sequential", help="default: %(default)s")
    p.add_argument("--limit", type=float, default=60, help="seconds per row (default: %(default)s)")
    p.add_argument("--total", type=float, default=1e9, help="seconds for all rows")
    p.add_argument("--markdown", help="where the table goes")
    p.add_argument("options", nargs="*", help="for bench_first_setup, behind --")
    return p.parse_args()


def list_matrices(arguments, folder):
    """Yields name and argument for -matrix."""
    def wanted(name):
        return any(fnmatch.fnmatch(name, pattern) for pattern in arguments.only.split())

    yield from ((spec, spec) for spec in SPECS if wanted(spec))
    for file in sorted(pathlib.Path(arguments.files).glob("*.mtx*")) if arguments.files else []:
        name = file.name.split(".mtx")[0]
        if wanted(name):
            yield name, str(unpacked(file, folder))


def start(arguments, matrix, factors):
    """Starts the program. Returns the process, and a queue of its lines, which ends in None."""
    command = [arguments.bench_first_setup, "-matrix", matrix, "-factors", ",".join(factors), "-cases",
               arguments.cases, "-dll_append", arguments.plugin, "-use_gpu_aware_mpi", "0"] + arguments.options
    environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **os.environ}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return process, lines


def next_line(lines, seconds):
    """Returns the next line, None at the end of the output, or an empty text if there is none in time."""
    try:
        return lines.get(timeout=max(0.0, seconds))
    except queue.Empty:
        return ""


def rows_of(arguments, name, matrix, end):
    """Yields rows of texts, in the order of COLUMNS."""
    left, cases = arguments.factors.split(","), ["seqaij:petsc"] + arguments.cases.split(",")
    while left and time.monotonic() < end:
        process, lines = start(arguments, matrix, left)
        number = 0  # of the case that comes next, of factor left[0]
        while left:
            line = next_line(lines, min(arguments.limit, end - time.monotonic()))
            if not line:
                break
            words = line.split()
            if words[1:3] != [left[0], cases[number]] or len(words) < 4:
                continue  # not a row, or one that the process has not ended
            failed = words[3].startswith("FAILED")
            yield [name] + words[1:3] + (["-"] * 5 + [" ".join(words[3:])] if failed else (words[3:] + [""] * 3)[:6])
            number += 1
            if number == len(cases) or failed and number == 1:
                left, number = left[1:], 0
        if left:
            process.kill()
        errors = [line for line in process.stderr.read().splitlines() if "-----" not in line and line.strip()]
        message = errors[0] if errors else "no message"
        process.wait()
        if left:
            note = f"ENDED: {message}" if line is None else f"NO END in {arguments.limit:g} s"
            yield [name, left[0], cases[number]] + ["-"] * 5 + [note]
            left = left[1:]
    for factor in left:
        yield [name, factor, "all"] + ["-"] * 5 + ["LEFT OUT: the time for all is used up"]


def text_of(row):
    return f"{row[0]:22} {row[1]:9} {row[2]:24} " + " ".join(f"{cell:>9}" for cell in row[3:8]) + " " + row[8]


def main():
    arguments = parse_arguments()
    end, rows, bad = time.monotonic() + arguments.total, [], 0
    print(text_of(COLUMNS) + "(all in ms)", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, matrix in list_matrices(arguments, folder):
            for row in rows_of(arguments, name, matrix, end):
                rows.append(row)
                bad += row[2] != "seqaij:petsc" and row[8] != "within"
                print(text_of(row), flush=True)
    if arguments.markdown:
        with open(arguments.markdown, "w", encoding="utf-8") as file:
            print("| " + " | ".join(COLUMNS) + " |\n|" + " --- |" * len(COLUMNS), file=file)
            for row in rows:
                print("| " + " | ".join(row) + " |", file=file)
    print(f"{len(rows)} rows, {bad} of them not within what is allowed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
