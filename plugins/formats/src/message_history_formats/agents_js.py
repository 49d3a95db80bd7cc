"""The items of the OpenAI Agents SDK for TypeScript, which Tencent's CodeBuddy and WorkBuddy write as their sessions.

They are like the Responses API's, in camel case, and with results of their own form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.claude_lookalikes import AGENTS_MARKED, AGENTS_RESULTS, is_agents_item
from message_history.formats.kit import (
    BLOCKS,
    STATE,
    Collector,
    Fit,
    Format,
    Reading,
    call,
    fit_items,
    image,
    json_text,
    result,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_CALLS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "computer_call": ("computer", ("action", "actions")),
    "shell_call": ("shell", ("action",)),
    "apply_patch_call": ("apply_patch", ("operation",)),
    "program": ("program", ("code",)),
}
"""The calls of tools of the API: the tool's name, and the keys of what is asked."""
_SEARCHES: Final = ("tool_search_call", "tool_search_output")
_SHOWN: Final = frozenset({"topic", "ai-title", "custom-title", "file-history-snapshot"})
"""The lines of CodeBuddy that are not items."""
_KINDS: Final = (
    AGENTS_MARKED | _SHOWN | {"message", "reasoning", "hosted_tool_call", "compaction", "unknown", *_SEARCHES}
)
_FAILED: Final = ("failed", "error")


def _is_item(item: Mapping[str, Any]) -> bool:
    return item.get("type") in _KINDS or ("type" not in item and isinstance(item.get("role"), str))


def _is_state(about: Mapping[str, Any]) -> bool:
    return isinstance(about.get("$schemaVersion"), str) and isinstance(about.get("generatedItems"), list)


def _fit(document: Document) -> Fit:
    if _is_state(document.object):
        return Fit.CERTAIN
    return fit_items(document.first_items, _is_item, is_agents_item, is_common=True)


def _read(document: Document) -> Reading:
    collector = Collector()
    about: dict[str, Any] = {"id": None, "title": None}
    items = _items_of_state(collector, document.object) if _is_state(document.object) else document.numbered_items
    for place, item in items:
        is_item = isinstance(item, dict) and _is_item(item)
        kind = item.get("type", "message") if is_item else None
        if kind in _SHOWN:
            about["title"] = item.get("topic") or item.get("title") or item.get("aiTitle") or about["title"]
            collector.omit(f"{kind} lines")
        elif kind is None or kind == "unknown":
            collector.note(place, "an item of an unknown type", item)
        else:
            about["id"] = about["id"] or item.get("sessionId")
            _add(collector, place, item, kind)
    return collector.reading(BLOCKS, **about)


def _items_of_state(collector: Collector, state: Mapping[str, Any]) -> list[tuple[int, Any]]:
    """Return the items of a run: what it began with, and what came of it."""
    asked = state.get("originalInput")
    items = list(asked) if isinstance(asked, list) else [{"role": "user", "content": asked}]
    for made in state["generatedItems"]:
        if isinstance(made, dict) and made.get("type") == "tool_approval_item":
            # The call itself comes before it.
            collector.omit("questions whether a tool may run")
        else:
            items.append(made.get("rawItem", made) if isinstance(made, dict) else made)
    return list(enumerate(items))


def _add(collector: Collector, place: int, item: Mapping[str, Any], kind: str) -> None:
    id = item.get("callId") or item.get("call_id")
    if kind == "message":
        content = item.get("content")
        blocks = [block for part in content for block in _part(part)] if isinstance(content, list) else text(content)
        collector.add_blocks(place, str(item.get("role")), blocks)
    elif kind == "reasoning":
        _add_reasoning(collector, place, item)
    elif kind == "function_call":
        collector.add_blocks(place, "assistant", [call(id, item.get("name"), item.get("arguments"))])
    elif kind in _CALLS:
        name, keys = _CALLS[kind]
        asked = {key: item[key] for key in keys if key in item}
        collector.add_blocks(place, "assistant", [call(id, name, asked)])
    elif kind in AGENTS_RESULTS:
        failed = item.get("status") in _FAILED
        collector.add_blocks(place, "user", [result(id, _output(item), is_error=failed)])
    elif kind == "hosted_tool_call":
        id = item.get("id") or f"item_{place}"
        collector.add_blocks(place, "assistant", [call(id, item.get("name"), item.get("arguments"))])
        collector.add_blocks(place, "user", [result(id, item.get("output") or item.get("status"))])
    elif kind == "compaction":
        collector.omit("encrypted compactions")
    else:
        collector.omit("searches for tools")


def _add_reasoning(collector: Collector, place: int, item: Mapping[str, Any]) -> None:
    parts = item.get("content") or item.get("rawContent") or []
    blocks = thinking("\n\n".join(part["text"] for part in parts if isinstance(part.get("text"), str)))
    about = item.get("providerData")
    about = about if isinstance(about, dict) else {}
    encrypted = about.get("encryptedContent", about.get("encrypted_content"))
    secret = {"encrypted_content": encrypted, "reasoning_id": item.get("id")} if encrypted else {}
    collector.add_blocks(place, "assistant", [{**block, **secret} for block in blocks])
    if not blocks:
        collector.omit("reasoning without a summary")


def _output(item: Mapping[str, Any]) -> object:
    """Return what a call gave: a text, one part, or a list of parts; the status when it is nothing."""
    output = item.get("output")
    if isinstance(output, dict):
        output = [output]
    if not isinstance(output, list):
        return item.get("status") if output is None else output
    blocks = [block for part in output for block in _part(part)]
    return "".join(block["text"] for block in blocks) if all("text" in block for block in blocks) else blocks


def _part(part: Any) -> list[dict[str, Any]]:
    if not isinstance(part, dict):
        return text(part)
    kind = part.get("type")
    if kind in ("input_text", "output_text", "text"):
        return text(part.get("text"))
    if kind == "refusal":
        return text(part.get("refusal"))
    if kind in ("input_image", "image", "computer_screenshot"):
        return _image(part.get("image", part.get("data")))
    if kind == "audio" and isinstance(part.get("transcript"), str):
        return text(part["transcript"])
    if kind in ("input_file", "file", "audio"):
        return text(f"[attached: {_name_of(part, kind)}]")
    return text(json_text(part))


def _image(source: object) -> list[dict[str, Any]]:
    if isinstance(source, dict):
        data, kind = source.get("data"), source.get("mediaType") or "image/png"
        source = source.get("url") or (
            f"data:{kind};base64,{data}" if data else source.get("id") or source.get("fileId")
        )
    written = str(source)
    is_address = written.startswith(("data:", "http://", "https://", "file-"))
    return [image(written if is_address else f"data:image/png;base64,{written}")]


def _name_of(part: Mapping[str, Any], kind: str) -> object:
    file = part.get("file")
    file = file if isinstance(file, dict) else {}
    named = (part.get("filename"), file.get("filename"), file.get("url"), file.get("id"), file.get("fileId"))
    return next((name for name in named if isinstance(name, str)), kind)


AGENTS_JS: Final = Format(
    name="openai-agents-js",
    rank=440,
    title="OpenAI Agents SDK for TypeScript: items of sessions, states of runs; CodeBuddy and WorkBuddy sessions",
    files="wherever an application keeps them; ~/.codebuddy/projects/*/*.jsonl, ~/.workbuddy/projects/*/*.jsonl",
    omits="titles, snapshots of files, encrypted reasoning and compactions, searches for tools, questions for leave",
    unwritten=STATE,
    source="openai/openai-agents-js: packages/agents-core/src/types/protocol.ts, runState.ts (CodeBuddy: files)",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
)
