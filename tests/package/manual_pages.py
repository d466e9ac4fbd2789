# SPDX-License-Identifier: Apache-2.0
"""Checks the manual pages in PETSc's format: comments that begin with /*MC (types), /*@ (functions) or /*S (structs).

    manual_pages.py ROOT PRINTER [--petsc INCLUDE]   checks the pages in sptrsv_petsc.h and those that
                                                     `PRINTER --manual-pages` prints from the lists of types and
                                                     options; names of PETSc must be in its headers in INCLUDE
    manual_pages.py ROOT PRINTER --doctext PROGRAM   makes the pages by PETSc's doctext; checks that each comes out

Each type, ordering, function and struct has a page; options of the plugin are read by its table alone. Standard
library only.
"""
import os
import re
import subprocess
import sys
import tempfile

HEADER = "plugin/petsc/sptrsv_petsc.h"
COMMENT = re.compile(r"/\*(?P<mark>MC|@C?|S|E)\n(?P<text>.*?)(?P<end>\w*@?)\*/", re.DOTALL)
ENDS = {"MC": "M", "@": "@", "@C": "@", "S": "S", "E": "E"}
LEVELS = ["beginner", "intermediate", "advanced", "developer"]
PLURAL = ["Options Database Key", "Input Parameter", "Output Parameter", "Note"]
TITLE = re.compile(r"^  (?P<name>\w+)(?: = \"(?P<value>\w+)\")? - \S")
SECTION = re.compile(r"^  (?P<name>[A-Z][A-Za-z ]*):$")


class Page:
    """Page with the text of its comment; `after` is the code that follows."""

    def __init__(self, mark, text, end, after):
        self.mark, self.lines, self.end, self.after = mark, text.rstrip().split("\n"), end, after
        title = TITLE.match(self.lines[0])
        self.name, self.value = (title["name"], title["value"]) if title else (None, None)

    def section(self, name):
        """Returns the lines of a section, without its heading."""
        inside, lines = False, []
        for line in self.lines:
            heading = SECTION.match(line)
            if heading or line.startswith((".seealso", "  Level:")):
                inside = bool(heading) and heading["name"].removesuffix("s") == name
            elif inside:
                lines.append(line)
        return lines

    def items(self, name):
        """Returns the items of a section's list, without their descriptions."""
        return [line[2:].split(" - ")[0].strip() for line in self.section(name) if line[:2] in ("+ ", ". ", "- ")]

    def see_also(self):
        text = "\n".join(self.lines)
        return re.findall(r"`([^`]*)`", text[text.index(".seealso"):]) if ".seealso" in text else []


def pages_of(text):
    return [Page(found["mark"], found["text"], found["end"], text[found.end():]) for found in COMMENT.finditer(text)]


def list_faults(page):
    """Yields faults in the marks of lists: + for the first item, - for the last, a period for others or a single one.
    """
    marks = "".join(line[0] if line[:2] in ("+ ", ". ", "- ") else " " if line.startswith("    ") else "\n"
                    for line in page.lines).replace(" ", "")
    for found in re.finditer(r"[-+.]+", marks):
        if not re.fullmatch(r"\.|\+\.*-", found.group()):
            yield f"a list has the marks {found.group()}; a list of several begins with + and ends with -"
    for line in page.lines:
        if line[:2] in ("+ ", ". ", "- ") and " - " not in line[2:] and line != page.lines[-1]:
            yield f"'{line}': ' - ' is missing between an item and its description"


def section_faults(page):
    text = "\n".join(page.lines)
    for name in PLURAL:
        for heading in [name, name + "s"]:
            if f"\n  {heading}:\n" not in text:
                continue
            lines = page.section(name)
            number = len(page.items(name)) if name != "Note" else \
                len(re.split(r"\n\s*\n", "\n".join(lines).strip()))
            if (number > 1) != heading.endswith("s"):
                yield f"'{heading}:' has {number} entries; {name}s: with several, {name}: with one"
    level = re.findall(r"^  Level: (\w+)$", text, re.MULTILINE)
    if len(level) != 1 or level[0] not in LEVELS:
        yield "one line 'Level: beginner', intermediate, advanced or developer is missing"
    if text.count("\n.seealso: ") != 1 or not page.see_also():
        yield "one '.seealso:' with names in backquotes is missing"
    elif "\n\n" in text[text.index(".seealso"):]:
        yield "'.seealso:' is not the last section"


def parameter_faults(page):
    """Yields the fault of a function whose lists of parameters are not those of its declaration."""
    declared = re.match(r"\n(?:PETSC_EXTERN|static inline) PetscErrorCode (\w+)\(([^)]*)\)", page.after)
    if not declared or declared[1] != page.name:
        yield "its declaration does not follow the comment"
        return
    names = [re.search(r"(\w+)(?:\[\])?$", parameter)[1] for parameter in declared[2].split(",") if parameter != "void"]
    described = page.items("Input Parameter") + page.items("Output Parameter")
    if names != described:
        yield f"describes the parameters {described}, and is declared with {names}"


def faults(page):
    """Yields what is wrong with the format of a page."""
    if not page.name:
        yield f"begins with '{page.lines[0]}'; begin with NAME - text, or NAME = \"value\" - text"
        return
    if page.end != ENDS[page.mark]:
        yield f"/*{page.mark} ends with {page.end}*/; end it with {ENDS[page.mark]}*/"
    text = "\n".join(page.lines)
    if text.count("`") % 2:
        yield "a backquote has no partner"
    if text.count("\n.vb") != text.count("\n.ve"):
        yield ".vb and .ve are not in pairs"
    yield from list_faults(page)
    yield from section_faults(page)
    if page.mark.startswith("@"):
        yield from parameter_faults(page)


def missing(header, pages):
    """Yields types, orderings, functions, structs and names that the pages or the header lack."""
    by_name = {page.name: page for page in pages}
    macros = dict(re.findall(r"^#define (MAT(?:SOLVER|ORDERING)\w+) \"(\w+)\"$", header, re.MULTILINE))
    for name, value in sorted(macros.items()):
        if name not in by_name or by_name[name].value != value:
            yield f"{HEADER}: {name} is \"{value}\", and tools/options_page prints no such page"
    for page in pages:
        if page.value and macros.get(page.name) != page.value:
            yield f"{HEADER}: add #define {page.name} \"{page.value}\""
    for name in re.findall(r"^(?:PETSC_EXTERN|static inline) PetscErrorCode (\w+)\(|^} (\w+);$", header, re.MULTILINE):
        if "".join(name) not in by_name:
            yield f"{HEADER}: {''.join(name)} has no page; write one above its declaration"
    for page in pages:
        for name in page.see_also():
            if re.match(r"(?:Mat)?SpTRSV|MAT(?:SOLVER|ORDERING)", name) and name.removesuffix("()") not in by_name:
                yield f"{page.name}: '.seealso:' names {name}, which has no page"


def unknown(pages, include):
    """Yields names after .seealso that are neither ours nor in PETSc's headers."""
    text = ""
    for at, _, names in os.walk(include):
        for name in names:
            if name.endswith(".h"):
                with open(os.path.join(at, name), encoding="utf-8", errors="replace") as file:
                    text += file.read()
    words = set(re.findall(r"\w+", text)) | {page.name for page in pages}
    assert "PetscInitialize" in words, f"no headers of PETSc in {include}"
    for page in pages:
        for name in page.see_also():
            if name.removesuffix("()") not in words:
                yield f"{page.name}: '.seealso:' names {name}, which is not in {include}"


def stray_options(plugin):
    """Yields calls that read an option which need not be in the table."""
    for at, _, names in os.walk(plugin):
        for name in names:
            if name.endswith(("xx", "pp")) and name != "factor_options.cxx":
                with open(os.path.join(at, name), encoding="utf-8") as file:
                    for call in re.findall(r"\bPetscOptions(?:Int|Bool|String|Real|EList|Enum|HasName)\(", file.read()):
                        yield f"{name}: {call}...) reads an option; ReadGiven() reads those of options/option_table.hpp"


def check(header, pages, include, plugin):
    wrong = [f"{page.name}: {fault}" for page in pages for fault in faults(page)]
    wrong += [*missing(header, pages), *stray_options(plugin)]
    if include:
        wrong += unknown(pages, include)
    print("\n".join(wrong) or f"{len(pages)} manual pages in PETSc's format")
    assert len(pages) > 10, "no pages here"
    return len(wrong) > 0


def run_doctext(texts, pages, program):
    """Makes the pages as PETSc's documentation does, and returns whether one is missing or lacks a section."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            name = f"pages{number}.h"
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            command = [program, "-myst", "-mpath", folder, "-heading", "PETSc", "-indexdir", "../Mat", "-index",
                       os.path.join(folder, "manualpages.cit"), "-locdir", "./", name]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                wrong.append(f"{' '.join(command)} ends with {done.returncode}: {done.stderr}")
        for page in pages:
            made = os.path.join(folder, page.name + ".md")
            if not os.path.exists(made):
                wrong.append(f"doctext makes no page of {page.name}")
                continue
            with open(made, encoding="utf-8") as file:
                text = file.read()
            for wanted in ["Level: ", "## See Also", *page.items("Options Database Key")]:
                if wanted not in text:
                    wrong.append(f"doctext's page of {page.name} has no '{wanted}'")
    print("\n".join(wrong) or f"{len(pages)} manual pages made by {program}")
    return len(wrong) > 0


GOOD = """/*@
  F - Does

  Input Parameters:
+ a - one
- b - two

  Level: advanced

  Note:
  A `B`.

.seealso: `Mat`
@*/
PETSC_EXTERN PetscErrorCode F(Mat a, const char b[]);
"""


def test_faults():
    assert not list(faults(pages_of(GOOD)[0])) and pages_of(GOOD)[0].items("Input Parameter") == ["a", "b"]
    for before, after in [("- b - two", ". b - two"), ("- b - two", "- b: two"), ("Parameters:", "Parameter:"),
                          ("advanced", "high"), ("  Level: advanced\n", ""), (".seealso: `Mat`", ""), ("@*/", "M*/"),
                          ("`B`", "`B"), ("F - Does", "F does"), ("Mat a", "Mat c"), ("Note:", "Notes:"),
                          ("  A `B`", ".vb\n  A `B`"), ("F(Mat", "G(Mat")]:
        assert before in GOOD and list(faults(pages_of(GOOD.replace(before, after))[0])), (before, after)


def main(arguments):
    test_faults()
    root, printer, option, value = (arguments + ["", ""])[:4]
    if option == "--doctext" and not value:
        print("skipped: no doctext here; PETSc's --download-sowing builds it")
        return 77
    with open(os.path.join(root, HEADER), encoding="utf-8") as file:
        texts = [file.read(), subprocess.check_output([printer, "--manual-pages"], text=True)]
    pages = [page for text in texts for page in pages_of(text)]
    return run_doctext(texts, pages, value) if option == "--doctext" else check(
        texts[0], pages, value, os.path.join(root, "plugin/petsc"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
