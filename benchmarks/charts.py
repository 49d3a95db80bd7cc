"""Charts of growth: seconds over messages, both logarithmic, as SVG for light and dark pages."""

from __future__ import annotations

from html import escape
from math import ceil, floor, log10
from typing import Final, NamedTuple

__all__ = ["THEMES", "Line", "chart"]

WIDTH, HEIGHT = 760, 430
LEFT, RIGHT, TOP, BOTTOM = 76, 590, 48, 376
LABEL_HEIGHT: Final = 17
UNITS: Final = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


class Theme(NamedTuple):
    """The colours of a page.

    Args:
        text: of words.
        grid: of the lines behind.
        ours: of this library's line.
        lines: of the others, one after another.
    """

    text: str
    grid: str
    ours: str
    lines: tuple[str, ...]


THEMES: Final = {
    "light": Theme(
        *("#1f2328", "#d8dee4", "#0550ae"),
        ("#6e7781", "#bc4c00", "#116329", "#8250df", "#9a6700", "#bf3989", "#1b7c83", "#a40e26", "#57606a"),
    ),
    "dark": Theme(
        *("#e6edf3", "#30363d", "#79c0ff"),
        ("#8b949e", "#ffa657", "#7ee787", "#d2a8ff", "#e3b341", "#ff9bce", "#56d4dd", "#ff7b72", "#b1bac4"),
    ),
}


class Line(NamedTuple):
    """One contender's line.

    Args:
        name: the contender.
        points: messages and seconds.
    """

    name: str
    points: list[tuple[int, float]]


def chart(title: str, lines: list[Line], theme: Theme) -> str:
    """Draw growth curves.

    Args:
        title: what is measured.
        lines: the contenders; the first is this library.
        theme: the colours.

    Returns:
        SVG.
    """
    seconds = [value for line in lines for _, value in line.points]
    sizes = [size for line in lines for size, _ in line.points]
    across = _Axis(floor(log10(min(sizes))), ceil(log10(max(sizes))), LEFT, RIGHT)
    up = _Axis(floor(log10(min(seconds))), ceil(log10(max(seconds))), BOTTOM, TOP)
    colours = dict(zip((line.name for line in lines), (theme.ours, *theme.lines * 2), strict=False))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="12" fill="{theme.text}">',
        f"<title>{escape(title)}</title>",
        f'<text x="{LEFT}" y="24" font-size="15" font-weight="600">{escape(title)}</text>',
    ]
    for power in range(up.first, up.last + 1):
        y = up.at(10.0**power)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="{theme.grid}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_seconds(power)}</text>')
    for power in range(across.first, across.last + 1):
        x = across.at(10.0**power)
        parts.append(f'<path d="M{x:.1f} {TOP}V{BOTTOM}" stroke="{theme.grid}"/>')
        parts.append(f'<text x="{x:.1f}" y="{BOTTOM + 20}" text-anchor="middle">{10**power:,}</text>')
    parts.append(f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 42}" text-anchor="middle">messages</text>')
    for line in reversed(lines):
        colour, width = colours[line.name], 3 if line is lines[0] else 1.6
        places = [(across.at(size), up.at(value)) for size, value in line.points]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width}" fill="{colour}"/>' for x, y in places]
    ends = {line.name: (across.at(line.points[-1][0]), up.at(line.points[-1][1])) for line in lines}
    for name, y in _spread({name: end[1] for name, end in ends.items()}).items():
        x, end = ends[name]
        weight = ' font-weight="600"' if name == lines[0].name else ""
        parts.append(
            f'<path d="M{x:.1f} {end:.1f}L{RIGHT + 10} {y:.1f}" stroke="{colours[name]}" stroke-opacity=".35"/>'
        )
        parts.append(f'<text x="{RIGHT + 14}" y="{y + 4:.1f}" fill="{colours[name]}"{weight}>{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


class _Axis(NamedTuple):
    """A logarithmic axis: the first and the last power of ten, and where they are."""

    first: int
    last: int
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (log10(value) - self.first) / max(self.last - self.first, 1)
        return self.start + share * (self.end - self.start)


def _spread(places: dict[str, float]) -> dict[str, float]:
    """Move labels apart that would stand on each other, each as little as can be."""
    spread: dict[str, float] = {}
    lowest = float(TOP - LABEL_HEIGHT)
    for name, y in sorted(places.items(), key=lambda place: place[1]):
        lowest = spread[name] = max(y, lowest + LABEL_HEIGHT)
    over = lowest - BOTTOM - 10
    highest = float(BOTTOM + 10 + LABEL_HEIGHT)
    for name in reversed(spread) if over > 0 else ():
        highest = spread[name] = min(spread[name], highest - LABEL_HEIGHT)
    return spread


def _seconds(power: int) -> str:
    unit, name = next((unit for unit in UNITS if 10.0**power >= unit[0] * 0.999), UNITS[-1])
    return f"{10.0**power / unit:g} {name}"
