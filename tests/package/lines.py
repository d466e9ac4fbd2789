# SPDX-License-Identifier: Apache-2.0
"""Checks that files name the license in their first two lines, and their lines against .editorconfig.

    lines.py [--mend] FILE...    names relative to the repository

--mend removes blanks at the ends of lines and corrects the ends of files. Tables and web addresses may be longer;
pictures, patches, matrices and inputs of the fuzzers may have any lines. Standard library only.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANY_LINES = re.compile(r"^tests/fuzz/corpus/|\.(svg|png|mtx|gz|bin|tar|xz|patch)$|^LICENSE$")
NO_LICENSE = re.compile(r"/corpus/|\.(md|json|ipynb|pyc|orig|rej|swp)$|~$|^LICENSE$|^\.git")
ADDRESS = re.compile(r"\S*[a-z]+://\S+")
LIMIT = int(re.search(r"^max_line_length = (\d+)", (ROOT / ".editorconfig").read_text(), re.M)[1])


def may_be_long(line):
    is_table = line.lstrip().startswith("| ") and line.endswith(" |")
    return is_table or ADDRESS.search(line) and len(ADDRESS.sub("", line)) <= LIMIT


def faults(name, text):
    """Returns (line number, what is wrong) for each fault."""
    lines = text.split("\n")
    if not NO_LICENSE.search(name) and "SPDX-License-Identifier: Apache-2.0" not in "\n".join(lines[:2]):
        yield 1, "no line SPDX-License-Identifier: Apache-2.0 among the first two"
    if ANY_LINES.search(name):
        return
    for number, line in enumerate(lines, 1):
        if len(line) > LIMIT and not may_be_long(line):
            yield number, f"{len(line)} characters, more than {LIMIT}; break the line"
        if line != line.rstrip():
            yield number, "blanks at the end of the line; scripts/format removes them"
        if re.match(r"\s*\t", line):
            yield number, "indented by tabs; use blanks"
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        yield len(lines), "the file does not end with one line end; scripts/format mends that"


def main(arguments):
    mend, found = arguments[:1] == ["--mend"], 0
    names = [name for name in sorted(arguments[mend:]) if (ROOT / name).is_file()]
    for name in names:
        data = (ROOT / name).read_bytes()
        text = data.decode("utf-8", "replace")
        if mend and not ANY_LINES.search(name):
            text = (re.sub(r"[^\S\n]+$", "", text, flags=re.M).rstrip("\n") + "\n").removeprefix("\n")
            if text.encode() != data and "\ufffd" not in text:
                (ROOT / name).write_bytes(text.encode())
        wrong = list(faults(name, text))
        if "\ufffd" in text and not ANY_LINES.search(name):
            wrong.append((1, "not UTF-8"))
        for number, fault in wrong:
            print(f"{name}:{number}: {fault}")
        found += len(wrong)
    print(f"lines of {len(names)} files checked, {found} faults")
    return found > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
