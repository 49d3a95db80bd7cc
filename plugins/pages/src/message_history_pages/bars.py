"""The bar at the top of a page: search, steps from mark to mark, folding, light and dark."""

from __future__ import annotations

from typing import Final

from message_history.markup import Markup, element, join

KEYS: Final = (
    ("j, k", "next message, message before"),
    ("n, p", "next place where something was wrong, place before"),
    ("/", "search; Enter and Shift+Enter go from match to match"),
    ("e, c", "open everything, fold everything"),
    ("m", "only the messages where something was wrong"),
    ("t", "light or dark"),
    ("?", "this list"),
)


def bar() -> Markup:
    """Return the bar; without its script a page can be read, folded and followed all the same."""
    return join(
        (
            element(
                "nav",
                element(
                    "input", type="search", id="search", placeholder="Search", aria_label="Search", autocomplete="off"
                ),
                element("output", id="matches", aria_live="polite"),
                _button("before", "↑", "match or mark before (p)"),
                _button("next", "↓", "next match or mark (n)"),
                _button("marked", "Marked only", "only the messages where something was wrong (m)", pressed=True),
                _button("open", "Open all", "open everything (e)"),
                _button("fold", "Fold all", "fold everything (c)"),
                _button("theme", "◐", "light or dark (t)"),
                _button("help", "?", "keys (?)"),
                class_="bar",
                hidden=True,
            ),
            element("canvas", id="map", aria_hidden="true", hidden=True),
            element("dialog", _keys(), id="keys"),
        )
    )


def _button(name: str, label: str, title: str, *, pressed: bool = False) -> Markup:
    return element(
        "button",
        label,
        type="button",
        id=f"do-{name}",
        title=title,
        aria_label=title,
        aria_pressed="false" if pressed else None,
    )


def _keys() -> Markup:
    rows = [join((element("dt", element("kbd", keys)), element("dd", what))) for keys, what in KEYS]
    return join(
        (element("h2", "Keys"), element("dl", *rows), element("form", element("button", "Close"), method="dialog"))
    )
