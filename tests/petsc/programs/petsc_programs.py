# SPDX-License-Identifier: Apache-2.0
"""Runs PETSc's own programs as a test of the plugin: each case in a program's comment /*TEST*/ is run with PETSc's own
factors, and again with the plugin's in their stead (-mat_sptrsv_replace); the output must be the same.
Usage: petsc_programs.py --settings BUILD/tests/petsc/programs.json --package NAME    those of programs.txt
       petsc_programs.py --settings BUILD/tests/petsc/programs.json --all DIR         all below DIR, compiled here
DIR is src of the same PETSc, or of a library on top of it, whose --packages and --flags are given."""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import compare_outputs
import test_blocks
from petsc_runs import skip

EVERY_CASE = ["sptrsv"]
IN_TURN = ["levelset", "syncfree", "threadlevel", "fused", "tiled", "sequential"]  # colorset is another preconditioner
PACKAGES = ["mat", "ksp", "snes", "ts", "tao"]
TEST_OPTIONS = "-check_pointer_intensity 0 -error_output_stdout -nox -nox_warning"  # options of PETSc's tests
SAME, STEP = "same", "one iteration"
VARIES, SENSITIVE = "PETSc's own output varies", "PETSc's own output changes with a last bit"
NOT_COMPARED = ["no factor", "PETSc's own fails", "PETSc's own takes too long", VARIES, SENSITIVE]
TABLE = (["package", "programs", "cases", "left out"] + NOT_COMPARED
         + ["programs with a factor", "cases with a factor", "same", "of them within one iteration", "differ"])


def configuration(path):
    """Returns petscconf.h as a dictionary."""
    with open(path) as file:
        return dict(re.findall(r"#define (PETSC_\w+)(.*)", file.read()))



class Output:
    """One run: exit status (None: too long), its output, and the requested factors."""

    def __init__(self, status, text, errors, factors):
        self.status, self.text, self.errors, self.factors = status, text, errors, factors

    def last_words(self):
        lines = [line for line in (self.text + "\n" + self.errors).splitlines() if line.strip()]
        told = [line for line in lines if "ERROR" in line and not re.search("-----|WARNING!|[Oo]ption|petsc.org", line)]
        return told[:3] or lines[-3:]


class Outcome:
    def __init__(self, case, words, detail="", kind=""):
        self.case, self.words, self.detail, self.kind = case, words, detail, kind


def shell(command, folder, env, limit, out, errors, stdin=subprocess.DEVNULL):
    """Runs a bash command. Returns its exit status, None if it had to be ended."""
    process = subprocess.Popen(["bash", "-c", command], cwd=folder, env=env, stdin=stdin, stdout=out, stderr=errors,
                               start_new_session=True)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)  # mpiexec ends its ranks, which are in sessions of their own
        time.sleep(2)
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)  # ends processes that a program left behind
        except ProcessLookupError:
            pass
        process.wait()


class Runner:
    def __init__(self, settings, sources, limit, ranks, options=""):
        self.settings, self.sources, self.limit, self.ranks, self.options = settings, sources, limit, ranks, options
        self.conf = configuration(settings["petscconf"])
        self.folder = tempfile.TemporaryDirectory(prefix="petsc_programs_", ignore_cleanup_errors=True)

    def program(self, source, others):
        """Returns the compiled program, or None and the compiler's messages. others: further sources that it needs."""
        name = source[:-2]
        built = os.path.join(self.settings["programs"], name)
        if os.path.exists(built):
            return built, ""
        made = os.path.join(self.folder.name, "bin", name)
        os.makedirs(os.path.dirname(made), exist_ok=True)
        folder = os.path.join(self.sources, os.path.dirname(source))
        sources = [os.path.join(folder, name) for name in [os.path.basename(source)] + others]
        command = self.settings["compile"] + sources + ["-o", made] + self.settings["link"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return (made if done.returncode == 0 else None), done.stdout

    def environment(self, folder, kind, last_bit):
        choice = f"-mat_sptrsv_replace petsc -mat_sptrsv_type {kind}" if kind else ""
        env = dict(os.environ, OMP_NUM_THREADS="1", OMP_PROC_BIND="false", TMPDIR=folder,
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_orte_tmpdir_base=folder, LC_ALL="C",
                   PETSC_OPTIONS=f"-dll_append {self.settings['plugin']} {TEST_OPTIONS} {self.options} {choice}",
                   SPTRSV_FACTORS_RECORD=os.path.join(folder, "factors"),
                   PETSC_DIR=self.settings["petsc_prefix"], wPETSC_DIR=self.settings["petsc_prefix"])
        if last_bit:
            env["SPTRSV_LAST_BIT"] = "1"
        return env

    def run(self, case, program, kind, last_bit=False):
        """Runs a case. kind: the plugin's type, or None for PETSc's own. last_bit: change the last bit of solutions."""
        status, text, errors = 0, "", ""
        with tempfile.TemporaryDirectory(dir=self.folder.name, ignore_cleanup_errors=True) as folder:
            env = self.environment(folder, kind, last_bit)
            for name in case.files:
                there = os.path.join(self.sources, os.path.dirname(case.source), name)
                copy = os.path.join(folder, name)
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                if os.path.isdir(there):
                    shutil.copytree(there, copy, dirs_exist_ok=True)
                elif os.path.exists(there):
                    shutil.copy(there, copy)
            for ranks, args in case.steps:
                done, out, err = self.step(case, program, ranks, args, folder, env)
                text, errors = text + out, errors + err
                status = None if done is None else status or done
                if status is None:
                    break
            factors = []
            if os.path.exists(env["SPTRSV_FACTORS_RECORD"]):
                with open(env["SPTRSV_FACTORS_RECORD"]) as file:
                    factors = file.read().splitlines()
        for path in (folder, self.folder.name):
            text = text.replace(path, "FOLDER")
        return Output(status, text, errors, factors)

    def step(self, case, program, ranks, args, folder, env):
        env = dict(env)
        command = f"env LD_PRELOAD={self.settings['record']} {shlex.quote(program)} {args}"
        if ranks > 1:
            command = f"{self.settings['mpiexec']} -n {ranks} {command}"
        else:
            env["OMPI_MCA_ess_singleton_isolated"] = "1"
        printed, told = os.path.join(folder, "stdout"), os.path.join(folder, "stderr")
        setting = f"export {case.env}; " if case.env else ""
        words = case.filter
        with open(printed, "w") as out, open(told, "w") as err:
            both = words.startswith("Error:")
            status = shell(setting + command, folder, env, self.limit * case.slowness, out, out if both else err)
        words = words[len("Error:"):] if words.startswith("Error:") else words
        if words.strip() and status is not None:
            with open(printed) as stdin, open(os.path.join(folder, "filtered"), "w") as out:
                shell(words, folder, env, self.limit, out, subprocess.DEVNULL, stdin)
            printed = os.path.join(folder, "filtered")
        with open(printed, errors="replace") as out, open(told, errors="replace") as err:
            return status, out.read(), err.read()

    def why_not(self, case):
        """Returns why the case is left out, or None."""
        if case.todo:
            return "TODO or SKIP there"
        if case.command:
            return "has a command of its own"
        missing = case.unmet(self.conf)
        if missing:
            return f"need {missing}"
        if max(ranks for ranks, _ in case.steps) > self.ranks:
            return f"more than {self.ranks} ranks"
        return None

    def judge(self, case, program, kinds):
        """Returns one outcome for each of `kinds`, or a single one if nothing is compared."""
        own = self.run(case, program, None)
        if own.status is None:
            return [Outcome(case, "PETSc's own takes too long")]
        if not own.factors:
            return [Outcome(case, "no factor")]
        if own.status and not case.filter.startswith("Error:"):
            return [Outcome(case, "PETSc's own fails", " | ".join(own.last_words()))]
        outcomes = []
        for kind in kinds:
            words, detail = self.compare(case, self.run(case, program, kind), own, kind)
            if words == "differs":
                why, words_of_own = self.why_own_differs(case, program, own)
                words, detail = why or words, detail + (f"; PETSc's own {words_of_own}" if why else "")
            outcomes.append(Outcome(case, words, detail or "", kind))
        return outcomes

    def why_own_differs(self, case, program, own):
        """Returns why PETSc's own output changes when run again or rounded differently, and the difference."""
        for why, last_bit in [(VARIES, False)] * 3 + [(SENSITIVE, True)]:
            again = self.run(case, program, None, last_bit)
            words, detail = self.compare(case, again, own)
            if words != SAME:
                return why, detail
        return None, ""

    def compare(self, case, ours, own, kind=None):
        """Returns the outcome of a run. kind: the plugin's type; None if the run is PETSc's own, too."""
        if ours.status is None:
            return "takes too long", f"more than {self.limit * case.slowness:.0f} s"
        if kind and not (ours.factors and all(line.endswith(" by sptrsv") for line in ours.factors)):
            return "fails", f"not all factors are of type {kind}: {ours.factors}"
        if ours.status != own.status:
            return "fails", f"exit status {ours.status} for {own.status}: " + " | ".join(ours.last_words())
        return compare_outputs.compare(ours.text, own.text)


def spread(cases, most):
    """Returns at most `most` of the cases, evenly spread over the list."""
    if len(cases) <= most:
        return cases
    return [cases[i * len(cases) // most] for i in range(most)]


class Tally:
    """Counts of cases, and the results to be shown."""

    def __init__(self):
        self.cases, self.words, self.skips = 0, collections.Counter(), collections.Counter()
        self.programs, self.with_factor, self.programs_with_factor = set(), 0, set()

    def add(self, outcomes, show):
        case = outcomes[0].case
        self.programs.add(case.source)
        self.cases += 1
        worst = [outcome.words for outcome in outcomes if outcome.words in NOT_COMPARED]
        if not worst:
            self.with_factor += 1
            self.programs_with_factor.add(case.source)
        bad = [outcome for outcome in outcomes if outcome.words not in NOT_COMPARED + [SAME, STEP]]
        if bad:
            self.words["differing"] += 1
        elif not worst and any(outcome.words == STEP for outcome in outcomes):
            self.words[STEP] += 1
        else:
            self.words[(worst + [SAME])[0]] += 1
        for outcome in outcomes:
            line = f"{case} {case.steps} {outcome.kind}: {outcome.words}"
            line += f": {outcome.detail}" if outcome.detail else ""
            if show or outcome in bad:
                print(line, flush=True)

    def row(self, package):
        """Returns a line for a table in a record: the numbers that its header, TABLE, names."""
        compared = self.with_factor
        numbers = [len(self.programs), self.cases, sum(self.skips.values())]
        numbers += [self.words[why] for why in NOT_COMPARED] + [len(self.programs_with_factor), compared]
        numbers += [self.words[SAME] + self.words[STEP], self.words[STEP], self.words["differing"]]
        return "| " + " | ".join([package] + [str(number) for number in numbers]) + " |"

    def summary(self, types):
        every = [kind for kind in types[0] if all(kind in some for some in types)]
        turns = [kind for some in types for kind in some if kind not in every]
        types = " and ".join([", ".join(every)] * bool(every) + ["in turn " + ", ".join(turns)] * bool(turns))
        left = "".join(f"; {self.words[why]} {why}" for why in NOT_COMPARED[1:] if self.words[why])
        skipped = ", ".join(f"{count} {why}" for why, count in self.skips.most_common(6))
        same = self.words[SAME] + self.words[STEP]
        return (f"{same} cases in {len(self.programs_with_factor)} programs the same with {types}, "
                f"{self.words[STEP]} of them within one iteration; {self.words['differing']} differ; "
                f"{self.words['no factor']} without a factor{left}" + (f"; skipped: {skipped}" if skipped else ""))


def sources_below(folder, packages):
    found = []
    for package in packages:
        for at, folders, files in os.walk(os.path.join(folder, package)):
            folders.sort()
            if re.search(r"/(tests|tutorials)(/|$)", at):
                found += [os.path.relpath(os.path.join(at, name), folder) for name in files if name[-2:] == ".c"]
    return sorted(found, key=lambda path: (packages.index(path.split("/")[0]), path))


def chosen_programs(packages):
    """Returns [(source, most cases, expression for their names)] of these packages in programs.txt."""
    chosen = []
    with open(os.path.join(os.path.dirname(__file__), "programs.txt")) as file:
        for line in file:
            words = line.split("#")[0].split()
            if words and words[0].split("/")[0] in packages:
                chosen.append((words[0] + ".c", int(words[1]), words[2] if len(words) > 2 else ""))
    return chosen


def list_compilable(sources, petscconf):
    """Prints for CMake the programs of the list that this PETSc has and that can be compiled with it."""
    conf = configuration(petscconf)
    for source, *_ in chosen_programs(PACKAGES):
        path = os.path.join(sources, source)
        if os.path.exists(path):
            with open(path, errors="replace") as file:
                cases = test_blocks.cases_of(source, file.read())
            if any(not case.unmet(conf) for case in cases):
                print(source)


def run_all(runner, programs, types, workers, show):
    """Runs the cases of programs. @param programs  [(source, most cases, expression for their names)]
    @param types  lists of types, which cases take in turn."""
    tallies = collections.defaultdict(Tally)

    def one(item):
        source, most, names = item
        try:
            with open(os.path.join(runner.sources, source), errors="replace") as file:
                cases = [case for case in test_blocks.cases_of(source, file.read()) if re.search(names, case.name)]
        except ValueError as error:
            return source, ["not understood"], f"{source}: {error}", []
        reasons = [(case, runner.why_not(case)) for case in cases]
        skips = [why for _, why in reasons if why]
        cases = spread([case for case, why in reasons if not why], most)
        program, words = runner.program(source, cases[0].depends) if cases else (None, "")
        if not program:
            words = f"{source} does not compile: {words.splitlines()[0]}" if words else ""
            return source, skips + ["do not compile"] * len(cases), words, []
        first = sum(map(ord, source))
        judged = [runner.judge(case, program, types[(first + i) % len(types)]) for i, case in enumerate(cases)]
        return source, skips, "", judged

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for source, skips, words, judged in pool.map(one, programs):
            tally = tallies[source.split("/")[0]]
            tally.skips.update(skips)
            if words:
                print(words, flush=True)
            for outcomes in judged:
                tally.add(outcomes, show)
    return tallies


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", help="programs.json of the build")
    parser.add_argument("--compilable", nargs=2, metavar=("DIR", "PETSCCONF"),
                        help="list those of programs.txt that can be compiled, and end")
    parser.add_argument("--package", choices=PACKAGES, help="the programs of one package in programs.txt")
    parser.add_argument("--all", metavar="DIR", help="all programs below DIR")
    parser.add_argument("--packages", nargs="+", default=PACKAGES, help="with --all: the folders in DIR")
    parser.add_argument("--flags", default="", help="with --all: for the compiler, after all others")
    parser.add_argument("--options", default="", help="PETSc options for all runs")
    parser.add_argument("--lacks", nargs="+", default=[], help="packages that PETSc has, and cases are to do without")
    parser.add_argument("--program", default="", help="with --all: only those whose path matches this expression")
    parser.add_argument("--case", default="", help="with --all: only the cases whose name matches this expression")
    parser.add_argument("--types", nargs="+", default=[], help="instead of one of all cases and one in turn")
    parser.add_argument("--most", type=int, default=10**6, help="cases of each program, with --all")
    parser.add_argument("--limit", type=float, default=60, help="seconds for each run")
    parser.add_argument("--ranks", type=int, default=4, help="leave out cases with more")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="every outcome")
    return parser.parse_args()


def main():
    options = arguments()
    if options.compilable:
        return list_compilable(*options.compilable)
    if not options.settings:
        skip("PETSc's programs of the version in use were not found when configuring; install PETSc's examples "
             "(Debian: libpetsc3.18-dev-examples)")
    with open(options.settings) as file:
        settings = json.load(file)
    settings["link"] += shlex.split(options.flags)
    few = os.environ.get("SPTRSV_TEST_CASE_TYPES", "").split()
    types = [options.types] if options.types else [[kind] for kind in few] or [EVERY_CASE + [kind] for kind in IN_TURN]
    if options.all:
        sources = sources_below(options.all, options.packages)
        programs = [(source, options.most, options.case) for source in sources if re.search(options.program, source)]
    else:
        programs = chosen_programs([options.package])
        programs = [item for item in programs if os.path.exists(os.path.join(settings["programs"], item[0][:-2]))]
    if not programs:
        skip("this PETSc has none of the programs")
    runner = Runner(settings, options.all or settings["sources"], options.limit, options.ranks, options.options)
    for name in options.lacks:
        runner.conf.pop(f"PETSC_HAVE_{name.upper()}", None)
    tallies = run_all(runner, programs, types, options.jobs, options.show)
    for package, tally in tallies.items():
        print(f"SUMMARY: {package}: {tally.summary(types)}")
    if options.all:
        print("| " + " | ".join(TABLE) + " |\n" + "| --- " * len(TABLE) + "|")
        print("\n".join(tally.row(package) for package, tally in tallies.items()))
    failed = any(tally.words["differing"] for tally in tallies.values())
    return 1 if failed or not any(tally.with_factor for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
