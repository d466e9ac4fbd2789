# SPDX-License-Identifier: Apache-2.0
"""Writes each fault of docs/dev/petsc_faults.md to a separate file that can be sent to PETSc: the fault and the
versions that have it, the work-around, the fix, and the whole program.

    python3 tools/fault_reports.py FOLDER [NAME...]
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "dev", "petsc_faults.md")
PARTS = {"What": "What happens", "User": "What helps until then", "Upstream": "What would mend it"}


def read_table(text):
    """Returns the versions, and {program: (line, {version: yes, no or -})}, of the page's table."""
    lines = [line.strip("| ") for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    versions = [cell for cell in rows[0] if re.fullmatch(r"\d+\.\d+\.\d+", cell)]
    table = {}
    for cells in rows:
        found = re.match(r"\[`(\w+)`\]\(petsc_faults/", cells[0])
        if found:
            table[found[1]] = (cells[-1], dict(zip(versions, cells[1:])))
    return versions, table


def read_sections(text):
    """Returns {program: {part: text}}; a section may be about several programs."""
    sections = {}
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        parts = dict(re.findall(r"^- (\w+): (.*?)(?=^- \w+: |\Z)", body, flags=re.M | re.S))
        for name in title.split(", "):
            sections[name] = {part: re.sub(r"\s+", " ", told).strip() for part, told in parts.items()}
    return sections


def used_parts(header, program):
    """Returns child.h without the helpers that a program does not use."""
    parts, used = [], program
    for part in reversed(re.split(r"\n\n(?=/\*|static |typedef )", header)):
        names = re.findall(r"^static (?:inline \w+|\w+ const) (\w+)", part, flags=re.M)
        if not names or any(re.search(rf"\b{name}\b", used) for name in names):
            parts.insert(0, part.rstrip("\n"))
            used += part
    return "\n\n".join(parts) + "\n"


def whole_program(name):
    """Returns the program with the text of child.h, as far as it is used, in place of its #include."""
    folder = PAGE[:-3]
    with open(os.path.join(folder, name + ".c")) as file:
        program = file.read()
    with open(os.path.join(folder, "child.h")) as file:
        header = file.read().replace("#pragma once\n", "")
    header = re.sub(r"^/\* SPDX.*?\*/\n", "", header, count=1, flags=re.S)
    return program.replace('#include "child.h"\n', used_parts(header, program))


def without_links(text):
    """Removes links to pages that the reader does not have."""
    return re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


def report(name, line, versions, parts):
    lines = [f"# {line[0].upper() + line[1:]}", ""]
    lines += [f"Seen: {', '.join(v for v, seen in versions.items() if seen == 'yes')}."]
    absent = [v for v, seen in versions.items() if seen == "no"]
    if absent:
        lines += [f"Not seen: {', '.join(absent)}."]
    for part, heading in PARTS.items():
        if part in parts:
            lines += ["", f"## {heading}", "", without_links(parts[part])]
    lines += ["", "## Program", "", "    mpicc " + name + ".c -o " + name +
              " $(pkg-config --cflags --libs PETSc) -lm && ./" + name, "", "```c", whole_program(name).rstrip(), "```"]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(PAGE) as file:
        text = file.read()
    (_, table), sections = read_table(text), read_sections(text)
    names = sys.argv[2:] or sorted(table)
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in names:
        if name not in table:
            sys.exit(f"error: {name} is not in {PAGE}; choose one of {', '.join(sorted(table))}")
        if "What" not in sections.get(name, {}):
            sys.exit(f"error: {PAGE} has no section of {name} that begins with '- What:'")
        with open(os.path.join(sys.argv[1], name + ".md"), "w") as file:
            file.write(report(name, *table[name], sections[name]))
    print(f"{len(names)} reports in {sys.argv[1]}")


if __name__ == "__main__":
    main()
