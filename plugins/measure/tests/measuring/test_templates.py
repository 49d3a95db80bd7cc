from __future__ import annotations

import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from measuring.templates import WHIMS, refusing, template
from message_history import MessageHistory, TextBlock, ToolResultBlock, ToolUseBlock
from message_history.dialects import OpenAIChat
from message_history.dialects.openai_chat.providers import HOSTS
from message_history.integrations.strategies import broken_lists
from message_history_measure.measuring import Examination
from message_history_measure.sandbox import Template, TemplateRefusedError

USUAL = {
    "provider": "templates",
    "leading_assistant": True,
    "null_content": "null",
    "images": False,
    "refused_keys": ["name"],
}
NO_IMAGES = "images: they are left out, with a note"
USER_FIRST = {"leading_assistant": None}
APART = {"text_with_calls": False, "go_on": False}
# What is found beside the usual; None is not found.
FIELDS: dict[str, dict[str, Any]] = {
    "all is shown": {},
    "no calls": {"tools": "text"},
    "no calls, in turns": {
        **USER_FIRST,
        "alternate": True,
        "tools": "text",
        "late_system": False,
        "null_content": "empty",
    },
    "no system": {"system_role": "user"},
    "a system prompt that is not shown": {"system_role": "user"},
    "system first": {"late_system": False, "one_system": True},
    "in turns": {**USER_FIRST, "alternate": True, "bridge": True, "late_system": False},
    "a user": {**USER_FIRST, "needs_user": True},
    "one call": {"max_calls": 1},
    "the first call": {"max_calls": 1},
    "calls without text": APART,
    "text without calls": APART,
    "calls without text, in turns": {
        **USER_FIRST,
        "alternate": True,
        "bridge": True,
        "late_system": False,
        "text_with_calls": False,
    },
    "no user after results": {"bridge": True},
    "short ids": {"id_pattern": "SHORT_ID", "id_limit": 9},
    "ids that are not short": {"id_pattern": "SHORT_ID", "id_limit": 9},
    "no answer after the assistant": {"prefill": False},
    "names of tools": {"result_names": True, "null_content": "empty"},
    "parts": {"parts": "always"},
    "the first part": {"parts": "always"},
    "either": {"parts": True, "images": None},
    "arguments as text": {},
    "nothing as None": {"null_content": "empty"},
    "something in results": {"empty_result": "[The tool gave no output.]"},
    "not the assistant last": {"prefill": False},
    "a system prompt unless results are last": {"system_role": "user"},
    "the user first": USER_FIRST,
    "an assistant at first without its role": USER_FIRST,
    "results by the first id": {"unique_ids": True},
    "tools": {},
    "no tools": {"tools": "text"},
    "names of speakers": {"refused_keys": None},
    "all in one": {},
    "reasoning": {"reasoning": "reasoning_content"},
    "reasoning since the user spoke": {"reasoning": "reasoning"},
    "reasoning when thinking": {"reasoning": "reasoning_content"},
    "reasoning inside": {"reasoning": "<think>"},
    "reasoning cut off": {"thinking_first": True},
    "texts with reasoning dropped": {},
}
LOSSES = {
    "either": ["reasoning"],
    "all in one": ["roles: nothing tells user and assistant apart", "reasoning", NO_IMAGES],
    "reasoning": [NO_IMAGES],
    "reasoning since the user spoke": ["reasoning of earlier turns", NO_IMAGES],
    "reasoning when thinking": ["reasoning, unless thinking is switched on", NO_IMAGES],
    "reasoning inside": [NO_IMAGES],
    "reasoning cut off": ["reasoning", "reasoning inside texts", NO_IMAGES],
    "texts with reasoning dropped": ["reasoning", "text with reasoning inside it: text, thought", NO_IMAGES],
}


# What no list can hold; it is replaced.
NOT_SENT = re.compile("[\0\ud800-\udfff]")


@cache
def measured(text: str) -> Examination:
    """Measure a template in this process: those here are harmless."""
    examination = Examination(Template(text, {"bos_token": "<s>"}))
    examination.run()
    return examination


def _dialect(fields: dict[str, Any]) -> OpenAIChat:
    return OpenAIChat(**HOSTS.fields_of({"fields": fields}))


@pytest.mark.parametrize("whim", WHIMS)
def test_each_whim_is_one_field(whim: str) -> None:
    found = measured(WHIMS[whim])

    wanted = {**USUAL, **FIELDS[whim]}
    if wanted.get("alternate"):
        wanted["leading_assistant"] = False
    # Of two sets of fields that say the same, one field may follow from another.
    known = {field: value for field, value in wanted.items() if value is not None}
    assert _dialect(found.fields) == _dialect(known)
    assert found.losses == LOSSES.get(whim, ["reasoning", NO_IMAGES])
    assert found.as_objects == (whim != "arguments as text")


def test_what_no_arrangement_shows_is_said() -> None:
    deaf = template("{% if loop.first or loop.last %}{{ m.content or '' }}{% endif %}")

    assert measured(deaf).losses[:2] == ["turns of user and assistant: text, user", "a system prompt: text"]


def test_a_template_without_even_a_user_message_is_refused() -> None:
    with pytest.raises(TemplateRefusedError, match="not even a user message is shown: I do not take that"):
        measured(refusing("messages"))


def test_a_text_that_is_no_template_is_refused() -> None:
    with pytest.raises(TemplateRefusedError, match="not even a user message is shown: nothing of it is in the prompt"):
        measured("{% for m in conversations or [] %}{{ m.content }}{% endfor %}")
    with pytest.raises(TemplateRefusedError, match="it is not a template"):
        measured("{% for m in messages %}")


def texts_of(history: MessageHistory) -> list[str]:
    """Name what a prompt must show: texts, results and the names of calls."""
    found: list[str] = []
    for block in (block for message in history for block in message.content):
        if isinstance(block, TextBlock):
            found.append(block.text)
        elif isinstance(block, ToolUseBlock):
            found.append(block.name)
        elif isinstance(block, ToolResultBlock):
            found += [part.text for part in block.content if isinstance(part, TextBlock)]
    return [NOT_SENT.sub("\ufffd", text).strip() for text in found if not text.startswith("[")]


def shows_all(found: Examination, raw: list[Any]) -> None:
    """Assert that the prompt of what was measured shows the whole of a history."""
    dialect = OpenAIChat(**HOSTS.fields_of(found.row))
    history = MessageHistory.from_list(raw).as_sent(dialect)
    assume(len(history))

    wire = history.for_send(dialect)
    prompt = found._prompt(wire, found._tools[0])

    assert dialect.violations(wire) == []
    for text in texts_of(history):
        assert any(
            form in prompt for form in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
        )


@given(raw=broken_lists(), whim=st.sampled_from([whim for whim in WHIMS if whim != "all in one"]))
def test_whatever_the_history_all_of_it_is_in_the_prompt(raw: list[Any], whim: str) -> None:
    shows_all(measured(WHIMS[whim]), raw)


TRL = find_spec("trl")
REAL = sorted(
    path for place in (TRL.submodule_search_locations or () if TRL else ()) for path in Path(place).rglob("*.jinja")
)


@pytest.mark.skipif(not REAL, reason="TRL, which has templates of many models, is not installed")
@given(raw=broken_lists(), path=st.sampled_from(REAL or [Path()]))
@settings(max_examples=300)
def test_real_templates_show_all_of_it(raw: list[Any], path: Path) -> None:
    shows_all(measured(path.read_text(encoding="utf-8")), raw)
