#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the findings of sptrsv_inspect, which runs this script: plot.py DATA.json OUT.png

With --check it only tells by its exit code, 0 or 3, whether this Python has matplotlib.
"""
import json
import os
import sys

NO_MATPLOTLIB = 3
try:
    import matplotlib
    matplotlib.use("Agg")  # needs no window and no display
    from matplotlib import pyplot
    from matplotlib.colors import ListedColormap, LogNorm
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator
    import numpy
except ImportError:
    matplotlib = None

BLUE, ORANGE, GRAY = "#3b6ea5", "#d9822b", "#b8c4d0"
MOST_STEPS = 2000  # maximum number of levels drawn as steps


def thousands(axis):
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 0
                                           and value == int(value) else ""))


TIMES = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
SIZES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "bytes"))


def unit_for(value, units):
    """Returns the largest unit of which there is at least one."""
    return next((unit for unit in units if value >= unit[0]), units[-1])


def with_unit(value, units):
    size, name = unit_for(value, units)
    return "0" if value == 0 else f"{value / size:.0f} {name}" if value >= 100 * size else f"{value / size:.3g} {name}"


def range_text(k, lines):
    """Returns 2^k to 2^(k+1) - 1 as a short label on one or two lines."""
    if k >= 10:
        return f"{2**(k - 10)}k-\n{2**(k - 9)}k"
    return f"{2**k}-" + ("\n" if lines == 2 and k >= 3 else "") + f"{2**(k + 1) - 1}"


def draw_spy(axes, figure, data):
    """Draws the entries of op(T), as a density if a cell holds more than one position."""
    grid, rows = data["density"]["grid"], data["rows"]
    axes.set_title("Entries" + (" (of the transpose)" if "transposed" in data["shape"] else ""))
    axes.set_xlabel("column")
    axes.set_ylabel("row")
    if grid == 0:
        return
    cells = numpy.array(data["density"]["entries"], dtype=float).reshape(grid, grid)
    cells = numpy.ma.masked_equal(cells, 0)
    most = cells.max()
    norm = LogNorm(1, most) if most > 1 else None
    image = axes.imshow(cells, cmap="viridis_r" if norm else ListedColormap([BLUE]), norm=norm, interpolation="nearest",
                        extent=(0, rows, rows, 0), aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4, integer=True))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    if norm:
        side = rows / grid
        label = "entries in a cell" + (f" of {side:,.0f} x {side:,.0f}" if side >= 10 else "")
        figure.colorbar(image, ax=axes, label=label, shrink=0.85)


def draw_levels(axes, data):
    levels = numpy.array(data["levels"]["rows"], dtype=float)
    axes.set_title(f"Rows in each of {len(levels):,} level{'' if len(levels) == 1 else 's'}")
    axes.set_xlabel("level")
    axes.set_ylabel("rows")
    if len(levels) == 0:
        return
    axes.set_yscale("log")
    if len(levels) > MOST_STEPS:  # a line would hide what is between its dots
        parts = numpy.array_split(levels, MOST_STEPS)
        edges = numpy.concatenate(([0], numpy.cumsum([len(part) for part in parts])))
        axes.stairs([part.max() for part in parts], edges, fill=True, color=GRAY, label="widest of neighbors")
        axes.stairs([part.mean() for part in parts], edges, color=BLUE, label="mean of neighbors")
    else:
        axes.stairs(levels, numpy.arange(len(levels) + 1), fill=True, color=GRAY)
        axes.stairs(levels, numpy.arange(len(levels) + 1), color=BLUE)
    axes.axhline(levels.mean(), color=ORANGE, linestyle="--", linewidth=1.2, label=f"mean {levels.mean():,.1f}")
    axes.set_xlim(0, len(levels))
    axes.set_ylim(0.7, 1.6 * max(levels.max(), 6))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    thousands(axes.xaxis)
    thousands(axes.yaxis)
    axes.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: ""))
    axes.legend(frameon=False, loc="best")


def draw_row_lengths(axes, data):
    pairs = data["row_lengths"]["rows_of_length"]
    axes.set_title(f"Rows by their entries off the diagonal (mean {data['row_lengths']['mean']:.2f}, most "
                   f"{data['row_lengths']['longest']:,})")
    axes.set_xlabel("off-diagonal entries in a row")
    axes.set_ylabel("rows")
    if not pairs:
        return
    longest = data["row_lengths"]["longest"]
    if longest <= 24:
        labels = [f"{length}" for length in range(longest + 1)]
        counts = [dict(pairs).get(length, 0) for length in range(longest + 1)]
    else:
        counts = [0] * (longest.bit_length() + 1)
        for length, rows in pairs:
            counts[length.bit_length()] += rows
        labels = ["0", "1"] + [range_text(k, 2 if longest >= 512 else 1) for k in range(1, longest.bit_length())]
    axes.bar(range(len(counts)), counts, color=BLUE, width=0.85)
    axes.set_xticks(range(len(counts)))
    axes.set_xticklabels(labels, fontsize=7 if len(labels) > 12 else 8)
    if max(counts) > 100 * min(count for count in counts if count > 0):
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.7)
    thousands(axes.yaxis)


def bars(axes, data, series, units):
    """Draws horizontal bars for each algorithm. series: name, values by algorithm, one color or several."""
    names = [a["name"] for a in data["algorithms"]]
    height = 0.8 / len(series)
    known = [value for _, values, _ in series for value in values if value]
    unit, unit_name = unit_for(max(known, default=1), units)
    for number, (label, values, color) in enumerate(series):
        at = [k + (number - (len(series) - 1) / 2) * height for k in range(len(names))]
        axes.barh(at, [value or 0 for value in values], height=0.92 * height, color=color, label=label)
        for y, value in zip(at, values):
            if value is not None:
                axes.annotate(with_unit(value, units), (value, y), xytext=(4, 0), textcoords="offset points",
                              va="center", fontsize=8)
    axes.set_yticks(range(len(names)))
    axes.set_yticklabels(names)
    axes.invert_yaxis()
    if known and max(known) > 30 * min(known):
        axes.set_xscale("log")
        axes.set_xlim(min(known) / 3, 6 * max(known))
    elif known:
        axes.set_xlim(0, 1.22 * max(known))
        axes.xaxis.set_major_locator(FixedLocator(MaxNLocator(5).tick_values(0, 1.22 * max(known) / unit) * unit))
        axes.set_xlim(0, 1.22 * max(known))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / unit:,.6g}"))
    axes.xaxis.set_minor_formatter(FuncFormatter(lambda value, _: ""))
    axes.set_xlabel(unit_name)


def draw_algorithms(axes, data):
    algorithms = data["algorithms"]
    chosen = data["planner"].get("used")
    measured = [a["solve"]["median"] if "solve" in a else None for a in algorithms]
    predicted = [a["predicted_solve"] for a in algorithms]
    colors = [ORANGE if a["name"] == chosen else BLUE for a in algorithms]
    if any(measured):
        series = [("measured", measured, colors)]
        if any(predicted):
            series.append(("predicted", predicted, GRAY))
        bars(axes, data, series, TIMES)
        columns = f", {data['columns']} right-hand sides" if data["columns"] > 1 else ""
        axes.set_title(f"Time of a solve on {data['space']}, {data['threads']:,} "
                       f"thread{'' if data['threads'] == 1 else 's'}{columns}")
    else:
        bars(axes, data, [("memory", [a.get("memory_bytes") for a in algorithms], colors)], SIZES)
        axes.set_title("Memory beyond T itself (nothing was timed)")
    keys = [pyplot.Rectangle((0, 0), 1, 1, color=ORANGE), pyplot.Rectangle((0, 0), 1, 1, color=BLUE)]
    names = ["the planner's choice", "other types"]
    if any(measured) and any(predicted):
        keys.append(pyplot.Rectangle((0, 0), 1, 1, color=GRAY))
        names.append("predicted")
    axes.legend(keys, names, frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.11), ncol=3)


def draw(data, path):
    pyplot.rcParams.update({"font.size": 9, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False})
    figure, ((spy, levels), (lengths, times)) = pyplot.subplots(2, 2, figsize=(13, 10), constrained_layout=True)
    if hasattr(figure, "get_layout_engine"):  # from matplotlib 3.6 on
        figure.get_layout_engine().set(h_pad=0.12, w_pad=0.1)
    sizes = f"{data['rows']:,} rows, {data['entries']:,} entries, {data['levels']['count']:,} levels"
    figure.suptitle(f"{os.path.basename(data['matrix'])}, {data['shape']}: {sizes}\n{data['device']}", fontsize=11)
    draw_spy(spy, figure, data)
    draw_levels(levels, data)
    draw_row_lengths(lengths, data)
    draw_algorithms(times, data)
    figure.savefig(path, dpi=130)


def main(arguments):
    if matplotlib is None:
        return NO_MATPLOTLIB
    if arguments == ["--check"]:
        return 0
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8") as file:
        data = json.load(file)
    try:
        draw(data, arguments[1])
    except (OSError, ValueError) as error:  # a missing folder, an unknown format
        print(f"plot.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
