# SPDX-License-Identifier: Apache-2.0
"""Finds dead links. Standard library only.

    links.py ROOT           every relative link and #anchor in the *.md files of the repository ROOT
    links.py --site FOLDER  the same in the HTML files of a built site, which must load nothing from the network

Anchors in *.md files are those that Git hosts make of headings. Links to other hosts are not followed.
"""
import html.parser
import os
import re
import subprocess
import sys
import urllib.parse

# a code span, or a link or picture, [text](target) or [text](target "title")
LINK = re.compile(r"(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"
                  r"|\[(?P<text>(?:`[^`]*`|\[[^\]]*\]|[^\[\]`])*)\]"
                  r"\(\s*<?(?P<target>[^)\s>]*)>?(?:\s+\"[^\"]*\")?\s*\)", re.S)
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)", re.M)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$")
OTHER_HOST = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*:|//)")


def without_code(text):
    """Returns the lines of a page, with those of code blocks (fenced, or indented by four) emptied."""
    lines, fence = [], None
    for line in text.splitlines():
        mark = re.match(r" {0,3}(```+|~~~+)", line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = None
            line = ""
        elif mark:
            fence, line = mark[1], ""
        elif line.startswith("    "):
            line = ""
        lines.append(line)
    return lines


def anchor_of(heading):
    """Returns the anchor of a heading: its text in small letters without punctuation, blanks as hyphens."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def anchors(text):
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    count = {}
    for line in without_code(text):
        heading = HEADING.match(line)
        if heading:
            anchor = anchor_of(heading[1])
            found.add(f"{anchor}-{count[anchor]}" if anchor in count else anchor)
            count[anchor] = count.get(anchor, 0) + 1
    return found


def links(text):
    """Yields (line, target) for each link of a page, from line 1."""
    text = "\n".join(without_code(text))
    for match in LINK.finditer(text):
        if match["target"] is not None:
            yield text.count("\n", 0, match.start()) + 1, match["target"]
    for match in REFERENCE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def fault(root, page, target):
    """Returns what is wrong with a link of a page, or None."""
    path, _, anchor = target.partition("#")
    path = urllib.parse.unquote(path)
    full = os.path.normpath(os.path.join(root, os.path.dirname(page), path) if path else os.path.join(root, page))
    if path.startswith("/") or os.path.relpath(full, root).startswith(".."):
        return "leaves the repository"
    if not os.path.exists(full):
        return "does not exist"
    if anchor and (not full.endswith(".md") or anchor not in anchors(read(full))):
        return "has no such anchor"
    return None


def pages(root):
    """Returns the *.md files: those that git knows or would add; without git, all outside of build folders."""
    if os.path.exists(os.path.join(root, ".git")):
        listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                                capture_output=True, text=True, check=False)
        if listed.returncode == 0:
            return sorted({name for name in listed.stdout.splitlines() if os.path.exists(os.path.join(root, name))})
    found = []
    for at, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith((".", "build"))]
        found += [os.path.relpath(os.path.join(at, name), root) for name in names if name.endswith(".md")]
    return sorted(found)


def check_pages(root):
    """Returns the faults of the repository's pages, and the number of links that were checked."""
    faults, checked = [], 0
    for page in pages(root):
        for line, target in links(read(os.path.join(root, page))):
            if not OTHER_HOST.match(target):
                checked += 1
                wrong = fault(root, page, target)
                if wrong:
                    faults.append(f"{page}:{line}: {target} {wrong}")
    return faults, checked


class Page(html.parser.HTMLParser):
    """Parser that collects an HTML file's anchors, links, and the files that it loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = {"", "top"}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.update(v for k, v in attrs.items() if k in ("id", "name") and v)
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        for key in ("src", "href") if tag in ("script", "img", "link", "iframe", "source") else ():
            if attrs.get(key):
                self.loads.append(attrs[key])


def check_site(folder):
    """Returns the faults of a built site, and the number of links that were checked."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(at, name)
                found[os.path.normpath(path)] = Page(read(path))
    faults, checked = [], 0
    for path, page in sorted(found.items()):
        name = os.path.relpath(path, folder)
        faults += [f"{name}: {target} is loaded from elsewhere" for target in page.loads
                   if OTHER_HOST.match(target) and not target.startswith("data:")]
        for target in page.links + page.loads:
            if OTHER_HOST.match(target):
                continue
            checked += 1
            to, _, anchor = target.partition("#")
            to = urllib.parse.unquote(to.partition("?")[0])
            full = os.path.normpath(os.path.join(os.path.dirname(path), to)) if to else path
            full = os.path.join(full, "index.html") if os.path.isdir(full) else full
            if to.startswith("/") or not os.path.isfile(full):
                faults.append(f"{name}: {target} does not exist")
            elif anchor and full in found and urllib.parse.unquote(anchor) not in found[full].ids:
                faults.append(f"{name}: {target} has no such anchor")
    return faults, checked


def test_rules():
    text = ("# A b: `c_d`, [e](f.md)\n[one](a.md) and [`two`](b/c.h \"title\"), `[no](x.md)`, ![p](p.svg)\n"
            "\n    [no](y.md)\n```\n[no](z.md)\n# no\n```\n## A\n## A\nwrapped [te\nxt](d.md#e)\n[r]: r.md\n")
    assert anchors(text) == {"a-b-c_d-e", "a", "a-1"}, anchors(text)
    found = [(1, "f.md"), (2, "a.md"), (2, "b/c.h"), (2, "p.svg"), (11, "d.md#e"), (13, "r.md")]
    assert list(links(text)) == found, list(links(text))
    here, name = os.path.split(os.path.abspath(__file__))
    assert fault(here, "page.md", name) is None and fault(here, "page.md", "nothing.py") == "does not exist"
    assert fault(here, "page.md", "../x.md") == "leaves the repository"
    assert fault(here, "page.md", name + "#x") == "has no such anchor"
    page = Page('<h1 id="x">t</h1><a href="a.html#y">l</a><script src="https://h/s.js"></script>')
    assert "x" in page.ids and page.links == ["a.html#y"] and page.loads == ["https://h/s.js"]


def main(arguments):
    test_rules()
    site = arguments[0] == "--site"
    faults, checked = check_site(arguments[1]) if site else check_pages(arguments[0])
    print("\n".join(faults) or f"{checked} links, none dead")
    assert checked > 50, "no pages here"
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
