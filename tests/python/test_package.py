# SPDX-License-Identifier: Apache-2.0
"""Tests the installed Python package: importing it before and after PETSc starts, sptrsv.info(), and errors."""
import os
import shutil
import tempfile
import unittest

from petsc_runs import find_python, plugin, run
from test_local_petsc import copy_renamed, libraries

INSTALLED = os.environ["SPTRSV_TEST_INSTALLED"]
COUNTERS = os.environ["SPTRSV_TEST_COUNTERS"]
GRID = r"""
import sys
import petsc4py
petsc4py.init(sys.argv)
from petsc4py import PETSc
def grid(n=20, comm=PETSc.COMM_SELF):
    A = PETSc.Mat().createAIJ([n * n, n * n], nnz=5, comm=comm)
    for i in range(*A.getOwnershipRange()):
        A[i, i] = 4.0
        for j, inside in ((i - n, i >= n), (i + n, i + n < n * n), (i - 1, i % n > 0), (i + 1, i % n < n - 1)):
            if inside:
                A[i, j] = -1.0
    A.assemble()
    return A
def solver(A, setup=True):
    ksp = PETSc.KSP().create(A.getComm())
    ksp.setOperators(A)
    ksp.setFromOptions()
    x, b = A.createVecs()
    b.set(1.0)
    if setup:
        ksp.solve(b, x)
    return ksp
def refused(argument, kind=RuntimeError):
    try:
        print("accepted", sptrsv.info(argument))
    except kind as error:
        print("refused", error)
"""
BEFORE, AFTER = "import sptrsv\n" + GRID, GRID + "import sptrsv\n"
ILU = "-pc_type ilu -pc_factor_mat_solver_type "


def python(script, options="", env=None, folder=INSTALLED, **more):
    """Runs a script that can import the package in a folder; no plugin is loaded unless the package does it."""
    return run([PYTHON, "-c", script], options, load=None, env={"PYTHONPATH": folder, **(env or {})}, **more)


class Import(unittest.TestCase):
    WORKS = "print('type', solver(grid()).getPC().getFactorMatrix().getType())\n"
    OPTIONS = "import os\nprint('options <' + os.environ['PETSC_OPTIONS'] + '>')\n"

    def loads_once(self, script, options="", **env):
        done = python(script, f"{ILU}levelset -dll_view {options}", env=env)
        self.assertIn("type sptrsv", done.text)
        self.assertEqual(done.text.count("libsptrsv_petsc\n"), 1, done)  # PETSc's list of plugins
        return done

    def test_before_and_after(self):
        for script in (BEFORE, AFTER):
            self.loads_once(script + self.WORKS)
            self.loads_once(script + "import importlib\nimportlib.reload(sptrsv)\nsptrsv.load()\n" + self.WORKS)

    def test_the_plugin_is_installed_with_the_package(self):
        done = python("import sptrsv\nprint(sptrsv.plugin_path())\n")
        path = done.text.strip()
        self.assertEqual(os.path.basename(path), "libsptrsv_petsc.so")
        self.assertTrue(path.startswith(os.path.realpath(os.path.join(INSTALLED, "../../.."))), done)
        done = python("import sptrsv\nprint(sptrsv.plugin_path())\n", env={"SPTRSV_PLUGIN": plugin()})
        self.assertEqual(done.text.strip(), os.path.realpath(plugin()))

    def test_a_relative_path_stays_valid(self):
        script = ("import os, sptrsv\nos.chdir('/')\nprint(sptrsv.plugin_path())\n"
                  "print('child', os.environ['SPTRSV_PLUGIN'])\n")
        for options in ("", f"-dll_append {plugin()}"):  # with this option import needs no path
            done = python(script, env={"SPTRSV_PLUGIN": os.path.relpath(plugin()), "PETSC_OPTIONS": options})
            self.assertEqual(done.text.split("\nchild "), [os.path.realpath(plugin()), plugin() + "\n"], done)

    def test_options_of_the_user_are_kept(self):
        kept = "print('rtol', PETSc.Options().getReal('ksp_rtol'), PETSc.Options().getString('dll_append'))\n"
        for mine, theirs in [("-ksp_rtol 1e-7", ""), (f"-ksp_rtol 1e-7 -dll_append {COUNTERS}", COUNTERS),
                             (f"-dll_append {plugin()} -ksp_rtol 1e-7 -dll_append {COUNTERS}", COUNTERS),
                             (f'-dll_append /no/such.so -dll_append "{COUNTERS}" -ksp_rtol 1e-7', COUNTERS)]:
            with self.subTest(mine):
                done = self.loads_once(BEFORE + kept + self.WORKS, PETSC_OPTIONS=mine)
                self.assertIn("rtol 1e-07 " + (theirs and theirs + ","), done.text)
                self.assertEqual(done.text.count(COUNTERS.replace(".so", "\n")), 1 if theirs else 0, done)

    def test_a_plugin_in_the_options_stays_the_only_one(self):
        for mine in (f"-dll_append {plugin()}", f"-ksp_rtol 1e-7 -dll_append {COUNTERS},{plugin()} -ksp_max_it 9",
                     f"-dll_append {plugin()[:-len('.so')]}", f"-dll_prepend {plugin()}"):
            for script in (BEFORE, AFTER):
                with self.subTest(mine):
                    done = self.loads_once(script + self.OPTIONS + self.WORKS, PETSC_OPTIONS=mine)
                    self.assertIn(f"options <{mine}>", done.text)

    def test_an_argument_replaces_the_options(self):
        self.loads_once(BEFORE + "sptrsv.load()\n" + self.WORKS, f"-dll_append {COUNTERS}")

    def test_folder_with_blanks(self):
        with tempfile.TemporaryDirectory() as folder:
            package = os.path.join(folder, "my python", "sptrsv")
            shutil.copytree(os.path.join(INSTALLED, "sptrsv"), package)  # the plugin as a file, as pip has it
            for script in (BEFORE, AFTER):
                done = python(script + self.WORKS + "print(sptrsv.plugin_path())\n", f"{ILU}levelset",
                              folder=os.path.dirname(package))
                self.assertIn("type sptrsv", done.text)
                self.assertIn(os.path.realpath(package), done.text)

    def test_without_petsc4py(self):
        script = ("import os, sys, sptrsv\nprint(os.environ['PETSC_OPTIONS'], 'petsc4py' in sys.modules)\n"
                  "try:\n    sptrsv.info(None)\nexcept sptrsv.Error as error:\n    print(error)\n")
        done = run([PYTHON, "-S", "-c", script], "", load=None, env={"PYTHONPATH": INSTALLED})
        self.assertRegex(done.text, r"^-dll_append \S+/libsptrsv_petsc\.so False\n")
        self.assertIn("PETSc does not run; sptrsv.info() needs a PC or a factor of petsc4py", done.text)


class Info(unittest.TestCase):
    SHOW = r"""
import dataclasses, tempfile
ksp = solver(grid())
pc = ksp.getPC()
with tempfile.NamedTemporaryFile("r") as file:
    viewer = PETSc.Viewer().createASCII(file.name)
    ksp.view(viewer)
    viewer.destroy()
    print(file.read())
found = sptrsv.info(pc)
assert found == sptrsv.info(pc.getFactorMatrix())
try:
    found.n = 1
except dataclasses.FrozenInstanceError:
    print("info", dataclasses.asdict(found))
"""
    # 20 by 20 points, 5-point stencil: 1920 entries, 400 of them on the diagonal
    CASES = [("ilu", 1160, 1160), ("icc -ksp_type cg", 1160, 1160),
             ("lu -pc_factor_mat_ordering_type rcm", None, None), ("cholesky", None, None)]

    def shown(self, options):
        """Returns the output of a run, and the info in it."""
        done = python(BEFORE + self.SHOW, options)
        return done, eval(done.text.split("\ninfo ")[1])  # the printed dictionary

    def test_equals_the_view(self):
        for pc, lower, upper in self.CASES:
            for kind in ("sptrsv", "levelset", "syncfree"):
                with self.subTest(pc=pc, kind=kind):
                    done, found = self.shown(f"-pc_type {pc} -pc_factor_mat_solver_type {kind}")
                    self.assertIn(f"type {found['requested']}, Kokkos", done.text)
                    self.assertEqual(found["requested"], kind)
                    self.assertIn(f"backend {found['backend']} (", done.text)
                    self.assertEqual(found["n"], 400)
                    for side, triangle, entries in (("lower", "L", lower), ("upper", "U", upper)):
                        self.assertIn(f"{triangle}: {found['algorithm_' + side]} (", done.text)
                        if entries:
                            self.assertEqual(found["nnz_" + side], entries)
                        self.assertIn(f"{found['levels_' + side]} levels, rows per level "
                                      f"{found[f'mean_rows_per_level_{side}']:.1f} mean, ", done.text)
                        self.assertIn(f"{found[f'max_rows_per_level_{side}']} most; ", done.text)
                        self.assertAlmostEqual(found[f"mean_rows_per_level_{side}"] * found["levels_" + side], 400)
                        self.assertIn(f" {(found['nnz_' + side] - 400) / 400:.1f} off-diagonal entries per row",
                                      done.text)
                    self.assertIn(f"({found['reason']})" if kind == "sptrsv" else "(asked for)", done.text)
                    self.assertIn(f"{found['memory_bytes'] / 1e6:.2f} MB beyond", done.text)
                    self.assertIn(f"1 analysis, 1 numeric update, {found['num_solves']} solves", done.text)
                    self.assertEqual((found["num_analysis"], found["num_numeric"]), (1, 1))
                    self.assertGreater(found["num_solves"], 1)
                    self.assertTrue(0 < found["seconds_analysis"] < 10 and 0 <= found["seconds_numeric"] < 10, found)

    def test_only_block(self):
        sub = "-sub_pc_type ilu -sub_pc_factor_mat_solver_type levelset -pc_type "
        show = ("i = sptrsv.info(solver(grid(comm=PETSc.COMM_WORLD)).getPC())\n"
                "sys.stdout.write(f'n {i.n} {i.requested}\\n')\n")  # in one piece from each rank
        for kind in ("bjacobi", "asm -pc_asm_overlap 0"):
            for ranks in (1, 2):
                with self.subTest(kind=kind, ranks=ranks):
                    done = python(BEFORE + show, sub + kind, ranks=ranks)
                    self.assertEqual(done.text.count(f"n {400 // ranks} levelset"), ranks, done)
        done = python(BEFORE + "pc = solver(grid(), False).getPC()\npc.setUp()\nprint('n', sptrsv.info(pc).n)\n",
                      sub + "bjacobi")
        self.assertIn("n 400", done.text)  # PCSetUp() alone does not factor the block
        for kind in ("bjacobi -pc_bjacobi_blocks 2", "asm -pc_asm_blocks 2"):
            done = python(BEFORE + "refused(solver(grid()).getPC())\n", sub + kind)
            self.assertIn("has 2 blocks on this rank; with asm, pass the PC of one: pc.getASMSubKSP()[i].getPC()",
                          done.text)

    def refuses(self, argument, words, options=f"{ILU}sptrsv", kind="RuntimeError"):
        with self.subTest(argument=argument, options=options):
            done = python(AFTER + f"A = grid()\nrefused({argument}, {kind})\n", options)
            self.assertIn("refused", done.text)
            self.assertIn(words, done.text)

    def test_refusals(self):
        self.refuses("3", "takes a PC or a factor of petsc4py, not a int", kind="TypeError")
        self.refuses("solver(A)", "not a KSP; pass ksp.getPC()", kind="TypeError")
        self.refuses("A", "The Mat is not a factor of the sptrsv plugin; choose one of its types before the set-up")
        self.refuses("PETSc.Mat()", "The Mat has not been created, or has been destroyed")
        self.refuses("PETSc.PC()", "The PC has not been created, or has been destroyed")
        self.refuses("(pc := PETSc.PC().create(), pc.setType('ilu'), pc)[2]", "call after KSPSetUp() or PCSetUp()")
        self.refuses("solver(A).getPC()", "The Mat is not a factor of the sptrsv plugin", "-pc_type ilu")
        self.refuses("PETSc.PC().create()", "A PC without a type has no factor of its own; choose one of lu, ilu")
        self.refuses("solver(A).getPC()", "A PC of type jacobi has no factor of its own; choose one of lu, ilu, ",
                     "-pc_type jacobi")
        self.refuses("solver(A).getPC()", "A PC of type gamg has no factor of its own; pass the PC of a smoother",
                     "-pc_type gamg")
        self.refuses("solver(A, False).getPC()", "The factor has not been analyzed; call PCSetUp() first (PETSc error ")


class Errors(unittest.TestCase):
    def fails(self, script, *words, **more):
        done = python(script, check=False, **more)
        self.assertNotEqual(done.status, 0, str(done))
        for word in words:
            self.assertIn(word, done.text, str(done))

    def test_missing_plugin(self):
        for script in (BEFORE, AFTER):
            self.fails(script, "ImportError: The sptrsv plugin /no/such.so does not exist; set SPTRSV_PLUGIN to the",
                       env={"SPTRSV_PLUGIN": "/no/such.so"})
            self.fails(script, "ImportError: The sptrsv plugin /, which SPTRSV_PLUGIN names, is a folder; set",
                       env={"SPTRSV_PLUGIN": "/"})
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(INSTALLED, "sptrsv"), os.path.join(folder, "sptrsv"), symlinks=True)
            self.fails(BEFORE, f"ImportError: The sptrsv plugin {folder}/sptrsv/libsptrsv_petsc.so does not exist; "
                       "install again, by `pip install ./plugin/python`", folder=folder)

    def test_other_names_and_contents(self):
        with tempfile.TemporaryDirectory() as folder:
            renamed, empty, counters = (os.path.join(folder, name) for name in (
                "libtriangular.so", "a/libsptrsv_petsc.so", "b/libsptrsv_petsc.so"))
            for path in (empty, counters):
                os.mkdir(os.path.dirname(path))
            shutil.copy(plugin(), renamed)
            shutil.copy(COUNTERS, counters)
            with open(empty, "w", encoding="utf-8") as file:
                file.write("text")
            for script in (BEFORE, AFTER):
                self.fails(script, f"ImportError: The sptrsv plugin {renamed}, which SPTRSV_PLUGIN names, must be "
                           "called libsptrsv_petsc.so", env={"SPTRSV_PLUGIN": renamed})
            self.fails(AFTER, f"ImportError: PETSc cannot load the sptrsv plugin {empty}: Unable to open dynamic "
                       "library", "build and install it with the PETSC_DIR", env={"SPTRSV_PLUGIN": empty})
            self.fails(AFTER, "which registered no solver types", env={"SPTRSV_PLUGIN": counters})

    def test_path_that_petsc_options_cannot_contain(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a,b", "libsptrsv_petsc.so")
            os.mkdir(os.path.dirname(path))
            shutil.copy(plugin(), path)
            self.fails(BEFORE, "ImportError: PETSC_OPTIONS cannot contain the path", "import sptrsv after "
                       "petsc4py.PETSc", env={"SPTRSV_PLUGIN": path})
            python(AFTER, env={"SPTRSV_PLUGIN": path})

    def test_another_petsc_version(self):
        for script, error in ((BEFORE, "PETSC ERROR: "), (AFTER, "ImportError: ")):
            self.fails(script, f"{error}libsptrsv_petsc was built for PETSc ", "loaded into PETSc 3.99; rebuild it",
                       env={"LD_PRELOAD": os.environ["SPTRSV_TEST_VERSION_SHIM"]})

    def test_another_petsc_library(self):
        linked = libraries(plugin())
        name = next(name for name in linked if name.startswith("libpetsc"))
        with tempfile.TemporaryDirectory() as folder:
            other = copy_renamed(name, linked[name], folder)
            moved = os.path.join(folder, "libsptrsv_petsc.so")
            with open(plugin(), "rb") as file:
                content = file.read()
            with open(moved, "wb") as file:
                file.write(content.replace(name.encode() + b"\0", os.path.basename(other).encode() + b"\0"))
            near = ":".join([folder, os.path.dirname(os.path.realpath(linked[name])),
                             os.environ.get("LD_LIBRARY_PATH", "")])
            self.fails(AFTER, f"ImportError: The sptrsv plugin {moved} was built for the PETSc in {other}, and "
                       f"petsc4py has started the one in {os.path.realpath(linked[name])}; build and install the",
                       env={"SPTRSV_PLUGIN": moved, "LD_LIBRARY_PATH": near})


if __name__ == "__main__":
    PYTHON = find_python()
    unittest.main()
