"""Zed's threads: those of its agent, as JSON and in its database, and text threads, which are one text with places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.files.containers import UnopenedError
from message_history.files.unpacking import unpacked
from message_history.formats.kit import (
    BLOCKS,
    DATABASE,
    NOTHING_JUDGED,
    Collector,
    Conversations,
    Fit,
    Format,
    Reading,
    call,
    fit_of,
    image,
    json_of,
    json_text,
    result,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_VERSIONS: Final = ("0.1.0", "0.2.0", "0.3.0", "1.0.0")
_TAGS: Final = frozenset({"User", "Agent"})
_ROLES: Final = ("user", "assistant", "system")
_RESUME: Final = "Resume"
_OLD: Final = frozenset({"segments", "tool_uses", "tool_results", "text"})


def _is_tagged(message: Any) -> bool:
    if message == _RESUME:
        return True
    return isinstance(message, dict) and len(message) == 1 and not _TAGS.isdisjoint(message)


def _is_old(message: Any) -> bool:
    is_known = isinstance(message, dict) and message.get("role") in _ROLES and not _OLD.isdisjoint(message)
    return is_known and isinstance(message.get("id"), int) and "content" not in message


def _fit(document: Document) -> Fit:
    return _fit_of(document.object)


def _fit_of(about: Mapping[str, Any]) -> Fit:
    messages = about.get("messages")
    if not isinstance(messages, list):
        return Fit.NONE
    if about.get("zed") == "context":
        return Fit.CERTAIN if isinstance(about.get("text"), str) else Fit.NONE
    is_marked = "updated_at" in about and ("version" not in about or about["version"] in _VERSIONS)
    shaped = sum(_is_tagged(each) or _is_old(each) for each in messages)
    return fit_of(shaped, is_marked and bool(shaped), len(messages)) if shaped else Fit.NONE


def _read(document: Document) -> Reading:
    collector = Collector()
    about = document.object
    _add_thread(collector, about)
    id = about.get("id")
    return collector.reading(BLOCKS, id=id, title=about.get("title") or about.get("summary"))


def _add_thread(collector: Collector, about: Mapping[str, Any]) -> None:
    if about.get("zed") == "context":
        _add_text_thread(collector, about)
        return
    for n, message in enumerate(about["messages"]):
        if message == _RESUME:
            collector.omit("marks of a run that was resumed")
        elif _is_tagged(message):
            ((tag, body),) = message.items()
            _add_tagged(collector, n, tag, body)
        elif _is_old(message):
            _add_old(collector, n, message)
        else:
            collector.note(n, "a message of an unknown kind", message)


def _add_tagged(collector: Collector, n: int, tag: str, body: Mapping[str, Any]) -> None:
    """Add a message of version 0.3: the key that it is under is its kind, and the same holds for each part."""
    role = "user" if tag == "User" else "assistant"
    for part in body.get("content") or ():
        blocks = _blocks(part)
        if blocks is None:
            collector.note(n, "a part of an unknown kind", part)
        else:
            collector.add_blocks(n, role, blocks)
    results = body.get("tool_results") or {}
    for each in results.values() if isinstance(results, dict) else results:
        collector.add_blocks(n, "user", [_result(each)])


def _blocks(part: Any) -> list[Any] | None:
    if not isinstance(part, dict) or len(part) != 1:
        return None
    ((kind, body),) = part.items()
    if kind == "Text":
        return text(body)
    if kind == "RedactedThinking":
        return [{"type": "redacted_thinking", "data": body}]
    if not isinstance(body, dict):
        return None
    if kind == "Thinking":
        return thinking(body.get("text"), body.get("signature"))
    if kind == "ToolUse":
        return [call(body.get("id"), body.get("name"), body.get("input"))]
    if kind == "Image":
        return [_image(body)]
    if kind == "Mention":
        return [*text(f"@{_name(body.get('uri'))}"), *text(body.get("content"))]
    return None


def _name(uri: Any) -> str:
    """Name what a mention points to: a path, an address, or the name of a thread or rule."""
    if not isinstance(uri, dict) or len(uri) != 1:
        return json_text(uri)
    ((kind, about),) = uri.items()
    if not isinstance(about, dict):
        return f"{kind} {json_text(about)}"
    named = (about.get(key) for key in ("abs_path", "path", "url", "name", "id"))
    found = next((each for each in named if isinstance(each, str)), "")
    others = (about[key] for key in ("name", "line_range") if key in about and about[key] != found)
    return " ".join([found or kind, *map(json_text, others)])


def _image(body: Mapping[str, Any]) -> dict[str, Any]:
    return image(f"data:{body.get('mime_type') or 'image/png'};base64,{body.get('source')}")


def _result(made: Mapping[str, Any]) -> dict[str, Any]:
    content = made.get("content")
    parts = content if isinstance(content, list) else [content]
    blocks = [block for part in parts for block in _result_part(part)]
    is_text = len(blocks) == 1 and blocks[0]["type"] == "text"
    written: Any = blocks[0]["text"] if is_text else blocks or None
    if written is None:
        written = made.get("output")
    return result(made.get("tool_use_id"), written, is_error=made.get("is_error"))


def _result_part(part: Any) -> list[Any]:
    """Return a part of a result; Zed takes a text, and texts and images under keys of several spellings."""
    if part is None or isinstance(part, str):
        return text(part)
    if isinstance(part, dict):
        keys = {key.lower(): value for key, value in part.items()}
        if isinstance(keys.get("text"), str):
            return text(keys["text"])
        shown = keys["image"] if isinstance(keys.get("image"), dict) else part
        if isinstance(shown.get("source"), str):
            return [_image(shown)]
    return text(json_text(part))


def _add_old(collector: Collector, n: int, message: Mapping[str, Any]) -> None:
    """Add a message of a version before 0.3: text in segments, calls and results in keys of their own."""
    role = message["role"]
    for each in message.get("tool_results") or ():
        if role == "user":
            collector.add_blocks(n, "user", [_result(each)])
    blocks = [*text(message.get("context")), *text(message.get("text"))]
    for segment in message.get("segments") or ():
        blocks += _segment(collector, n, segment)
    if role == "system":
        collector.add(n, {"role": role, "content": blocks})
        return
    collector.add_blocks(n, role, blocks)
    calls = [call(each.get("id"), each.get("name"), each.get("input")) for each in message.get("tool_uses") or ()]
    collector.add_blocks(n, role, calls)
    for each in message.get("tool_results") or ():
        if role != "user":
            collector.add_blocks(n, "user", [_result(each)])


def _segment(collector: Collector, n: int, segment: Any) -> list[Any]:
    kind = segment.get("type") if isinstance(segment, dict) else None
    if kind == "text":
        return text(segment.get("text"))
    if kind == "thinking":
        return thinking(segment.get("text"), segment.get("signature"))
    if kind == "RedactedThinking":
        return [{"type": "redacted_thinking", "data": segment.get("data")}]
    collector.note(n, "a segment of an unknown kind", segment)
    return []


def _add_text_thread(collector: Collector, about: Mapping[str, Any]) -> None:
    """Add a text thread: a message is the text from its place to the place of the next message."""
    written = about["text"].encode()
    metadata = about.get("message_metadata")
    places = sorted(((each["start"], n, each) for n, each in enumerate(about["messages"])), key=lambda found: found[:2])
    if places and written[: places[0][0]].strip():
        collector.note(0, "a text before the first message", written[: places[0][0]].decode(errors="replace"))
    if not places and written.strip():
        collector.note(0, "a text without messages", about["text"])
    for number, (start, n, each) in enumerate(places):
        end = places[number + 1][0] if number + 1 < len(places) else len(written)
        data = each.get("metadata")
        if data is None and isinstance(metadata, dict):
            data = metadata.get(str(each.get("id")))
        role = data.get("role") if isinstance(data, dict) else None
        body = written[start:end].decode(errors="replace").strip("\n")
        if role == "system":
            collector.add(n, {"role": role, "content": body})
        elif role in _ROLES:
            collector.add_blocks(n, role, text(body))
        else:
            collector.note(n, "a message without a role", body)


def _is_database(document: Document) -> Fit:
    found = document.database
    is_it = found is not None and found.has("threads", "id", "summary", "data_type", "data")
    return Fit.CERTAIN if is_it else Fit.NONE


def _read_database(document: Document) -> Reading:
    found = Conversations()
    for n, row in enumerate(document.database.rows("threads", "updated_at DESC, id") if document.database else ()):
        collector = found.collector()
        try:
            packed = row["data"].encode() if isinstance(row["data"], str) else bytes(row["data"])
            data = unpacked(packed) if row["data_type"] == "zstd" else packed
        except UnopenedError as error:
            collector.note(n, f"a thread that cannot be read: {error}", row["summary"])
            continue
        about = json_of(data.decode(errors="replace"))
        if not isinstance(about, dict) or (_fit_of(about) is Fit.NONE and about.get("messages") != []):
            collector.note(n, "a thread of an unknown form", row["summary"])
            continue
        _add_thread(collector, about)
        if collector.entries:
            label = f"thread {row['id']}" if found else ""
            title = about.get("title") or row["summary"]
            found.add(collector.conversation(BLOCKS, label=label, id=row["id"], title=title))
    return found.reading()


ZED: Final = Format(
    name="zed",
    rank=250,
    title="Zed: threads of its agent, and text threads",
    files="the JSON of a thread; ~/.local/share/zed/conversations/*.zed.json",
    omits="snapshots of projects, marks of resumed runs, counts of tokens",
    unwritten="Zed goes on from its database, and does not send calls without a result",
    source="zed-industries/zed: crates/agent/src/db.rs, thread.rs, legacy_thread.rs",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
"""A thread by itself."""
ZED_DATABASE: Final = Format(
    name="zed-database",
    rank=870,
    title="Zed: its database of threads",
    files="~/.local/share/zed/threads/threads.db",
    omits="as of `zed`; a thread is packed with Zstandard, which Python 3.14 or the package zstandard unpacks",
    unwritten=DATABASE,
    source="zed-industries/zed: crates/agent/src/db.rs",
    checked="2026-11-22",
    fit=_is_database,
    read=_read_database,
    judged=NOTHING_JUDGED,
)
"""All threads of a person."""
