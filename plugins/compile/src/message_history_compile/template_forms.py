"""The form that a chat template's rows have, and what of a row the template leaves out."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve, frozen

from message_history_compile.rendering import render
from message_history_compile.targets.trl import chat_messages
from message_history_compile.templates import measured
from message_history_compile.turns import Call, Turn
from message_history_measure import TemplateRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from message_history_compile.targets.base import Settings

_INLINE: Final = "<think>"
"""The value of a dialect's field `reasoning` for thinking inside the content."""
_KEY: Final = "reasoning_content"


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
        text_apart: whether the text of a message with calls is a separate message.
        without_text: whether the text of a message with calls is omitted, because the template has no place for it.
        user_in_results: whether user text after results is a part of the last of them.
        thinking: the key of thinking, or `<think>` for inside the content; None where the template shows none.
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
    thinking: str | None = _KEY


@lru_cache(maxsize=8)
def form_of(settings: Settings) -> TemplateForm:
    """Find the form that a template takes: as the dialect that was measured of it writes its lists.

    Raises `TemplateRefusedError` when the template takes nothing.
    """
    found = measured(settings)
    if isinstance(found, str):
        raise TemplateRefusedError(found)
    dialect = found.dialect
    is_apart = not dialect.text_with_calls
    form = TemplateForm(
        parts=dialect.parts == "always",
        system_first=dialect.system_role == "user",
        calls_as_text=dialect.tools == "text",
        text_arguments=found.arguments == "text",
        short_ids=dialect.id_limit == 9,
        single_calls=dialect.max_calls == 1,
        text_apart=is_apart and not dialect.go_on,
        # A dialect writes a user message between; none that nobody wrote is taught.
        without_text=is_apart and dialect.go_on,
        user_in_results=dialect.bridge,
        thinking=dialect.reasoning,
    )
    return form if form.calls_as_text or _shows_bare_calls(settings, form) else evolve(form, calls_as_text=True)


def _shows_bare_calls(settings: Settings, form: TemplateForm) -> bool:
    """Return whether calls without text are shown: transformers removes a content of null."""
    called = Turn("assistant", calls=(Call("probe0001", "probe_tool", {"probe_key": "probe value"}, "{}"),))
    turns = (Turn("user", "probe"), called, Turn("tool", "probe result", call_id="probe0001", name="probe_tool"))
    try:
        text = render(settings, written_for(form, turns), [])
    except TemplateRefusedError:
        return False
    return first_missing(turns, text) is None and "probe value" in text


def written_for(form: TemplateForm, turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """Write turns as messages of a form. The turns have the form already but for parts, arguments and thinking."""
    messages = chat_messages(turns)
    for message in messages:
        thinking = message.pop(_KEY, "")
        if thinking and form.thinking == _INLINE:
            message["content"] = f"<think>\n{thinking}\n</think>\n\n{message['content']}".strip()
        elif thinking and form.thinking:
            message[form.thinking] = thinking
        if form.parts:
            message["content"] = [{"type": "text", "text": message["content"]}]
        for call in message.get("tool_calls", ()) if form.text_arguments else ():
            call["function"]["arguments"] = json.dumps(call["function"]["arguments"], ensure_ascii=False)
    return messages


def first_missing(turns: Sequence[Turn], text: str) -> str | None:
    """Name the first thing without which a row is untrue and that a template has dropped; None when all is there.

    The cost is linear in both, for each turn.
    """
    for turn in turns:
        if not _is_in(turn.text, text):
            return "result" if turn.role == "tool" else f"{turn.role} message"
        if not all(_is_in(call.name, text) for call in turn.calls):
            return "call"
    return None


def left_out(turns: Sequence[Turn], tools: Sequence[dict[str, Any]], text: str) -> Iterator[tuple[int, str]]:
    """Yield what else a template has dropped without a word, each with its place."""
    for position, turn in enumerate(turns):
        if not _is_in(turn.reasoning, text):
            yield position, "thinking, which the template leaves out"
    names = [tool["function"]["name"] for tool in tools]
    missing = [name for name in names if not _is_in(name, text)]
    if missing:
        yield 0, f"definitions of tools, which the template leaves out: {', '.join(missing)}"


def _is_in(part: str, text: str) -> bool:
    """Return whether a text was rendered, as it is or as JSON."""
    part = part.strip()
    return part in text or json.dumps(part, ensure_ascii=False)[1:-1] in text or json.dumps(part)[1:-1] in text
