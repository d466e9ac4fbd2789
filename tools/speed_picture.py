#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the solves' speed relative to cuSPARSE, matrix by matrix, from the record in docs/performance.md.

    tools/speed_picture.py > docs/figures/speed_cusparse.svg
    tools/speed_picture.py --record docs/performance.md

A bar is cuSPARSE's time divided by that of the fastest type; a mark is cuSPARSE's time divided by that of the type
`sptrsv`, which chooses by itself. All numbers are read from the record: the table with the column `cuSPARSE / ours`,
the first table with columns `sptrsv` and `cusparse`, and the sentence that names device and date. Needs only Python's
standard library.
"""
import argparse
import html
import math
import pathlib
import re
import sys
from collections import namedtuple

import scatter_svg

RECORD = pathlib.Path(__file__).resolve().parent.parent / "docs/performance.md"
RUN = re.compile(r"One run on one (NVIDIA \w+) \([^)]*\), on (\d{4}-\d\d-\d\d)")

WIDTH, ROW, LEFT, RIGHT, TOP, BOTTOM = 760, 17, 165, 130, 78, 42
OURS, LOSS, CHOSEN, MEAN = "#1f77b4", "#d62728", "#111111", "#2ca02c"

Speed = namedtuple("Speed", "matrix fastest ratio chosen")  # ratio: by the fastest type; chosen: by `sptrsv`


def tables(text):
    """Returns the Markdown tables of a text: lists of rows, which are dictionaries by column."""
    header, rows, found = None, [], []
    for line in text.splitlines() + [""]:
        if not line.startswith("|"):
            if rows:
                found.append(rows)
            header, rows = None, []
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if header is None:
            header = cells
        elif rows or set("".join(cells)) - set("-: "):  # not the line below the header
            rows.append(dict(zip(header, cells)))
    return found


def table_with(text, *columns):
    for rows in tables(text):
        if all(column in rows[0] for column in columns):
            return rows
    raise ValueError(f"the record has no table with the columns {', '.join(columns)}")


def number(cell):
    """Returns a time; one that was cut short is marked with a star."""
    return float(cell.replace("\\*", ""))


def read(text):
    """Returns the speeds to draw, fastest first, and the device and date of the run."""
    by_type = {row["matrix"]: row for row in table_with(text, "matrix", "sptrsv", "cusparse")}
    speeds = []
    for row in table_with(text, "matrix", "best of ours us", "cuSPARSE / ours"):
        times = by_type[row["matrix"]]
        speeds.append(Speed(row["matrix"], row["best of ours us"].split()[-1], number(row["cuSPARSE / ours"]),
                            number(times["cusparse"]) / number(times["sptrsv"])))
    run = RUN.search(text)
    if not run:
        raise ValueError("the record does not say `One run on one NVIDIA <device> (...), on <date>`")
    return sorted(speeds, key=lambda s: -s.ratio), run[1], run[2]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def picture(speeds, device, date):
    """Returns the SVG text."""
    height = TOP + ROW * len(speeds) + BOTTOM
    ratios = [r for s in speeds for r in (s.ratio, s.chosen)] + [1]
    ticks = scatter_svg.log_ticks(min(ratios) * 0.9, max(ratios))
    low, high = math.log10(ticks[0]), math.log10(ticks[-1])
    mean, chosen_mean = (geometric_mean(values) for values in zip(*((s.ratio, s.chosen) for s in speeds)))

    def at(ratio):
        return LEFT + (math.log10(ratio) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def text(x, y, content, anchor="start", more=""):
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{html.escape(content)}</text>'

    end = height - BOTTOM
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
           'font-family="sans-serif" font-size="11">',
           "<!-- SPDX-License-Identifier: Apache-2.0 -->",
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           text(WIDTH / 2, 20, "Triangular solve: time of cuSPARSE SpSV divided by ours", "middle", ' font-size="15"'),
           text(WIDTH / 2, 38, f"{device}, {date}; {len(speeds)} lower triangles, double, one right-hand side; "
                f"geometric means {mean:.2f} (fastest type), {chosen_mean:.2f} (sptrsv)", "middle"),
           f'<rect x="{LEFT}" y="50" width="14" height="9" fill="{OURS}"/>',
           text(LEFT + 20, 58, "fastest type, named at the right"),
           f'<circle cx="{LEFT + 215}" cy="54.5" r="3.5" fill="{CHOSEN}"/>',
           text(LEFT + 224, 58, "type sptrsv, which chooses"),
           f'<rect x="{LEFT + 390}" y="50" width="14" height="9" fill="{LOSS}"/>',
           text(LEFT + 410, 58, "slower than cuSPARSE")]
    for tick in ticks:
        heavy = "#555" if tick == 1 else "#ddd"
        out += [f'<path d="M{at(tick):.1f} {TOP - 6}V{end}" stroke="{heavy}"/>',
                text(at(tick), end + 15, f"{tick:g}", "middle")]
    for row, speed in enumerate(speeds):
        y = TOP + ROW * row
        bar, mark = OURS if speed.ratio >= 1 else LOSS, CHOSEN if speed.chosen >= 1 else LOSS
        x, width = min(at(1), at(speed.ratio)), abs(at(speed.ratio) - at(1))
        out += [text(LEFT - 6, y + 11, speed.matrix, "end"),
                f'<rect x="{x:.1f}" y="{y + 2}" width="{width:.1f}" height="{ROW - 5}" fill="{bar}"/>',
                f'<circle cx="{at(speed.chosen):.1f}" cy="{y + ROW / 2:.1f}" r="3.5" fill="{mark}"'
                ' stroke="white"/>',
                text(WIDTH - RIGHT + 8, y + 11, f"{speed.ratio:#.3g}  {speed.fastest}")]
    out += [f'<path d="M{at(mean):.1f} {TOP - 6}V{end}" stroke="{MEAN}" stroke-width="1.5" stroke-dasharray="5 3"/>',
            text(at(mean) + 4, end - 3, f"mean {mean:.2f}", more=f' fill="{MEAN}"'),
            text((LEFT + WIDTH - RIGHT) / 2, end + 32, "times as fast as cuSPARSE; more is better", "middle")]
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", type=pathlib.Path, default=RECORD, help="the page with the tables")
    try:
        sys.stdout.write(picture(*read(parser.parse_args().record.read_text(encoding="utf-8"))))
    except (ValueError, KeyError) as error:
        sys.exit(f"speed_picture: {error}")


if __name__ == "__main__":
    main()
