"""The stream of generateContent: responses whose parts go on where those of the last one ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.assembling import (
    AHEAD,
    INTERRUPTED,
    Assembler,
    Pieces,
    add_text,
    collect,
    longer,
    mappings,
    numbered,
    other_fields,
    taken_apart,
    text_piece,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_STEP: Final = re.compile(r"\[(\d+)\]|\[?['\"]([^'\"]*)['\"]\]?|\.?([^.\[\]]+)")
_ABOUT: Final = {"response_id": "responseId", "model_version": "modelVersion", "usage_metadata": "usageMetadata"}
"""What responses say of themselves, as the SDK spells it; the last one's usage is that of all."""
_CONTENT: Final = frozenset({"candidates", "prompt_feedback", "promptFeedback"})
_OF_CANDIDATES: Final = frozenset({"index", "content", "finish_reason", "finishReason"})
_VALUES: Final = ("string_value", "number_value", "bool_value")


@final
class Stream(Assembler):
    """A response on its way in; it is finished when its first candidate is, which is the one that is taken."""

    def __init__(self) -> None:
        super().__init__()
        self._fields: dict[str, Any] = {}
        self._candidates: dict[int, _Candidate] = {0: _Candidate()}

    def take(self, event: object) -> None:
        data = taken_apart(event)
        feedback = _get(data, "prompt_feedback")
        if feedback:
            self._fields["promptFeedback"] = feedback
            self.finished = self.finished or bool(_get(taken_apart(feedback), "block_reason"))
        fields = other_fields(data, _CONTENT)
        collect(self._fields, {_ABOUT.get(key, key): value for key, value in fields.items()})
        for index, candidate in numbered(data.get("candidates")):
            self._candidates.setdefault(index, _Candidate()).add(candidate)
        self.finished = self.finished or self._candidates[0].finished

    def response(self) -> dict[str, Any] | None:
        candidates = [candidate.assembled() for _, candidate in sorted(self._candidates.items())]
        fields = whole(self._fields)
        if candidates[0] is None:
            return {**fields, "candidates": []} if self.finished else None
        return {**fields, "candidates": [candidate for candidate in candidates if candidate]}


@final
class _Candidate:
    """One candidate of a response."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._reason: str | None = None
        self._calling: dict[str, Any] | None = None
        self._continued: set[str] = set()
        self._beside: dict[str, Any] = {}

    @property
    def finished(self) -> bool:
        return self._reason is not None

    def add(self, candidate: Mapping[Any, Any]) -> None:
        for part in mappings(taken_apart(candidate.get("content")).get("parts")):
            self._part({key: value for key, value in part.items() if value is not None})
        collect(self._beside, other_fields(candidate, _OF_CANDIDATES))
        reason = _get(candidate, "finish_reason")
        if reason:
            self._reason = str(getattr(reason, "value", reason))

    def _part(self, part: dict[str, Any]) -> None:
        call = _get(part, "function_call")
        last = self._parts[-1] if self._parts else {}
        if call is not None:
            self._call(part, taken_apart(call))
        elif _is_plain(part) and _is_plain(last) and bool(part.get("thought")) == bool(last.get("thought")):
            add_text(last, "text", part["text"])
        else:
            self._parts.append(part)

    def _call(self, part: dict[str, Any], call: Mapping[Any, Any]) -> None:
        pieces, goes_on = _get(call, "partial_args") or (), bool(_get(call, "will_continue"))
        if self._calling is None:
            known = {key: whole(value) for key, value in call.items() if value is not None and key not in _STREAMING}
            self._parts.append(
                {**{key: value for key, value in part.items() if key not in _CALL}, "functionCall": known}
            )
            if not goes_on and not pieces:
                return
            self._calling = self._parts[-1]
            self._continued = set()
        else:
            self._calling.update({key: value for key, value in part.items() if key not in _CALL})
        arguments = self._calling["functionCall"].setdefault("args", {})
        for piece in mappings(pieces):
            self._argument(arguments, piece)
        if not goes_on:
            self._calling = None

    def _argument(self, arguments: dict[str, Any], piece: Mapping[Any, Any]) -> None:
        path = text_piece(_get(piece, "json_path")) or "$"
        value = next((found for key in _VALUES if (found := _get(piece, key)) is not None), None)
        _put(arguments, path, value, joined=path in self._continued)
        if _get(piece, "will_continue"):
            self._continued.add(path)
        else:
            self._continued.discard(path)

    def assembled(self) -> dict[str, Any] | None:
        """Return the candidate so far; None when it says nothing yet."""
        if not self._parts and not self.finished:
            return None
        reason = INTERRUPTED if self._calling is not None else self._reason
        content = {"role": "model", "parts": whole(self._parts)}
        ended = {"finishReason": reason} if reason is not None else {}
        return {"content": content, **ended, **whole(self._beside)}


_STREAMING: Final = frozenset({"partialArgs", "partial_args", "willContinue", "will_continue"})
_CALL: Final = frozenset({"functionCall", "function_call"})


def _get(data: Mapping[Any, Any], key: str) -> Any:
    """Read a key as the SDK or as the API spells it."""
    head, *rest = key.split("_")
    found = data.get(head + "".join(map(str.capitalize, rest)))
    return found if found is not None else data.get(key)


def _is_plain(part: Mapping[str, Any]) -> bool:
    """Return whether a part is text and nothing else; a signature belongs to the part that it came with."""
    return isinstance(part.get("text"), str | Pieces) and part.keys() <= {"text", "thought"}


def _put(arguments: dict[str, Any], path: str, value: Any, *, joined: bool) -> None:
    """Put a value where a path of JSONPath names points."""
    steps: list[str | int] = [
        int(index) if index else name or quoted for index, quoted, name in _STEP.findall(path.removeprefix("$"))
    ]
    place: Any = arguments
    for step, following in zip(steps, [*steps[1:], None], strict=False):
        if isinstance(step, int) and isinstance(place, list) and step < len(place) + AHEAD:
            place.extend([None] * (step + 1 - len(place)))
        elif not isinstance(place, dict) or isinstance(step, int):
            return
        there = place[step] if isinstance(step, int) else place.get(step)
        if following is None:
            goes_on = joined and isinstance(there, str | Pieces) and isinstance(value, str)
            place[step] = longer(there, value) if goes_on else value
        elif isinstance(there, Pieces) or not isinstance(there, dict | list):
            there = place[step] = [] if isinstance(following, int) else {}
        place = there
