"""The events of OpenHands, of version 0 and of the SDK of version 1, and the output of its evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.formats.kit import (
    BLOCKS,
    NOTHING_JUDGED,
    OUTCOME,
    Conversations,
    Fit,
    Format,
    blocks_of,
    call,
    calls_of,
    fit_items,
    result,
    text,
    text_of,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.formats.kit import Collector, Document, Reading

_NOT_SENT: Final = (
    *("change_agent_state", "agent_state_changed", "null", "condensation", "recall", "state", "loading_status"),
    *("user_rejected", "condensation_request"),
)
_SDK: Final = frozenset(
    {
        *("MessageEvent", "ActionEvent", "ObservationEvent", "SystemPromptEvent", "AgentErrorEvent", "PauseEvent"),
        *("ConversationStateUpdateEvent", "Condensation", "CondensationSummaryEvent", "UserRejectObservation"),
        *("CondensationRequest", "ConversationErrorEvent", "LLMCompletionLogEvent", "TokenEvent"),
    }
)


def _is_event(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    return str(item.get("kind")) in _SDK or ("source" in item and bool(item.keys() & {"action", "observation"}))


def _is_output(item: Any) -> bool:
    return isinstance(item, dict) and "instance_id" in item and isinstance(item.get("history"), list)


def _runs(document: Document) -> list[tuple[str, list[Any]]]:
    """Return the lists of events, each with the name of its run."""
    items = [item for _, item in document.numbered_items]
    if items and all(map(_is_output, items)):
        return [(str(item["instance_id"]), _flat(item["history"])) for item in items]
    for key in ("trajectory", "history", "events"):
        if isinstance(document.object.get(key), list):
            return [("", _flat(document.object[key]))]
    return [("", items)]


def _flat(events: list[Any]) -> list[Any]:
    return [event for each in events for event in (each if isinstance(each, list) else [each])]


def _fit(document: Document) -> Fit:
    events = [event for _, run in _runs(document)[:3] for event in run[:60] if isinstance(event, dict)]
    return fit_items(events, _is_event)


def _read(document: Document) -> Reading:
    found = Conversations()
    for name, events in _runs(document):
        collector = found.collector()
        run = _Run(collector)
        for n, event in enumerate(events):
            if not _is_event(event):
                collector.note(n, "an entry that is not an event", event)
            elif "kind" in event:
                _add_sdk(collector, n, event)
            else:
                run.take(n, event)
        found.add(collector.conversation(BLOCKS, label=f"run {name}" if found else "", id=name))
    return found.reading()


class _Run:
    """The events of version 0: an action is a call, when its meta data says which, and an observation its result."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._responses: set[object] = set()
        self._called: dict[object, str] = {}

    def take(self, n: int, event: Mapping[str, Any]) -> None:
        if "observation" in event:
            self._add_observation(n, event)
            return
        action, arguments = str(event.get("action")), event.get("args") or {}
        about = event.get("tool_call_metadata")
        if action == "system":
            self._collector.add(n, {"role": "system", "content": str(arguments.get("content"))})
        elif action == "message" and event.get("source") == "user":
            self._collector.add_blocks(n, "user", text(arguments.get("content") or event.get("message")))
        elif action in _NOT_SENT:
            self._collector.omit(f"actions of type {action}")
        elif isinstance(about, dict):
            self._add_response(n, event, about)
        elif action == "message":
            self._collector.add_blocks(n, "assistant", text(arguments.get("content")))
        elif event.get("source") == "user":
            self._collector.omit("actions of the user")
        else:
            self._add_action(n, event, action, arguments)

    def _add_response(self, n: int, event: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        """Add the model's response that an action comes from, once."""
        response = about.get("model_response") or {}
        choices = response.get("choices") or [{}]
        message = choices[0].get("message") or {}
        own = about.get("tool_call_id")
        calls = calls_of(message.get("tool_calls"))
        if response.get("id") in self._responses:
            return
        if any(each.get("id") == own for each in calls):
            self._responses.add(response.get("id"))
        else:
            calls = [call(own, about.get("function_name"), event.get("args"))]
        self._collector.add_blocks(n, "assistant", [*blocks_of(message.get("content")), *calls])
        if event.get("action") == "finish":
            # The agent ends here; nothing answers.
            self._collector.add_blocks(n, "user", [result(own, "")])

    def _add_action(self, n: int, event: Mapping[str, Any], action: str, arguments: Mapping[str, Any]) -> None:
        thought = arguments.get("thought")
        if action in ("finish", "reject", "think"):
            own = [*text(thought), *text(arguments.get("final_thought"))]
            # Without words of its own, an end has those that the program shows.
            shown = text(event.get("message")) if action == "finish" else []
            self._collector.add_blocks(n, "assistant", own or shown)
            return
        id = f"event_{event.get('id', n)}"
        self._called[event.get("id")] = id
        rest = {key: value for key, value in arguments.items() if key != "thought"}
        self._collector.add_blocks(n, "assistant", [*text(thought), call(id, action, rest)])

    def _add_observation(self, n: int, event: Mapping[str, Any]) -> None:
        about = event.get("tool_call_metadata") or {}
        id = about.get("tool_call_id") or self._called.get(event.get("cause"))
        if id is None or event.get("observation") in _NOT_SENT:
            self._collector.omit(f"observations of type {event.get('observation')}")
        else:
            failed = event.get("observation") == "error"
            self._collector.add_blocks(n, "user", [result(id, event.get("content"), is_error=failed)])


def _add_sdk(collector: Collector, n: int, event: Mapping[str, Any]) -> None:
    kind = event["kind"]
    if kind == "SystemPromptEvent":
        collector.add(n, {"role": "system", "content": text_of(event.get("system_prompt"))})
    elif kind == "MessageEvent":
        message = event.get("llm_message") or {}
        blocks = [*thinking(message.get("reasoning_content")), *_sdk_blocks(message.get("content"))]
        role = "assistant" if message.get("role") == "assistant" else "user"
        collector.add_blocks(n, role, [*blocks, *_sdk_blocks(event.get("extended_content"))])
    elif kind == "ActionEvent":
        thought = [*thinking(event.get("reasoning_content")), *_sdk_blocks(event.get("thought"))]
        made = event.get("tool_call") or {}
        inner = made.get("function") or made
        arguments = inner.get("arguments") if inner.get("arguments") is not None else event.get("action")
        name = event.get("tool_name") or inner.get("name")
        collector.add_blocks(n, "assistant", [*thought, call(event.get("tool_call_id"), name, arguments)])
    elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
        found = event.get("observation")
        found = found if isinstance(found, dict) else {}
        failed = kind == "AgentErrorEvent" or found.get("is_error") is True
        content = found.get("content") or found.get("output") or event.get("error") or event.get("rejection_reason")
        inner = _sdk_blocks(content) if isinstance(content, list) else content if content is not None else found
        collector.add_blocks(n, "user", [result(event.get("tool_call_id"), inner, is_error=failed)])
    else:
        collector.omit(f"{kind} events")


def _sdk_blocks(content: object) -> list[Any]:
    """Read contents, of which an image is a list of URLs."""
    found = []
    for each in content if isinstance(content, list) else [content] if content else []:
        urls = each.get("image_urls") if isinstance(each, dict) else None
        found += blocks_of([{"type": "image_url", "image_url": url} for url in urls] if urls else each)
    return found


OPENHANDS: Final = Format(
    name="openhands",
    rank=720,
    title="OpenHands events and evaluation outputs",
    files="trajectory exports, sessions/*/events/*.json, output.jsonl",
    omits="changes of state, recalls, condensations, observations that answer no call",
    unwritten=OUTCOME,
    source="All-Hands-AI/OpenHands: openhands/events/serialization, tests/runtime/trajs; OpenHands/software-agent-sdk",
    checked="2026-11-22",
    fit=_fit,
    read=_read,
    judged=NOTHING_JUDGED,
)
