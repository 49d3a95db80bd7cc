"""Google's SDK as the judge: its types read every export, and its converters send what was exported.

No oracle knows G06 to G11, G13 to G16, G18, G23 and G27: the types know one part at a time, not the list.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from message_history import MessageHistory, ToolUseBlock
from message_history.dialects import Gemini
from message_history.integrations.strategies import broken_lists, histories
from tests.dialects.gemini import BACK_AND_FORTH, FLASH, WRONG, contents, every_variant

pytest.importorskip("google.genai")

from google.genai import models, types
from google.genai._common import encode_unserializable_types
from pydantic import ValidationError


def judge(wire: list[Any], dialect: Gemini) -> None:
    """Raise when the SDK does not take a list, or would send another."""
    convert = models._Content_to_vertex if dialect.vertex else models._Content_to_mldev
    for content in wire:
        taken = types.Content.model_validate(content)
        sent: Any = json.loads(json.dumps(encode_unserializable_types(convert(taken)), default=plain))
        assert normal(sent) == normal(content)


def plain(value: Any) -> Any:
    """Write one of the SDK's objects as it sends it."""
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def normal(value: Any) -> Any:
    """Let base64 in both alphabets be equal, with or without padding."""
    if isinstance(value, dict):
        return {
            key: item.replace("-", "+").replace("_", "/").rstrip("=")
            if key in ("data", "thoughtSignature") and isinstance(item, str)
            else normal(item)
            for key, item in value.items()
        }
    return [normal(item) for item in value] if isinstance(value, list) else value


@every_variant
def test_every_export_is_what_the_sdk_takes_and_sends(dialect: Gemini) -> None:
    @settings(max_examples=settings().max_examples // 3)
    @given(st.one_of(histories(), contents().map(MessageHistory.from_list)))
    def law(history: MessageHistory) -> None:
        judge(history.for_send(dialect), dialect)

    law()


@given(broken_lists(Gemini()))
def test_every_mended_list_is_what_the_sdk_takes(raw: list[Any]) -> None:
    judge(MessageHistory.from_list(raw, dialect=Gemini()).for_send(Gemini()), Gemini())


@pytest.mark.parametrize("raw", BACK_AND_FORTH)
def test_what_we_call_acceptable_is_what_the_sdk_takes(raw: list[Any]) -> None:
    judge(raw, Gemini.for_model(FLASH))


KNOWN_TO_THE_SDK = {"GM-G12", "GM-G19", "GM-G20", "GM-G22"}


@pytest.mark.parametrize("case", [case for case in WRONG if case[0] in KNOWN_TO_THE_SDK], ids=lambda case: case[0])
def test_the_sdk_refuses_what_its_types_know(case: tuple[str, str, list[Any]]) -> None:
    with pytest.raises(ValidationError):
        judge(case[2], Gemini())


@pytest.mark.parametrize(
    ("key", "part"), [("tool_call", {"toolCall": {"id": "1"}}), ("part_metadata", {"text": "x", "partMetadata": {}})]
)
def test_vertex_refuses_what_only_the_developer_api_has(key: str, part: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=key):
        judge([{"role": "model", "parts": [part]}], Gemini(vertex=True))


def test_an_empty_list_has_its_own_error() -> None:
    from google.genai._transformers import t_contents  # noqa: PLC0415

    with pytest.raises(ValueError, match=r"contents are required\."):
        t_contents([])


def response(**fields: Any) -> types.GenerateContentResponse:
    data = {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": "y", "thoughtSignature": "c2lnbmVk"}]}, **fields}
        ]
    }
    return types.GenerateContentResponse.model_validate(data)


def test_the_sdks_own_objects_are_read() -> None:
    history = MessageHistory().add_user("x").add_response(response(finishReason="STOP"))
    assert history.repairs == ()
    wire = history.for_send(Gemini(prefill=True))
    assert wire[1] == {"role": "model", "parts": [{"text": "y", "thoughtSignature": "c2lnbmVk"}]}
    objects = [types.Content.model_validate(content) for content in wire]
    assert MessageHistory.from_list(objects).for_send(Gemini(prefill=True)) == wire
    dumps = [content.model_dump() for content in objects]
    assert MessageHistory.from_list(dumps).for_send(Gemini(prefill=True)) == wire
    assert history.add(types.UserContent("z")).for_send(Gemini())[2] == {"role": "user", "parts": [{"text": "z"}]}


@pytest.mark.parametrize("raw", BACK_AND_FORTH)
def test_objects_and_their_dumps_come_out_as_their_json(raw: list[Any]) -> None:
    dialect = Gemini.for_model(FLASH)
    objects = [types.Content.model_validate(content) for content in raw]
    expected = normal(raw)
    for given_ in (
        objects,
        [content.model_dump() for content in objects],
        [content.to_json_dict() for content in objects],
    ):
        history = MessageHistory.from_list(given_)
        assert history.repairs == ()
        assert normal(history.for_send(dialect)) == expected


def test_a_reply_that_the_sdk_says_was_cut_off_is_known_as_such() -> None:
    history = MessageHistory().add_user("x").add_response(response(finishReason="MAX_TOKENS"))
    assert history[-1].text == "y"


def test_the_system_prompt_is_what_the_sdk_takes() -> None:
    history = MessageHistory().with_system("Be brief.").add_user("x")
    config = types.GenerateContentConfig(system_instruction=history.export(Gemini()).system)
    assert isinstance(config.system_instruction, types.Content | dict)


def test_an_agents_turn_in_the_sdks_objects() -> None:
    asked = types.GenerateContentResponse.model_validate(
        {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]}}]}
    )
    history = MessageHistory().add_user("x").add_response(asked)
    (call,) = history.awaiting
    assert call == ToolUseBlock("f_0", "f", {"a": 1}, meta=call.meta)
    history = history.add_tool_result(call, {"b": 2})
    judge(history.for_send(Gemini()), Gemini())
