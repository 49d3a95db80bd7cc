"""The threads of Amp: messages whose results hold the run of a tool, and what the user ran between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    Collector,
    Fit,
    Format,
    Reading,
    call,
    image,
    json_text,
    result,
    text,
    text_of,
    thinking,
)
from message_history.formats.kit.raw_blocks import state_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_ROLES: Final = ("user", "assistant", "info")
_USAGE: Final = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "cacheReadInputTokens": "cache_read_input_tokens",
    "cacheCreationInputTokens": "cache_creation_input_tokens",
}
_STATES: Final = {
    "cancelled": "cancelled",
    "rejected-by-user": "denied",
    "blocked-on-user": "pending",
}
"""What Amp calls the states of runs that gave nothing."""


def _is_message(item: Any) -> bool:
    is_known = isinstance(item, dict) and item.get("role") in _ROLES
    return is_known and isinstance(item.get("content"), list)


def _fit(document: Document) -> Fit:
    about = document.object
    messages = about.get("messages")
    if not isinstance(messages, list) or not all(map(_is_message, messages)):
        return Fit.NONE
    is_thread = str(about.get("id")).startswith("T-") and isinstance(about.get("v"), int) and "created" in about
    is_marked = any("messageId" in each for each in messages) or "nextMessageId" in about
    if is_thread and (is_marked or not messages):
        return Fit.CERTAIN
    return Fit.NEAR if is_marked and "created" in about else Fit.NONE


def _read(document: Document) -> Reading:
    collector = Collector()
    about = document.object
    for n, message in enumerate(about["messages"]):
        if not _is_message(message):
            collector.note(n, "an item that is not a message", message)
            continue
        role = "assistant" if message["role"] == "assistant" else "user"
        for part in message["content"]:
            blocks = _blocks(part)
            if blocks is None:
                collector.note(n, "a part of an unknown type", part)
            else:
                collector.add_blocks(n, role, blocks)
        if role == "assistant":
            usage = message.get("usage")
            usage = usage if isinstance(usage, dict) else {}
            counts = {name: usage[key] for key, name in _USAGE.items() if isinstance(usage.get(key), int)}
            collector.reply({"model": usage.get("model"), "usage": counts or None}, "anthropic")
    return collector.reading(BLOCKS, id=about.get("id"), title=about.get("title"))


def _blocks(part: Any) -> list[Any] | None:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text":
        return text(part.get("text"))
    if kind == "thinking":
        return thinking(part.get("thinking"), part.get("signature"))
    if kind == "redacted_thinking":
        return [{"type": "redacted_thinking", "data": part.get("data")}]
    if kind == "tool_use":
        return [call(part.get("id"), part.get("name"), part.get("input"))]
    if kind == "tool_result":
        return _result(part)
    if kind == "image":
        return [_image(part)]
    if kind == "summary":
        return text(text_of((part.get("summary") or {}).get("summary") or part.get("summary")))
    if kind == "manual_bash_invocation":
        ran = (part.get("toolRun") or {}).get("result")
        output = ran.get("output") if isinstance(ran, dict) else ran
        return text(f"$ {(part.get('args') or {}).get('cmd')}\n{output if output is not None else ''}")
    return None


def _result(part: Mapping[str, Any]) -> list[Any]:
    id, run = part.get("toolUseID"), part.get("run")
    run = run if isinstance(run, dict) else {}
    if "result" in run:
        found = run["result"]
        output = found.get("output") if isinstance(found, dict) and found.keys() <= {"output", "exitCode"} else found
        return [result(id, output if isinstance(output, str) else _content(found))]
    if run.get("error") is not None:
        error = run["error"]
        return [result(id, error.get("message") if isinstance(error, dict) else error, is_error=True)]
    state = _STATES.get(str(run.get("status")))
    return [state_result(id, state, run.get("reason"))] if state is not None else []


def _content(found: Any) -> Any:
    """Return the content of a run: images among its parts stay images, what is not text becomes JSON text."""
    if not isinstance(found, list):
        return json_text(found)
    parts = [each if isinstance(each, dict) else {"type": "text", "text": json_text(each)} for each in found]
    if any(part.get("type") not in ("text", "image") for part in parts):
        return json_text(found)
    return [_image(part) if part["type"] == "image" else part for part in parts]


def _image(part: Mapping[str, Any]) -> dict[str, Any]:
    source = part.get("source")
    source = source if isinstance(source, dict) else part
    media = source.get("mediaType") or source.get("media_type") or source.get("mimeType")
    if isinstance(source.get("data"), str):
        return image(f"data:{media};base64,{source['data']}")
    return image(source.get("url") or part.get("sourcePath"))


AMP: Final = Format(
    name="amp",
    rank=260,
    title="Amp threads",
    files="~/.local/share/amp/threads/T-*.json",
    omits="states of the editor, traces, what a run showed while it went on",
    unwritten="Amp goes on from the thread on its server; this is a copy",
    source="threads of version 85 (git-ai-project/git-ai: tests/fixtures/amp-threads); no public source",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
