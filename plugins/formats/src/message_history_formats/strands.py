"""The sessions of Strands Agents: a folder with a file for each message, in the form of Bedrock's Converse API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.dialects import Bedrock
from message_history.formats.kit import NOTHING_JUDGED, STATE, Conversations, Format, item_fit

if TYPE_CHECKING:
    from message_history.formats.kit import Document, Reading

_AGENT: Final = {"agent_id", "messages"}
_JUDGED: Final = frozenset({"BR-B06", "BR-B07"})
"""The rules on which results follow which calls."""


def _is_message(item: Any) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("message_id"), int):
        return False
    message = item.get("message")
    return isinstance(message, dict) and "role" in message and isinstance(message.get("content"), list)


def _is_agent(item: Any) -> bool:
    # As the files of a folder are joined; runs of other programs have more keys.
    return isinstance(item, dict) and item.keys() == _AGENT and isinstance(item["messages"], list)


def _read(document: Document) -> Reading:
    found = Conversations()
    items = document.numbered_items
    agents = [(str(item["agent_id"]), item["messages"]) for _, item in items if _is_agent(item)]
    rest = [item for _, item in items if not _is_agent(item)]
    for name, messages in agents or [("", rest)]:
        collector = found.collector()
        for n, item in enumerate(messages):
            if _is_message(item):
                # A message that a guardrail refused is sent with other words.
                message = item.get("redact_message") or item["message"]
                collector.add(n, _plain(message))
            else:
                collector.note(n, "an entry that is not a message", item)
        made = collector.conversation(Bedrock(), label=f"agent {name}" if found else "", id=name, title=name)
        is_part = not agents and len(rest) == 1
        found.add(evolve(made, judged=NOTHING_JUDGED) if is_part else made)
    return found.reading()


def _plain(value: Any) -> Any:
    """Return a message whose bytes are text in base 64, as the API itself has them in JSON."""
    if isinstance(value, dict):
        if value.get("__bytes_encoded__") is True:
            return value.get("data")
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


STRANDS: Final = Format(
    name="strands",
    rank=600,
    title="Strands Agents: messages of a session, one by one or a whole folder",
    files="session_*/agents/agent_*/messages/message_*.json",
    omits="messages that a guardrail refused and replaced with other text",
    unwritten=STATE,
    source="strands-agents/sdk-python: src/strands/types/session.py, session/file_session_manager.py",
    checked="2026-11-22",
    fit=item_fit(lambda item: _is_message(item) or _is_agent(item)),
    read=_read,
    judged=_JUDGED,
)
