# SPDX-License-Identifier: Apache-2.0
"""Extends mkdocs for the site (mkdocs.yml names this file; scripts/docs calls it).

- Links to files outside of docs/ become paths in the sources, since the site does not have those files.
- Lists may follow a paragraph without a blank line and be nested by two blanks, as Git hosts read them.
- Anchors are those of Git hosts.
- The search needs no server: its index is part of a script, so that it works in a local folder too.
"""
import json
import logging
import os
import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP_PAGES = ["CONTRIBUTING.md", "CHANGELOG.md"]  # in addition to README.md; they are pages of the site too
LOG = logging.getLogger("mkdocs.sptrsv")

LINK = re.compile(r"(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"
                  r"|(?P<picture>!?)\[(?P<text>(?:`[^`]*`|\[[^\]]*\]|[^\[\]`])*)\]\((?P<target>[^)\s]+)\)", re.S)
ITEM = re.compile(r" *([-*+]|\d+\.) ")
FENCE = re.compile(r" {0,3}(```|~~~)")


def anchor_of(heading, _separator):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def on_config(config):
    config["mdx_configs"]["toc"] = {"slugify": anchor_of, "permalink": False}
    config["theme"].static_templates.discard("404.html")  # its addresses start at a server's root
    return config


def on_files(files, config):
    for name in TOP_PAGES:
        files.append(File(name, str(ROOT), config["site_dir"], config["use_directory_urls"]))
    return files


def on_nav(nav, config, files):
    shown = {page.file.src_path for page in nav.pages}
    for file in files.documentation_pages():
        if file.src_path not in shown:
            LOG.warning("%s is not in the nav of mkdocs.yml", file.src_path)
    return nav


def blocks(text):
    """Yields (is code, lines); code is fenced, or indented by four after a blank line outside of a list."""
    found, fence, in_list, blank = [], None, False, True
    for line in text.split("\n"):
        mark = FENCE.match(line)
        code = bool(fence or mark)
        if mark and (fence is None or mark[1] == fence):
            fence = None if fence else mark[1]
        elif not code:
            if ITEM.match(line) and not line.startswith("    "):
                in_list = True
            elif blank and line.strip() and not line.startswith(" "):
                in_list = False
            code = not in_list and line.startswith("    ") and (blank or bool(found) and found[-1][0])
        blank = not line.strip()
        if not found or found[-1][0] != code:
            found.append((code, []))
        found[-1][1].append(line)
    return found


def as_python_markdown(lines):
    """Returns the lines with a blank line before each list, and with the contents of an item indented twice as far."""
    out, in_list, before = [], False, ""
    for line in lines:
        if ITEM.match(line):
            if not in_list and before.strip():
                out.append("")
            in_list = True
        elif not before.strip() and line.strip() and not line.startswith(" "):
            in_list = False
        before = line
        indent = len(line) - len(line.lstrip(" "))
        out.append(" " * indent + line if in_list else line)
    return out


def site_link(match, page):
    """Returns a link as the site has it. page: path of its page from the repository's root."""
    if match["target"] is None or re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|#", match["target"]):
        return match[0]
    path, mark, anchor = match["target"].partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), path))
    if path.startswith("docs/"):
        path = path[len("docs/"):]
    elif path not in TOP_PAGES:
        said = match["text"].strip("`")
        return f"`{path}`" if said in (path, os.path.basename(path)) else f"{match['text']} (`{path}`)"
    start = os.path.dirname(page[len("docs/"):]) if page.startswith("docs/") else ""
    return f"{match['picture']}[{match['text']}]({os.path.relpath(path, start or '.')}{mark}{anchor})"


def on_page_markdown(markdown, page, config, files):
    source = os.path.relpath(page.file.abs_src_path, ROOT)
    out = []
    for code, lines in blocks(markdown):
        text = "\n".join(lines if code else as_python_markdown(lines))
        out.append(text if code else LINK.sub(lambda match: site_link(match, source), text))
    return "\n".join(out)


SEARCH = """
// from here on tools/docs_site.py
var min_search_length = 2, index, documents = {};
lunr.tokenizer.separator = /[^A-Za-z0-9]+/;  // options are found by their parts
var searchWorker = {postMessage: function (message) {
  if (!index) {
    index = lunr(function () {
      this.field('title');
      this.field('text');
      this.ref('location');
      site_index.docs.forEach(function (doc) { this.add(doc); documents[doc.location] = doc; }, this);
    });
  }
  var words = message.query.replace(/[^A-Za-z0-9]+/g, ' ').trim();  // no words of lunr's own query language
  displayResults(!words ? [] : index.search(words + ' ' + words.split(' ').pop() + '*').map(function (result) {
    var doc = documents[result.ref];
    doc.summary = doc.text.substring(0, 200);
    return doc;
  }));
}};
initSearch();
"""


def on_post_build(config):
    folder = pathlib.Path(config["site_dir"]) / "search"
    lunr, main = ((folder / name).read_text(encoding="utf-8") for name in ("lunr.js", "main.js"))
    script, found, _ = main.partition("if (!window.Worker) {\n  console.log(")
    if not found:
        LOG.warning("the search of this mkdocs is another one than tools/docs_site.py knows")
        return
    script = script.replace("if (!window.Worker) {\n      displayResults(search(query));\n    } else {\n      "
                            "searchWorker.postMessage({query: query});\n    }",
                            "searchWorker.postMessage({query: query});")
    index = json.loads((folder / "search_index.json").read_text(encoding="utf-8"))
    parts = ["// see lunr.js, and mkdocs' own main.js\n", lunr, "\n", script,
             "var site_index = ", json.dumps({"docs": index["docs"]}), ";\n", SEARCH]
    (folder / "main.js").write_text("".join(parts), encoding="utf-8")
    (folder / "worker.js").unlink()
