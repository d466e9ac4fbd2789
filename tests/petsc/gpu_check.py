#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the plugin on a GPU by programs in this file's folder (or --programs). Each run has a name and a time limit.

  ksp        gpu_ksp: every solver type with Krylov methods, iterations and rows compared with PETSc's own on the host
  tutorials  PETSc's ex2 and ex45, unmodified: iterations and norms compared with PETSc's own on the host
  examples   heat and schur of examples/direct: complete factors, by PETSc and by CHOLMOD; they check their answers
  parallel   both on 2 and 4 ranks that share the GPU; test_submatrices on 1, 2 and 3 ranks
  rows       test_matrix_types: every kind of factor and solve, row by row; test_libraries, if the plugin has
             SuiteSparse; fuzz_calls: random calls, and triangles of the program's own
  sweeps     test_sweeps: SOR row by row; ex45 with sor, eisenstat and multigrid: iterations, and no copies in sweeps
  log        copies and flops in -log_view
  quiet      Kokkos' tools see only kernels within solves

Usage: gpu_check.py [--host] [--jobs N] [--programs DIR] [--limit SECONDS] [--only TEXT] [GROUP...]
--host runs what a build without a GPU can run; --only takes runs whose names contain TEXT. Exit status:
0 all passed, 1 something failed, 77 no GPU here, nothing was tested. Needs Python 3.8 and no packages.
"""
import argparse
import concurrent.futures
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TYPES = ["levelset", "syncfree", "threadlevel", "fused", "tiled", "colorset", "blocked", "sptrsv"]
COLOR = " -pc_factor_mat_ordering_type color"  # colorset is made for it; PETSc's own types get it too
VECTORS = {"aijkokkos": "kokkos", "aijcusparse": "cuda", "aijhipsparse": "hip", "aij": "standard"}
METHODS = {
    "cg_icc": "-ksp_type cg -pc_type icc",
    "bcgs_ilu0": "-ksp_type bcgs -pc_type ilu",
    "gmres_ilu2": "-ksp_type gmres -pc_type ilu -pc_factor_levels 2",
    "bicg_ilu0": "-ksp_type bicg -pc_type ilu",  # each iteration has a transposed solve
}
# factors of the groups log and quiet, in turn
FACTORS = ["icc", "ilu", "ilu -pc_factor_mat_ordering_type rcm"]
# PETSc's own types for such vectors: a difference from the host's iterations that one of them shares is due to rounding
CONTROLS = {"aijkokkos": ["petsc", "kokkos"], "aijcusparse": ["petsc", "cusparse"],
            "aijhipsparse": ["petsc", "hipsparse"], "aij": ["petsc"]}
settings = None
references, references_lock = {}, threading.Lock()


class Failure(Exception):
    pass


def path(name):
    found = os.path.join(settings.programs, name)
    if not os.path.exists(found):
        raise Failure(f"{found} is missing; build the target petsc_gpu_check")
    return found


def run(name, options, ranks=1, env=None):
    """Returns the text that a program printed. Any outcome other than exit status 0 in time is a Failure."""
    full = dict(os.environ, OMP_NUM_THREADS="1", OMP_PROC_BIND="false", OMP_WAIT_POLICY="passive",
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                PETSC_OPTIONS=f"-dll_append {path('libsptrsv_petsc.so')} -use_gpu_aware_mpi 0", **(env or {}))
    command = [path(name)] + options.split()
    if ranks > 1:
        command = [settings.mpiexec, "-n", str(ranks)] + command
    process = subprocess.Popen(command, env=full, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        text = process.communicate(timeout=settings.limit)[0]
    except subprocess.TimeoutExpired:
        raise Failure(f"not done after {settings.limit} s: {' '.join(command)}\n{stop(process)[-2000:]}")
    if process.returncode != 0:
        raise Failure(f"exit status {process.returncode}: {' '.join(command)}\n{text[-4000:]}")
    return text


def stop(process):
    """Ends a process, an mpiexec with time to end its ranks, and returns what it printed."""
    for end in (signal.SIGTERM, signal.SIGKILL):
        os.killpg(process.pid, end)
        try:
            return process.communicate(timeout=10)[0]
        except subprocess.TimeoutExpired:
            pass
    return "(it does not end)"


def number(pattern, text, kind=float):
    found = re.findall(pattern, text, re.M)
    if not found:
        raise Failure(f"no '{pattern}' in\n{text[-4000:]}")
    return kind(found[-1])


def on_device(text):
    wanted = "host" if settings.host else "device"
    if not re.search(rf"backend {wanted}\b", text):
        raise Failure(f"the solves do not run on the {wanted}:\n{text[-4000:]}")


def with_prefix(options, prefix):
    return re.sub(r"(^| )-(?=[a-z])", rf"\1-{prefix}", options)


def judge(matrix, ours, own, iterations_of):
    """Describes iterations that are PETSc's own on the host, or that differ by one as those of one of PETSc's own types
    with such vectors do, iterations_of(type). Otherwise a Failure."""
    if ours == own:
        return "as PETSc's own"
    seen = {}
    for kind in CONTROLS[matrix] if all(abs(a - b) <= 1 for a, b in zip(ours, own)) else []:
        try:
            seen[kind] = iterations_of(kind)
        except Failure as failure:  # PETSc's kokkos type fails for some methods
            seen[kind] = str(failure)[:100]
        if seen[kind] == ours:
            return f"one off PETSc's own {own} by rounding, just as its type {kind} with these vectors"
    raise Failure(f"iterations {ours}, PETSc's own {own}; with such vectors {seen}")


# --- gpu_ksp

def ksp(matrix, kind, method, problem, ranks=1, sub=""):
    shared = f"-mat_type {matrix} {method} -{sub}pc_factor_mat_solver_type "
    own = with_prefix(f"-mat_type aij {method} -{sub}pc_factor_mat_solver_type petsc", "ref_")

    def iterations(text):
        pairs = re.findall(r"^iterations (?:solve|transpose) (\d+) reference (\d+)", text, re.M)
        return [int(a) for a, _ in pairs], [int(b) for _, b in pairs]

    text = run("gpu_ksp", f"{problem} {shared}{kind} {own}", ranks)
    on_device(text)
    if "all rows agree" not in text:
        raise Failure(text[-4000:])
    ours, reference = iterations(text)
    if len(ours) < 2:
        raise Failure(text[-4000:])
    def iterations_of(control):
        return iterations(run("gpu_ksp", f"{problem} {shared}{control} {own} -only_iterations", ranks))[0]

    word = judge(matrix, ours, reference, iterations_of)
    return f"rows agree, iterations {ours} {word}"


def ksp_runs(matrices):
    for matrix in matrices:
        for kind in TYPES:
            for name, method in METHODS.items():
                problem = "-side 100" + (" -convection 0" if "icc" in name else "")
                method += COLOR if kind == "colorset" else ""
                if kind == "colorset" and name == "bicg_ilu0":
                    continue  # its iterations vary with rounding: 127, 129 or 143 in that order
                yield f"ksp.{matrix}.{kind}.{name}", lambda a=(matrix, kind, method, problem): ksp(*a)
            if kind == "colorset":
                continue
            yield (f"ksp.{matrix}.{kind}.3d_bcgs_ilu0",
                   lambda a=(matrix, kind, METHODS["bcgs_ilu0"], "-dims 3 -side 32"): ksp(*a))
        for name in ["cg_icc", "bcgs_ilu0"]:  # one thread of a GPU: small problems only
            problem = "-side 24" + (" -convection 0" if "icc" in name else "")
            yield f"ksp.{matrix}.sequential.{name}", lambda a=(matrix, "sequential", METHODS[name], problem): ksp(*a)
        if matrix == "aijcusparse":
            continue  # with such a stream PETSc's own types are wrong too (docs/dev/petsc_faults.md)
        stream = METHODS["bcgs_ilu0"] + " -root_device_context_stream_type nonblocking"  # not the default stream
        yield f"ksp.{matrix}.levelset.own_stream", lambda a=(matrix, "levelset", stream, "-side 100"): ksp(*a)
    if not settings.host:  # a matrix on the host, solved on the GPU by option, with its vectors copied
        asked = METHODS["bcgs_ilu0"] + " -mat_sptrsv_backend device"
        yield "ksp.aij.levelset.asked_for", lambda: ksp("aij", "levelset", asked, "-side 60")
        gone = asked + " -own_context -own_device_context_stream_type nonblocking"
        yield "ksp.aij.levelset.destroyed_context", lambda: ksp("aij", "levelset", gone, "-side 60")


# --- PETSc's tutorials

def ex2(matrix):
    return f"-m 100 -n 90 -mat_type {matrix} -vec_type {VECTORS[matrix]}"


def ex45(matrix):
    return f"-da_grid_x 31 -da_grid_y 30 -da_grid_z 29 -dm_mat_type {matrix} -dm_vec_type {VECTORS[matrix]}"


TUTORIALS = {"ex2": (ex2, r"Norm of error (\S+)"), "ex45": (ex45, r"Residual norm (\S+)")}


def outcome(name, matrix, method, kind, ranks, sub):
    """Runs a tutorial. kind: the type that it asks for; None: none, and sptrsv replaces PETSc's own."""
    options, norm = TUTORIALS[name]
    choice = f"{sub}pc_factor_mat_solver_type {kind}" if kind else f"mat_sptrsv_replace {','.join(CONTROLS[matrix])}"
    shown = f"package used to perform factorization: {kind}" if kind else "(-mat_sptrsv_replace)"
    text = run(name, f"{options(matrix)} {method} -{choice} -ksp_converged_reason -ksp_view", ranks)
    if shown not in text:
        raise Failure(f"-ksp_view does not show '{shown}':\n{text[-4000:]}")
    return text, number(r"iterations (\d+)", text, int), number(norm, text)


def reference(name, method, ranks, sub):
    """Returns the result of PETSc's own type on the host, which runs once for all."""
    with references_lock:
        made = references.setdefault((name, method, ranks), {"lock": threading.Lock()})
    with made["lock"]:
        if "value" not in made:
            made["value"] = outcome(name, "aij", method, "petsc", ranks, sub)[1:]
    return made["value"]


def tutorial(name, matrix, kind, method, ranks=1, sub=""):
    text, iterations, norm = outcome(name, matrix, method, kind, ranks, sub)
    on_device(text)
    own_iterations, own_norm = reference(name, method, ranks, sub)
    word = judge(matrix, [iterations], [own_iterations],
                 lambda control: [outcome(name, matrix, method, control, ranks, sub)[1]])
    if iterations == own_iterations and not abs(norm - own_norm) <= 0.01 * own_norm + 1e-9:
        raise Failure(f"norm {norm}, PETSc's own {own_norm}")
    return f"iterations {iterations} {word}"


def tutorial_runs(matrices):
    for matrix in matrices:
        for name, method in [("ex2", "cg_icc"), ("ex45", "bcgs_ilu0")]:
            yield (f"tutorials.{name}.{matrix}.replaced.{method}",
                   lambda a=(name, matrix, None, METHODS[method]): tutorial(*a))
        for kind in TYPES:
            # not ex2 with BiCGStab: the iterations of PETSc's own type vary with rounding, 43 or 50, with and without
            # Kokkos' vectors
            if kind == "colorset":
                continue
            for name, method in [("ex2", "cg_icc"), ("ex2", "gmres_ilu2"), ("ex45", "bcgs_ilu0"),
                                 ("ex45", "gmres_ilu2")]:
                yield (f"tutorials.{name}.{matrix}.{kind}.{method}",
                       lambda a=(name, matrix, kind, METHODS[method]): tutorial(*a))


EXAMPLES = {"heat": ("-n 200", ""), "schur": ("-n 60", "fieldsplit_0_")}  # options, prefix of the factor


def has_libraries():
    return os.path.exists(os.path.join(settings.programs, "test_libraries"))


def example(name, matrix, factor):
    options, prefix = EXAMPLES[name]
    text = run(name, f"{options} -mat_type {matrix} -{prefix}pc_factor_mat_solver_type sptrsv "
                     f"-{prefix}mat_sptrsv_factor {factor} -ksp_view")  # the program checks its answer
    on_device(text)
    if f"factored by {factor.upper()}" not in text and factor != "automatic":
        raise Failure(f"not factored by {factor}:\n{text[-4000:]}")
    return "answer right"


def example_runs(matrices):
    for matrix in matrices:
        for name in EXAMPLES:
            for factor in ["automatic"] + ["cholmod"] * has_libraries():
                yield f"examples.{name}.{matrix}.{factor}", lambda a=(name, matrix, factor): example(*a)


def parallel_runs(matrices):
    for matrix in matrices:
        for ranks in [2, 4]:
            for pc, kinds in [("bjacobi", ["levelset", "syncfree"]), ("asm", ["threadlevel", "sptrsv"]),
                              ("asm", ["tiled", "fused"])]:
                for kind, factor in zip(kinds, ["icc", "ilu"]):
                    ksp_type = "cg" if factor == "icc" and pc == "bjacobi" else "gmres"
                    method = f"-ksp_type {ksp_type} -pc_type {pc} -sub_pc_type {factor}"
                    problem = "-side 100" + (" -convection 0" if factor == "icc" else "")
                    label = f"{matrix}.{kind}.{pc}_{factor}.ranks{ranks}"
                    yield f"parallel.gpu_ksp.{label}", lambda a=(matrix, kind, method, problem, ranks, "sub_"): ksp(*a)
                    name = "ex2" if factor == "icc" else "ex45"  # ex45's matrix is not symmetric
                    yield f"parallel.{name}.{label}", lambda a=(name, matrix, kind, method, ranks, "sub_"): tutorial(*a)
        for ranks in [1, 2, 3]:
            yield (f"parallel.submatrices.{matrix}.ranks{ranks}",
                   lambda a=("test_submatrices", "*" if ranks == 1 else "-*OnOneRank*",
                             f"-run_mat_type {matrix}", ranks): rows(*a))


# --- rows, copies, quiet

ENDLESS = "-ksp_type richardson -ksp_rtol 1e-300 -ksp_atol 1e-300"  # runs until -ksp_max_it

def rows(program, filters, options="", ranks=1):
    text = run(program, f"--gtest_color=no --gtest_brief=1 --gtest_filter={filters} {options}", ranks)
    passed = number(r"\[  PASSED  \] (\d+) tests?", text, int)
    if passed < 1:
        raise Failure(f"no test is called {filters}")
    return f"{passed} tests"


def fuzz(first, options):
    text = run("fuzz_calls", f"--first {first} --sequences 200 {options}")
    return text.strip().splitlines()[-1].split(";")[0]


def rows_runs(matrices):
    labels = ["sequential", "levelset", "levelset_unchained", "syncfree", "syncfree_csc", "threadlevel",
              "threadlevel_two_phase", "fused", "tiled", "blocked", "colorset", "colorset_cpls", "sptrsv"]
    for matrix in matrices:
        for label in labels:
            filters = f"*/{label}_seq{matrix}_bs1_*:*/{label}_seq{matrix}_bs3_*"
            yield f"rows.{matrix}.{label}", lambda f=filters: rows("test_matrix_types", f)
        yield f"rows.triangles.{matrix}", lambda m=matrix: fuzz(1, f"--ways triangles --operator seq{m}")
    # PETSc has no matrices with blocks on a GPU, but solves with their factors can run there
    where = "host" if settings.host else "device"
    everywhere = " ".join(f"-{prefix}mat_sptrsv_backend {where}"
                          for prefix in ["", "host_", "device_"] + [label + "_" for label in labels])
    for factor in ("host", "device"):
        options = f"{everywhere} -mat_sptrsv_factor {factor}"
        yield f"rows.block_factors.{factor}", lambda o=options: rows("test_block_factors", "*", o)
    if has_libraries():
        libraries = ["cholmod", "cholmod_simplicial", "cholmod_supernodal", "umfpack", "umfpack_unscaled", "klu",
                     "klu_scaled"]
        options = " ".join(f"-{label}_mat_sptrsv_backend {where}" for label in libraries)
        yield "rows.libraries", lambda: rows("test_libraries", "*", options)
    for first in (1, 201, 401, 601):
        yield f"rows.fuzz.{first}", lambda f=first: fuzz(f, f"--types aij,baij,sbaij --backend {where}")
    for label in labels:
        filters = ":".join(f"*/{label}_seq{matrix}_bs{bs}_*" for matrix in ["baij", "sbaij"] for bs in [1, 2, 5, 11])
        yield f"rows.blocks.{label}", lambda f=filters: rows("test_matrix_types", f, everywhere)


def event(name, text):
    """Returns an event's count, copies to the GPU, copies from it, and percentage of flops on the GPU."""
    line = re.search(rf"^{name} +(\d+) .* (\S+) +(\S+) +(\S+) +(\S+) +(\d+)$", text, re.M)
    if not line:
        raise Failure(f"no event {name} in\n{text[-6000:]}")
    return int(line[1]), float(line[2]), float(line[4]), int(line[6])


def log(matrix, kind, pc):
    base = f"{ENDLESS} {ex2(matrix)} -pc_type {pc} -pc_factor_mat_solver_type {kind} -log_view -ksp_view -ksp_max_it "
    few, many = (run("ex2", f"{base}{iterations}") for iterations in (5, 30))
    for text in (few, many):
        solves, to_gpu, to_cpu, percent = event("SpTRSVSolve", text)
        if to_gpu or to_cpu or percent != 100:
            raise Failure(f"SpTRSVSolve: {to_gpu} copies to the GPU, {to_cpu} from it, {percent} % of the flops there")
        updates, to_gpu, to_cpu, percent = event("SpTRSVNumeric", text)
        if to_gpu or to_cpu or percent != 100 or "factored by sptrsv on the device" not in text:
            raise Failure(f"SpTRSVNumeric: {to_gpu} copies to the GPU, {to_cpu} from it, {percent} % of the flops "
                          f"there, in {updates} updates")
    before, after = (event("KSPSolve", text)[1:3] for text in (few, many))
    if before != after:
        raise Failure(f"copies in KSPSolve grow with its iterations: {before}, {after}")
    by_petsc = run("ex2", f"{base}5 -mat_sptrsv_factor host")
    updates, to_gpu, to_cpu, _ = event("SpTRSVNumeric", by_petsc)
    if to_gpu != updates or to_cpu or "factored by PETSc on the host (asked for)" not in by_petsc:
        raise Failure(f"SpTRSVNumeric after PETSc's: {to_gpu} copies to the GPU and {to_cpu} from it in {updates} "
                      "updates")
    return f"no copies in {solves} solves and {updates} numeric phases; with PETSc's values one a phase"


def counted(options):
    with tempfile.TemporaryDirectory() as folder:
        counts = os.path.join(folder, "counts")
        text = run("ex2", options, env={"KOKKOS_TOOLS_LIBS": path("libkokkos_counters.so"),
                                        "SPTRSV_TEST_COUNTS": counts})
        with open(counts) as file:
            return {name: int(value) for name, value in map(str.split, file)}, text


def quiet(matrix, kind, pc):
    base = f"{ENDLESS} {ex2(matrix)} -pc_type {pc} -pc_factor_mat_solver_type {kind} -ksp_max_it "
    (few, _), (many, text) = (counted(f"{base}{iterations}") for iterations in (5, 30))
    # on a host one thread may do without kernels
    if not many["solves"] > few["solves"] or not (settings.host or many["solve_kernels"] > few["solve_kernels"]):
        raise Failure(f"the counters saw no solves: {few}, {many}")
    # in the first solve Kokkos may enlarge its scratch memory; with Kokkos' vectors PETSc itself fences
    names = ["solve_allocations", "solve_copies", "solve_fences"]
    if VECTORS[matrix] != "kokkos":
        names += ["allocations", "copies", "fences"]
    grown = [name for name in names if few[name] != many[name]]
    if grown or many["solve_copies"] or many["solve_fences"]:
        raise Failure(f"{few}\n{many}\n{text[-3000:]}")
    return (f"{many['solves']} solves, {many['solve_kernels']} kernels, {many['solve_allocations']} allocations (in "
            "the first), no copies, no fences")


# --- sweeps of SOR

SWEPT = {
    "sor": "-ksp_type cg -pc_type sor",
    "sor_forward": "-pc_type sor -pc_sor_forward -pc_sor_omega 1.2 -pc_sor_its 2",
    "eisenstat": "-ksp_type cg -pc_type eisenstat",
    "mg": "-pc_type mg -pc_mg_levels 3 -da_refine 2 -da_grid_x 5 -da_grid_y 5 -da_grid_z 5",
    "mg_richardson": "-pc_type mg -pc_mg_levels 3 -da_refine 2 -da_grid_x 5 -da_grid_y 5 -da_grid_z 5 "
                     "-mg_levels_ksp_type richardson",
}


def swept(matrix, name, kind):
    prefix = "mg_levels_" if name.startswith("mg") else ""
    options = f"{ex45(matrix)} {SWEPT[name]} -ksp_rtol 1e-8 -ksp_converged_reason -ksp_view -log_view "
    own_options = options.replace(ex45(matrix), ex45("aij"))
    own = run("ex45", f"{own_options} -{prefix}pc_sor_sptrsv off")
    text = run("ex45", options + (f"-{prefix}pc_sor_sptrsv {kind}" if kind else ""))
    on_device(text)
    if f"type {kind or 'sptrsv'}, Kokkos" not in text:
        raise Failure(f"no sweeps by {kind}:\n{text[-4000:]}")
    ours, expected = (number(r"iterations (\d+)", each, int) for each in (text, own))
    norm, own_norm = (number(r"Residual norm (\S+)", each) for each in (text, own))
    # eigenvalues that a Chebyshev smoother estimates vary with rounding
    if ours != expected or not abs(norm - own_norm) <= 0.01 * own_norm + 1e-9:
        raise Failure(f"{ours} iterations, norm {norm}; PETSc's own {expected}, {own_norm}")
    solves, to_gpu, to_cpu, percent = event("SpTRSVSolve", text)
    sweeps, sor_to_gpu, sor_to_cpu, _ = event("MatSOR", text)
    # the program's right-hand side and the noise of Chebyshev smoothers are made on the host
    filled = 1 if prefix == "" else 2 * 3
    if to_gpu or to_cpu or sor_to_gpu > filled or sor_to_cpu or (percent != 100 and not settings.host):
        raise Failure(f"copies in {sweeps} MatSOR: {sor_to_gpu} to the GPU, {sor_to_cpu} from it; in {solves} of ours: "
                      f"{to_gpu}, {to_cpu}, {percent} % of flops there")
    return f"iterations {ours} as PETSc's own, {sor_to_gpu:.0f} copies in {sweeps} sweeps"


def sweeps_runs(matrices):
    for matrix in matrices:
        yield (f"sweeps.rows.{matrix}",
               lambda m=matrix: rows("test_sweeps", "*", f"-run_mat_type {m}"))
        for name in SWEPT:
            for kind in ["", "levelset", "syncfree"]:
                yield (f"sweeps.{matrix}.{name}.{kind or 'sptrsv'}", lambda a=(matrix, name, kind): swept(*a))


def log_runs(matrices):
    for matrix in matrices:
        for kind, pc in zip(TYPES, itertools.cycle(FACTORS)):
            yield f"log.{matrix}.{kind}.{pc.split()[0]}", lambda a=(matrix, kind, pc): log(*a)


def quiet_runs(matrices):
    for matrix in matrices:
        for kind, pc in zip(TYPES, itertools.cycle(FACTORS)):
            yield f"quiet.{matrix}.{kind}.{pc.split()[0]}", lambda a=(matrix, kind, pc): quiet(*a)


GROUPS = {"ksp": ksp_runs, "tutorials": tutorial_runs, "examples": example_runs, "parallel": parallel_runs,
          "rows": rows_runs, "sweeps": sweeps_runs, "log": log_runs, "quiet": quiet_runs}


def timed(job):
    begin = time.time()
    try:
        return True, job(), time.time() - begin
    except Failure as failure:
        return False, str(failure), time.time() - begin


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}; all if none is given")
    parser.add_argument("--host", action="store_true", help="run what a build without a GPU can run")
    parser.add_argument("--jobs", type=int, default=4, help="runs at a time")
    parser.add_argument("--programs", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--limit", type=float, default=60, help="seconds for one run")
    parser.add_argument("--only", default="", help="runs whose names hold this text")
    parser.add_argument("--matrices", default="",
                        help="matrix types, comma between; aijkokkos,aijcusparse if none is given")
    parser.add_argument("--mpiexec", default=shutil.which("mpiexec") or "")
    given = parser.parse_args()
    for group in given.groups:
        if group not in GROUPS:
            parser.error(f"no group {group}; there are {', '.join(GROUPS)}")
    return given


def main():
    global settings
    settings = arguments()
    if not settings.host and not any(os.path.exists(device) for device in ("/dev/nvidiactl", "/dev/kfd")):
        print("SKIPPED, NOT TESTED: no GPU on this machine", file=sys.stderr)
        return 77
    matrices = ["aijkokkos"] if settings.host else ["aijkokkos", "aijcusparse"]
    if settings.matrices:
        matrices = settings.matrices.split(",")
    groups = settings.groups or [group for group in GROUPS if not (settings.host and group == "log")]
    jobs = [(name, job) for group in groups for name, job in GROUPS[group](matrices) if settings.only in name]
    if not settings.mpiexec and any(name.startswith("parallel") for name, _ in jobs):
        print("SKIPPED, NOT TESTED: parallel, since there is no mpiexec", flush=True)
        jobs = [(name, job) for name, job in jobs if not name.startswith("parallel")]
    failed, begin = [], time.time()
    with concurrent.futures.ThreadPoolExecutor(settings.jobs) as pool:
        for (name, _), (well, said, seconds) in zip(jobs, pool.map(timed, [job for _, job in jobs])):
            print(f"{'ok    ' if well else 'FAILED'} {seconds:5.1f} s  {name}: {said}", flush=True)
            if not well:
                failed.append(name)
    print(f"{len(jobs) - len(failed)} of {len(jobs)} runs are well, {time.time() - begin:.0f} s")
    for name in failed:
        print(f"FAILED {name}")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
