"""The sessions of pi and OpenClaw: a tree of entries, of which the path to the newest is the conversation."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit.base import Collector, Fit, Format, Reading, fit_of
from message_history.formats.kit.linked_rows import path_to_newest
from message_history.formats.kit.message_rows import RowForm, dialect_items
from message_history.formats.kit.raw_blocks import BLOCKS, call, image, objects_in, result, text, thinking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.core.messages.block_base import Block
    from message_history.core.messages.message import Message, Role
    from message_history.formats.kit.document import Document
    from message_history.formats.kit.linked_rows import Numbered
    from message_history.formats.kit.message_rows import Items
    from message_history.formats.kit.splicing import Line

_KINDS: Final = frozenset(
    {
        *("session", "message", "model_change", "thinking_level_change", "compaction", "branch_summary", "custom"),
        *("custom_message", "label", "session_info"),
    }
)
_NOT_SENT: Final = frozenset({"session", "model_change", "thinking_level_change", "custom", "label", "session_info"})
_SUMMARY: Final = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
_BRANCH: Final = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
_PARTIAL: Final = "partialJson"
_FAILED: Final = ("error", "aborted")
_USAGE: Final = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cacheRead": "cache_read_input_tokens",
    "cacheWrite": "cache_creation_input_tokens",
}


def _fit(document: Document) -> Fit:
    rows = document.first_rows
    header = next((row for row in rows if row.get("type") == "session"), None)
    # A file may be the end of a session, without its header.
    if header is None:
        marked = any(map(_is_own, rows))
    else:
        is_bare = header.keys() <= {"type", "version", "id", "timestamp"} and any(map(_has_message, rows))
        marked = "harness" not in header and ("cwd" in header or is_bare)
    return fit_of(sum(row.get("type") in _KINDS or _has_message(row) for row in rows), marked, len(rows))


def _has_message(row: Mapping[str, Any]) -> bool:
    """Return whether an entry is a message, maybe without a type, as in OpenClaw's first sessions."""
    message = row.get("message") if row.get("type", "message") == "message" else None
    return isinstance(message, dict) and isinstance(message.get("role"), str)


def _is_own(row: Mapping[str, Any]) -> bool:
    """Return whether an entry is a reply or a result with the keys of pi's own messages."""
    if not _has_message(row):
        return False
    message = row["message"]
    if any(part.get("type") == "toolCall" for part in objects_in(message.get("content"))):
        return True
    is_reply = message.get("role") == "assistant" and {"api", "provider"} <= message.keys()
    return "parentId" in row and (is_reply or (message.get("role") == "toolResult" and "toolCallId" in message))


def _read(document: Document) -> Reading:
    collector = Collector()
    id, title = read_entries(document, collector)
    return collector.reading(BLOCKS, id=id, title=title)


def read_entries(document: Document, collector: Collector) -> tuple[object, object]:
    """Read the entries of a session. Returns the session's id and title."""
    every = list(document.rows())
    header = next((row for _, row in every if row.get("type") == "session"), {})
    name = next((row.get("name") for _, row in reversed(every) if row.get("type") == "session_info"), None)
    entries = [(number, row) for number, row in every if row.get("type") != "session"]
    path = path_to_newest(entries, "id", "parentId")
    on_path = {number for number, _ in path}
    for number, row in entries:
        if number not in on_path and row.get("type") not in _NOT_SENT:
            collector.omit("entries on another branch")
    for number, row in _since_compaction(path, collector):
        _add_entry(collector, number, row)
    return header.get("id"), name


def _since_compaction(path: Sequence[Numbered], collector: Collector) -> list[Numbered]:
    """Return the entries that are sent: the newest summary, what was kept before it, and what came after it."""
    newest = next((n for n in range(len(path) - 1, -1, -1) if path[n][1].get("type") == "compaction"), None)
    if newest is None:
        return list(path)
    kept_from = path[newest][1].get("firstKeptEntryId")
    first = next((n for n in range(newest) if path[n][1].get("id") == kept_from), newest)
    for _, row in path[:first]:
        if row.get("type") not in _NOT_SENT:
            collector.omit("compacted entries")
    kept = [(number, row) for number, row in path[first:newest] if row.get("type") != "compaction"]
    collector.omit("summaries of older compactions", newest - first - len(kept))
    return [path[newest], *kept, *path[newest + 1 :]]


def _add_entry(collector: Collector, number: int, row: Mapping[str, Any]) -> None:
    kind = row.get("type")
    if (kind == "message" and isinstance(row.get("message"), dict)) or _has_message(row):
        add_message(collector, number, row["message"])
    elif kind == "custom_message":
        collector.add_blocks(number, "user", _content(row.get("content")))
    elif kind == "compaction":
        collector.add_blocks(number, "user", text(f"{_SUMMARY}{row.get('summary')}\n</summary>"))
    elif kind == "branch_summary":
        collector.add_blocks(number, "user", text(f"{_BRANCH}{row.get('summary')}</summary>"))
    elif kind in _NOT_SENT:
        collector.omit(str(kind))
    else:
        collector.note(number, f"an entry of the unknown type {kind!r}", row)


def add_message(collector: Collector, number: int, message: Mapping[str, Any]) -> None:
    """Add a message as it is sent."""
    role = message.get("role")
    if role == "assistant" and message.get("stopReason") in _FAILED:
        collector.omit("replies that failed or were aborted")
    elif role == "assistant":
        collector.add_blocks(number, "assistant", _content(message.get("content"), str(message.get("api"))))
        collector.reply(_reply(message), str(message.get("provider") or "anthropic"))
    elif role == "toolResult":
        content = _content(message.get("content"))
        made = result(message.get("toolCallId"), content, is_error=message.get("isError"))
        collector.add_blocks(number, "user", [made])
    elif role == "bashExecution" and message.get("excludeFromContext") is not True:
        collector.add_blocks(number, "user", text(_command(message)))
    elif role == "bashExecution":
        collector.omit("commands that the user kept from the model")
    elif role in ("branchSummary", "compactionSummary"):
        opening = _BRANCH if role == "branchSummary" else _SUMMARY
        collector.add_blocks(number, "user", text(f"{opening}{message.get('summary')}\n</summary>"))
    elif role in ("user", "custom", "hookMessage"):
        collector.add_blocks(number, "user", _content(message.get("content")))
    elif role == "system":
        collector.add(number, {"role": "system", "content": _content(message.get("content"))})
    else:
        collector.note(number, f"a message of the unknown role {role!r}", message)


def _reply(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said of a reply, with the names of the Messages API, which counts cached tokens apart, too."""
    usage = message.get("usage")
    counts = {name: usage[key] for key, name in _USAGE.items() if key in usage} if isinstance(usage, dict) else None
    about = {"id": message.get("responseId"), "model": message.get("model"), "stop_reason": message.get("stopReason")}
    return {**about, "usage": counts}


def _content(content: object, api: str = "") -> list[Any]:
    if isinstance(content, str):
        return text(content)
    return [block for item in content for block in _block(item, api)] if isinstance(content, list) else []


def _block(item: Any, api: str) -> list[Any]:
    kind = item.get("type") if isinstance(item, dict) else None
    if kind in ("text", "input_text", "output_text"):
        return text(item.get("text"))
    if kind == "thinking":
        return _thinking(item, api)
    if kind in ("toolCall", "toolcall"):
        made = call(item.get("id"), item.get("name"), item.get("arguments"))
        if made["input"] == {} and isinstance(item.get(_PARTIAL), str):
            # It was cut off while it came: what is there of its input is not what it says.
            return [{key: value for key, value in made.items() if key != "input"} | {_PARTIAL: item[_PARTIAL]}]
        return [made]
    if kind == "image":
        return [image(f"data:{item.get('mimeType')};base64,{item.get('data')}")]
    return [item]


def _thinking(item: Mapping[str, Any], api: str) -> list[Any]:
    signature = item.get("thinkingSignature")
    if not api.startswith("anthropic"):
        # The signature is of another provider, in a form of pi.
        blocks = thinking(item.get("thinking"))
        return [{**block, "thinkingSignature": signature} for block in blocks] if signature else blocks
    if item.get("redacted") is True:
        return [{"type": "redacted_thinking", "data": signature}]
    return thinking(item.get("thinking"), signature)


def _command(message: Mapping[str, Any]) -> str:
    output = f"```\n{message['output']}\n```" if message.get("output") else "(no output)"
    code = message.get("exitCode")
    cancelled = "\n\n(command cancelled)" if message.get("cancelled") is True else ""
    failed = f"\n\nCommand exited with code {code}" if code and not cancelled else ""
    return f"Ran `{message.get('command')}`\n{output}{cancelled}{failed}"


def _path(lines: Sequence[Line]) -> list[int]:
    """Return the positions of the rows that are sent, but for the summary of a compaction."""
    rows = [(n, line.value) for n, line in enumerate(lines) if line.value is not None]
    path = path_to_newest([(n, row) for n, row in rows if row.get("type") != "session"], "id", "parentId")
    sent = {n for n, _ in _since_compaction(path, Collector())}
    return [n for n, row in path if n in sent and row.get("type") != "compaction"]


def _items(row: Mapping[str, Any]) -> Items:
    message = row.get("message")
    if not (row.get("type") == "message" or _has_message(row)) or not isinstance(message, dict):
        return "user", [row] if row.get("type") in ("custom_message", "branch_summary") else []
    role, content = message.get("role"), message.get("content")
    if role in ("user", "assistant"):
        items = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])
        return role, [] if message.get("stopReason") in _FAILED else items
    return "user", [row]


def _parse(item: Any) -> list[Any]:
    is_row = "parentId" in item or "message" in item
    if not is_row and isinstance(item.get("type"), str):
        return _block(item, str(item.get("api", "")))
    collector = Collector()
    _add_entry(collector, 0, item)
    return [block for entry in collector.entries for block in entry["content"]]


def _write(role: Role, block: Block, before: Message | None) -> list[Any]:
    items = []
    for made in dialect_items(BLOCKS, "content", role, block, before):
        if made.get("type") == "tool_result":
            items.append(_result_row(made, before))
        elif made.get("type") == "tool_use":
            items.append({"type": "toolCall", "id": made["id"], "name": made["name"], "arguments": made["input"]})
        else:
            items.append(made)
    return items


def _result_row(made: Mapping[str, Any], before: Message | None) -> dict[str, Any]:
    id, content = made.get("tool_use_id"), made.get("content")
    name = next((each.name for each in before.calls if each.id == id), "") if before is not None else ""
    message = {
        "role": "toolResult",
        "toolCallId": id,
        "toolName": name,
        "content": [{"type": "text", "text": content}] if isinstance(content, str) else content,
        "isError": made.get("is_error") is True,
    }
    return {"type": "message", "message": message}


def _make(role: Role, items: list[Any], like: Mapping[str, Any]) -> list[dict[str, Any]]:
    envelope = {key: like[key] for key in ("id", "parentId", "timestamp") if key in like}
    about: Mapping[str, Any] = like.get("message") or {}
    rows: list[dict[str, Any]] = []
    for is_row, run in groupby(items, lambda item: "message" in item):
        if is_row:
            rows += [{**envelope, **{key: item[key] for key in ("type", "message")}} for item in run]
            continue
        kept = ("api", "provider", "model", "usage", "stopReason") if role == "assistant" else ()
        message = {"role": role, "content": list(run), **{key: about[key] for key in kept if key in about}}
        rows.append({**envelope, "type": "message", "message": message})
    if "timestamp" in about:
        rows = [{**row, "message": {"timestamp": about["timestamp"], **row["message"]}} for row in rows]
    return rows


_FORM: Final = RowForm(
    inside="message",
    path=_path,
    items=_items,
    parse=_parse,
    write=_write,
    make=_make,
    id_key="id",
    parent_key="parentId",
    id_length=8,
)

PI: Final = Format(
    name="pi",
    rank=40,
    title="pi and OpenClaw sessions",
    files="~/.pi/agent/sessions/*/*.jsonl, ~/.openclaw/agents/*/sessions/*.jsonl",
    omits="settings, labels, state of extensions, other branches, compacted entries, aborted replies, commands with !!",
    source="badlogic/pi-mono: packages/coding-agent/src/core/session-manager.ts, messages.ts",
    checked="2026-03-15",
    fit=_fit,
    read=_read,
    repair=_FORM.repair,
    judged=frozenset({"AN-C4", "AN-B8"}),
)
