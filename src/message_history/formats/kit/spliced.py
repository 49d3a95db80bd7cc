"""Programs whose files are repaired line by line: what is sound stays as it was written."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.files.conversations import Conversation, Origin
from message_history.files.files import FileForm, SavedFile, UnreadableFileError, json_bytes
from message_history.formats.kit.base import Reading, Rewritten
from message_history.formats.kit.document import rows_in
from message_history.formats.kit.splicing import Line, Splice, Thread, splice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from message_history.core.messages.policy import Policy
    from message_history.core.messages.repairs import Repair
    from message_history.formats.kit.document import Document

    Threads = Callable[[Sequence[Line]], tuple[Thread, ...]]
    Woven = list[tuple[Line | None, dict[str, Any] | None]]
    Weave = Callable[[Sequence[Line], Sequence[Splice]], Woven]
    Parts = Callable[[bytes], Sequence[Line]]
    Written = Callable[[bytes, Woven], bytes]

ROUNDS: Final = 8
"""How often a file is repaired at most before what it still holds is left as it is."""
REWOUND: Final = "lines of messages that were rewound or compacted"


def read_threads(document: Document, threads: Threads, kind: Callable[[Mapping[str, Any]], str | None]) -> Reading:
    """Read the conversations that `threads` finds, at least one; `kind` says what a line without a message is."""
    found = tuple(map(_conversation, threads(document.lines)))
    if not found:
        raise UnreadableFileError("it has no messages yet", sound=True)
    kinds = Counter(name for _, row in document.rows() if (name := kind(row)) is not None)
    omitted = tuple(sorted((Counter(dict(found[0].omitted)) + kinds).items()))
    return Reading(conversations=(evolve(found[0], omitted=omitted), *found[1:]))


def _lines_of(data: bytes) -> Sequence[Line]:
    return rows_in(data)[0]


def _joined_lines(_: bytes, woven: Woven) -> bytes:
    return b"".join(line_bytes(line, value) for line, value in woven)


def repair_threads(
    data: bytes,
    policy: Policy,
    threads: Threads,
    weave: Weave,
    *,
    parts: Parts = _lines_of,
    written: Written = _joined_lines,
) -> Rewritten:
    """Repair the conversations of a file until nothing changes: which lines they hold may change with it.

    Args:
        data: the file's content.
        policy: decides where there is a choice.
        threads: finds the conversations.
        weave: puts them back among the lines.
        parts: takes the file apart.
        written: puts it together again, from what `weave` gives.

    Returns:
        What to write.

    Complexity: linear in the file.
    """
    recorded: dict[str, list[Repair]] = defaultdict(list)
    for _ in range(ROUNDS):
        lines = parts(data)
        splices = _splices(threads(lines), policy)
        for found in splices:
            known = set(recorded[found.thread.label])
            recorded[found.thread.label] += [repair for repair in found.repairs if repair not in known]
        repaired = written(data, weave(lines, splices))
        if repaired == data:
            break
        data = repaired
    return Rewritten(data, tuple((label, tuple(repairs)) for label, repairs in recorded.items()))


def _splices(threads: Sequence[Thread], policy: Policy) -> list[Splice]:
    found = [splice(thread, policy) for thread in threads]
    return [
        splice(each.thread, policy, as_sent=True)
        if not each.changed and _conversation(each.thread).violations()
        else each
        for each in found
    ]


def _conversation(thread: Thread) -> Conversation:
    saved = SavedFile(
        entries=thread.entries,
        form=FileForm.LINES,
        lines=thread.first_lines,
        known=thread.dialect,
        replies=tuple((entry, data, thread.dialect.name) for entry, data in thread.replies),
    )
    omitted = ((REWOUND, thread.omitted),) if thread.omitted else ()
    return Conversation(file=saved, origin=Origin(label=thread.label), judged=thread.judged, omitted=omitted)


def line_bytes(line: Line | None, value: Mapping[str, Any] | None) -> bytes:
    """Write a line: its new value, or else what was there; nothing for a line that could not be read."""
    if value is not None:
        return json_bytes(value) + b"\n"
    if line is None or (line.value is None and line.written.strip()):
        return b""
    return line.written if line.written.endswith(b"\n") else line.written + b"\n"
