# SPDX-License-Identifier: Apache-2.0
"""Finds dead links. Standard library only.

    links.py ROOT           every relative link and #anchor in the *.md files of the repository ROOT
    links.py --site FOLDER  the same in the HTML files of a built site, which must load nothing from the network

Anchors in *.md files are those that Git hosts make of headings. Links to other hosts are not followed.
"""
import os
import re
import sys
import urllib.parse

# a code span, or a link or picture, [text](target) or [text](target "title")
LINK = re.compile(r"(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"
                  r"|\[(?:`[^`]*`|\[[^\]]*\]|[^\[\]`])*\]"
                  r"\(\s*<?(?P<target>[^)\s>]*)>?(?:\s+\"[^\"]*\")?\s*\)"
                  r"|^ {0,3}\[[^\]]+\]:\s+<?(?P<reference>[^\s>]+)", re.S | re.M)
CODE = re.compile(r"^ {0,3}(```+|~~~+).*?^ {0,3}\1[^\n]*$|^ {4}[^\n]*$", re.S | re.M)
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.M)
OTHER_HOST = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*:|//)")


def without_code(text):
    """Returns a page with its code blocks (fenced, or indented by four) emptied, at equal line numbers."""
    return CODE.sub(lambda found: "\n" * found.group().count("\n"), text)


def anchors(text):
    """Returns the anchors of a page: its headings in small letters without punctuation, blanks as hyphens."""
    found, count = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text)), {}
    for heading in HEADING.findall(without_code(text)):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count[anchor] = count.get(anchor, 0) + 1
        found.add(f"{anchor}-{count[anchor] - 1}" if count[anchor] > 1 else anchor)
    return found


def links(text):
    """Yields (line, target) for each link of a page."""
    text = without_code(text)
    for match in LINK.finditer(text):
        target = match["target"] or match["reference"]
        if target:
            yield text.count("\n", 0, match.start()) + 1, target


def site_links(text):
    """Yields (line, target) for each link of an HTML page; a target of another host if the page loads it."""
    for tag, attribute, target in re.findall(r"<(\w+)[^>]*?\s(href|src)=\"([^\"]*)\"", text):
        if target and (tag != "a" and not target.startswith("data:") or not OTHER_HOST.match(target)):
            yield text.count("\n", 0, text.find(f'{attribute}="{target}"')) + 1, target.partition("?")[0]


def fault(root, page, target, pages):
    """Returns what is wrong with a link of a page, or None. pages: the anchors of each page."""
    if OTHER_HOST.match(target):
        return "is loaded from elsewhere"
    path, _, anchor = (urllib.parse.unquote(part) for part in target.partition("#"))
    full = os.path.normpath(os.path.join(root, os.path.dirname(page), path) if path else os.path.join(root, page))
    name = os.path.relpath(full, root)
    if path.startswith("/") or name.startswith(".."):
        return "leaves the repository"
    if not os.path.exists(full):
        return "does not exist"
    return "has no such anchor" if anchor and anchor not in pages.get(name, ()) else None


def read_pages(root, ending):
    """Returns the text of each page below ROOT, outside of build folders."""
    pages = {}
    for at, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name == ".github" or not name.startswith((".", "build"))]
        for name in names:
            if name.endswith(ending):
                with open(os.path.join(at, name), encoding="utf-8") as file:
                    pages[os.path.relpath(os.path.join(at, name), root)] = file.read()
    return pages


def test_rules():
    text = ("# A b: `c_d`, [e](f.md)\n[one](a.md) and [`two`](b/c.h \"title\"), `[no](x.md)`, ![p](p.svg)\n"
            "\n    [no](y.md)\n```\n[no](z.md)\n# no\n```\n## A\n## A\nwrapped [te\nxt](d.md#e)\n[r]: r.md\n")
    assert anchors(text) == {"a-b-c_d-e", "a", "a-1"}, anchors(text)
    found = [(1, "f.md"), (2, "a.md"), (2, "b/c.h"), (2, "p.svg"), (11, "d.md#e"), (13, "r.md")]
    assert list(links(text)) == found, list(links(text))
    site = '<h1 id="x">t</h1><a\n href="a.html#y">l</a><a href="https://h">h</a><script src="https://h/s.js"></script>'
    assert list(site_links(site)) == [(2, "a.html#y"), (2, "https://h/s.js")], list(site_links(site))


def main(arguments):
    test_rules()
    site = arguments[0] == "--site"
    root = arguments[-1]
    pages = read_pages(root, ".html" if site else ".md")
    known = {name: {"top", *re.findall(r"\s(?:id|name)=\"([^\"]+)\"", text)} if site else anchors(text)
             for name, text in pages.items()}
    found = [(page, line, target) for page, text in sorted(pages.items())
             for line, target in (site_links if site else links)(text) if site or not OTHER_HOST.match(target)]
    faults = [f"{page}:{line}: {target} {wrong}" for page, line, target in found
              if (wrong := fault(root, page, target, known))]
    print("\n".join(faults) or f"{len(found)} links, none dead")
    assert len(found) > 50, "no pages here"
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
