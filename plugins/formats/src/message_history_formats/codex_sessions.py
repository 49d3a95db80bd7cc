"""A session that Codex goes on with: its items, and events that show them."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.dialects import OpenAIResponses
from message_history.formats.codex import CODEX as _KNOWN
from message_history.formats.kit import NewSession
from message_history.tools import OmittedPart
from message_history_formats._going_on import OWN_SYSTEM, messages_of, moments, session_id, without_system, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from message_history import MessageHistory

_DIALECT: Final = OpenAIResponses(prefill=True, continues=False, store=False)
VERSION: Final = "0.169.0"
"""The version whose lines these are."""
_ITEMS: Final = frozenset(
    {
        *("message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "compaction"),
        *("custom_tool_call_output", "local_shell_call", "web_search_call", "image_generation_call"),
    }
)
"""The items that Codex knows; it sends no others again."""
_PARTS: Final = frozenset({"input_text", "output_text", "input_image"})
"""The parts of messages and outputs that it knows: a line with another is not read."""
_OF_USER: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_WITHOUT_PLACE: Final = "[This part of the conversation cannot be shown here.]"


def write(history: MessageHistory, folder: str, at: datetime) -> NewSession:
    export = history.export(_DIALECT)
    id = session_id("codex", folder, export)
    omitted = [
        *without_system(export),
        *(OmittedPart(f"[{n}]", item, OWN_SYSTEM) for n, item in enumerate(export.messages) if _is_system(item)),
    ]
    items = [(n, item) for n, item in enumerate(export.messages) if not _is_system(item)]
    messages = messages_of(history, [_role(item) for _, item in items])
    began = moments(messages[:1], at)[0] if messages else written(at)
    rows = [{"timestamp": began, "type": "session_meta", "payload": _about(id, folder, began)}]
    for (n, item), time in zip(items, moments(messages, at), strict=True):
        if item.get("type", "message") not in _ITEMS:
            omitted.append(OmittedPart(f"[{n}]", item, "Codex knows no such item"))
            continue
        known = _known(item, n, omitted)
        rows.append({"timestamp": time, "type": "response_item", "payload": known})
        rows += [{"timestamp": time, "type": "event_msg", "payload": event} for event in _events(known)]
    local = at.astimezone(UTC)
    return NewSession(
        rows=tuple(rows),
        dialect=_DIALECT,
        export=export,
        path=f"~/.codex/sessions/{local:%Y/%m/%d}/rollout-{local:%Y-%m-%dT%H-%M-%S}-{id}.jsonl",
        resume=f"codex resume {id}",
        omitted=tuple(omitted),
    )


def _about(id: str, folder: str, began: str) -> dict[str, Any]:
    return {
        "id": id,
        "timestamp": began,
        "cwd": folder,
        "originator": "codex_cli_rs",
        "cli_version": VERSION,
        "source": "cli",
    }


def _is_system(item: dict[str, Any]) -> bool:
    return item.get("role") in ("system", "developer")


def _role(item: dict[str, Any]) -> str:
    if item.get("type", "message") == "message":
        return str(item["role"])
    return "user" if item["type"] in _OF_USER else "assistant"


def _known(item: dict[str, Any], n: int, omitted: list[OmittedPart]) -> dict[str, Any]:
    """Return an item with parts that Codex reads."""
    key = "output" if item.get("type") in _OF_USER else "content"
    parts = item.get(key)
    if item.get("type") == "reasoning":
        return {"summary": [], **item}
    if isinstance(parts, str) and key == "content":
        parts = [{"type": _text_type(item), "text": parts}]
    if not isinstance(parts, list):
        return item
    known = []
    for m, part in enumerate(parts):
        if part.get("type") == "refusal":
            known.append({"type": "output_text", "text": part["refusal"]})
            omitted.append(OmittedPart(f"[{n}].{key}[{m}].type", "refusal", "Codex keeps its words as a text"))
        elif part.get("type") in _PARTS and (part["type"] != "input_image" or part.get("image_url")):
            known.append(part)
        else:
            known.append({"type": _text_type(item), "text": _WITHOUT_PLACE})
            omitted.append(OmittedPart(f"[{n}].{key}[{m}]", part, "Codex has texts and images only"))
    return {"type": "message", **item, key: known}


def _text_type(item: dict[str, Any]) -> str:
    return "output_text" if item.get("role") == "assistant" else "input_text"


def _events(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give what Codex shows of an item when it goes on."""
    if item["type"] == "message":
        text = "\n".join(part["text"] for part in item["content"] if "text" in part)
        if item["role"] == "user":
            images = [part["image_url"] for part in item["content"] if part["type"] == "input_image"]
            yield {"type": "user_message", "message": text, "images": images}
        elif item["role"] == "assistant":
            yield {"type": "agent_message", "message": text}
    elif item["type"] == "reasoning":
        yield from ({"type": "agent_reasoning", "text": part["text"]} for part in item["summary"])


CODEX: Final = evolve(_KNOWN, write=write)
