"""A history as a page to read: turns, calls with their results, and what was wrong where it was."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import ToolResultBlock, ToolUseBlock
from message_history.files.repaired_lists import located
from message_history.markup import Markup, element, join
from message_history.words import DONE
from message_history_pages.bars import bar
from message_history_pages.blocks import block, call, folded_text
from message_history_pages.marks import repair_note, violation_note
from message_history_pages.page import page
from message_history_pages.positions import positions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message
    from message_history.core.messages.repairs import Repair
    from message_history.dialects import Dialect
    from message_history.files.files import SavedFile
    from message_history.history import MessageHistory
    from message_history.violations import Violation


def transcript_page(
    name: str, file: SavedFile, violations: Sequence[Violation], *, dialect: Dialect[Any] | None = None
) -> bytes:
    """Return a saved conversation as a page to read.

    Args:
        name: what the file is called.
        file: what it holds.
        violations: what a provider would refuse in it; `index` is the position among its entries.
        dialect: the dialect of the entries; None to find it by shape.

    Returns:
        One HTML file. It loads nothing, and nothing in the conversation is run.

    Complexity: linear in the conversation.
    """
    history = file.history(dialect=dialect)
    repairs = tuple(located(history.repairs, len(file.system_entries())))
    became = positions(file.entries, history, dialect)
    marks = _marks(file, repairs, violations, became, max(len(history) - 1, 0))
    facts = _facts(file, history, repairs, violations)
    rules = dialect if dialect is not None else file.dialect()
    body = join(
        (
            bar(),
            element("header", _head(name, file, history, [_fact_text(rules.name), *facts]), _problems(marks)),
            element("main", *_messages(history, marks), id="messages"),
        )
    )
    return page(name, body, kind="transcript")


def notebook_html(history: MessageHistory) -> str:
    """Return a history as a page in a frame, as notebooks show it: its newest messages, and what was repaired.

    Args:
        history: the history; a notebook that has it as a cell's result calls this by itself.

    Returns:
        The HTML of the frame. Nothing in it loads anything or runs.

    Complexity: linear in the messages that are shown.
    """
    first = max(len(history) - MOST_IN_NOTEBOOKS, 0)
    marks: dict[int, list[Markup]] = defaultdict(list)
    for repair in history.repairs:
        marks[min(repair.index, max(len(history) - 1, 0))].append(repair_note(repair, lambda entry: f"entry {entry}"))
    facts = [_fact(len(history), "message"), *([_fact_text(f"the newest {MOST_IN_NOTEBOOKS}")] if first else [])]
    facts += [_fact(len(history.repairs), "repair")] if history.repairs else []
    system = folded_text(history.system) if history.system is not None else ""
    head = element("header", element("p", *facts, class_="facts"), system)
    body = join((head, element("main", *_messages(history, marks, first), id="messages")))
    # Without scripts, and apart from the notebook's own page.
    return element(
        "iframe", srcdoc=page("history", body, kind="transcript").decode(), sandbox="", width="100%", height="480"
    )


MOST_IN_NOTEBOOKS: Final = 100
"""How many messages a notebook shows: it keeps what it has shown."""


def _marks(
    file: SavedFile, repairs: Iterable[Repair], violations: Iterable[Violation], became: Sequence[int], last: int
) -> Mapping[int, list[Markup]]:
    """Say what was wrong with each message; -1 is the list itself."""
    marks: dict[int, list[Markup]] = defaultdict(list)
    for violation in violations:
        index = violation.index
        where = -1 if index is None else became[index] if 0 <= index < len(became) else last
        marks[where].append(violation_note(violation, file.place_of))
    for repair in repairs:
        marks[min(repair.index, last)].append(repair_note(repair, file.place_of))
    return marks


def _head(name: str, file: SavedFile, history: MessageHistory, facts: Sequence[Markup]) -> Markup:
    skipped = [
        element("li", f"line {note.line}: {note.detail} ", element("code", (note.skipped or "")[:200]))
        for note in file.skipped
    ]
    return join(
        (
            element("h1", name),
            element("p", *facts, class_="facts"),
            element("details", element("summary", "Lines that could not be read"), element("ul", *skipped))
            if skipped
            else "",
            element("section", element("h2", "system"), folded_text(history.system), class_="message system")
            if history.system is not None
            else "",
        )
    )


def _facts(
    file: SavedFile, history: MessageHistory, repairs: Sequence[Repair], violations: Sequence[Violation]
) -> list[Markup]:
    counts = Counter(repair.severity for repair in repairs)
    facts = [
        _fact(len(history), "message"),
        _fact(len(violations), "violation", "violation") if violations else _fact_text("no violations", "sound"),
        *(
            _fact_text(f"{counts[severity]:,} {what}", severity.value, "repairs: ")
            for severity, what in DONE.items()
            if counts[severity]
        ),
    ]
    if file.skipped:
        facts.append(_fact(len(file.skipped), "line skipped", "lossy", "lines skipped"))
    return facts


def _fact(number: int, thing: str, kind: str = "", things: str | None = None) -> Markup:
    return _fact_text(f"{number:,} {thing if number == 1 else things or f'{thing}s'}", kind)


def _fact_text(what: str, kind: str = "", before: str = "") -> Markup:
    return element("span", before, what, class_=f"fact {kind}".strip())


def _problems(marks: Mapping[int, list[Markup]]) -> Markup:
    if not marks:
        return Markup()
    links = [
        element("li", element("a", f"message {index} ({len(marks[index])})", href=f"#m{index}"))
        for index in sorted(marks)
        if index >= 0
    ]
    summary = element("summary", f"Where something was wrong: {len(links):,} of the messages")
    return join(
        (*marks.get(-1, ()), element("details", summary, element("ol", *links), class_="problems") if links else "")
    )


def _messages(history: MessageHistory, marks: Mapping[int, list[Markup]], first: int = 0) -> Iterable[Markup]:
    messages = list(history[first:])
    for index, message in enumerate(messages, first):
        after = messages[index + 1 - first] if index + 1 - first < len(messages) else None
        yield _message(index, message, after, marks.get(index, []))
    if not messages:
        yield element("p", "No message is left.", class_="empty")
        yield join(marks.get(0, ()))


def _message(index: int, message: Message, after: Message | None, marks: Sequence[Markup]) -> Markup:
    content: list[Markup] = []
    if message.role == "assistant":
        results = {result.tool_use_id: result for result in after.results} if after is not None else {}
        content += [
            call(part, results.get(part.id)) if isinstance(part, ToolUseBlock) else block(part)
            for part in message.content
        ]
    else:
        answered = len(message.results)
        if answered and index:
            what = "1 result, shown with its call" if answered == 1 else f"{answered} results, shown with their calls"
            content.append(element("p", what, class_="elsewhere"))
        content += [block(part) for part in message.content if not isinstance(part, ToolResultBlock)]
    kinds = [message.role, *(["marked"] if marks else []), *(["quiet"] if _is_quiet(message) else [])]
    head = element("h2", message.role, " ", element("a", str(index), href=f"#m{index}", title="a link to this message"))
    return element(
        "section",
        head,
        *marks,
        *content,
        id=f"m{index}",
        class_=f"message {' '.join(kinds)}",
        data_size=sum(map(_size, message.content)),
        tabindex=-1,
    )


def _is_quiet(message: Message) -> bool:
    """Return whether a message holds only results, which are shown with their calls."""
    return bool(message.content) and all(isinstance(part, ToolResultBlock) for part in message.content)


def _size(value: Block) -> int:
    """Estimate how much room a block takes, for the map of the page."""
    if isinstance(value, ToolUseBlock):
        return 60
    if isinstance(value, ToolResultBlock):
        return 0
    return min(len(getattr(value, "text", "")), 4_000)
