# SPDX-License-Identifier: Apache-2.0
"""Checks the manual pages in PETSc's format: comments that begin with /*MC (types), /*@ (functions) or /*S (structs).

    manual_pages.py ROOT PRINTER [--petsc INCLUDE]   checks the pages in sptrsv_petsc.h and those that
                                                     `PRINTER --manual-pages` prints from the lists of types and
                                                     options; names of PETSc must be in its headers in INCLUDE
    manual_pages.py ROOT PRINTER --doctext PROGRAM   makes the pages by PETSc's doctext; checks that each comes out

Each type, ordering, function and struct has a page; options of the plugin are read by its table alone. Standard
library only.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HEADER = "plugin/petsc/sptrsv_petsc.h"
COMMENT = re.compile(r"/\*(?:MC|@C?|S|E)\n(?P<text>.*?)\w*@?\*/", re.DOTALL)
TITLE = re.compile(r"  (?P<name>\w+)(?: = \"(?P<value>\w+)\")? - \S")
FUNCTION = r"(?:PETSC_EXTERN|static inline) PetscErrorCode (\w+)\("


class Page:
    """Page with the text of its comment; `after` is the code that follows."""

    def __init__(self, text, after):
        self.text, self.after = text, after
        title = TITLE.match(text)
        self.name, self.value = (title["name"], title["value"]) if title else (text.split("\n")[0], None)
        self.see_also = re.findall(r"`([^`]*)`", text.partition(".seealso: ")[2])

    def items(self, section):
        """Returns the items of a section's list, without their descriptions."""
        found = re.search(rf"^  {section}s?:\n(.*?)\n\n", self.text, re.DOTALL | re.MULTILINE)
        return re.findall(r"^[-+.] (.*?) +- ", found[1], re.MULTILINE) if found else []


def pages_of(text):
    return [Page(found["text"], text[found.end():]) for found in COMMENT.finditer(text)]


def faults(page):
    """Yields what is wrong with the format of a page."""
    if not TITLE.match(page.text):
        yield "begin with NAME - text, or NAME = \"value\" - text"
    if not re.search(r"^  Level: (beginner|intermediate|advanced|developer)$", page.text, re.MULTILINE):
        yield "one line 'Level: beginner', intermediate, advanced or developer is missing"
    if not page.see_also or page.text.count("`") % 2:
        yield "'.seealso:' with names in backquotes is missing, or a backquote has no partner"
    marks = "".join(line[0] if line[:2] in ("+ ", ". ", "- ") else "" if line.startswith("    ") else " "
                    for line in page.text.split("\n"))
    if any(not re.fullmatch(r"\.|\+\.*-", run) for run in marks.split()):
        yield f"a list has the marks {marks.split()}; one of several items begins with + and ends with -"
    if declared := re.match(r"\n" + FUNCTION + r"([^)]*)\)", page.after):
        names = re.findall(r"(\w+)(?:\[\])?(?:,|$)", declared[2].replace("void", ""))
        described = page.items("Input Parameter") + page.items("Output Parameter")
        if declared[1] != page.name or names != described:
            yield f"describes the parameters {described}; declared is {declared[1]} with {names}"


def missing(header, pages):
    """Yields types, orderings, functions, structs and names that the pages or the header lack."""
    values = {page.name: page.value for page in pages}
    macros = dict(re.findall(r"^#define (MAT(?:SOLVER|ORDERING)\w+) \"(\w+)\"$", header, re.MULTILINE))
    for name in macros.keys() | {name for name, value in values.items() if value}:
        if macros.get(name) != values.get(name):
            yield f"{HEADER}: {name} is {macros.get(name)}, and its page in tools/options_page says {values.get(name)}"
    for names in re.findall(rf"^{FUNCTION}|^}} (\w+);$", header, re.MULTILINE):
        if "".join(names) not in values:
            yield f"{HEADER}: {''.join(names)} has no page; write one above its declaration"


def unknown(pages, include):
    """Yields names after .seealso without a page, or not in PETSc's headers."""
    own = {page.name for page in pages}
    texts = [path.read_text(errors="replace") for path in pathlib.Path(include).rglob("*.h")] if include else []
    words = set(re.findall(r"\w+", "\n".join(texts)))
    assert not include or "PetscInitialize" in words, f"no headers of PETSc in {include}"
    for page in pages:
        for name in (name.removesuffix("()") for name in page.see_also):
            ours = re.match(r"(?:Mat)?SpTRSV|MAT(?:SOLVER|ORDERING)", name)
            if name not in own and (ours or words and name not in words):
                yield f"{page.name}: '.seealso:' names {name}, which has no page"


def stray_options(plugin):
    """Yields calls that read an option which need not be in the table. Those of other libraries, in the folder direct,
    have PETSc's names, which PETSc's pages describe."""
    for path in plugin.rglob("*"):
        elsewhere = path.name == "factor_options.cxx" or path.parent.name == "direct"
        if path.name.endswith(("xx", "pp")) and not elsewhere:
            for call in re.findall(r"\bPetscOptions(?:Int|Bool|String|Real|EList|Enum|HasName)\(", path.read_text()):
                yield f"{path.name}: {call}...) reads an option; ReadGiven() reads those of options/option_table.hpp"


def by_doctext(texts, pages, program):
    """Makes the pages as PETSc's documentation does, and yields those that are missing or lack a section."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, text in enumerate(texts):
            (folder / f"pages{number}.h").write_text(text)
            command = [program, "-myst", "-mpath", name, "-heading", "PETSc", "-indexdir", "../Mat", "-index",
                       f"{name}/manualpages.cit", "-locdir", "./", f"pages{number}.h"]
            done = subprocess.run(command, cwd=name, capture_output=True, text=True, check=False)
            if done.returncode:
                yield f"{' '.join(command)} ends with {done.returncode}: {done.stderr}"
        for page in pages:
            made = folder / f"{page.name}.md"
            for wanted in ["Level: ", "## See Also", *page.items("Options Database Key")]:
                if not made.exists() or wanted not in made.read_text():
                    yield f"doctext's page of {page.name} has no '{wanted}'"


def main(arguments):
    root, printer, option, value = (arguments + ["", ""])[:4]
    if option == "--doctext" and not value:
        print("skipped: no doctext here; PETSc's --download-sowing builds it")
        return 77
    plugin = pathlib.Path(root) / "plugin/petsc"
    texts = [(plugin / "sptrsv_petsc.h").read_text(),
             subprocess.check_output([printer, "--manual-pages"], text=True)]
    pages = [page for text in texts for page in pages_of(text)]
    if option == "--doctext":
        wrong = list(by_doctext(texts, pages, value))
    else:
        wrong = [f"{page.name}: {fault}" for page in pages for fault in faults(page)]
        wrong += [*missing(texts[0], pages), *unknown(pages, value), *stray_options(plugin)]
    print("\n".join(wrong) or f"{len(pages)} manual pages in PETSc's format")
    assert len(pages) > 10, "no pages here"
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
