"""The chats of Gemini CLI: one JSON object, or since version 0.40 JSON lines with updates and rewinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.dialects import Gemini
from message_history.files.files import json_bytes
from message_history.formats.kit.base import Collector, Fit, Format, Reading, Rewritten, fit_items
from message_history.formats.kit.document import parse_document
from message_history.formats.kit.raw_blocks import objects_in
from message_history.formats.kit.spliced import line_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.core.messages.policy import Policy
    from message_history.formats.kit.document import Document

_MESSAGES: Final = ("user", "gemini", "model", "info", "error", "warning")
_NOT_SENT: Final = ("info", "error", "warning")
_IGNORED: Final = ("/", "?", "<session_context>", "<hook_context>")
"""What begins user messages that the program does not send again."""


def _is_header(row: Mapping[str, Any]) -> bool:
    return "sessionId" in row and "projectHash" in row


def _is_row(row: Mapping[str, Any]) -> bool:
    return _is_header(row) or "$set" in row or "$rewindTo" in row or (row.get("type") in _MESSAGES and "id" in row)


def _fit(document: Document) -> Fit:
    if document.value is not None:
        messages = document.object.get("messages")
        if isinstance(document.object.get("clientHistory"), list):
            return Fit.CERTAIN
        if not isinstance(messages, list):
            return Fit.NONE
        kinds = {each.get("type") for each in messages if isinstance(each, dict) and "role" not in each}
        return Fit.CERTAIN if _is_header(document.object) or {"user", "gemini"} <= kinds else Fit.NONE
    rows = document.first_rows
    is_whole = all(map(_is_row, rows)) and any(map(_is_reply, rows))
    # Older files have no header.
    return Fit.CERTAIN if is_whole else fit_items(rows, _is_row, _is_header)


def _is_reply(row: Mapping[str, Any]) -> bool:
    return row.get("type") == "gemini" and "timestamp" in row and ("content" in row or "toolCalls" in row)


def _read(document: Document) -> Reading:
    collector = Collector()
    if isinstance(document.object.get("clientHistory"), list):
        # What is kept before a tool changes files: the contents that are sent, and the display's items.
        for n, content in enumerate(document.object["clientHistory"]):
            collector.add(n, content)
        collector.omit("items of the display", len(document.object.get("history") or []))
        return collector.reading(Gemini())
    about: dict[str, Any] = {}
    messages: dict[str, tuple[int, dict[str, Any]]] = {}
    for number, row in _records(document):
        if isinstance(row.get("$rewindTo"), str):
            _rewind(messages, row["$rewindTo"], collector)
        elif isinstance(row.get("$set"), dict):
            about |= {key: value for key, value in row["$set"].items() if key != "messages"}
            if isinstance(row["$set"].get("messages"), list):
                collector.omit("replaced messages", len(messages))
                messages = {_key(n, message): (number, message) for n, message in enumerate(row["$set"]["messages"])}
            else:
                collector.omit("updates")
        elif _is_header(row):
            about |= row
        elif row.get("type") in _MESSAGES:
            # A message is written again when it has grown.
            messages[_key(number, row)] = (number, row)
        else:
            collector.note(number, "a record of an unknown kind", row)
    for number, message in messages.values():
        _add_message(collector, number, message)
    return collector.reading(Gemini(), id=about.get("sessionId"), title=about.get("summary"))


def _records(document: Document) -> Iterator[tuple[int, dict[str, Any]]]:
    if document.object.get("messages") is None:
        yield from document.rows()
        return
    yield 0, {key: value for key, value in document.object.items() if key != "messages"}
    for n, message in enumerate(document.object["messages"]):
        yield n, message if isinstance(message, dict) else {"value": message}


def _key(number: int, message: Any) -> str:
    return str(message.get("id") or f"line {number}") if isinstance(message, dict) else f"line {number}"


def _rewind(messages: dict[str, tuple[int, dict[str, Any]]], to: str, collector: Collector) -> None:
    order = list(messages)
    gone = order[order.index(to) :] if to in messages else order
    for key in gone:
        del messages[key]
    collector.omit("rewound messages", len(gone))


def parts_of(content: object) -> list[Any]:
    """Return content that is a text, a part or a list of both as parts."""
    if isinstance(content, list):
        return [part for item in content for part in parts_of(item)]
    if isinstance(content, str):
        return [{"text": content}] if content else []
    return [content] if isinstance(content, dict) else []


def _add_message(collector: Collector, number: int, message: Any) -> None:
    kind = message.get("type") if isinstance(message, dict) else None
    if kind in _NOT_SENT:
        collector.omit(f"{kind} messages")
    elif kind == "user":
        parts = parts_of(message.get("content"))
        written = "".join(str(part.get("text", "")) for part in parts).strip()
        if written.startswith(_IGNORED):
            collector.omit("commands and context of the program")
        elif parts:
            collector.add_blocks(number, "user", parts, "parts")
        else:
            collector.omit("empty messages")
    elif kind in ("gemini", "model"):
        _add_reply(collector, number, message)
    else:
        collector.note(number, "a message of an unknown kind", message)


def _add_reply(collector: Collector, number: int, message: Mapping[str, Any]) -> None:
    parts = parts_of(message.get("content")) or parts_of(message.get("parts"))
    calls = objects_in(message.get("toolCalls"))
    if not any("functionCall" in part or part.get("thought") is True for part in parts):
        thoughts = list(map(_thought, objects_in(message.get("thoughts"))))
        made = [{"functionCall": {key: each.get(key) for key in ("id", "name", "args")}} for each in calls]
        parts = [*thoughts, *parts, *made]
    if parts:
        collector.add_blocks(number, "model", parts, "parts")
        collector.reply(
            {"modelVersion": message.get("model"), "usageMetadata": _usage(message.get("tokens"))}, "gemini"
        )
    else:
        collector.omit("empty messages")
    results = [part for each in calls for part in _response(each)]
    if results:
        collector.add_blocks(number, "user", results, "parts")


_COUNTS: Final = {
    "input": "promptTokenCount",
    "output": "candidatesTokenCount",
    "cached": "cachedContentTokenCount",
    "thoughts": "thoughtsTokenCount",
    "tool": "toolUsePromptTokenCount",
    "total": "totalTokenCount",
}
"""What the program calls the counts of the API."""


def _usage(tokens: object) -> dict[str, Any] | None:
    return (
        {_COUNTS.get(str(key), str(key)): count for key, count in tokens.items()} if isinstance(tokens, dict) else None
    )


def _thought(thought: Mapping[str, Any]) -> dict[str, Any]:
    subject, description = thought.get("subject"), thought.get("description") or thought.get("text") or ""
    return {"text": f"**{subject}** {description}" if subject else description, "thought": True}


def _response(call: Mapping[str, Any]) -> list[Any]:
    """Return what came of a call as parts; nothing while it has no result."""
    found = call.get("result")
    if found is None:
        return []
    parts = parts_of(found)
    if any("functionResponse" in part for part in parts):
        return parts
    written = found if isinstance(found, str) else "".join(str(part.get("text", "")) for part in parts)
    response = {"id": call.get("id"), "name": call.get("name"), "response": {"output": written}}
    return [{"functionResponse": response}, *(part for part in parts if "text" not in part)]


def _repair(data: bytes, policy: Policy) -> Rewritten:
    """Give every call without a result one that says so: the program itself pairs all others."""
    document = parse_document(data)
    history = _read(document).conversations[0].history(policy=policy)
    repairs = (("", history.repairs),)
    if document.object.get("messages") is not None:
        messages = [_answered(message, policy) for message in document.object["messages"]]
        return Rewritten(json_bytes({**document.object, "messages": messages}, indent=2) + b"\n", repairs)
    written = []
    for line in document.lines:
        value = _answered(line.value, policy)
        written.append(line_bytes(line, None if value is line.value else value))
    return Rewritten(b"".join(written), repairs)


def _answered(message: Any, policy: Policy) -> Any:
    calls = message.get("toolCalls") if isinstance(message, dict) else None
    if not isinstance(calls, list) or all(not isinstance(each, dict) or each.get("result") for each in calls):
        return message
    return {**message, "toolCalls": [_with_result(each, policy) for each in calls]}


def _with_result(call: Any, policy: Policy) -> Any:
    if not isinstance(call, dict) or call.get("result"):
        return call
    stub = {"error": policy.stub_text}
    return {
        **call,
        "result": [{"functionResponse": {"id": call.get("id"), "name": call.get("name"), "response": stub}}],
    }


GEMINI_CLI: Final = Format(
    name="gemini-cli",
    rank=50,
    title="Gemini CLI chats",
    files="~/.gemini/tmp/*/chats/session-*.json and .jsonl, checkpoints/*.json",
    omits="info, errors, warnings, slash commands, the program's own context, updates, rewound messages",
    source="google-gemini/gemini-cli: packages/core/src/services/chatRecordingTypes.ts, utils/sessionUtils.ts",
    checked="2026-08-21",
    fit=_fit,
    read=_read,
    repair=_repair,
    judged=frozenset({"GM-G07", "GM-G08"}),
)
