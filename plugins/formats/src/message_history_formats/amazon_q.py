"""The conversations of Amazon Q's command line, which is Kiro's since: what /save wrote, and its database.

A conversation is a list of pairs of what the user sent and what came back; each is an object whose only key says of
which kind it is.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    DATABASE,
    Collector,
    Conversations,
    Fit,
    Format,
    Reading,
    call,
    json_of,
    json_text,
    objects_in,
    result,
    text,
)
from message_history.formats.kit.raw_blocks import image_of_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.files.conversations import Conversation
    from message_history.formats.kit import Document

_USER: Final = ("Prompt", "ToolUseResults", "CancelledToolUses")
_ASSISTANT: Final = ("Response", "ToolUse")
_PAIR: Final = 2
_OLD: Final = "conversations"
_NEW: Final = "conversations_v2"
"""The table of the conversations, one of each directory, and the one that keeps all of them."""


def _is_conversation(about: object) -> bool:
    if not isinstance(about, dict) or not isinstance(about.get("conversation_id"), str):
        return False
    history = about.get("history")
    if not isinstance(history, list) or "next_message" not in about:
        return False
    return all(_pair(entry) is not None for entry in history[:1]) and (bool(history) or "transcript" in about)


def _pair(entry: object) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return what was sent and what came back: an object has both, and in older versions a list."""
    if isinstance(entry, dict):
        entry = [entry.get("user"), entry.get("assistant")]
    if not isinstance(entry, list) or len(entry) < _PAIR:
        return None
    user, reply = entry[0], _of_kind(entry[1], _ASSISTANT)
    is_it = isinstance(user, dict) and _of_kind(user.get("content"), _USER) is not None
    return (user, reply) if is_it and reply is not None else None


def _of_kind(tagged: object, kinds: tuple[str, ...]) -> dict[str, Any] | None:
    """Return what an object has under the key that says its kind."""
    found = [tagged[kind] for kind in kinds if isinstance(tagged.get(kind), dict)] if isinstance(tagged, dict) else []
    return found[0] if found else None


def _fit(document: Document) -> Fit:
    return Fit.CERTAIN if _is_conversation(document.value) else Fit.NONE


def _read(document: Document) -> Reading:
    collector = Collector()
    return Reading(conversations=(_conversation(collector, document.object),), unread=tuple(collector.unread))


def _conversation(collector: Collector, about: dict[str, Any], label: str = "") -> Conversation:
    summary = about.get("latest_summary")
    # What was compacted is taken out of the history; the summary is sent before the rest, as the user's.
    collector.add_blocks(0, "user", text(summary[0]) if isinstance(summary, list) and summary else [])
    for n, entry in enumerate(about["history"]):
        pair = _pair(entry)
        if pair is None:
            collector.note(n, "an entry that is not a pair of messages", entry)
            continue
        sent, reply = pair
        _add_user(collector, n, sent)
        calls = [
            call(each.get("id"), each.get("name"), each.get("args")) for each in objects_in(reply.get("tool_uses"))
        ]
        collector.add_blocks(n, "assistant", [*text(reply.get("content")), *calls])
    waiting = about.get("next_message")
    if isinstance(waiting, dict):
        _add_user(collector, len(about["history"]), waiting)
    by_origin: object = about.get("tools")
    found = [objects_in(each) for each in by_origin.values()] if isinstance(by_origin, dict) else []
    tools = [
        _tool(each["ToolSpecification"])
        for each in chain.from_iterable(found)
        if _of_kind(each, ("ToolSpecification",))
    ]
    return collector.conversation(BLOCKS, label=label, id=about["conversation_id"], tools=tools)


def _add_user(collector: Collector, n: int, message: dict[str, Any]) -> None:
    content = _of_kind(message.get("content"), _USER)
    if content is None:
        collector.note(n, "a message of an unknown kind", message)
        return
    answered = [
        result(each.get("tool_use_id"), _content(each.get("content")), is_error=each.get("status") == "Error")
        for each in objects_in(content.get("tool_use_results"))
    ]
    images = map(_image, objects_in(message.get("images")))
    collector.add_blocks(n, "user", [*answered, *images, *text(content.get("prompt"))])
    collector.omit("contexts of messages", bool(message.get("additional_context")))


def _content(parts: object) -> Any:
    """Return the content of a result: a text, or more of them."""
    found = [
        part["Text"] if isinstance(part.get("Text"), str) else json_text(part.get("Json", part))
        for part in objects_in(parts)
    ]
    return found[0] if len(found) == 1 else [block for each in found for block in text(each)] or ""


def _image(about: dict[str, Any]) -> dict[str, Any]:
    source = about.get("source")
    return image_of_bytes(about.get("format"), source.get("Bytes") if isinstance(source, dict) else None)


def _tool(about: dict[str, Any]) -> dict[str, Any]:
    schema = about.get("input_schema")
    return {**about, "input_schema": schema.get("json") if isinstance(schema, dict) else {}}


def _fit_database(document: Document) -> Fit:
    found = document.database
    if found is None:
        return Fit.NONE
    is_new = found.has(_NEW, "key", "conversation_id", "value")
    return Fit.CERTAIN if is_new or (found.has(_OLD, "key", "value") and found.has("state", "key")) else Fit.NONE


def _rows(document: Document) -> Iterator[dict[str, Any]]:
    database = document.database
    if database is not None and database.has(_NEW, "value"):
        yield from database.rows(_NEW, "updated_at DESC, conversation_id")
    if database is not None and database.has(_OLD, "value"):
        yield from database.rows(_OLD, "rowid DESC")


def _read_database(document: Document) -> Reading:
    found = Conversations()
    seen = set()
    for n, row in enumerate(_rows(document)):
        about = json_of(row["value"])
        collector = found.collector()
        if not isinstance(about, dict) or not _is_conversation(about):
            collector.note(n, "a conversation of an unknown form", row["key"])
        elif about["conversation_id"] not in seen:
            seen.add(about["conversation_id"])
            made = _conversation(collector, about, f"conversation {about['conversation_id']}" if found else "")
            if collector.entries:
                found.add(made)
    return found.reading()


AMAZON_Q: Final = Format(
    name="amazon-q",
    rank=270,
    title="Amazon Q and Kiro on the command line: conversations that were saved",
    files="the file of /save or /chat save",
    omits="contexts of hooks, the working directory, the transcript that is shown, checkpoints, times of requests",
    unwritten="the program itself gives calls without a result one, as it sends them",
    source="aws/amazon-q-developer-cli: crates/chat-cli/src/cli/chat/message.rs, conversation.rs; files of 2025",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
)
"""A conversation by itself."""
AMAZON_Q_DATABASE: Final = Format(
    name="amazon-q-database",
    rank=880,
    title="Amazon Q and Kiro on the command line: the database of conversations",
    files="~/.local/share/amazon-q/data.sqlite3, ~/.local/share/kiro-cli/data.sqlite3",
    omits="as of `amazon-q`",
    unwritten=DATABASE,
    source="aws/amazon-q-developer-cli: crates/chat-cli/src/database/sqlite_migrations; readers of Kiro's",
    checked="2026-11-23",
    fit=_fit_database,
    read=_read_database,
)
"""All conversations of a person."""
