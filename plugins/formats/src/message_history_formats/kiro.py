"""The sessions of Kiro's editor, and of its command line in version 3: one event in each line, with a payload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    Collector,
    Format,
    Reading,
    call,
    image,
    objects_in,
    result,
    row_fit,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_MESSAGES: Final = frozenset({"user", "assistant", "tool_call", "tool_result"})
_EVENTS: Final = frozenset(
    {
        "session_event",
        "session_start",
        "session_metadata",
        "turn_start",
        "turn_end",
        "usage_summary",
        "pending_interaction",
        "interaction_resolved",
        "ContextualHookInvoked",
        "mode_change",
        "error",
    }
)
_OTHERS: Final = {
    "steering_inclusion": "documents that steer",
    "sub_agent_start": "runs of subagents",
    "sub_agent_complete": "",
    "sub_agent_progress": "",
}
"""What else is not part of the conversation, and how it is counted."""
_TOMBSTONE: Final = "tombstone"
_REVERT: Final = "checkpoint_revert"
_KNOWN: Final = _MESSAGES | _EVENTS | _OTHERS.keys() | {_TOMBSTONE}


def _is_row(row: Mapping[str, Any]) -> bool:
    payload = row.get("payload")
    is_it = isinstance(row.get("id"), str) and "type" not in row and isinstance(payload, dict)
    return is_it and isinstance(payload, dict) and str(payload.get("type")) in _KNOWN


def _read(document: Document) -> Reading:
    collector = Collector()
    calls: set[str] = set()
    for number, row in _standing(document, collector):
        payload = row["payload"]
        kind = str(payload.get("type"))
        if payload.get("subExecutionId"):
            collector.omit("messages of subagents")
        elif kind in _MESSAGES:
            _add(collector, number, payload, calls)
        elif kind in _OTHERS:
            collector.omit(_OTHERS[kind], bool(_OTHERS[kind]))
        elif kind not in _KNOWN:
            collector.note(number, f"a line of the unknown type {kind!r}", row)
    return collector.reading(BLOCKS)


def _standing(document: Document, collector: Collector) -> list[tuple[int, dict[str, Any]]]:
    """Return the lines that a person did not undo: a tombstone names the first undone line."""
    found: list[tuple[int, dict[str, Any]]] = []
    for number, row in document.rows():
        payload = row.get("payload")
        if not isinstance(payload, dict):
            collector.note(number, "a line without a payload", row)
        elif payload.get("type") != _TOMBSTONE:
            found.append((number, row))
        elif payload.get("kind") == _REVERT:
            first = payload.get("effectiveFromMessageId")
            places = [n for n, (_, each) in enumerate(found) if each.get("id") == first]
            gone = found[places[-1] :] if places else []
            collector.omit(
                "messages that were taken back", sum(str(row["payload"].get("type")) in _MESSAGES for _, row in gone)
            )
            found = found[: len(found) - len(gone)]
    return found


def _add(collector: Collector, number: int, payload: dict[str, Any], calls: set[str]) -> None:
    kind, content, id = payload["type"], payload.get("content"), payload.get("toolCallId")
    if kind == "user":
        files = [block for each in objects_in(payload.get("images")) for block in _image(each)]
        named = [block for each in objects_in(payload.get("documents")) for block in text(_named(each))]
        collector.add_blocks(number, "user", [*files, *text(content), *named])
        collector.omit("contexts of messages", len(objects_in(payload.get("contextItems"))))
    elif kind == "tool_call":
        if not isinstance(id, str) or id not in calls:
            collector.add_blocks(number, "assistant", [call(id, payload.get("toolName"), payload.get("args"))])
        calls.add(str(id))
    elif kind == "tool_result":
        collector.add_blocks(number, "user", [result(id, content, is_error=payload.get("success") is False)])
    elif payload.get("operationType") == "Reasoning":
        collector.add_blocks(
            number, "assistant", thinking(content, payload.get("reasoningSignature")) if content else []
        )
        collector.omit("thinking that is not shown", not content)
    elif payload.get("operationType") != "Summary":
        collector.add_blocks(number, "assistant", text(content))
    elif collector.entries:
        # The lines before it stay, and say all that the summary says.
        collector.omit("summaries of what is before them")
    else:
        collector.add_blocks(number, "user", text(content))


def _image(about: Mapping[str, Any]) -> list[dict[str, Any]]:
    if not isinstance(about.get("data"), str):
        return text("[an image]")
    return [image(f"data:{about.get('mimeType')};base64,{about['data']}")]


def _named(about: Mapping[str, Any]) -> str:
    return f"[attached: {about.get('name') or about.get('displayName')}]"


KIRO: Final = Format(
    name="kiro",
    rank=290,
    title="Kiro: sessions of its editor, and of its command line in version 3",
    files="~/.kiro/sessions/*/sess_*/messages.jsonl",
    omits="what was taken back, messages of subagents, contexts and documents that steer, hooks, approvals, usage",
    unwritten="tombstones and the files next to it name its lines by their ids",
    source="descriptions of the schema in its program, and tests of programs that read its files (no public source)",
    checked="2026-11-23",
    fit=row_fit(_is_row),
    read=_read,
)
