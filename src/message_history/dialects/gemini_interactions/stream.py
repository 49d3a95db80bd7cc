"""The stream of the Interactions API: steps that begin, grow by deltas, and stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.assembling import (
    Assembler,
    add_text,
    field_of,
    mappings,
    other_fields,
    parsed,
    place_of,
    taken_apart,
    whole,
)
from message_history.dialects._shared.beside import REPEATED

if TYPE_CHECKING:
    from collections.abc import Mapping

_MEDIA: Final = frozenset({"image", "audio", "document", "video"})
_ENDED: Final = frozenset({"completed", "requires_action", "failed", "cancelled", "incomplete", "budget_exceeded"})

_OF_INTERACTIONS: Final = REPEATED | {"object", "status", "steps", "outputs"}


@final
class Stream(Assembler):
    """One interaction on its way in."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, Any] = {}
        self._steps: dict[int, dict[str, Any]] = {}
        self._stopped: set[int] = set()

    def take(self, event: object) -> None:
        match field_of(event, "event_type"):
            case "interaction.created" | "interaction.completed":
                self._interaction(taken_apart(field_of(event, "interaction")))
            case "interaction.status_update":
                self._status(field_of(event, "status"))
            case "step.start":
                place = place_of(field_of(event, "index"), self._steps, starts=True)
                self._steps[place] = dict(taken_apart(field_of(event, "step")))
            case "step.delta":
                place = place_of(field_of(event, "index"), self._steps)
                _grow(self._steps.setdefault(place, {}), taken_apart(field_of(event, "delta")))
            case "step.stop":
                self._stopped.add(place_of(field_of(event, "index"), self._steps))

    def _interaction(self, interaction: Mapping[Any, Any]) -> None:
        self._known.update(other_fields(interaction, _OF_INTERACTIONS))
        self._status(interaction.get("status"))
        steps = mappings(interaction.get("steps"))
        if self.finished and steps:
            self._steps = dict(enumerate(map(dict, steps)))

    def _status(self, status: object) -> None:
        if status in _ENDED:
            self.finished = True
            self._known["status"] = status

    def response(self) -> dict[str, Any] | None:
        steps: list[dict[str, Any]] = []
        status: dict[str, Any] = {}
        for place, step in sorted(whole(self._steps).items()):
            text = step.pop("(arguments)", None)
            complete = self.finished or place in self._stopped
            if step.get("type") == "function_call" and text is not None:
                step["arguments"] = parsed(text) if complete else text
            elif step.get("type") == "function_call" and not complete:
                step["arguments"] = "{"
            if step.get("type") == "function_call" and not complete:
                status = {"status": "in_progress"}
            if complete or _holds_anything(step):
                steps.append(step)
        if not steps and not self.finished:
            return None
        return {"object": "interaction", **self._known, **status, "steps": steps}


def _grow(step: dict[str, Any], delta: Mapping[Any, Any]) -> None:
    kind = delta.get("type")
    match kind:
        case "text":
            step.setdefault("type", "model_output")
            add_text(_last_text(step, "content"), "text", delta.get("text"))
        case "text_annotation_delta":
            item = _last_text(step, "content")
            item["annotations"] = [*item.get("annotations", ()), *mappings(delta.get("annotations"))]
        case "thought_summary":
            step.setdefault("type", "thought")
            content = taken_apart(delta.get("content"))
            if content.get("type") == "text":
                add_text(_last_text(step, "summary"), "text", content.get("text"))
            elif content:
                step["summary"] = [*(step.get("summary") or ()), dict(content)]
        case "thought_signature":
            step.setdefault("type", "thought")
            add_text(step, "signature", delta.get("signature"))
        case "arguments_delta":
            step.setdefault("type", "function_call")
            add_text(step, "(arguments)", delta.get("arguments"))
        case str() if kind in _MEDIA:
            step.setdefault("type", "model_output")
            step["content"] = [*(step.get("content") or ()), dict(delta)]
        case _:
            if isinstance(kind, str):
                step.setdefault("type", kind)
            step.update({key: value for key, value in delta.items() if key != "type" and value is not None})


def _last_text(step: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the text at the end of a step's content or summary, to append to; a new one if it is not text."""
    items = step[key] = list(step.get(key) or ())
    if not items or taken_apart(items[-1]).get("type") != "text":
        items.append({"type": "text", "text": ""})
    items[-1] = dict(taken_apart(items[-1]))
    found: dict[str, Any] = items[-1]
    return found


def _holds_anything(step: Mapping[str, Any]) -> bool:
    """Return whether a step that has not stopped holds something already."""
    if step.get("type") in ("model_output", "thought"):
        items = (*(step.get("content") or ()), *(step.get("summary") or ()))
        return any(taken_apart(item).get("text") or taken_apart(item).get("data") for item in items)
    return step.get("type") == "function_call"
