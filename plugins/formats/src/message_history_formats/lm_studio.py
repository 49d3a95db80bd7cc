"""Chats of LM Studio: each message has versions, and an answer has steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    STATE,
    Collector,
    Fit,
    Format,
    call,
    json_of,
    objects_in,
    result,
    text,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from message_history.formats.kit import Document, Reading

_ROLES: Final = frozenset({"user", "assistant", "system"})
_OF_THE_DISPLAY: Final = frozenset({"toolStatus", "debugInfoBlock", "citationBlock", "genInfo", "status"})
_SYSTEM: Final = "llm.prediction.systemPrompt"


def _versions(message: Any) -> list[dict[str, Any]]:
    return objects_in(message.get("versions")) if isinstance(message, dict) else []


def _messages(document: Document) -> list[Any]:
    found = document.object.get("messages")
    return found if isinstance(found, list) else []


def _fit(document: Document) -> Fit:
    messages = _messages(document)
    versions = [version for message in messages for version in _versions(message)]
    is_own = all(_versions(each) and "currentlySelected" in each for each in messages)
    return Fit.CERTAIN if versions and is_own else Fit.NONE


def _read(document: Document) -> Reading:
    collector = Collector()
    about = document.object
    if words := text(_system(about)):
        collector.add_blocks(0, "system", words)
    for n, message in enumerate(_messages(document)):
        versions, chosen = _versions(message), message.get("currentlySelected") if isinstance(message, dict) else None
        at = chosen if isinstance(chosen, int) and 0 <= chosen < len(versions) else 0
        role = versions[at].get("role") if versions else None
        if role not in _ROLES:
            collector.note(n, "a message of an unknown role", message)
            continue
        collector.omit("other versions", len(versions) - 1)
        for parts, is_thought in _steps(versions[at], collector):
            _add(collector, n, str(role), parts, is_thought=is_thought)
    return collector.reading(BLOCKS, title=about.get("name"))


def _system(about: Mapping[str, Any]) -> object:
    """Return the system prompt of the chat, else of its settings."""
    settings = about.get("perChatPredictionConfig")
    fields = objects_in(settings.get("fields")) if isinstance(settings, dict) else []
    return about.get("systemPrompt") or next((each.get("value") for each in fields if each.get("key") == _SYSTEM), None)


def _steps(version: Mapping[str, Any], collector: Collector) -> Iterator[tuple[list[dict[str, Any]], bool]]:
    """Yield the parts of each step of a message that the model sees, and whether they are thinking."""
    for step in objects_in(version.get("steps")) if "steps" in version else [{**version, "type": "contentBlock"}]:
        style = step.get("style")
        if step.get("type") == "contentBlock":
            yield objects_in(step.get("content")), isinstance(style, dict) and style.get("type") == "thinking"
        else:
            kind = step.get("type")
            collector.omit("what is only shown" if kind in _OF_THE_DISPLAY else f"steps of the type {kind}")


def _add(collector: Collector, n: int, role: str, parts: list[dict[str, Any]], *, is_thought: bool) -> None:
    for part in parts:
        kind, id = part.get("type"), part.get("toolCallRequestId") or str(part.get("callId", ""))
        if kind == "text":
            words = part.get("text")
            collector.add_blocks(n, role, thinking(words) if is_thought else text(words))
        elif kind == "toolCallRequest":
            collector.add_blocks(n, role, [call(id, part.get("name"), part.get("parameters", part.get("arguments")))])
        elif kind == "toolCallResult":
            parsed = json_of(part.get("content"))
            collector.add_blocks(n, "user", [result(id, parsed if isinstance(parsed, list) else part.get("content"))])
        else:
            collector.omit(f"parts of the type {kind}")


LM_STUDIO: Final = Format(
    name="lm-studio",
    rank=575,
    title="Chats of LM Studio",
    files="~/.lmstudio/conversations/*.conversation.json",
    omits="other versions, files, what is only shown, statistics",
    unwritten=STATE,
    source="files of LM Studio as programs that read them describe them; its documentation calls the form internal",
    checked="2026-11-27",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
