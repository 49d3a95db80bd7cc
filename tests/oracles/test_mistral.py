"""Mistral's own request validators as the judge, in the mode in which the API runs them.

Run with each of two versions of mistral-common, in environments of their own. Not judged here: closed keys of the
API beyond those of the code (MS-M12), its chat templates (MS-M22), and what only its tokenizer refuses (MS-M09a).
"""

from __future__ import annotations

import itertools
import json
from importlib.metadata import version as version_of
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import Message, MessageHistory, TextBlock, ThinkingBlock, check
from message_history.core.values.meta import Meta
from message_history.dialects import Dialect, Mistral, OpenAIChat
from message_history.integrations.strategies import broken_lists, histories

pytest.importorskip("mistral_common")

from mistral_common.exceptions import MistralCommonException
from mistral_common.protocol.instruct import validator
from mistral_common.protocol.instruct.request import ChatCompletionRequest

CODE = tuple(int(number) for number in version_of("mistral-common").split(".")[:2])
NAMES = {3: "V3", 7: "V5", 11: "V11" if CODE >= (1, 12) else "V13", 13: "V13", 15: "V15"}
JUDGES = {
    version: getattr(validator, f"MistralRequestValidator{name}")(validator.ValidationMode.serving)
    for version, name in NAMES.items()
    if hasattr(validator, f"MistralRequestValidator{name}")
}
# The hosted API took what this code refuses, so the strict fields of the open models are judged, not the defaults.
# The fields for a version are those of the newest code.
DIALECTS: list[tuple[int, Any]] = [(version, Mistral.for_model("mistral-7b-instruct")) for version in JUDGES]
# Words and calls share a message there, which versions before 7 do not take.
DIALECTS += [(version, OpenAIChat.for_provider("mistral")) for version in JUDGES if version >= 7]
DIALECTS += [(version, Mistral.for_version(version)) for version in JUDGES if CODE >= (1, 12)]
every_dialect = pytest.mark.parametrize(("version", "dialect"), DIALECTS, ids=range(len(DIALECTS)))


def as_in_code(wire: list[Any]) -> list[Any]:
    """Write a list as the code has it: thinking is a text there, and calls have no index."""
    plain: list[Any] = json.loads(json.dumps(wire))
    for entry in plain:
        for chunk in entry["content"] if isinstance(entry["content"], list) else ():
            if chunk["type"] == "thinking":
                chunk["thinking"] = "".join(part["text"] for part in chunk["thinking"])
                chunk.pop("signature", None)
        for call in entry.get("tool_calls", ()):
            call.pop("index", None)
    return plain


def judge(wire: list[Any], version: int) -> None:
    """Raise what the code raises."""
    request: Any = ChatCompletionRequest.model_validate({"model": "any", "messages": as_in_code(wire)})
    JUDGES[version].validate_request(request)


def accepts(wire: list[Any], version: int) -> bool:
    try:
        judge(wire, version)
    except (MistralCommonException, ValueError):
        return False
    return True


def with_thinking() -> st.SearchStrategy[MessageHistory]:
    thought = ThinkingBlock("hm", meta=Meta(issuer="mistral"))
    assistant = st.sampled_from((Message.assistant(thought, TextBlock("a")), Message.assistant(thought)))
    return st.builds(MessageHistory.extend, histories(), st.lists(assistant, max_size=2))


@every_dialect
def test_every_export_is_accepted(version: int, dialect: Dialect[Any]) -> None:
    @given(with_thinking())
    def law(history: MessageHistory) -> None:
        wire = history.for_send(dialect)
        if wire:
            judge(wire, version)

    law()


@every_dialect
def test_every_broken_list_becomes_acceptable(version: int, dialect: Dialect[Any]) -> None:
    @given(broken_lists(dialect))
    def law(raw: list[Any]) -> None:
        wire = MessageHistory.from_list(raw, dialect=dialect).for_send(dialect)
        if wire:
            judge(wire, version)

    law()


def call(id: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}


ENTRIES: list[dict[str, Any]] = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "u"},
    {"role": "assistant", "content": "a"},
    {"role": "assistant", "content": "p", "prefix": True},
    {"role": "assistant", "content": "", "tool_calls": [call("aaaaaaaaa")]},
    {"role": "assistant", "content": "w", "tool_calls": [call("aaaaaaaaa"), call("bbbbbbbbb")]},
    {"role": "tool", "content": "r", "tool_call_id": "aaaaaaaaa"},
    {"role": "tool", "content": "r", "tool_call_id": "bbbbbbbbb"},
]


@pytest.mark.skipif(CODE < (1, 12), reason="the fields for a version are those of the newest code")
@pytest.mark.parametrize("version", JUDGES)
def test_what_is_found_is_what_the_code_refuses(version: int) -> None:
    dialect = Mistral.for_version(version)
    seen = 0
    for length in (1, 2, 3, 4):
        for entries in itertools.product(ENTRIES, repeat=length):
            if length > 1 and entries[0]["role"] in ("assistant", "tool"):
                continue  # The code does not look at the first of several messages.
            wire = list(entries)
            assert accepts(wire, version) is not bool(check(wire, dialect)), wire
            seen += 1
    assert seen > 1_000


@pytest.mark.parametrize(
    ("version", "wire", "text"),
    [
        (3, [ENTRIES[1], ENTRIES[2]], "for serving but got assistant"),
        (3, [ENTRIES[1], ENTRIES[5], ENTRIES[6], ENTRIES[7]], "must have either content or tool_calls, but not both"),
        (7, [ENTRIES[1], ENTRIES[4], ENTRIES[1]], "Not the same number of function calls and responses"),
        (11, [ENTRIES[1], ENTRIES[4], ENTRIES[7]], "Unexpected tool call id bbbbbbbbb in tool results"),
        (11, [ENTRIES[1], ENTRIES[6]], "Unexpected role 'tool' after role 'user'"),
        (11, [ENTRIES[1], ENTRIES[2], ENTRIES[0]], "Unexpected role 'system' after role 'assistant'"),
    ],
)
def test_the_code_says_what_the_rules_say(version: int, wire: list[Any], text: str) -> None:
    with pytest.raises(MistralCommonException, match=text):
        judge(wire, version)
    assert text in " ".join(violation.error for violation in check(wire, Mistral.for_version(version)))
