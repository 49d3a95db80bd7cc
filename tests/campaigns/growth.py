"""Shapes of lists that grow: what is done with each costs in proportion to its length.

A test counts the lines of Python that run, which is the same on every machine. What one line costs in C (a slice, an
`in` of a list) is not counted: `python -m tests.campaigns --growth 500` measures seconds, on a quiet machine.
"""

from __future__ import annotations

import gc
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from message_history import CallState, MessageHistory, check
from message_history.dialects.registry import DIALECTS
from message_history.explaining import explain, subject_of
from message_history.files.files import UnreadableFileError, read_bytes
from message_history.forgetting import erase, redact
from tests.helpers import assistant, user

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from message_history.dialects import Dialect
    from message_history.following import Followed

__all__ = [
    "OPENINGS_OF_FILES",
    "PIECES_OF_FILES",
    "PIECES_OF_TEXTS",
    "SHAPES",
    "explained",
    "failures",
    "lines_of",
    "read_damaged",
    "work",
]

_WORST: Final = 9.0
"""How many times as much four times as much may cost: n log n, and what a busy machine adds; squares cost 16 times."""
_SHORT: Final = 0.03
"""Seconds that are too few to compare."""

QUESTION: Final = {"role": "user", "content": "q"}


def text(words: str = "x") -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(id: str, **input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "f", "input": input}


def result(id: str, content: Any = "ok") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def server(n: int) -> list[dict[str, Any]]:
    id = f"srvtoolu_{n}"
    return [
        {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": id, "content": []},
    ]


def calls(n: int, id: str = "t{}") -> dict[str, Any]:
    return assistant(*[call(id.format(i), i=i) for i in range(n)])


def results(n: int, id: str = "t{}") -> dict[str, Any]:
    return user(*[result(id.format(i), str(i)) for i in range(n)])


HIT: Final = {"type": "search_result", "source": "s", "title": "t", "content": [text()]}
DOCUMENT: Final = {
    "type": "document",
    "title": "d",
    "source": {"type": "text", "media_type": "text/plain", "data": "x"},
}
THINKING: Final = {"type": "thinking", "thinking": "h", "signature": "c2ln"}
SHAPES: Final[dict[str, Callable[[int], list[Any]]]] = {
    "calls": lambda n: [QUESTION, calls(n), results(n)],
    "calls without results": lambda n: [QUESTION, calls(n), user(text())],
    "calls with odd ids": lambda n: [QUESTION, calls(n, "t {}"), results(n, "t {}")],
    "calls with one id": lambda n: [QUESTION, calls(n, "t"), results(n, "t")],
    "ids that clash with numbered ones": lambda n: [
        QUESTION,
        assistant(*[block for i in range(n) for block in (call("t", i=i), call(f"t_{i + 2}", i=i))]),
    ],
    "calls without ids": lambda n: [QUESTION, calls(n, ""), results(n, "")],
    "results with unknown ids": lambda n: [QUESTION, calls(n), results(n, "x{}")],
    "turns with unknown ids": lambda n: [
        entry for i in range(n) for entry in (QUESTION, assistant(call(f"t{i}")), user(result(f"x{i}")))
    ],
    "text between calls": lambda n: [
        QUESTION,
        assistant(*[block for i in range(n) for block in (call(f"t{i}"), text())]),
        results(n),
    ],
    "thinking between calls": lambda n: [
        QUESTION,
        assistant(*[block for i in range(n) for block in (THINKING, call(f"t{i}"))]),
        results(n),
    ],
    "server tools": lambda n: [QUESTION, assistant(*[block for i in range(n) for block in server(i)]), QUESTION],
    "open server tools": lambda n: [QUESTION, assistant(*[server(i)[0] for i in range(n)]), QUESTION],
    "results one by one": lambda n: [QUESTION, calls(n), *[user(result(f"t{i}")) for i in range(n)]],
    "orphans": lambda n: [QUESTION, *[user(result(f"t{i}")) for i in range(n)]],
    "results of one call": lambda n: [QUESTION, assistant(call("t")), user(*[result("t", str(i)) for i in range(n)])],
    "late results": lambda n: [
        QUESTION,
        *[entry for i in range(n) for entry in (assistant(call(f"t{i}")), QUESTION)],
        results(n),
    ],
    "search results": lambda n: [QUESTION, assistant(call("t")), user(result("t", [HIT] * n))],
    "documents": lambda n: [user(*[DOCUMENT] * n)],
    "documents in a result": lambda n: [QUESTION, assistant(call("t")), user(result("t", [DOCUMENT] * n))],
    "leading system messages": lambda n: [*[{"role": "system", "content": "s"}] * n, QUESTION],
    "later system messages": lambda n: [QUESTION, *[{"role": "system", "content": "s"}] * n],
    "turns": lambda n: [entry for _ in range(n) for entry in (QUESTION, assistant(text()))],
    "assistants": lambda n: [QUESTION, *[assistant(text())] * n],
    "users": lambda n: [QUESTION] * n,
    "blank text": lambda n: [QUESTION, assistant(*[text("\n")] * n, text()), QUESTION],
    "cache marks": lambda n: [user(*[{**text(), "cache_control": {"type": "ephemeral"}}] * n)],
    "empty lists": lambda n: [[] for _ in range(n)],
    "empty messages": lambda n: [{"role": "user", "content": []} for _ in range(n)],
    "entries of no kind": lambda n: [{"a": i} for i in range(n)],
}


PIECES_OF_TEXTS: Final = (
    *("\\", "\\u", "&", "&#9", "\x1b[", "messages[", "messages.1.", "param: ", "tools.", 'body"', "tool_use ", " "),
    *("{%- set a ", "{{- raise_exception('", 'text: Item b of type "c...'),
    "&#" + "9" * 999,
)
"""What a text of an error is made of that costs much, many times over."""
OPENINGS_OF_FILES: Final = ("[", "{", '{"messages": [', "")
PIECES_OF_FILES: Final = (
    *('{"role" "user"}, ', '"', '\\"', "{", "[", "]", ",", '{"role": "user"}, ', "{}\n", '"messages": ['),
)
"""What a damaged file is made of that costs much, many times over behind an opening."""


def explained(piece: str, length: int) -> Callable[[], object]:
    text = piece * (length // len(piece))
    return lambda: (explain(text), subject_of(text))


def read_damaged(opening: str, piece: str, count: int) -> Callable[[], object]:
    data = (opening + piece * count + "\x01").encode()

    def read() -> None:
        with suppress(UnreadableFileError):
            read_bytes(data)

    return read


def work(raw: list[Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """Name all that is done with a list, and how."""
    history = MessageHistory.from_list(raw)
    yield "read", lambda: MessageHistory.from_list(raw)
    yield "save", history.to_list
    yield "leave unanswered calls out", history.without_unanswered
    yield "redact", lambda: redact(history, "x")
    if history.calls:
        yield "erase a call", lambda: erase(history, call=history.calls[0].call)
    for what, length in (("two", 2), ("half", len(raw) // 2), ("all but one", len(raw) - 1)):
        sent = MessageHistory().follow(raw[:length])
        yield f"follow {what} that were sent", _follow(sent, raw)
        yield f"follow {what} that were sent, to a reply", _follow(sent, [*raw, assistant(text())])
    moved_on = MessageHistory.from_list([*raw[:2], QUESTION, assistant(text())])
    yield "answer late", _answer(moved_on)
    yield "record late", _record(moved_on)
    for name, dialect in DIALECTS.items():
        if name != "langchain":
            yield f"export to {name}", _export(history, dialect)
            yield f"check as {name}", _check(raw, dialect)
            yield f"check what is sent to {name}", _check(history.for_send(dialect), dialect)


def _follow(sent: Followed[MessageHistory], raw: list[Any]) -> Callable[[], object]:
    return lambda: sent.follow(raw)


def _answer(history: MessageHistory) -> Callable[[], object]:
    def answer() -> None:
        grown = history
        for call in history.calls:
            grown = grown.add_tool_result(call.call, "late")

    return answer


def _record(history: MessageHistory) -> Callable[[], object]:
    def record() -> None:
        grown = history
        for call in history.calls:
            if call.state is CallState.UNKNOWN:
                grown = grown.record_call(call.call, "started")

    return record


def _export(history: MessageHistory, dialect: Dialect[Any]) -> Callable[[], object]:
    return lambda: history.export(dialect)


def _check(raw: list[Any], dialect: Dialect[Any]) -> Callable[[], object]:
    return lambda: check(raw, dialect)


def lines_of(do: Callable[[], object]) -> int:
    """Count the lines of Python that run the second time; each turn of a loop is one at least."""
    do()  # what is loaded once is not counted
    count = 0

    def local(_frame: FrameType, event: str, _value: object) -> Any:
        nonlocal count
        count += event == "line"
        return local

    before = sys.gettrace()
    sys.settrace(lambda *_: local)
    try:
        do()
    finally:
        sys.settrace(before)
    return count


def failures(size: int) -> Iterator[str]:
    """Measure each shape, and one of four times its size.

    Args:
        size: how many entries or blocks the smaller one has.

    Yields:
        What costs more than n log n does, one line each.
    """
    for shape, made in SHAPES.items():
        for (what, small), (_, large) in zip(work(made(size)), work(made(4 * size)), strict=True):
            yield from _compared(f"{shape}: {what}", small, large)
    for piece in PIECES_OF_TEXTS:
        yield from _compared(f"explain: {piece!r:.20}", explained(piece, 100 * size), explained(piece, 400 * size))
    for opening in OPENINGS_OF_FILES:
        for piece in PIECES_OF_FILES:
            small, large = read_damaged(opening, piece, 40 * size), read_damaged(opening, piece, 160 * size)
            yield from _compared(f"file: {opening!r} {piece!r}", small, large)


def _compared(what: str, small: Callable[[], object], large: Callable[[], object]) -> Iterator[str]:
    before, after = _seconds(small), _seconds(large)
    if after > _SHORT and after > _WORST * before:
        yield f"{what} at ({before:.3f} s, then {after:.3f} s)"


def _seconds(do: Callable[[], object]) -> float:
    """Measure processor time, the better of two."""
    found = []
    for _ in range(2):
        gc.collect()
        start = time.process_time()
        do()
        found.append(time.process_time() - start)
    return min(found)
