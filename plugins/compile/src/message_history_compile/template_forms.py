"""What a chat template takes, found by rendering small conversations with it: it decides the form of all rows."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from message_history_compile.rendering import render
from message_history_compile.targets.forms import text_apart
from message_history_compile.targets.trl import chat_messages
from message_history_compile.templates import TemplateRefusedError
from message_history_compile.turns import Call, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history_compile.targets.base import Settings

_USER: Final = Turn("user", "probe question")
_ANSWER: Final = Turn("assistant", "probe answer")
_AGAIN: Final = Turn("user", "probe again")
_SHORT: Final = ("probe0001", "probe0002")
_LONG: Final = ("call_probe-12345678901", "call_probe-12345678902")
_TOOLS: Final[list[dict[str, Any]]] = [
    {
        "type": "function",
        "function": {
            "name": "probe_tool",
            "description": "Probes.",
            "parameters": {"type": "object", "properties": {"probe_key": {"type": "string"}}},
        },
    }
]


@final
@frozen(kw_only=True)
class TemplateForm:
    """The form that a template's rows have.

    Args:
        parts: whether content is a list of parts.
        system_first: whether the system prompt goes into the first user message.
        calls_as_text: whether calls and results are text with the tags of Hermes, for the template knows no calls.
        text_arguments: whether the arguments of a call are JSON text.
        short_ids: whether ids have nine letters and digits.
        single_calls: whether a message makes one call at most.
        text_apart: whether text beside calls is a message of its own.
        without_text: whether text beside calls is omitted, for the template has no form for it.
        user_in_results: whether user text behind results is a part of the last of them.
    """

    parts: bool = False
    system_first: bool = False
    calls_as_text: bool = False
    text_arguments: bool = False
    short_ids: bool = False
    single_calls: bool = False
    text_apart: bool = False
    without_text: bool = False
    user_in_results: bool = False


@lru_cache(maxsize=8)
def form_of(settings: Settings) -> TemplateForm:
    """Find the form that a template takes. It costs a dozen small renderings."""
    parts = not _works(settings, (_USER, _ANSWER)) and _works(settings, (_USER, _ANSWER), parts=True)
    system = (Turn("system", "probe system"), _USER, _ANSWER)
    system_first = not _works(settings, system, parts=parts)
    for text_arguments in (False, True):
        how = {"parts": parts, "text_arguments": text_arguments}
        if _works(settings, (_USER, *_step(_SHORT[:1]), _ANSWER), **how):
            # Some templates keep the text beside the first calls only.
            beside = (_USER, *_step(_SHORT[:1], "probe text"), *_step(_SHORT[1:], "probe more"), _ANSWER)
            is_dropped = not _works(settings, beside, **how)
            has_place = is_dropped and _works(settings, text_apart(beside), **how)
            return TemplateForm(
                parts=parts,
                system_first=system_first,
                text_arguments=text_arguments,
                short_ids=not _works(settings, (_USER, *_step(_LONG[:1]), _ANSWER), **how),
                single_calls=not _works(settings, (_USER, *_step(_SHORT), _ANSWER), **how),
                text_apart=has_place,
                without_text=is_dropped and not has_place,
                user_in_results=not _works(settings, (_USER, *_step(_SHORT[:1]), _AGAIN, _ANSWER), **how),
            )
    return TemplateForm(parts=parts, system_first=system_first, calls_as_text=True)


def written_for(form: TemplateForm, turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """Write turns as messages of a form. The turns have the form already but for parts and arguments."""
    messages = chat_messages(turns)
    for message in messages:
        if form.parts:
            message["content"] = [{"type": "text", "text": message["content"]}]
        for call in message.get("tool_calls", ()) if form.text_arguments else ():
            call["function"]["arguments"] = json.dumps(call["function"]["arguments"], ensure_ascii=False)
    return messages


def first_missing(turns: Sequence[Turn], text: str) -> str | None:
    """Name the first thing that a template has dropped without a word; None when all is there.

    The cost is linear in both, for each turn.
    """
    for turn in turns:
        if not _is_in(turn.text, text):
            return "result" if turn.role == "tool" else f"{turn.role} message"
        if not all(_is_in(call.name, text) for call in turn.calls):
            return "call"
    return None


def _is_in(part: str, text: str) -> bool:
    """Return whether a text was rendered, as it is or as JSON."""
    part = part.strip()
    return part in text or json.dumps(part, ensure_ascii=False)[1:-1] in text or json.dumps(part)[1:-1] in text


def _step(ids: Sequence[str], text: str = "") -> list[Turn]:
    """Make an assistant turn with calls, and their results."""
    calls = tuple(Call(id, "probe_tool", {"probe_key": f"value {n}"}, "{}") for n, id in enumerate(ids))
    results = [Turn("tool", f"probe result {n}", call_id=id, name="probe_tool") for n, id in enumerate(ids)]
    return [Turn("assistant", text, calls=calls), *results]


def _works(settings: Settings, turns: Sequence[Turn], *, parts: bool = False, text_arguments: bool = False) -> bool:
    """Return whether a template renders turns, and all of them."""
    messages = written_for(TemplateForm(parts=parts, text_arguments=text_arguments), turns)
    calls = [call for turn in turns for call in turn.calls]
    try:
        text = render(settings, messages, _TOOLS if calls else [])
    except TemplateRefusedError:
        return False
    values = [value for call in calls for value in call.input.values()]
    return first_missing(turns, text) is None and all(value in text for value in values)
