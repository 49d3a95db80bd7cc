"""The sessions of Google's Agent Development Kit: events with Gemini's contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from message_history.dialects import Gemini
from message_history.formats.kit import (
    NOTHING_JUDGED,
    STATE,
    Collector,
    Conversations,
    Fit,
    Format,
    Reading,
    fit_items,
    objects_in,
)
from message_history.formats.kit.document import INSPECTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Document

_MOCKED: Final = "mock_tool_output"
"""What an old case says that a tool is to return."""


def _is_event(item: Any) -> bool:
    if not isinstance(item, dict) or "author" not in item:
        return False
    content = item.get("content")
    has_parts = isinstance(content, dict) and "parts" in content
    return has_parts or bool(item.keys() & {"invocationId", "invocation_id", "actions"})


def _sessions(document: Document) -> list[tuple[int, dict[str, Any]]]:
    """Return the sessions of a file: one, a list of them, events alone, or the cases of a set for evaluation."""
    cases = document.object.get("eval_cases")
    items = list(enumerate(cases)) if isinstance(cases, list) else document.numbered_items
    if any(_is_old_turn(item) for _, item in items):
        return [(0, {"is_case": True, "events": [event for _, item in items for event in _turn(item)]})]
    found = [(n, _session(item)) for n, item in items]
    if any(each is not None for _, each in found):
        return [
            (n, each if each is not None else {"events": [item]})
            for (n, each), (_, item) in zip(found, items, strict=True)
        ]
    return [(0, {"events": [item for _, item in items]})] if items else []


def _session(item: Any) -> dict[str, Any] | None:
    """Return a session: an object with events, or a case for evaluation, which has turns instead."""
    if not isinstance(item, dict):
        return None
    if isinstance(item.get("events"), list):
        return item
    turns, old = item.get("conversation"), item.get("data")
    is_old = "name" in item and isinstance(old, list) and any(map(_is_old_turn, old))
    turns = old if is_old else turns
    if not isinstance(turns, list) or ("eval_id" not in item and not is_old):
        return None
    id = item.get("eval_id", item.get("name"))
    return {"id": id, "is_case": True, "events": [event for turn in turns for event in _turn(turn)]}


def _is_old_turn(turn: Any) -> bool:
    """Return whether a value is a turn of a case as versions before 1.0 wrote it."""
    return isinstance(turn, dict) and "query" in turn and isinstance(turn.get("expected_tool_use"), list)


def _renewed(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return an old turn in the form of new ones, as ADK itself converts it."""
    uses = objects_in(turn["expected_tool_use"])
    mocked = [use for use in uses if use.get(_MOCKED) is not None]
    between = objects_in(turn.get("expected_intermediate_agent_responses"))
    return {
        "user_content": _content_of(turn["query"]),
        "intermediate_data": {
            "tool_uses": [{"name": use.get("tool_name"), "args": use.get("tool_input")} for use in uses],
            "tool_responses": [{"name": use.get("tool_name"), "response": {"result": use[_MOCKED]}} for use in mocked],
            "intermediate_responses": [(each.get("author"), [{"text": each.get("text")}]) for each in between],
        },
        "final_response": _content_of(turn.get("reference")),
    }


def _content_of(words: object) -> dict[str, Any]:
    return {"parts": [{"text": words}] if words else []}


def _turn(turn: Any) -> list[Any]:
    """Return the events of a turn of a case: what was asked, which tools were used, and the answer."""
    turn = _renewed(turn) if _is_old_turn(turn) else turn
    if not isinstance(turn, dict) or "user_content" not in turn:
        return [turn]
    between = turn.get("intermediate_data") or {}
    events = [{"author": "user", "content": turn.get("user_content") or _content_of(None)}]
    events += objects_in(between.get("invocation_events"))
    uses = between.get("tool_uses") or ()
    events += [{"author": "agent", "content": {"parts": [{"function_call": each} for each in uses]}}] if uses else []
    answers = between.get("tool_responses") or ()
    parts = [{"function_response": each} for each in answers]
    events += [{"author": "agent", "content": {"parts": parts}}] if answers else []
    for each in between.get("intermediate_responses") or ():
        events.append({"author": each[0], "content": {"parts": each[1]}})
    return [*events, {"author": "agent", "content": turn.get("final_response") or _content_of(None)}]


def _fit(document: Document) -> Fit:
    events = [event for _, session in _sessions(document)[:INSPECTED] for event in session["events"][:INSPECTED]]
    return fit_items([item for item in events if isinstance(item, dict)], _is_event)


def _read(document: Document) -> Reading:
    found = Conversations()
    for n, session in _sessions(document):
        collector = found.collector()
        for place, event in enumerate(session["events"]):
            _add(collector, place, event)
        label = f"session {session.get('id') or n}" if found else ""
        made = collector.conversation(Gemini(), label=label, id=session.get("id"))
        found.add(evolve(made, judged=NOTHING_JUDGED) if session.get("is_case") else made)
    return found.reading()


def _add(collector: Collector, n: int, event: Any) -> None:
    content = event.get("content") if isinstance(event, dict) else None
    if not _is_event(event):
        collector.note(n, "an entry that is not an event", event)
    elif event.get("partial") is True:
        collector.omit("pieces of streams")
    elif not isinstance(content, dict) or not any(map(_camel, content.get("parts") or ())):
        collector.omit("events without content")
    else:
        collector.add(n, _content(event, content))


def _content(event: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a content with the names and the role of Gemini's API."""
    parts = [_camel(part) for part in content["parts"]]
    has_results = any(isinstance(part, dict) and "functionResponse" in part for part in parts)
    role = "user" if event["author"] == "user" or has_results else "model"
    return {**content, "role": role, "parts": parts}


def _camel(part: Any) -> Any:
    if not isinstance(part, dict):
        return part
    made = {}
    for name, value in part.items():
        first, *rest = name.split("_")
        inner = _camel(value) if name in ("inline_data", "file_data") else value
        made[first + "".join(word.title() for word in rest)] = inner
    return {name: value for name, value in made.items() if value is not None}


ADK: Final = Format(
    name="adk",
    rank=500,
    title="Google ADK sessions and sets for evaluation",
    files="what GET /apps/*/users/*/sessions/* gives, and `adk run --save_session` writes",
    omits="pieces of streams, changes of state, events without content; sets for evaluation may lack results",
    unwritten=STATE,
    source="google/adk-python: sessions/session.py, events/event.py (2.13.0), evaluation/local_eval_sets_manager.py",
    checked="2026-11-23",
    fit=_fit,
    read=_read,
    judged=frozenset({"GM-G07", "GM-G08"}),
)
