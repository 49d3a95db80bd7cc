"""The files of Letta's agents (.af): an agent with its messages, of which some are in its context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import BLOCKS, STATE, Conversations, Fit, Format, add_chat_message, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document, Reading

_MARKS: Final = frozenset({"in_context_message_ids", "in_context_message_indices", "core_memory", "message_ids"})


def _agents(document: Document) -> list[Any]:
    """Return the agents of a file; in older ones it is an agent itself."""
    found = document.object.get("agents")
    return found if isinstance(found, list) else [document.object]


def _is_agent(item: Any) -> bool:
    is_marked = isinstance(item, dict) and "agent_type" in item and bool(item.keys() & _MARKS)
    return is_marked and isinstance(item["messages"], list)


def _fit(document: Document) -> Fit:
    return Fit.CERTAIN if document.object and all(map(_is_agent, _agents(document))) else Fit.NONE


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, agent in enumerate(_agents(document)):
        collector = found.collector()
        messages = _in_context(agent)
        collector.omit("messages out of the context", len(agent["messages"]) - len(messages))
        if not any(isinstance(each, dict) and each.get("role") == "system" for each in messages):
            collector.add_blocks(n, "system", text(agent.get("system")))
        for message in messages:
            if not add_chat_message(collector, n, message):
                collector.note(n, "a message of an unknown role", message)
        id, name = agent.get("id"), agent.get("name")
        found.add(collector.conversation(BLOCKS, label=f"agent {name}" if found else "", id=id, title=name))
    return found.reading()


def _in_context(agent: Mapping[str, Any]) -> list[Any]:
    """Return the messages that the agent goes on with: all where the file does not say which."""
    messages: list[Any] = agent["messages"]
    ids, places = agent.get("in_context_message_ids"), agent.get("in_context_message_indices")
    if isinstance(ids, list) and ids:
        return [each for each in messages if not isinstance(each, dict) or each.get("id") in ids]
    if isinstance(places, list) and places:
        return [each for n, each in enumerate(messages) if n in places]
    return messages


LETTA: Final = Format(
    name="letta",
    rank=610,
    title="Letta: files of agents (.af)",
    files="*.af",
    omits="messages out of the context, memory blocks, tools' sources",
    unwritten=STATE,
    source="letta-ai/letta: letta/schemas/agent_file.py, letta/serialize_schemas/pydantic_agent_schema.py",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
)
