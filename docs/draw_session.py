"""Draw one broken session next to what is sent of it: docs/pictures/session-*.svg, wide and narrow.

python docs/draw_session.py           runs the session, and writes the drawings
python docs/draw_session.py --check   only tells whether they are current: exit code 1 if not
"""

from __future__ import annotations

import logging
import sys
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from generated import write_or_check_all

from message_history import MessageHistory, check
from message_history.dialects import Anthropic

if TYPE_CHECKING:
    from collections.abc import Iterator

PICTURES: Final = Path(__file__).with_name("pictures")
SESSION: Final[list[dict[str, Any]]] = [
    {"role": "user", "content": "Find the failing test, and fix it."},
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "toolu_01", "name": "read", "input": {"path": "ci.log"}},
            {"type": "tool_use", "id": "toolu_02", "name": "run", "input": {"command": "pytest"}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_01", "content": "test_totals failed"}]},
    {"role": "user", "content": "Are you still there?"},
]
"""The process ended while the second tool ran, and the user came back."""
WIDTH, COLUMN, ROW = 960, 456, 34
FONT: Final = "font-family='ui-sans-serif, system-ui, -apple-system, Segoe UI, Roboto, sans-serif'"
CODE: Final = "font-family='ui-monospace, SFMono-Regular, Menlo, Consolas, monospace'"


class Theme(NamedTuple):
    """Colours: of words, of faint words, of the page, of a row, of what is refused, and of what is accepted."""

    text: str
    faint: str
    page: str
    row: str
    bad: str
    good: str


THEMES: Final = {
    "light": Theme("#1f2328", "#59636e", "#ffffff", "#f3f5f8", "#cf222e", "#116329"),
    "dark": Theme("#e6edf3", "#9198a1", "#151b23", "#222a34", "#ff7b72", "#56d364"),
}


class Row(NamedTuple):
    """A line of a conversation: who, what, and whether it is what the provider refuses or what a repair added."""

    role: str
    text: str
    marked: bool = False


def rows(messages: list[dict[str, Any]], marked: set[str], *, results: bool) -> Iterator[Row]:
    """Give a line for each block; the role is written once for each message."""
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for place, block in enumerate(blocks):
            role = "" if place else message["role"]
            if block["type"] == "tool_use":
                yield Row(role, f"{block['name']}({block['id']})", not results and block["id"] in marked)
            elif block["type"] == "tool_result":
                text = block["content"] if isinstance(block["content"], str) else block["content"][0]["text"]
                stub = results and block["tool_use_id"] in marked
                yield Row(role, f"result of {block['tool_use_id']}: {text[:23] + '…' if stub else text}", stub)
            else:
                yield Row(role, block["text"])


class Side(NamedTuple):
    """One of the two sides: the title, the conversation, what becomes of it, and the colour of that."""

    title: str
    rows: list[Row]
    verdict: list[str]
    colour: str


def column(x: int, top: int, side: Side, theme: Theme) -> str:
    """Draw a side."""
    title, found, verdict, colour = side
    parts = [
        f"<text x='{x}' y='{top + 34}' font-size='17' font-weight='600' fill='{theme.text}'>{escape(title)}</text>"
    ]
    for number, row in enumerate(found):
        y = top + 52 + number * ROW
        edge = f" stroke='{colour}' stroke-width='2'" if row.marked else ""
        parts.append(
            f"<rect x='{x}' y='{y}' width='{COLUMN}' height='{ROW - 6}' rx='5' fill='{theme.row}'{edge}/>"
            f"<text x='{x + 10}' y='{y + 19}' font-size='13' fill='{theme.faint}'>{row.role}</text>"
            f"<text x='{x + 84}' y='{y + 19}' font-size='13' {CODE} fill='{colour if row.marked else theme.text}'>"
            f"{escape(row.text)}</text>"
        )
    y = top + 52 + 7 * ROW
    for number, line in enumerate(verdict):
        size, weight = (15, 600) if number == 0 else (13, 400)
        parts.append(
            f"<text x='{x}' y='{y + number * 22}' font-size='{size}' font-weight='{weight}' "
            f"fill='{theme.text if number else colour}'>{escape(line)}</text>"
        )
    return "".join(parts)


def drawing(theme: Theme, *, narrow: bool) -> str:
    """Run the session, and draw what was found; narrow is one side under the other."""
    dialect = Anthropic()
    (violation,) = check(SESSION, dialect)
    history = MessageHistory.from_list(SESSION)
    sent = history.for_send(dialect)
    assert check(sent, dialect) == []  # noqa: S101 - the drawing says so
    (repair,) = history.repairs
    said = wrap(violation.error.partition(". ")[0], 62)
    before = ["400, at this request and at every later one", *said]
    after = ["Accepted, and so is every later request", f"{repair.code.value}: recorded in history.repairs"]
    marked = set(repair.ids)
    side = 52 + 7 * ROW + 62
    width, height = (COLUMN + 32, 2 * side) if narrow else (WIDTH, side)
    x, top = (16, side) if narrow else (488, 0)
    left = Side("A list, saved in a crash", [*rows(SESSION, marked, results=False)], before, theme.bad)
    right = Side("MessageHistory.from_list(it)", [*rows(sent, marked, results=True)], after, theme.good)
    label = "A saved list that is refused for ever, and the same conversation as a MessageHistory sends it"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' {FONT} role='img' "
        f"aria-label='{label}'><rect width='{width}' height='{height}' rx='10' fill='{theme.page}'/>"
        f"{column(16, 0, left, theme)}{column(x, top, right, theme)}</svg>\n"
    )


def main(arguments: list[str]) -> int:
    """Write, or check.

    Args:
        arguments: `--check`, and the folder if it is another than docs/pictures.

    Returns:
        The exit code.
    """
    logging.getLogger("message_history").addHandler(logging.NullHandler())
    paths = [Path(argument) for argument in arguments if argument != "--check"]
    folder = paths[0] if paths else PICTURES
    drawn = {
        folder / f"session-{name}{'-narrow' if narrow else ''}.svg": drawing(theme, narrow=narrow)
        for name, theme in THEMES.items()
        for narrow in (False, True)
    }
    return write_or_check_all(drawn, "draw_session.py", check="--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
