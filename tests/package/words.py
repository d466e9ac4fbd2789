# SPDX-License-Identifier: Apache-2.0
"""Refuses words in comments that a reader has to guess at, and openings that make no sense in an editor's hover.

    words.py ROOT              checks the folders in HELD below ROOT
    words.py --subject FILE    checks the subject of the commit message in FILE (scripts/hooks/commit-msg)

The rule is in CONTRIBUTING.md, section "Words". Standard library only.
"""
import ast
import io
import os
import re
import sys
import tempfile
import tokenize

# folders whose comments are checked; add one once its comments pass
HELD = ["kokkos_backend", "tests", "bench", "tools", "examples", "cmake", "scripts", "plugin/ifpack2", "plugin/petsc",
        "plugin/python"]
LONGEST_SUBJECT = 72

# the first words of a docstring -> remedy
VERB = "start with a verb in the third person, or name the thing"
OPENINGS = {
    "of": VERB,
    "what": VERB,
    "that": VERB,
    "those": VERB,
    "which": VERB,
    "it": "repeat the noun",
    "they": "repeat the noun",
    "the same": "say what is the same, and as what",
    "the latter": "repeat the noun",
    "the former": "repeat the noun",
    "and": "make the docstring complete without the one before it",
    "but": "make the docstring complete without the one before it",
    "so": "make the docstring complete without the one before it",
    "as": VERB,
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

CPP_TOKEN = re.compile(r"""
    (?P<comment> //[^\n]* | /\*.*?\*/ )
  | R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"          # a raw string
  | "(?:\\.|[^"\\\n])*" | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'   # a string; a character, not a separator of digits
""", re.VERBOSE | re.DOTALL)
CMAKE_TOKEN = re.compile(r"""
    (?P<comment> \#\[(?P<mark>=*)\[.*?\](?P=mark)\] | \#[^\n]* )
  | "(?:\\.|[^"\\])*" | \[(?P<level>=*)\[.*?\](?P=level)\]
""", re.VERBOSE | re.DOTALL)
SHELL_COMMENT = re.compile(r"(?:^|\s)(?P<comment>#(?!!)[^\n'\"]*)$", re.MULTILINE)
MARKER = re.compile(r"^\s*(?:///<?|//|/\*\*?|\*|#+)[ \t]?")
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|@(?:param|tparam)\s+\S+")  # names of the code
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".h": "cpp", ".c": "cpp", ".cu": "cpp",
             ".cmake": "cmake", ".py": "python", ".sh": "shell"}


def language(path, text):
    if os.path.basename(path) == "CMakeLists.txt":
        return "cmake"
    if text.startswith("#!") and "sh" in text.split("\n", 1)[0]:
        return "shell"
    return LANGUAGES.get(os.path.splitext(path.removesuffix(".in"))[1])


def pieces(text, kind):
    """Yields (line number, text) for each comment, and for each docstring of Python."""
    if kind == "python":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
                yield node.body[0].lineno, '"""' + ast.get_docstring(node)
        return
    pattern = {"cpp": CPP_TOKEN, "cmake": CMAKE_TOKEN, "shell": SHELL_COMMENT}[kind]
    for found in pattern.finditer(text):
        if found["comment"]:
            yield text.count("\n", 0, found.start("comment")) + 1, found["comment"]


def blocks(text, kind):
    """Yields (line number, is a docstring, lines) for each comment; comments on consecutive lines are one."""
    block, last, mark = None, 0, None
    for number, comment in pieces(text, kind):
        docstring = comment.startswith(("///", '"""', "/**"))
        kind_of_mark = re.match(r"///<|///|//|/\*|#|", comment)[0]
        lines = comment.removeprefix('"""').split("\n")
        if block and number == last + 1 and kind_of_mark == mark and mark != "///<":
            block[2].extend(lines)
        else:
            if block:
                yield block
            block = (number, docstring, lines)
        last, mark = number + len(lines) - 1, kind_of_mark
    if block:
        yield block


def faults(text, kind):
    """Yields (line number, what is wrong) for each fault."""
    for first, docstring, lines in blocks(text, kind):
        lines = [MARKER.sub("", line) for line in lines]
        # an expression may extend over a line end; quoted names of the code are blanked, at equal length
        prose = QUOTED.sub(lambda found: re.sub(r"[^\n]", "_", found.group()), "\n".join(lines))
        if docstring:
            for opening, remedy in OPENINGS.items():
                if re.match(opening.replace(" ", r"\s+") + r"\b(?!-)", prose, re.IGNORECASE):
                    yield first, f"the docstring begins with '{opening}': {remedy}"
        for expression, better in BANNED.items():
            pattern = rf"(?<![\w./-]){expression}(?![\w(-])".replace(" ", r"\s+")
            for found in re.finditer(pattern, prose, re.IGNORECASE):
                word = " ".join(found.group().split())
                yield first + prose.count("\n", 0, found.start()), f"'{word}': say {better}"


def subject_fault(message):
    """Returns what is wrong with the subject of a commit message, or None."""
    subject = next((line for line in message.split("\n") if line.strip() and not line.startswith("#")), "")
    if re.match(r"(?:fixup|squash|amend)! |Merge |Revert \"", subject) or len(subject) <= LONGEST_SUBJECT:
        return None
    return (f"the subject has {len(subject)} characters, more than {LONGEST_SUBJECT}; say the rest in the body:\n"
            f"  {subject[:LONGEST_SUBJECT]}|{subject[LONGEST_SUBJECT:]}")


def check(root):
    num_faults, num_checked = 0, 0
    for held in HELD:
        for at, _, names in sorted(os.walk(os.path.join(root, held))):
            for name in sorted(names):
                path = os.path.join(at, name)
                with open(path, encoding="utf-8", errors="replace") as file:  # the fuzzers' inputs are no UTF-8
                    text = file.read()
                kind = language(path, text)
                if not kind:
                    continue
                num_checked += 1
                for number, fault in sorted(faults(text, kind)):
                    print(f"{os.path.relpath(path, root)}:{number}: {fault}")
                    num_faults += 1
    print(f"words of {num_checked} files checked, {num_faults} faults")
    return num_faults > 0 or num_checked == 0


def test_faults():
    bad = [("/// Of the rows.\nint a;", 1), ("int a;\n/// The\n/// same for b.", 2), ("/// Rows,\n/// anew.", 2),
           ("int a;  ///< what it holds", 1), ("// a row in\n// vain", 1), ("// its places", 1),
           ("/* x\n lest y */", 2), ("/// Rows.\nint a;\n/// And columns.", 3), ("int a = 1'000;  // thereof", 1),
           ("/// Two, so many.", 1)]
    good = ["/// Offset of a row.", "// sorts in place", "/// @param place  the position",
            'auto a = "anew // lest";', "/// Whatever `anew` holds.", "// in\n// place", "char a = '\"';  // all",
            'R"(// anew)"', "/// Same-row x."]
    for text, line in bad:
        assert [number for number, _ in faults(text, "cpp")] == [line], text
    for text in good:
        assert not list(faults(text, "cpp")), text
    for text, kind in [("# anew\nset(a b)", "cmake"), ('set(a "#")  # anew', "cmake"), ("a=1 # anew", "shell"),
                       ("# anew", "python"), ('def f():\n    """As g."""', "python")]:
        assert len(list(faults(text, kind))) == 1, text
    for text, kind in [('set(a "# anew")', "cmake"), ("echo '# anew'", "shell"), ('a = "# anew"', "python")]:
        assert not list(faults(text, kind)), text
    assert language("scripts/check", "#!/usr/bin/env bash\n") == "shell" and language("a/CMakeLists.txt", "") == "cmake"


def test_check():
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, HELD[0], "src"))
        assert check(root), "a folder without sources passes"
        for text, refused in [("/// Rows, anew.\n", True), ("/// Rows.\n", False)]:
            with open(os.path.join(root, HELD[0], "src", "a.hpp"), "w", encoding="utf-8") as file:
                file.write(text)
            assert check(root) == refused, text


def test_subject():
    assert subject_fault("Name the row\n\n" + 100 * "x") is None and subject_fault(72 * "x") is None
    assert subject_fault(73 * "x") and subject_fault("# a comment\n\n" + 73 * "x")
    assert subject_fault("Merge " + 80 * "x") is None and subject_fault('Revert "' + 72 * "x") is None


def main(arguments):
    if arguments[0] == "--subject":
        with open(arguments[1], encoding="utf-8") as file:
            fault = subject_fault(file.read())
        print(fault or "", end="\n" if fault else "", file=sys.stderr)
        return fault is not None
    stdout, sys.stdout = sys.stdout, io.StringIO()  # hides the output of the samples
    try:
        test_faults()
        test_check()
        test_subject()
    finally:
        sys.stdout = stdout
    return check(arguments[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
