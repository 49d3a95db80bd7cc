"""What `opencode export` writes: an object about the session, and messages with parts, as in its older storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit.base import Collector, Fit, Format, Reading, item_fit
from message_history.formats.kit.many_conversations import Conversations
from message_history.formats.kit.raw_blocks import BLOCKS, call, image, result, text, thinking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit.document import Document

_NOT_SENT: Final = frozenset(
    {"step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction", "subtask", "source-url"}
)


def _exports(document: Document) -> list[Mapping[str, Any]]:
    """Return the sessions in a file: an export, its messages only, or what the files of the storage are joined to."""
    if "messages" in document.object:
        return [document.object]
    items = document.items
    are_exports = bool(items) and all(
        isinstance(each, dict) and isinstance(each.get("messages"), list) for each in items
    )
    return items if are_exports else [{"messages": items}] if items else []


def _is_message(item: Any) -> bool:
    info = item.get("info") if isinstance(item, dict) else None
    return isinstance(info, dict) and "role" in info and isinstance(item.get("parts"), list)


def _fit(document: Document) -> Fit:
    exports = _exports(document)
    messages = [each for export in exports if isinstance(export["messages"], list) for each in export["messages"]]
    is_whole = all(map(_is_message, messages)) or (len(exports) > 1 and any(map(_is_message, messages)))
    return Fit.CERTAIN if messages and is_whole else Fit.NONE


def _read(document: Document) -> Reading:
    found = Conversations()
    for export in _exports(document):
        collector, about = found.collector(), export.get("info") or {}
        for n, message in enumerate(export["messages"]):
            if _is_message(message):
                add_message(collector, n, message)
            else:
                collector.note(n, "a message without a role", message)
        label = f"session {about.get('id')}" if found else ""
        found.add(collector.conversation(BLOCKS, label=label, id=about.get("id"), title=about.get("title")))
    return found.reading()


def add_message(collector: Collector, n: int, message: Mapping[str, Any]) -> None:
    for part in message["parts"]:
        add_part(collector, n, message["info"]["role"], part)
    if message["info"].get("error"):
        collector.omit("errors of replies")


def add_part(collector: Collector, n: int, role: str, part: Any) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and part.get("ignored") is not True:
        collector.add_blocks(n, role, text(part.get("text")))
    elif kind == "reasoning":
        collector.add_blocks(n, role, thinking(part.get("text"), _signature(part)))
    elif kind == "tool":
        _add_tool(collector, n, part)
    elif kind == "file":
        collector.add_blocks(n, role, _file(part))
    elif kind in _NOT_SENT or kind == "text":
        collector.omit(f"{kind} parts")
    else:
        collector.note(n, f"a part of the unknown type {kind!r}", part)


def _signature(part: Mapping[str, Any]) -> object:
    about = (part.get("metadata") or {}).get("anthropic")
    return about.get("signature") if isinstance(about, dict) else None


def _add_tool(collector: Collector, n: int, part: Mapping[str, Any]) -> None:
    state = part.get("state") or {}
    collector.add_blocks(n, "assistant", [call(part.get("callID"), part.get("tool"), state.get("input"))])
    status = state.get("status")
    about = state.get("metadata") or {}
    if status == "error" and about.get("interrupted") is True and isinstance(about.get("output"), str):
        # What a tool gave before it was interrupted is sent.
        collector.add_blocks(n, "user", [result(part.get("callID"), about["output"])])
    elif status == "error":
        collector.add_blocks(n, "user", [result(part.get("callID"), state.get("error"), is_error=True)])
    elif "output" in state:
        files = [block for each in state.get("attachments") or [] if isinstance(each, dict) for block in _file(each)]
        content = [*text(state["output"]), *files] if files else state["output"]
        collector.add_blocks(n, "user", [result(part.get("callID"), content)])


def _file(part: Mapping[str, Any]) -> list[Any]:
    if str(part.get("mime")).startswith("image/"):
        return [image(part.get("url"))]
    return text(f"[attached: {part.get('filename') or part.get('url')}]")


OPENCODE: Final = Format(
    name="opencode",
    rank=370,
    title="opencode exports",
    files="`opencode export SESSION`; the folder ~/.local/share/opencode/storage, or one of its sessions, is joined",
    omits="steps, snapshots, patches, retries, errors of replies",
    unwritten="opencode goes on from its database, and answers calls without a result itself when it sends",
    source="anomalyco/opencode: packages/opencode/src/session/message-v2.ts, cli/cmd/export.ts",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
)


def _is_stored(row: Mapping[str, Any]) -> bool:
    is_part = "messageID" in row and isinstance(row.get("type"), str)
    return is_part or ("sessionID" in row and "role" in row and "time" in row)


def _read_storage(document: Document) -> Reading:
    """Read what one of opencode's files holds: all parts of a message are in files of their own."""
    collector = Collector()
    for n, row in document.numbered_items:
        if not isinstance(row, dict) or "messageID" not in row:
            collector.note(n, "a message without its parts, which are in other files: read the folder `storage`", row)
        elif row.get("type") == "tool" or row.get("type") == "reasoning":
            add_part(collector, n, "assistant", row)
        else:
            collector.note(n, "a part without its message, which says the role: read the folder `storage`", row)
    return collector.reading(BLOCKS)


OPENCODE_STORAGE: Final = Format(
    name="opencode-storage",
    rank=380,
    title="opencode: single files of its storage",
    files="~/.local/share/opencode/storage/message and part",
    omits="nothing; a file holds one message's head or one part, and the rest is said to be elsewhere",
    unwritten="opencode answers calls without a result itself when it sends; call and result are in one part",
    source="anomalyco/opencode: packages/opencode/src/session/message-v2.ts",
    checked="2026-11-22",
    fit=item_fit(_is_stored),
    read=_read_storage,
)
