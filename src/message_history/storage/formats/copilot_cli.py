"""The events of GitHub Copilot CLI: what the user and the model wrote, tools that ran, and subagents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.storage.formats.base import Collector, Fit, Format, Reading, fit_items
from message_history.storage.formats.raw_blocks import BLOCKS, call, result, text, thinking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.storage.formats.document import Document

__all__ = ["COPILOT_CLI"]

_SENT: Final = ("user.message", "assistant.message", "tool.execution_complete", "system.message")
_PREFIXES: Final = (
    "session.",
    "assistant.",
    "tool.",
    "hook.",
    "subagent.",
    "system.",
    "user.",
    "skill.",
    "permission.",
)


def _is_row(row: Mapping[str, Any]) -> bool:
    kind = row.get("type")
    return (
        isinstance(row.get("data"), dict) and isinstance(kind, str) and (kind.startswith(_PREFIXES) or kind == "abort")
    )


def _is_marked(row: Mapping[str, Any]) -> bool:
    return _is_row(row) and row.get("type") in (*_SENT, "session.start")


def _fit(document: Document) -> Fit:
    return fit_items(document.first_rows(), _is_row, _is_marked)


def _read(document: Document) -> Reading:
    session = _Session()
    for number, row in document.rows():
        session.take(number, row)
    main, *others = session.collectors.items()
    subagents = [each.conversation(BLOCKS, label=f"subagent {name}") for name, each in others if each.entries]
    first = main[1].conversation(BLOCKS, id=session.about.get("sessionId"))
    return Reading(conversations=(first, *subagents), unread=tuple(main[1].unread))


class _Session:
    """The main conversation under the empty name, and one for each subagent by the call that started it."""

    def __init__(self) -> None:
        self.collectors: dict[str, Collector] = {"": Collector()}
        self.about: dict[str, Any] = {}
        self._called: set[object] = set()
        self._thought: object = None

    def take(self, number: int, row: Mapping[str, Any]) -> None:
        """Take one event."""
        kind, data = row.get("type"), row.get("data")
        main = self.collectors[""]
        if not isinstance(data, dict) or not isinstance(kind, str):
            main.note(number, "a row that is no event", row)
            return
        parent = data.get("parentToolCallId")
        own = self.collectors.setdefault(parent, Collector()) if isinstance(parent, str) and parent else main
        if kind == "session.start":
            self.about = data
        if kind == "user.message":
            own.add_blocks(number, "user", [*text(data.get("content")), *_attached(data)])
        elif kind == "assistant.message":
            self._add_reply(own, number, data)
        elif kind == "assistant.reasoning":
            self._thought = data.get("content")
            own.add_blocks(number, "assistant", thinking(self._thought))
        elif kind == "tool.execution_start" and data.get("toolCallId") not in self._called:
            self._called.add(data.get("toolCallId"))
            own.add_blocks(number, "assistant", [_call(data, "toolName")])
        elif kind == "tool.execution_complete":
            own.add_blocks(number, "user", [_result(data)])
        elif kind == "system.message" and not own.entries:
            own.add(number, {"role": "system", "content": str(data.get("content") or "")})
        else:
            main.omit(kind)

    def _add_reply(self, own: Collector, number: int, data: Mapping[str, Any]) -> None:
        requests = [each for each in data.get("toolRequests") or [] if isinstance(each, dict)]
        self._called.update(each.get("toolCallId") for each in requests)
        reasoning = data.get("reasoningText")
        thought = thinking(reasoning) if reasoning != self._thought else []
        own.add_blocks(
            number, "assistant", [*thought, *text(data.get("content")), *(_call(each, "name") for each in requests)]
        )


def _call(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    return call(data.get("toolCallId"), data.get(key), data.get("arguments"))


def _result(data: Mapping[str, Any]) -> dict[str, Any]:
    found, error = data.get("result"), data.get("error")
    content = found.get("content") if isinstance(found, dict) else None
    if content is None and isinstance(error, dict):
        content = error.get("message")
    return result(data.get("toolCallId"), content, is_error=data.get("success") is False)


def _attached(data: Mapping[str, Any]) -> list[Any]:
    """Give the names of attached files; the file does not hold their content."""
    names = [each.get("path") for each in data.get("attachments") or [] if isinstance(each, dict)]
    return [block for name in names for block in text(f"[attached: {name}]")]


COPILOT_CLI: Final = Format(
    name="copilot-cli",
    title="GitHub Copilot CLI events",
    files="~/.copilot/session-state/*/events.jsonl",
    omits="session, hook, turn and telemetry events, system prompts of later turns",
    source="files of versions 0.0.420 to 1.0.77, jazzyalex/agent-sessions: CopilotSessionParser.swift",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
)
