# SPDX-License-Identifier: Apache-2.0
"""Checks lines against .editorconfig: their length, no blanks at their ends, and one line end at the end of a file.

    lines.py [--mend] FILE...    names relative to the repository

--mend removes blanks at the ends of lines and corrects the ends of files. Tables and web addresses may be longer;
pictures, patches, matrices, inputs of the fuzzers and the license are not checked. Standard library only.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEFT_ALONE = re.compile(r"^tests/fuzz/corpus/|\.(svg|png|mtx|gz|bin|tar|xz|patch)$|^LICENSE$")
ADDRESS = re.compile(r"\S*[a-z]+://\S+")


def longest_line():
    """Returns max_line_length of .editorconfig."""
    with open(os.path.join(ROOT, ".editorconfig"), encoding="utf-8") as file:
        return int(re.search(r"^max_line_length = (\d+)", file.read(), re.M)[1])


def may_be_long(line, limit):
    if line.lstrip().startswith("| ") and line.endswith(" |"):
        return True  # a row of a table
    return len(ADDRESS.sub("", line)) <= limit and bool(ADDRESS.search(line))


def faults(text, limit):
    """Returns (line number, what is wrong) for each fault."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > limit and not may_be_long(line, limit):
            yield number, f"{len(line)} characters, more than {limit}; break the line"
        if line != line.rstrip():
            yield number, "blanks at the end of the line; scripts/format removes them"
        if "\t" in line[:len(line) - len(line.lstrip())]:
            yield number, "indented by tabs; use blanks"
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        yield len(lines), "the file does not end with one line end; scripts/format mends that"


def mended(text):
    lines = [line.rstrip() for line in text.split("\n")]
    return "\n".join(lines).rstrip("\n") + "\n" if text.strip() else ""


def main():
    arguments = sys.argv[1:]
    mend = arguments[:1] == ["--mend"]
    limit, num_faults, num_checked = longest_line(), 0, 0
    for name in sorted(arguments[mend:]):
        path = os.path.join(ROOT, name)
        if LEFT_ALONE.search(name) or not os.path.isfile(path):
            continue
        try:
            with open(path, encoding="utf-8", newline="") as file:
                text = file.read()
        except UnicodeDecodeError:
            print(f"{name}: not UTF-8")
            num_faults += 1
            continue
        if mend and text != mended(text):
            text = mended(text)
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        num_checked += 1
        for number, fault in faults(text, limit):
            print(f"{name}:{number}: {fault}")
            num_faults += 1
    print(f"lines of {num_checked} files checked, {num_faults} faults")
    return num_faults > 0


if __name__ == "__main__":
    sys.exit(main())
