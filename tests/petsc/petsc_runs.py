# SPDX-License-Identifier: Apache-2.0
"""Runs unmodified PETSc programs with options only. CTest's environment names their paths."""
import os
import re
import subprocess
import sys
import tempfile

TYPES = ["sequential", "levelset", "syncfree", "threadlevel", "fused", "tiled", "blocked", "sptrsv"]
SKIP = 77  # CTest's SKIP_RETURN_CODE


def skip(reason):
    print(f"SKIPPED, NOT TESTED: {reason}", file=sys.stderr, flush=True)
    sys.exit(SKIP)


def program(name):
    """Returns the path of a compiled tutorial (ex2, ex45) or of one of this project's test programs."""
    path = os.environ.get("SPTRSV_TEST_" + name.upper(), "")
    if not path:
        skip(f"PETSc's tutorial {name} was not found when configuring; "
             "install PETSc's examples (Debian: libpetsc3.18-dev-examples)")
    return path


def plugin():
    return os.environ["SPTRSV_TEST_PLUGIN"]


def loaded_petsc(command, env=None):
    """Returns the real path of the PETSc library that a command loads, or ''."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
    for word in done.stdout.split():
        if "/libpetsc" in word:
            return os.path.realpath(word)
    return ""


def find_python():
    """Returns a Python whose petsc4py uses the PETSc of the plugin."""
    if os.environ.get("SPTRSV_TEST_SANITIZED"):
        skip("a plugin built with sanitizers needs them in the program, and Python has none")
    wanted = loaded_petsc(["ldd", plugin()])
    show = "import petsc4py; petsc4py.init(); from petsc4py import PETSc; print(open('/proc/self/maps').read())"
    env = {key: value for key, value in os.environ.items() if key != "PETSC_OPTIONS"}
    for python in dict.fromkeys([sys.executable, "/usr/bin/python3"]):
        if os.path.exists(python) and loaded_petsc([python, "-c", show], env) == wanted:
            return python
    return skip(f"no Python has a petsc4py on {wanted} (Debian: python3-petsc4py)")


class Run:
    """Output and exit status of one run."""

    def __init__(self, command, status, text):
        self.command, self.status, self.text = command, status, text

    def number(self, pattern, kind=float):
        found = re.findall(pattern, self.text)
        if not found:
            raise AssertionError(f"no '{pattern}' in the output of\n{self}")
        return kind(found[-1])

    def __str__(self):
        return f"{self.command}\nexit status {self.status}\n{self.text[-3000:]}"


def run(path, options, ranks=1, threads=1, env=None, load=plugin, timeout=60, check=True):
    """Runs a program. load: names the plugin file; None: run without it. check: require exit status 0."""
    full = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false", OMP_WAIT_POLICY="passive")
    full["PETSC_OPTIONS"] = f"-dll_append {load()}" if load else ""
    full.update(env or {})
    command = [path] if isinstance(path, str) else list(path)
    command += options.split()
    if ranks > 1:
        command = [os.environ["SPTRSV_TEST_MPIEXEC"], "-n", str(ranks)] + command
    with tempfile.TemporaryDirectory() as folder:
        if ranks == 1:  # spares Open MPI 4 a daemon; such programs would share a folder, which the first to end removes
            full.update(OMPI_MCA_ess_singleton_isolated="1", OMPI_MCA_orte_tmpdir_base=folder)
        done = subprocess.run(command, env=full, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=timeout, stdin=subprocess.DEVNULL)
    result = Run(" ".join(command), done.returncode, done.stdout)
    if check and done.returncode != 0:
        raise AssertionError(f"failed: {result}")
    return result


def count(name, options, load=plugin):
    """Runs a program with two threads. Returns the events of Kokkos, as kokkos_counters.c counts them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts")
        run(program(name), options, threads=2, load=load,
            env={"KOKKOS_TOOLS_LIBS": os.environ["SPTRSV_TEST_COUNTERS"], "SPTRSV_TEST_COUNTS": path})
        with open(path) as file:
            return {word: int(value) for word, value in map(str.split, file)}
