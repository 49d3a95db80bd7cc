"""Rows that a given chat template renders: the form of TRL, changed as little as the template demands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history import Repair, RepairCode
from message_history_compile.errors import CannotCompileError
from message_history_compile.targets.base import Sample, Settings, Target
from message_history_compile.targets.forms import (
    calls_as_text,
    rewritten,
    short_ids,
    single_calls,
    system_first,
    system_in_user,
    text_apart,
    user_in_results,
    without_text,
)
from message_history_compile.targets.trl import TRL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from message_history_compile.turns import Turn

_CHANGES: Final[tuple[tuple[str, Callable[[Sequence[Turn]], list[Turn]], str], ...]] = (
    ("single_calls", single_calls, "parallel calls one after the other"),
    ("text_apart", text_apart, "text next to calls as a message of its own"),
    ("without_text", without_text, "text next to calls, which the template leaves out"),
    ("user_in_results", user_in_results, "user text after results as a part of the last of them"),
    ("short_ids", short_ids, "ids of nine letters and digits"),
    ("system_first", system_first, "the system prompt in the first user message"),
)
_CODES: Final = {"without_text": RepairCode.WITHHELD}


def _row(sample: Sample, settings: Settings) -> dict[str, Any]:
    from message_history_compile import rendering, template_forms  # noqa: PLC0415 - an extra
    from message_history_measure import TemplateRefusedError  # noqa: PLC0415

    try:
        form = template_forms.form_of(settings)
    except TemplateRefusedError as error:
        raise CannotCompileError("template", f"no row can be rendered: {error}") from error
    turns = [*sample.turns[: len(sample.turns) - len(sample.after_system)], *system_in_user(sample)]
    tools = sample.tools
    if form.calls_as_text and (tools or any(turn.calls for turn in turns)):
        turns, tools = calls_as_text(turns, tools), []
        sample.omissions.append(rewritten(0, "calls, results and tools as text with the tags of Hermes"))
    for name, change, what in _CHANGES:
        changed = change(turns) if getattr(form, name) else turns
        if changed != turns:
            sample.omissions.append(Repair(code=_CODES.get(name, RepairCode.REWRITTEN), index=0, detail=what))
        turns = changed
    messages = template_forms.written_for(form, turns)
    try:
        text = rendering.render(settings, messages, tools)
    except TemplateRefusedError as error:
        raise CannotCompileError("template", f"the template refuses it: {error}") from error
    missing = template_forms.first_missing(turns, text)
    if missing is not None:
        raise CannotCompileError("template_omits", f"the template leaves out a {missing}")
    for place, what in template_forms.left_out(turns, tools, text):
        sample.omissions.append(Repair(code=RepairCode.WITHHELD, index=place, detail=what))
    return {"messages": messages, "tools": tools or None}


CHAT_TEMPLATE: Final = Target(
    name="chat-template",
    title="Rows that a given chat template renders (`--template`: a tokenizer's folder or a Jinja file)",
    row=_row,
    receipt=TRL.receipt,
    id_key=TRL.id_key,
    masks=False,
    features=TRL.features,
    needs_template=True,
    source="huggingface/transformers: utils/chat_template_utils.py (5.23); NousResearch: Hermes function calling",
)
