# SPDX-License-Identifier: Apache-2.0
"""Refuses words in comments that a reader has to guess at, and openings that make no sense in an editor's hover.

    words.py ROOT       checks the folders in HELD below ROOT

The rule is in CONTRIBUTING.md, section "Words". Standard library only.
"""
import os
import re
import sys

# folders whose comments are checked; add one once its comments pass
HELD = ["kokkos_backend", "tests", "bench", "tools", "examples", "cmake", "scripts", "plugin/ifpack2", "plugin/petsc",
        "plugin/python"]

# the first words of a docstring -> remedy
VERB = "start with a verb in the third person, or name the thing"
OPENINGS = {
    r"of|what|that|those|which|as": VERB,
    r"it|they|the (?:latter|former)": "repeat the noun",
    r"the same": "say what is the same, and as what",
    r"and|but|so": "make the docstring complete without the one before it",
}
# expression -> replacement
BANNED = {
    r"anew": "again",
    r"in vain": "without effect",
    r"beside": "next to, compared with",
    r"but for": "except for",
    r"for ever": "forever",
    r"for the sake of": "for, because of",
    r"thereof": "of it; repeat the noun",
    r"lest": "so that ... not",
    r"the (?:latter|former)": "repeat the noun",
    r"so many": "a quantity with a name",
    r"as many": "a formula",
    r"(?<!\bin\s)places?": "position, offset, slot or memory space",
}

# comments, docstrings of Python among them, and the strings that may look like one
TOKENS = {
    "cpp": r"""(?P<comment> //[^\n]* | /\*.*?\*/ ) | R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"
               | "(?:\\.|[^"\\\n])*" | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'""",  # no separator of digits
    "cmake": r"""(?P<comment> \#\[(?P<mark>=*)\[.*?\](?P=mark)\] | \#[^\n]* )
                 | "(?:\\.|[^"\\])*" | \[(?P<level>=*)\[.*?\](?P=level)\]""",
    "shell": r"""(?:^|(?<=\s))(?P<comment>\#(?!!)[^\n'"]*)$""",
    "python": r'''(?P<comment> \#[^\n]* | ^[ ]*"{3}.*?"{3} ) | "{3}.*?"{3}
                  | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*\'''',
}
TOKENS = {kind: re.compile(token, re.X | re.S | re.M) for kind, token in TOKENS.items()}
MARKER = re.compile(r"^\s*(?:///<?|//|/\*\*?|\*|#+|\"{3})[ \t]?")
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|@(?:param|tparam)\s+\S+")  # names of the code
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".h": "cpp", ".c": "cpp", ".cu": "cpp",
             ".cmake": "cmake", ".txt": "cmake", ".py": "python", ".sh": "shell"}


def language(path, text):
    if re.match(r"#!.*sh\b", text):
        return "shell"
    return LANGUAGES.get(os.path.splitext(path.removesuffix(".in"))[1])


def blocks(text, kind):
    """Yields (line number, is a docstring, lines) for each comment; comments on consecutive lines are one."""
    block, last, mark = None, 0, None
    for found in TOKENS[kind].finditer(text):
        if not found["comment"]:
            continue
        number, lines = text.count("\n", 0, found.start("comment")) + 1, found["comment"].split("\n")
        kind_of_mark = re.match(r" *(///<|///|//|/\*\*|/\*|#|\"{3})", lines[0])[1]
        if block and number == last + 1 and kind_of_mark == mark != "///<":
            block[2].extend(lines)
        else:
            if block:
                yield block
            block = (number, kind_of_mark in ("///", "///<", "/**", '"""'), lines)
        last, mark = number + len(lines) - 1, kind_of_mark
    if block:
        yield block


def faults(text, kind):
    """Yields (line number, what is wrong) for each fault."""
    for first, docstring, lines in blocks(text, kind):
        # an expression may extend over a line end; quoted names of the code are blanked, at equal length
        prose = "\n".join(MARKER.sub("", line) for line in lines)
        prose = QUOTED.sub(lambda found: re.sub(r"[^\n]", "_", found.group()), prose)
        for opening, remedy in OPENINGS.items() if docstring else ():
            found = re.match(rf"({opening.replace(' ', chr(92) + 's+')})\b(?!-)", prose, re.IGNORECASE)
            if found:
                yield first, f"the docstring begins with '{found[1]}': {remedy}"
        for expression, better in BANNED.items():
            pattern = rf"(?<![\w./-]){expression}(?![\w(-])".replace(" ", r"\s+")
            for found in re.finditer(pattern, prose, re.IGNORECASE):
                word = " ".join(found.group().split())
                yield first + prose.count("\n", 0, found.start()), f"'{word}': say {better}"


def test_faults():
    for kind, text, lines in [
            ("cpp", "/// Of the rows.\nint a;", [1]), ("cpp", "int a;\n/// The\n/// same for b.", [2]),
            ("cpp", "/// Rows,\n/// anew.", [2]), ("cpp", "int a;  ///< what it holds", [1]),
            ("cpp", "// a row in\n// vain", [1]), ("cpp", "/* x\n lest y */", [2]), ("cpp", "a = 1'000;  // anew", [1]),
            ("cpp", "// sorts in place", []), ("cpp", "/// @param place  the position", []),
            ("cpp", 'auto a = "anew // lest";', []), ("cpp", "/// Whatever `anew` holds.", []),
            ("cpp", "char a = '\"';  // all", []), ("cpp", 'R"(// anew)"', []), ("cpp", "/// Same-row x.", []),
            ("cmake", "# anew\nset(a b)", [1]), ("cmake", 'set(a "# anew")  # lest', [1]), ("shell", "a=1 # anew", [1]),
            ("shell", "echo '# anew'", []), ("python", "# anew", [1]), ("python", 'def f():\n    """As g."""', [2]),
            ("python", 'a = "# anew"\nb = """\n# anew"""', [])]:
        assert [number for number, _ in faults(text, kind)] == lines, (text, list(faults(text, kind)))
    assert language("scripts/check", "#!/usr/bin/env bash\n") == "shell" and language("a/CMakeLists.txt", "") == "cmake"


def main(root):
    num_faults, num_checked = 0, 0
    for at, name in sorted((at, name) for held in HELD for at, _, names in os.walk(os.path.join(root, held))
                           for name in names):
        path = os.path.join(at, name)
        with open(path, encoding="utf-8", errors="replace") as file:  # the fuzzers' inputs are no UTF-8
            text = file.read()
        kind = language(path, text)
        num_checked += bool(kind)
        for number, fault in sorted(faults(text, kind)) if kind else ():
            print(f"{os.path.relpath(path, root)}:{number}: {fault}")
            num_faults += 1
    print(f"words of {num_checked} files checked, {num_faults} faults")
    return num_faults > 0 or num_checked < 100


if __name__ == "__main__":
    test_faults()
    sys.exit(main(sys.argv[1]))
