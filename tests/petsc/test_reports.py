# SPDX-License-Identifier: Apache-2.0
"""Tests the output of -ksp_view, -log_view and -help, the use of prefixes, and errors for bad options and bad loads."""
import os
import re
import shutil
import tempfile
import unittest

from petsc_runs import TYPES, program, run

SMALL = "-m 20 -n 19 -pc_type ilu "


def ex2(options, **more):
    return run(program("ex2"), options, **more)


class View(unittest.TestCase):
    def test_block(self):
        for kind in TYPES:
            text = ex2(f"{SMALL}-pc_factor_mat_solver_type {kind} -ksp_view", threads=2).text
            with self.subTest(kind):
                self.assertRegex(text, rf"sptrsv \d+\.\d+\.\d+: type {kind}, Kokkos \d+\.\d+\.\d+ \w+ \(2 threads\)")
                self.assertRegex(text, r"\bbackend host \(its vectors are of type standard\)")
                for triangle in "LU":
                    self.assertRegex(text,
                                     rf"\b{triangle}: (sequential|levelset|syncfree|threadlevel|fused|tiled|"
                                     rf"blocked|colorset) \(.+\)")
                # a 5-point grid of 20 by 19 has 38 level sets, and 380 rows
                self.assertEqual(len(re.findall(r"38 levels, rows per level 10\.0 mean, 1 least, 19 most", text)), 2,
                                 text)
                self.assertRegex(text,
                                 r"\d+\.\d\d MB beyond PETSc's own factor; 1 analysis, 1 numeric update, \d+ solves")
                self.assertNotRegex(text.split("sptrsv 0")[1],
                                    r"\b1 (kernels|rows|levels|block "
                                    r"levels|tiles|teams|units|lanes|sets|entries)\b|2147483647")
                if kind != "sptrsv":
                    self.assertEqual(len(re.findall(rf"[LU]: {kind} \(asked for\)", text)), 2, text)

    def test_prefix_of_a_smoother_and_what_is_left(self):
        base = ("-m 30 -n 30 -pc_type gamg -mg_levels_pc_type ilu -mg_levels_pc_factor_mat_solver_type levelset "
                "-ksp_view "
                "-options_left")
        found = ex2(base + " -mg_levels_mat_sptrsv_levelset_wide_rows 3")
        self.assertIn("of up to 3 rows", found.text)
        self.assertNotRegex(found.text, "Option left: name:-mg_levels_mat_sptrsv")
        left = ex2(base + " -mat_sptrsv_levelset_wide_rows 3").text
        self.assertNotIn("of up to 3 rows", left)
        self.assertIn("Option left: name:-mat_sptrsv_levelset_wide_rows value: 3", left)


class Storage(unittest.TestCase):
    GRID = "-m 40 -n 37 -ksp_rtol 1e-9 -ksp_view -pc_type "

    def test_iterations_and_view(self):
        said = ", values in single precision"
        for pc in ["ilu", "icc -ksp_type cg", "ilu -pc_factor_levels 2 -pc_factor_mat_ordering_type rcm"]:
            own = ex2(f"{self.GRID}{pc}").number(r"iterations (\d+)", int)
            for kind in ["levelset", "blocked", "sptrsv"]:
                for factor in ["host", "device"]:
                    with self.subTest(pc=pc, kind=kind, factor=factor):
                        base = f"{self.GRID}{pc} -pc_factor_mat_solver_type {kind} -mat_sptrsv_factor {factor}"
                        full, single = ex2(base), ex2(base + " -mat_sptrsv_storage single")
                        # L and U; for ICC, L and its transpose
                        self.assertEqual(single.text.count(said), 2, single)
                        self.assertNotIn(said, full.text)
                        by, beyond = ("PETSc", "PETSc's own factor") if factor == "host" else ("sptrsv", "the matrix")
                        self.assertIn(f"factored by {by} on the host (asked for)", full.text)
                        self.assertIn(f"MB beyond {beyond};", full.text)
                        self.assertLessEqual(abs(single.number(r"iterations (\d+)", int) - own), 1)
                        if kind != "sptrsv":  # in full precision it may choose a type that copies nothing
                            self.assertLess(*(run.number(r"(\d+\.\d\d) MB beyond") for run in (single, full)))

    def test_refusals(self):
        base = f"{self.GRID}ilu -pc_factor_mat_solver_type "
        text = ex2(f"{base}fused -mat_sptrsv_storage single", check=False).text
        self.assertIn("algorithm fused does not do values in single precision; choose levelset, blocked or sptrsv",
                      text)


class Color(unittest.TestCase):
    GRID = "-m 20 -n 19 -ksp_converged_reason -ksp_view "

    def test_colorset_prefers_the_ordering_for_incomplete_factors(self):
        for pc, ordering in [("ilu", "color"), ("icc", "color"), ("lu", "nd"), ("cholesky", "nd")]:
            text = ex2(f"{self.GRID}-pc_type {pc} -pc_factor_mat_solver_type colorset").text
            self.assertIn(f"matrix ordering: {ordering}", text)
            own = ex2(f"{self.GRID}-pc_type {pc} -pc_factor_mat_ordering_type {ordering}").text
            iterations = [re.search(r"iterations (\d+)", out)[1] for out in (text, own)]
            self.assertEqual(*iterations)
        text = ex2(f"{self.GRID}-pc_type ilu -pc_factor_mat_solver_type colorset -pc_factor_mat_ordering_type rcm").text
        self.assertIn("matrix ordering: rcm", text)
        self.assertIn("matrix ordering: natural",
                      ex2(f"{self.GRID}-pc_type ilu -pc_factor_mat_solver_type levelset").text)

    def test_sets_are_colors_and_the_model_is_shown(self):
        text = ex2(f"{self.GRID}-pc_type ilu -pc_factor_mat_solver_type colorset").text
        found = re.findall(r"[LU]: colorset \(asked for\), 2 sets of 190\.0 rows, 1\.9 off-diagonal entries per row; "
                           r"predicted \S+ us; 1 kernel$", text, re.M)
        self.assertEqual(len(found), 2, text)
        fill = f"{self.GRID}-pc_type ilu -pc_factor_levels 1 -pc_factor_mat_solver_type colorset"
        few = [int(s) for s in re.findall(r", (\d+) sets", ex2(f"{fill} -mat_ordering_color_distance 2").text)]
        many = [int(s) for s in re.findall(r", (\d+) sets", ex2(fill).text)]
        self.assertLessEqual(max(few), 8)
        self.assertGreater(min(many), max(few))

    def test_options_are_named_where_they_are_wrong(self):
        base = f"{SMALL}-pc_factor_mat_ordering_type color "
        for option, word in [("-mat_ordering_color_distance 0", "give an integer from 1 to 10"),
                             ("-mat_ordering_color_algorithm none", "deterministic")]:
            done = ex2(base + option, check=False)
            self.assertNotEqual(done.status, 0)
            self.assertIn(word, done.text)
        self.assertIn("-mat_ordering_color_balance", ex2(base + "-help").text)
        base = f"{SMALL}-pc_factor_mat_ordering_type blockcolor "
        for option, word in [("size -1", "give an integer from 0 to"),
                             ("distance 11", "give an integer from 1 to 10")]:
            done = ex2(f"{base}-mat_ordering_blockcolor_{option}", check=False)
            self.assertNotEqual(done.status, 0)
            self.assertIn(word, done.text)
        self.assertIn("-mat_ordering_blockcolor_size", ex2(base + "-help").text)

    def test_blockcolor_costs_half_of_the_iterations_that_color_costs(self):
        def iterations(ordering):
            text = ex2(f"-m 90 -n 95 -ksp_type cg -pc_type icc -pc_factor_mat_solver_type levelset "
                       f"-pc_factor_mat_ordering_type {ordering} -ksp_rtol 1e-8 -ksp_converged_reason").text
            return int(re.search(r"iterations (\d+)", text)[1])

        natural = iterations("natural")
        self.assertLess(iterations("blockcolor") - natural, 0.5 * (iterations("color") - natural))
class Measured(unittest.TestCase):
    BASE = f"{SMALL}-pc_factor_mat_solver_type sptrsv -ksp_view "
    LINE = r"^ +measured (\w+) +(\d+\.\d\d us|-) +(\d+\.\d\d|-)(?:  (.*))?$"
    def test_view_has_a_line_per_candidate(self):
        for threads in (1, 2):
            text = ex2(self.BASE + "-mat_sptrsv_plan measure", threads=threads).text
            lines = re.findall(self.LINE, text, re.M)
            chosen = re.findall(r"[LU]: (\w+) \(fastest of \d+ timed, \S+ us", text)
            self.assertEqual(len(chosen), 2, text)
            timed = len(lines) // 2
            for triangle, at in enumerate((0, timed)):
                own = lines[at:at + timed]
                # colorset needs few sets; blocked needs more than one thread
                others = {"sptrsv"} | ({"blocked"} if threads == 1 else set())
                self.assertEqual(sorted({line[0] for line in own} - {"colorset"}), sorted(set(TYPES) - others), text)
                self.assertEqual(len(own), len({line[0] for line in own}), text)
                self.assertEqual((own[0][0], own[0][2]), (chosen[triangle], "1.00"))
            columns = {line.index(" us ") for line in text.splitlines() if line.lstrip().startswith("measured")
                       and " us " in line}
            self.assertEqual(len(columns), 1, text)

    def test_the_estimate_measures_nothing(self):
        texts = [ex2(self.BASE + option).text for option in ("", "-mat_sptrsv_plan estimate")]
        plans = [re.findall(r"[LU]: (\w+ \(.*)", text) for text in texts]
        self.assertEqual(plans[0], plans[1])
        self.assertNotIn("measured", texts[0] + texts[1])
    def test_a_pattern_is_measured_once(self):
        # L and U of the second block equal those of the first
        text = ex2("-m 20 -n 20 -pc_type bjacobi -pc_bjacobi_blocks 2 -sub_pc_type ilu -sub_pc_factor_mat_solver_type "
                   "sptrsv "
                   "-sub_mat_sptrsv_plan measure -ksp_view ::ascii_info_detail").text
        self.assertEqual(len(re.findall(r"[LU]: \w+ \(fastest of \d+ timed, ", text)), 2, text)
        self.assertEqual(len(re.findall(r"[LU]: \w+ \(fastest of \d+ timed for an earlier solver of this pattern, ",
                                        text)), 2, text)
    def test_lanes_that_are_no_power_of_two_are_refused(self):
        done = ex2(self.BASE + "-mat_sptrsv_levelset_lanes_per_row 3", check=False)
        self.assertNotEqual(done.status, 0)
        self.assertIn("Option -mat_sptrsv_levelset_lanes_per_row is 3; give 0 or a power of two, from 0 to 64",
                      done.text)


class Backend(unittest.TestCase):
    """Tests a build without a GPU; tests/petsc/gpu_check.py has the tests with a GPU."""
    SUB = "-m 20 -n 19 -pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_mat_solver_type levelset -ksp_view "

    def test_host_can_be_asked_for(self):
        self.assertIn("backend host (asked for)", ex2(self.SUB + "-sub_mat_sptrsv_backend host").text)
        self.assertIn("backend host (its vectors are", ex2(self.SUB + "-mat_sptrsv_backend host").text)

    def test_device_is_refused_with_a_remedy(self):
        done = ex2(self.SUB + "-sub_mat_sptrsv_backend device", check=False)
        self.assertNotEqual(done.status, 0)
        self.assertIn("No support for this operation", done.text)
        self.assertRegex(done.text,
                         r"Option -sub_mat_sptrsv_backend is 'device', but .*; use host, or build the plugin with ")
        self.assertNotIn("stream", done.text)

    def test_kokkos_vectors_of_a_host(self):
        options = "-mat_type aijkokkos -vec_type kokkos -pc_type ilu -pc_factor_mat_solver_type levelset -ksp_view"
        done = ex2("-m 20 -n 19 " + options, check=False)
        if "Unknown Mat type" in done.text or "Unknown type" in done.text:
            self.skipTest("this PETSc has no Kokkos")
        self.assertEqual(done.status, 0, done)
        self.assertRegex(done.text, r"\bbackend host \(its vectors are of type \w*kokkos\)")


class Log(unittest.TestCase):
    def test_events(self):
        for kind in ["levelset", "sptrsv"]:
            text = ex2(f"{SMALL}-pc_factor_mat_solver_type {kind} -log_view").text
            for event, count in [("SpTRSVAnalysis", 1), ("SpTRSVNumeric", 1), ("SpTRSVSolve", None)]:
                with self.subTest(kind=kind, event=event):
                    line = re.search(rf"^{event}\s+(\d+) \S+ (\S+) \S+ (\S+)", text, re.M)
                    self.assertIsNotNone(line, text)
                    self.assertEqual(int(line[1]), count or int(line[1]))
                    if event == "SpTRSVSolve":
                        self.assertGreater(int(line[1]), 3)
                        # 380 rows, 1122 off-diagonal entries: 2 flops per entry, 1 per row; a complex flop counts as 4
                        each = 4 if os.environ["SPTRSV_TEST_PETSC_SCALAR"] == "complex" else 1
                        flops = float(line[3]) / int(line[1]) / each
                        self.assertAlmostEqual(flops, 2 * (20 * 18 + 19 * 19) * 2 + 380, delta=200)


class Help(unittest.TestCase):
    def test_lists_options(self):
        for kind, names in [("levelset", ["analysis", "wide_rows", "lanes_per_row"]), ("syncfree", ["form"]),
                            ("threadlevel", ["form", "rows_per_ticket"])]:
            text = ex2(f"{SMALL}-pc_factor_mat_solver_type {kind} -help").text
            self.assertIn("-mat_sptrsv_backend", text)
            for name in names:
                self.assertIn(f"-mat_sptrsv_{kind}_{name}", text)
        text = ex2(f"{SMALL}-pc_factor_mat_solver_type sptrsv -help").text
        for name in ["plan", "levelset_wide_rows", "syncfree_form", "threadlevel_form"]:
            self.assertIn(f"-mat_sptrsv_{name}", text)
        self.assertIn("csr csc", text)


class Errors(unittest.TestCase):
    def fails(self, options, *words, **more):
        done = ex2(options, check=False, **more)
        self.assertNotEqual(done.status, 0, str(done))
        for word in words:
            self.assertIn(word, done.text, str(done))
        return done

    def test_unknown_choice_names_option_and_choices(self):
        self.fails(f"{SMALL}-pc_factor_mat_solver_type syncfree -mat_sptrsv_syncfree_form csd",
                   "-mat_sptrsv_syncfree_form", "'csd'", "csr, csc")
        self.fails("-m 9 -n 9 -pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_mat_solver_type levelset "
                   "-sub_mat_sptrsv_levelset_analysis magic", "-sub_mat_sptrsv_levelset_analysis", "'magic'",
                   "automatic, sweep, root_candidates")

    def test_number_out_of_range(self):
        self.fails(f"{SMALL}-pc_factor_mat_solver_type levelset -mat_sptrsv_levelset_wide_rows -3",
                   "-mat_sptrsv_levelset_wide_rows is -3", "from 0 to")
        self.fails(f"{SMALL}-pc_factor_mat_solver_type levelset -mat_sptrsv_levelset_wide_rows many", "many")
        for kind in ["levelset", "sptrsv"]:
            self.fails(f"{SMALL}-pc_factor_mat_solver_type {kind} -mat_sptrsv_levelset_chain_rows 3",
                       "-mat_sptrsv_levelset_chain_rows is called -mat_sptrsv_levelset_wide_rows")
        self.fails(f"{SMALL}-pc_factor_mat_solver_type tiled -mat_sptrsv_tiled_diagonal_tiles inverted",
                   "-mat_sptrsv_tiled_diagonal_tiles was removed")

    def test_chain_solves_chains_alone(self):
        text = ex2("-m 1 -n 300 -pc_type ilu -pc_factor_mat_solver_type chain -ksp_view").text
        self.assertEqual(len(re.findall(r"[LU]: chain \(asked for\)", text)), 2, text)
        self.fails(f"{SMALL}-pc_factor_mat_solver_type chain",
                   "algorithm chain does not do triangles where a row needs several others")

    def test_empty_choice(self):
        self.fails(f"{SMALL}-pc_factor_mat_solver_type syncfree -mat_sptrsv_syncfree_form -ksp_view",
                   "-mat_sptrsv_syncfree_form", "csr, csc")

    def test_matrix_types_without_factors(self):
        for asked, named in [("mpiaij", "mpiaij"), ("sell", "seqsell")]:
            self.fails(f"{SMALL}-mat_type {asked} -pc_factor_mat_solver_type sptrsv",
                       f"MatSolverType sptrsv does not support matrix type {named}")
        for pc in ("bjacobi", "asm"):  # the remedy, on one rank too
            text = ex2(f"-m 20 -n 19 -mat_type mpiaij -pc_type {pc} -sub_pc_type ilu -sub_pc_factor_mat_solver_type "
                       f"sptrsv -ksp_view").text
            self.assertRegex(text, r"sptrsv \d+\.\d+\.\d+: type sptrsv")

    def test_wrong_file_name_registers_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "libtriangular.so")
            shutil.copy(os.environ["SPTRSV_TEST_PLUGIN"], copy)
            self.fails(f"{SMALL}-pc_factor_mat_solver_type levelset", "Could not locate solver type levelset",
                       load=lambda: copy)

    def test_another_petsc_version(self):
        shim = os.environ["SPTRSV_TEST_VERSION_SHIM"]
        done = self.fails(f"{SMALL}-pc_factor_mat_solver_type levelset", "was built for PETSc",
                          "loaded into PETSc 3.99",
                          "PETSC_DIR", env={"LD_PRELOAD": shim})
        self.assertNotIn("Norm of error", done.text)

    def test_petsc_of_other_types(self):
        for variable, words in [("SPTRSV_TEST_OTHER_SCALAR", "scalars"), ("SPTRSV_TEST_OTHER_INT", "indices")]:
            done = self.fails(f"{SMALL}-pc_factor_mat_solver_type levelset",
                              "libsptrsv_petsc was built for a PETSc with",
                              "PETSC_DIR", env={"LD_PRELOAD": os.environ["SPTRSV_TEST_VERSION_SHIM"], variable: "1"})
            sizes = re.search(rf"built for a PETSc with (\d+)-byte {words}, and this program's PETSc has (\d+)-byte",
                              done.text)
            self.assertIsNotNone(sizes, str(done))
            self.assertNotEqual(sizes[1], sizes[2])


class Threads(unittest.TestCase):
    """Tests settings of Kokkos in the environment, some of which would end the process, or crash it."""
    VIEW = f"{SMALL}-pc_factor_mat_solver_type levelset -ksp_view"
    MANY = "give a number of threads from 1 to 512, which is all that Kokkos has room for"

    def outcome(self, options="", **env):
        return run(["env", "-u", "OMP_NUM_THREADS"] + [f"{name}={value}" for name, value in env.items()] +
                   [program("ex2")], f"{self.VIEW} {options}", timeout=40, check=False)

    def test_threads_are_those_asked_for(self):
        if " OpenMP (" not in self.outcome().text:
            self.skipTest("this Kokkos has no OpenMP")
        for threads, env in [(1, {}), (1, {"OMP_NUM_THREADS": ""}), (1, {"OMP_NUM_THREADS": " "}),
                             (2, {"OMP_NUM_THREADS": " 2 "}),
                             (3, {"OMP_NUM_THREADS": "3,2"}), (2, {"KOKKOS_NUM_THREADS": "2"}),
                             (3, {"KOKKOS_NUM_THREADS": "3", "OMP_NUM_THREADS": "2"}),
                             (2, {"OMP_NUM_THREADS": "2", "OMP_PROC_BIND": "odd"}),
                             (2, {"options": "-omp_num_threads 2", "OMP_NUM_THREADS": "3"})]:
            with self.subTest(env):
                done = self.outcome(**env)
                self.assertEqual(done.status, 0, str(done))
                self.assertIn(f" OpenMP ({threads} thread{'s' if threads > 1 else ''})", done.text)

    def test_what_kokkos_cannot_take_is_named(self):
        for name, values, remedy in [
                ("OMP_NUM_THREADS", ["0", "-3", "2x", "2,", "2,x", "513", "99999999999999999999"], self.MANY),
                ("KOKKOS_NUM_THREADS", ["", "0", "abc", "513", "99999999999999999999"], self.MANY),
                ("KOKKOS_DEVICE_ID", ["", "-1"], "give the number of a GPU, from 0"),
                ("KOKKOS_MAP_DEVICE_ID_BY", ["core"], "choose one of mpi_rank, random"),
                ("KOKKOS_DISABLE_WARNINGS", ["maybe"], "choose one of true, false"),
                ("KOKKOS_PRINT_CONFIGURATION", ["2"], "choose one of true, false")]:
            for value in values:
                with self.subTest(name=name, value=value):
                    done = self.outcome(**{name: value})
                    self.assertEqual(done.status, 63, str(done))  # PETSC_ERR_ARG_OUTOFRANGE
                    self.assertIn(f"Environment variable {name} is '{value}'; {remedy}, or unset it", done.text)
        done = self.outcome("-omp_num_threads 600")
        self.assertIn(f"Option -omp_num_threads is 600; {self.MANY}", done.text)

    def test_threads_that_openmp_does_not_give_are_refused(self):
        if " OpenMP (" not in self.outcome().text:
            self.skipTest("this Kokkos has no OpenMP")
        limited = "Kokkos is to have 3 threads, and OpenMP gives "
        for words, options, env in [
                (limited + "2 at most (OMP_THREAD_LIMIT)", "", {"KOKKOS_NUM_THREADS": "3", "OMP_THREAD_LIMIT": "2"}),
                (limited + "2 at most (OMP_THREAD_LIMIT)", "-omp_num_threads 3", {"OMP_THREAD_LIMIT": "2"}),
                (limited + "one", "", {"KOKKOS_NUM_THREADS": "3", "OMP_MAX_ACTIVE_LEVELS": "0"}),
                ("set OMP_DYNAMIC=false", "", {"KOKKOS_NUM_THREADS": "3", "OMP_DYNAMIC": "true"}),
                ("set OMP_DYNAMIC=false", "", {"OMP_NUM_THREADS": "3", "OMP_DYNAMIC": "true"})]:
            with self.subTest(options=options, env=env):
                done = self.outcome(options, **env)
                self.assertEqual(done.status, 63, str(done))  # PETSC_ERR_ARG_OUTOFRANGE
                self.assertIn(words, done.text)
        for env in [{"OMP_DYNAMIC": "true"}, {"OMP_NUM_THREADS": "3", "OMP_THREAD_LIMIT": "2"}]:
            with self.subTest(env):
                self.assertEqual(self.outcome(**env).status, 0)


if __name__ == "__main__":
    program("ex2")
    unittest.main()
