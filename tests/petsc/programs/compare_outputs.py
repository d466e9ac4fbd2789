# SPDX-License-Identifier: Apache-2.0
"""Compares the output of a program with the plugin's factors and with PETSc's own: lines must be equal, numbers may
differ by rounding, and iterations by one."""
import difflib
import itertools
import re

NUMBER = re.compile(r"(?:< *)?(?<![A-Za-z_\d.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\dA-Za-hj-z_])")
NONE = re.compile(r"(?<![A-Za-z])[-+]?(?:nan|inf)\b", re.IGNORECASE)
STEP = re.compile(r"iteration|\b(its|iter|lits|nits)\b|solves|rejections|evaluations|steps|norm|residual|"
                  r"Function value", re.IGNORECASE)
MONITOR = re.compile(r"^\s*#.*(norm|residual|Function value|TS dt)", re.IGNORECASE)
OF_ONE_TYPE = re.compile(r"^\[\d+\] <\w+>|package used to perform factorization|using I-node routines|"
                         r"total: nonzeros=.*allocated nonzeros")  # -info, and views
RELATIVE = 2e-4  # monitors print residuals; a Krylov method multiplies rounding
ABSOLUTE, SMALL = 1e-9, 1e-3  # of the largest number at that position, and of solutions of ordinary size; smaller
                              # differences are rounding


def without_factor_views(lines):
    """Returns the lines without those of a factor's view, which says who made it and how."""
    kept, within = [], None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if within is not None and (indent > within or not line.strip()):
            continue
        within = None
        if line.strip() in ("Factored matrix follows:", "Factored matrix:"):  # 3.18, 3.25
            within = indent
        if not OF_ONE_TYPE.search(line):
            kept.append(line)
    return kept


class Line:
    """A line as its text, with # for each number, and its numbers."""

    def __init__(self, text):
        self.text = text
        text = NONE.sub(lambda match: match.group(0).lower().lstrip("+-"), text)
        self.numbers = [match.group(0).lstrip("< ") for match in NUMBER.finditer(text)]
        self.skeleton = " ".join(NUMBER.sub(" # ", text).split())


def is_integer(number):
    return not re.search(r"[.eE]", number)


def compare_line(ours, own, scales):
    """Compares two lines. scales: for each number, the largest that PETSc's own prints at that position in lines of
    this text.
    @return (what differs or None, whether iterations differ by one)"""
    slack = False
    for a, b, scale in zip(ours.numbers, own.numbers, scales):
        if a == b:
            continue
        if is_integer(a) and is_integer(b):
            if not (STEP.search(own.text) and abs(int(a) - int(b)) <= 1):
                return f"'{ours.text.strip()}' for '{own.text.strip()}'", slack
            slack = True
        elif not abs(float(a) - float(b)) <= RELATIVE * abs(float(b)) + ABSOLUTE * max(scale, SMALL):
            return f"'{ours.text.strip()}' for '{own.text.strip()}'", slack
    return None, slack


def runs(lines):
    """Groups consecutive lines with the same text."""
    return [list(group) for _, group in itertools.groupby(lines, key=lambda line: line.skeleton)]


def lines_of(text):
    return [Line(line) for line in without_factor_views(text.split("\n")) if line.strip()]


def largest(lines):
    """Returns for each text the largest number at each position."""
    scales = {}
    for line in lines:
        numbers = [abs(float(number)) for number in line.numbers]
        scales[line.skeleton] = [max(pair) for pair in zip(numbers, scales.get(line.skeleton, numbers))]
    return scales


def only(runs_of_ours, runs_of_own):
    lines = [line for run in runs_of_ours or runs_of_own for line in run]
    return (f"only {'ours' if runs_of_ours else 'PETSc'} prints '{lines[0].text.strip()}'"
            + (f" and {len(lines) - 1} lines more" if len(lines) > 1 else ""))


def compare(ours, own):
    """Compares two outputs. @param ours, own  the printed text.
    @return ("same" | "one iteration" | "differs", first difference or None)"""
    ours, own = lines_of(ours), lines_of(own)
    scales = largest(own)
    ours, own = runs(ours), runs(own)
    texts = [[run[0].skeleton for run in side] for side in (ours, own)]
    matcher = difflib.SequenceMatcher(None, *texts, autojunk=False)
    stepped = False
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag != "equal":
            return "differs", only(ours[a0:a1], own[b0:b1])
        for a, b in zip(ours[a0:a1], own[b0:b1]):
            longer = len(a) - len(b)  # a monitor may have one line more or less
            if longer and (abs(longer) > 1 or not MONITOR.search(b[0].skeleton)):
                return "differs", only([a[len(b):]] if longer > 0 else [], [b[len(a):]])
            stepped = stepped or longer != 0
            for one, other in zip(a, b):
                wrong, slack = compare_line(one, other, scales[other.skeleton])
                if wrong:
                    return "differs", wrong
                stepped = stepped or slack
    return ("one iteration" if stepped else "same"), None
