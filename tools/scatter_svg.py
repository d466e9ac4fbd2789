# SPDX-License-Identifier: Apache-2.0
"""Draws a scatter plot with trends as an SVG file with the standard library, so that every machine can draw it."""
import html
import math

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 55
COLORS = ["#1f77b4", "#d95f02", "#2ca02c", "#7f3fbf"]


def nice_steps(low, high, count=8):
    """Returns round numbers that cover low to high."""
    step = 10 ** math.floor(math.log10(max(high - low, 1e-9) / count))
    step *= next(f for f in (1, 2, 5, 10) if (high - low) / (f * step) <= count)
    first = math.floor(low / step)
    return [k * step for k in range(first, max(first + 1, math.ceil(high / step)) + 1)]


def log_ticks(low, high):
    """Returns 1, 2 and 5 times powers of ten that cover low to high, at least two."""
    ticks = [f * 10.0 ** p for p in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
             for f in (1, 2, 5)]
    first = max(k for k, t in enumerate(ticks) if t <= low * (1 + 1e-12))
    last = max(first + 1, min(k for k, t in enumerate(ticks) if t >= high * (1 - 1e-12)))
    return ticks[first:last + 1]


def trend(points, bins=10):
    """Returns geometric means of y over equal ranges of x: [(mean x, mean y)]."""
    low, high = min(x for x, _ in points), max(x for x, _ in points)
    groups = {}
    for x, y in points:
        groups.setdefault(min(int((x - low) / (high - low or 1) * bins), bins - 1), []).append((x, y))
    return [(sum(x for x, _ in group) / len(group), math.exp(sum(math.log(y) for _, y in group) / len(group)))
            for _, group in sorted(groups.items())]


def scatter(series, title, x_label, y_label):
    """Returns the SVG text. series: {name: [(x, y)]}, each with points; y is positive, and its axis logarithmic."""
    points = [p for s in series.values() for p in s]
    x_ticks = nice_steps(min(x for x, _ in points), max(x for x, _ in points))
    y_ticks = log_ticks(min(y for _, y in points), max(y for _, y in points))
    low, high = math.log10(y_ticks[0]), math.log10(y_ticks[-1])

    def at_x(x):
        return LEFT + (x - x_ticks[0]) / (x_ticks[-1] - x_ticks[0]) * (WIDTH - LEFT - RIGHT)

    def at_y(y):
        return HEIGHT - BOTTOM - (math.log10(y) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def text(x, y, content, anchor="middle", more=""):
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{html.escape(content)}</text>'

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
           f'font-size="12">',
           "<!-- SPDX-License-Identifier: Apache-2.0 -->",
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', text(WIDTH / 2, 22, title, more='font-size="14"')]
    for x in x_ticks:
        out.append(f'<path d="M{at_x(x):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        out.append(text(at_x(x), HEIGHT - BOTTOM + 18, f"{x:.4g}"))
    for y in y_ticks:
        out.append(f'<path d="M{LEFT} {at_y(y):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(text(LEFT - 8, at_y(y) + 4, f"{y:g}", "end"))
    out.append(text(WIDTH / 2, HEIGHT - 12, x_label))
    out.append(text(0, 0, y_label, more=f'transform="translate(18 {HEIGHT / 2}) rotate(-90)"'))
    for number, (name, values) in enumerate(series.items()):
        color = COLORS[number % len(COLORS)]
        out += [f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3" fill="{color}" fill-opacity="0.45"/>'
                for x, y in values]
        line = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in trend(values))
        out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        out.append(f'<rect x="{LEFT + 12}" y="{TOP + 8 + 18 * number}" width="12" height="12" fill="{color}"/>')
        out.append(text(LEFT + 30, TOP + 19 + 18 * number, name, "start"))
    return "\n".join(out + ["</svg>"]) + "\n"
