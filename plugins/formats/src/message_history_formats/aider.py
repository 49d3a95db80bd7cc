"""The chat history of aider: Markdown, in which the user's lines are headings and the program's are quoted."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

from message_history.formats.kit import BLOCKS, Collector, Fit, Format, Reading, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.files.conversations import Conversation
    from message_history.formats.kit import Document

_START: Final = "# aider chat started at "
_STARTED: Final = re.compile(r"^# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d *\r?$", re.MULTILINE)
"""The heading of a chat. An older history may begin in the middle of one, and a reply may hold lines of JSON."""
_USER: Final = "#### "
_ASKED: Final = re.compile(r"#### [^\r\n]*  \r?\n")
"""A line of the user's: aider writes each with a hard line break, which no heading of another page has."""
_PROGRAM: Final = "> "
"""A block that the model wants to change ends with `>>>>>>> REPLACE`."""


def _fit(document: Document) -> Fit:
    if document.value is not None:
        return Fit.NONE
    if _START in document.text and _STARTED.search(document.text):
        return Fit.CERTAIN
    if any(line.value is not None for line in document.lines):
        return Fit.NONE
    opening = document.text.lstrip()[:4096]
    if _ASKED.match(opening):
        return Fit.CERTAIN
    return Fit.NEAR if _START in opening or f"\n{_USER}" in f"\n{opening}" else Fit.NONE


def _kind(line: str) -> str:
    if line.startswith(_START):
        return "start"
    if line.startswith(_USER) or line == "####":
        return "user"
    return "program" if line.startswith(_PROGRAM) or line == ">" else "assistant"


def _read(document: Document) -> Reading:
    found: list[Conversation] = []
    for title, lines in _chats(document.text):
        collector = Collector()
        for kind, run in groupby(lines, lambda numbered: _kind(numbered[1])):
            group = list(run)
            if kind == "program":
                collector.omit("lines of the program", len(group))
            else:
                written = "\n".join(line.removeprefix(_USER) if kind == "user" else line for _, line in group)
                collector.add_blocks(group[0][0], kind, text(written.strip()))
        found.append(collector.conversation(BLOCKS, label=title, title=title))
    return Reading(conversations=tuple(found))


def _chats(written: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Split a history at the headings that begin a chat; what comes before the first has no title."""
    title, lines = "", list[tuple[int, str]]()
    for number, line in enumerate(written.splitlines(), 1):
        if line.startswith(_START):
            if any(each.strip() for _, each in lines):
                yield title, lines
            title, lines = line.removeprefix("# ").strip(), []
        else:
            lines.append((number, line))
    if any(each.strip() for _, each in lines):
        yield title, lines


AIDER: Final = Format(
    name="aider",
    rank=400,
    title="aider chat history (Markdown)",
    files=".aider.chat.history.md",
    omits="what the program printed itself, in quoted lines",
    unwritten="it is text, and no text in it can be refused",
    source="Aider-AI/aider: aider/utils.py (split_chat_history_markdown), aider/io.py",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    of_text=True,
)
