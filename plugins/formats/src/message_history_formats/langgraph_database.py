"""LangGraph: the database of its checkpoints, in which the newest state of a thread and what was written since are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit.base import DATABASE, Fit, Format
from message_history.formats.kit.chat_messages import add_chat_message
from message_history.formats.kit.many_conversations import Conversations
from message_history.formats.kit.raw_blocks import BLOCKS, text
from message_history.formats.langchain_dumps import add_message, fields_of
from message_history_formats._message_pack import unpack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit.base import Collector, Reading
    from message_history.formats.kit.document import Document

    Row = dict[str, Any]

_MESSAGES: Final = "messages"
_OF_PYDANTIC: Final = (4, 5)
_ARRAY: Final = 6
_SNAPSHOT: Final = 7
"""Codes of extensions; the others hold a module, a name and what the value is made of."""
_ALL: Final = "__remove_all__"


def _fit(document: Document) -> Fit:
    found = document.database
    is_it = (
        found is not None
        and found.has("checkpoints", "thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "type")
        and found.has("writes", "thread_id", "checkpoint_ns", "checkpoint_id", "channel", "type", "value")
    )
    return Fit.CERTAIN if is_it else Fit.NONE


def _extension(code: int, inner: Any) -> Any:
    """Return what an extension holds: a message as `dumpd` writes it, and of any other value what it is made of."""
    if code in (_SNAPSHOT, _ARRAY) or not isinstance(inner, list) or len(inner) < 3:
        return inner
    module, name, made_of = inner[:3]
    if code in _OF_PYDANTIC and isinstance(made_of, dict):
        return {"lc": 1, "type": "constructor", "id": [*str(module).split("."), name], "kwargs": made_of}
    return made_of


def _decoded(kind: object, data: object) -> Any:
    """Read a packed value. Raises `ValueError` when it is damaged, or packed in another way."""
    if kind == "null":
        return None
    written = data.encode(errors="surrogateescape") if isinstance(data, str) else data
    if kind == "msgpack" and isinstance(written, bytes):
        return unpack(written, _extension)
    if kind == "json" and isinstance(written, bytes):
        return json.loads(written)
    raise ValueError(f"it is packed as {kind!r}")


def _read(document: Document) -> Reading:
    if document.database is None:
        raise ValueError("it is not a database")
    found = Conversations()
    writes: dict[tuple[Any, ...], list[Row]] = {}
    for row in document.database.rows("writes", "task_id, idx"):
        writes.setdefault((row["thread_id"], row["checkpoint_ns"], row["checkpoint_id"]), []).append(row)
    threads: dict[tuple[Any, Any], list[Row]] = {}
    for row in document.database.rows("checkpoints", "checkpoint_id DESC"):
        threads.setdefault((row["thread_id"], row["checkpoint_ns"]), []).append(row)
    for (thread, space), rows in threads.items():
        collector = found.collector()
        _add_thread(collector, rows, writes)
        if collector.entries:
            name = f"thread {thread}" + (f", {space}" if space else "")
            found.add(collector.conversation(BLOCKS, label=name if found else "", id=str(thread), title=name))
    return found.reading()


def _add_thread(collector: Collector, rows: list[Row], writes: Mapping[tuple[Any, ...], list[Row]]) -> None:
    """Add the messages of a thread: the messages of its newest state, and what its tasks have written since."""
    by_id = {row["checkpoint_id"]: row for row in rows}
    at: Row | None = rows[0]
    since: list[list[Row]] = []
    channel = _MESSAGES
    messages: list[Any] = []
    met: set[object] = set()
    while at is not None and at["checkpoint_id"] not in met:
        met.add(at["checkpoint_id"])
        since.append(writes.get((at["thread_id"], at["checkpoint_ns"], at["checkpoint_id"]), []))
        state = _state(collector, at)
        found = _channel(state)
        if found is not None:
            channel, messages = found, list(state[found])
            for key in sorted(state.keys() - {channel}):
                collector.omit(f"state: {key}")
            break
        # A channel that records only what changes has its messages in the checkpoints before.
        at = by_id.get(at["parent_checkpoint_id"])
    collector.omit("earlier checkpoints", len(rows) - 1)
    for each in reversed(since):
        for row in each:
            if row["channel"] == channel:
                messages = _with_write(collector, messages, row)
    for n, message in enumerate(messages):
        _add(collector, n, message)


def _channel(state: Mapping[str, Any]) -> str | None:
    """Name the channel of the messages: that of LangGraph's own states, or else one that holds messages."""
    names = (
        _MESSAGES,
        *(key for key, value in state.items() if isinstance(value, list) and any(map(fields_of, value))),
    )
    return next((name for name in names if isinstance(state.get(name), list)), None)


def _state(collector: Collector, row: Row) -> Mapping[str, Any]:
    """Return the values of a checkpoint's channels."""
    try:
        found = _decoded(row["type"], row["checkpoint"])
    except ValueError as error:
        collector.note(0, f"the checkpoint {row['checkpoint_id']} cannot be unpacked: {error}", "")
        return {}
    values = found.get("channel_values") if isinstance(found, dict) else None
    return values if isinstance(values, dict) else {}


def _with_write(collector: Collector, messages: list[Any], row: Row) -> list[Any]:
    """Apply what a task has written, as LangGraph itself does: a message with a known id replaces the old one."""
    try:
        written = _decoded(row["type"], row["value"])
    except ValueError as error:
        collector.note(0, f"a write of the task {row['task_id']} cannot be unpacked: {error}", "")
        return messages
    for message in written if isinstance(written, list) else [written]:
        kind, fields = fields_of(message) or ("", {})
        id = fields.get("id")
        if kind in ("remove", "RemoveMessage"):
            collector.omit("marks of removed messages")
            messages = [] if id == _ALL else [each for each in messages if _id(each) != id]
        elif id is not None and any(_id(each) == id for each in messages):
            messages = [message if _id(each) == id else each for each in messages]
        else:
            messages = [*messages, message]
    return messages


def _id(message: Any) -> Any:
    _, fields = fields_of(message) or ("", {})
    return fields.get("id")


def _add(collector: Collector, n: int, message: Any) -> None:
    """Add a message, also in the short forms that a state may have: a dict of OpenAI's, a pair, a text."""
    found = fields_of(message)
    if found is not None:
        add_message(collector, n, *found)
    elif isinstance(message, str):
        collector.add_blocks(n, "user", text(message))
    else:
        pair = list(message) if isinstance(message, list) else []
        plain = dict(zip(("role", "content"), pair, strict=True)) if len(pair) == 2 else message
        if not add_chat_message(collector, n, plain):
            collector.note(n, "an entry that is not a message", message)


LANGGRAPH_DATABASE: Final = Format(
    name="langgraph-database",
    rank=840,
    title="LangGraph: the database of its checkpoints (SqliteSaver)",
    files="what `SqliteSaver.from_conn_string` names",
    omits="earlier checkpoints, other keys of a state, marks of removed messages",
    unwritten=DATABASE,
    source="langchain-ai/langgraph: libs/checkpoint-sqlite, libs/checkpoint/langgraph/checkpoint/serde (4.3)",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
)
