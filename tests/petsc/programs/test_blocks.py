# SPDX-License-Identifier: Apache-2.0
"""Reads how PETSc's programs are to be tested, from the comment /*TEST ... TEST*/ at their end."""
import itertools
import re

KEYS = {"nsize", "requires", "command", "suffix", "diff_args", "args", "filter", "filter_output", "localrunfiles",
        "comments", "TODO", "SKIP", "output_file", "timeoutfactor", "env", "depends", "temporaries"}
ADDED = ("args", "requires", "env")  # these keys of an inner test are added to the outer one's, others replace them
LOOP = re.compile(r"\{\{(.*?)\}(.*?)\}", re.DOTALL)


class Block:
    """A block `build`, `test` or `testset`: its keys, and the tests inside."""

    def __init__(self, kind, keys=None):
        self.kind, self.keys, self.inner = kind, keys or {}, []

    def add(self, key, value):
        self.keys[key] = f"{self.keys[key]} {value}" if key in self.keys else value


class Case:
    """One case: steps [(ranks, arguments)] that run one after another in one folder."""

    def __init__(self, source, name, steps, keys):
        self.source, self.name, self.steps = source, name, steps
        self.requires = keys.get("requires", "").split()
        self.step_requires = [[] for _ in steps]
        self.filter, self.env = keys.get("filter", ""), keys.get("env", "")
        self.files = keys.get("localrunfiles", "").split()
        self.command, self.todo = keys.get("command", ""), "TODO" in keys or "SKIP" in keys
        self.slowness = float(keys.get("timeoutfactor", "1"))

    def __str__(self):
        return f"{self.source}:{self.name}"

    def unmet(self, conf):
        """Returns why the case cannot run, or None; removes steps that cannot run."""
        missing = [unmet(words, conf) for words in self.step_requires]
        self.steps = [step for step, word in zip(self.steps, missing) if not word]
        self.step_requires = [[] for _ in self.steps]
        return unmet(self.requires, conf) or (None if self.steps else missing[0])


def joined_lines(text):
    """Returns the lines without comments, joining those that end in a backslash or inside quotes with the next."""
    lines, open_line = [], ""
    for line in text.split("\n"):
        line = re.sub(r"^!", "", line)
        if not open_line and (not line.strip() or line.strip().startswith("#")):
            continue
        line = open_line + (" " + line.strip() if open_line else line.rstrip())
        if line.endswith("\\"):
            open_line = line[:-1]
        elif line.count('"') % 2:
            open_line = line
        else:
            open_line = ""
            lines.append(line.split(" #")[0].rstrip())
    return lines


def blocks(text):
    """Returns the tree of a comment: outer blocks, and inside them those indented further."""
    outer, stack = [], []
    for line in joined_lines(text):
        indent = len(line) - len(line.lstrip())
        key, colon, value = line.strip().partition(":")
        key = key.strip()
        if not colon:
            raise ValueError(f"no 'key:' in the line '{line}'")
        if key in ("build", "test", "testset"):
            while stack and stack[-1][0] >= indent:
                stack.pop()
            block = Block(key)
            (stack[-1][1].inner if stack else outer).append(block)
            stack.append((indent, block))
        elif key not in KEYS:
            raise ValueError(f"unknown key '{key}' in the line '{line}'")
        else:
            while stack and stack[-1][0] >= indent:
                stack.pop()
            if stack:
                stack[-1][1].add(key, value.strip())
    return outer


def combined(outer, inner):
    keys = {**outer, **inner}
    for key in ADDED:
        if key in outer and key in inner:
            keys[key] = f"{outer[key]} {inner[key]}"
    return keys


def without_loops(ranks, args):
    """Returns [(label, (ranks, args))]: one for each combination of the values of '-option {{a b}shared output}'."""
    loops = [match.group(1).split() for match in LOOP.finditer(ranks + "\0" + args)]
    results = []
    for values in itertools.product(*loops):
        left = iter(values)
        chosen_ranks, chosen_args = LOOP.sub(lambda _: next(left), ranks + "\0" + args).split("\0")
        results.append(("+".join(values), (int(chosen_ranks), chosen_args.strip())))
    return results


def cases_of_test(source, keys, inner):
    """Returns the cases of a test: one per inner test with a suffix; the others are steps of one case."""
    steps = [combined(keys, test.keys) for test in inner if "suffix" not in test.keys]
    cases = []
    for test in inner:
        if "suffix" in test.keys:
            names = [name for name in (keys.get("suffix"), test.keys["suffix"]) if name]
            cases += cases_of_test(source, {**combined(keys, test.keys), "suffix": "_".join(names)}, test.inner)
    if inner and not steps:
        return cases
    name = keys.get("suffix", "") or "1"
    if len(steps) > 1:
        case = Case(source, name, [], keys)
        for one in steps:
            for _, step in without_loops(one.get("nsize", "1"), one.get("args", "")):
                case.steps.append(step)
                case.step_requires.append(one.get("requires", "").split())
        return cases + [case]
    own = steps[0] if steps else keys
    for label, step in without_loops(own.get("nsize", "1"), own.get("args", "")):
        cases.append(Case(source, f"{name}[{label}]" if label else name, [step], own))
    return cases


def cases_of(source, text):
    """Reads the cases of a program. @param source  the program's name in messages.  @param text  its source."""
    comment = "\n".join(part.split("TEST*/")[0] for part in text.split("/*TEST")[1:])
    outer = blocks(comment)
    build = next((block.keys for block in outer if block.kind == "build"), {})
    cases = []
    for block in outer:
        if block.kind != "build":
            cases += cases_of_test(source, combined({"requires": build.get("requires", "")}, block.keys), block.inner)
    for case in cases:
        case.todo = case.todo or "TODO" in build
        case.depends = [name for name in build.get("depends", "").split() if name.endswith(".c")]
    return cases


def unmet(requires, conf):
    """Returns why a case cannot run with PETSc's configuration (petscconf.h as a dictionary), or None."""
    for word in requires:
        negated, name = word.startswith("!"), word.lstrip("!")
        if "defined(" in name.lower():
            there = name[name.index("(") + 1:].rstrip(")") in conf
        elif name in ("double", "single", "__float128", "__fp16"):
            there = f"PETSC_USE_REAL_{name.upper()}" in conf
        elif name in ("int32", "int64"):
            there = ("PETSC_USE_64BIT_INDICES" in conf) == (name == "int64")
        elif name in ("complex", "debug"):
            there = f"PETSC_USE_{name.upper()}" in conf
        elif name == "long64":
            there = True
        elif name == "x":
            there = False  # needs a display
        else:
            there = f"PETSC_HAVE_{name.upper()}" in conf
        if there == negated:
            return word
    return None
