# SPDX-License-Identifier: Apache-2.0
"""Runs PETSc's tutorials ex2 and ex45, as PETSc compiled them, with the plugin's types, and compares iterations and
printed errors with PETSc's own. Usage: run_cases.py sequential|parallel|smoother|sweeps|threads"""
import concurrent.futures
import os
import sys

from petsc_runs import TYPES, program, run

COLORED = ["colorset", "colorset_cpls"]  # prefer another ordering than PETSc's own if none is given
IN_TURN = 4  # number of types of a case without a list of its own; the next case has the next ones
FEWER = os.environ.get("SPTRSV_TEST_CASE_TYPES", "").split()  # replaces the list of all types if time is short
CSC = "syncfree_csc"  # atomics: iterations may differ by 2 %, at least by 1


class Case:
    """A case. @T@ in options stands for the type, @P@ for the prefix of the plugin's options."""

    def __init__(self, name, options, prefix="", ranks=1, threads=1, types=None, sweeps=False):
        self.name, self.options, self.prefix, self.sweeps = name, options, prefix, sweeps
        self.ranks, self.threads, self.types = ranks, threads, types


def sequential():
    """Returns cases with every kind of factor, of ordering and of shift."""
    color, blocks = "-pc_factor_mat_ordering_type color", "-pc_factor_mat_ordering_type blockcolor"
    cases = [Case("ex2", f"-m 24 -n 21 -pc_type {pc} -pc_factor_mat_ordering_type {ordering}")
             for pc, ordering in [("lu", "nd"), ("lu", "qmd"), ("cholesky", "rcm"), ("cholesky", "1wd")]]
    for pc in ["ilu", "icc -ksp_type cg"]:
        for more in ["", "-pc_factor_mat_ordering_type rcm", "-pc_factor_levels 2 -pc_factor_mat_ordering_type nd",
                     f"{color} -mat_ordering_color_distance 2", f"{blocks} -mat_ordering_blockcolor_size 16"]:
            cases.append(Case("ex2", f"-m 40 -n 37 -pc_type {pc} {more}"))
    for shift in ["nonzero", "positive_definite", "inblocks"]:
        cases.append(Case("ex2", f"-m 30 -n 30 -pc_type ilu -pc_factor_shift_type {shift} "
                                 "-pc_factor_shift_amount 0.1"))
    for pc in ["ilu", "icc", "lu", "cholesky"]:
        cases.append(Case("ex45", f"-da_grid_x 9 -da_grid_y 8 -da_grid_z 7 -pc_type {pc}"))
    return cases


def parallel():
    cases = []
    types = ["levelset", "syncfree", "threadlevel"]
    for ranks in [2, 4]:
        for pc in ["bjacobi", "asm"]:
            for sub in ["ilu -sub_pc_factor_levels 1", "icc", "lu -sub_pc_factor_mat_ordering_type rcm"]:
                cases.append(Case("ex2", f"-m 30 -n 31 -pc_type {pc} -sub_pc_type {sub}", "sub_", ranks, types=types))
    cases.append(Case("ex2", "-m 30 -n 31 -pc_type bjacobi -pc_bjacobi_blocks 4 -sub_pc_type ilu", "sub_", 2))
    cases.append(Case("ex45", "-da_grid_x 9 -da_grid_y 9 -da_grid_z 9 -pc_type asm -sub_pc_type ilu", "sub_", 2))
    sub = "-sub_pc_factor_mat_ordering_type color -sub_mat_ordering_color_balance"
    for pc in ["bjacobi -sub_pc_type ilu", "asm -sub_pc_type icc"]:
        cases.append(Case("ex2", f"-m 30 -n 31 -pc_type {pc} {sub}", "sub_", 2, types=["levelset"] + COLORED))
    return cases


def smoother():
    mg = "-ksp_type fgmres -pc_type mg -da_refine 2 -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 2 "
    gamg = "-m 40 -n 40 -ksp_type fgmres -pc_type gamg -mg_levels_ksp_type richardson "
    return [
        Case("ex45", mg + "-mg_levels_pc_type ilu", "mg_levels_"),
        Case("ex45", mg + "-mg_levels_pc_type icc", "mg_levels_"),
        Case("ex45", mg + "-mg_levels_pc_type bjacobi -mg_levels_sub_pc_type ilu", "mg_levels_sub_", ranks=2,
             types=["levelset", "threadlevel"]),
        Case("ex2", gamg + "-mg_levels_pc_type ilu", "mg_levels_"),
        Case("ex2", gamg + "-mg_levels_pc_type bjacobi -mg_levels_sub_pc_type ilu", "mg_levels_sub_", ranks=2,
             types=["levelset", "syncfree"]),
        Case("ex2", gamg + "-mg_levels_pc_type asm -mg_levels_sub_pc_type icc", "mg_levels_sub_", ranks=4,
             types=["levelset"]),
    ]


def sweeps():
    """Returns programs that sweep by MatSOR(), multigrid with PETSc's default smoother among them."""
    grid = "-da_grid_x 9 -da_grid_y 8 -da_grid_z 7 "
    types = [kind for kind in FEWER or TYPES if kind != CSC]

    def case(name, options, prefix="", ranks=1):
        return Case(name, options, prefix, ranks, types=types if ranks == 1 else types[:2], sweeps=True)

    return [
        case("ex45", grid + "-pc_type sor"),
        case("ex45", grid + "-ksp_type cg -pc_type sor -pc_sor_its 2 -pc_sor_lits 2"),
        case("ex45", grid + "-ksp_type richardson -pc_type sor -pc_sor_omega 1.3"),
        case("ex45", grid + "-pc_type sor -pc_sor_forward -pc_sor_omega 0.9"),
        case("ex45", grid + "-ksp_type gmres -pc_type sor -pc_sor_backward -pc_sor_diagonal_shift 0.1"),
        case("ex45", grid + "-ksp_type cg -pc_type eisenstat -pc_eisenstat_omega 1.2"),
        case("ex45", "-pc_type mg -da_refine 2", "mg_levels_"),
        case("ex45", "-pc_type mg -da_refine 2 -pc_mg_galerkin -mg_levels_ksp_type richardson "
             "-mg_levels_pc_sor_omega 1.1", "mg_levels_"),
        case("ex45", "-pc_type mg -da_refine 2 -mg_levels_pc_sor_local_symmetric", "mg_levels_", ranks=2),
        case("ex2", "-m 40 -n 40 -pc_type gamg -mg_levels_pc_type sor", "mg_levels_"),
        case("ex2", "-m 40 -n 40 -ksp_type cg -pc_type sor", ranks=3),
        case("ex2", "-m 30 -n 31 -pc_type bjacobi -sub_pc_type sor", "sub_", ranks=2),
    ]


def threads():
    cases = []
    for count in [1, 2, 4]:
        cases.append(Case("ex2", "-m 150 -n 140 -pc_type ilu -pc_factor_levels 1", threads=count))
        cases.append(Case("ex2", "-m 60 -n 60 -ksp_type cg -pc_type icc -pc_factor_mat_ordering_type rcm",
                          threads=count))
    cases.append(Case("ex2", "-m 60 -n 60 -pc_type bjacobi -sub_pc_type ilu", "sub_", ranks=2, threads=2))
    return cases


def options_of(case, kind):
    if case.sweeps:
        return f"-{case.prefix}pc_sor_sptrsv {'off' if kind == 'petsc' else kind}"
    own = f"-{case.prefix}pc_factor_mat_solver_type"
    if kind == CSC:
        return f"{own} syncfree -{case.prefix}mat_sptrsv_syncfree_form csc"
    if kind in COLORED:
        orders = ("pc_factor_mat_ordering_type", "pc_type lu", "pc_type cholesky")
        ordered = any(word in case.options for word in orders)
        natural = "" if ordered else f" -{case.prefix}pc_factor_mat_ordering_type natural"
        form = " cpls" if kind == "colorset_cpls" else " sets"
        return f"{own} colorset -{case.prefix}mat_sptrsv_colorset_form{form}{natural}"
    if kind == "levelset" and case.threads > 1:  # one kernel per level; otherwise small levels would run on one thread
        return f"{own} levelset -{case.prefix}mat_sptrsv_levelset_wide_rows 20"
    return f"{own} {kind}"


def measure(case, kind):
    """Returns (iterations, printed norm)."""
    choice = options_of(case, kind)
    done = run(program(case.name), f"{case.options} {choice} -ksp_converged_reason -ksp_view", case.ranks, case.threads)
    wanted = choice.split()[1]
    shown = f"type {wanted}, Kokkos" if case.sweeps else f"package used to perform factorization: {wanted}"
    if shown not in done.text and wanted != "off":
        raise AssertionError(f"-ksp_view does not show '{shown}': {done}")
    norm = r"Norm of error (\S+)" if case.name == "ex2" else r"Residual norm (\S+)"
    return done.number(r"iterations (\d+)", int), done.number(norm)


def judge(kind, got, own):
    """Returns what is wrong, or None. Norms have six digits; errors at the level of rounding are accepted."""
    slack = max(1, int(0.02 * own[0])) if kind == CSC else 0
    if abs(got[0] - own[0]) > slack:
        return f"{got[0]} iterations, PETSc's own {own[0]}"
    rounding = 1e-9
    if max(got[1], own[1]) < rounding:
        return None
    allowed = own[1] * (1e-4 if got[0] == own[0] else 1.0)
    if not abs(got[1] - own[1]) <= allowed:
        return f"norm {got[1]}, PETSc's own {own[1]}"
    return None


def check(case):
    failures = []
    own = measure(case, "petsc")
    if own[0] < 1:
        failures.append(f"{case.name} {case.options}: PETSc's own took no iteration, nothing is compared")
    for kind in case.types:
        wrong = judge(kind, measure(case, kind), own)
        if wrong:
            failures.append(f"{case.name} {case.options}, {case.ranks} ranks, {case.threads} threads, {kind}: {wrong}")
    return own[0], failures


def main():
    group = {"sequential": sequential, "parallel": parallel, "smoother": smoother, "sweeps": sweeps,
             "threads": threads}[sys.argv[1]]()
    program("ex2"), program("ex45")  # skipped here if they are missing
    every = TYPES + [CSC] + COLORED
    for number, case in enumerate(group):
        turn = number * IN_TURN % len(every)
        case.types = case.types or FEWER or (every + every)[turn:turn + IN_TURN]
    workers = 2 if max(case.ranks * case.threads for case in group) == 1 else 1
    failures = []
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for case, (iterations, wrong) in zip(group, pool.map(check, group)):
            print(f"{case.name} {case.options} (ranks {case.ranks}, threads {case.threads}): {iterations} iterations, "
                  f"{'FAILED' if wrong else 'same'} with {', '.join(case.types)}", flush=True)
            failures += wrong
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
