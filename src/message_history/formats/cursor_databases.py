"""The databases of Cursor: the editor's, which holds bubbles by key, and its agent's, which holds messages by hash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.formats.ai_sdk_model import AI_SDK_MODEL
from message_history.formats.kit.base import DATABASE, NOTHING_JUDGED, Collector, Fit, Format, Reading
from message_history.formats.kit.chat_messages import first_of
from message_history.formats.kit.document import Document
from message_history.formats.kit.many_conversations import Conversations
from message_history.formats.kit.raw_blocks import BLOCKS, call, json_of, json_text, result, text, thinking

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from message_history.files.containers import Database

_USER: Final = (1, "user")
_COMPACTION: Final = 22
_COMPOSER: Final = "composerData:"
_BUBBLE: Final = "bubbleId:"
_CHAT_TABS: Final = "workbench.panel.aichat.view.aichat.chatdata"
"""Where versions before the composer kept chats."""
_ID_BYTES: Final = 32
_CHILD: Final = 1
"""The field of the root that holds the ids of messages."""


def _values(database: Database, table: str, *prefixes: str) -> dict[str, Any]:
    """Return the JSON values of a table's keys with a prefix."""
    if not database.has(table, "key", "value"):
        return {}
    rows = database.rows(table, "key")
    wanted = [row for row in rows if isinstance(row["key"], str) and row["key"].startswith(prefixes)]
    return {row["key"]: json_of(_text(row["value"])) for row in wanted}


def _text(written: object) -> object:
    return written.decode("utf-8", errors="surrogateescape") if isinstance(written, bytes) else written


def _fit(document: Document) -> Fit:
    if document.database is None:
        return Fit.NONE
    chats = _values(document.database, "cursorDiskKV", _COMPOSER)
    is_chat = any(_bubble_count(chat) for chat in chats.values() if isinstance(chat, dict))
    is_older = isinstance(_values(document.database, "ItemTable", _CHAT_TABS).get(_CHAT_TABS), dict)
    return Fit.CERTAIN if is_chat or is_older else Fit.NONE


def _bubble_count(chat: Mapping[str, Any]) -> int:
    found = chat.get("fullConversationHeadersOnly") or chat.get("conversation") or chat.get("conversationMap")
    return len(found) if isinstance(found, list | dict) else 0


def _read(document: Document) -> Reading:
    if document.database is None:
        raise ValueError("it is not a database")
    stored = _values(document.database, "cursorDiskKV", _COMPOSER, _BUBBLE)
    chats = [(key.removeprefix(_COMPOSER), chat) for key, chat in stored.items() if key.startswith(_COMPOSER)]
    found = Conversations()
    for id, chat in sorted(chats, key=_age, reverse=True):
        collector = found.collector()
        if not isinstance(chat, dict):
            collector.note(0, "a chat that is not an object", chat)
            continue
        own = {key.split(":", 2)[-1]: value for key, value in stored.items() if key.startswith(f"{_BUBBLE}{id}:")}
        for n, bubble in enumerate(_bubbles(chat, own, collector)):
            _add_bubble(collector, n, bubble)
        _add(found, collector, id, chat.get("name"))
    older = _values(document.database, "ItemTable", _CHAT_TABS).get(_CHAT_TABS)
    for tab in (older.get("tabs") or []) if isinstance(older, dict) else []:
        collector = found.collector()
        for n, bubble in enumerate(tab.get("bubbles") or []):
            _add_bubble(collector, n, bubble)
        _add(found, collector, tab.get("tabId"), tab.get("chatTitle"))
    return found.reading()


def _age(chat: tuple[str, Any]) -> tuple[float, str]:
    about = chat[1] if isinstance(chat[1], dict) else {}
    when = about.get("lastUpdatedAt") or about.get("createdAt")
    return (float(when) if isinstance(when, int | float) else 0.0, chat[0])


def _add(found: Conversations, collector: Collector, id: object, title: object) -> None:
    if collector.entries:
        label = f"chat {id}" if found else ""
        found.add(collector.conversation(BLOCKS, label=label, id=id, title=title))


def _bubbles(chat: Mapping[str, Any], own: Mapping[str, Any], collector: Collector) -> Iterator[Any]:
    """Return the bubbles of a chat in its order: it names those that were not rewound."""
    headers = chat.get("fullConversationHeadersOnly")
    if not isinstance(headers, list) or not headers:
        inline = chat.get("conversation") or list((chat.get("conversationMap") or {}).values())
        yield from inline if isinstance(inline, list) else []
        return
    named = [str(header.get("bubbleId")) for header in headers if isinstance(header, dict)]
    collector.omit("bubbles that were rewound", len(own.keys() - set(named)))
    for n, id in enumerate(named):
        if isinstance(own.get(id), dict):
            yield own[id]
        else:
            collector.note(n, "a bubble that is not in the database", id)


def _add_bubble(collector: Collector, n: int, bubble: Any) -> None:
    if not isinstance(bubble, dict):
        collector.note(n, "a bubble that is not an object", bubble)
        return
    written = next((bubble[key] for key in ("text", "rawText", "content") if isinstance(bubble.get(key), str)), "")
    if bubble.get("type") in _USER:
        collector.add_blocks(n, "user", [*_attached(bubble), *text(written or _rich_text(bubble))])
        collector.omit("images stored elsewhere", len(bubble.get("images") or []))
        return
    thought = bubble.get("thinking")
    about = thought if isinstance(thought, dict) else {"text": thought}
    collector.add_blocks(n, "assistant", [*thinking(about.get("text"), about.get("signature")), *text(written)])
    if isinstance(bubble.get("toolFormerData"), dict) and bubble["toolFormerData"].get("name"):
        _add_tool(collector, n, bubble["toolFormerData"])
    collector.omit("marks of a compaction", int(bubble.get("capabilityType") == _COMPACTION))
    collector.omit("errors of replies", int(bool(bubble.get("errorDetails"))))


def _attached(bubble: Mapping[str, Any]) -> list[Any]:
    """Return the pieces of files that went with what the user wrote."""
    found: list[Any] = []
    for chunk in bubble.get("attachedCodeChunks") or []:
        lines = chunk.get("lines") if isinstance(chunk, dict) else None
        if isinstance(lines, list):
            found += text(f"[attached: {chunk.get('relativeWorkspacePath')}]\n" + "\n".join(map(str, lines)))
    context = bubble.get("context")
    for each in (context.get("fileSelections") or []) if isinstance(context, dict) else []:
        uri = each.get("uri") if isinstance(each, dict) else None
        path = (uri.get("fsPath") or uri.get("path")) if isinstance(uri, dict) else uri
        found += text(f"[attached: {path}]") if path else []
    return found


def _rich_text(bubble: Mapping[str, Any]) -> str:
    """Return the words of what the editor's box holds."""
    return "".join(_leaves(json_of(bubble.get("richText"))))


def _leaves(node: Any) -> list[str]:
    if isinstance(node, list):
        return [each for child in node for each in _leaves(child)]
    if not isinstance(node, dict):
        return []
    own = [node["text"]] if isinstance(node.get("text"), str) else []
    return own + _leaves(node.get("root")) + _leaves(node.get("children"))


def _add_tool(collector: Collector, n: int, tool: Mapping[str, Any]) -> None:
    """Add a call and its result, which are in one bubble."""
    id = tool.get("toolCallId") or f"bubble_{n}"
    collector.add_blocks(n, "assistant", [call(id, tool["name"], tool.get("rawArgs") or tool.get("params"))])
    error, output = tool.get("error"), tool.get("result")
    if error:
        found = json_of(error)
        shown = ("modelVisibleErrorMessage", "clientVisibleErrorMessage", "error", "message")
        words = first_of(found, *shown) if isinstance(found, dict) else None
        collector.add_blocks(n, "user", [result(id, words or json_text(error), is_error=True)])
    elif output not in (None, ""):
        collector.add_blocks(n, "user", [result(id, json_text(output), is_error=tool.get("status") == "error")])
    else:
        collector.omit("results that the database does not hold")


CURSOR_DATABASE: Final = Format(
    name="cursor-database",
    rank=850,
    title="Cursor: the editor's database of chats",
    files="~/Library/Application Support/Cursor/User/**/state.vscdb",
    omits="bubbles that were rewound, images, checkpoints, states of the editor",
    unwritten=DATABASE,
    source="databases of versions 0.4 to 2, as their readers describe them; no public source",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)


def _fit_agent(document: Document) -> Fit:
    found = document.database
    is_it = found is not None and found.has("blobs", "id", "data") and found.has("meta", "key", "value")
    return Fit.CERTAIN if is_it and found is not None and "latestRootBlobId" in _about(found) else Fit.NONE


def _about(database: Database) -> dict[str, Any]:
    """Return what the agent writes about a chat: JSON, in hexadecimal."""
    for row in database.rows("meta", "key"):
        try:
            found = json_of(bytes.fromhex(str(_text(row["value"]))).decode())
        except ValueError:
            found = json_of(_text(row["value"]))
        if isinstance(found, dict):
            return found
    return {}


def _read_agent(document: Document) -> Reading:
    if document.database is None:
        raise ValueError("it is not a database")
    about = _about(document.database)
    blobs = {str(row["id"]): row["data"] for row in document.database.rows("blobs", "id")}
    collector = Collector()
    messages: list[Any] = []
    for n, id in enumerate(_children(blobs.get(str(about.get("latestRootBlobId"))))):
        found = json_of(_text(blobs.get(id)))
        if isinstance(found, dict) and "role" in found:
            messages.append(found)
        else:
            collector.note(n, "a message that is not in the database", id)
    collector.omit("messages of earlier states", sum(_is_message(data) for data in blobs.values()) - len(messages))
    reading = AI_SDK_MODEL.read(Document(data=b"", text="", value=messages))
    main = reading.conversations[0]
    origin = evolve(main.origin, id=about.get("agentId"), title=about.get("name"))
    omitted = tuple(sorted((*main.omitted, *collector.conversation(None).omitted)))
    main = evolve(main, origin=origin, omitted=omitted)
    return Reading(conversations=(main,), unread=(*collector.unread, *reading.unread))


def _is_message(data: object) -> bool:
    found = json_of(_text(data))
    return isinstance(found, dict) and "role" in found


def _children(root: object) -> Sequence[str]:
    """Return the ids in a root, which is a message of Protocol Buffers."""
    data = root if isinstance(root, bytes) else b""
    found, at = [], 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            _, at = _varint(data, at)
        elif kind == 2:
            length, at = _varint(data, at)
            if tag >> 3 == _CHILD and length == _ID_BYTES:
                found.append(data[at : at + length].hex())
            at += length
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise ValueError("the root is not a message of Protocol Buffers")
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


CURSOR_AGENT_DATABASE: Final = Format(
    name="cursor-agent-database",
    rank=860,
    title="Cursor's agent: the database of a chat",
    files="~/.cursor/chats/*/*/store.db",
    omits="messages of earlier states, counts of tokens",
    unwritten=DATABASE,
    source="databases of 2026, as their readers describe them; no public source",
    checked="2026-11-22",
    fit=_fit_agent,
    read=_read_agent,
    judged=NOTHING_JUDGED,
)
